// SPDX-License-Identifier: MIT
// Rules: BND-1 to BND-10, BND-13 to BND-16, GA-1, GA-5, LOD-8, RET-7, RET-8, SUR-7.
#include "texture/bounds/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/half.hpp"
#include "texture/bounds/filters.hpp"
#include "texture/bounds/loads.hpp"

namespace heddle::texture::bounds {
namespace {

using image::Filter;
using image::ValueClass;

struct ApiRow {
  Api api;
  std::string_view word;
  Freedom freedom;
};
/// BND-1: what each API promises at least.
constexpr std::array<ApiRow, 3> kApis{{
    {Api::Vulkan, "vulkan", {4, 4, true}},
    {Api::D3d11, "d3d11", {8, 8, false}},
    {Api::WebGpu, "webgpu", {4, 4, true}},
}};

ValueSet exactly(std::uint32_t word, ValueClass value_class) {
  const double value = number_of(word, value_class);
  ValueSet set;
  if (std::isfinite(value))
    set = ValueSet::of(value);
  else
    set.allow_anything();
  return set;
}

ChannelSets exactly(const image::Texel& texel, ValueClass value_class) {
  ChannelSets sets;
  for (unsigned c = 0; c < 4; ++c) sets[c] = exactly(texel.bits[c], value_class);
  return sets;
}

void add(ChannelSets& to, const ChannelSets& from) {
  for (unsigned c = 0; c < 4; ++c) to[c].add(from[c]);
}

/// BND-1: state that no API can set. Nothing where there is none.
std::string_view foreign_state(const LaneRequest& request) {
  const image::Surface& surface = *request.surface;
  const image::Sampler& sampler = *request.sampler;
  const auto foreign = [](image::AddressMode mode) {
    return mode == image::AddressMode::HalfBorder || mode == image::AddressMode::Mirror101;
  };
  if (surface.quilt_width != 1 || surface.quilt_height != 1) return "a quilted surface";
  if (surface.base_mip_level != 0) return "a base mip level";
  if (surface.cube_faces != 63) return "disabled faces of a cube";
  if (sampler.trilinear_quality != 0) return "a trilinear quality";
  if (sampler.border_mode == image::BorderMode::Dx9) return "the border mode of Direct3D 9";
  if (foreign(sampler.tcx) || foreign(sampler.tcy) || foreign(sampler.tcz)) return "this address mode";
  return {};
}

/// The operand Lod or Bias as it was given, not in the hardware's steps.
double operand_lod(const Question& question, const reference::Lane& lane, unsigned k) {
  const Operation& op = *question.state.operation;
  const Param param = op.lod == LodSource::Bias ? Param::Bias : Param::Lod;
  if (!op.has(param) || question.state.value_index) return lane.lane_lod / 256.0;
  const auto value = static_cast<double>(question.request.value(param, k));
  const double limit = op.lod == LodSource::Bias ? 16 : 64;
  return std::isnan(value) ? 0 : std::clamp(value, -limit, limit);
}

bool has_derivatives(const Question& question) {
  const Operation& op = *question.state.operation;
  return op.derivatives() || op.lod == LodSource::Gradient;
}

/// BND-9: what the sampler lets anisotropy divide the level of detail by.
double ratio_of(const Question& question) {
  const image::Sampler& sampler = *question.request.sampler;
  if (sampler.min_filter != Filter::Anisotropic && sampler.mag_filter != Filter::Anisotropic) return 1;
  return 2.0 * (std::min<unsigned>(sampler.max_anisotropy, 7) + 1);
}

/// lambda' of one place.
Interval lod_at(const Question& question, const reference::Lane& lane, const Derivatives& derivatives, unsigned k) {
  const Operation& op = *question.state.operation;
  const Interval bias = held(question.state.lod.bias);
  switch (op.lod) {
    case LodSource::None:
    case LodSource::Base:
    case LodSource::Zero:
      return {0, 0};
    case LodSource::Lane: {
      const double lod = operand_lod(question, lane, k);
      return {bias.low + lod, bias.high + lod};
    }
    case LodSource::Implicit:
    case LodSource::Bias:
    case LodSource::Gradient:
      break;
  }
  const double more = op.lod == LodSource::Bias ? operand_lod(question, lane, k) : 0;
  const Interval base = base_lod(question, derivatives, ratio_of(question));
  return {base.low + bias.low + more, base.high + bias.high + more};
}

/// The rule that most of the freedom comes from.
std::string_view rule_of(const Question& question, const LevelChoice& choice, std::size_t places) {
  const auto uses = [&](Filter filter) {
    return std::ranges::any_of(choice.blends, [&](const Blend& b) { return b.filter == filter; });
  };
  if (has_derivatives(question) && uses(Filter::Anisotropic)) return "BND-9";
  if (question.state.values.reduction != FilterReduction::Weighted) return "BND-14";
  if (question.state.compare) return "BND-13";
  if (places > 1) return "BND-10";
  if (choice.blends.size() > 1) return has_derivatives(question) ? "BND-7" : "BND-8";
  if (!choice.blends.empty() && choice.blends[0].fine != choice.blends[0].coarse) return "BND-8";
  return uses(Filter::Nearest) ? "BND-4" : "BND-5";
}

/// A sample at one place: each filter and each pair of levels that it may take.
void sample_at(const LevelQuestion& at, const LevelChoice& choice, ChannelSets& sets) {
  for (const Blend& blend : choice.blends) {
    const ChannelSets fine = filtered_level(at, blend.fine, blend.filter);
    if (blend.fine == blend.coarse || blend.delta.high == 0)
      add(sets, with_idle_blend(at.question, fine));
    else
      add(sets, blended_levels(at.question, fine, filtered_level(at, blend.coarse, blend.filter), blend.delta));
  }
}

/// BND-15: the level that is read, rounded or not, and the level before clamps.
void query_at(const LevelChoice& choice, bool nearest, ChannelSets& sets) {
  const auto part = [](const Interval& x) { return Part{x, x, {}, {}}; };
  sets[0].add(part(choice.clamped));
  for (const Blend& blend : choice.blends)
    if (nearest) sets[0].add(ValueSet::of(blend.fine));
  sets[1].add(part(choice.unclamped));
  sets[2].add(ValueSet::of(0));
  sets[3].add(ValueSet::of(0));
}

/// SUR-7: channel selects.
ValueSet selected(const ChannelSets& sets, image::ChannelSelect select, double one) {
  switch (select) {
    case image::ChannelSelect::Zero:
      return ValueSet::of(0);
    case image::ChannelSelect::One:
      return ValueSet::of(one);
    case image::ChannelSelect::Red:
      return sets[0];
    case image::ChannelSelect::Green:
      return sets[1];
    case image::ChannelSelect::Blue:
      return sets[2];
    case image::ChannelSelect::Alpha:
      return sets[3];
  }
  return sets[0];
}

/// What stands for every texel where the view's least level lies beyond its last one (LOD-8).
ChannelSets outside_the_view(const Question& question, float reference) {
  return exactly(out_of_bounds_value(question.state.values, reference),
                 question.state.compare ? ValueClass::Float : question.state.values.format.value_class);
}

LaneBounds sample_bounds(const Question& question, unsigned k) {
  const LaneRequest& request = question.request;
  const reference::Lane lane = reference::read_lane(question.state, request, k);
  const std::vector<Place> places = places_of(question, lane, k);
  const bool query = request.op == Op::Lod;
  LaneBounds result{true, "BND-3", {}};
  if (places.empty()) {
    result.channels = anything();
    return result;
  }
  ChannelSets sets;
  for (const Place& place : places) {
    Derivatives derivatives;
    if (has_derivatives(question)) derivatives = derivatives_of(question, place, k);
    const LevelChoice choice = choose_levels(question, lane, k, lod_at(question, lane, derivatives, k), false);
    const float reference = compare_reference(question.state.values, lane.ref);
    const LevelQuestion at{question, place, has_derivatives(question) ? &derivatives : nullptr, reference};
    result.rule = query ? "BND-15" : rule_of(question, choice, places.size());
    if (query)
      query_at(choice, question.state.lod.mip_filter != image::MipFilter::Linear, sets);
    else if (choice.out_of_bounds)
      add(sets, outside_the_view(question, reference));
    else
      sample_at(at, choice, sets);
  }
  for (unsigned c = 0; c < 4; ++c)
    result.channels[c] = query ? sets[c] : selected(sets, request.surface->swizzle[c], 1);
  return result;
}

LaneBounds gather_bounds(const Question& question, unsigned k, bool hardware) {
  const LaneRequest& request = question.request;
  const reference::Lane lane = reference::read_lane(question.state, request, k);
  const std::vector<Place> places = places_of(question, lane, k);
  LaneBounds result{true, question.state.compare ? "BND-13" : "BND-6", {}};
  if (places.empty()) {
    result.channels = anything();
    return result;
  }
  const float reference = compare_reference(question.state.values, lane.ref);
  std::array<ChannelSets, 4> texels;
  for (const Place& place : places) {
    LevelChoice choice;
    if (question.state.operation->lod == LodSource::Base) {
      const LodChoice fixed = reference::gather_level(question.state, lane, request.surface->unread_levels, hardware);
      choice.out_of_bounds = fixed.out_of_bounds;
      choice.blends = {{Filter::Linear, fixed.level[0], fixed.level[0], {}}};
    } else {
      Derivatives derivatives;
      if (has_derivatives(question)) derivatives = derivatives_of(question, place, k);
      choice = choose_levels(question, lane, k, lod_at(question, lane, derivatives, k), true);
    }
    if (choice.out_of_bounds) {
      const ChannelSets outside = outside_the_view(question, reference);
      for (ChannelSets& sets : texels) add(sets, outside);
      continue;
    }
    for (const Blend& blend : choice.blends) {
      const auto four = gathered({question, place, nullptr, reference}, blend.fine);
      for (unsigned c = 0; c < 4; ++c) add(texels[c], four[c]);
    }
  }
  const image::ChannelSelect select = request.surface->swizzle[request.source_channel & 3u];  // GA-1, GA-5
  for (unsigned c = 0; c < 4; ++c)
    result.channels[c] = question.state.compare ? texels[c][0] : selected(texels[c], select, 1);
  return result;
}

/// BND-15: questions for sizes have one answer, and so have null surfaces.
std::optional<Bounds> exact_bounds(const LaneRequest& request, OperationContext& context) {
  const LaneResult answer = execute(request, context);
  if (context.reports.has_errors()) return std::nullopt;
  Bounds bounds;
  bounds.value_class = answer.value_class;
  bounds.lanes.resize(request.simd);
  for (unsigned k = 0; k < request.simd; ++k) {
    if (!request.is_active(k)) continue;
    bounds.lanes[k] = {true, "BND-15", {}};
    for (unsigned c = 0; c < 4; ++c) bounds.lanes[k].channels[c] = exactly(answer.channels[c][k], answer.value_class);
  }
  return bounds;
}

}  // namespace

std::optional<Api> find_api(std::string_view word) {
  for (const ApiRow& row : kApis)
    if (row.word == word) return row.api;
  return std::nullopt;
}

std::string_view name_of(Api api) { return kApis[static_cast<std::size_t>(api)].word; }

Freedom freedom_of(const Options& options) {
  Freedom freedom = kApis[static_cast<std::size_t>(options.api)].freedom;
  if (options.sub_texel_bits != 0) freedom.sub_texel_bits = std::min(options.sub_texel_bits, 16u);
  if (options.mipmap_bits != 0) freedom.mipmap_bits = std::min(options.mipmap_bits, 16u);
  return freedom;
}

std::optional<Bounds> find_bounds(const LaneRequest& request, const Options& options, OperationContext& context) {
  const Operation& op = operation(request.op);
  if (op.family == OperationKind::Load) return load_bounds(request, options.api, context);
  if (op.family == OperationKind::Info) return exact_bounds(request, context);
  const std::optional<reference::Resolved> state = reference::resolve(request, context);
  if (context.reports.has_errors()) return std::nullopt;
  if (!state) return exact_bounds(request, context);  // RET-7, RET-8: zeros
  if (const std::string_view foreign = foreign_state(request); !foreign.empty()) {
    context.refuse("BND-1",
                   fmt::format("{} is no state of Vulkan, Direct3D or WebGPU: there are no bounds for it", foreign));
    return std::nullopt;
  }
  const Question question{request, *state, freedom_of(options), options.why};
  Bounds bounds;
  const bool plain = request.op != Op::Lod && !state->compare;
  bounds.value_class = plain ? state->values.format.value_class : ValueClass::Float;
  bounds.lanes.resize(request.simd);
  for (unsigned k = 0; k < request.simd && k < kMaxLanes; ++k)
    if (request.is_active(k))
      bounds.lanes[k] = op.family == OperationKind::Gather4 ? gather_bounds(question, k, context.hardware())
                                                            : sample_bounds(question, k);
  return bounds;
}

std::string_view name_of(Verdict verdict) {
  return verdict == Verdict::Inside ? "inside" : verdict == Verdict::Edge ? "edge" : "outside";
}

Verdict judge(const ValueSet& allowed, std::uint32_t word, ValueClass value_class) {
  if (allowed.open()) return Verdict::Inside;
  const double value = number_of(word, value_class);
  // What binary32 makes of an end that it does not have.
  const double rounding = value_class == ValueClass::Float ? std::fabs(value) * 0x1p-22 : 0;
  const auto within = [&](const Interval& x) { return value >= x.low - rounding && value <= x.high + rounding; };
  Verdict verdict = Verdict::Outside;
  for (const Part& part : allowed.parts()) {
    if (within(part.core)) return Verdict::Inside;
    if (within(part.full)) verdict = Verdict::Edge;
  }
  return verdict;
}

}  // namespace heddle::texture::bounds
