#pragma once
// What BC6H and BC7 share: partitions, anchors, weights and reading bits of a 128-bit block.

#include <cstdint>

#include "image/formats/codecs.hpp"

namespace heddle::image {

#include "image/formats/bptc_partitions.inc"

/// A 128-bit block as two words; `take` reads from the least bit upwards.
class BlockBits {
 public:
  explicit BlockBits(const std::uint8_t* block) : low_(load_little(block, 8)), high_(load_little(block + 8, 8)) {}

  [[nodiscard]] unsigned bits(unsigned at, unsigned count) const {
    if (count == 0) return 0;
    std::uint64_t word = at >= 64 ? high_ >> (at - 64) : low_ >> at;
    if (at < 64 && at + count > 64) word |= high_ << (64 - at);
    return static_cast<unsigned>(word & ((std::uint64_t{1} << count) - 1));
  }
  unsigned take(unsigned count) {
    const unsigned value = bits(position_, count);
    position_ += count;
    return value;
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

[[nodiscard]] inline int bptc_weight(unsigned index, unsigned bits) {
  return bits == 2 ? kWeights2[index] : bits == 3 ? kWeights3[index] : kWeights4[index];
}

/// Subset of texel `i` (row by row) under a partition.
[[nodiscard]] inline unsigned bptc_subset(unsigned subsets, unsigned partition, unsigned i) {
  if (subsets == 1) return 0;
  return ((subsets == 2 ? kTwoSubsets : kThreeSubsets)[partition] >> (2 * i)) & 3;
}

/// The index of texel `i` in an index field that starts at `start`: anchor texels have one bit less.
[[nodiscard]] inline unsigned bptc_index(const BlockBits& block, unsigned start, unsigned bits, unsigned subsets,
                                         unsigned partition, unsigned i) {
  unsigned at = start + bits * i, width = bits;
  const auto anchor = [&](unsigned texel) {
    if (i > texel) --at;
    if (i == texel) --width;
  };
  anchor(0);
  if (subsets == 2) anchor(kAnchorOfTwo[partition]);
  if (subsets == 3) {
    anchor(kSecondAnchor[partition]);
    anchor(kThirdAnchor[partition]);
  }
  return block.bits(at, width);
}

}  // namespace heddle::image
