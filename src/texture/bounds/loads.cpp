// SPDX-License-Identifier: MIT
// Rules: BND-11, BND-15, LD-3, LD-10, SUR-7.
#include "texture/bounds/loads.hpp"

#include <array>
#include <cmath>

#include "texture/bounds/texels.hpp"

namespace heddle::texture::bounds {
namespace {

using image::ChannelSelect;
using image::Surface;
using image::SurfaceType;

/// What a load finds at its address.
enum class Found : std::uint8_t {
  Texel,
  Outside,  ///< coordinates or a layer that the level does not have
  Nothing,  ///< a level or a sample that the view does not have: the texts say nothing
};

bool is_inside(std::int64_t at, std::uint32_t size) { return at >= 0 && at < static_cast<std::int64_t>(size); }

Found find_texel(const LaneRequest& request, unsigned k) {
  const Surface& s = *request.surface;
  if (s.is_buffer()) return request.word(Param::U, k) < s.entries ? Found::Texel : Found::Outside;
  const Operation& op = operation(request.op);
  const std::uint32_t lod = op.has(Param::Lod) ? request.word(Param::Lod, k) : 0;
  if (lod > s.mip_count || lod < s.unread_levels) return Found::Nothing;
  if (op.has(Param::Si) && request.word(Param::Si, k) >= s.samples) return Found::Nothing;
  const std::uint32_t level = s.surf_min_lod + lod;
  const std::array<std::uint32_t, 3> size{s.level_width(level), s.level_height(level), s.level_depth(level)};
  const unsigned axes = s.type == SurfaceType::Dim1 ? 1 : s.type == SurfaceType::Dim2 ? 2 : 3;
  constexpr std::array<Param, 3> kAxes{Param::U, Param::V, Param::R};
  for (unsigned axis = 0; axis < axes; ++axis)
    if (!is_inside(static_cast<std::int64_t>(request.word(kAxes[axis], k)) + request.offset[axis], size[axis]))
      return Found::Outside;
  return axes == 3 || request.word(kAxes[axes], k) < s.array_length() ? Found::Texel : Found::Outside;
}

/// One channel of the texel that was read, `word` after the channel selects (SUR-7).
ValueSet of_texel(const SampledFormat& format, ChannelSelect select, std::uint32_t word) {
  const double value = number_of(word, format.value_class);
  ValueSet set;
  if (!std::isfinite(value)) {
    set.allow_anything();
    return set;
  }
  if (select == ChannelSelect::Zero || select == ChannelSelect::One) return ValueSet::of(value);
  const unsigned c = static_cast<unsigned>(select) - static_cast<unsigned>(ChannelSelect::Red);
  set.add({{value, value}, decoded_range(format, true, c, value), {}, {}});
  return set;
}

/// BND-15: zeros, with an alpha of 0 or of 1. WebGPU may give any texel of the image, and a buffer what lies behind it.
ValueSet outside(const Surface& surface, Api api, ChannelSelect select) {
  ValueSet set = ValueSet::of(select == ChannelSelect::One ? 1 : 0);
  if (select == ChannelSelect::Alpha) set.add(ValueSet::of(1));
  if (api == Api::WebGpu || (api == Api::Vulkan && surface.is_buffer())) set.allow_anything();
  return set;
}

}  // namespace

std::optional<Bounds> load_bounds(const LaneRequest& request, Api api, OperationContext& context) {
  const LaneResult answer = execute(request, context);
  if (context.reports.has_errors()) return std::nullopt;
  const Surface* surface = request.surface;
  // A null surface has zeros alone, and control data of samples is no texel.
  const bool words = surface == nullptr || surface->type == SurfaceType::Null || request.op == Op::LdMcs;
  Bounds bounds;
  bounds.value_class = answer.value_class;
  bounds.lanes.resize(request.simd);
  for (unsigned k = 0; k < request.simd && k < kMaxLanes; ++k) {
    if (!request.is_active(k)) continue;
    bounds.lanes[k] = {true, "BND-15", {}};
    const Found found = words ? Found::Texel : find_texel(request, k);
    for (unsigned c = 0; c < 4; ++c) {
      ValueSet& set = bounds.lanes[k].channels[c];
      if (words)
        set = ValueSet::of(number_of(answer.channels[c][k], answer.value_class));
      else if (found == Found::Nothing)
        set.allow_anything();
      else if (found == Found::Outside)
        set = outside(*surface, api, surface->swizzle[c]);
      else
        set = of_texel(sampled_format(surface->info()), surface->swizzle[c], answer.channels[c][k]);
    }
  }
  return bounds;
}

}  // namespace heddle::texture::bounds
