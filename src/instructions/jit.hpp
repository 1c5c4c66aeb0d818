// SPDX-License-Identifier: MIT
#pragma once
// What the fast engine emits for instructions. A family that compiles has jit.cpp with its list of hooks, and says so
// in families.hpp. An instruction without a hook, or whose hook gives up, is executed by its reference function on the
// thread's registers.

#include <span>

#include "instructions/families.hpp"
#include "isa/description.hpp"
#include "machine/jit/emit.hpp"

namespace heddle::instructions {

using JitHook = isa::Hook<machine::jit::Emitter>;

#define HEDDLE_DECLARE_JIT(name, has_check, has_reference, has_jit) \
  HEDDLE_IF_##has_jit(namespace name { std::span<const JitHook> jit(); })
HEDDLE_FAMILIES(HEDDLE_DECLARE_JIT)
#undef HEDDLE_DECLARE_JIT

/// Of all rows.
[[nodiscard]] const isa::HookTable<machine::jit::Emitter>& emitters();
/// The emitter of a description, or nullptr.
[[nodiscard]] machine::jit::Emitter jit_of(const isa::InstructionDescription& description);

}  // namespace heddle::instructions
