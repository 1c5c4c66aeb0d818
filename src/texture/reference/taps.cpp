// SPDX-License-Identifier: MIT
// Rules: ADR-8, ADR-9, ANI-1, C28, C40, C42, CRD-4, CUB-3 to CUB-5, FP-9, FP-10, HW-3, SUR-3, SUR-5, SUR-10.
#include "texture/taps.hpp"

#include <algorithm>
#include <cmath>

#include "texture/cube.hpp"

namespace heddle::texture {
namespace {

using image::AddressMode;
using image::Surface;
using image::SurfaceType;

/// SUR-3, SUR-10: the stored slice of a view's array index.
std::uint32_t stored_slice(const Surface& surface, std::uint32_t index) {
  return (surface.min_array_element + index) * surface.samples;
}

TexelPosition cube_position(const TapState& state, const TapPoint& point, const CubeTexel& texel) {
  const Surface& surface = *state.surface;
  TexelPosition at;
  at.slice = surface.min_array_element + 6 * point.index + texel.face;  // SUR-3
  at.x = static_cast<std::uint32_t>(texel.i);
  at.y = static_cast<std::uint32_t>(texel.j);
  at.border = !cube_face_enabled(surface.cube_faces, texel.face);  // ADR-9
  return at;
}

/// CUB-3..5.
void place_cube_tap(const TapState& state, const TapPoint& point, LevelTaps& out, Tap& tap) {
  const auto n = static_cast<std::int32_t>(out.size[0]);
  std::array<std::int32_t, 2> inside{};
  std::array<bool, 2> across{};
  bool border = false, half = false;
  for (unsigned axis = 0; axis < 2; ++axis) {
    const std::int32_t i = tap.unwrapped[axis];
    across[axis] = out.linear && state.seam[axis] && (i < 0 || i >= n);
    const AddressMode mode = out.linear ? state.mode[axis] : AddressMode::Clamp;  // CUB-3
    const Address a = apply_address_mode(mode, i, n);
    inside[axis] = a.index;
    border |= a.kind == AddressKind::Border;
    half |= a.kind == AddressKind::Half;
  }
  const CubeTexel own{point.face, inside[0], inside[1]};
  if (across[0] && across[1]) {
    tap.kind = TapKind::Corner;
    tap.at = cube_position(state, point, own);
    out.corner[0] = tap.at;
    out.corner[1] =
        cube_position(state, point, adjoining_texel(point.face, tap.unwrapped[0] < 0 ? -1 : n, inside[1], n));
    out.corner[2] =
        cube_position(state, point, adjoining_texel(point.face, inside[0], tap.unwrapped[1] < 0 ? -1 : n, n));
    return;
  }
  CubeTexel texel = own;
  if (across[0]) texel = adjoining_texel(point.face, tap.unwrapped[0] < 0 ? -1 : n, inside[1], n);
  if (across[1]) texel = adjoining_texel(point.face, inside[0], tap.unwrapped[1] < 0 ? -1 : n, n);
  tap.at = cube_position(state, point, texel);
  tap.kind = border || tap.at.border ? TapKind::Border : half ? TapKind::Half : TapKind::Texel;
}

/// ADR-8, SUR-3, SUR-5.
void place_tap(const TapState& state, const TapPoint& point, LevelTaps& out, Tap& tap) {
  const Surface& surface = *state.surface;
  std::array<std::uint32_t, 3> at{};
  bool border = false, half = false;
  for (unsigned axis = 0; axis < out.axes; ++axis) {
    const Address a =
        apply_address_mode(state.mode[axis], tap.unwrapped[axis], static_cast<std::int32_t>(out.size[axis]));
    at[axis] = static_cast<std::uint32_t>(a.index);
    border |= a.kind == AddressKind::Border;
    half |= a.kind == AddressKind::Half;
  }
  tap.kind = border ? TapKind::Border : half ? TapKind::Half : TapKind::Texel;
  tap.at = {at[2], at[0], at[1], false};
  if (surface.type == SurfaceType::Dim3) return;  // C40: MinArrayElement is not added
  if (state.quilted) {
    const std::uint32_t w = surface.level_width(out.level), h = surface.level_height(out.level);
    const std::uint32_t cell = at[1] / h * surface.quilt_width + at[0] / w;
    const std::uint32_t cells = surface.quilt_width * surface.quilt_height;
    tap.at = {((surface.min_array_element + point.index) * cells + cell) * surface.samples, at[0] % w, at[1] % h,
              false};
  } else {
    tap.at.slice = stored_slice(surface, point.index);
  }
}

void build_probe(const TapState& state, const TapPoint& point, const std::array<float, 3>& coordinate,
                 const std::array<bool, 3>& round, LevelTaps& out, Probe& probe) {
  std::array<std::int32_t, 3> first{};
  probe.weight = {};
  for (unsigned axis = 0; axis < out.axes; ++axis) {
    const FixedCoordinate f =
        to_fixed(coordinate[axis], out.size[axis], state.non_normalized, round[axis], out.linear, state.bits);
    first[axis] = state.cube ? f.index : offset_index(f.index, point.offset[axis]);  // CRD-4
    probe.weight[axis] = out.linear ? f.weight : 0;
  }
  for (unsigned t = 0; t < out.taps_per_probe; ++t) {
    Tap& tap = probe.tap[t];
    tap.unwrapped = {};
    tap.weighted = true;
    for (unsigned axis = 0; axis < out.axes; ++axis) {
      const bool second = (t >> axis & 1u) != 0;
      tap.unwrapped[axis] = first[axis] + (second ? 1 : 0);
      if (second && probe.weight[axis] == 0) tap.weighted = false;  // the first tap's weight is never 0
    }
    if (state.cube)
      place_cube_tap(state, point, out, tap);
    else
      place_tap(state, point, out, tap);
  }
}

unsigned axes_of(SurfaceType type) { return type == SurfaceType::Dim1 ? 1 : type == SurfaceType::Dim3 ? 3 : 2; }

}  // namespace

TapState tap_state(const Surface& surface, const image::Sampler& sampler) {
  TapState s;
  s.surface = &surface;
  s.mode = {sampler.tcx, sampler.tcy, sampler.tcz};
  s.axes = axes_of(surface.type);
  s.cube = surface.type == SurfaceType::Cube;
  s.quilted = surface.type == SurfaceType::Dim2 && (surface.quilt_width != 1 || surface.quilt_height != 1);
  if (s.cube)
    for (unsigned axis = 0; axis < 2; ++axis)
      s.seam[axis] = sampler.cube_override || s.mode[axis] == AddressMode::Cube;  // CUB-4
  if (s.cube && sampler.cube_override) s.mode = {AddressMode::Cube, AddressMode::Cube, AddressMode::Cube};
  if (s.quilted) s.mode.fill(AddressMode::Clamp);  // SUR-5 [C42]
  s.non_normalized = sampler.non_normalized;
  return s;
}

std::array<std::uint32_t, 3> sampled_size(const Surface& surface, std::uint32_t level) {
  if (surface.type == SurfaceType::Cube) {
    const std::uint32_t n = std::min(surface.level_width(level), surface.level_height(level));  // HW-3: equal
    return {n, n, 1};
  }
  return {surface.level_width(level) * surface.quilt_width, surface.level_height(level) * surface.quilt_height,
          surface.level_depth(level)};
}

float probe_scale(const ProbeLine& line, const std::array<std::uint32_t, 3>& size, bool non_normalized) {
  const float u = non_normalized ? line.gradient[0] : line.gradient[0] * static_cast<float>(size[0]);
  const float v = non_normalized ? line.gradient[1] : line.gradient[1] * static_cast<float>(size[1]);
  const float e2 = u * u + v * v;
  const float limit = static_cast<float>(4 * line.count * line.count);
  return e2 > limit ? std::sqrt(limit / e2) : 1.0f;
}

void build_taps(const TapState& state, const TapPoint& point, std::uint32_t level, bool linear,
                const std::array<bool, 3>& round, const ProbeLine& line, LevelTaps& out) {
  out.level = level;
  out.size = sampled_size(*state.surface, level);
  out.axes = state.axes;
  out.linear = linear;
  out.probes = std::clamp(line.count, 1u, kMaxProbes);
  out.taps_per_probe = linear ? 1u << state.axes : 1u;
  if (out.probes == 1) {
    build_probe(state, point, point.coordinate, round, out, out.probe[0]);
    return;
  }
  // ANI-1 [C28]
  const float scale = probe_scale(line, out.size, state.non_normalized);
  for (unsigned p = 1; p <= out.probes; ++p) {
    const float f = (static_cast<float>(p) / static_cast<float>(out.probes + 1) - 0.5f) * scale;
    std::array<float, 3> at = point.coordinate;
    at[0] = point.coordinate[0] + line.gradient[0] * f;
    if (state.axes > 1) at[1] = point.coordinate[1] + line.gradient[1] * f;
    build_probe(state, point, at, round, out, out.probe[p - 1]);
  }
}

}  // namespace heddle::texture
