// SPDX-License-Identifier: MIT
#pragma once
// OpenCL's numbers: what a kernel gets where its compiler lets it ask for an image's format or a sampler's state.

#include <cstdint>

namespace heddle::job::opencl {

/// cl_channel_order.
enum class ChannelOrder : std::uint32_t {
  R = 0x10b0,
  A = 0x10b1,
  Rg = 0x10b2,
  Rgb = 0x10b4,
  Rgba = 0x10b5,
  Bgra = 0x10b6,
  Intensity = 0x10b8,
  Luminance = 0x10b9,
  Srgb = 0x10bf,
  SrgbA = 0x10c1,
  SbgrA = 0x10c2
};

/// cl_channel_type.
enum class ChannelDataType : std::uint32_t {
  SnormInt8 = 0x10d0,
  SnormInt16 = 0x10d1,
  UnormInt8 = 0x10d2,
  UnormInt16 = 0x10d3,
  UnormShort565 = 0x10d4,
  UnormInt101010 = 0x10d6,
  SignedInt8 = 0x10d7,
  SignedInt16 = 0x10d8,
  SignedInt32 = 0x10d9,
  UnsignedInt8 = 0x10da,
  UnsignedInt16 = 0x10db,
  UnsignedInt32 = 0x10dc,
  HalfFloat = 0x10dd,
  Float = 0x10de
};

/// What Intel's runtime passes for a sampler's addressing mode (sampler_address).
enum class SamplerAddress : std::uint32_t { Clamp = 1, ClampToEdge = 2, Repeat = 3, MirroredRepeat = 4 };

/// What it passes for the kind of its coordinates (sampler_normalized).
enum class SamplerCoordinates : std::uint32_t { Unnormalized = 0, Normalized = 8 };

}  // namespace heddle::job::opencl
