// SPDX-License-Identifier: MIT
#pragma once
// How values are stored into elements: typed writes and render targets. Plain data, like state.hpp.

#include "texture/simd/state.hpp"

namespace heddle::texture::simd {

/// The sRGB encoding table has one word for each step of the binary32's upper bits, from kSrgbFirst (2^-13, below the
/// first threshold) to 1.0.
inline constexpr std::uint32_t kSrgbFirst = 0x39000000, kSrgbShift = 16;
inline constexpr std::uint32_t kSrgbSteps = ((0x3f800000u - kSrgbFirst) >> kSrgbShift) + 1;

/// One stored channel of the target: where its bits lie and which component it takes.
struct StoredChannel {
  ChannelCode code;
  std::uint8_t component = 0;  ///< 0 R ... 3 A
  std::uint8_t used = 0;
};

}  // namespace heddle::texture::simd
