// SPDX-License-Identifier: MIT
#pragma once
// What an instruction makes known about control register, state variables and address variables.

#include "machine/jit/emit.hpp"

namespace heddle::instructions {

/// `known` held before the instruction; afterwards they hold behind it.
void transfer(machine::jit::KnownValues& known, const machine::PreparedObject& object,
              const machine::StateIndex& states, const machine::Decoded& instruction);

/// %bss or S31: the state is a handle (machine::Bindings::bindless_surfaces).
[[nodiscard]] bool is_handle(const machine::Operand& operand);

}  // namespace heddle::instructions
