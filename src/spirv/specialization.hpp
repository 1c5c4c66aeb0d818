#pragma once
// The specialization constants of a module, by number and by name.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spirv/module.hpp"

namespace heddle::spirv {

struct SpecializationConstant {
  std::uint32_t id = 0;  ///< SpecId
  std::string name;      ///< OpName, may be empty
};

/// By ascending number, each once.
[[nodiscard]] std::vector<SpecializationConstant> specialization_constants(const Module& module);
/// The number of "3" or of a name.
[[nodiscard]] std::optional<std::uint32_t> find_constant(const std::vector<SpecializationConstant>& constants,
                                                         std::string_view key);
/// "it has: 3 (factor), 5": for messages about a constant that does not exist.
[[nodiscard]] std::string list_of(const std::vector<SpecializationConstant>& constants);

}  // namespace heddle::spirv
