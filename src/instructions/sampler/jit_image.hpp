// SPDX-License-Identifier: MIT
#pragma once
// Compiled image messages: the counterpart of request.hpp. The vector functions are called for the state that is
// bound; where it is not known, or not fast, the reference function is.

#include <string>

#include "instructions/jit_message.hpp"

namespace heddle::instructions {

/// The operation of an image instruction for its surface and sampler; nullptr when they are not known, or the vector
/// kernels do not have it.
[[nodiscard]] std::unique_ptr<machine::jit::PreparedMessage> prepare_image(const ImageMessage& message);

/// What such a message is made from besides its surface and sampler, where messages of several instructions may be one;
/// empty: it is this instruction's own.
[[nodiscard]] std::string image_facts(const machine::Code& code, const machine::Decoded& instruction);

[[nodiscard]] bool emit_image(machine::jit::CodegenContext& e);

}  // namespace heddle::instructions
