// SPDX-License-Identifier: MIT
#pragma once
// Making messages ready for compiled code: the one list of the kinds that there are.

#include "instructions/jit_message.hpp"

namespace heddle::instructions {

/// The message of an instruction for what is bound to it; nullptr when it is none, when its surface or sampler is not
/// known, or when the vector functions do not have it: then the instruction's own emitter or its reference function
/// does it.
[[nodiscard]] std::unique_ptr<machine::jit::PreparedMessage> prepare_message(const ImageMessage& message);

/// The message of an instruction whose surface or sampler are named while the program runs, for code of the commonest
/// form (PreparedMessage::form): it is made for a surface that stands for any.
[[nodiscard]] std::unique_ptr<machine::jit::PreparedMessage> prepare_any(ImageMessage message);

}  // namespace heddle::instructions
