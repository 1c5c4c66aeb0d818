#pragma once
// What instructions do in the reference engine. A family that executes has reference.cpp with its list of hooks, and a
// line below.

#include <span>

#include "isa/description.hpp"
#include "machine/execution_context.hpp"

#define HEDDLE_REFERENCE_ROOMS(X) \
  X(arithmetic)                   \
  X(logic)                        \
  X(move)                         \
  X(compare)                      \
  X(flow)                         \
  X(sync)                         \
  X(info)                         \
  X(sample)                       \
  X(load)                         \
  X(sample4)                      \
  X(sample_unorm)                 \
  X(memory_scattered)             \
  X(memory_block)                 \
  X(memory_typed)                 \
  X(memory_svm)                   \
  X(atomic)                       \
  X(lsc)                          \
  X(misc)                         \
  X(rt_write)                     \
  X(send)                         \
  X(dpas)                         \
  X(newer)                        \
  X(footprint)

namespace heddle::instructions {

using ReferenceHook = isa::HookTable<machine::Execute>::Hook;

#define HEDDLE_DECLARE_REFERENCE(name)        \
  namespace name {                            \
  std::span<const ReferenceHook> reference(); \
  }
HEDDLE_REFERENCE_ROOMS(HEDDLE_DECLARE_REFERENCE)
#undef HEDDLE_DECLARE_REFERENCE

/// The function of a row; nullptr when the instruction is not executed (the engine refuses it by name when it is
/// reached).
[[nodiscard]] machine::Execute reference_of(const isa::InstructionDescription& description);

/// Why the engine does not execute a row that has no function; empty when there is nothing to say.
[[nodiscard]] std::string_view refusal_reason(const isa::InstructionDescription& description);

/// Declarations and marks that do nothing when executed.
void does_nothing(machine::ExecutionContext& step);

}  // namespace heddle::instructions
