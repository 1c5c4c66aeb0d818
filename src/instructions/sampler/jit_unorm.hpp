// SPDX-License-Identifier: MIT
#pragma once
// Compiled SAMPLE_UNORM: the texture unit's lanes for the surface and the sampler that are bound.

#include "instructions/jit_message.hpp"

namespace heddle::instructions {

/// The block of a sample_unorm; nullptr when its surface and sampler are not known, or the lanes do not have it.
[[nodiscard]] std::unique_ptr<machine::jit::PreparedMessage> prepare_unorm(const ImageMessage& message);

[[nodiscard]] bool emit_unorm(machine::jit::CodegenContext& e);

}  // namespace heddle::instructions
