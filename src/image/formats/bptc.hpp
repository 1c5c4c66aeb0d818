// SPDX-License-Identifier: MIT
#pragma once
// What BC6H and BC7 share: partitions, anchors, weights and reading bits of a 128-bit block; the modes of BC7.

#include <cstdint>

#include "image/formats/codecs.hpp"

namespace heddle::image {

#include "image/formats/bptc_partitions.inc"

/// A 128-bit block as two words; `take` reads from the least bit upwards.
class BlockBits {
 public:
  explicit BlockBits(const std::uint8_t* block) : low_(load_little(block, 8)), high_(load_little(block + 8, 8)) {}

  [[nodiscard]] unsigned bits(unsigned at, unsigned count) const {
    return count == 0 ? 0 : static_cast<unsigned>(from(at) & ((std::uint64_t{1} << count) - 1));
  }
  unsigned take(unsigned count) {
    const unsigned value = bits(position_, count);
    position_ += count;
    return value;
  }
  /// The 64 bits from bit `at` on; what lies beyond the block is 0.
  [[nodiscard]] std::uint64_t from(unsigned at) const {
    if (at >= 64) return high_ >> (at - 64);
    return at == 0 ? low_ : low_ >> at | high_ << (64 - at);
  }
  [[nodiscard]] unsigned position() const { return position_; }
  void skip(unsigned count) { position_ += count; }

 private:
  std::uint64_t low_, high_;
  unsigned position_ = 0;
};

inline constexpr std::uint8_t kWeights2[4] = {0, 21, 43, 64};
inline constexpr std::uint8_t kWeights3[8] = {0, 9, 18, 27, 37, 46, 55, 64};
inline constexpr std::uint8_t kWeights4[16] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};

/// The fields of BC7's modes.
struct Bc7Mode {
  std::uint8_t subsets, partition_bits, rotation_bits, selector_bits, color_bits, alpha_bits, endpoint_pbits,
      subset_pbits, index_bits, second_index_bits;
};
inline constexpr Bc7Mode kBc7Modes[8] = {{3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0},
                                         {3, 6, 0, 0, 5, 0, 0, 0, 2, 0}, {2, 6, 0, 0, 7, 0, 1, 0, 2, 0},
                                         {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
                                         {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0}};

/// The subsets of all texels of a partition, two bits each, row by row.
[[nodiscard]] inline std::uint32_t bptc_subsets(unsigned subsets, unsigned partition) {
  return subsets == 1 ? 0 : (subsets == 2 ? kTwoSubsets : kThreeSubsets)[partition];
}

/// The indices of a block from bit `start` on, `bits` (2 to 4) a texel; the anchor texel of each subset has one bit
/// less.
class BptcIndices {
 public:
  BptcIndices() = default;  ///< every weight is 0
  BptcIndices(const BlockBits& block, unsigned start, unsigned bits, unsigned subsets, unsigned partition)
      : stream_(block.from(start)),
        weights_(bits == 2   ? kWeights2
                 : bits == 3 ? kWeights3
                             : kWeights4),
        bits_(bits) {
    if (subsets == 2) second_ = kAnchorOfTwo[partition];
    if (subsets == 3) second_ = kSecondAnchor[partition], third_ = kThirdAnchor[partition];
  }

  /// Of the second end point, in 64ths, for texel `i` (row by row).
  [[nodiscard]] unsigned weight(unsigned i) const {
    const unsigned before = (i > 0 ? 1u : 0u) + (i > second_ ? 1u : 0u) + (i > third_ ? 1u : 0u);
    const bool anchor = i == 0 || i == second_ || i == third_;
    const unsigned mask = (1u << bits_) - 1;
    return weights_[stream_ >> (bits_ * i - before) & (anchor ? mask >> 1 : mask)];
  }

 private:
  static constexpr unsigned kNone = 16;
  std::uint64_t stream_ = 0;
  const std::uint8_t* weights_ = kWeights4;
  unsigned bits_ = 2;
  unsigned second_ = kNone, third_ = kNone;
};

}  // namespace heddle::image
