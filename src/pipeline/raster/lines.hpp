// SPDX-License-Identifier: MIT
#pragma once
// Lines by the diamond-exit rule (RAS-3), and smooth ones (RAS-8).

#include "pipeline/raster/raster.hpp"

namespace heddle::pipeline {

inline constexpr double kMinPoint = 1.0 / 128, kMaxPoint = 1024, kMinLine = 1.0 / 128, kMaxLine = 64;

/// A line whose fragments are found one by one, in exact integers. x-major lines have a fragment (or `columns` of them,
/// one below the other) in each column of pixels, y-major lines in each row.
class BresenhamLine {
 public:
  /// A line of shape Bresenham.
  explicit BresenhamLine(const Primitive& line);
  /// Whether it produces a fragment at the pixel.
  [[nodiscard]] bool covers(std::int32_t x, std::int32_t y) const {
    const std::int32_t major = x_major_ ? x : y, minor = x_major_ ? y : x;
    for (std::int32_t k = 0; k < columns_; ++k)
      if (is_produced(major, minor - k)) return true;
    return false;
  }
  /// False where no pixel of a square is near the line.
  [[nodiscard]] bool may_touch(std::int32_t x, std::int32_t y, std::int32_t size) const;
  /// How many fragments from its first end the pixel is away.
  [[nodiscard]] std::int64_t step(std::int32_t x, std::int32_t y) const {
    return forward_ * (std::int64_t{x_major_ ? x : y} - start());
  }
  /// step() of its first fragment, and how many it has.
  [[nodiscard]] std::int64_t first_step() const { return end_step(from_); }
  [[nodiscard]] std::int64_t steps() const { return end_step(to_) - end_step(from_); }

 private:
  struct End {
    std::int64_t major, minor;
  };
  [[nodiscard]] bool is_produced(std::int32_t major, std::int32_t minor) const;
  [[nodiscard]] bool leaves_before(const End& end, std::int64_t major, std::int64_t offset) const;
  [[nodiscard]] std::int64_t offset_of(std::int64_t major, std::int64_t minor) const;
  [[nodiscard]] std::int64_t start() const { return from_.major >> 8; }
  [[nodiscard]] std::int64_t end_step(const End& end) const;

  bool x_major_;
  std::int32_t columns_;
  std::int64_t forward_;        ///< 1 or -1: along the major axis
  std::int64_t length_, rise_;  ///< along the major axis, positive; along the minor one
  End from_{}, to_{};
};

/// Which part of a pixel the rectangle of a smooth line covers, 0 to 1.
[[nodiscard]] double covered_part(const Primitive& line, std::int32_t x, std::int32_t y);

}  // namespace heddle::pipeline
