// BC7 by the Khronos Data Format Specification 1.3 (NUM-27): 8-bit results / 255.

#include <utility>

#include "image/formats/bptc.hpp"

namespace heddle::image {
namespace {

struct Mode {
  std::uint8_t subsets, partition_bits, rotation_bits, selector_bits, colour_bits, alpha_bits, endpoint_pbits,
      subset_pbits, index_bits, second_index_bits;
};
constexpr Mode kModes[8] = {{3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0},
                            {3, 6, 0, 0, 5, 0, 0, 0, 2, 0}, {2, 6, 0, 0, 7, 0, 1, 0, 2, 0},
                            {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
                            {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0}};

/// Extends a value of `bits` bits (at least 4) to 8 by replicating its top bits.
unsigned extend(unsigned value, unsigned bits) {
  value <<= 8 - bits;
  return value | value >> bits;
}

std::uint8_t interpolate(unsigned a, unsigned b, int weight) {
  return static_cast<std::uint8_t>((a * static_cast<unsigned>(64 - weight) + b * static_cast<unsigned>(weight) + 32) >>
                                   6);
}

}  // namespace

Texel decode_bc7(const std::uint8_t* block, unsigned x, unsigned y, bool srgb) {
  if (block[0] == 0) return {};  // the reserved mode: transparent black
  BlockBits bits(block);
  const auto mode_number = static_cast<unsigned>(__builtin_ctz(block[0]));
  const Mode& mode = kModes[mode_number];
  bits.skip(mode_number + 1);
  const unsigned partition = bits.take(mode.partition_bits), rotation = bits.take(mode.rotation_bits),
                 selector = bits.take(mode.selector_bits);

  const unsigned endpoints = 2u * mode.subsets;
  unsigned values[6][4];
  for (unsigned channel = 0; channel < 4; ++channel)
    for (unsigned e = 0; e < endpoints; ++e)
      values[e][channel] = channel < 3            ? bits.take(mode.colour_bits)
                           : mode.alpha_bits != 0 ? bits.take(mode.alpha_bits)
                                                  : 255;
  const bool has_pbits = mode.endpoint_pbits != 0 || mode.subset_pbits != 0;
  unsigned pbits[6] = {};
  if (mode.endpoint_pbits != 0)
    for (unsigned e = 0; e < endpoints; ++e) pbits[e] = bits.take(1);
  if (mode.subset_pbits != 0)
    for (unsigned s = 0; s < mode.subsets; ++s) pbits[2 * s] = pbits[2 * s + 1] = bits.take(1);
  for (unsigned e = 0; e < endpoints; ++e)
    for (unsigned channel = 0; channel < 4; ++channel) {
      unsigned width = channel < 3 ? mode.colour_bits : mode.alpha_bits;
      if (width == 0) continue;
      if (has_pbits) {
        values[e][channel] = values[e][channel] << 1 | pbits[e];
        ++width;
      }
      values[e][channel] = extend(values[e][channel], width);
    }

  const unsigned i = 4 * y + x;
  const unsigned subset = bptc_subset(mode.subsets, partition, i);
  const unsigned first = bptc_index(bits, bits.position(), mode.index_bits, mode.subsets, partition, i);
  int colour_weight = bptc_weight(first, mode.index_bits), alpha_weight = colour_weight;
  if (mode.second_index_bits != 0) {
    const unsigned second_start = bits.position() + 16u * mode.index_bits - 1;
    alpha_weight = bptc_weight(bptc_index(bits, second_start, mode.second_index_bits, 1, 0, i), mode.second_index_bits);
    if (selector != 0) std::swap(colour_weight, alpha_weight);
  }
  std::array<std::uint8_t, 4> rgba{};
  for (unsigned channel = 0; channel < 4; ++channel)
    rgba[channel] = interpolate(values[2 * subset][channel], values[2 * subset + 1][channel],
                                channel < 3 ? colour_weight : alpha_weight);
  if (rotation != 0) std::swap(rgba[3], rgba[rotation - 1]);
  return texel_from_bytes(rgba, srgb);
}

}  // namespace heddle::image
