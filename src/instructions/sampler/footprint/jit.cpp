// SPDX-License-Identifier: MIT
// heddle_footprint, compiled: the texture unit's lanes for the view and the sampler that are bound.
#include "instructions/sampler/footprint/jit_footprint.hpp"

namespace heddle::instructions::footprint {
namespace {
constexpr JitHook kHooks[] = {{"heddle_footprint", emit_footprint}};
}

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::footprint
