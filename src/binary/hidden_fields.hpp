// SPDX-License-Identifier: MIT
#pragma once
// Parts of an encoding that no tool writes and that the text has no place for.

#include <span>
#include <string>

#include "isa/description.hpp"
#include "isa/program.hpp"

namespace heddle::binary {

/// What the text of an instruction cannot show (ENC-36), in words for a message; empty: nothing.
[[nodiscard]] std::string hidden_fields(const isa::InstructionDescription& description, isa::Exec exec,
                                        std::span<const isa::Operand> operands);

}  // namespace heddle::binary
