// SPDX-License-Identifier: MIT
#pragma once
// Typed writes as the vector functions see them: like state.hpp, plain data, `TypedStaticState` constant.

#include "texture/simd/stored_channel.hpp"

namespace heddle::texture::simd {

/// The format and the surface's type. Only bytes.
struct TypedStaticState {
  std::uint8_t fast = 0;
  std::uint8_t coordinates = 3;  ///< 1: buffers; 2: the second one is the array index; 3: x, y, index or z
  std::uint8_t element_bytes = 4;
  StoredChannel stored[4]{};
};

/// The level that is written.
struct TypedDynamicState {
  std::uint8_t* memory = nullptr;                   ///< of the view's first slice
  std::uint32_t width = 0, height = 0, slices = 0;  ///< what coordinates stay below; buffers: entries, 1, 1
  std::uint32_t row_pitch = 0, slice_pitch = 0;
  std::uint32_t bytes = 0;                     ///< of all these texels
  const std::uint32_t* srgb_encode = nullptr;  ///< see encode.hpp
};

struct TypedInputs {
  const std::uint32_t* coordinate[3];  ///< u, v, r; null: 0
  const std::uint32_t* color[4];       ///< R, G, B, A; null: not stored
};

}  // namespace heddle::texture::simd

// `mask`: lanes that write. Later lanes win where two name one texel.
#define HEDDLE_SIMD_TYPED_ENTRY(name)                                      \
  void name(const heddle::texture::simd::TypedStaticState* static_state,   \
            const heddle::texture::simd::TypedDynamicState* dynamic_state, \
            const heddle::texture::simd::TypedInputs* inputs, std::uint32_t mask, void* thread)
extern "C" {
HEDDLE_SIMD_TYPED_ENTRY(heddle_simd_typed_write_8);
HEDDLE_SIMD_TYPED_ENTRY(heddle_simd_typed_write_16);
HEDDLE_SIMD_TYPED_ENTRY(heddle_simd_typed_write_32);
}
