// SPDX-License-Identifier: MIT
#pragma once
// What a channel may be: intervals of values, each with the texels behind its ends (BND-2).

#include <array>
#include <cstdint>
#include <vector>

namespace heddle::texture::bounds {

struct Interval {
  double low = 0, high = 0;
  [[nodiscard]] bool is_point() const { return low == high; }
};

/// The smallest interval that holds both.
[[nodiscard]] Interval hull(const Interval& a, const Interval& b);

/// A texel that a bound is made of, with its weight there.
struct SourceTexel {
  std::uint32_t level = 0, slice = 0, x = 0, y = 0;  ///< absolute level; slice: stored 2D slice, or z
  bool border = false;                               ///< the border color: the rest does not count
  double weight = 1;
};

/// One interval of allowed values.
struct Part {
  Interval core;  ///< where weights and levels alone are free (BND-5, BND-8)
  Interval full;  ///< with the roundings of conversion and arithmetic too (BND-11, BND-12): what is allowed
  std::vector<SourceTexel> low_texels, high_texels;  ///< behind the ends, where they are asked for
};

/// All that one channel may be.
class ValueSet {
 public:
  /// Parts that touch become one.
  void add(Part part);
  void add(const ValueSet& other);
  /// The texts leave the value open.
  void allow_anything() { anything_ = true; }

  [[nodiscard]] bool anything() const { return anything_; }
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }  ///< in ascending order
  /// Every value is allowed: the texts say so, or nothing was found that they say.
  [[nodiscard]] bool open() const { return anything_ || parts_.empty(); }
  /// The least and the greatest value; infinite ones of an open set.
  [[nodiscard]] Interval range() const;

  static ValueSet of(double value);

 private:
  std::vector<Part> parts_;
  bool anything_ = false;
};

using ChannelSets = std::array<ValueSet, 4>;

}  // namespace heddle::texture::bounds
