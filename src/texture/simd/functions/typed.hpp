// SPDX-License-Identifier: MIT
#pragma once
// Typed writes over lanes: texels by integer coordinates, converted by the surface's format.

#include "texture/simd/functions/encode.hpp"
#include "texture/simd/functions/store.hpp"
#include "texture/simd/typed_state.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct TypedWrite {
  using Lanes = Vector<W>;
  using Encoder = Encode<W>;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;

  static HEDDLE_INLINE Words coordinate(const std::uint32_t* from, int first) {
    return from != nullptr ? Lanes::load(from + first) : Words{};
  }

  static HEDDLE_PART void write(const TypedStaticState& f, const TypedDynamicState& v, const TypedInputs& in,
                                std::uint32_t mask, int first) {
    const Words x = coordinate(in.coordinate[0], first);
    const Words y = f.coordinates == 3 ? coordinate(in.coordinate[1], first) : Words{};
    const Words slice = f.coordinates > 1 ? coordinate(in.coordinate[f.coordinates - 1], first) : Words{};
    const Ints inside = (Ints)(x < v.width) & (Ints)(y < v.height) & (Ints)(slice < v.slices);  // outside: dropped
    const std::uint32_t lanes = mask >> first & Lanes::bits(inside);
    if (lanes == 0) return;
    const unsigned bytes = f.element_bytes;
    const Words offset = (x * bytes + y * v.row_pitch + slice * v.slice_pitch) & (Words)inside;
    Words words[4]{};
    for (const StoredChannel& s : f.stored)
      if (s.used && in.color[s.component] != nullptr)
        words[s.code.word] |= Encoder::channel(s.code, Lanes::load(in.color[s.component] + first), v.srgb_encode)
                              << std::uint32_t{s.code.shift};
    if (bytes == 4 && lanes == Lanes::kAll && Lanes::all((Ints)(offset == offset[0] + Lanes::iota() * 4u))) {
      __builtin_memcpy(v.memory + offset[0], &words[0], 4 * W);
      return;
    }
    Store<W>::elements(v.memory, offset, bytes, words, lanes);
  }
};

}  // namespace
}  // namespace heddle::texture::simd
