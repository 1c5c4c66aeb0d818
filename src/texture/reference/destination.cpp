// SPDX-License-Identifier: MIT
#include "texture/destination.hpp"

#include <bit>
#include <cstring>

#include "base/half.hpp"

namespace heddle::texture {
namespace {

void put(std::span<std::uint8_t> bytes, std::size_t at, std::uint32_t value, unsigned count) {
  if (count == 4 && at + 4 <= bytes.size()) {
    std::memcpy(bytes.data() + at, &value, 4);
    return;
  }
  for (unsigned i = 0; i < count; ++i)
    if (at + i < bytes.size()) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

unsigned returned_channels(const Destination& d) { return static_cast<unsigned>(std::popcount(d.channels & 15u)); }

}  // namespace

std::uint32_t channel_offset(const Destination& d, unsigned nth) {
  const std::uint32_t bytes = d.simd * d.element_bytes;
  return nth * ((bytes + d.grf_bytes - 1) / d.grf_bytes) * d.grf_bytes;
}

std::uint32_t destination_bytes(const Destination& d) {
  return channel_offset(d, returned_channels(d)) + (d.null_mask ? d.grf_bytes : 0);
}

std::uint16_t narrow_result(std::uint32_t word, image::ValueClass value_class) {
  if (value_class == image::ValueClass::Float) return base::float_to_half(base::float_from_bits(word));
  return static_cast<std::uint16_t>(word);
}

void write_destination(std::span<std::uint8_t> bytes, const Destination& d, const LaneResult& result) {
  unsigned nth = 0;
  for (unsigned c = 0; c < 4; ++c) {
    if (!(d.channels >> c & 1u)) continue;  // RET-4
    const std::uint32_t at = channel_offset(d, nth++);
    for (unsigned lane = 0; lane < d.simd; ++lane) {
      if (!(d.active >> lane & 1u)) continue;
      const std::uint32_t word = result.channels[c][lane];
      const std::uint32_t element = d.element_bytes == 2 ? narrow_result(word, result.value_class) : word;
      put(bytes, at + lane * d.element_bytes, element, d.element_bytes);  // RET-2
    }
  }
  if (d.null_mask) put(bytes, channel_offset(d, nth), result.null_mask, 4);  // RET-5
}

}  // namespace heddle::texture
