#pragma once
// Compiled render-target writes: the image unit's lanes for the targets and the output state that are bound.

#include "instructions/jit.hpp"
#include "machine/pixels.hpp"

namespace heddle::instructions {

/// The message of an RT_WRITE of a pixel dispatch; nullptr when its state is not known, or the lanes do not have it.
[[nodiscard]] std::unique_ptr<unit::lanes::PreparedTarget> prepare_target_write(
    const machine::Code& code, const machine::jit::Facts& facts, const machine::StateIndex& states,
    const machine::Bindings& bindings, const machine::PixelState* pixels, const machine::Decoded& instruction);

bool emit_target_write(machine::jit::Emit& e);

}  // namespace heddle::instructions
