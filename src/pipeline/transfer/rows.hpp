// SPDX-License-Identifier: MIT
#pragma once
// Rows of texels as vectors: decoded, converted, filtered, resolved. Built for several targets (rows.inc); plain data
// only, so that these builds share no code.

#include <cstddef>
#include <cstdint>

#include "pipeline/transfer/resolve_mode.hpp"
#include "texture/simd/srgb_table.hpp"
#include "texture/simd/stored_channel.hpp"

namespace heddle::pipeline::transfer {

/// Texels of which the functions take a whole number at a time, and so what rows in `float` form have room for.
inline constexpr std::size_t kRowPadding = 16;

/// A format as the functions read and write it.
struct RowFormat {
  texture::simd::ChannelCode decoded[4]{};  ///< R, G, B, A
  texture::simd::StoredChannel stored[4]{};
  std::uint8_t bytes = 0;  ///< of an element: 1, 2, 4, 8 or 16
  bool integer = false, is_signed = false;
  const texture::simd::SrgbTable* srgb = nullptr;
  const std::uint32_t* srgb_encode = nullptr;
};

/// The two texels of each destination texel along the row, counted from the row's first, and the weight of the second;
/// room for kRowPadding more, of weight 0 and texel 0.
struct ColumnTaps {
  const std::uint32_t *first = nullptr, *second = nullptr;
  const float* weight = nullptr;
};

/// Texels in words: R, G, B, A, R ...; `count` texels, room for kRowPadding more.
struct RowFunctions {
  void (*decode)(const RowFormat& format, const std::uint8_t* from, std::size_t count, std::uint32_t* texels);
  void (*encode)(const RowFormat& format, const std::uint32_t* texels, std::size_t count, std::uint8_t* to);
  void (*convert)(const RowFormat& source, const RowFormat& destination, const std::uint8_t* from, std::size_t count,
                  std::uint8_t* to);
  /// TRF-9 along a row of texels.
  void (*across)(const float* texels, const ColumnTaps& taps, std::size_t count, float* to);
  /// decode() and across() where each texel is the mean of the next two.
  void (*halve)(const RowFormat& format, const std::uint8_t* from, std::size_t count, float* to);
  /// TRF-9 between two rows.
  void (*between)(const float* a, const float* b, float weight, std::size_t count, float* to);
  /// TRF-14 to TRF-16 of one row: samples[s] is its row in sample s.
  void (*resolve)(const RowFormat& format, const std::uint8_t* const* samples, unsigned sample_count, ResolveMode mode,
                  std::size_t count, std::uint8_t* to);
};
/// The build for this machine.
[[nodiscard]] const RowFunctions& row_functions();

}  // namespace heddle::pipeline::transfer
