// SPDX-License-Identifier: MIT
#pragma once
// Compiled footprint queries: the texture unit's lanes for the view and the sampler that are bound.

#include "instructions/jit_message.hpp"

namespace heddle::instructions {

/// The query of a heddle_footprint; nullptr when its surface and sampler are not known, or the lanes do not have it.
[[nodiscard]] std::unique_ptr<machine::jit::PreparedMessage> prepare_footprint(const ImageMessage& message);

[[nodiscard]] bool emit_footprint(machine::jit::CodegenContext& e);

}  // namespace heddle::instructions
