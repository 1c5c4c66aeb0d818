// SPDX-License-Identifier: MIT
#pragma once
// What a rewritten shader knows of a sampler: eight dwords, which functions.glsl reads as two vectors.

#include <array>
#include <cstdint>

namespace heddle::layer {

/// Dwords: flags, then binary32 values of the bias, the least and the greatest level of detail, the anisotropy, the
/// device's maxSamplerLodBias; two that are 0. Flags as in src/texture/sampler_record.hpp, and `kKnown`.
using SamplerRecord = std::array<std::uint32_t, 8>;

inline constexpr unsigned kFlags = 0, kBias = 1, kMinLod = 2, kMaxLod = 3, kMaxAnisotropy = 4, kMaxLodBias = 5;
inline constexpr std::uint32_t kMagLinear = 1, kMinLinear = 2, kMipNearest = 4, kMipLinear = 12, kUnnormalized = 0x10,
                               kKnown = 0x80000000u;

/// What is assumed of a sampler that nobody followed: filters and anisotropy that make the footprint of a level larger,
/// no bias and no bounds of the level.
[[nodiscard]] SamplerRecord unknown_sampler(float max_anisotropy, float max_lod_bias);

}  // namespace heddle::layer
