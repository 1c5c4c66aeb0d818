// SPDX-License-Identifier: MIT
#pragma once
// What is built on footprints: the footprint map and the sampler-feedback maps of D3D12 (FP-27, FP-28), and
// the observers that fill them from ordinary samples.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "texture/context.hpp"
#include "texture/footprint.hpp"

namespace heddle::texture {

/// One 64-bit word for each set of groups, one array for each level; a fixed granularity (FP-27).
class FootprintMap {
 public:
  /// Ids: footprint-granularity-value, footprint-query (sizes), limit-memory.
  [[nodiscard]] static base::Result<FootprintMap> create(const FootprintView& view, std::uint32_t granularity,
                                                         const base::Limits& limits = {});

  [[nodiscard]] const FootprintView& view() const { return view_; }
  [[nodiscard]] std::uint32_t granularity() const { return granularity_; }
  [[nodiscard]] Coordinates3 group_size() const { return group_; }
  [[nodiscard]] Coordinates3 level_size(std::uint32_t level) const;
  [[nodiscard]] Coordinates3 level_groups(std::uint32_t level) const;
  [[nodiscard]] Coordinates3 level_sets(std::uint32_t level) const;
  [[nodiscard]] std::span<const std::uint64_t> words(std::uint32_t level) const { return levels_[level]; }

  /// Adds an answer of a query with this map's granularity (relative lod). Coarsened answers mark every group inside,
  /// cut to the level; toroidal ones need no special case.
  void insert(const Footprint& footprint);
  void mark_texel(std::uint32_t level, const Coordinates3& texel);
  void mark_group(std::uint32_t level, const Coordinates3& group);
  [[nodiscard]] bool texel_touched(std::uint32_t level, const Coordinates3& texel) const;
  [[nodiscard]] bool group_touched(std::uint32_t level, const Coordinates3& group) const;
  [[nodiscard]] std::vector<Coordinates3> touched_groups(std::uint32_t level) const;  ///< sorted by z, y, x
  [[nodiscard]] double touched_fraction(std::uint32_t level) const;                   ///< of the level's groups
  void clear();
  /// False when the maps have other shapes.
  bool merge(const FootprintMap& other);
  /// Keeps what `other` lacks.
  bool subtract(const FootprintMap& other);
  bool operator==(const FootprintMap& other) const {
    return granularity_ == other.granularity_ && levels_ == other.levels_;
  }

 private:
  FootprintMap() = default;
  [[nodiscard]] std::size_t word_of(std::uint32_t level, const Coordinates3& group) const;
  [[nodiscard]] std::uint64_t bit_of(const Coordinates3& group) const;
  FootprintView view_;
  std::uint32_t granularity_ = 1;
  Coordinates3 group_{2, 2, 1};
  std::vector<std::vector<std::uint64_t>> levels_;
};

/// MIN_MIP and MIP_REGION_USED (FP-28). 2D views only.
class FeedbackMap {
 public:
  enum class Form : std::uint8_t { Spread, Point };
  struct Options {
    Form form = Form::Spread;  ///< how MIN_MIP covers level-0 regions
    bool merge_tail = false;   ///< small-tail rule: record such levels as the first of them
  };
  static constexpr std::uint8_t kNone = 255;

  /// Regions are powers of two, at least 4, at most half the first level. Ids: footprint-feedback-region, limit-memory.
  [[nodiscard]] static base::Result<FeedbackMap> create(const FootprintView& view, std::uint32_t region_width,
                                                        std::uint32_t region_height, const Options& options,
                                                        const base::Limits& limits = {});
  [[nodiscard]] static base::Result<FeedbackMap> create(const FootprintView& view, std::uint32_t region_width,
                                                        std::uint32_t region_height) {
    return create(view, region_width, region_height, Options{});
  }
  /// The granularity to ask footprints with: the largest whose size divides the region.
  [[nodiscard]] static std::uint32_t query_granularity(std::uint32_t region_width, std::uint32_t region_height);

  /// A footprint of `granularity` requested; `coordinate` (normalized) matters to the point form only.
  void insert(const Footprint& footprint, std::uint32_t requested, const std::array<float, 2>& coordinate);
  void insert(const FootprintSet& set, const std::array<float, 2>& coordinate);
  void mark_texel(std::uint32_t level, std::uint32_t x, std::uint32_t y);
  /// Lowers MIN_MIP under a coordinate, 0 to 1, to that level: what the point form does.
  void mark_point(std::uint32_t level, const std::array<float, 2>& coordinate);

  [[nodiscard]] std::uint32_t columns(std::uint32_t level) const;
  [[nodiscard]] std::uint32_t rows(std::uint32_t level) const;
  /// Decoded forms, row by row: one byte a region.
  [[nodiscard]] std::span<const std::uint8_t> min_mip() const { return min_mip_; }  ///< level, 255 = none
  [[nodiscard]] std::span<const std::uint8_t> mip_region_used(std::uint32_t level) const {
    return used_[level];
  }  ///< 0 or 255
  /// Replaces MIP_REGION_USED of a level by its decoded form (non-zero = used); false when the size is wrong.
  bool set_mip_region_used(std::uint32_t level, std::span<const std::uint8_t> bytes);
  void clear();
  bool merge(const FeedbackMap& other);

 private:
  FeedbackMap() = default;
  void mark_region(std::uint32_t level, std::uint32_t column, std::uint32_t row, bool min_mip);
  [[nodiscard]] std::uint32_t recorded_level(std::uint32_t level) const;
  FootprintView view_;
  std::uint32_t region_width_ = 4, region_height_ = 4;
  Options options_;
  std::vector<std::uint8_t> min_mip_;
  std::vector<std::vector<std::uint8_t>> used_;
};

/// Records the texels that ordinary samples of one surface read. `layer_slice`: only this stored slice of an array (2D
/// views).
class FootprintRecorder : public TexelObserver {
 public:
  FootprintRecorder(const image::Surface& surface, FootprintMap& map, bool weighted_only = false,
                    std::uint32_t layer_slice = 0)
      : surface_(&surface), map_(&map), weighted_only_(weighted_only), slice_(layer_slice) {}
  void texel(const TexelTouch& touch) override;

 private:
  const image::Surface* surface_;
  FootprintMap* map_;
  bool weighted_only_;
  std::uint32_t slice_;
};
class FeedbackRecorder : public TexelObserver {
 public:
  FeedbackRecorder(const image::Surface& surface, FeedbackMap& map, std::uint32_t layer_slice = 0)
      : surface_(&surface), map_(&map), slice_(layer_slice) {}
  void texel(const TexelTouch& touch) override;

 private:
  const image::Surface* surface_;
  FeedbackMap* map_;
  std::uint32_t slice_;
};

}  // namespace heddle::texture
