// SPDX-License-Identifier: MIT
#pragma once
// What instructions do in the reference engine. A family that executes has reference.cpp with its list of hooks, and
// says so in families.hpp.

#include <span>

#include "instructions/families.hpp"
#include "isa/description.hpp"
#include "machine/execution_context.hpp"

namespace heddle::instructions {

using ReferenceHook = isa::Hook<machine::Execute>;

#define HEDDLE_DECLARE_REFERENCE(name, has_check, has_reference, has_jit) \
  HEDDLE_IF_##has_reference(namespace name { std::span<const ReferenceHook> reference(); })
HEDDLE_FAMILIES(HEDDLE_DECLARE_REFERENCE)
#undef HEDDLE_DECLARE_REFERENCE

/// Of all rows.
[[nodiscard]] const isa::HookTable<machine::Execute>& reference_functions();
/// The function of a row; nullptr when the instruction is not executed (the engine refuses it by name when it is
/// reached, with InstructionDescription::refused).
[[nodiscard]] machine::Execute reference_of(const isa::InstructionDescription& description);

/// Declarations and marks that do nothing when executed.
void does_nothing(machine::ExecutionContext& context);

}  // namespace heddle::instructions
