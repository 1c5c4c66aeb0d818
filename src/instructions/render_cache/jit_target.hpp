// SPDX-License-Identifier: MIT
#pragma once
// Compiled render-target writes: the texture unit's lanes for the targets and the output state that are bound.

#include "instructions/jit_message.hpp"
#include "machine/pixels.hpp"

namespace heddle::instructions {

/// The message of an RT_WRITE of a pixel dispatch; nullptr when its state is not known, or the lanes do not have it.
[[nodiscard]] std::unique_ptr<machine::jit::PreparedMessage> prepare_target_write(const ImageMessage& message);

[[nodiscard]] bool emit_target_write(machine::jit::CodegenContext& e);

}  // namespace heddle::instructions
