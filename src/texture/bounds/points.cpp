// SPDX-License-Identifier: MIT
// Rules: BND-3, BND-4, BND-5, BND-10, CUB-1.
#include "texture/bounds/points.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::texture::bounds {
namespace {

/// Coordinates that are multiples of this keep their value where a device takes the fraction first.
constexpr double kExactStep = 0x1p-22;
/// Rounding of a coordinate of about 1, twice: once for the fraction, once for the product.
constexpr double kRounding = 0x1p-23;
/// s and t of a face: a quotient by an approximate reciprocal, a product, a sum.
constexpr double kFaceRounding = 0x1p-20;
/// Texel coordinates beyond this have no steps left in binary32.
constexpr double kFarthest = 0x1p20;

/// The face that a major axis gives, whatever the other components are.
CubeFace face_along(unsigned axis, const std::array<float, 3>& d) {
  const float x = d[0], y = d[1], z = d[2];
  CubeFace f;
  if (axis == 0)
    f = {x >= 0 ? 0u : 1u, x >= 0 ? -z : z, -y, std::fabs(x), 0, 0};
  else if (axis == 1)
    f = {y >= 0 ? 2u : 3u, x, y >= 0 ? z : -z, std::fabs(y), 0, 0};
  else
    f = {z >= 0 ? 4u : 5u, z >= 0 ? x : -x, -y, std::fabs(z), 0, 0};
  f.s = f.sc / f.m * 0.5f + 0.5f;
  f.t = f.tc / f.m * 0.5f + 0.5f;
  return f;
}

/// BND-10: each axis of the greatest magnitude may be the major one.
std::vector<CubeFace> faces_of(const std::array<float, 3>& d) {
  const float most = std::max({std::fabs(d[0]), std::fabs(d[1]), std::fabs(d[2])});
  std::vector<CubeFace> faces;
  for (unsigned axis = 0; most > 0 && axis < 3; ++axis)
    if (std::fabs(d[axis]) == most) faces.push_back(face_along(axis, d));
  return faces;
}

/// How far the coordinate that a device uses may lie from `c`.
double rounding_of(double c, double size) {
  const bool exact =
      std::floor(c / kExactStep) * kExactStep == c && static_cast<double>(static_cast<float>(c * size)) == c * size;
  return exact ? 0 : kRounding * std::max(1.0, std::fabs(c));
}

}  // namespace

Interval snapped(const Interval& x, unsigned bits) {
  const double steps = static_cast<double>(1u << bits);
  return {std::floor(x.low * steps) / steps, std::ceil(x.high * steps) / steps};
}

std::vector<Place> places_of(const Question& question, const reference::Lane& lane, unsigned k) {
  const LaneRequest& request = question.request;
  const std::array<float, 3> c{request.value(Param::U, k), request.value(Param::V, k), request.value(Param::R, k)};
  const unsigned axes = question.state.taps.cube ? 3 : question.state.taps.axes;
  for (unsigned axis = 0; axis < axes; ++axis)
    if (!std::isfinite(c[axis])) return {};
  Place place;
  place.index = lane.point.index;
  if (!question.state.taps.cube) {
    place.offset = lane.point.offset;
    for (unsigned axis = 0; axis < axes; ++axis) place.coordinate[axis] = static_cast<double>(c[axis]);
    return {place};
  }
  std::vector<Place> places;
  for (const CubeFace& face : faces_of(c)) {
    place.face = face;
    place.coordinate = {static_cast<double>(face.s), static_cast<double>(face.t), 0};
    place.error = {kFaceRounding, kFaceRounding, 0};
    places.push_back(place);
  }
  return places;
}

std::optional<Interval> texel_coordinate(const Question& question, const Place& place, unsigned axis,
                                         std::uint32_t size) {
  const bool unnormalized = question.state.taps.non_normalized;
  const double scale = unnormalized ? 1 : static_cast<double>(size);
  const double c = place.coordinate[axis];
  const double error = std::max(place.error[axis], unnormalized ? 0 : rounding_of(c, scale)) * scale;
  const double at = c * scale + place.offset[axis];
  if (!(std::fabs(at) + error < kFarthest)) return std::nullopt;
  return Interval{at - error, at + error};
}

std::vector<AxisStep> nearest_steps(const Interval& texel, const Freedom& freedom) {
  const Interval t = snapped(texel, freedom.sub_texel_bits);
  std::vector<AxisStep> steps;
  for (double n = std::floor(t.low); n <= std::floor(t.high); ++n)
    steps.push_back({static_cast<std::int32_t>(n), {0, 0}});
  return steps;
}

std::vector<AxisStep> linear_steps(const Interval& texel, const Freedom& freedom) {
  const Interval t = snapped({texel.low - 0.5, texel.high - 0.5}, freedom.sub_texel_bits);
  std::vector<AxisStep> steps;
  for (double n = std::floor(t.low); n <= std::floor(t.high); ++n)
    steps.push_back({static_cast<std::int32_t>(n), {std::max(t.low, n) - n, std::min(t.high, n + 1) - n}});
  return steps;
}

}  // namespace heddle::texture::bounds
