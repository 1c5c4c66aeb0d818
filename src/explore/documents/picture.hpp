// SPDX-License-Identifier: MIT
#pragma once
// Images as the page shows them: every texel's exact values.

#include <cstdint>
#include <string>
#include <vector>

#include "explore/documents/json.hpp"
#include "image/surface.hpp"

namespace heddle::explore {

/// The members of an image: its shape and what its values are.
void describe_image(Json& json, const image::Surface& surface);

/// Channels that a texel of the format has: "R", "RGBA" ...; formats that decode to other channels have all four.
[[nodiscard]] std::string channels_of(const image::FormatInfo& format);

/// The texels of one level and stored slice: for each channel of channels_of() a word a texel, row after row, as
/// byte_planes() orders them. Numbers are binary32 bits (sRGB decoded), of integer formats the integers.
[[nodiscard]] std::vector<std::uint8_t> texel_words(const image::Surface& surface, std::uint32_t level,
                                                    std::uint32_t slice);

}  // namespace heddle::explore
