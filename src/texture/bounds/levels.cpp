// SPDX-License-Identifier: MIT
// Rules: BND-7, BND-8, BND-9, LOD-5, LOD-8, LOD-12.
#include "texture/bounds/levels.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::texture::bounds {
namespace {

using image::MipFilter;
using Vector = std::array<double, 3>;

constexpr Param kCoordinate[3] = {Param::U, Param::V, Param::R};
/// Levels beyond any image stand for infinite ones.
constexpr double kFarLod = 1024;

Vector difference(const LaneRequest& request, unsigned to, unsigned from) {
  Vector d{};
  for (unsigned k = 0; k < 3; ++k) {
    const auto param = kCoordinate[k];
    d[k] = static_cast<double>(request.value(param, to)) - static_cast<double>(request.value(param, from));
  }
  return d;
}

Vector given(const LaneRequest& request, unsigned k, const std::array<Param, 3>& params) {
  Vector d{};
  for (unsigned axis = 0; axis < 3; ++axis) d[axis] = static_cast<double>(request.value(params[axis], k));
  return d;
}

/// In texels of the first level; of a cube's face for cubes.
Vector in_texels(const Question& question, const Place& place, Vector d, std::uint32_t coarse) {
  const LaneRequest& request = question.request;
  if (request.cps_compensation || request.sampler->cps_lod_compensation)  // LOD-12
    for (double& part : d) part /= coarse;
  if (question.state.taps.cube) {
    const auto on_face =
        cube_derivative(place.face, {static_cast<float>(d[0]), static_cast<float>(d[1]), static_cast<float>(d[2])});
    d = {static_cast<double>(on_face[0]), static_cast<double>(on_face[1]), 0};
  }
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (axis >= question.state.taps.axes) d[axis] = 0;
    if (!question.state.taps.non_normalized) d[axis] *= question.state.base_size[axis];
  }
  return d;
}

bool is_finite(const Vector& d) {
  return std::ranges::all_of(d, [](double part) { return std::isfinite(part); });
}

/// Least and greatest length that a device may give the derivatives of one direction; any where one is not finite.
Interval length_of(const std::vector<Vector>& all, bool approximate) {
  Interval length{HUGE_VAL, 0};
  for (const Vector& d : all) {
    if (!is_finite(d)) return {0, HUGE_VAL};
    const double sum = std::fabs(d[0]) + std::fabs(d[1]) + std::fabs(d[2]);
    const double most = std::max({std::fabs(d[0]), std::fabs(d[1]), std::fabs(d[2])});
    const double exact = std::hypot(d[0], d[1], d[2]);
    length = hull(length, approximate ? Interval{most, std::sqrt(2.0) * sum} : Interval{exact, exact});
  }
  return length;
}

/// At least so long is the minor axis of the ellipse that the derivatives span; 2D.
double minor_axis(const Derivatives& derivatives) {
  double least = HUGE_VAL;
  for (const Vector& x : derivatives.x)
    for (const Vector& y : derivatives.y) {
      const double area = std::fabs(x[0] * y[1] - x[1] * y[0]);
      const double both = std::hypot(std::hypot(x[0], x[1]), std::hypot(y[0], y[1]));
      least = std::min(least, both > 0 ? area / both : 0);
    }
  return least;
}

double log2_of(double rho) {
  if (std::isnan(rho)) return kFarLod;
  return rho > 0 ? std::clamp(std::log2(rho), -kFarLod, kFarLod) : -kFarLod;
}

/// BND-9: a device may round the number of samples up to one that it supports.
double greatest_ratio(double longest, double shortest, double most) {
  if (!(shortest > 0) || !(longest / shortest < most)) return most;
  return std::min(most, std::exp2(std::ceil(std::log2(std::max(1.0, std::ceil(longest / shortest))))));
}

/// The levels of one filter for d'.
void add_levels(std::vector<Blend>& blends, image::Filter filter, MipFilter mip, const Interval& d,
                std::uint32_t last) {
  if (mip != MipFilter::Linear) {
    // Both roundings that Vulkan knows: halves down, halves up.
    const auto low = static_cast<std::uint32_t>(std::max(0.0, std::ceil(d.low + 0.5) - 1));
    const auto high = static_cast<std::uint32_t>(std::floor(d.high + 0.5));
    for (std::uint32_t level = low; level <= std::min(high, last); ++level)
      blends.push_back({filter, level, level, {}});
    return;
  }
  for (double n = std::floor(d.low); n <= std::floor(d.high); ++n) {
    if (n == d.high && n > d.low) break;  // the same as weight 1 of the step before
    const auto fine = static_cast<std::uint32_t>(n);
    blends.push_back({filter, fine, std::min(fine + 1, last), {std::max(d.low, n) - n, std::min(d.high, n + 1) - n}});
  }
}

/// The lane's own least level as it was given, not in the hardware's steps.
double operand_min_lod(const Question& question, unsigned k) {
  const LaneRequest& request = question.request;
  const float value = question.state.operation->has(Param::Mlod)
                          ? request.value(Param::Mlod, k)
                          : unpack_value_index(request.word(Param::MlodR, k)).value;
  return std::isnan(value) ? 0 : std::clamp(static_cast<double>(value), -64.0, 64.0);
}

/// The sampler's least level, or the lane's where that is greater.
Interval least_level(const Question& question, const reference::Lane& lane, unsigned k) {
  const Interval least = held(question.state.lod.min_lod);
  if (!lane.has_min_lod) return least;
  const double own = operand_min_lod(question, k);
  return {std::max(least.low, own), std::max(least.high, own)};
}

}  // namespace

double Derivatives::reach(unsigned axis) const {
  const auto farthest = [axis](const std::vector<Vector>& all) {
    double most = 0;
    for (const Vector& d : all) most = std::max(most, std::isfinite(d[axis]) ? std::fabs(d[axis]) : HUGE_VAL);
    return most;
  };
  return farthest(x) + farthest(y);
}

Derivatives derivatives_of(const Question& question, const Place& place, unsigned k) {
  const LaneRequest& request = question.request;
  Derivatives found;
  if (question.state.operation->lod == LodSource::Gradient) {
    found.x = {given(request, k, {Param::DuDx, Param::DvDx, Param::DrDx})};
    found.y = {given(request, k, {Param::DuDy, Param::DvDy, Param::DrDy})};
  } else {  // BND-7: those of either row and of either column, whichever the lane stands in
    const unsigned quad = k & ~3u;
    found.x = {difference(request, quad + 1, quad), difference(request, quad + 3, quad + 2)};
    found.y = {difference(request, quad + 2, quad), difference(request, quad + 3, quad + 1)};
  }
  for (Vector& d : found.x) d = in_texels(question, place, d, request.coarse_width);
  for (Vector& d : found.y) d = in_texels(question, place, d, request.coarse_height);
  return found;
}

Interval base_lod(const Question& question, const Derivatives& derivatives, double ratio) {
  const bool approximate = question.freedom.approximate_rho;
  const Interval x = length_of(derivatives.x, approximate), y = length_of(derivatives.y, approximate);
  if (!std::isfinite(x.high) || !std::isfinite(y.high)) return {-kFarLod, kFarLod};
  // The longer one; or the major axis of the ellipse, which is never longer than both together.
  const Interval longest{std::max(x.low, y.low),
                         std::max({x.high, y.high, approximate ? 0 : std::hypot(x.high, y.high)})};
  double most = 1;
  if (ratio > 1) {
    const double shortest = std::min({x.low, y.low, minor_axis(derivatives)});
    most = greatest_ratio(longest.high, shortest, ratio);
  }
  const double accuracy = std::exp2(-static_cast<double>(question.freedom.mipmap_bits));
  return {log2_of(longest.low / most) - accuracy, log2_of(longest.high) + accuracy};
}

Interval held(std::int32_t steps) {
  const double value = steps / 256.0, error = steps == 0 ? 0 : 1.0 / 512;
  return {value - error, value + error};
}

LevelChoice choose_levels(const Question& question, const reference::Lane& lane, unsigned k, Interval lod,
                          bool one_level) {
  const LodState& s = question.state.lod;
  const unsigned bits = question.freedom.mipmap_bits;
  const auto clamped = [](const Interval& x, const Interval& low, const Interval& high) {
    return Interval{std::max(std::min(x.low, high.low), low.low), std::max(std::min(x.high, high.high), low.high)};
  };
  const Interval least = least_level(question, lane, k);
  const double last = s.mip_count;
  LevelChoice choice;
  choice.unclamped = lod;
  const Interval steps = snapped(lod, bits);
  const Interval lambda = snapped(clamped(steps, least, held(s.max_lod)), bits);
  choice.out_of_bounds = s.resource_min_lod > s.mip_count * 256;  // LOD-8
  // A view's least level: with its fraction, or without.
  const double view = std::max(0.0, s.resource_min_lod / 256.0);
  const auto level_of = [&](const Interval& x) {
    const Interval d = clamped(x, {0, 0}, {last, last});
    return Interval{std::max(d.low, std::floor(view)), std::max(d.high, view)};
  };
  choice.clamped = level_of(lambda);
  if (choice.out_of_bounds) return choice;
  const auto last_level = static_cast<std::uint32_t>(s.mip_count);
  if (one_level) {
    add_levels(choice.blends, image::Filter::Linear, MipFilter::Nearest, choice.clamped, last_level);
    return choice;
  }
  // Without a mip filter, a state of the hardware alone, the limit counts as it is held: LOD-5.
  const std::int32_t fixed = std::max(s.min_lod, lane.has_min_lod ? lane.min_lod : s.min_lod);
  const double whole = std::clamp(std::floor(fixed / 256.0), 0.0, last);
  const Interval& decides = s.preclamp ? lambda : steps;
  if (decides.low <= 0) {
    const bool first = s.clamp_mag == image::LodClampMag::MipNone || s.mip_filter == MipFilter::None;
    const Interval d = level_of(first ? Interval{whole, whole} : Interval{lambda.low, std::min(lambda.high, 0.0)});
    add_levels(choice.blends, s.mag_filter, s.mip_filter, d, last_level);
  }
  if (decides.high > 0) {
    const Interval d = level_of(s.mip_filter == MipFilter::None ? Interval{whole, whole}
                                                                : Interval{std::max(lambda.low, 0.0), lambda.high});
    add_levels(choice.blends, s.min_filter, s.mip_filter, d, last_level);
  }
  return choice;
}

}  // namespace heddle::texture::bounds
