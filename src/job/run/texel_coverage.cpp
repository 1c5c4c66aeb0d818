// SPDX-License-Identifier: MIT
#include "job/run/texel_coverage.hpp"

#include <algorithm>
#include <bit>

namespace heddle::job {

TexelCoverage::Counted* TexelCoverage::counted(const image::Surface& surface, std::uint32_t level,
                                               std::uint32_t slice) {
  if (surface.is_buffer() || level >= surface.layout.size()) return nullptr;
  const std::tuple key{&surface, level, slice};
  if (last_ != nullptr && key == last_key_) return last_;
  const image::LevelLayout& l = surface.layout[level];
  remember_shape(surface);
  Counted& counted = planes_[{surface.name, level, slice}];
  if (Plane& plane = counted.plane; plane.reads.empty()) {
    plane.level = level;
    plane.slice = slice;
    plane.width = l.width;
    plane.height = l.height;
    plane.reads.resize(std::size_t{l.width} * l.height);
    plane.writes.resize(plane.reads.size());
  }
  last_ = &counted;
  last_key_ = key;
  return last_;
}

void TexelCoverage::texel(const texture::TexelTouch& t) {
  Counted* to = t.surface == nullptr ? nullptr : counted(*t.surface, t.level, t.slice);
  if (to == nullptr) return;
  Plane& plane = to->plane;
  const std::size_t at = std::size_t{t.y} * plane.width + t.x;
  if (t.x < plane.width && at < plane.reads.size()) ++(t.written ? plane.writes : plane.reads)[at];
}

void TexelCoverage::footprint(const machine::FootprintTouch& t) {
  Counted* to = t.surface == nullptr ? nullptr : counted(*t.surface, t.level, t.slice);
  if (to == nullptr) return;
  const Plane& plane = to->plane;
  if (t.x >= plane.width || t.y >= plane.height) return;
  const std::size_t pitch = std::size_t{plane.width} + 1;
  if (to->corners.empty()) to->corners.resize(pitch * (std::size_t{plane.height} + 1));
  const std::size_t right = t.x + std::min(t.width, plane.width - t.x);
  const std::size_t bottom = t.y + std::min(t.height, plane.height - t.y);
  ++to->corners[t.y * pitch + t.x];
  --to->corners[t.y * pitch + right];
  --to->corners[bottom * pitch + t.x];
  ++to->corners[bottom * pitch + right];
}

TexelCoverage::Plane TexelCoverage::Counted::whole() const {
  Plane result = plane;
  if (corners.empty()) return result;
  result.queries.resize(result.reads.size());
  const std::size_t pitch = std::size_t{plane.width} + 1;
  std::vector<std::int32_t> column(plane.width);  // the sum of the changes above and in this row
  for (std::size_t y = 0; y < plane.height; ++y) {
    std::int32_t count = 0;
    for (std::size_t x = 0; x < plane.width; ++x) {
      column[x] += corners[y * pitch + x];
      count += column[x];
      result.queries[y * plane.width + x] = static_cast<std::uint32_t>(count);
    }
  }
  return result;
}

TexelCoverage::Extent TexelCoverage::extent(const std::string& name) const {
  const auto found = extents_.find(name);
  return found == extents_.end() ? Extent{} : found->second;
}

void TexelCoverage::remember_shape(const image::Surface& surface) {
  std::vector<Plane>& shape = shapes_[surface.name];
  if (!shape.empty()) return;
  extents_[surface.name] = {static_cast<std::uint32_t>(surface.layout.size()), surface.layout[0].slices};
  constexpr std::uint32_t kMax = 4096;
  const std::uint32_t slices = std::min(kMax, surface.layout[0].slices);
  for (std::uint32_t slice = 0; slice < slices; ++slice)
    for (std::uint32_t level = 0; level < surface.layout.size(); ++level)
      if (const image::LevelLayout& l = surface.layout[level]; slice < l.slices)
        shape.push_back({level, slice, l.width, l.height, {}, {}, {}});
}

std::vector<TexelCoverage::Plane> TexelCoverage::planes(const std::string& name, std::size_t most) const {
  const auto shape = shapes_.find(name);
  if (shape == shapes_.end()) return {};
  std::vector<Plane> all;
  for (const Plane& plane : shape->second) {
    const auto touched = planes_.find({name, plane.level, plane.slice});
    if (touched != planes_.end())
      all.push_back(touched->second.whole());
    else if (shape->second.size() <= most)
      all.push_back(plane);
  }
  return all;
}

std::optional<image::Surface> TexelCoverage::picture(const std::string& name, std::uint32_t level,
                                                     std::uint32_t slice) const {
  const auto found = planes_.find({name, level, slice});
  if (found == planes_.end()) return std::nullopt;
  const Plane plane = found->second.whole();
  image::Surface result;
  result.width = plane.width;
  result.height = plane.height;
  if (!image::allocate(result).ok()) return std::nullopt;
  const auto shade = [](std::uint32_t count) {
    return count == 0 ? 0u : std::min(255u, 95u + 20u * static_cast<unsigned>(std::bit_width(count)));
  };
  for (std::size_t i = 0; i < plane.reads.size(); ++i) {
    std::uint8_t* texel = result.memory->data() + 4 * i;
    texel[0] = static_cast<std::uint8_t>(shade(plane.reads[i]));
    texel[1] = static_cast<std::uint8_t>(shade(plane.writes[i]));
    texel[2] = static_cast<std::uint8_t>(plane.queries.empty() ? 24 : std::max(24u, shade(plane.queries[i])));
    texel[3] = 255;
  }
  return result;
}

}  // namespace heddle::job
