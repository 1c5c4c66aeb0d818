// SPDX-License-Identifier: MIT
// SAMPLE_UNORM, compiled: the texture unit's lanes for the surface and the sampler that are bound.
#include "instructions/sampler/jit_unorm.hpp"

namespace heddle::instructions::sample_unorm {
namespace {
constexpr JitHook kHooks[] = {{"sample_unorm", emit_unorm}};
}

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::sample_unorm
