// SPDX-License-Identifier: MIT
#pragma once
// Which operation of the texture unit an instruction stands for.

#include "isa/description.hpp"
#include "texture/operation_table.hpp"

namespace heddle::instructions {

/// Of a sampler message; nullptr for every other instruction.
[[nodiscard]] inline const texture::Operation* operation_of(const isa::InstructionDescription& description) {
  return description.operation < 0 ? nullptr : &texture::operation(static_cast<texture::Op>(description.operation));
}

}  // namespace heddle::instructions
