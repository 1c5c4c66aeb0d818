// SPDX-License-Identifier: MIT
#pragma once
// A format's channels as the functions decode and encode them.

#include <optional>

#include "image/format.hpp"
#include "texture/simd/state.hpp"

namespace heddle::texture::simd {

/// One channel of an element; nullopt where the functions can't read it.
[[nodiscard]] std::optional<ChannelCode> channel_code(const image::FormatInfo& info, const image::Channel& channel,
                                                      bool srgb);

/// How R, G, B, A come from an element (NUM-23), and its size; false when the functions can't decode the format.
[[nodiscard]] bool channel_codes(const image::FormatInfo& info, bool srgb_decode, ChannelCode (&codes)[4],
                                 std::uint8_t& element_bytes);

}  // namespace heddle::texture::simd
