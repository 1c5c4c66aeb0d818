// SPDX-License-Identifier: MIT
// 3D_LOAD, compiled: the texture unit's lanes for the state that is bound.
#include "instructions/sampler/jit_image.hpp"

namespace heddle::instructions::load {
namespace {
constexpr JitHook kHooks[] = {{"load", emit_image}};
}

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::load
