// SPDX-License-Identifier: MIT
// 3D_SAMPLE: docs/rules/filtering.md, steps of SAM-5.
// Rules: C47, C48, EXE-3, FLT-2, FLT-5, FLT-6, SAM-1, SAM-6, SAM-7, SAM-9, SUR-7, TEX-1.

#include "base/half.hpp"
#include "texture/reference/resolve.hpp"

namespace heddle::texture {
using namespace reference;
using image::Texel;

LaneResult sample(const LaneRequest& request, OperationContext& context) {
  const std::optional<Resolved> resolved = resolve(request, context);
  if (!resolved) {
    const image::FormatInfo* info = request.surface ? image::format_info(request.surface->format) : nullptr;
    const bool plain = info != nullptr && request.op != Op::Lod && !operation(request.op).compare();
    return zero_result(plain ? info->value_class : image::ValueClass::Float);
  }
  const Resolved& state = *resolved;
  const image::Surface& surface = *request.surface;
  const bool query = request.op == Op::Lod;
  LaneResult result;
  result.value_class = query || state.compare ? image::ValueClass::Float : state.values.format.value_class;
  const std::uint32_t one = result.value_class == image::ValueClass::Float ? 0x3f800000u : 1u;
  LevelTaps taps;
  FetchNotes all;
  for (unsigned k = 0; k < request.simd && k < kMaxLanes; ++k) {
    if (!request.is_active(k)) continue;  // EXE-3
    const Lane lane = read_lane(state, request, k);
    Spread spread;
    const std::int32_t lod = lod_of(state, lane, spread);
    LodState lod_settings = state.lod;
    if (lane.has_min_lod && lane.min_lod > lod_settings.min_lod) lod_settings.min_lod = lane.min_lod;
    const LodChoice choice = choose_level(lod_settings, lod);

    Texel value;
    FetchNotes notes;
    if (query) {
      value = lod_texel(choice);
    } else if (choice.out_of_bounds) {  // TEX-1
      value = out_of_bounds_value(state.values, compare_reference(state.values, lane.ref));
    } else {
      const bool linear = takes_linear_taps(state, choice.filter);
      const auto& round = rounding(*request.sampler, choice.magnify);
      const ProbeLine line = probe_line(state, lane, spread, choice, linear);
      const float ref = compare_reference(state.values, lane.ref);
      std::array<Texel, 2> level;
      for (unsigned n = 0; n < choice.level_count; ++n) {
        build_taps(state.taps, lane.point, surface.surf_min_lod + choice.level[n], linear, round, line, taps);
        level[n] = filter_level(state.values, taps, ref, notes);
        observe(context, surface, taps, k, false);
      }
      value = choice.level_count == 1 ? level[0] : combine_levels(state.values, level[0], level[1], choice.beta);
    }
    for (unsigned c = 0; c < 4; ++c)
      result.channels[c][k] = query ? value.bits[c] : select_channel(surface.swizzle[c], value, one);  // SUR-7
    if (notes.null_page) result.null_mask &= ~(1u << k);                                               // SAM-6
    all.outside |= notes.outside;
  }
  if (all.outside) context.refuse("C22", "texels outside the memory that was supplied");
  return result;
}

}  // namespace heddle::texture
