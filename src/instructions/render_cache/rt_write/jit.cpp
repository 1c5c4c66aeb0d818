// SPDX-License-Identifier: MIT
// RT_WRITE, compiled: the texture unit's lanes for the targets that are bound.
#include "instructions/render_cache/jit_target.hpp"

namespace heddle::instructions::rt_write {
namespace {
constexpr JitHook kHooks[] = {{"rt_write_3d", emit_target_write}};
}

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::rt_write
