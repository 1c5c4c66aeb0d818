// SPDX-License-Identifier: MIT
// From surface and sampler to the functions' state of SAMPLE_UNORM.

#include <algorithm>
#include <type_traits>

#include "texture/simd/channel_codes.hpp"
#include "texture/simd/levels.hpp"
#include "texture/simd/prepared_unorm.hpp"

namespace heddle::texture::simd {

static_assert(std::has_unique_object_representations_v<UnormStaticState>, "the bytes of UnormStaticState are a key");

namespace {

using image::AddressMode;
using image::Surface;

bool is_stored(const ChannelCode& code) {
  return code.kind == ChannelKind::Zero || code.kind == ChannelKind::One ||
         (code.kind == ChannelKind::Unorm && code.bits == 8 && code.shift % 8 == 0 && code.word == 0);
}

/// HW-45; false when a byte could lie outside the memory.
bool place_chroma(const Surface& s, UnormStaticState& f, UnormDynamicState& v) {
  const image::LevelLayout& at = s.layout[s.surf_min_lod];
  const std::uint64_t memory = s.memory->size(), x = (at.width - 1) / 2, y = (at.height - 1) / 2;
  std::uint64_t offset[2];
  for (unsigned k = 0; k < 2; ++k) {
    const image::ChromaPlane& plane = s.chroma[k];
    constexpr std::uint64_t kMax = 0x7fff0000;
    offset[k] = s.base + plane.offset;
    if (plane.pitch > kMax || plane.pitch * y > kMax || plane.step * x > kMax || offset[k] > memory) return false;
    const std::uint64_t last = plane.pitch * y + plane.step * x;
    if (last > kMax || memory - offset[k] <= last) return false;
    v.chroma_pitch[k] = static_cast<std::uint32_t>(plane.pitch);
    v.chroma_step[k] = plane.step;
  }
  const std::uint64_t first = std::min(offset[0], offset[1]);
  f.joined = std::max(offset[0], offset[1]) - first == 1 && v.chroma_pitch[0] == v.chroma_pitch[1] &&
             v.chroma_step[0] == v.chroma_step[1];
  for (unsigned k = 0; k < 2; ++k) {
    v.chroma_offset[k] = f.joined ? first : offset[k];
    v.chroma_shift[k] = static_cast<std::uint32_t>(8 * (offset[k] - v.chroma_offset[k]));
    v.chroma_limit[k] = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(static_cast<std::int64_t>(memory - v.chroma_offset[k]) - 4, -4, 0x7fff0000));
  }
  return true;
}

bool set_state(const UnormRequest& request, UnormStaticState& static_state, UnormDynamicState& dynamic_state) {
  const Surface& s = *request.surface;
  const image::Sampler& sampler = *request.sampler;
  const image::FormatInfo* info = image::format_info(s.format);
  if (s.type != image::SurfaceType::Dim2 || s.array || s.rotation != 0 || s.corner_texel || info == nullptr ||
      sampler.disable || sampler.mag_filter == image::Filter::Mono || s.array_length() != 1)
    return false;
  StaticState& f = static_state.state;
  static_state.planar = info->compression == image::Compression::Planar420;
  if (static_state.planar) {
    if (info->bits_per_element != 8 || s.mip_count != 0) return false;
    f.element_bytes = 1;
  } else if (info->compression != image::Compression::None || !image::decodable(*info) ||
             !channel_codes(*info, false, f.channel, f.element_bytes) || f.element_bytes > 4 ||
             !std::ranges::all_of(f.channel, is_stored)) {
    return false;  // UNO-4: stored values are wanted, so sRGB formats are as plain as others
  }
  f.type = s.type;
  f.axes = 2;
  f.lod = LodSource::Zero;
  f.one_level = 1;  // UNO-2
  f.finite = 1;
  const AddressMode modes[] = {sampler.tcx, sampler.tcy};
  for (unsigned axis = 0; axis < 2; ++axis) {
    if (modes[axis] == AddressMode::ClampBorder || modes[axis] == AddressMode::HalfBorder) return false;
    f.mode[axis] = modes[axis];
    f.round_mag[axis] = f.round_min[axis] = sampler.round_mag[axis];
  }
  f.non_normalized = sampler.non_normalized;
  f.linear_mag = f.linear_min = static_state.linear = sampler.mag_filter != image::Filter::Nearest;  // UNO-3
  f.same_filter = 1;
  static_state.channels = request.channels & 15u;
  f.fast = 1;
  return place_levels(s, f, dynamic_state.sample) &&
         (!static_state.planar || place_chroma(s, static_state, dynamic_state));
}

}  // namespace

std::unique_ptr<PreparedUnorm> prepare_unorm(const UnormRequest& request) {
  if (request.surface == nullptr || request.sampler == nullptr) return nullptr;
  auto out = std::make_unique<PreparedUnorm>();
  return set_state(request, out->static_state, out->dynamic_state) ? std::move(out) : nullptr;
}

}  // namespace heddle::texture::simd
