// SPDX-License-Identifier: MIT
#pragma once
// Elements to memory, lane by lane: typed writes and render targets share it.

#include "texture/simd/functions/vector.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct Store {
  using Lanes = Vector<W>;
  using Words = typename Lanes::Words;

  /// Stores each lane's element of `bytes` bytes (1, 2, 4, 8 or 16) at its byte offset from `base`, for the lanes of
  /// `lanes`, the lowest lane first: the highest lane wins where several name one element.
  static HEDDLE_INLINE void elements(std::uint8_t* base, Words offset, unsigned bytes, const Words (&words)[4],
                                     std::uint32_t lanes) {
    // The lanes are taken one by one, so that offsets and words are wanted in memory.
    std::uint32_t place[W], element[4][W];
    Lanes::store(place, offset);
    Lanes::store(element[0], words[0]);
    if (bytes > 4) Lanes::store(element[1], words[1]);
    if (bytes > 8) {
      Lanes::store(element[2], words[2]);
      Lanes::store(element[3], words[3]);
    }
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int k = __builtin_ctz(rest);
      std::uint8_t* to = base + place[k];
      switch (bytes) {
        case 1:
          __builtin_memcpy(to, &element[0][k], 1);
          break;
        case 2:
          __builtin_memcpy(to, &element[0][k], 2);
          break;
        default:
          for (unsigned w = 0; w < bytes / 4; ++w) __builtin_memcpy(to + 4 * w, &element[w][k], 4);
          break;
      }
    }
  }
};

}  // namespace
}  // namespace heddle::texture::simd
