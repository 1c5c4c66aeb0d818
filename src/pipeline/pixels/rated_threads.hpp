// SPDX-License-Identifier: MIT
#pragma once
// Threads of fragments that may be several pixels (FSR-4).

#include "pipeline/pixels/plan.hpp"

namespace heddle::pipeline {

/// What a primitive covers of one tile, pixel by pixel.
class TileCoverage final : public SubspanSink {
 public:
  explicit TileCoverage(std::uint16_t all_samples) : all_(all_samples) {}

  void begin(std::int32_t left, std::int32_t top) {
    left_ = left;
    top_ = top;
    any_ = false;
    for (auto& row : samples_) row.fill(0);
  }
  [[nodiscard]] bool any() const { return any_; }
  /// Samples of the pixel at a place in the tile.
  [[nodiscard]] std::uint16_t at(std::uint32_t x, std::uint32_t y) const { return samples_[y][x]; }

  bool subspan(const Subspan& s) override {
    for (std::uint32_t k = 0; k < 4; ++k) put(s.x + (k & 1u), s.y + (k >> 1), s.coverage[k]);
    return true;
  }
  bool rectangle(std::uint32_t x, std::uint32_t y, std::uint32_t columns, std::uint32_t rows) override {
    for (std::uint32_t row = 0; row < 2 * rows; ++row)
      for (std::uint32_t column = 0; column < 2 * columns; ++column) put(x + column, y + row, all_);
    return true;
  }

 private:
  void put(std::uint32_t x, std::uint32_t y, std::uint16_t samples) {
    any_ = true;
    samples_[y - static_cast<std::uint32_t>(top_)][x - static_cast<std::uint32_t>(left_)] = samples;
  }

  const std::uint16_t all_;
  std::int32_t left_ = 0, top_ = 0;
  bool any_ = false;
  std::array<std::array<std::uint16_t, CoverageScan::kTile>, CoverageScan::kTile> samples_{};
};

/// Calls take(const PixelThread&) for each thread of a primitive; it returns false to stop. Fragments lie on a grid of
/// their size from the window's corner, and so do the 2 x 2 of a subspan; a thread has fragments of one size, and ends
/// with its tile.
template <typename Take>
class RatedThreads {
 public:
  RatedThreads(const PixelPlan& plan, const Primitive& primitive, const RasterState& raster, std::uint32_t number,
               Take take)
      : primitive_(primitive),
        rates_(*raster.rates),
        scan_(primitive, raster),
        take_(std::move(take)),
        most_(plan.subspans_of_half() * plan.halves()),
        samples_(static_cast<std::uint32_t>(raster.samples.size())),
        tile_(all_samples(raster)) {
    thread_.primitive = number;
  }

  /// Those in some of the primitive's pixels: all of them, or those of a bin. False when `take` stopped.
  bool run(const Bounds<std::int32_t>& part) {
    constexpr std::int32_t kTile = CoverageScan::kTile;
    for (std::int32_t y = part.top / kTile * kTile; y < part.bottom; y += kTile)
      for (std::int32_t x = part.left / kTile * kTile; x < part.right; x += kTile) {
        tile_.begin(x, y);
        (void)scan_.tile(x, y, tile_);
        if (!tile_.any()) continue;
        for (std::uint32_t cell = 0; cell < kCells * kCells; ++cell)
          if (!run_cell(x, y, cell % kCells * kRateCell, cell / kCells * kRateCell)) return false;
        if (!flush()) return false;
      }
    return true;
  }

 private:
  static constexpr std::uint32_t kCells = CoverageScan::kTile / kRateCell;

  /// A part of the tile that has one rate, at (x, y) in it.
  bool run_cell(std::int32_t left, std::int32_t top, std::uint32_t x, std::uint32_t y) {
    const std::uint32_t at_x = static_cast<std::uint32_t>(left) + x, at_y = static_cast<std::uint32_t>(top) + y;
    // What a smooth line covers of a pixel is known for pixels.
    const FragmentSize size = primitive_.shape == Primitive::Shape::Smooth
                                  ? FragmentSize{}
                                  : rates_.at(primitive_.rate, at_x, at_y, primitive_.target_layer());
    for (std::uint32_t row = 0; row < kRateCell; row += 2 * size.height)
      for (std::uint32_t column = 0; column < kRateCell; column += 2 * size.width) {
        std::array<std::uint16_t, 4> coverage;
        for (std::uint32_t k = 0; k < 4; ++k)
          coverage[k] = fragment(size, x + column + (k & 1u) * size.width, y + row + (k >> 1) * size.height);
        if ((coverage[0] | coverage[1] | coverage[2] | coverage[3]) == 0) continue;
        if (!add(size, (at_x + column) | (at_y + row) << 16, coverage)) return false;
      }
    return true;
  }

  /// Bit j: the sample of coverage index j is covered.
  [[nodiscard]] std::uint16_t fragment(const FragmentSize& size, std::uint32_t x, std::uint32_t y) const {
    std::uint32_t covered = 0;
    for (std::uint32_t p = 0; p < size.pixels(); ++p)
      covered |= std::uint32_t{tile_.at(x + p % size.width, y + p / size.width)} << samples_ * (size.pixels() - 1 - p);
    return static_cast<std::uint16_t>(covered);
  }

  bool add(const FragmentSize& size, std::uint32_t place, const std::array<std::uint16_t, 4>& coverage) {
    if (thread_.count == most_ || (thread_.count != 0 && !(thread_.size == size)))
      if (!flush()) return false;
    thread_.size = size;
    thread_.subspans[thread_.count] = place;
    thread_.coverage[thread_.count++] = coverage;
    return true;
  }

  bool flush() {
    if (thread_.count == 0) return true;
    const bool good = take_(std::as_const(thread_));
    thread_.count = 0;
    return good;
  }

  const Primitive& primitive_;
  const ShadingRates& rates_;
  const CoverageScan scan_;
  Take take_;
  const std::uint32_t most_, samples_;
  TileCoverage tile_;
  PixelThread thread_;
};

}  // namespace heddle::pipeline
