// SPDX-License-Identifier: MIT
#pragma once
// The entry points of the functions that count.

#include "texture/simd/state.hpp"

namespace heddle::texture::simd {

/// texture::TouchCounts in words of the kernels. With all bytes zero it is not open: nothing is counted.
struct TouchTarget {
  std::uint32_t *texels, *squares;
  std::uint64_t* lanes;
  std::uint64_t base;
  std::uint32_t shift;
};

}  // namespace heddle::texture::simd

// `mask`: the lanes that count; none from the width on.
#define HEDDLE_SIMD_TOUCH_ENTRY(name)                                                                              \
  void name(const heddle::texture::simd::StaticState* static_state,                                                \
            const heddle::texture::simd::DynamicState* dynamic_state, const heddle::texture::simd::Inputs* inputs, \
            std::uint32_t mask, const heddle::texture::simd::TouchTarget* to)
