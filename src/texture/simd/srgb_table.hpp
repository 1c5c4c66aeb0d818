// SPDX-License-Identifier: MIT
#pragma once
// NUM-21 of 8 bits as the functions look it up.

#include <cstdint>

namespace heddle::texture::simd {

/// The values, and the same as tables of bytes, in which AVX-512 VBMI looks 64 of them up at once. From 128 on two
/// values after each other have the same byte 3.
struct alignas(64) SrgbTable {
  float values[256];
  std::uint8_t low[3][256];     ///< bytes 0 to 2 of each value
  std::uint8_t high[128];       ///< byte 3 of the first 128 values
  std::uint8_t high_pairs[64];  ///< byte 3 of the others, two after two
};

[[nodiscard]] const SrgbTable& srgb_table();

/// NUM-60 in kSrgbSteps words, as Encode::srgb reads them.
[[nodiscard]] const std::uint32_t* srgb_encode_table();

}  // namespace heddle::texture::simd
