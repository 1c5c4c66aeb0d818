// SPDX-License-Identifier: MIT
#pragma once
// Hierarchical depth: what is known of the depths of each tile, and the depth test of a primitive against it (FBO-5).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "image/surface.hpp"
#include "machine/pixels.hpp"
#include "pipeline/raster/raster.hpp"
#include "render_target/simd/prepared.hpp"

namespace heddle::pipeline {

/// Bounds of the depths that a depth attachment holds, tile by tile, in the units in which it stores them. Draws keep
/// them; whoever else changes the attachment says so.
class DepthTiles {
 public:
  static constexpr std::int32_t kTile = CoverageScan::kTile;
  struct Tile {
    float least = -std::numeric_limits<float>::infinity(), greatest = std::numeric_limits<float>::infinity();
    std::uint32_t changes = UINT32_MAX;  ///< subspans that were drawn, at most, since the bounds were read from memory
  };
  /// Nothing is known any more: another attachment, or unknown changes.
  void forget() { known_ = false; }
  /// The pixels [left, right) x [top, bottom) of some layers of the view, which `surface` is, hold one depth, 0 to 1.
  struct Box {
    std::int32_t left, top, right, bottom;
    std::uint32_t first_layer, layers;
  };
  void clear(const image::Surface& surface, const Box& box, float depth);
  /// The tiles of that surface from here on.
  void use(const image::Surface& surface);
  /// The tile at (x, y), multiples of kTile; null: no such tile is kept.
  [[nodiscard]] Tile* at(std::int32_t x, std::int32_t y, std::uint32_t layer) {
    const auto column = static_cast<std::uint32_t>(x / kTile), row = static_cast<std::uint32_t>(y / kTile);
    if (column >= columns_ || row >= rows_ || layer >= layers_) return nullptr;
    return &tiles_[(std::size_t{layer} * rows_ + row) * columns_ + column];
  }

 private:
  static constexpr std::uint32_t kMaxTiles = 1u << 18;
  std::vector<Tile> tiles_;
  std::uint32_t columns_ = 0, rows_ = 0, layers_ = 0;
  bool known_ = false;
};

/// The depths of one primitive's fragments.
class PrimitiveDepths {
 public:
  /// Of fragments at the centers of pixels that the primitive covers, or with `anywhere` at any sample.
  void begin(const Primitive& primitive, bool anywhere);
  struct Range {
    double least, greatest;
  };
  /// In [left, right) x [top, bottom).
  [[nodiscard]] Range in(std::int32_t left, std::int32_t top, std::int32_t right, std::int32_t bottom) const;

 private:
  const Primitive* primitive_ = nullptr;
  Range range_{};  ///< everywhere, where `planar_` is false
  Plane plane_;
  bool planar_ = false;
};

/// How draws with one state test and change depths, as their tiles see it. Never changed.
class TileTest {
 public:
  explicit TileTest(const machine::PixelState& state);
  /// The depths can be followed.
  [[nodiscard]] bool is_usable() const { return usable_; }
  [[nodiscard]] bool tests_samples() const { return samples_ > 1; }

  /// Whether every fragment of the primitive in a tile fails the depth test, and failing changes nothing. Else the
  /// tile's bounds take in what the primitive may store there. `flush`: runs fragments that wait; it is called before
  /// memory is read.
  template <typename Flush>
  bool hides(DepthTiles& tiles, const PrimitiveDepths& depths, const Primitive& p, std::int32_t x, std::int32_t y,
             const Flush& flush) const {
    const std::uint32_t layer = layer_of(p);
    DepthTiles::Tile* tile = tiles.at(x, y, layer);
    if (tile == nullptr) return false;
    const std::int32_t left = std::max(x, p.left), top = std::max(y, p.top),
                       right = std::min(x + DepthTiles::kTile, p.right),
                       bottom = std::min(y + DepthTiles::kTile, p.bottom);
    const Stored range = stored(depths.in(left, top, right, bottom), p.viewport);
    if (may_hide_) {
      if (fails(range, *tile)) return true;
      if (tile->changes >= kStale && may_fail(range, *tile)) {
        flush();
        read(*tile, x, y, layer);
        if (fails(range, *tile)) return true;
      }
    }
    if (writes_) {
      const render_target::simd::Plane& plane = prepared_->dynamic_state.depth;
      const auto end = [](std::int32_t at, std::uint32_t size) {
        return std::min(at + DepthTiles::kTile, static_cast<std::int32_t>(size));
      };
      const bool whole = left == x && top == y && right == end(x, plane.width) && bottom == end(y, plane.height);
      change(*tile, range, whole ? kStale : static_cast<std::uint32_t>((right - left) * (bottom - top)) / 4 + 1);
    }
    return false;
  }

 private:
  static constexpr std::uint32_t kStale = DepthTiles::kTile * DepthTiles::kTile / 4;  ///< changes
  struct Stored {
    float least, greatest;
  };
  [[nodiscard]] std::uint32_t layer_of(const Primitive& p) const {  // RTW-12
    return p.target_layer() > prepared_->dynamic_state.depth.last_index ? 0 : p.target_layer();
  }
  [[nodiscard]] Stored stored(const PrimitiveDepths::Range& range, std::uint32_t viewport) const;
  [[nodiscard]] bool fails(const Stored& range, const DepthTiles::Tile& tile) const;
  [[nodiscard]] bool may_fail(const Stored& range, const DepthTiles::Tile& tile) const;
  void change(DepthTiles::Tile& tile, const Stored& range, std::uint32_t subspans) const;
  void read(DepthTiles::Tile& tile, std::int32_t x, std::int32_t y, std::uint32_t layer) const;

  std::unique_ptr<const render_target::simd::PreparedWrite> prepared_;
  bool usable_ = false, may_hide_ = false, writes_ = false;
  std::uint32_t samples_ = 1;
  double scale_ = 0;  ///< the greatest stored number; 0: binary32
  image::CompareFunction function_{};
};

/// What the depths become where they are tested: clamped (OM-6), rounded, converted.
inline TileTest::Stored TileTest::stored(const PrimitiveDepths::Range& range, std::uint32_t viewport) const {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto& v = prepared_->dynamic_state;
  const float* limits = v.depth_range[viewport < v.viewports ? viewport : 16];
  const auto clamped = [&](double z) { return z < limits[0] ? limits[0] : z > limits[1] ? limits[1] : z; };
  const double least = clamped(range.least), greatest = clamped(range.greatest);
  if (!(least <= greatest)) return {-kInfinity, kInfinity};
  if (scale_ != 0)
    return {static_cast<float>(std::floor(std::clamp(least, 0.0, 1.0) * scale_)) - 1,
            static_cast<float>(std::ceil(std::clamp(greatest, 0.0, 1.0) * scale_)) + 1};
  // Rounding keeps the order: fragments' depths are rounded the same way.
  return {static_cast<float>(least), static_cast<float>(greatest)};
}

inline bool TileTest::fails(const Stored& z, const DepthTiles::Tile& tile) const {
  using image::CompareFunction;
  switch (function_) {
    case CompareFunction::Never:
      return true;
    case CompareFunction::Less:
      return z.least >= tile.greatest;
    case CompareFunction::Lequal:
      return z.least > tile.greatest;
    case CompareFunction::Greater:
      return z.greatest <= tile.least;
    case CompareFunction::Gequal:
      return z.greatest < tile.least;
    case CompareFunction::Equal:
      return z.least > tile.greatest || z.greatest < tile.least;
    default:
      return false;
  }
}

inline void TileTest::change(DepthTiles::Tile& tile, const Stored& z, std::uint32_t subspans) const {
  using image::CompareFunction;
  const bool falls = function_ == CompareFunction::Less || function_ == CompareFunction::Lequal,
             rises = function_ == CompareFunction::Greater || function_ == CompareFunction::Gequal;
  if (function_ == CompareFunction::Equal || function_ == CompareFunction::Never) return;
  if (!rises) tile.least = std::min(tile.least, z.least);
  if (!falls) tile.greatest = std::max(tile.greatest, z.greatest);
  tile.changes = tile.changes > UINT32_MAX - subspans ? UINT32_MAX : tile.changes + subspans;
}

/// Whether tighter bounds could change the answer.
inline bool TileTest::may_fail(const Stored& z, const DepthTiles::Tile& tile) const {
  using image::CompareFunction;
  switch (function_) {
    case CompareFunction::Less:
    case CompareFunction::Lequal:
      return z.least >= tile.least;
    case CompareFunction::Greater:
    case CompareFunction::Gequal:
      return z.greatest <= tile.greatest;
    default:
      return true;
  }
}

}  // namespace heddle::pipeline
