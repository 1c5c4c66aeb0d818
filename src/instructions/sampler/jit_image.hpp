// SPDX-License-Identifier: MIT
#pragma once
// Compiled image messages: the counterpart of request.hpp. The vector functions are called for the state that is
// bound; where it is not known, or not fast, the reference function is.

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "instructions/jit_message.hpp"
#include "texture/request.hpp"

namespace heddle::instructions {

/// The operation of an image instruction for its surface and sampler; nullptr when they are not known, or the vector
/// kernels do not have it.
[[nodiscard]] std::unique_ptr<machine::jit::PreparedMessage> prepare_image(const ImageMessage& message);

/// What such a message is made from besides its surface and sampler, where messages of several instructions may be one;
/// empty: it is this instruction's own.
[[nodiscard]] std::string image_facts(const machine::Code& code, const machine::Decoded& instruction);

/// A message whose parameters and results are whole words in registers, as whoever calls its vector function without
/// compiled code needs it. Bytes are those of the register file.
struct PlainMessage {
  std::array<std::pair<texture::Param, std::uint32_t>, texture::ParameterList::kMax> inputs{};  ///< where they begin
  std::array<std::uint32_t, 4> outputs{};  ///< where each channel goes; kNowhere: it is not returned
  std::uint8_t input_count = 0, lanes = 0;
  static constexpr std::uint32_t kNowhere = 0xffffffffu;
};
/// Nothing where an instruction is no such message.
[[nodiscard]] std::optional<PlainMessage> plain_message(const machine::Code& code, const machine::Decoded& instruction);

[[nodiscard]] bool emit_image(machine::jit::CodegenContext& e);

}  // namespace heddle::instructions
