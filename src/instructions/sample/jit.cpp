// 3D_SAMPLE, compiled: the image unit's lanes for the state that is bound.
#include "instructions/jit_image.hpp"

namespace heddle::instructions::sample {
namespace {
constexpr JitHook kHooks[] = {{"sample", emit_image}};
}

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::sample
