// SPDX-License-Identifier: MIT
// Rules: ADR-7, ANI-1, C2, C18, C44, C49, C60, CRD-3 to CRD-5, EXE-4, EXE-5, FLT-2, FLT-5, FLT-6, GA-2, GA-8, GA-10,
// GA-12, HW-21, LD-10, LOD-2, LOD-3, LOD-9 to LOD-12, NUM-28, NUM-73, PKO-1 to PKO-4, RED-2 to RED-4, RET-6 to RET-9,
// SAM-4, SAM-8, SUR-4, SUR-8.
#include "texture/reference/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::texture::reference {
namespace {

using image::Surface;
using image::SurfaceType;

std::string_view type_name(SurfaceType type) {
  constexpr std::string_view kNames[] = {"1D", "2D", "3D", "CUBE", "BUFFER", "STRBUF", "SCRATCH", "NULL"};
  return kNames[static_cast<unsigned>(type)];
}

/// SAM-4, GA-10.
bool type_allowed(const Operation& op, SurfaceType type) {
  if (op.family == OperationKind::Gather4) {
    const bool po = op.per_lane_offsets();
    return type == SurfaceType::Dim2 || (type == SurfaceType::Cube && !po);
  }
  return type == SurfaceType::Dim1 || type == SurfaceType::Dim2 || type == SurfaceType::Dim3 ||
         type == SurfaceType::Cube;
}

bool needs_texels(const Operation& op) { return op.op != Op::Lod; }

/// Checked rules that leave the result alone.
void warn_about(const Operation& op, const Surface& surface, const image::Sampler& sampler, OperationContext& context) {
  // GA-2: samples with packed offsets are taken everywhere; what a program may contain, checks of programs say.
  const bool lane_offsets = op.family == OperationKind::Sample && op.per_lane_offsets();
  if (!lane_offsets && !platform_has(op.platforms, context.platform))
    context.warn("GA-2", fmt::format("{} does not exist on {}", op.name, name_of(context.platform)));
  // GA-12: the PRM wants mip filter none for gathers. Every sampler of an API has one, it has no effect, and nobody can
  // act on it: no report.
  const auto axes = surface.type == SurfaceType::Dim1 ? 1u : surface.type == SurfaceType::Dim3 ? 3u : 2u;
  const std::array modes{sampler.tcx, sampler.tcy, sampler.tcz};
  for (unsigned axis = 0; axis < axes; ++axis)
    if (modes[axis] == image::AddressMode::Mirror101 && context.platform == UnitPlatform::Skl)
      context.warn("ADR-7", "mirror_101 does not exist before Gen11");
  if (sampler.non_normalized) {  // HW-21
    using image::AddressMode;
    bool legal = surface.type == SurfaceType::Dim2 || surface.type == SurfaceType::Dim3;
    for (unsigned axis = 0; axis < axes; ++axis)
      legal &= modes[axis] == AddressMode::Clamp || modes[axis] == AddressMode::HalfBorder ||
               modes[axis] == AddressMode::ClampBorder;
    for (const auto filter : {sampler.min_filter, sampler.mag_filter})
      legal &= filter == image::Filter::Nearest || filter == image::Filter::Linear;
    legal &= sampler.mip_filter == image::MipFilter::None && sampler.lod_bias == 0 && surface.mip_count == 0 &&
             surface.surf_min_lod == 0;
    if (!legal) context.warn("HW-21", "non-normalized coordinates with state that they don't allow");
  }
  if (const auto generation = generation_of(context.platform)) {
    const image::Support& support = surface.info().support[static_cast<unsigned>(*generation)];
    const bool filters =
        (sampler.min_filter != image::Filter::Nearest || sampler.mag_filter != image::Filter::Nearest ||
         sampler.mip_filter == image::MipFilter::Linear) &&
        op.family == OperationKind::Sample;
    if (!support.sample)
      context.warn("surface-format-support",
                   fmt::format("{} can't be sampled on {}", surface.info().name, name_of(context.platform)));
    else if (filters && !support.filter)
      context.warn("surface-format-support",
                   fmt::format("{} can't be filtered on {}", surface.info().name, name_of(context.platform)));
    if (op.compare() && support.sample && !support.compare)
      context.warn("surface-format-support",
                   fmt::format("{} can't be compared on {}", surface.info().name, name_of(context.platform)));
  }
}

bool refused(const LaneRequest& request, const Operation& op, OperationContext& context) {
  const Surface& surface = *request.surface;
  const auto refuse = [&](std::string_view id, const std::string& message) {
    context.refuse(id, message);
    return true;
  };
  if (!type_allowed(op, surface.type))
    return refuse("RET-9", fmt::format("{} is not defined for {} surfaces", op.name, type_name(surface.type)));
  const image::FormatInfo* info = image::format_info(surface.format);
  if (info == nullptr)
    return refuse("surface-format", fmt::format("{:#x} is no surface format", static_cast<unsigned>(surface.format)));
  if (needs_texels(op) && !image::decodable(*info) && info->compression != image::Compression::Planar420)
    return refuse("NUM-28", fmt::format("{} can't be sampled", info->name));
  if (surface.corner_texel) return refuse("SUR-8", "corner texel mode is not supported");
  const image::Sampler& sampler = *request.sampler;
  if (op.family == OperationKind::Sample &&
      (sampler.min_filter == image::Filter::Mono || sampler.mag_filter == image::Filter::Mono))
    return refuse("SUR-8", "the MONO filter is not supported");
  if (op.packed() && request.half_parameters)
    return refuse("PKO-4", fmt::format("{} has a packed operand, which needs 32-bit lanes", op.name));
  return false;
}

/// PKO-1: the packed operand of the operation, if it has one.
PackedOffsets unpack(const LaneRequest& request, const Operation& op, unsigned lane) {
  const bool gather = op.family == OperationKind::Gather4;
  for (const Param p : op.parameters()) {
    const std::uint32_t word = request.word(p, lane);
    switch (p) {
      case Param::OffUv:
      case Param::OffUvr:
        return gather ? unpack_gather_offsets(word) : unpack_sample_offsets(word);
      case Param::OffUvIndex:
      case Param::OffUvrIndex:
        return gather ? unpack_gather_offsets_index(word) : unpack_sample_offsets_index(word);
      case Param::LodOffUv:
      case Param::LodOffUvr:
      case Param::BiasOffUv:
      case Param::BiasOffUvr:
        return gather ? unpack_gather_value_offsets(word) : unpack_sample_value_offsets(word);
      case Param::MlodR:
        return unpack_value_index(word);
      default:
        break;
    }
  }
  return {};
}

constexpr Param kDirection[3] = {Param::U, Param::V, Param::R};

std::array<float, 3> coordinates_at(const LaneRequest& request, unsigned lane) {
  return {request.value(Param::U, lane), request.value(Param::V, lane), request.value(Param::R, lane)};
}

/// LOD-2, EXE-4, EXE-5: derivatives of the three coordinates; given gradients for sample_d; LOD-12.
Gradients direction_gradients(const Resolved& state, const LaneRequest& request, unsigned lane) {
  Gradients g;
  if (state.operation->lod == LodSource::Gradient) {
    constexpr Param kDx[3] = {Param::DuDx, Param::DvDx, Param::DrDx}, kDy[3] = {Param::DuDy, Param::DvDy, Param::DrDy};
    for (unsigned k = 0; k < 3; ++k) {
      g.dx[k] = request.value(kDx[k], lane);
      g.dy[k] = request.value(kDy[k], lane);
    }
  } else {
    const unsigned quad = lane & ~3u;
    for (unsigned k = 0; k < 3; ++k) {
      const float upper_left = request.value(kDirection[k], quad);
      g.dx[k] = request.value(kDirection[k], quad + 1) - upper_left;
      g.dy[k] = request.value(kDirection[k], quad + 2) - upper_left;
    }
  }
  if (request.cps_compensation || request.sampler->cps_lod_compensation) {  // LOD-12 [C49]
    for (unsigned k = 0; k < 3; ++k) {
      g.dx[k] = g.dx[k] / static_cast<float>(request.coarse_width);
      g.dy[k] = g.dy[k] / static_cast<float>(request.coarse_height);
    }
  }
  return g;
}

}  // namespace

LaneResult zero_result(image::ValueClass value_class) {
  LaneResult result;
  result.value_class = value_class;
  return result;
}

std::optional<Resolved> resolve(const LaneRequest& request, OperationContext& context) {
  const Operation& op = operation(request.op);
  if (request.surface == nullptr || request.surface->type == SurfaceType::Null) return std::nullopt;  // RET-7
  if (request.sampler == nullptr) {
    context.refuse("RET-9", fmt::format("{} needs a sampler", op.name));
    return std::nullopt;
  }
  if (refused(request, op, context)) return std::nullopt;
  const Surface& surface = *request.surface;
  const image::Sampler& sampler = *request.sampler;
  warn_about(op, surface, sampler, context);
  if (sampler.disable) return std::nullopt;  // RET-8

  Resolved r;
  r.operation = &op;
  r.taps = tap_state(surface, sampler);
  r.lod = lod_state(surface, sampler);
  r.base_size = sampled_size(surface, surface.surf_min_lod);
  r.values.surface = &surface;
  r.values.format = sampled_format(surface.info());
  r.values.format.dx9_ones &= sampler.border_mode == image::BorderMode::Dx9;
  r.values.srgb_decode = sampler.srgb_decode;
  r.values.border = border_texel(sampler, r.values.format);
  r.values.out_of_bounds = out_of_bounds_texel(r.values.format);

  r.compare = op.compare();
  const bool reductions = sampler.reduction_enable && op.op != Op::Lod;  // RED-2
  if (reductions) {                                                      // RED-3
    const bool comparison = sampler.reduction == image::Reduction::Comparison;
    r.reference_is_zero = comparison && !op.compare();
    r.compare = comparison;
    if (op.family == OperationKind::Sample) {  // RED-4: no effect on gather4
      if (sampler.reduction == image::Reduction::Minimum) r.values.reduction = FilterReduction::Minimum;
      if (sampler.reduction == image::Reduction::Maximum) r.values.reduction = FilterReduction::Maximum;
    }
  }
  r.values.compare = r.compare;
  r.values.function = sampler.compare;
  if (r.compare && r.values.format.integer)
    context.refuse("C64", fmt::format("{} compares texels of {}, an integer format", op.name, surface.info().name));
  // RET-6: values of packed index operands, PKO-2, PKO-3.
  r.packed_index = op.has(Param::OffUvIndex) || op.has(Param::OffUvrIndex) || op.has(Param::MlodR);
  r.value_index = (op.has(Param::Lod) || op.has(Param::Bias)) && context.platform == UnitPlatform::Xe2 &&
                  surface.type == SurfaceType::Cube && surface.array && !request.half_parameters &&
                  !request.has(Param::Ai);

  // FLT-6: where ANISOTROPIC acts as LINEAR.
  const bool flat = surface.type == SurfaceType::Dim1 || surface.type == SurfaceType::Dim2;
  const bool with_gradients =
      op.lod == LodSource::Implicit || op.lod == LodSource::Bias || op.lod == LodSource::Gradient;
  if (flat && with_gradients && op.family == OperationKind::Sample) {
    r.ratio = static_cast<float>(2 * (std::min<unsigned>(sampler.max_anisotropy, 7) + 1));
    r.min_anisotropic = sampler.min_filter == image::Filter::Anisotropic;
  }
  // FLT-5 [C44]: integer formats don't blend levels.
  if (r.values.format.integer && r.values.reduction == FilterReduction::Weighted &&
      r.lod.mip_filter == image::MipFilter::Linear)
    r.lod.mip_filter = image::MipFilter::Nearest;
  return r;
}

Lane read_lane(const Resolved& state, const LaneRequest& request, unsigned lane) {
  const Operation& op = *state.operation;
  const Surface& surface = *request.surface;
  Lane l;
  const std::array<float, 3> c = coordinates_at(request, lane);
  const PackedOffsets packed = unpack(request, op, lane);
  const std::uint32_t length = surface.array_length();

  // CRD-5, SUR-4: which parameter is the array index.
  switch (surface.type) {
    case SurfaceType::Dim1:
      l.point.index = array_index(c[1], length);
      break;
    case SurfaceType::Dim2:
      l.point.index = state.packed_index ? std::min(packed.index, length - 1) : array_index(c[2], length);  // PKO-2
      break;
    case SurfaceType::Cube:
      l.point.index = array_index(request.value(Param::Ai, lane), length);
      break;
    default:
      break;
  }

  // CRD-4, GA-8: packed and lane offsets replace the immediate ones.
  if (op.has(Param::OffU)) {
    l.point.offset = {gather_lane_offset(request.word(Param::OffU, lane)),
                      gather_lane_offset(request.word(Param::OffV, lane)), 0};
  } else {
    l.point.offset = op.per_lane_offsets() ? packed.offset : request.offset;
  }

  // The lane's LOD or bias (NUM-73).
  float value = request.value(op.lod == LodSource::Bias ? Param::Bias : Param::Lod, lane);
  if (state.value_index) {  // PKO-3
    const PackedOffsets both =
        unpack_value_index(request.word(op.lod == LodSource::Bias ? Param::Bias : Param::Lod, lane));
    value = both.value;
    l.point.index = std::min(both.index, length - 1);
  }
  if (op.per_lane_offsets() && !op.has(Param::OffU)) value = packed.value;
  if (op.lod == LodSource::Bias) l.lane_lod = quantize_bias(value);
  if (op.lod == LodSource::Lane) l.lane_lod = quantize_lod(value);
  if (op.has(Param::Mlod) || op.has(Param::MlodR)) {  // C60
    l.has_min_lod = true;
    l.min_lod = quantize_lod(op.has(Param::Mlod) ? request.value(Param::Mlod, lane) : packed.value);
  }
  l.ref = state.reference_is_zero ? 0.0f : request.value(Param::Ref, lane);

  const bool gradients = op.derivatives() || op.lod == LodSource::Gradient;
  if (gradients) l.gradients = direction_gradients(state, request, lane);
  l.point.coordinate = c;
  if (surface.type == SurfaceType::Cube) {
    l.face = cube_face(c[0], c[1], c[2]);
    l.point.face = l.face.face;
    l.point.coordinate = {l.face.s, l.face.t, 0};
    if (gradients) {  // LOD-3, SAM-8: each lane's own face
      const auto x = cube_derivative(l.face, l.gradients.dx), y = cube_derivative(l.face, l.gradients.dy);
      l.gradients.dx = {x[0], x[1], 0};
      l.gradients.dy = {y[0], y[1], 0};
    }
  }
  return l;
}

std::int32_t lod_of(const Resolved& state, const Lane& lane, Spread& spread) {
  switch (state.operation->lod) {
    case LodSource::None:
    case LodSource::Base:
    case LodSource::Zero:
      return 0;
    case LodSource::Lane:
      return state.lod.bias + lane.lane_lod;  // LOD-9
    case LodSource::Implicit:
    case LodSource::Bias:
    case LodSource::Gradient:
      break;
  }
  spread = spread_of(lane.gradients, state.base_size, state.taps.axes, state.taps.non_normalized);
  const float rho = anisotropic_rho(spread, state.min_anisotropic ? state.ratio : 1.0f);  // ANI-1
  return implicit_lod(rho) + state.lod.bias + (state.operation->lod == LodSource::Bias ? lane.lane_lod : 0);
}

// FLT-2, FLT-5, FLT-6.
bool takes_linear_taps(const Resolved& state, image::Filter filter) {
  if (state.values.format.integer && state.values.reduction == FilterReduction::Weighted) return false;
  return filter != image::Filter::Nearest;
}

ProbeLine probe_line(const Resolved& state, const Lane& lane, const Spread& spread, const LodChoice& choice,
                     bool linear) {
  ProbeLine line;
  if (!linear || choice.filter != image::Filter::Anisotropic || state.ratio <= 1) return line;
  line.count = probe_count(spread, state.ratio);
  const auto& g = spread.x_is_longer() ? lane.gradients.dx : lane.gradients.dy;
  line.gradient = {g[0], state.taps.axes > 1 ? g[1] : 0.0f};
  return line;
}

// LOD-10, LOD-11, LD-10.
LodChoice gather_level(const Resolved& state, const Lane& lane, std::uint32_t unread, bool hardware) {
  if (state.operation->lod == LodSource::Base) {
    LodChoice choice = choose_level(state.lod, 0, LodBranch::Base);
    choice.out_of_bounds = choice.out_of_bounds || unread != 0;
    choice.magnify = true;               // CRD-3 [C18]: without a LOD the mag set
    if (!hardware) choice.level[0] = 0;  // C2
    return choice;
  }
  Spread spread;
  return choose_level(state.lod, lod_of(state, lane, spread), LodBranch::Nearest);
}

void observe(OperationContext& context, const Surface& surface, const LevelTaps& taps, unsigned lane,
             bool all_weighted) {
  if (context.observer == nullptr) return;
  for_each_texel(taps, [&](const Tap& tap, const TexelPosition& at) {
    TexelTouch touch;
    touch.surface = &surface;
    touch.level = taps.level;
    touch.slice = at.slice;
    touch.x = at.x;
    touch.y = at.y;
    touch.lane = lane;
    touch.weighted = all_weighted || tap.weighted;
    context.observer->texel(touch);
  });
}

}  // namespace heddle::texture::reference
