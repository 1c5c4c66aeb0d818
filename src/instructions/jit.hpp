#pragma once
// What the fast engine emits for instructions. A family that compiles has jit.cpp with its list of hooks, and a line
// below. An instruction without a hook, or whose hook gives up, is executed by its reference function on the thread's
// registers.

#include <span>

#include "isa/description.hpp"
#include "machine/jit/emit.hpp"

#define HEDDLE_JIT_ROOMS(X) \
  X(arithmetic)             \
  X(logic)                  \
  X(move)                   \
  X(compare)                \
  X(memory_scattered)       \
  X(lsc)                    \
  X(info)                   \
  X(sample)                 \
  X(load)                   \
  X(sample4)                \
  X(rt_write)               \
  X(footprint)              \
  X(sample_unorm)           \
  X(memory_block)           \
  X(memory_svm)             \
  X(memory_typed)           \
  X(atomic)

namespace heddle::instructions {

using JitHook = isa::HookTable<machine::jit::Emitter>::Hook;

#define HEDDLE_DECLARE_JIT(name)  \
  namespace name {                \
  std::span<const JitHook> jit(); \
  }
HEDDLE_JIT_ROOMS(HEDDLE_DECLARE_JIT)
#undef HEDDLE_DECLARE_JIT

/// The emitter of a description, or nullptr.
[[nodiscard]] machine::jit::Emitter jit_of(const isa::InstructionDescription& description);

}  // namespace heddle::instructions
