// SPDX-License-Identifier: MIT
// 3D_SAMPLE4: docs/rules/gather.md.
// Rules: C2, C18, C20, C21, CRD-3, GA-1, GA-3 to GA-6, GA-9, GA-11, GA-13, LD-10, LOD-10, LOD-11, TEX-1.

#include "texture/reference/resolve.hpp"

namespace heddle::texture {
namespace {

using namespace reference;

/// GA-4: which tap (order i0j0, i1j0, i0j1, i1j1) each returned channel holds: R lower left, G lower right, B upper
/// right, A upper left.
constexpr std::array<unsigned, 4> kReturnedTap{2, 3, 1, 0};

/// LOD-10, LOD-11: always one level. LD-10: `unread` of the view's levels.
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

}  // namespace

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
