#pragma once
// Typed writes over lanes: texels by integer coordinates, converted by the surface's format (facts visa 7.3).

#include "texture/simd/kernels/encode.hpp"
#include "texture/simd/kernels/store.hpp"
#include "texture/simd/typed_state.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct TypedWrite {
  using V = Vector<W>;
  using E = Encode<W>;
  using I = typename V::I;
  using U = typename V::U;

  static HEDDLE_INLINE U coordinate(const std::uint32_t* from, int first) {
    return from != nullptr ? V::load(from + first) : U{};
  }

  static HEDDLE_INLINE void write(const TypedStaticState& f, const TypedDynamicState& v, const TypedInputs& in,
                                  std::uint32_t mask, int first) {
    const U x = coordinate(in.coordinate[0], first);
    const U y = f.coordinates == 3 ? coordinate(in.coordinate[1], first) : U{};
    const U slice = f.coordinates > 1 ? coordinate(in.coordinate[f.coordinates - 1], first) : U{};
    const I inside = (I)(x < v.width) & (I)(y < v.height) & (I)(slice < v.slices);  // outside: dropped
    const std::uint32_t lanes = mask >> first & V::bits(inside);
    if (lanes == 0) return;
    const unsigned bytes = f.element_bytes;
    const U offset = (x * bytes + y * v.row_pitch + slice * v.slice_pitch) & (U)inside;
    U words[4]{};
    for (const StoredChannel& s : f.stored)
      if (s.used && in.color[s.component] != nullptr)
        words[s.code.word] |= E::channel(s.code, V::load(in.color[s.component] + first), v.srgb_encode)
                              << std::uint32_t{s.code.shift};
    if (bytes == 4 && lanes == V::kAll && V::all((I)(offset == offset[0] + V::iota() * 4u))) {
      __builtin_memcpy(v.memory + offset[0], &words[0], 4 * W);
      return;
    }
    Store<W>::elements(v.memory, offset, bytes, words, lanes);
  }
};

}  // namespace
}  // namespace heddle::texture::simd
