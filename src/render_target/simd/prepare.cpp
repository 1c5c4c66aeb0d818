// SPDX-License-Identifier: MIT
// From targets, output state and the shape of a message to the functions' state; running messages natively.

#include <algorithm>
#include <array>
#include <type_traits>

#include "base/half.hpp"
#include "render_target/reference/output_merger.hpp"
#include "render_target/simd/prepared.hpp"
#include "texture/simd/channel_codes.hpp"
#include "texture/simd/srgb_table.hpp"

namespace heddle::render_target::simd {

static_assert(std::has_unique_object_representations_v<StaticState>, "the bytes of StaticState are a key");

namespace {

using image::ChannelType;
using image::Format;
using image::FormatInfo;
using image::Surface;
using image::SurfaceType;

/// A level of a surface that lies in its memory whatever slice and sample a message names.
bool place_plane(const Surface& s, std::uint32_t bytes, Plane& plane) {
  if (s.type != SurfaceType::Dim2 && s.type != SurfaceType::Cube && s.type != SurfaceType::Dim3) return false;
  if (!s.memory || s.tile_mode != image::TileMode::Linear || s.interleaved_samples || s.vertical_line_stride ||
      s.has_nulls() || s.cells() != 1 || s.rotation != 0 || s.rt_level >= s.layout.size())
    return false;
  const image::LevelLayout& at = s.layout[s.rt_level];
  plane.width = at.width;
  plane.height = at.height;
  plane.row_pitch = static_cast<std::uint32_t>(at.row_pitch);
  plane.sample_pitch = at.slice_pitch;
  plane.layer_pitch = at.slice_pitch * s.samples;
  plane.last_index = s.type == SurfaceType::Cube ? 5 : s.rt_extent;
  plane.first_layer = s.min_array_element;
  const std::uint64_t most = std::uint64_t{s.min_array_element} + plane.last_index;
  if ((most + 1) * s.samples > at.slices) return false;
  const std::uint64_t slice = (at.height - 1) * at.row_pitch + std::uint64_t{at.width} * bytes;
  if (slice > 0x7fff0000 || at.row_pitch > 0x7fff0000) return false;
  const std::uint64_t end = s.base + at.offset + at.slice_pitch * ((most + 1) * s.samples - 1) + slice;
  if (end > s.memory->size() || s.memory->size() < 4) return false;
  plane.memory = s.memory->data() + s.base + at.offset;
  plane.end = s.memory->data() + s.memory->size();
  return true;
}

std::uint8_t component_of(char name) { return name == 'A' ? 3 : name == 'B' ? 2 : name == 'G' ? 1 : 0; }

/// OM-8: as the color writer's range.
bool target_range(const FormatInfo& info, unsigned component, float (&range)[2]) {
  const image::Channel* channel = nullptr;
  for (unsigned k = 0; k < info.channel_count; ++k) {
    const image::Channel& candidate = info.channels[k];
    if (candidate.type == ChannelType::Unused) continue;
    if (channel == nullptr || component_of(candidate.name) == component) channel = &candidate;
  }
  if (channel == nullptr) return false;
  switch (channel->type) {
    case ChannelType::Unorm:
      range[0] = 0, range[1] = 1;
      return true;
    case ChannelType::Snorm:
      range[0] = -1, range[1] = 1;
      return true;
    case ChannelType::Float:
      range[0] = -65504, range[1] = 65504;
      return channel->bits == 16;
    case ChannelType::UnsignedFloat:
      range[0] = 0, range[1] = channel->bits == 11 ? 65024.0f : 64512.0f;
      return true;
    default:
      return false;
  }
}

bool set_color(const Surface& s, const OutputState& state, const RenderTargetMessage& m, StaticState& f,
               DynamicState& v) {
  const FormatInfo& info = s.info();
  std::uint8_t bytes = 0;
  if (!image::encodable(info) || info.codec == image::Codec::SharedExponent) return false;
  if (!texture::simd::channel_codes(info, true, f.decoded, bytes) || !place_plane(s, bytes, v.color)) return false;
  f.color = 1;
  f.element_bytes = bytes;
  f.integer = info.value_class != image::ValueClass::Float;
  f.is_signed = info.value_class == image::ValueClass::Sint;
  unsigned next = 0;
  for (unsigned k = 0; k < info.channel_count; ++k) {
    const image::Channel& channel = info.channels[k];
    if (channel.type == ChannelType::Unused) continue;
    const auto code = texture::simd::channel_code(info, channel, true);
    // uf10e4 and odd names stay with the reference.
    if (!code || next == 4 || (channel.type == ChannelType::UnsignedFloat && channel.exponent_bits != 5)) return false;
    f.stored[next++] = {*code, component_of(channel.name), 1};
  }
  const BlendEntry& entry = state.blend[m.rti & 7];
  const auto supports = [&](bool image::Support::* letter) {
    return std::ranges::any_of(info.support, [&](const image::Support& support) { return support.*letter; });
  };
  if (entry.logic_op_enable || state.dither) return false;
  f.blending = entry.enable && !f.integer && supports(&image::Support::blend);
  f.independent_alpha = state.independent_alpha;
  if (f.blending && entry.advanced.op != image::AdvancedBlendOp::Off) return false;
  f.source_color = entry.src_color;
  f.destination_color = entry.dst_color;
  f.color_function = entry.color_func;
  f.source_alpha = entry.src_alpha;
  f.destination_alpha = entry.dst_alpha;
  f.alpha_function = entry.alpha_blend_func;
  for (const BlendFactor factor : {entry.src_color, entry.dst_color, entry.src_alpha, entry.dst_alpha})
    if (f.blending && (factor == BlendFactor::Src1Color || factor == BlendFactor::Src1Alpha ||
                       factor == BlendFactor::InvSrc1Color || factor == BlendFactor::InvSrc1Alpha))
      return false;
  f.pre_clamp = entry.pre_blend_clamp;
  f.source_only_clamp = entry.pre_blend_src_only_clamp;
  f.post_clamp = entry.post_blend_clamp;
  for (unsigned c = 0; c < 4; ++c) {
    v.constant[c] = state.constant[c];
    switch (entry.clamp_range) {
      case image::ClampRange::Unorm:
        f.bounded[c] = 1, v.clamp[c][0] = 0, v.clamp[c][1] = 1;
        break;
      case image::ClampRange::Snorm:
        f.bounded[c] = 1, v.clamp[c][0] = -1, v.clamp[c][1] = 1;
        break;
      case image::ClampRange::Target:
        f.bounded[c] = target_range(info, c, v.clamp[c]);
        break;
    }
  }
  std::ranges::fill(f.routed, std::uint8_t{0xff});
  for (unsigned c = 0; c < 4; ++c) {  // RTW-14
    const auto select = static_cast<unsigned>(s.swizzle[c]);
    if (select >= 4 && f.routed[select - 4] == 0xff) f.routed[select - 4] = static_cast<std::uint8_t>(c);
  }
  for (unsigned c = 0; c < 4; ++c) f.written[c] = f.routed[c] != 0xff && !entry.write_disable[c];
  v.srgb_decode = &texture::simd::srgb_table();
  v.srgb_encode = texture::simd::srgb_encode_table();
  return true;
}

bool usable(const Surface* surface) { return surface != nullptr && surface->type != SurfaceType::Null; }

bool set_depth(const Surface& s, StaticState& f, DynamicState& v) {
  f.depth = s.format == Format::R32_FLOAT               ? DepthStorage::D32Float
            : s.format == Format::R24_UNORM_X8_TYPELESS ? DepthStorage::D24UnormX8
            : s.format == Format::R16_UNORM             ? DepthStorage::D16Unorm
                                                        : DepthStorage::None;
  return f.depth != DepthStorage::None && s.samples == f.samples && place_plane(s, depth_bytes(f.depth), v.depth);
}

/// No pixel of the first plane is outside the second.
bool covers(const Plane& first, const Plane& second) {
  return second.width >= first.width && second.height >= first.height;
}

bool set_tests(const OutputTargets& targets, const OutputState& state, StaticState& f, DynamicState& v) {
  if (usable(targets.depth) && (state.depth_test || state.depth_write)) {
    if (!set_depth(*targets.depth, f, v)) return false;
    f.depth_test = state.depth_test;
    f.depth_write = state.depth_write;
    f.depth_function = state.depth_func;
  }
  if (usable(targets.stencil) && state.stencil_test) {
    const Surface& s = *targets.stencil;
    if (s.format != Format::R8_UINT || s.samples != f.samples || !place_plane(s, 1, v.stencil)) return false;
    f.stencil = 1;
    f.stencil_write = state.stencil_write;
    f.double_sided = state.double_sided;
    const image::StencilFace* faces[2] = {&state.front, &state.back};
    for (unsigned k = 0; k < 2; ++k) {
      f.stencil_function[k] = faces[k]->func;
      f.fail[k] = faces[k]->fail_op;
      f.depth_fail[k] = faces[k]->zfail_op;
      f.pass[k] = faces[k]->pass_op;
      v.test_mask[k] = faces[k]->test_mask;
      v.write_mask[k] = faces[k]->write_mask;
      v.reference[k] = faces[k]->ref;
    }
  }
  if (f.color && f.depth != DepthStorage::None && !covers(v.color, v.depth)) return false;
  if (f.color && f.stencil && !covers(v.color, v.stencil)) return false;
  if (!f.color && f.depth != DepthStorage::None && f.stencil &&
      (!covers(v.depth, v.stencil) || !covers(v.stencil, v.depth)))
    return false;
  for (unsigned k = 0; k < 17; ++k) {
    const auto& range = k < state.viewport_count && k < 16 ? state.viewports[k] : state.depth_range;
    v.depth_range[k][0] = range[0];
    v.depth_range[k][1] = range[1];
  }
  v.viewports = state.viewport_count;
  return true;
}

bool set_message(const OutputTargets& targets, const OutputState& state, const RenderTargetMessage& m, StaticState& f,
                 DynamicState& v) {
  if (state.depth_bounds_test && usable(targets.depth)) return false;
  if (m.per_sample || m.coarse || m.line_coverage || m.fragment_size != std::array<std::uint32_t, 2>{1, 1} ||
      (m.simd != 8 && m.simd != 16))
    return false;
  if (std::ranges::any_of(m.second, [](const auto& word) { return word.has_value(); })) return false;
  const Surface* color = m.target < targets.color.size() ? targets.color[m.target] : nullptr;
  f.samples = static_cast<std::uint8_t>(targets.samples);
  for (const Surface* surface :
       {color, static_cast<const Surface*>(targets.depth), static_cast<const Surface*>(targets.stencil)})
    if (usable(surface)) {
      f.samples = static_cast<std::uint8_t>(surface->samples);
      break;
    }
  f.half = m.type == PayloadType::HF;
  f.has[0] = m.r.has_value();
  f.has[1] = m.g.has_value();
  f.has[2] = m.b.has_value();
  f.has[3] = m.a.has_value();
  f.has_s0a = m.s0a.has_value();
  f.has_omask = m.omask.has_value();
  f.has_z = m.z.has_value();
  f.has_stencil = m.stencil.has_value();
  f.has_sample_mask = 1;
  f.last = m.last;
  f.counts = m.last && targets.samples_passed != nullptr;
  f.notes_survivors = m.survivors != nullptr;
  // The functions change it with the compiler's own atomic operations.
  static_assert(sizeof(std::atomic<std::uint64_t>) == 8 && std::atomic<std::uint64_t>::is_always_lock_free);
  v.samples_passed = reinterpret_cast<std::uint64_t*>(targets.samples_passed);
  f.alpha_to_coverage = state.alpha_to_coverage && !state.alpha_to_coverage_disabled_by_shader &&
                        (f.samples > 1 || state.alpha_to_coverage_single);
  f.alpha_to_one = state.alpha_to_one;
  f.alpha_test = state.alpha_test;
  f.alpha_function_test = state.alpha_func;
  f.alpha_unorm8 = state.alpha_format == image::AlphaFormat::Unorm8;
  v.alpha_ref = state.alpha_ref;
  if (usable(color) && !m.null_rt && !set_color(*color, state, m, f, v)) return false;
  if (!set_tests(targets, state, f, v)) return false;
  if (!f.color && f.depth == DepthStorage::None && !f.stencil) {
    f.nothing = !f.counts && !f.notes_survivors;
    return f.nothing != 0;
  }
  // Surfaces that share memory could see each other's stores.
  const auto memory = [](const Surface* surface) { return usable(surface) ? surface->memory.get() : nullptr; };
  const auto apart = [&](const Surface* a, const Surface* b) { return memory(a) == nullptr || memory(a) != memory(b); };
  return apart(color, targets.depth) && apart(color, targets.stencil) && apart(targets.depth, targets.stencil);
}

}  // namespace

std::unique_ptr<PreparedWrite> prepare(const OutputTargets& targets, const OutputState& state,
                                       const RenderTargetMessage& message, OperationContext& context) {
  auto out = std::make_unique<PreparedWrite>();
  out->targets = targets;
  out->state = state;
  out->message = message;
  out->dynamic_state.fallback = write_reference;
  out->bind();
  RenderTargetMessage none = message;
  none.active = 0;
  const std::size_t known = context.reports.all().size();
  write_render_target(context, targets, state, none);
  bool refused = false;
  for (std::size_t k = known; k < context.reports.all().size(); ++k)
    refused |= context.reports.all()[k].severity == base::Severity::Error;
  out->static_state.fast = !refused && context.observer == nullptr &&
                           set_message(out->targets, out->state, message, out->static_state, out->dynamic_state);
  return out;
}

void write_reference(const DynamicState* dynamic_state, const Inputs* inputs, std::uint32_t width, std::uint32_t mask,
                     void* thread) {
  const auto& prepared = *static_cast<const PreparedWrite*>(dynamic_state->owner);
  RenderTargetMessage m = prepared.message;
  const auto copy = [&](const std::uint32_t* from, std::optional<SlotWords>& to) {
    if (to && from != nullptr) std::copy_n(from, width, to->begin());
  };
  m.simd = width;
  m.active = mask;
  copy(inputs->color[0], m.r);
  copy(inputs->color[1], m.g);
  copy(inputs->color[2], m.b);
  copy(inputs->color[3], m.a);
  copy(inputs->s0a, m.s0a);
  copy(inputs->omask, m.omask);
  copy(inputs->stencil, m.stencil);
  if (m.z) {
    copy(inputs->z, m.z);
  } else if (inputs->z != nullptr) {
    m.sample_depths = inputs->z;
    m.sample_depth_pitch = inputs->z_pitch;
  }
  if (inputs->sample_mask != nullptr) std::copy_n(inputs->sample_mask, width, m.sample_mask.begin());
  for (unsigned k = 0; k < 4; ++k) {
    m.header.x[k] = inputs->places[k] & 0xffffu;
    m.header.y[k] = inputs->places[k] >> 16;
  }
  m.header.enables = inputs->enables;
  m.header.array_index = inputs->array_index;
  m.header.back = inputs->back != 0;
  m.header.viewport = inputs->viewport;
  m.header.sspi = inputs->sspi;
  SlotWords survivors{};
  m.survivors = prepared.message.survivors != nullptr ? &survivors : nullptr;
  OperationContext own;
  write_render_target(thread != nullptr ? *static_cast<OperationContext*>(thread) : own, prepared.targets,
                      prepared.state, m);
  if (m.survivors != nullptr) std::copy_n(survivors.begin(), width, inputs->survivors);
}

}  // namespace heddle::render_target::simd
