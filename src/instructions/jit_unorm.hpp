#pragma once
// Compiled SAMPLE_UNORM: the image unit's lanes for the surface and the sampler that are bound.

#include "instructions/jit_message.hpp"

namespace heddle::instructions {

/// The block of a sample_unorm; nullptr when its surface and sampler are not known, or the lanes do not have it.
[[nodiscard]] std::unique_ptr<unit::lanes::PreparedUnorm> prepare_unorm(const ImageMessage& message);

bool emit_unorm(machine::jit::Emit& e);

}  // namespace heddle::instructions
