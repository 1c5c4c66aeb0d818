// SPDX-License-Identifier: MIT
// From surface, sampler and operation to the functions' state; what is fast is decided here.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "base/half.hpp"
#include "texture/reference/resolve.hpp"
#include "texture/simd/block_texels.hpp"
#include "texture/simd/channel_codes.hpp"
#include "texture/simd/levels.hpp"
#include "texture/simd/log2_table.hpp"
#include "texture/simd/prepared.hpp"
#include "texture/simd/srgb_table.hpp"

namespace heddle::texture::simd {

static_assert(std::has_unique_object_representations_v<StaticState>, "the bytes of StaticState are a key");

namespace {
constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }
}  // namespace

bool place_levels(const image::Surface& s, StaticState& static_state, DynamicState& dynamic_state) {
  if (!s.memory || s.tile_mode != image::TileMode::Linear || s.interleaved_samples || s.vertical_line_stride ||
      s.lists_nulls() || s.quilt_width != 1 || s.quilt_height != 1)
    return false;
  constexpr std::uint64_t kMax = 0x7fff0000;
  const std::uint64_t memory = s.memory->size();
  if (memory < 4 || s.mip_count >= kMaxLevels) return false;
  const std::uint32_t elements = s.info().bytes_per_element();
  for (std::uint32_t l = 0; l <= s.mip_count; ++l) {
    const std::uint64_t absolute = std::uint64_t{s.surf_min_lod} + l;
    if (absolute >= s.layout.size()) return false;
    const image::LevelLayout& at = s.layout[absolute];
    const std::uint64_t per_layer = s.samples;
    const bool deep = s.type == image::SurfaceType::Dim3, cube = s.type == image::SurfaceType::Cube;
    const std::uint64_t layers = deep ? at.depth : std::uint64_t{s.array_length()} * (cube ? 6 : 1);
    const std::uint64_t first = deep ? 0 : std::uint64_t{s.min_array_element} * (cube ? 1 : per_layer);
    const std::uint64_t step = at.slice_pitch * (cube || deep ? 1 : per_layer);
    if (first + (layers - 1) * (cube || deep ? 1 : per_layer) >= at.slices) return false;
    if (cube && (at.width != at.height || s.samples != 1)) return false;
    Level& level = dynamic_state.level[l];
    level.offset = s.base + at.offset + first * at.slice_pitch;
    const std::uint64_t rows = divide_up(at.height, s.info().block_height);
    const std::uint64_t columns = divide_up(at.width, s.info().block_width);
    const std::uint64_t last = (layers - 1) * step + (rows - 1) * at.row_pitch + columns * elements;
    if (last > kMax || level.offset > memory || memory - level.offset < last || step > kMax) return false;
    level.size[0] = static_cast<std::int32_t>(at.width);
    level.size[1] = static_cast<std::int32_t>(at.height);
    level.size[2] = static_cast<std::int32_t>(at.depth);
    for (unsigned axis = 0; axis < 3; ++axis) {
      level.last[axis] = level.size[axis] - 1;
      level.count[axis] = static_cast<float>(level.size[axis]);
      level.scale[axis] = level.count[axis] * 256.0f;
      level.inverse[axis] = 1.0f / static_cast<float>(level.size[axis]);
    }
    level.inside[0] = static_cast<std::uint32_t>(std::max(level.size[0] - 16, 0));
    level.inside[1] = static_cast<std::uint32_t>(std::max(level.size[1] - 1, 0));
    level.row_pitch = static_cast<std::uint32_t>(at.row_pitch);
    level.narrow = at.row_pitch < 32768 && level.size[1] <= 32768 ? 1 : 0;
    level.layer_pitch = static_cast<std::uint32_t>(step);
    level.limit = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(static_cast<std::int64_t>(memory - level.offset) - 4, -4, kMax));
  }
  static_state.pow2 = 7;
  for (std::uint32_t l = 0; l <= s.mip_count; ++l)
    for (unsigned axis = 0; axis < 3; ++axis)
      if (!std::has_single_bit(static_cast<std::uint32_t>(dynamic_state.level[l].size[axis])))
        static_state.pow2 = static_cast<std::uint8_t>(static_state.pow2 & ~(1u << axis));
  dynamic_state.memory = s.memory->data();
  return true;
}

namespace {

using image::AddressMode;
using image::FormatInfo;
using image::Surface;
using image::SurfaceType;
using reference::Resolved;

bool is_finite(const ChannelCode& code) {
  return code.kind == ChannelKind::Zero || code.kind == ChannelKind::One || code.kind == ChannelKind::Unorm ||
         code.kind == ChannelKind::Snorm || code.kind == ChannelKind::Srgb || code.kind == ChannelKind::SharedExponent;
}

/// How channels come from memory; false for what the functions do not have.
bool set_channels(const FormatInfo& info, bool srgb_decode, StaticState& f, DynamicState& v) {
  if (!lies_in_blocks(info)) return channel_codes(info, srgb_decode, f.channel, f.element_bytes);
  f.blocks = 1;
  f.element_bytes = sizeof(image::Texel);
  for (std::uint8_t c = 0; c < 4; ++c) f.channel[c] = {ChannelKind::Float32, 32, 0, c, 0};
  v.decode = decode_blocks;
  v.format = &info;
  v.srgb_decode = srgb_decode ? 1 : 0;
  return true;
}

void set_offsets(const LaneRequest& request, const Operation& op, StaticState& static_state, bool& fast) {
  const bool gather = op.family == OperationKind::Gather4;
  for (const Param p : op.parameters()) {
    switch (p) {
      case Param::OffU:
        static_state.offset_source = OffsetSource::Lanes;
        break;
      case Param::OffUv:
      case Param::OffUvr:
        static_state.offset_source = gather ? OffsetSource::GatherLow : OffsetSource::SampleLow;
        static_state.packed_param = p;
        break;
      case Param::OffUvIndex:
      case Param::OffUvrIndex:
        static_state.offset_source = gather ? OffsetSource::GatherHigh : OffsetSource::SampleHigh;
        static_state.packed_param = p;
        static_state.index_source = IndexSource::Packed12;
        break;
      case Param::LodOffUv:
      case Param::LodOffUvr:
      case Param::BiasOffUv:
      case Param::BiasOffUvr:
        static_state.offset_source = gather ? OffsetSource::GatherLow : OffsetSource::SampleLow;
        static_state.packed_param = static_state.value_param = p;
        static_state.value_bits = 12;
        break;
      case Param::MlodR:  // unpack_value_index: the index takes the place of R, no offsets
        static_state.packed_param = static_state.mlod_param = p;
        static_state.mlod_bits = 9;
        static_state.index_source = IndexSource::Packed9;
        break;
      case Param::Mlod:
        static_state.mlod_param = p;
        break;
      default:
        break;
    }
  }
  if (op.per_lane_offsets()) return;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (request.offset[axis] == 0) continue;
    if (request.offset[axis] < -64 || request.offset[axis] > 64) fast = false;
    static_state.offset_source = OffsetSource::Immediate;
    static_state.offset[axis] = static_cast<std::int8_t>(request.offset[axis]);
  }
}

std::uint8_t linear_taps(const Resolved& r, image::Filter filter) {  // FLT-5
  return filter != image::Filter::Nearest &&
         !(r.values.format.integer && r.values.reduction == FilterReduction::Weighted);
}

/// LOD-5 for a state where every lane meets one level: the level, or -1.
int only_level(const LodState& s, const Operation& op, bool hardware) {
  if (op.lod == LodSource::Base) return hardware ? static_cast<int>(choose_level(s, 0, LodBranch::Base).level[0]) : 0;
  if (op.lod == LodSource::Zero) {
    const LodChoice c = choose_level(s, 0);
    return c.level_count == 1 ? static_cast<int>(c.level[0]) : -1;
  }
  if (op.has(Param::Mlod) || op.has(Param::MlodR)) return -1;
  if (s.mip_count == 0) return 0;
  if (s.mip_filter == image::MipFilter::None && op.family == OperationKind::Sample)
    return static_cast<int>(choose_level(s, 0).level[0]);
  return -1;
}

/// Address modes and seams; false for what the functions do not have.
bool set_addressing(const Surface& surface, const Resolved& r, StaticState& f) {
  bool fast = true;
  f.axes = static_cast<std::uint8_t>(r.taps.axes);
  f.cube = r.taps.cube;
  for (unsigned axis = 0; axis < r.taps.axes; ++axis) {
    f.mode[axis] = r.taps.mode[axis];
    if (r.taps.mode[axis] == AddressMode::ClampBorder) f.borders = 1;
    if (r.taps.mode[axis] == AddressMode::HalfBorder) fast = false;
  }
  f.seam[0] = r.taps.seam[0];
  f.seam[1] = r.taps.seam[1];
  if (f.cube && (f.seam[0] != f.seam[1] || surface.cube_faces != 63)) fast = false;
  f.non_normalized = r.taps.non_normalized;
  return fast;
}

/// Which parameters hold the LOD or bias, the offsets and the array index; false for what the functions do not have.
bool set_parameters(const LaneRequest& request, const Resolved& r, StaticState& f) {
  const Surface& surface = *request.surface;
  const Operation& op = *r.operation;
  bool fast = true;
  f.lod = op.lod;
  f.index_source = surface.type == SurfaceType::Dim1   ? IndexSource::V
                   : surface.type == SurfaceType::Dim2 ? IndexSource::R
                   : surface.type == SurfaceType::Cube ? IndexSource::Ai
                                                       : IndexSource::None;
  const IndexSource plain_index = f.index_source;
  f.value_param = op.lod == LodSource::Bias ? Param::Bias : Param::Lod;
  set_offsets(request, op, f, fast);
  if (surface.type != SurfaceType::Dim2) f.index_source = plain_index;  // PKO-2
  if (r.value_index) {                                                  // PKO-3
    f.packed_param = f.value_param;
    f.value_bits = 9;
    f.index_source = IndexSource::Packed9;
  }
  if (surface.array_length() == 1) f.index_source = IndexSource::None;
  if (surface.array_length() == 0) fast = false;
  return fast;
}

/// The filters of minification and magnification, and how the level is chosen.
void set_filters(const LaneRequest& request, const Resolved& r, StaticState& f) {
  const image::Sampler& sampler = *request.sampler;
  const Operation& op = *r.operation;
  f.linear_min = linear_taps(r, sampler.min_filter);
  f.linear_mag = linear_taps(r, sampler.mag_filter);
  f.anisotropic_min = f.linear_min && sampler.min_filter == image::Filter::Anisotropic && r.ratio > 1;
  f.anisotropic_mag = f.linear_mag && sampler.mag_filter == image::Filter::Anisotropic && r.ratio > 1;
  f.ratio = static_cast<std::uint8_t>(r.min_anisotropic || f.anisotropic_mag || f.anisotropic_min ? r.ratio : 1);
  f.ratio_lod = r.min_anisotropic && r.ratio > 1;
  f.mip = r.lod.mip_filter;
  f.clamp_mag = r.lod.clamp_mag;
  f.preclamp = r.lod.preclamp;
  f.trilinear_quality = static_cast<image::TrilinearQuality>(r.lod.trilinear_quality);
  for (unsigned axis = 0; axis < 3; ++axis) {
    f.round_min[axis] = sampler.round_min[axis];
    f.round_mag[axis] = sampler.round_mag[axis];
  }
  if (op.family == OperationKind::Gather4) f.linear_min = f.linear_mag = 1, f.anisotropic_min = f.anisotropic_mag = 0;
  f.same_filter = f.linear_min == f.linear_mag && f.anisotropic_min == f.anisotropic_mag &&
                  std::memcmp(f.round_min, f.round_mag, 3) == 0;
  if (op.lod == LodSource::Base) f.same_filter = 1, std::memcpy(f.round_min, f.round_mag, 3);  // CRD-3 [C18]
  f.coarse = request.cps_compensation || sampler.cps_lod_compensation;
}

/// Comparison, reduction and the channels of the result; false for what the functions do not have.
bool set_values(const LaneRequest& request, const Resolved& r, PreparedOperation& out) {
  const Surface& surface = *request.surface;
  StaticState& f = out.static_state;
  f.compare = r.compare;
  f.function = r.values.function;
  f.clamp_reference = r.values.format.clamp_reference;
  f.reference_is_zero = r.reference_is_zero;
  f.compare_channel = static_cast<std::uint8_t>(r.values.format.compare_channel);
  f.reduction = r.values.reduction;
  f.integer = r.values.format.integer;
  const bool query = r.operation->op == Op::Lod, gather = r.operation->family == OperationKind::Gather4;
  out.value_class = query || r.compare ? image::ValueClass::Float : r.values.format.value_class;
  f.value_class = out.value_class;
  for (unsigned c = 0; c < 4; ++c)
    f.select[c] = gather ? surface.swizzle[request.source_channel & 3u] : surface.swizzle[c];
  if (r.values.format.dx9_ones)  // NUM-24
    for (unsigned c = 0; c < 3; ++c)
      if (!(r.values.format.present >> c & 1u)) f.channel[c] = {ChannelKind::One};
  f.finite = (f.compare || std::ranges::all_of(f.channel, is_finite)) && (f.compare || !f.borders);
  return !(f.compare && f.integer);  // C64
}

/// What changes without a change of code, but for the levels.
void set_dynamic_state(const LaneRequest& request, const Resolved& r, const StaticState& f, DynamicState& v) {
  v.last_index = request.surface->array_length() - 1;
  for (unsigned c = 0; c < 4; ++c) {
    v.border[c] = r.values.border.bits[c];
    v.outside[c] = r.values.out_of_bounds.bits[c];
  }
  v.bias = r.lod.bias;
  v.min_lod = r.lod.min_lod;
  v.max_lod = r.lod.max_lod;
  v.base_mip_level = r.lod.base_mip_level;
  v.resource_min_lod = r.lod.resource_min_lod;
  v.mip_count = r.lod.mip_count;
  for (unsigned axis = 0; axis < 3; ++axis) v.base_scale[axis] = static_cast<float>(r.base_size[axis]);
  v.coarse[0] = static_cast<float>(request.coarse_width);
  v.coarse[1] = static_cast<float>(request.coarse_height);
  const auto is_srgb = [](const ChannelCode& code) { return code.kind == ChannelKind::Srgb; };
  if (std::ranges::any_of(f.channel, is_srgb)) v.srgb = &srgb_table();
  v.log2 = log2_table();
}

/// LOD 0 in every lane: the filter is known.
void keep_one_filter(bool magnify, StaticState& f) {
  (magnify ? f.linear_min : f.linear_mag) = magnify ? f.linear_mag : f.linear_min;
  std::memcpy(magnify ? f.round_min : f.round_mag, magnify ? f.round_mag : f.round_min, 3);
  f.same_filter = 1;
  f.anisotropic_min = f.anisotropic_mag = 0;
}

bool set_sampling(const LaneRequest& request, const OperationContext& context, const Resolved& r,
                  PreparedOperation& out) {
  const Surface& surface = *request.surface;
  const Operation& op = *r.operation;
  StaticState& f = out.static_state;
  DynamicState& v = out.dynamic_state;
  const bool query = op.op == Op::Lod;
  bool fast = set_channels(surface.info(), r.values.srgb_decode, f, v) || query;
  fast = set_addressing(surface, r, f) && fast;
  fast = set_parameters(request, r, f) && fast;
  set_filters(request, r, f);
  fast = set_values(request, r, out) && fast;
  f.hardware = context.hardware();
  set_dynamic_state(request, r, f, v);

  // The levels: one for all lanes, or those that the LOD chooses among.
  const int level = query ? -1 : only_level(r.lod, op, context.hardware());
  f.one_level = level >= 0;
  const LodChoice zero = choose_level(r.lod, 0, op.lod == LodSource::Base ? LodBranch::Base : LodBranch::State);
  if (zero.out_of_bounds && !query) fast = false;                             // LOD-8
  if (op.lod == LodSource::Base && surface.unread_levels != 0) fast = false;  // LD-10
  if (op.lod == LodSource::Zero) keep_one_filter(zero.magnify, f);
  if (query) return fast;
  if (surface.residency != nullptr && request.null_mask)
    fast = false;  // RET-5: who is resident is asked texel by texel
  if (!fast || !place_levels(surface, f, v)) return false;
  if (level > 0) v.level[0] = v.level[level];
  return true;
}

/// LD-5, where no MCS says which slice a sample lies in: they follow each other.
bool place_samples(const Surface& s, DynamicState& v) {
  if (s.mcs) return false;
  const image::LevelLayout& at = s.layout[s.surf_min_lod];
  const std::uint64_t first = std::uint64_t{s.min_array_element} * s.samples;
  const std::uint64_t slices = std::uint64_t{s.array_length()} * s.samples;
  if (first + slices > at.slices) return false;
  const std::uint64_t last = (slices - 1) * at.slice_pitch + (at.height - 1) * at.row_pitch +
                             std::uint64_t{at.width} * s.info().bytes_per_element();
  if (last > static_cast<std::uint64_t>(std::int64_t{v.level[0].limit} + 4)) return false;
  v.last_sample = s.samples - 1;
  v.sample_pitch = static_cast<std::uint32_t>(at.slice_pitch);
  return true;
}

/// LD-7 where the surface has no MCS: one value for each pixel that is there. Only the size is looked at.
bool set_mcs(const LaneRequest& request, PreparedOperation& out) {
  const Surface& s = *request.surface;
  StaticState& f = out.static_state;
  DynamicState& v = out.dynamic_state;
  if (s.mcs || s.mip_count != 0 || s.unread_levels != 0) return false;
  for (unsigned axis = 0; axis < 2; ++axis) f.offset[axis] = static_cast<std::int8_t>(request.offset[axis]);
  const std::uint64_t identity = reference::identity_mcs(s.samples);
  v.info[0] = static_cast<std::uint32_t>(identity);
  v.info[1] = static_cast<std::uint32_t>(identity >> 32);
  v.last_index = s.array_length() - 1;
  v.level[0].size[0] = static_cast<std::int32_t>(s.level_width(s.surf_min_lod));
  v.level[0].size[1] = static_cast<std::int32_t>(s.level_height(s.surf_min_lod));
  out.value_class = f.value_class = image::ValueClass::Uint;
  return true;
}

bool set_load(const LaneRequest& request, PreparedOperation& out) {
  const Surface& s = *request.surface;
  StaticState& f = out.static_state;
  DynamicState& v = out.dynamic_state;
  const FormatInfo& info = s.info();
  if (s.array_length() == 0) return false;
  if (std::ranges::any_of(request.offset, [](std::int32_t by) { return by < -64 || by > 64; })) return false;
  if (request.op == Op::LdMcs) return set_mcs(request, out);
  if (!set_channels(info, true, f, v)) return false;
  if (f.blocks && request.op == Op::Ld2dmsW) return false;  // blocks have one sample
  const SampledFormat format = sampled_format(info);
  out.value_class = format.value_class;
  f.value_class = format.value_class;
  f.integer = format.integer;
  f.buffer = s.is_buffer();
  f.axes = s.type == SurfaceType::Dim1 ? 1 : s.type == SurfaceType::Dim3 ? 3 : 2;
  const image::Texel outside = out_of_bounds_texel(format);
  for (unsigned c = 0; c < 4; ++c) {
    v.outside[c] = outside.bits[c];
    f.select[c] = s.swizzle[c];
  }
  for (unsigned axis = 0; axis < 3; ++axis) f.offset[axis] = static_cast<std::int8_t>(request.offset[axis]);
  v.last_index = s.array_length() - 1;
  v.mip_count = static_cast<std::int32_t>(s.mip_count);
  v.srgb = &srgb_table();
  f.one_level = request.op == Op::LdLz || request.op == Op::Ld2dmsW || s.mip_count == 0;
  v.unread_levels = s.unread_levels;
  if (f.one_level && s.unread_levels != 0) return false;
  if (s.residency != nullptr && request.null_mask) return false;  // RET-5
  if (request.op == Op::Ld2dmsW) return place_levels(s, f, v) && place_samples(s, v);
  if (!f.buffer) return place_levels(s, f, v);
  const std::uint64_t step =
      s.structure_size != 0 && static_cast<unsigned>(s.format) != 0x1ff ? s.structure_size : info.bytes_per_element();
  if (!s.memory || s.lists_nulls() || s.entries == 0) return false;
  const std::uint64_t memory = s.memory->size();
  if (s.entries > 0x7fffffff / step || s.base > memory || memory < 4 ||
      memory - s.base < (s.entries - 1) * step + info.bytes_per_element() || memory - s.base > 0x7fff0000)
    return false;
  v.memory = s.memory->data();
  v.entries = s.entries;
  v.entry_step = static_cast<std::uint32_t>(step);
  v.level[0].offset = s.base;
  v.level[0].limit = static_cast<std::int32_t>(static_cast<std::int64_t>(memory - s.base) - 4);
  return true;
}

/// RES-1, SIN-1: the reference answers for one lane tell all that does not change with the lane's LOD.
bool set_info(const LaneRequest& request, OperationContext& context, PreparedOperation& out) {
  const Surface& s = *request.surface;
  LaneRequest one = request;
  one.active = 1;
  one.simd = 8;
  one.params = {};
  const LaneResult answer = info(one, context);
  DynamicState& v = out.dynamic_state;
  for (unsigned c = 0; c < 4; ++c) v.info[c] = answer.channels[c][0];
  v.width = s.width;
  v.height = s.height;
  v.depth = s.depth;
  v.surf_min_lod = s.surf_min_lod;
  v.mip_count = static_cast<std::int32_t>(s.mip_count);
  v.info_scale[0] = s.quilt_width;
  v.info_scale[1] = s.quilt_height;
  out.static_state.quilted = out.static_state.type == SurfaceType::Dim2 && (s.quilt_width != 1 || s.quilt_height != 1);
  v.info_layers = s.array ? s.view_layers : 0;
  out.value_class = image::ValueClass::Uint;
  out.static_state.value_class = image::ValueClass::Uint;
  out.static_state.hardware = context.hardware();
  return !s.corner_texel;
}

}  // namespace

void PreparedOperation::bind() { dynamic_state.owner = this; }

std::unique_ptr<PreparedOperation> prepare(const LaneRequest& request, OperationContext& context) {
  auto out = std::make_unique<PreparedOperation>();
  out->request = request;
  out->dynamic_state.fallback = run_reference;
  out->bind();
  const Operation& op = operation(request.op);
  StaticState& f = out->static_state;
  f.op = request.op;
  f.family = op.family;
  f.slow_gathers = gathers_are_slow();
  f.has_vbmi = has_vbmi();
  // What the reference says of the state, and the class of its results, without a lane.
  LaneRequest none = request;
  none.active = 0;
  out->value_class = execute_any(none, context).value_class;
  f.value_class = out->value_class;
  if (request.surface == nullptr) return out;
  f.type = request.surface->type;
  bool fast = false;
  switch (op.family) {
    case OperationKind::Sample:
    case OperationKind::Gather4: {
      OperationContext quiet = context;
      const auto resolved = reference::resolve(request, quiet);
      f.zero = !resolved;
      fast = !resolved || set_sampling(request, context, *resolved, *out);
      break;
    }
    case OperationKind::Load: {
      OperationContext probe;
      probe.platform = context.platform;
      LaneRequest empty = none;
      (void)load(empty, probe);
      f.zero = request.surface->type == SurfaceType::Null || probe.reports.has_errors();
      fast = f.zero || set_load(request, *out);
      break;
    }
    case OperationKind::Info:
      fast = set_info(request, context, *out);
      break;
  }
  f.fast = fast && context.observer == nullptr;
  return out;
}

}  // namespace heddle::texture::simd
