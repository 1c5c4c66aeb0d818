// SPDX-License-Identifier: MIT
// Rules: ADR-0 to ADR-7, C5, C15, C41, CRD-1.
#include "texture/coordinates.hpp"

#include <algorithm>
#include <cmath>

#include "base/half.hpp"

namespace heddle::texture {
namespace {

/// The remainder that is never negative.
std::int32_t modulo(std::int64_t i, std::int64_t n) {
  const std::int64_t m = i % n;
  return static_cast<std::int32_t>(m < 0 ? m + n : m);
}

std::int32_t clamp_index(std::int64_t i, std::int32_t size) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(i, 0, size - 1));
}

/// `count` bits of `word` from `start`, as a two's complement number.
std::int32_t signed_field(std::uint32_t word, unsigned start, unsigned count) {
  const std::uint32_t top = word << (32 - start - count);
  return static_cast<std::int32_t>(top) >> (32 - count);
}

std::int32_t quantize(float value, float limit) {
  if (std::isnan(value)) return 0;
  const float scaled = std::clamp(value, -limit, limit) * 256.0f;  // exact: a power of two
  return static_cast<std::int32_t>(std::nearbyint(scaled));
}

}  // namespace

FixedCoordinate to_fixed(float coordinate, std::uint32_t size, bool non_normalized, bool round, bool linear,
                         unsigned bits) {
  // CRD-1, line by line. The scaling by a power of two is done in binary64, where it cannot overflow.
  float t = non_normalized ? coordinate : coordinate * static_cast<float>(size);
  if (std::isnan(t)) t = 0;
  const double unit = static_cast<double>(std::int64_t{1} << bits);
  const double limit = unit * 4194304.0;  // 2^22 texels
  const double s = std::clamp(static_cast<double>(t) * unit, -limit, limit);
  const double f = std::floor(s);
  std::int64_t q = static_cast<std::int64_t>(f) + (round && s - f >= 0.5 ? 1 : 0);
  if (linear) q -= std::int64_t{1} << (bits - 1);
  const std::int64_t mask = (std::int64_t{1} << bits) - 1;
  return {static_cast<std::int32_t>(q >> bits), static_cast<std::uint32_t>(q & mask)};
}

std::int32_t offset_index(std::int32_t index, std::int32_t offset) {
  constexpr std::int64_t kMax = 0x7fff0000;
  return static_cast<std::int32_t>(std::clamp(std::int64_t{index} + offset, -kMax, kMax));
}

Address apply_address_mode(image::AddressMode mode, std::int32_t index, std::int32_t size) {
  using image::AddressMode;
  const std::int64_t i = index;
  const bool inside = index >= 0 && index < size;
  switch (mode) {
    case AddressMode::Wrap:  // ADR-0
      return {modulo(i, size), AddressKind::Texel};
    case AddressMode::Mirror: {  // ADR-1
      const std::int32_t m = modulo(i, std::int64_t{2} * size);
      return {m < size ? m : 2 * size - 1 - m, AddressKind::Texel};
    }
    case AddressMode::Clamp:  // ADR-2
    case AddressMode::Cube:   // ADR-3
      return {clamp_index(i, size), AddressKind::Texel};
    case AddressMode::ClampBorder:  // ADR-4
      return {clamp_index(i, size), inside ? AddressKind::Texel : AddressKind::Border};
    case AddressMode::MirrorOnce:  // ADR-5
      return {clamp_index(i >= 0 ? i : -1 - i, size), AddressKind::Texel};
    case AddressMode::HalfBorder:  // ADR-6
      return {clamp_index(i, size), inside ? AddressKind::Texel : AddressKind::Half};
    case AddressMode::Mirror101: {  // ADR-7
      const std::int64_t last = size - 1;
      return {clamp_index(i < 0 ? -i : i > last ? 2 * last - i : i, size), AddressKind::Texel};
    }
  }
  return {clamp_index(i, size), AddressKind::Texel};
}

std::uint32_t array_index(float index, std::uint32_t length) {
  if (std::isnan(index) || length == 0) return 0;
  const double nearest = std::nearbyint(static_cast<double>(index));
  return static_cast<std::uint32_t>(std::clamp(nearest, 0.0, static_cast<double>(length - 1)));
}

std::int32_t quantize_lod(float lod) { return quantize(lod, 64.0f); }
std::int32_t quantize_bias(float bias) { return quantize(bias, 16.0f); }

PackedOffsets unpack_gather_offsets(std::uint32_t word) {
  return {{signed_field(word, 0, 6), signed_field(word, 6, 6), 0}, 0, 0};
}
PackedOffsets unpack_gather_offsets_index(std::uint32_t word) {  // C15
  return {{signed_field(word, 12, 6), signed_field(word, 18, 6), 0}, word & 0xfffu, 0};
}
PackedOffsets unpack_gather_value_offsets(std::uint32_t word) {
  return {{signed_field(word, 0, 6), signed_field(word, 6, 6), 0}, 0, base::float_from_bits(word & 0xfffff000u)};
}
PackedOffsets unpack_sample_offsets(std::uint32_t word) {
  return {{signed_field(word, 0, 4), signed_field(word, 4, 4), signed_field(word, 8, 4)}, 0, 0};
}
PackedOffsets unpack_sample_offsets_index(std::uint32_t word) {  // C15
  return {{signed_field(word, 12, 4), signed_field(word, 16, 4), signed_field(word, 20, 4)}, word & 0xfffu, 0};
}
PackedOffsets unpack_sample_value_offsets(std::uint32_t word) {
  return {{signed_field(word, 0, 4), signed_field(word, 4, 4), signed_field(word, 8, 4)},
          0,
          base::float_from_bits(word & 0xfffff000u)};
}
PackedOffsets unpack_value_index(std::uint32_t word) {
  return {{0, 0, 0}, word & 0x1ffu, base::float_from_bits(word & 0xfffffe00u)};
}

std::int32_t gather_lane_offset(std::uint32_t word) { return signed_field(word, 0, 6); }

std::array<std::int32_t, 3> unpack_immediate_offsets(std::uint32_t aoffimmi) {
  return {signed_field(aoffimmi, 8, 4), signed_field(aoffimmi, 4, 4), signed_field(aoffimmi, 0, 4)};
}

}  // namespace heddle::texture
