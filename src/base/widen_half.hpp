#pragma once
// NUM-40 for loops over many values: no branches, so that a compiler can do several at once.

#include "base/half.hpp"

namespace heddle::base {

[[nodiscard]] inline float widened_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, magnitude = half & 0x7fffu;
  const std::uint32_t shifted = magnitude << 13;
  const std::uint32_t normal = shifted + (112u << 23);
  const std::uint32_t special = shifted | (magnitude > 0x7c00u ? 0x7fc00000u : 0x7f800000u);
  const std::uint32_t subnormal = bits_of(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
  return float_from_bits(sign | (magnitude >= 0x7c00u ? special : magnitude >= 0x400u ? normal : subnormal));
}

}  // namespace heddle::base
