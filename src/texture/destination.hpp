// SPDX-License-Identifier: MIT
#pragma once
// Where results lie in the destination registers: RET-1..5, NUM-30..32.

#include <cstdint>
#include <span>

#include "texture/request.hpp"

namespace heddle::texture {

struct Destination {
  unsigned simd = 8;
  std::uint32_t active = 0xffffffffu;
  std::uint8_t channels = 15;    ///< gather4 returns all four whatever this says (GA-7): pass 15
  unsigned element_bytes = 4;    ///< 4, or 2 for HF, W, UW
  std::uint32_t grf_bytes = 32;  ///< 32, or 64 on PVC and Xe2
  bool null_mask = false;
};

/// RET-1: the first byte of the n-th returned channel.
[[nodiscard]] std::uint32_t channel_offset(const Destination& destination, unsigned nth);
/// All bytes that the operation's result occupies, the null mask's register included.
[[nodiscard]] std::uint32_t destination_bytes(const Destination& destination);
/// NUM-31, NUM-32 [C8]: a result word as a 16-bit element.
[[nodiscard]] std::uint16_t narrow_result(std::uint32_t word, image::ValueClass value_class);
/// Writes the lanes that are active; every other byte keeps its value (EXE-3, RET-3). Bytes beyond `bytes` are dropped.
void write_destination(std::span<std::uint8_t> bytes, const Destination& destination, const LaneResult& result);

}  // namespace heddle::texture
