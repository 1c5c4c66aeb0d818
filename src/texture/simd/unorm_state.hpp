// SPDX-License-Identifier: MIT
#pragma once
// SAMPLE_UNORM as the vector functions read it: like state.hpp.

#include "texture/simd/state.hpp"

namespace heddle::texture::simd {

struct UnormStaticState {
  StaticState state;  ///< a sample of one level with the magnification filter; channels are 8-bit UNORM, Zero or One
  std::uint8_t channels = 15;  ///< results that somebody wants
  std::uint8_t linear = 0;
  std::uint8_t planar = 0;  ///< state's element is luma (HW-45)
  std::uint8_t joined = 0;  ///< U and V are neighbors in memory
};

struct UnormDynamicState {
  DynamicState sample;
  // Chroma planes, U then V:
  std::uint64_t chroma_offset[2]{};  ///< from DynamicState::memory; joined: [0] is where the pair begins
  std::uint32_t chroma_pitch[2]{}, chroma_step[2]{};
  std::int32_t chroma_limit[2]{};   ///< as Level::limit
  std::uint32_t chroma_shift[2]{};  ///< of the byte in the word at chroma_offset
};

struct UnormInputs {
  float u, v, du, dv;
};

}  // namespace heddle::texture::simd

// `out`: four channels of 32 words of 16 bits, pixel 8y + x; only those of UnormStaticState::channels are written. Mask
// and thread are not looked at: every pixel is made.
#define HEDDLE_SIMD_UNORM_ENTRY(name)                                      \
  void name(const heddle::texture::simd::UnormStaticState* static_state,   \
            const heddle::texture::simd::UnormDynamicState* dynamic_state, \
            const heddle::texture::simd::UnormInputs* inputs, std::uint32_t mask, std::uint32_t* out, void* thread)
extern "C" {
HEDDLE_SIMD_UNORM_ENTRY(heddle_simd_unorm);
}
