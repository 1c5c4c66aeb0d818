// SPDX-License-Identifier: MIT
#pragma once
// A footprint query as the vector functions read it: like state.hpp.

#include "texture/simd/state.hpp"

namespace heddle::texture::simd {

enum class FootprintSource : std::uint8_t { Derivatives, Lod, Gradient };

struct FootprintStaticState {
  std::uint8_t fast = 0;
  std::uint8_t dim = 2;  ///< 2 or 3
  FootprintSource source{};
  std::uint8_t bias = 0, min_lod = 0, offset = 0;  ///< the lanes have one
  std::uint8_t linear_mag = 0, linear_min = 0;
  image::MipFilter mip{};
};

/// `width` words each; null: absent. Order of the instruction's parameters.
struct FootprintInputs {
  const std::uint32_t *granularity, *coarse, *lod, *bias, *min_lod;
  const std::uint32_t *coordinate[3], *dx[3], *dy[3], *offset[3];
};

struct FootprintDynamicState;
using FootprintFallback = void (*)(const FootprintDynamicState* dynamic_state, const FootprintInputs* inputs,
                                   std::uint32_t width, std::uint32_t mask, std::uint32_t* out, void* thread);

struct FootprintDynamicState {
  FootprintFallback fallback = nullptr;
  const void* owner = nullptr;
  const std::uint32_t* log2 = nullptr;  ///< as DynamicState::log2
  std::int32_t size[3]{1, 1, 1};        ///< of the view's first level
  std::int32_t levels = 1;
  std::int32_t bias = 0, most_bias = 0, min_lod = 0, max_lod = 0;  ///< S.8
  std::uint32_t base_level = 0;                                    ///< added to the reported LOD (FC7)
  /// By granularity: log2 of the group's sides, a byte for each axis; ffffffffh: reserved.
  std::uint32_t group[16]{};
};

}  // namespace heddle::texture::simd

// `out`: 5 + 2 * dim members, each `width` words: single, anchor, offset, mask low, mask high, lod, granularity.
#define HEDDLE_SIMD_FOOTPRINT_ENTRY(name)                                                                 \
  void name(const heddle::texture::simd::FootprintStaticState* static_state,                              \
            const heddle::texture::simd::FootprintDynamicState* dynamic_state,                            \
            const heddle::texture::simd::FootprintInputs* inputs, std::uint32_t mask, std::uint32_t* out, \
            void* thread)
extern "C" {
HEDDLE_SIMD_FOOTPRINT_ENTRY(heddle_simd_footprint_8);
HEDDLE_SIMD_FOOTPRINT_ENTRY(heddle_simd_footprint_16);
HEDDLE_SIMD_FOOTPRINT_ENTRY(heddle_simd_footprint_32);
}
