// SPDX-License-Identifier: MIT
// INFO, compiled: the texture unit's lanes for the state that is bound.
#include "instructions/sampler/jit_image.hpp"

namespace heddle::instructions::info {
namespace {
constexpr JitHook kHooks[] = {{"info", emit_image}};
}

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::info
