// SPDX-License-Identifier: MIT
#pragma once
// Values of texels, and how exactly a device has to know them (BND-11 to BND-13).

#include <array>
#include <vector>

#include "texture/bounds/points.hpp"

namespace heddle::texture::bounds {

/// What a tap may give: a texel, the border, or what stands for a cube's corner.
struct TapRange {
  std::array<Interval, 4> core, full;
  bool open = false;                               ///< infinite or not a number: arithmetic with it has no bounds
  std::array<SourceTexel, 4> low_at{}, high_at{};  ///< behind the ends of `full`
};

/// The taps of one level at one place.
class LevelTexels {
 public:
  LevelTexels(const Question& question, const Place& place, std::uint32_t level, bool linear, float reference);
  /// The texel at index i, j, k before the address mode; compared where the operation compares.
  [[nodiscard]] TapRange at(const std::array<std::int32_t, 3>& unwrapped) const;
  /// BND-9: every texel that lies in the box, ends included; open where there are more than a million of them.
  [[nodiscard]] TapRange box(const std::array<Interval, 3>& texels) const;
  [[nodiscard]] const std::array<std::uint32_t, 3>& size() const { return size_; }

 private:
  [[nodiscard]] TapRange texel(std::uint32_t slice, std::uint32_t x, std::uint32_t y) const;
  [[nodiscard]] TapRange border() const;
  [[nodiscard]] TapRange on_cube(const std::array<std::int32_t, 3>& unwrapped) const;
  [[nodiscard]] TapRange whole() const;
  [[nodiscard]] TapRange unbounded() const;
  [[nodiscard]] TapRange range_of(const image::Texel& value, const SourceTexel& source) const;
  [[nodiscard]] std::uint32_t slice_of(std::uint32_t face) const;

  const Question& question_;
  const Place& place_;
  std::uint32_t level_;
  bool linear_;
  float reference_;
  std::array<std::uint32_t, 3> size_{};
};

/// BND-11: what a device may make of channel c of a texel whose exact value is `value`.
[[nodiscard]] Interval decoded_range(const SampledFormat& format, bool srgb_decode, unsigned c, double value);
/// The number that a word of a class stands for.
[[nodiscard]] double number_of(std::uint32_t word, image::ValueClass value_class);

/// The smallest range that holds both.
void widen(TapRange& range, const TapRange& other);

/// A blend between levels whose weight is 0 or 1, which a device may do all the same.
[[nodiscard]] double idle_blend_error(const Question& question, unsigned c);
/// BND-12: what one blend of two values may be off, in channel c, where none is greater than `magnitude`.
[[nodiscard]] double blend_error(const Question& question, unsigned c, double magnitude);

}  // namespace heddle::texture::bounds
