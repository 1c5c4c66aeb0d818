// SPDX-License-Identifier: MIT
// 3D_SAMPLE4: docs/rules/gather.md.
// Rules: C20, C21, GA-1, GA-3, GA-5, GA-6, GA-9, GA-11, GA-13, TEX-1.

#include "texture/reference/resolve.hpp"

namespace heddle::texture {
using namespace reference;

LaneResult gather4(const LaneRequest& request, OperationContext& context) {
  const std::optional<Resolved> resolved = resolve(request, context);
  if (!resolved) {
    const image::FormatInfo* info = request.surface ? image::format_info(request.surface->format) : nullptr;
    return zero_result(info != nullptr && !operation(request.op).compare() ? info->value_class
                                                                           : image::ValueClass::Float);
  }
  const Resolved& state = *resolved;
  const image::Surface& surface = *request.surface;
  LaneResult result;
  result.value_class = state.compare ? image::ValueClass::Float : state.values.format.value_class;
  const image::ChannelSelect select = surface.swizzle[request.source_channel & 3u];  // GA-1, GA-5
  LevelTaps taps;
  FetchNotes all;
  for (unsigned k = 0; k < request.simd && k < kMaxLanes; ++k) {
    if (!request.is_active(k)) continue;
    const Lane lane = read_lane(state, request, k);
    const LodChoice choice = gather_level(state, lane, surface.unread_levels, context.hardware());
    const float ref = compare_reference(state.values, lane.ref);
    FetchNotes notes;
    if (!choice.out_of_bounds) {
      build_taps(state.taps, lane.point, surface.surf_min_lod + choice.level[0], true,  // C21
                 rounding(*request.sampler, choice.magnify), {}, taps);                 // GA-3
      observe(context, surface, taps, k, true);
    }
    for (unsigned c = 0; c < 4; ++c) {
      const image::Texel value = choice.out_of_bounds
                                     ? out_of_bounds_value(state.values, ref)  // TEX-1
                                     : tap_value(state.values, taps, taps.probe[0].tap[kReturnedTap[c]], ref, notes);
      result.channels[c][k] =
          state.compare ? value.bits[0] : select_channel(select, value, state.values.format.one());  // GA-6
    }
    if (notes.null_page) result.null_mask &= ~(1u << k);  // GA-9
    all.outside |= notes.outside;
  }
  if (all.outside) context.refuse("C22", "texels outside the memory that was supplied");
  return result;
}

}  // namespace heddle::texture
