// SPDX-License-Identifier: MIT
#pragma once
// What discard rectangles leave of a primitive (RAS-11).

#include <cstdint>

#include "pipeline/raster/raster.hpp"

namespace heddle::pipeline {

/// Passes on the pixels that stay.
class KeptPixels final : public SubspanSink {
 public:
  /// `all`: the coverage of a pixel that is covered everywhere. All must outlive it.
  KeptPixels(const DiscardRectangles& rectangles, std::uint16_t all, SubspanSink& sink)
      : rectangles_(rectangles), all_(all), sink_(sink) {}

  bool subspan(const Subspan& subspan) override {
    Subspan left = subspan;
    for (std::uint32_t k = 0; k < 4; ++k)
      if (!keeps(subspan.x + (k & 1u), subspan.y + (k >> 1))) left.coverage[k] = 0;
    return !left.any() || sink_.subspan(left);
  }

  bool rectangle(std::uint32_t x, std::uint32_t y, std::uint32_t columns, std::uint32_t rows) override {
    switch (meet(x, y, x + 2 * columns, y + 2 * rows)) {
      case Part::All:
        return sink_.rectangle(x, y, columns, rows);
      case Part::None:
        return true;
      case Part::Some:
        break;
    }
    Subspan whole;
    whole.coverage.fill(all_);
    for (std::uint32_t row = 0; row < rows; ++row)
      for (std::uint32_t column = 0; column < columns; ++column) {
        whole.x = static_cast<std::uint16_t>(x + 2 * column);
        whole.y = static_cast<std::uint16_t>(y + 2 * row);
        if (!subspan(whole)) return false;
      }
    return true;
  }

 private:
  enum class Part : std::uint8_t { None, Some, All };

  [[nodiscard]] bool keeps(std::uint32_t x, std::uint32_t y) const { return meet(x, y, x + 1, y + 1) == Part::All; }

  /// How much stays of the pixels [left, right) x [top, bottom); of a single one none or all.
  [[nodiscard]] Part meet(std::int64_t left, std::int64_t top, std::int64_t right, std::int64_t bottom) const {
    const bool inclusive = rectangles_.mode == DiscardMode::Inclusive;
    bool touches = false;
    for (std::uint32_t i = 0; i < rectangles_.count; ++i) {
      const auto [x, y, width, height] = rectangles_.at[i];
      const std::int64_t end_x = std::int64_t{x} + width, end_y = std::int64_t{y} + height;
      if (x >= right || y >= bottom || end_x <= left || end_y <= top) continue;
      if (x <= left && y <= top && end_x >= right && end_y >= bottom) return inclusive ? Part::All : Part::None;
      touches = true;
    }
    return touches ? Part::Some : inclusive ? Part::None : Part::All;
  }

  const DiscardRectangles& rectangles_;
  const std::uint16_t all_;
  SubspanSink& sink_;
};

}  // namespace heddle::pipeline
