// SPDX-License-Identifier: MIT
// Rules: CRD-3, FLT-4, GA-4, GA-5, GA-6, LOD-5, SAM-7, SUR-7, TEX-1.
#include "texture/reference/follow.hpp"

namespace heddle::texture::reference {
namespace {

/// GA-4, GA-5, GA-6.
void follow_gather(const LaneRequest& request, const OperationContext& context, FollowedLane& f) {
  const image::Surface& surface = *request.surface;
  f.choice = gather_level(f.state, f.lane, surface.unread_levels, context.hardware());
  FetchNotes notes;
  if (!f.choice.out_of_bounds) {
    f.levels = 1;
    build_taps(f.state.taps, f.lane.point, surface.surf_min_lod + f.choice.level[0], true,
               rounding(*request.sampler, f.choice.magnify), {}, f.taps[0]);
  }
  const image::ChannelSelect select = surface.swizzle[request.source_channel & 3u];
  for (unsigned c = 0; c < 4; ++c) {
    const image::Texel value =
        f.choice.out_of_bounds
            ? out_of_bounds_value(f.state.values, f.ref)  // TEX-1
            : tap_value(f.state.values, f.taps[0], f.taps[0].probe[0].tap[kReturnedTap[c]], f.ref, notes);
    f.result[c] = f.state.compare ? value.bits[0] : select_channel(select, value, f.state.values.format.one());
  }
}

void follow_sample(const LaneRequest& request, FollowedLane& f) {
  const image::Surface& surface = *request.surface;
  LodState settings = f.state.lod;
  if (f.lane.has_min_lod && f.lane.min_lod > settings.min_lod) settings.min_lod = f.lane.min_lod;
  f.choice = choose_level(settings, f.lod);  // LOD-5
  FetchNotes notes;
  if (request.op == Op::Lod) {
    f.value = lod_texel(f.choice);
  } else if (f.choice.out_of_bounds) {
    f.value = out_of_bounds_value(f.state.values, f.ref);  // TEX-1
  } else {
    const bool linear = takes_linear_taps(f.state, f.choice.filter);
    f.line = probe_line(f.state, f.lane, f.spread, f.choice, linear);
    f.levels = f.choice.level_count;
    for (unsigned n = 0; n < f.levels; ++n) {
      build_taps(f.state.taps, f.lane.point, surface.surf_min_lod + f.choice.level[n], linear,
                 rounding(*request.sampler, f.choice.magnify), f.line, f.taps[n]);
      f.level[n] = filter_level(f.state.values, f.taps[n], f.ref, notes);
    }
    f.value = f.levels == 1 ? f.level[0] : combine_levels(f.state.values, f.level[0], f.level[1], f.choice.beta);
  }
  const bool floats =
      request.op == Op::Lod || f.state.compare || f.state.values.format.value_class == image::ValueClass::Float;
  for (unsigned c = 0; c < 4; ++c)
    f.result[c] = request.op == Op::Lod
                      ? f.value.bits[c]
                      : select_channel(surface.swizzle[c], f.value, floats ? 0x3f800000u : 1u);  // SUR-7
}

}  // namespace

std::optional<FollowedLane> follow(const LaneRequest& request, unsigned lane, OperationContext& context) {
  const OperationKind family = operation(request.op).family;
  if (family != OperationKind::Sample && family != OperationKind::Gather4) return std::nullopt;
  auto resolved = resolve(request, context);
  if (!resolved) return std::nullopt;
  FollowedLane f;
  f.state = std::move(*resolved);
  f.lane = read_lane(f.state, request, lane);
  f.lod = lod_of(f.state, f.lane, f.spread);
  f.ref = compare_reference(f.state.values, f.lane.ref);
  if (family == OperationKind::Gather4)
    follow_gather(request, context, f);
  else
    follow_sample(request, f);
  return f;
}

}  // namespace heddle::texture::reference
