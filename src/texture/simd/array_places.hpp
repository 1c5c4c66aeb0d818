// SPDX-License-Identifier: MIT
#pragma once
// Long arrays of coordinates as the vector functions read them: like state.hpp.

#include <cstddef>

#include "texture/simd/state.hpp"

namespace heddle::texture::simd {

/// Where the elements of an array lie.
struct ArrayPlaces {
  const std::uint32_t *u, *v;  ///< binary32 bits
  std::uint32_t* out;          ///< R, G, B, A of each element
};

}  // namespace heddle::texture::simd

// Samples whole groups of the first `count` elements and returns the elements of a group, 0 where messages have to do
// it. Native code alone has it.
#define HEDDLE_SIMD_ARRAY_ENTRY(name)                                        \
  std::size_t name(const heddle::texture::simd::StaticState* static_state,   \
                   const heddle::texture::simd::DynamicState* dynamic_state, \
                   const heddle::texture::simd::ArrayPlaces* at, std::size_t count)
extern "C" {
HEDDLE_SIMD_ARRAY_ENTRY(heddle_simd_sample_array);
}
