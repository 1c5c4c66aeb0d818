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
/// The value that bits have in a constant's type: 0x3f800000 is 1 of a float of 32 bits.
[[nodiscard]] std::variant<std::int64_t, double, bool> value_of_bits(const Module& module, const Instruction& constant,
                                                                     std::uint64_t bits);
/// A constant of that number, and how many bits it has.
struct ConstantBits {
  const Instruction* constant;
  unsigned bits;          ///< 1: a boolean
  bool is_unsigned_long;  ///< an unsigned integer of 64 bits
};
[[nodiscard]] std::vector<ConstantBits> constants_of(const Module& module, std::uint32_t id);
/// "it has: 3 (factor), 5": for messages about a constant that does not exist.
[[nodiscard]] std::string list_of(const std::vector<SpecializationConstant>& constants);

}  // namespace heddle::spirv
