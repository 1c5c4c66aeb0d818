// SPDX-License-Identifier: MIT
// 3D_SAMPLE4, compiled: the texture unit's lanes for the state that is bound.
#include "instructions/sampler/jit_image.hpp"

namespace heddle::instructions::sample4 {
namespace {
constexpr JitHook kHooks[] = {{"sample4", emit_image}};
}

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::sample4
