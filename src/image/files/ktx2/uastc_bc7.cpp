// SPDX-License-Identifier: MIT
// From UASTC to BC7, as the UASTC specification says it, so that every transcoder gives the same bits ("UASTC to BC7"
// and "Computing Optimal BC7 P-Bits").

#include <algorithm>
#include <cmath>

#include "image/files/ktx2/uastc.hpp"
#include "image/formats/bptc.hpp"

namespace heddle::image {
namespace {

/// A block of BC7 before it is packed.
struct Bc7Block {
  unsigned mode = 0, partition = 0, rotation = 0;
  std::array<UastcBlock::Rgba, 6> ends{};  // quantized: low and high of each subset
  std::array<std::uint8_t, 6> pbits{};
  std::array<std::uint8_t, 16> indices{}, second_indices{};
};

class BitsOut {
 public:
  explicit BitsOut(std::uint8_t* to) : to_(to) { std::fill_n(to, 16, std::uint8_t{0}); }
  void put(unsigned value, unsigned count) {
    for (unsigned i = 0; i < count; ++i, ++at_)
      to_[at_ / 8] = static_cast<std::uint8_t>(to_[at_ / 8] | (value >> i & 1) << (at_ % 8));
  }

 private:
  std::uint8_t* to_;
  unsigned at_ = 0;
};

unsigned anchor_of(unsigned subsets, unsigned subset, unsigned partition) {
  if (subset == 0) return 0;
  if (subsets == 2) return kAnchorOfTwo[partition];
  return subset == 1 ? kSecondAnchor[partition] : kThirdAnchor[partition];
}

/// The anchors' indices lack their top bit: where it is set, the ends change places.
void free_anchor_bits(const Bc7Mode& mode, Bc7Block& b) {
  const std::uint32_t subsets = bptc_subsets(mode.subsets, b.partition);
  const bool planes = mode.second_index_bits != 0;
  const auto mirror = [&](std::array<std::uint8_t, 16>& indices, unsigned subset, unsigned bits) {
    if (indices[anchor_of(mode.subsets, subset, b.partition)] >> (bits - 1) == 0) return false;
    for (unsigned i = 0; i < 16; ++i)
      if ((subsets >> (2 * i) & 3) == subset) indices[i] = static_cast<std::uint8_t>((1u << bits) - 1 - indices[i]);
    return true;
  };
  for (unsigned subset = 0; subset < mode.subsets; ++subset) {
    UastcBlock::Rgba &low = b.ends[2 * subset], &high = b.ends[2 * subset + 1];
    if (mirror(b.indices, subset, mode.index_bits)) {
      for (unsigned c = 0; c < (planes ? 3u : 4u); ++c) std::swap(low[c], high[c]);
      if (mode.endpoint_pbits != 0) std::swap(b.pbits[2 * subset], b.pbits[2 * subset + 1]);
    }
    if (planes && mirror(b.second_indices, subset, mode.second_index_bits)) std::swap(low[3], high[3]);
  }
}

void pack(Bc7Block b, std::uint8_t* to) {
  const Bc7Mode& mode = kBc7Modes[b.mode];
  free_anchor_bits(mode, b);
  BitsOut out(to);
  out.put(1u << b.mode, b.mode + 1);
  out.put(b.partition, mode.partition_bits);
  out.put(b.rotation, mode.rotation_bits);
  const unsigned ends = 2u * mode.subsets;
  for (unsigned c = 0; c < 4; ++c)
    for (unsigned e = 0; e < ends; ++e) out.put(b.ends[e][c], c < 3 ? mode.color_bits : mode.alpha_bits);
  for (unsigned e = 0; e < ends; ++e)
    if (mode.endpoint_pbits != 0 || (mode.subset_pbits != 0 && e % 2 == 0)) out.put(b.pbits[e], 1);
  const auto put_indices = [&](const std::array<std::uint8_t, 16>& indices, unsigned bits) {
    for (unsigned i = 0; i < 16; ++i) {
      bool anchor = false;
      for (unsigned s = 0; s < mode.subsets; ++s) anchor = anchor || i == anchor_of(mode.subsets, s, b.partition);
      out.put(indices[i], anchor ? bits - 1 : bits);
    }
  };
  put_indices(b.indices, mode.index_bits);
  if (mode.second_index_bits != 0) put_indices(b.second_indices, mode.second_index_bits);
}

struct Quantized {
  UastcBlock::Rgba value{};  // with its p-bit
  float error = 0;
};

/// An end point in `bits` bits of which `pbit` is the lowest. Single precision, in this order: ties fall by its
/// rounding. A shared p-bit compares errors of 1, an own one errors of 255.
Quantized quantize(const UastcBlock::Rgba& end, unsigned components, unsigned bits, int pbit, bool shared) {
  const int most = (1 << bits) - 1;
  Quantized result;
  for (unsigned c = 0; c < 4; ++c) {
    const float exact = static_cast<float>(end[c]) / 255.0f;
    const int half = static_cast<int>((exact * static_cast<float>(most) - static_cast<float>(pbit)) / 2.0f + 0.5f);
    const int value = std::clamp(half * 2 + pbit, pbit, most - 1 + pbit);
    result.value[c] = static_cast<std::uint8_t>(value);
    if (c >= components) continue;
    const int wide = value << (8 - bits);
    const auto scaled = static_cast<float>(wide | wide >> bits);
    const float difference = shared ? scaled / 255.0f - exact : scaled - exact * 255.0f;
    result.error += difference * difference;
  }
  return result;
}

/// Both ends of a subset, each with the p-bit that is nearer to it.
void own_pbits(const UastcBlock::Rgba* ends, unsigned components, unsigned bits, Bc7Block& b, unsigned subset) {
  for (unsigned e = 0; e < 2; ++e) {
    const Quantized zero = quantize(ends[e], components, bits, 0, false);
    const Quantized one = quantize(ends[e], components, bits, 1, false);
    const bool better = one.error < zero.error;
    b.pbits[2 * subset + e] = better ? 1 : 0;
    for (unsigned c = 0; c < 4; ++c)
      b.ends[2 * subset + e][c] = static_cast<std::uint8_t>((better ? one : zero).value[c] >> 1);
  }
}

/// Both ends of a subset with one p-bit. The errors of low and high are added channel by channel.
void shared_pbit(const UastcBlock::Rgba* ends, Bc7Block& b, unsigned subset) {
  constexpr unsigned kBits = 7;
  float best = 1e9f;
  for (int pbit = 0; pbit < 2; ++pbit) {
    float error = 0;
    for (unsigned c = 0; c < 3; ++c) {
      const auto part = [&](unsigned e) {
        const UastcBlock::Rgba one{ends[e][c], 0, 0, 0};
        return quantize(one, 1, kBits, pbit, true).error;
      };
      error += part(0) + part(1);
    }
    if (!(error < best)) continue;
    best = error;
    for (unsigned e = 0; e < 2; ++e) {
      const Quantized end = quantize(ends[e], 3, kBits, pbit, true);
      b.pbits[2 * subset + e] = static_cast<std::uint8_t>(pbit);
      for (unsigned c = 0; c < 4; ++c) b.ends[2 * subset + e][c] = static_cast<std::uint8_t>(end.value[c] >> 1);
    }
  }
}

std::uint8_t scaled(unsigned value, unsigned bits) {
  return static_cast<std::uint8_t>((value * ((1u << bits) - 1) + 127) / 255);
}

/// For a color that all texels have: the ends between which a fixed weight gives each value, or comes nearest to it.
struct NearestEnds {
  std::uint8_t low = 0, high = 0;
  unsigned error = 0;
};
using NearestTable = std::array<NearestEnds, 256>;

/// `widen` makes 8 bits of the 7 of an end. Of equal ones the first counts, the lows before the highs.
template <typename Widen>
NearestTable nearest_ends(unsigned weight, Widen widen) {
  constexpr unsigned kNone = 1u << 14;
  std::array<unsigned, 256> first;
  first.fill(kNone);
  for (unsigned pair = 0; pair < kNone; ++pair) {
    unsigned& place = first[(widen(pair >> 7) * (64 - weight) + widen(pair & 127) * weight + 32) >> 6];
    place = std::min(place, pair);
  }
  NearestTable table;
  for (unsigned value = 0; value < 256; ++value) {
    unsigned best = kNone, error = 0x10000;
    for (unsigned got = 0; got < 256; ++got) {
      const unsigned distance = got > value ? got - value : value - got, now = distance * distance;
      if (first[got] == kNone || now > error || (now == error && first[got] > best)) continue;
      best = first[got];
      error = now;
    }
    table[value] = {static_cast<std::uint8_t>(best >> 7), static_cast<std::uint8_t>(best & 127), error};
  }
  return table;
}

void one_color(const UastcBlock::Rgba& color, Bc7Block& b) {
  static const NearestTable kMode5 = nearest_ends(kWeights2[1], [](unsigned v) { return v << 1 | v >> 6; });
  static const NearestTable kMode6[2] = {nearest_ends(kWeights4[5], [](unsigned v) { return v << 1; }),
                                         nearest_ends(kWeights4[5], [](unsigned v) { return v << 1 | 1; })};
  unsigned errors[2] = {};
  for (unsigned p = 0; p < 2; ++p)
    for (const std::uint8_t channel : color) errors[p] += kMode6[p][channel].error;
  const unsigned pbit = errors[1] < errors[0] ? 1 : 0;
  const bool exact = errors[pbit] == 0;
  b.mode = exact ? 6 : 5;
  const NearestTable& table = exact ? kMode6[pbit] : kMode5;
  for (unsigned c = 0; c < 4; ++c) b.ends[0][c] = table[color[c]].low, b.ends[1][c] = table[color[c]].high;
  if (!exact) b.ends[0][3] = b.ends[1][3] = color[3];
  b.pbits[0] = b.pbits[1] = static_cast<std::uint8_t>(exact ? pbit : 0);
  b.indices.fill(exact ? 5 : 1);
}

/// BC7 exchanges the channel of the second plane with alpha, where UASTC leaves it.
void two_planes(const UastcBlock& block, Bc7Block& b) {
  b.mode = 5;
  b.rotation = (block.component + 1) & 3;
  for (unsigned e = 0; e < 2; ++e) {
    UastcBlock::Rgba end = block.ends[e];
    std::swap(end[block.component], end[3]);
    for (unsigned c = 0; c < 4; ++c) b.ends[e][c] = c < 3 ? scaled(end[c], 7) : end[c];
  }
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned scale = block.weight_bits == 1 ? 3 : 1;
    b.indices[i] = static_cast<std::uint8_t>(block.weights[i] * scale);
    b.second_indices[i] = static_cast<std::uint8_t>(block.second_weights[i] * scale);
  }
}

constexpr std::uint8_t kFrom2[] = {0, 5, 10, 15}, kFrom3[] = {0, 2, 4, 6, 9, 11, 13, 15},
                       kFrom5[] = {0, 0, 1, 1, 2,  2,  3,  3,  4,  4,  5,  5,  6,  6,  6,  7,
                                   8, 9, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15};

void one_subset(const UastcBlock& block, Bc7Block& b) {
  b.mode = 6;
  const bool opaque = block.mode == 0 || block.mode == 5 || block.mode == 18;
  own_pbits(block.ends.data(), opaque ? 3 : 4, 8, b, 0);
  if (opaque) b.ends[0][3] = b.ends[1][3] = 127;
  for (unsigned i = 0; i < 16; ++i) {
    const std::uint8_t index = block.weights[i];
    b.indices[i] = block.weight_bits == 2   ? kFrom2[index]
                   : block.weight_bits == 3 ? kFrom3[index]
                   : block.weight_bits == 5 ? kFrom5[index]
                                            : index;
  }
}

/// Modes whose subsets BC7 has too: the modes of BC7 are those with the same or more bits.
void subsets(const UastcBlock& block, Bc7Block& b) {
  const SharedPattern shared = block.subsets > 1 ? uastc_pattern(block.mode, block.pattern) : SharedPattern{};
  b.partition = shared.bc7;
  b.indices = block.weights;
  constexpr std::uint8_t kBc7Mode[17] = {0, 3, 1, 2, 3, 0, 0, 2, 0, 7, 0, 0, 0, 0, 0, 0, 7};
  b.mode = kBc7Mode[block.mode];
  for (unsigned s = 0; s < kBc7Modes[b.mode].subsets; ++s) {
    const UastcBlock::Rgba* ends = &block.ends[2u * shared.subset[s]];
    if (b.mode == 1)
      shared_pbit(ends, b, s);
    else if (b.mode == 3)
      own_pbits(ends, 3, 8, b, s);
    else if (b.mode == 7)
      own_pbits(ends, 4, 6, b, s);
    else
      for (unsigned c = 0; c < 6; ++c) b.ends[2 * s + c / 3][c % 3] = scaled(ends[c / 3][c % 3], 5);
  }
}

}  // namespace

void uastc_to_bc7(const UastcBlock& block, std::uint8_t* to) {
  Bc7Block b;
  if (block.weight_bits == 0)
    one_color(block.ends[0], b);
  else if (block.two_planes)
    two_planes(block, b);
  else if (block.subsets == 1 && block.mode != 1)
    one_subset(block, b);
  else
    subsets(block, b);
  pack(b, to);
}

}  // namespace heddle::image
