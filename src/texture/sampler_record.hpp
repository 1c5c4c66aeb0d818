// SPDX-License-Identifier: MIT
#pragma once
// A sampler's constants as a program reads them that computes footprints by itself: eight dwords
// (docs/spirv-interface.md, `sampler_record`).

#include <array>
#include <cstdint>

#include "image/sampler.hpp"

namespace heddle::texture::sampler_record {

using Record = std::array<std::uint32_t, 8>;

/// Dwords: flags, then binary32 values, then three that are 0.
inline constexpr unsigned kFlags = 0, kBias = 1, kMinLod = 2, kMaxLod = 3, kMaxAnisotropy = 4;
// Flags: the mip filter in bits 3:2, the address modes of u, v, w in three bits each from bit 8 on, by SAMPLER_STATE's
// codes.
inline constexpr std::uint32_t kMagLinear = 1, kMinLinear = 2, kMipShift = 2, kUnnormalized = 0x10, kAnisotropic = 0x20,
                               kDisabled = 0x40, kAddressShift = 8;

[[nodiscard]] Record record(const image::Sampler& sampler);

}  // namespace heddle::texture::sampler_record
