#include "job/texel_coverage.hpp"

#include <algorithm>
#include <bit>

namespace heddle::job {

void TexelCoverage::texel(const texture::TexelTouch& t) {
  if (t.surface == nullptr || t.surface->is_buffer() || t.level >= t.surface->layout.size()) return;
  const std::tuple key{t.surface, t.level, t.slice};
  if (last_ == nullptr || key != last_key_) {
    const image::LevelLayout& level = t.surface->layout[t.level];
    remember_shape(*t.surface);
    Plane& plane = planes_[{t.surface->name, t.level, t.slice}];
    if (plane.reads.empty()) {
      plane.level = t.level;
      plane.slice = t.slice;
      plane.width = level.width;
      plane.height = level.height;
      plane.reads.resize(std::size_t{level.width} * level.height);
      plane.writes.resize(plane.reads.size());
    }
    last_ = &plane;
    last_key_ = key;
  }
  const std::size_t at = std::size_t{t.y} * last_->width + t.x;
  if (t.x < last_->width && at < last_->reads.size()) ++(t.written ? last_->writes : last_->reads)[at];
}

TexelCoverage::Extent TexelCoverage::extent(const std::string& name) const {
  const auto found = extents_.find(name);
  return found == extents_.end() ? Extent{} : found->second;
}

void TexelCoverage::remember_shape(const image::Surface& surface) {
  std::vector<Plane>& shape = shapes_[surface.name];
  if (!shape.empty()) return;
  extents_[surface.name] = {static_cast<std::uint32_t>(surface.layout.size()), surface.layout[0].slices};
  constexpr std::uint32_t kMost = 4096;
  const std::uint32_t slices = std::min(kMost, surface.layout[0].slices);
  for (std::uint32_t slice = 0; slice < slices; ++slice)
    for (std::uint32_t level = 0; level < surface.layout.size(); ++level)
      if (const image::LevelLayout& l = surface.layout[level]; slice < l.slices)
        shape.push_back({level, slice, l.width, l.height, {}, {}});
}

std::vector<TexelCoverage::Plane> TexelCoverage::planes(const std::string& name, std::size_t most) const {
  const auto shape = shapes_.find(name);
  if (shape == shapes_.end()) return {};
  std::vector<Plane> all;
  for (const Plane& plane : shape->second) {
    const auto touched = planes_.find({name, plane.level, plane.slice});
    if (touched != planes_.end())
      all.push_back(touched->second);
    else if (shape->second.size() <= most)
      all.push_back(plane);
  }
  return all;
}

std::optional<image::Surface> TexelCoverage::picture(const std::string& name, std::uint32_t level,
                                                     std::uint32_t slice) const {
  const auto found = planes_.find({name, level, slice});
  if (found == planes_.end()) return std::nullopt;
  const Plane& plane = found->second;
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
    texel[2] = 24;
    texel[3] = 255;
  }
  return result;
}

}  // namespace heddle::job
