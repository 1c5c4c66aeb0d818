// SPDX-License-Identifier: MIT
// SCATTER4_TYPED, compiled: the texture unit's lanes for the surface that is bound.
#include "instructions/data_port/jit_typed.hpp"

namespace heddle::instructions::memory_typed {
namespace {
constexpr JitHook kHooks[] = {{"gather4_typed", emit_typed_read}, {"scatter4_typed", emit_typed_write}};
}

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::memory_typed
