#pragma once
// A format's channels as the kernels decode and encode them.

#include <optional>

#include "image/format.hpp"
#include "unit/lanes/state.hpp"

namespace heddle::unit::lanes {

/// One channel of an element; nullopt where the kernels can't read it.
[[nodiscard]] std::optional<ChannelCode> channel_code(const image::FormatInfo& info, const image::Channel& channel,
                                                      bool srgb);

/// How R, G, B, A come from an element (NUM-23), and its size; false when the kernels can't decode the format.
[[nodiscard]] bool channel_codes(const image::FormatInfo& info, bool srgb_decode, ChannelCode (&codes)[4],
                                 std::uint8_t& element_bytes);

/// NUM-60 in kSrgbSteps words, as Encode::srgb reads them.
[[nodiscard]] const std::uint32_t* srgb_encode_table();

}  // namespace heddle::unit::lanes
