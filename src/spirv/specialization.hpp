// SPDX-License-Identifier: MIT
#pragma once
// The specialization constants of a module, by number and by name.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
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
/// Why a value is none of that constant's type: "'RADIUS' (constant 3) is an integer of 32 bits, which takes a whole
/// number: 3.5". Empty: it is one. Numbers are never cut: an integer takes whole numbers that it can hold, a boolean
/// true, false, 0 and 1, a float every number that it does not overflow for.
[[nodiscard]] std::string specialization_problem(const Module& module, std::uint32_t id,
                                                 const std::variant<std::int64_t, double, bool>& value);
/// "it has: 3 (factor), 5": for messages about a constant that does not exist.
[[nodiscard]] std::string list_of(const std::vector<SpecializationConstant>& constants);

}  // namespace heddle::spirv
