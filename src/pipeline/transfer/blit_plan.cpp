// SPDX-License-Identifier: MIT
// Rules: TRF-6 to TRF-12.

#include "pipeline/transfer/blit_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/half.hpp"

namespace heddle::pipeline::transfer {
namespace {

using image::SurfaceType;

base::Diagnostic wrong(const image::Surface& surface, const char* id, const std::string& message) {
  return base::error(id, fmt::format("{}: {}", surface.name.empty() ? "image" : surface.name, message));
}

std::int64_t floor_divide(std::int64_t a, std::int64_t positive) {
  return a >= 0 ? a / positive : -((-a + positive - 1) / positive);
}

/// The box between two corners, whichever is the greater; nullopt: it is empty.
std::optional<ImageBox> box_of(const BlitBox& side, const image::Surface& surface) {
  const auto [a, b] = side.corners;
  const auto extent = [](std::int32_t p, std::int32_t q) {
    return static_cast<std::uint32_t>(std::abs(std::int64_t{q} - p));
  };
  ImageBox box{side.level,
               side.first_layer,
               side.layers,
               {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)},
               {extent(a.x, b.x), extent(a.y, b.y), extent(a.z, b.z)}};
  if (surface.type == SurfaceType::Dim3) box.layers = 1;
  if (box.extent.width == 0 || box.extent.height == 0 || box.extent.depth == 0) return std::nullopt;
  return box;
}

/// As region_of, but a blit reads blocks texel by texel: nothing need be aligned.
base::Result<Region> blitted_region(const image::Surface& surface, const BlitBox& side) {
  if (auto checked = check_surface(surface); !checked.ok()) return checked.failure();
  const auto box = box_of(side, surface);
  if (!box || side.level >= surface.layout.size())
    return wrong(surface, "transfer-region",
                 fmt::format("a side of the blit is empty, or there is no level {}", side.level));
  const image::FormatInfo& format = surface.info();
  if (surface.samples != 1 || !image::decodable(format) || format.compression == image::Compression::Ycrcb422)
    return wrong(surface, "transfer-format",
                 fmt::format("{} with {} samples can't be blitted", format.name, surface.samples));
  const image::LevelLayout& at = surface.layout[side.level];
  const auto inside = [](std::int32_t offset, std::uint32_t extent, std::uint32_t size) {
    return offset >= 0 && std::int64_t{offset} + extent <= size;
  };
  const bool volume = surface.type == SurfaceType::Dim3;
  const bool fits = inside(box->offset.x, box->extent.width, at.width) &&
                    inside(box->offset.y, box->extent.height, at.height) &&
                    (volume ? side.first_layer == 0 && inside(box->offset.z, box->extent.depth, at.slices)
                            : box->offset.z == 0 && box->extent.depth == 1 && box->layers != 0 &&
                                  std::uint64_t{side.first_layer} + box->layers <= at.slices);
  if (!fits)
    return wrong(surface, "transfer-region",
                 fmt::format("a side of the blit, ({}, {}, {}) to ({}, {}, {}), leaves level {}", side.corners[0].x,
                             side.corners[0].y, side.corners[0].z, side.corners[1].x, side.corners[1].y,
                             side.corners[1].z, side.level));
  Region region{&surface, &format, side.level, 0, 0, 0, 0, 0, 0};
  region.first_slice = volume ? static_cast<std::uint32_t>(box->offset.z) : side.first_layer;
  region.slices = volume ? box->extent.depth : box->layers;
  region.first_column = static_cast<std::uint32_t>(box->offset.x);
  region.first_row = static_cast<std::uint32_t>(box->offset.y);
  region.columns = box->extent.width;
  region.rows = box->extent.height;
  return region;
}

BlitAxis axis(std::int32_t s0, std::int32_t s1, std::int32_t d0, std::int32_t d1, std::uint32_t size) {
  return {{s0, s1}, {d0, d1}, size};
}

}  // namespace

std::uint32_t BlitAxis::first() const { return static_cast<std::uint32_t>(std::min(destination[0], destination[1])); }
std::uint32_t BlitAxis::count() const { return static_cast<std::uint32_t>(std::abs(destination[1] - destination[0])); }
bool BlitAxis::scaled() const { return std::abs(source[1] - source[0]) != std::abs(destination[1] - destination[0]); }

AxisTap BlitAxis::tap(std::uint32_t at, bool linear) const {
  // TRF-7: u = (at + 1/2 - d0) * (s1 - s0) / (d1 - d0) + s0, as numerator / denominator.
  const std::int64_t half = linear ? 1 : 0;
  std::int64_t denominator = 2 * (destination[1] - destination[0]);
  std::int64_t numerator =
      (2 * (std::int64_t{at} - destination[0]) + 1) * (source[1] - source[0]) + source[0] * denominator;
  if (denominator < 0) numerator = -numerator, denominator = -denominator;
  numerator -= half * (denominator / 2);  // TRF-9: texel centers lie at 1/2
  const std::int64_t below = floor_divide(numerator, denominator);
  const auto clamped = [this](std::int64_t i) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(i, 0, std::int64_t{size} - 1));  // TRF-10
  };
  AxisTap tap{clamped(below), clamped(below), 0};
  if (!linear) return tap;
  tap.second = clamped(below + 1);
  tap.weight =
      static_cast<float>(static_cast<double>(numerator - below * denominator) / static_cast<double>(denominator));
  return tap;
}

base::Result<BlitPlan> blit_plan(const image::Surface& from, const BlitBox& source, const image::Surface& to,
                                 const BlitBox& destination, image::Filter filter) {
  const auto read = blitted_region(from, source);
  if (!read.ok()) return read.failure();
  const auto written = blitted_region(to, destination);
  if (!written.ok()) return written.failure();
  BlitPlan plan;
  plan.from = *read;
  plan.to = *written;
  const image::LevelLayout& level = from.layout[source.level];
  const auto& [s0, s1] = source.corners;
  const auto& [d0, d1] = destination.corners;
  plan.x = axis(s0.x, s1.x, d0.x, d1.x, level.width);
  plan.y = axis(s0.y, s1.y, d0.y, d1.y, level.height);
  const bool volume_from = from.type == SurfaceType::Dim3, volume_to = to.type == SurfaceType::Dim3;
  if (!(volume_from && volume_to) && plan.from.slices != plan.to.slices)
    return wrong(to, "transfer-region",
                 fmt::format("{} slices or layers are blitted to {}", plan.from.slices, plan.to.slices));
  plan.volumes = volume_from || volume_to;
  const auto slices = [](bool volume, const BlitBox& side, const Region& region) {
    const auto first = static_cast<std::int32_t>(region.first_slice);
    return volume ? std::pair(side.corners[0].z, side.corners[1].z)
                  : std::pair(first, first + static_cast<std::int32_t>(region.slices));
  };
  const auto [s0z, s1z] = slices(volume_from, source, plan.from);
  const auto [d0z, d1z] = slices(volume_to, destination, plan.to);
  plan.z = axis(s0z, s1z, d0z, d1z, level.slices);
  plan.from_slice = plan.from.first_slice;
  const image::FormatInfo &a = *plan.from.format, &b = *plan.to.format;
  const bool filtered = plan.x.scaled() || plan.y.scaled() || (plan.volumes && plan.z.scaled());
  plan.linear = filter == image::Filter::Linear && filtered && a.value_class == image::ValueClass::Float;
  plan.copies_elements = a.format == b.format && !plan.linear && a.compression == image::Compression::None;
  if (a.value_class != b.value_class || b.compression != image::Compression::None ||
      (!plan.copies_elements && !image::encodable(b)))
    return wrong(to, "transfer-format", fmt::format("{} can't be blitted to {}", a.name, b.name));
  return plan;
}

AxisTap slice_tap(const BlitPlan& plan, std::uint32_t k) {
  if (plan.volumes) return plan.z.tap(plan.z.first() + k, plan.linear);
  return {plan.from_slice + k, plan.from_slice + k, 0};
}

float interpolate(float a, float b, float weight) { return weight == 0 ? a : base::canonical(a + (b - a) * weight); }

}  // namespace heddle::pipeline::transfer
