// SPDX-License-Identifier: MIT
#pragma once
// What is added to a module: ids, types and constants once each, instructions in the section where they belong.

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string_view>

#include "layer/rewriter/module.hpp"

namespace heddle::layer {

class ModuleWriter {
 public:
  explicit ModuleWriter(const Module& module);

  [[nodiscard]] std::uint32_t new_id() { return bound_++; }
  [[nodiscard]] std::uint32_t bound() const { return bound_; }

  /// The type with this operation and these operands, written where the module lacks it. Of aggregates, which a module
  /// may have twice, always a new one.
  std::uint32_t type(std::uint16_t opcode, std::span<const std::uint32_t> operands);
  std::uint32_t type(std::uint16_t opcode, std::initializer_list<std::uint32_t> operands) {
    return type(opcode, std::span(operands.begin(), operands.size()));
  }
  std::uint32_t bool_type();
  std::uint32_t uint_type();
  std::uint32_t int_type();
  std::uint32_t float_type();
  std::uint32_t vector_type(std::uint32_t component, std::uint32_t count);

  /// A constant of one word; a composite of constants.
  std::uint32_t constant(std::uint32_t type, std::uint32_t value);
  std::uint32_t float_constant(float value);
  std::uint32_t composite(std::uint32_t type, std::span<const std::uint32_t> parts);
  /// The composite whose parts are one constant, `count` times.
  std::uint32_t splat(std::uint32_t type, std::uint32_t part, std::uint32_t count);
  std::uint32_t null(std::uint32_t type);
  /// GLSL.std.450: the module's own, or a new import.
  std::uint32_t glsl();

  static void put(Words& section, std::uint16_t opcode, std::span<const std::uint32_t> operands);
  static void put(Words& section, std::uint16_t opcode, std::initializer_list<std::uint32_t> operands) {
    put(section, opcode, std::span(operands.begin(), operands.size()));
  }

  Words capabilities, imports, annotations, globals, functions;

 private:
  std::uint32_t once(std::uint16_t opcode, std::uint32_t result_type, std::span<const std::uint32_t> operands);

  std::uint32_t bound_, glsl_ = 0;
  std::map<Words, std::uint32_t> known_;  ///< operation, type of the result or 0, operands -> id
};

}  // namespace heddle::layer
