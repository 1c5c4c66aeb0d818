// SPDX-License-Identifier: MIT
// BC7 by the Khronos Data Format Specification 1.3 (NUM-27): 8-bit results / 255.

#include "image/formats/bptc.hpp"

namespace heddle::image {
namespace {

/// Extends a value of `bits` bits (at least 4) to 8 by replicating its top bits.
unsigned extend(unsigned value, unsigned bits) {
  value <<= 8 - bits;
  return value | value >> bits;
}

/// Four channels in lanes of 16 bits: red lowest.
constexpr std::uint64_t kEachLane = 0x0001000100010001u;
std::uint64_t in_lane(unsigned value, unsigned lane) { return std::uint64_t{value} << (16 * lane); }

/// What a block says, with its end points extended to 8 bits. Texels are taken from it.
class Block {
 public:
  explicit Block(const std::uint8_t* bytes) {
    if (bytes[0] == 0) return;  // the reserved mode: transparent black
    BlockBits bits(bytes);
    const auto number = static_cast<unsigned>(__builtin_ctz(bytes[0]));
    const Bc7Mode& mode = kBc7Modes[number];
    bits.skip(number + 1);
    const unsigned partition = bits.take(mode.partition_bits);
    rotation_ = bits.take(mode.rotation_bits);
    const bool swapped = bits.take(mode.selector_bits) != 0;
    read_end_points(mode, bits);
    subsets_ = bptc_subsets(mode.subsets, partition);
    const BptcIndices first(bits, bits.position(), mode.index_bits, mode.subsets, partition);
    color_ = alpha_ = first;
    if (mode.second_index_bits != 0) {
      const BptcIndices second(bits, bits.position() + 16u * mode.index_bits - 1, mode.second_index_bits, 1, 0);
      (swapped ? color_ : alpha_) = second;
    }
  }

  /// Red, green, blue, alpha from the least byte on of texel `i` (row by row).
  [[nodiscard]] std::uint32_t texel(unsigned i) const {
    const unsigned low = 2 * (subsets_ >> (2 * i) & 3), high = low + 1;
    const std::uint64_t color = color_.weight(i), alpha = alpha_.weight(i);
    // No lane overflows: 255 * 64 + 32 has 14 bits.
    const std::uint64_t sums = colors_[low] * (64 - color) + colors_[high] * color + alphas_[low] * (64 - alpha) +
                               alphas_[high] * alpha + 32 * kEachLane;
    std::uint64_t lanes = sums >> 6 & 0xff * kEachLane;
    lanes = (lanes | lanes >> 8) & 0x0000ffff0000ffffu;
    return static_cast<std::uint32_t>(lanes | lanes >> 16);
  }

 private:
  void read_end_points(const Bc7Mode& mode, BlockBits& bits) {
    const unsigned count = 2u * mode.subsets;
    unsigned values[4][6];
    for (unsigned channel = 0; channel < 3; ++channel)
      for (unsigned e = 0; e < count; ++e) values[channel][e] = bits.take(mode.color_bits);
    for (unsigned e = 0; e < count; ++e) values[3][e] = mode.alpha_bits != 0 ? bits.take(mode.alpha_bits) : 255;
    const bool has_pbits = mode.endpoint_pbits != 0 || mode.subset_pbits != 0;
    for (unsigned e = 0; has_pbits && e < count; ++e) {
      const bool shared = mode.subset_pbits != 0 && (e & 1) != 0;
      const unsigned pbit = shared ? values[0][e - 1] & 1 : bits.take(1);
      for (unsigned channel = 0; channel < (mode.alpha_bits != 0 ? 4u : 3u); ++channel)
        values[channel][e] = values[channel][e] << 1 | pbit;
    }
    const unsigned color_bits = mode.color_bits + (has_pbits ? 1u : 0u),
                   alpha_bits = mode.alpha_bits == 0 ? 8u : mode.alpha_bits + (has_pbits ? 1u : 0u);
    // A rotation exchanges alpha with a color after the interpolation: its lane takes the other's values.
    const unsigned alpha_lane = rotation_ == 0 ? 3 : rotation_ - 1;
    for (unsigned e = 0; e < count; ++e) {
      for (unsigned channel = 0; channel < 3; ++channel)
        colors_[e] |= in_lane(extend(values[channel][e], color_bits), channel == alpha_lane ? 3 : channel);
      alphas_[e] = in_lane(extend(values[3][e], alpha_bits), alpha_lane);
    }
  }

  std::uint64_t colors_[6] = {}, alphas_[6] = {};
  std::uint32_t subsets_ = 0;
  unsigned rotation_ = 0;
  BptcIndices color_, alpha_;
};

}  // namespace

Texel decode_bc7(const std::uint8_t* block, unsigned x, unsigned y, bool srgb) {
  const std::uint32_t texel = Block(block).texel(4 * y + x);
  return texel_from_bytes({static_cast<std::uint8_t>(texel), static_cast<std::uint8_t>(texel >> 8),
                           static_cast<std::uint8_t>(texel >> 16), static_cast<std::uint8_t>(texel >> 24)},
                          srgb);
}

void decode_bc7_block(const FormatInfo&, const std::uint8_t* block, std::uint8_t* to, std::size_t pitch) {
  const Block whole(block);
  for (unsigned y = 0; y < 4; ++y, to += pitch)
    for (unsigned x = 0; x < 4; ++x) store_little(whole.texel(4 * y + x), to + 4 * x);
}

}  // namespace heddle::image
