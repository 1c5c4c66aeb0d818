// SPDX-License-Identifier: MIT
#pragma once
// From coordinates to texel indices: CRD-1..6, ADR-0..8, SUR-4, NUM-73, and the packed operands PKO-1.

#include <array>
#include <cstdint>

#include "image/sampler.hpp"

namespace heddle::texture {

inline constexpr unsigned kSubTexelBits = 8;  ///< CRD-1

/// Texel index and the weight of the texel after it, in units of 2^-bits.
struct FixedCoordinate {
  std::int32_t index = 0;
  std::uint32_t weight = 0;
};

/// CRD-1 [C1]. `size` is the axis' size at the level; `bits` other than 8 serve footprint queries for other devices (at
/// most 16).
[[nodiscard]] FixedCoordinate to_fixed(float coordinate, std::uint32_t size, bool non_normalized, bool round,
                                       bool linear, unsigned bits = kSubTexelBits);

/// CRD-4: the index with its texel offset. Offsets of any word are held so that neighbors of the sum are numbers too.
[[nodiscard]] std::int32_t offset_index(std::int32_t index, std::int32_t offset);

enum class AddressKind : std::uint8_t { Texel, Border, Half };

/// What an address mode makes of index i. `index` is inside [0, size) for Texel and Half (the clamped position).
struct Address {
  std::int32_t index = 0;
  AddressKind kind = AddressKind::Texel;
};

/// ADR-0..7. `size` >= 1. Cube acts as Clamp here (ADR-3); seams are the business of cube.hpp.
[[nodiscard]] Address apply_address_mode(image::AddressMode mode, std::int32_t index, std::int32_t size);

/// SUR-4: NaN -> 0, nearest even, clamped to [0, length - 1].
[[nodiscard]] std::uint32_t array_index(float index, std::uint32_t length);

/// NUM-73 [C34]: lane LOD and lane bias as S.8.
[[nodiscard]] std::int32_t quantize_lod(float lod);
[[nodiscard]] std::int32_t quantize_bias(float bias);

/// PKO-1: texel offsets and the rest of a packed operand.
struct PackedOffsets {
  std::array<std::int32_t, 3> offset{};
  std::uint32_t index = 0;  ///< array index u12, where the operand has one
  float value = 0;          ///< LOD or bias, where the operand has one
};
[[nodiscard]] PackedOffsets unpack_gather_offsets(std::uint32_t word);        ///< OffUV
[[nodiscard]] PackedOffsets unpack_gather_offsets_index(std::uint32_t word);  ///< OffUV_R
[[nodiscard]] PackedOffsets unpack_gather_value_offsets(std::uint32_t word);  ///< Lod/Bias OffUV
[[nodiscard]] PackedOffsets unpack_sample_offsets(std::uint32_t word);        ///< OffUVR, OffUV
[[nodiscard]] PackedOffsets unpack_sample_offsets_index(std::uint32_t word);  ///< OffUVR_R, OffUV_R
[[nodiscard]] PackedOffsets unpack_sample_value_offsets(std::uint32_t word);  ///< Lod/Bias OffUVR
/// LOD_AI, BIAS_AI (PKO-3): index in [8:0], the float in the rest. MLOD_R is read alike.
[[nodiscard]] PackedOffsets unpack_value_index(std::uint32_t word);

/// GA-8: the six least significant bits, signed.
[[nodiscard]] std::int32_t gather_lane_offset(std::uint32_t word);
/// SAM-3: U bits 11:8, V 7:4, R 3:0, two's complement.
[[nodiscard]] std::array<std::int32_t, 3> unpack_immediate_offsets(std::uint32_t aoffimmi);

}  // namespace heddle::texture
