// SPDX-License-Identifier: MIT
// From a surface to the state of typed writes.

#include <algorithm>
#include <type_traits>

#include "texture/simd/channel_codes.hpp"
#include "texture/simd/prepared_typed.hpp"
#include "texture/simd/srgb_table.hpp"
#include "texture/touches.hpp"

namespace heddle::texture::simd {

static_assert(std::has_unique_object_representations_v<TypedStaticState>, "the bytes of TypedStaticState are a key");

namespace {

using image::Surface;
using image::SurfaceType;

constexpr std::uint64_t kMaxBytes = 0x7fff0000;  ///< offsets have 32 bits

bool place_entries(const Surface& s, std::uint64_t bytes, TypedDynamicState& v) {
  const auto first = image::entry_offset(s, 0), second = image::entry_offset(s, 1);
  if (!first || s.entries > 0xffffffffu || (s.entries > 1 && (!second || *second - *first != bytes))) return false;
  if (*first > s.memory->size() || s.entries * bytes > std::min(s.memory->size() - *first, kMaxBytes)) return false;
  v.memory = s.memory->data() + *first;
  v.width = static_cast<std::uint32_t>(s.entries);
  v.height = v.slices = 1;
  v.bytes = static_cast<std::uint32_t>(s.entries * bytes);
  return true;
}

/// All the texels that coordinates can name lie in the memory.
bool place_level(const Surface& s, std::uint64_t bytes, TypedDynamicState& v) {
  if (s.tile_mode != image::TileMode::Linear || s.interleaved_samples || s.vertical_line_stride ||
      s.rt_level >= s.levels || s.rt_level >= s.layout.size())
    return false;
  const image::LevelLayout& at = s.layout[s.rt_level];
  const std::uint64_t samples = s.samples > 1 ? s.samples : 1;
  v.width = s.level_width(s.rt_level);
  v.height = s.type == SurfaceType::Dim1 ? 1 : s.level_height(s.rt_level);
  std::uint64_t first = 0;
  if (s.type == SurfaceType::Dim3) {
    v.slices = s.level_depth(s.rt_level);
  } else {
    v.slices = s.array_length() * (s.type == SurfaceType::Cube ? 6 : 1);
    first = s.min_array_element;
  }
  const std::uint64_t apart = s.type == SurfaceType::Dim3 ? at.slice_pitch : at.slice_pitch * samples;
  if (v.width == 0 || v.height == 0 || v.slices == 0 || v.width > at.width || v.height > at.height ||
      first + v.slices > at.slices / (s.type == SurfaceType::Dim3 ? 1 : samples))
    return false;
  if (apart > kMaxBytes || at.row_pitch > kMaxBytes) return false;
  const std::uint64_t extent = (v.slices - 1) * apart + (v.height - 1) * at.row_pitch + v.width * bytes;
  const std::uint64_t start = s.base + at.offset + first * apart;
  if (extent > kMaxBytes || start > s.memory->size() || extent > s.memory->size() - start) return false;
  v.row_pitch = static_cast<std::uint32_t>(at.row_pitch);
  v.slice_pitch = static_cast<std::uint32_t>(apart);
  v.memory = s.memory->data() + start;
  v.bytes = static_cast<std::uint32_t>(extent);
  return true;
}

/// Texels that are counted are told one by one, by the reference functions.
bool has_plain_texels(const Surface& s) {
  const image::FormatInfo* info = image::format_info(s.format);
  return s.type != SurfaceType::Null && info != nullptr && info->block_width == 1 && info->block_height == 1 &&
         s.memory != nullptr && !s.has_nulls() && touch_kind(s) == TouchSink::Kind::None;
}

bool place(const Surface& s, std::uint64_t bytes, PreparedTyped& out) {
  out.static_state.coordinates = s.is_buffer() ? 1 : s.type == SurfaceType::Dim1 ? 2 : 3;
  return s.is_buffer() ? place_entries(s, bytes, out.dynamic_state) : place_level(s, bytes, out.dynamic_state);
}

/// Of a null surface, which has no texels (RET-7): every coordinate lies outside.
std::unique_ptr<PreparedTyped> prepare_nothing(unsigned bytes) {
  auto out = std::make_unique<PreparedTyped>();
  out->static_state.element_bytes = static_cast<std::uint8_t>(bytes);
  out->static_state.fast = 1;
  return out;
}

}  // namespace

std::unique_ptr<PreparedTyped> prepare_typed_atomic(const Surface& s, unsigned bytes) {
  if (s.type == SurfaceType::Null) return prepare_nothing(bytes);
  if (!has_plain_texels(s) || s.info().bytes_per_element() != bytes) return nullptr;
  auto out = std::make_unique<PreparedTyped>();
  out->static_state.element_bytes = static_cast<std::uint8_t>(bytes);
  if (!place(s, bytes, *out) || out->dynamic_state.row_pitch % bytes != 0 ||
      out->dynamic_state.slice_pitch % bytes != 0)
    return nullptr;
  out->static_state.fast = 1;
  return out;
}

std::unique_ptr<PreparedTyped> prepare_typed_write(const Surface& s, unsigned mask) {
  if (s.type == SurfaceType::Null) return prepare_nothing(4);
  if (!has_plain_texels(s)) return nullptr;
  const image::FormatInfo& info = s.info();
  auto out = std::make_unique<PreparedTyped>();
  TypedStaticState& f = out->static_state;
  ChannelCode decoded[4]{};
  if (!image::encodable(info) || info.codec == image::Codec::SharedExponent ||
      !channel_codes(info, true, decoded, f.element_bytes))
    return nullptr;
  unsigned next = 0;
  for (unsigned k = 0; k < info.channel_count; ++k) {
    const image::Channel& channel = info.channels[k];
    if (channel.type == image::ChannelType::Unused) continue;
    const auto code = channel_code(info, channel, true);
    const std::uint8_t component = channel.name == 'A' ? 3 : channel.name == 'B' ? 2 : channel.name == 'G' ? 1 : 0;
    // A channel that the message leaves out keeps what is stored.
    if (!code || next == 4 || (mask >> component & 1u) == 0 ||
        (channel.type == image::ChannelType::UnsignedFloat && channel.exponent_bits != 5))
      return nullptr;
    f.stored[next++] = {*code, component, 1};
  }
  if (!place(s, f.element_bytes, *out)) return nullptr;
  out->dynamic_state.srgb_encode = srgb_encode_table();
  f.fast = 1;
  return out;
}

}  // namespace heddle::texture::simd
