// SPDX-License-Identifier: MIT
#pragma once
// How many pixels a fragment covers: rates of a draw, of primitives and of an attachment (FSR-1 to FSR-3).

#include <array>
#include <cstdint>
#include <memory>

#include "image/surface.hpp"

namespace heddle::pipeline {

/// Pixels that a fragment is wide and high: 1, 2 or 4.
struct FragmentSize {
  std::uint32_t width = 1, height = 1;
  [[nodiscard]] constexpr std::uint32_t pixels() const { return width * height; }
  bool operator==(const FragmentSize&) const = default;
};

/// The samples of a fragment fit into a word of coverage.
inline constexpr std::uint32_t kMaxFragmentSamples = 16, kMaxFragmentSide = 4;
/// Regions of the target that have a rate of their own are at least so many pixels wide and high: as large as four of
/// the largest fragments.
inline constexpr std::uint32_t kRateCell = 2 * kMaxFragmentSide;

/// FSR-1: the code of a size in shaders and texels.
[[nodiscard]] FragmentSize decode_rate(std::uint32_t code);
[[nodiscard]] std::uint32_t encode_rate(const FragmentSize& size);

/// FSR-2: whether fragments of so many pixels are shaded with so many samples in each; what others become.
[[nodiscard]] bool is_supported(const FragmentSize& size, std::uint32_t samples);
[[nodiscard]] FragmentSize supported_size(const FragmentSize& wanted, std::uint32_t samples);

enum class RateCombiner : std::uint8_t { Keep, Replace, Minimum, Maximum, Multiply };

struct ShadingRates {
  FragmentSize draw;
  std::array<RateCombiner, 2> combiners{};  ///< of the draw with the primitive, and of both with the attachment
  std::uint32_t samples = 1;                ///< of a pixel
  std::shared_ptr<const image::Surface> attachment;   ///< null: its rates are 1 x 1
  std::uint32_t texel_width = 32, texel_height = 32;  ///< pixels of one of its texels

  /// Whether all fragments are single pixels. `with_primitives`: primitives have rates of their own.
  [[nodiscard]] bool is_plain(bool with_primitives) const;
  /// FSR-3: at a pixel. `code`: of the primitive; 0 where it has none.
  [[nodiscard]] FragmentSize at(std::uint32_t code, std::uint32_t x, std::uint32_t y, std::uint32_t layer) const;

 private:
  [[nodiscard]] FragmentSize of_attachment(std::uint32_t x, std::uint32_t y, std::uint32_t layer) const;
};

}  // namespace heddle::pipeline
