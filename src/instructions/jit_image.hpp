#pragma once
// Compiled image messages: the counterpart of image.hpp. The image unit's lanes are called for the state that is bound;
// where it is not known, or not fast, the reference function is.

#include "instructions/jit_message.hpp"

namespace heddle::instructions {

/// The operation of an image instruction for its surface and sampler; nullptr when they are not known, or the lanes do
/// not have it.
[[nodiscard]] std::unique_ptr<unit::lanes::Prepared> prepare_image(const ImageMessage& message);

bool emit_image(machine::jit::Emit& e);

}  // namespace heddle::instructions
