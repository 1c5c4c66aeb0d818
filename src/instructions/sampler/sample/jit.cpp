// SPDX-License-Identifier: MIT
// 3D_SAMPLE, compiled: the texture unit's lanes for the state that is bound.
#include "instructions/sampler/jit_image.hpp"

namespace heddle::instructions::sample {
namespace {
constexpr JitHook kHooks[] = {{"sample", emit_image}};
}

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::sample
