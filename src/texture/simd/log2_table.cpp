// SPDX-License-Identifier: MIT
#include "texture/simd/log2_table.hpp"

#include <algorithm>
#include <array>

#include "texture/lod.hpp"

namespace heddle::texture::simd {
namespace {

/// LOD-1 in steps: for each value of the 8 upper fraction bits the count at its start, and the lower 15 bits from which
/// one and two more thresholds are passed (8000h: never).
std::array<std::uint32_t, 512> make_log2_table() {
  std::array<std::uint32_t, 512> table{};
  const std::span<const std::uint32_t, 256> thresholds = log2_thresholds();
  std::uint32_t first = 0;  // the last threshold that the cell's first mantissa reaches
  for (std::uint32_t j = 0; j < 256; ++j) {
    const std::uint32_t begin = 0x800000u | j << 15;
    while (first + 1 < thresholds.size() && thresholds[first + 1] <= begin) ++first;
    const auto step = [&](std::uint32_t n) {
      return first + n < thresholds.size() ? std::min(thresholds[first + n] - begin, 0x8000u) : 0x8000u;
    };
    table[j] = first << 16 | step(1);
    table[256 + j] = step(2);
  }
  return table;
}

}  // namespace

const std::uint32_t* log2_table() {
  static const std::array<std::uint32_t, 512> table = make_log2_table();
  return table.data();
}

}  // namespace heddle::texture::simd
