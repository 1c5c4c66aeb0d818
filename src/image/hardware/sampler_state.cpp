// SPDX-License-Identifier: MIT
// SAMPLER_STATE and SAMPLER_BORDER_COLOR_STATE <-> Sampler: HW-11, HW-12, HW-20, HW-21.

#include <fmt/format.h>

#include <algorithm>

#include "image/hardware/state.hpp"

namespace heddle::image::hardware {
namespace {

constexpr std::uint32_t kMaxLod = 14 * 256;  // NUM-70: state range 0 to 14.0

base::Diagnostic reserved_code(std::string_view name, std::uint64_t value) {
  return base::error("state-value", fmt::format("{} = {} is reserved", name, value));
}

std::optional<base::Diagnostic> refuse(const DecodedState& state) {
  for (std::string_view filter : {"mag_filter", "min_filter"}) {
    const std::uint64_t code = state.get(filter);
    if (code == 6) return base::error("SUR-8", fmt::format("{}: the MONO filter is not supported", filter));
    if (code > 2) return reserved_code(filter, code);
  }
  if (state.get("mip_filter") == 2) return reserved_code("mip_filter", 2);
  if (state.get("preclamp") == 1 || state.get("preclamp") == 3) return reserved_code("preclamp", state.get("preclamp"));
  if (state.get("chromakey_enable") != 0) return base::error("SUR-8", "chroma key is not supported");
  for (std::string_view name : {"return_weight_border", "return_weight_null"})
    if (state.get(name) != 0)
      return base::error("HW-11", fmt::format("{}: returned filter weights are not supported", name));
  if (state.generation == Generation::Gen9)
    for (std::string_view axis : {"tcx", "tcy", "tcz"})
      if (state.get(axis) == 7) return base::error("ADR-7", fmt::format("{}: MIRROR_101 exists from Gen11 on", axis));
  return std::nullopt;
}

}  // namespace

base::Result<DecodedSampler> to_sampler(const DecodedState& state, std::span<const std::uint32_t> border) {
  if (state.kind != StateKind::SamplerState) return base::error("state-field", "a sampler is made of SAMPLER_STATE");
  if (auto refused = refuse(state)) return *refused;
  DecodedSampler result;
  if (state.has_reserved_bits())
    result.warnings.push_back(base::warning("HW-9", "SAMPLER_STATE has reserved bits set"));
  Sampler& sampler = result.sampler;
  const auto flag = [&](std::string_view name) { return state.get(name) != 0; };
  sampler.disable = flag("disable");
  sampler.cps_lod_compensation = flag("cps_lod_comp");
  sampler.border_mode = static_cast<BorderMode>(state.get("border_mode"));
  sampler.preclamp = static_cast<LodPreClamp>(state.get("preclamp"));
  sampler.mip_filter = static_cast<MipFilter>(state.get("mip_filter"));
  sampler.mag_filter = static_cast<Filter>(state.get("mag_filter"));
  sampler.min_filter = static_cast<Filter>(state.get("min_filter"));
  const auto bias = static_cast<std::int32_t>(state.get("lod_bias"));
  sampler.lod_bias = bias >= 0x1000 ? bias - 0x2000 : bias;  // S4.8 in 13 bits
  sampler.min_lod = static_cast<std::int32_t>(state.get("min_lod"));
  sampler.max_lod = static_cast<std::int32_t>(state.get("max_lod"));
  for (std::string_view name : {"min_lod", "max_lod"})
    if (state.get(name) > kMaxLod)
      result.warnings.push_back(base::warning("NUM-70", fmt::format("{} exceeds 14.0", name)));
  sampler.compare = static_cast<CompareFunction>(state.get("shadow_function"));
  sampler.cube_override = flag("cube_override");
  result.border_pointer = static_cast<std::uint32_t>(state.get("border_pointer") << 6);
  sampler.srgb_decode = !flag("srgb_decode");
  sampler.lod_clamp_mag = static_cast<LodClampMag>(state.get("lod_clamp_mag"));
  sampler.reduction = static_cast<Reduction>(state.get("reduction_type"));
  sampler.reduction_enable = flag("reduction_enable");
  sampler.max_anisotropy = static_cast<std::uint8_t>(state.get("max_anisotropy"));
  sampler.round_min = {flag("round_u_min"), flag("round_v_min"), flag("round_r_min")};
  sampler.round_mag = {flag("round_u_mag"), flag("round_v_mag"), flag("round_r_mag")};
  sampler.trilinear_quality = static_cast<std::uint8_t>(state.get("trilinear_quality"));
  sampler.non_normalized = flag("non_normalized");
  sampler.tcx = static_cast<AddressMode>(state.get("tcx"));
  sampler.tcy = static_cast<AddressMode>(state.get("tcy"));
  sampler.tcz = static_cast<AddressMode>(state.get("tcz"));
  for (unsigned c = 0; c < 4; ++c) {
    if (sampler.border_mode == BorderMode::Dx9)
      sampler.border[c] = border.empty() ? 0 : border[0] >> (8 * c) & 0xFF;
    else
      sampler.border[c] = c < border.size() ? border[c] : 0;
  }
  return result;
}

base::Result<DecodedState> from_sampler(const Sampler& sampler, Generation generation, std::uint32_t border_pointer) {
  DecodedState state;
  state.kind = StateKind::SamplerState;
  state.generation = generation;
  if (sampler.lod_bias < -0x1000 || sampler.lod_bias > 0xFFF)
    return base::error("NUM-71", fmt::format("LOD bias {} is no S4.8 number", sampler.lod_bias));
  if (border_pointer % 64 != 0)
    return base::error("state-value", fmt::format("border color pointer {:#x} is not 64-byte aligned", border_pointer));
  state.set("disable", sampler.disable);
  if (sampler.cps_lod_compensation) state.set("cps_lod_comp", 1);
  state.set("border_mode", static_cast<std::uint64_t>(sampler.border_mode));
  state.set("preclamp", static_cast<std::uint64_t>(sampler.preclamp));
  state.set("mip_filter", static_cast<std::uint64_t>(sampler.mip_filter));
  state.set("mag_filter", static_cast<std::uint64_t>(sampler.mag_filter));
  state.set("min_filter", static_cast<std::uint64_t>(sampler.min_filter));
  state.set("lod_bias", static_cast<std::uint64_t>(sampler.lod_bias) & 0x1FFF);
  state.set("min_lod", static_cast<std::uint64_t>(sampler.min_lod) & 0xFFF);
  state.set("max_lod", static_cast<std::uint64_t>(sampler.max_lod) & 0xFFF);
  state.set("shadow_function", static_cast<std::uint64_t>(sampler.compare));
  state.set("cube_override", sampler.cube_override);
  state.set("border_pointer", border_pointer >> 6);
  if (!sampler.srgb_decode) state.set("srgb_decode", 1);
  state.set("lod_clamp_mag", static_cast<std::uint64_t>(sampler.lod_clamp_mag));
  state.set("reduction_type", static_cast<std::uint64_t>(sampler.reduction));
  state.set("reduction_enable", sampler.reduction_enable);
  state.set("max_anisotropy", sampler.max_anisotropy & 7u);
  constexpr std::array<std::array<std::string_view, 2>, 3> rounding{
      {{"round_u_min", "round_u_mag"}, {"round_v_min", "round_v_mag"}, {"round_r_min", "round_r_mag"}}};
  for (unsigned axis = 0; axis < 3; ++axis) {
    state.set(rounding[axis][0], sampler.round_min[axis]);
    state.set(rounding[axis][1], sampler.round_mag[axis]);
  }
  state.set("trilinear_quality", sampler.trilinear_quality & 3u);
  state.set("non_normalized", sampler.non_normalized);
  state.set("tcx", static_cast<std::uint64_t>(sampler.tcx));
  state.set("tcy", static_cast<std::uint64_t>(sampler.tcy));
  state.set("tcz", static_cast<std::uint64_t>(sampler.tcz));
  if (auto refused = refuse(state)) return *refused;
  return state;
}

std::array<std::uint32_t, 4> border_words(const Sampler& sampler) {
  if (sampler.border_mode == BorderMode::Dx10) return sampler.border;
  std::array<std::uint32_t, 4> words{};
  for (unsigned c = 0; c < 4; ++c) words[0] |= (sampler.border[c] & 0xFF) << (8 * c);
  return words;
}

std::vector<base::Diagnostic> check_non_normalized(const Sampler& sampler, const Surface& surface) {
  std::vector<base::Diagnostic> found;
  if (!sampler.non_normalized) return found;
  const auto require = [&](bool condition, std::string_view what) {
    if (!condition) found.push_back(base::warning("HW-21", fmt::format("non-normalized coordinates ask for {}", what)));
  };
  const auto mode_allowed = [](AddressMode mode) {
    return mode == AddressMode::Clamp || mode == AddressMode::HalfBorder || mode == AddressMode::ClampBorder;
  };
  require(surface.type == SurfaceType::Dim2 || surface.type == SurfaceType::Dim3, "a 2d or 3d surface");
  require(mode_allowed(sampler.tcx) && mode_allowed(sampler.tcy) &&
              (surface.type != SurfaceType::Dim3 || mode_allowed(sampler.tcz)),
          "the address modes CLAMP, HALF_BORDER or CLAMP_BORDER");
  const auto filter_allowed = [](Filter filter) { return filter == Filter::Nearest || filter == Filter::Linear; };
  require(filter_allowed(sampler.min_filter) && filter_allowed(sampler.mag_filter), "the filters NEAREST or LINEAR");
  require(sampler.mip_filter == MipFilter::None, "the mip filter NONE");
  require(sampler.min_lod == 0 && sampler.max_lod == 0 && sampler.lod_bias == 0, "Min LOD, Max LOD and bias of 0");
  require(surface.mip_count == 0 && surface.surf_min_lod == 0, "MIP Count and Surface Min LOD of 0");
  return found;
}

}  // namespace heddle::image::hardware
