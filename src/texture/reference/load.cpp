// SPDX-License-Identifier: MIT
// 3D_LOAD: LD-1 to LD-10.

#include <fmt/format.h>

#include <algorithm>

#include "texture/filter.hpp"
#include "texture/reference/resolve.hpp"

namespace heddle::texture {
namespace {

using image::Surface;
using image::SurfaceType;
using image::Texel;

struct MultisampleFormat {
  unsigned bits = 0;           ///< of a sample's field in the MCS value (LD-6)
  std::uint64_t identity = 0;  ///< LD-7 [C46]
};
MultisampleFormat multisample_format(std::uint32_t samples) {
  switch (samples) {
    case 2:
      return {1, 0x2};
    case 4:
      return {2, 0xe4};
    case 8:
      return {3, 0xfac688};
    case 16:
      return {4, 0xfedcba9876543210};
    default:
      return {};
  }
}

struct Address {
  bool inside = false;
  std::uint32_t level = 0, slice = 0, x = 0, y = 0;  ///< slice: stored, before the sample is chosen; z for 3D
};

bool is_multisample(Op op) { return op == Op::Ld2dmsW || op == Op::LdMcs; }

/// LD-2, LD-3: unsigned 64-bit sums [C45]; the index is never offset.
Address address_texel(const LaneRequest& request, unsigned lane) {
  const Surface& s = *request.surface;
  const bool no_lod = request.op == Op::LdLz || request.op == Op::Ld2dmsW;  // LD-5
  const std::uint32_t lod = no_lod ? 0 : request.word(Param::Lod, lane);
  Address a;
  if (lod > s.mip_count || lod < s.unread_levels) return a;  // LD-3, LD-10
  a.level = s.surf_min_lod + lod;
  const auto at = [&](Param p, unsigned axis) {
    return static_cast<std::int64_t>(request.word(p, lane)) + request.offset[axis];
  };
  const auto inside = [](std::int64_t i, std::uint32_t size) { return i >= 0 && i < static_cast<std::int64_t>(size); };
  const std::int64_t x = at(Param::U, 0);
  if (!inside(x, s.level_width(a.level))) return a;
  a.x = static_cast<std::uint32_t>(x);
  if (s.type == SurfaceType::Dim1) {
    const std::uint32_t index = request.word(Param::V, lane);
    if (index >= s.array_length()) return a;
    a.slice = s.min_array_element + index;
  } else {
    const std::int64_t y = at(Param::V, 1);
    if (!inside(y, s.level_height(a.level))) return a;
    a.y = static_cast<std::uint32_t>(y);
    if (s.type == SurfaceType::Dim3) {
      const std::int64_t z = at(Param::R, 2);
      if (!inside(z, s.level_depth(a.level))) return a;
      a.slice = static_cast<std::uint32_t>(z);
    } else {
      const std::uint32_t index = request.word(Param::R, lane);
      if (index >= s.array_length()) return a;
      a.slice = s.min_array_element + index;
    }
  }
  a.inside = true;
  return a;
}

/// LD-1: the MCS value from its two 32-bit or four 16-bit parameters.
std::uint64_t mcs_parameter(const LaneRequest& request, unsigned lane) {
  if (!request.half_parameters)
    return request.word(Param::McsL, lane) | std::uint64_t{request.word(Param::McsH, lane)} << 32;
  std::uint64_t value = 0;
  constexpr Param kWords[] = {Param::Mcs0, Param::Mcs1, Param::Mcs2, Param::Mcs3};
  for (unsigned k = 0; k < 4; ++k) value |= std::uint64_t{request.word(kWords[k], lane) & 0xffffu} << (16 * k);
  return value;
}

/// LD-5, LD-6: the sample slice, or nullopt for clear.
std::optional<std::uint32_t> sample_slice(const Surface& surface, std::uint32_t sample, std::uint64_t mcs) {
  const MultisampleFormat format = multisample_format(surface.samples);
  if (!surface.mcs || format.bits == 0) return sample;
  const std::uint64_t ones = (std::uint64_t{1} << format.bits) - 1;
  const unsigned defined = format.bits * surface.samples;
  const std::uint64_t all = defined >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << defined) - 1;
  mcs &= all;
  if (mcs == all) return std::nullopt;
  const std::uint64_t field = mcs >> (sample * format.bits) & ones;
  if ((mcs & ones) == 0) return static_cast<std::uint32_t>(field);
  if (field == ones) return std::nullopt;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(field, 1) - 1);
}

/// LD-7: the stored MCS value of a pixel, or the identity value.
std::uint64_t stored_mcs(const Surface& surface, const Address& at, FetchNotes& notes) {
  if (!surface.mcs) return reference::identity_mcs(surface.samples);
  const unsigned bytes = surface.samples <= 4 ? 1 : surface.samples == 8 ? 4 : 8;
  const std::uint64_t first = (std::uint64_t{at.y} * surface.level_width(at.level) + at.x) * bytes;
  if (at.slice >= surface.mcs->size() || first + bytes > (*surface.mcs)[at.slice].size()) {
    notes.outside = true;
    return 0;
  }
  std::uint64_t value = 0;
  for (unsigned k = 0; k < bytes; ++k) value |= std::uint64_t{(*surface.mcs)[at.slice][first + k]} << (8 * k);
  return value;
}

/// LD-4, LD-9, SUR-8, NUM-28.
bool refused(const LaneRequest& request, const Operation& op, OperationContext& context) {
  const Surface& s = *request.surface;
  const auto refuse = [&](std::string_view id, const std::string& message) {
    context.refuse(id, message);
    return true;
  };
  const bool flat = s.type == SurfaceType::Dim2;
  const bool allowed = is_multisample(op.op) ? flat
                                             : flat || s.type == SurfaceType::Dim1 || s.type == SurfaceType::Dim3 ||
                                                   s.type == SurfaceType::Buffer || s.type == SurfaceType::StrBuf;
  if (!allowed) return refuse("LD-4", fmt::format("{} is not defined for this surface type", op.name));
  const image::FormatInfo* info = image::format_info(s.format);
  if (info == nullptr)
    return refuse("surface-format", fmt::format("{:#x} is no surface format", static_cast<unsigned>(s.format)));
  if (!image::decodable(*info) && info->compression != image::Compression::Planar420)
    return refuse("NUM-28", fmt::format("{} can't be loaded", info->name));
  if (s.corner_texel) return refuse("SUR-8", "corner texel mode is not supported");
  if (flat && (s.quilt_width != 1 || s.quilt_height != 1))
    return refuse("LD-9", fmt::format("{} can't read a quilted surface", op.name));
  if (const auto generation = generation_of(context.platform);
      generation && !info->support[static_cast<unsigned>(*generation)].sample)
    context.warn("surface-format-support",
                 fmt::format("{} can't be sampled on {}", info->name, name_of(context.platform)));
  return false;
}

struct Loader {
  const LaneRequest& request;
  const Surface& surface;
  Texel out_of_bounds;
  OperationContext& context;
  FetchNotes all{};

  void touch(unsigned lane, const Address& at) {
    if (context.observer == nullptr) return;
    TexelTouch t;
    t.surface = &surface;
    t.level = at.level;
    t.slice = at.slice;
    t.x = at.x;
    t.y = at.y;
    t.lane = lane;
    context.observer->texel(t);
  }

  Texel buffer_entry(unsigned lane, FetchNotes& notes) {  // LD-4
    const std::uint32_t u = request.word(Param::U, lane);
    if (u >= surface.entries) return out_of_bounds;
    const image::Fetched f = image::fetch_entry(surface, u);
    notes = {f.null_page, f.outside};
    touch(lane, {true, 0, 0, u, 0});
    return f.texel;
  }

  Texel mcs_value(unsigned lane, FetchNotes& notes) {
    const Address at = address_texel(request, lane);
    const std::uint64_t value = at.inside ? stored_mcs(surface, at, notes) : 0;
    return {{static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32), 0, 0}};
  }

  Texel texel(unsigned lane, FetchNotes& notes) {
    Address at = address_texel(request, lane);
    if (!at.inside) return out_of_bounds;  // LD-3
    if (surface.type != SurfaceType::Dim3) {
      std::uint32_t sample = 0;  // SUR-10
      if (request.op == Op::Ld2dmsW) {
        const std::uint32_t index = std::min(request.word(Param::Si, lane), surface.samples - 1);
        const auto slice = sample_slice(surface, index, mcs_parameter(request, lane));
        if (!slice) return {surface.clear_color};  // LD-6: not decoded
        sample = std::min(*slice, surface.samples - 1);
      }
      at.slice = at.slice * surface.samples + sample;
    }
    const image::Fetched f = image::fetch(surface, at.level, at.slice, at.x, at.y);
    notes = {f.null_page, f.outside};
    touch(lane, at);
    return f.texel;
  }
};

}  // namespace

std::uint64_t reference::identity_mcs(std::uint32_t samples) { return multisample_format(samples).identity; }

LaneResult load(const LaneRequest& request, OperationContext& context) {
  const Operation& op = operation(request.op);
  const bool mcs = request.op == Op::LdMcs;
  if (request.surface == nullptr || request.surface->type == SurfaceType::Null || refused(request, op, context)) {
    const image::FormatInfo* info = request.surface ? image::format_info(request.surface->format) : nullptr;
    return reference::zero_result(mcs || info == nullptr ? image::ValueClass::Uint : info->value_class);
  }
  const SampledFormat format = sampled_format(request.surface->info());
  LaneResult result;
  result.value_class = mcs ? image::ValueClass::Uint : format.value_class;
  Loader loader{request, *request.surface, out_of_bounds_texel(format), context};
  for (unsigned k = 0; k < request.simd && k < kMaxLanes; ++k) {
    if (!request.is_active(k)) continue;
    FetchNotes notes;
    const Texel value = mcs                            ? loader.mcs_value(k, notes)
                        : request.surface->is_buffer() ? loader.buffer_entry(k, notes)
                                                       : loader.texel(k, notes);
    for (unsigned c = 0; c < 4; ++c)
      result.channels[c][k] = mcs ? value.bits[c] : select_channel(request.surface->swizzle[c], value, format.one());
    if (notes.null_page) result.null_mask &= ~(1u << k);  // LD-8
    loader.all.outside |= notes.outside;
  }
  if (loader.all.outside) context.refuse("C22", "texels outside the memory that was supplied");
  return result;
}

}  // namespace heddle::texture
