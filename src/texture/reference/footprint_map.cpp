// SPDX-License-Identifier: MIT
// Footprint maps and feedback maps: footprint.md section 12.
// Rules: FP-12, FP-13, FP-27 to FP-30.

#include "texture/footprint_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace heddle::texture {
namespace {

std::uint32_t divide_up(std::uint32_t a, std::uint32_t b) { return a / b + (a % b != 0 ? 1 : 0); }

Coordinates3 size_of_level(const FootprintView& view, std::uint32_t level) {
  Coordinates3 size{1, 1, 1};
  for (unsigned k = 0; k < view.dim; ++k) size[k] = level < 32 ? std::max(1u, view.size[k] >> level) : 1u;
  return size;
}

bool plausible(const FootprintView& view) {
  bool good = (view.dim == 2 || view.dim == 3) && view.levels >= 1 && view.levels <= 32;
  for (unsigned k = 0; k < view.dim && k < 3; ++k) good &= view.size[k] >= 1 && view.size[k] <= (1u << 21);
  return good;
}

}  // namespace

base::Result<FootprintMap> FootprintMap::create(const FootprintView& view, std::uint32_t granularity,
                                                const base::Limits& limits) {
  if (!plausible(view))
    return base::error("footprint-query", "a footprint map needs a 2D or 3D view with sizes of at least 1");
  const auto group = granularity_size(view.dim, granularity);
  if (!group)
    return base::error("footprint-granularity-value",
                       fmt::format("granularity {} is not defined for Dim {}D", granularity, view.dim));
  FootprintMap map;
  map.view_ = view;
  map.granularity_ = granularity;
  map.group_ = *group;
  std::uint64_t bytes = 0;
  for (std::uint32_t level = 0; level < view.levels; ++level) {
    const Coordinates3 sets = map.level_sets(level);
    bytes += std::uint64_t{8} * sets[0] * sets[1] * sets[2];
    if (bytes > limits.memory_bytes)
      return base::limit_error(
          "limit-memory", fmt::format("a footprint map of more than {} bytes (--max-memory)", limits.memory_bytes));
  }
  for (std::uint32_t level = 0; level < view.levels; ++level) {
    const Coordinates3 sets = map.level_sets(level);
    map.levels_.emplace_back(std::size_t{sets[0]} * sets[1] * sets[2]);
  }
  return map;
}

Coordinates3 FootprintMap::level_size(std::uint32_t level) const { return size_of_level(view_, level); }
Coordinates3 FootprintMap::level_groups(std::uint32_t level) const {
  const Coordinates3 size = level_size(level);
  return {divide_up(size[0], group_[0]), divide_up(size[1], group_[1]), divide_up(size[2], group_[2])};
}
Coordinates3 FootprintMap::level_sets(std::uint32_t level) const {
  const Coordinates3 groups = level_groups(level);
  const std::uint32_t w = set_width(view_.dim);
  return {divide_up(groups[0], w), divide_up(groups[1], w), view_.dim == 3 ? divide_up(groups[2], w) : 1};
}

std::size_t FootprintMap::word_of(std::uint32_t level, const Coordinates3& group) const {
  const Coordinates3 sets = level_sets(level);
  const std::uint32_t w = set_width(view_.dim);
  const std::size_t z = view_.dim == 3 ? group[2] / w : 0;
  return (z * sets[1] + group[1] / w) * sets[0] + group[0] / w;
}
std::uint64_t FootprintMap::bit_of(const Coordinates3& group) const {
  const std::uint32_t w = set_width(view_.dim);
  const std::uint32_t bit = group[0] % w + group[1] % w * w + (view_.dim == 3 ? group[2] % w * w * w : 0);
  return std::uint64_t{1} << bit;
}

void FootprintMap::mark_group(std::uint32_t level, const Coordinates3& group) {
  if (level >= levels_.size()) return;
  const Coordinates3 groups = level_groups(level);
  for (unsigned k = 0; k < 3; ++k)
    if (group[k] >= groups[k]) return;
  levels_[level][word_of(level, group)] |= bit_of(group);
}
void FootprintMap::mark_texel(std::uint32_t level, const Coordinates3& texel) {
  mark_group(level, {texel[0] / group_[0], texel[1] / group_[1], texel[2] / group_[2]});
}

void FootprintMap::insert(const Footprint& footprint) {
  if (footprint.mask == 0 || footprint.lod >= levels_.size()) return;
  if (footprint.granularity == 0) {
    const Coordinates3 sets = level_sets(footprint.lod);
    const SplitMasks parts = split(footprint, view_.dim);
    for (const SetMask& part : parts.all()) {
      Coordinates3 at{};
      for (unsigned k = 0; k < view_.dim; ++k) {  // toroidal: modulo the array
        const std::int64_t count = sets[k];
        at[k] = static_cast<std::uint32_t>(((part.set[k] % count) + count) % count);
      }
      levels_[footprint.lod][(std::size_t{at[2]} * sets[1] + at[1]) * sets[0] + at[0]] |= part.mask;
    }
    return;
  }
  const auto big = granularity_size(view_.dim, footprint.granularity);
  if (!big) return;
  const Coordinates3 size = level_size(footprint.lod);
  for (const Group& g : decode(footprint, view_.dim)) {
    Coordinates3 low{}, high{};  // groups of this map inside the coarser one, cut to the level
    for (unsigned k = 0; k < 3; ++k) {
      const auto extent = static_cast<std::int64_t>((*big)[k]);
      const std::int64_t whole = divide_up(size[k], (*big)[k]);
      const std::int64_t group = g[k] < 0 ? g[k] + whole : g[k];
      low[k] = static_cast<std::uint32_t>(group * extent / group_[k]);
      high[k] = static_cast<std::uint32_t>(std::min<std::int64_t>((group + 1) * extent, size[k]));
      high[k] = divide_up(high[k], group_[k]);
    }
    for (std::uint32_t z = low[2]; z < high[2]; ++z)
      for (std::uint32_t y = low[1]; y < high[1]; ++y)
        for (std::uint32_t x = low[0]; x < high[0]; ++x) mark_group(footprint.lod, {x, y, z});
  }
}

bool FootprintMap::group_touched(std::uint32_t level, const Coordinates3& group) const {
  if (level >= levels_.size()) return false;
  const Coordinates3 groups = level_groups(level);
  for (unsigned k = 0; k < 3; ++k)
    if (group[k] >= groups[k]) return false;
  return (levels_[level][word_of(level, group)] & bit_of(group)) != 0;
}
bool FootprintMap::texel_touched(std::uint32_t level, const Coordinates3& texel) const {
  return group_touched(level, {texel[0] / group_[0], texel[1] / group_[1], texel[2] / group_[2]});
}

std::vector<Coordinates3> FootprintMap::touched_groups(std::uint32_t level) const {
  std::vector<Coordinates3> touched;
  if (level >= levels_.size()) return touched;
  const Coordinates3 groups = level_groups(level);
  for (std::uint32_t z = 0; z < groups[2]; ++z)
    for (std::uint32_t y = 0; y < groups[1]; ++y)
      for (std::uint32_t x = 0; x < groups[0]; ++x)
        if (group_touched(level, {x, y, z})) touched.push_back({x, y, z});
  return touched;
}

double FootprintMap::touched_fraction(std::uint32_t level) const {
  if (level >= levels_.size()) return 0;
  std::uint64_t touched = 0;
  for (const std::uint64_t word : levels_[level]) touched += static_cast<std::uint64_t>(std::popcount(word));
  const Coordinates3 groups = level_groups(level);
  return static_cast<double>(touched) / (static_cast<double>(groups[0]) * groups[1] * groups[2]);
}

void FootprintMap::clear() {
  for (auto& level : levels_) std::ranges::fill(level, 0);
}

bool FootprintMap::merge(const FootprintMap& other) {
  if (other.granularity_ != granularity_ || other.view_.dim != view_.dim || other.view_.size != view_.size ||
      other.levels_.size() != levels_.size())
    return false;
  for (std::size_t level = 0; level < levels_.size(); ++level)
    for (std::size_t k = 0; k < levels_[level].size(); ++k) levels_[level][k] |= other.levels_[level][k];
  return true;
}
bool FootprintMap::subtract(const FootprintMap& other) {
  if (other.granularity_ != granularity_ || other.view_.dim != view_.dim || other.view_.size != view_.size ||
      other.levels_.size() != levels_.size())
    return false;
  for (std::size_t level = 0; level < levels_.size(); ++level)
    for (std::size_t k = 0; k < levels_[level].size(); ++k) levels_[level][k] &= ~other.levels_[level][k];
  return true;
}

base::Result<FeedbackMap> FeedbackMap::create(const FootprintView& view, std::uint32_t region_width,
                                              std::uint32_t region_height, const Options& options,
                                              const base::Limits& limits) {
  if (!plausible(view) || view.dim != 2) return base::error("footprint-query", "a feedback map needs a 2D view");
  const auto good = [](std::uint32_t region, std::uint32_t size) {
    return std::has_single_bit(region) && region >= 4 && region <= size / 2;
  };
  if (!good(region_width, view.size[0]) || !good(region_height, view.size[1]))
    return base::error("footprint-feedback-region",
                       fmt::format("region {}x{} of a {}x{} level: powers of two from 4 to half the level",
                                   region_width, region_height, view.size[0], view.size[1]));
  FeedbackMap map;
  map.view_ = view;
  map.region_width_ = region_width;
  map.region_height_ = region_height;
  map.options_ = options;
  std::uint64_t bytes = 0;
  for (std::uint32_t level = 0; level < view.levels; ++level)
    bytes += std::uint64_t{map.columns(level)} * map.rows(level);
  if (bytes * 2 > limits.memory_bytes)
    return base::limit_error("limit-memory",
                             fmt::format("a feedback map of more than {} bytes (--max-memory)", limits.memory_bytes));
  for (std::uint32_t level = 0; level < view.levels; ++level)
    map.used_.emplace_back(std::size_t{map.columns(level)} * map.rows(level));
  map.min_mip_.assign(std::size_t{map.columns(0)} * map.rows(0), kNone);
  return map;
}

std::uint32_t FeedbackMap::query_granularity(std::uint32_t region_width, std::uint32_t region_height) {
  std::uint32_t best = 1;
  for (std::uint32_t g = 1; g <= 15; ++g)
    if (const auto size = granularity_size(2, g);
        size && region_width % (*size)[0] == 0 && region_height % (*size)[1] == 0)
      best = g;
  return best;
}

std::uint32_t FeedbackMap::columns(std::uint32_t level) const {
  return divide_up(size_of_level(view_, level)[0], region_width_);
}
std::uint32_t FeedbackMap::rows(std::uint32_t level) const {
  return divide_up(size_of_level(view_, level)[1], region_height_);
}

std::uint32_t FeedbackMap::recorded_level(std::uint32_t level) const {
  if (!options_.merge_tail) return level;
  for (std::uint32_t l = 0; l < level; ++l) {
    const Coordinates3 size = size_of_level(view_, l);
    if (size[0] < view_.size[0] / region_width_ || size[1] < view_.size[1] / region_height_) return l;
  }
  return level;
}

void FeedbackMap::mark_region(std::uint32_t level, std::uint32_t column, std::uint32_t row, bool min_mip) {
  const Coordinates3 size = size_of_level(view_, level);
  used_[level][std::size_t{row} * columns(level) + column] = 255;
  if (!min_mip) return;
  // Spread form: the level-0 regions under [x0, x1) x [y0, y1).
  const auto span = [](std::uint64_t from, std::uint64_t to, std::uint64_t base, std::uint64_t width,
                       std::uint64_t region) {
    const std::uint64_t scale = width * region;
    return std::pair{from * base / scale, (to * base + scale - 1) / scale};
  };
  const std::uint32_t x0 = column * region_width_, x1 = std::min(x0 + region_width_, size[0]);
  const std::uint32_t y0 = row * region_height_, y1 = std::min(y0 + region_height_, size[1]);
  const auto [first_x, end_x] = span(x0, x1, view_.size[0], size[0], region_width_);
  const auto [first_y, end_y] = span(y0, y1, view_.size[1], size[1], region_height_);
  const auto value = static_cast<std::uint8_t>(recorded_level(level));
  for (std::uint64_t y = first_y; y < std::min<std::uint64_t>(end_y, rows(0)); ++y)
    for (std::uint64_t x = first_x; x < std::min<std::uint64_t>(end_x, columns(0)); ++x) {
      std::uint8_t& at = min_mip_[y * columns(0) + x];
      at = std::min(at, value);
    }
}

void FeedbackMap::mark_point(std::uint32_t level, const std::array<float, 2>& coordinate) {
  const auto region = [](float u, std::uint32_t size, std::uint32_t extent, std::uint32_t count) {
    const double texel = std::floor(static_cast<double>(std::isnan(u) ? 0.0f : u) * size / extent);
    return static_cast<std::size_t>(std::clamp(texel, 0.0, static_cast<double>(count - 1)));
  };
  const std::size_t x = region(coordinate[0], view_.size[0], region_width_, columns(0));
  const std::size_t y = region(coordinate[1], view_.size[1], region_height_, rows(0));
  std::uint8_t& at = min_mip_[y * columns(0) + x];
  at = std::min(at, static_cast<std::uint8_t>(recorded_level(level)));
}

void FeedbackMap::insert(const Footprint& footprint, std::uint32_t requested, const std::array<float, 2>& coordinate) {
  const auto size = granularity_size(2, footprint.granularity != 0 ? footprint.granularity : requested);
  if (footprint.mask == 0 || footprint.lod >= used_.size() || !size) return;
  const bool spread = options_.form == Form::Spread;
  const Coordinates3 level = size_of_level(view_, footprint.lod);
  for (const Group& g : decode(footprint, 2)) {
    std::array<std::uint32_t, 2> low{}, high{};
    const std::array<std::uint32_t, 2> region{region_width_, region_height_};
    for (unsigned k = 0; k < 2; ++k) {
      const std::int64_t whole = divide_up(level[k], (*size)[k]);
      const std::int64_t group = g[k] < 0 ? g[k] + whole : g[k];
      low[k] = static_cast<std::uint32_t>(group * (*size)[k] / region[k]);
      high[k] =
          divide_up(static_cast<std::uint32_t>(std::min<std::int64_t>((group + 1) * (*size)[k], level[k])), region[k]);
    }
    for (std::uint32_t y = low[1]; y < high[1]; ++y)
      for (std::uint32_t x = low[0]; x < high[0]; ++x) mark_region(footprint.lod, x, y, spread);
  }
  if (!spread) mark_point(footprint.lod, coordinate);
}

void FeedbackMap::insert(const FootprintSet& set, const std::array<float, 2>& coordinate) {
  const auto size = granularity_size(2, set.granularity);
  if (set.groups.empty() || set.lod >= used_.size() || !size) return;
  const bool spread = options_.form == Form::Spread;
  const Coordinates3 level = size_of_level(view_, set.lod);
  for (const Group& g : set.groups) {
    const auto x0 = static_cast<std::uint32_t>(g[0]) * (*size)[0], y0 = static_cast<std::uint32_t>(g[1]) * (*size)[1];
    const std::uint32_t x1 = std::min(x0 + (*size)[0], level[0]), y1 = std::min(y0 + (*size)[1], level[1]);
    for (std::uint32_t y = y0 / region_height_; y < divide_up(y1, region_height_); ++y)
      for (std::uint32_t x = x0 / region_width_; x < divide_up(x1, region_width_); ++x)
        mark_region(set.lod, x, y, spread);
  }
  if (!spread) mark_point(set.lod, coordinate);
}

void FeedbackMap::mark_texel(std::uint32_t level, std::uint32_t x, std::uint32_t y) {
  if (level >= used_.size()) return;
  const std::uint32_t column = x / region_width_, row = y / region_height_;
  if (column < columns(level) && row < rows(level)) mark_region(level, column, row, options_.form == Form::Spread);
}

bool FeedbackMap::set_mip_region_used(std::uint32_t level, std::span<const std::uint8_t> bytes) {
  if (level >= used_.size() || bytes.size() != used_[level].size()) return false;
  std::ranges::transform(bytes, used_[level].begin(),
                         [](std::uint8_t b) { return static_cast<std::uint8_t>(b != 0 ? 255 : 0); });
  return true;
}

void FeedbackMap::clear() {
  std::ranges::fill(min_mip_, kNone);
  for (auto& level : used_) std::ranges::fill(level, 0);
}

bool FeedbackMap::merge(const FeedbackMap& other) {
  if (other.view_.size != view_.size || other.used_.size() != used_.size() || other.region_width_ != region_width_ ||
      other.region_height_ != region_height_)
    return false;
  for (std::size_t k = 0; k < min_mip_.size(); ++k) min_mip_[k] = std::min(min_mip_[k], other.min_mip_[k]);
  for (std::size_t level = 0; level < used_.size(); ++level)
    for (std::size_t k = 0; k < used_[level].size(); ++k) used_[level][k] |= other.used_[level][k];
  return true;
}

void FootprintRecorder::texel(const TexelTouch& touch) {
  if (touch.surface != surface_ || touch.written || (weighted_only_ && !touch.weighted)) return;
  const bool volume = surface_->type == image::SurfaceType::Dim3;
  if ((!volume && touch.slice != slice_) || touch.level < surface_->surf_min_lod) return;
  map_->mark_texel(touch.level - surface_->surf_min_lod, {touch.x, touch.y, volume ? touch.slice : 0});
}

void FeedbackRecorder::texel(const TexelTouch& touch) {
  if (touch.surface != surface_ || touch.written || touch.slice != slice_ || touch.level < surface_->surf_min_lod)
    return;
  map_->mark_texel(touch.level - surface_->surf_min_lod, touch.x, touch.y);
}

}  // namespace heddle::texture
