// SPDX-License-Identifier: MIT
#pragma once
// From taps to values: border colors (BRD), compare (CMP), reduction (RED), filters (FLT), channel selects (SUR-7).

#include <array>
#include <cstdint>

#include "image/format.hpp"
#include "image/sampler.hpp"
#include "image/surface.hpp"
#include "texture/enumerations.hpp"
#include "texture/taps.hpp"

namespace heddle::texture {

/// FLT-1: w in 0..256; a or b untouched at the ends. A NaN from the arithmetic is canonical (NUM-3).
[[nodiscard]] float lerp(float a, float b, std::uint32_t w);

/// NUM-4.
[[nodiscard]] float rule_min(float a, float b);
[[nodiscard]] float rule_max(float a, float b);

/// CMP-1, CMP-2 [C6]: 0.0 where `texel FUNC ref` holds, else 1.0; the four ordered functions give 0.0 for a NaN.
[[nodiscard]] float compare_texel(image::CompareFunction function, float texel, float ref);

/// What of a format matters to sampled values.
struct SampledFormat {
  const image::FormatInfo* info = nullptr;
  image::ValueClass value_class = image::ValueClass::Float;
  bool integer = false;          ///< UINT or SINT
  std::uint8_t present = 0;      ///< result channels that the format has, bit 0 R ... bit 3 A (NUM-23)
  unsigned compare_channel = 0;  ///< red, or alpha of A-only formats (CMP-1)
  bool clamp_reference = false;  ///< the compared channel is UNORM (CMP-3)
  bool dx9_ones = false;         ///< NUM-24: missing color channels are 1.0 with a DX9 border
  [[nodiscard]] std::uint32_t one() const { return integer ? 1u : 0x3f800000u; }  ///< NUM-25
};
[[nodiscard]] SampledFormat sampled_format(const image::FormatInfo& info);

/// BRD-1, BRD-2: the border color as a decoded texel of the format.
[[nodiscard]] image::Texel border_texel(const image::Sampler& sampler, const SampledFormat& format);
/// TEX-1, LD-3: zeros, alpha 1 where the format has no alpha.
[[nodiscard]] image::Texel out_of_bounds_texel(const SampledFormat& format);
/// SUR-7, NUM-25. `one` is the class's one.
[[nodiscard]] std::uint32_t select_channel(image::ChannelSelect select, const image::Texel& value, std::uint32_t one);

/// Everything that turns a tap into a value, resolved once for each operation.
struct ValueState {
  const image::Surface* surface = nullptr;
  SampledFormat format;
  bool srgb_decode = true;
  image::Texel border, out_of_bounds;
  bool compare = false;
  image::CompareFunction function{};
  FilterReduction reduction = FilterReduction::Weighted;
};

/// What fetching met on the way.
struct FetchNotes {
  bool null_page = false;  ///< SUR-6
  bool outside = false;    ///< C22
};

/// CMP-3: the reference as the compare uses it.
[[nodiscard]] float compare_reference(const ValueState& state, float ref);

/// The value of one tap: fetch, border, half, corner, compare (all four channels then hold the result, CMP-4).
[[nodiscard]] image::Texel tap_value(const ValueState& state, const LevelTaps& taps, const Tap& tap, float ref,
                                     FetchNotes& notes);

/// TEX-1: what every tap is when the Resource Min LOD is out of bounds, compared where the op compares.
[[nodiscard]] image::Texel out_of_bounds_value(const ValueState& state, float ref);

/// FLT-2, FLT-3, ANI-1, RED-1: one level's result.
[[nodiscard]] image::Texel filter_level(const ValueState& state, const LevelTaps& taps, float ref, FetchNotes& notes);
/// FLT-4, RED-1: two levels.
[[nodiscard]] image::Texel combine_levels(const ValueState& state, const image::Texel& fine, const image::Texel& coarse,
                                          std::uint32_t beta);

}  // namespace heddle::texture
