// SPDX-License-Identifier: MIT
// Rules: BND-4, BND-5, BND-6, BND-8, BND-9, BND-12, BND-14.
#include "texture/bounds/filters.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace heddle::texture::bounds {
namespace {

constexpr unsigned kMaxTaps = 8;
using AxisSteps = std::array<std::vector<AxisStep>, 3>;

/// One choice of a step on each axis.
struct Choice {
  std::array<std::int32_t, 3> index{};
  std::array<Interval, 3> weight{};
};

void for_each_choice(const AxisSteps& steps, const std::function<void(const Choice&)>& visit) {
  Choice choice;
  const auto set = [&](unsigned axis, const AxisStep& step) {
    choice.index[axis] = step.index;
    choice.weight[axis] = step.weight;
  };
  for (const AxisStep& w : steps[2])
    for (const AxisStep& v : steps[1])
      for (const AxisStep& u : steps[0]) {
        set(0, u), set(1, v), set(2, w);
        visit(choice);
      }
}

/// The steps of the axes that the surface has; nullopt where a coordinate is beyond them.
std::optional<AxisSteps> steps_of(const LevelQuestion& at, const LevelTexels& texels, bool linear) {
  AxisSteps steps;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (axis >= at.question.state.taps.axes) {
      steps[axis] = {AxisStep{}};
      continue;
    }
    const auto t = texel_coordinate(at.question, at.place, axis, texels.size()[axis]);
    if (!t) return std::nullopt;
    steps[axis] = linear ? linear_steps(*t, at.question.freedom) : nearest_steps(*t, at.question.freedom);
  }
  return steps;
}

/// The 2, 4 or 8 texels of a choice: bit `axis` of a tap's number says which of the two.
struct Taps {
  unsigned count = 0;
  std::array<TapRange, kMaxTaps> tap;
  [[nodiscard]] bool open() const {
    return std::any_of(tap.begin(), tap.begin() + count, [](const TapRange& t) { return t.open; });
  }
};

Taps taps_of(const LevelTexels& texels, const Choice& choice, unsigned axes) {
  Taps taps;
  taps.count = 1u << axes;
  for (unsigned t = 0; t < taps.count; ++t)
    taps.tap[t] =
        texels.at({choice.index[0] + static_cast<int>(t & 1u), choice.index[1] + static_cast<int>(t >> 1 & 1u),
                   choice.index[2] + static_cast<int>(t >> 2 & 1u)});
  return taps;
}

/// The weight of tap t where the axes' weights stand at the ends that `corner` names.
double weight_of(const Choice& choice, unsigned axes, unsigned t, unsigned corner) {
  double weight = 1;
  for (unsigned axis = 0; axis < axes; ++axis) {
    const Interval& w = choice.weight[axis];
    const double second = (corner >> axis & 1u) != 0 ? w.high : w.low;
    weight *= (t >> axis & 1u) != 0 ? second : 1 - second;
  }
  return weight;
}

void note(std::vector<SourceTexel>& list, const SourceTexel& source, double weight) {
  if (weight == 0) return;
  list.push_back(source);
  list.back().weight = weight;
}

/// BND-5: the mean is linear in each weight, so that its extremes stand at corners of the box of weights.
Part weighted_mean(const Question& question, const Taps& taps, const Choice& choice, unsigned c) {
  const unsigned axes = question.state.taps.axes;
  Part part{{HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, -HUGE_VAL}, {}, {}};
  unsigned low_corner = 0, high_corner = 0;
  for (unsigned corner = 0; corner < taps.count; ++corner) {
    Interval core{}, full{};
    for (unsigned t = 0; t < taps.count; ++t) {
      const double w = weight_of(choice, axes, t, corner);
      if (w == 0) continue;
      core.low += w * taps.tap[t].core[c].low, core.high += w * taps.tap[t].core[c].high;
      full.low += w * taps.tap[t].full[c].low, full.high += w * taps.tap[t].full[c].high;
    }
    part.core = hull(part.core, core);
    if (full.low < part.full.low) part.full.low = full.low, low_corner = corner;
    if (full.high > part.full.high) part.full.high = full.high, high_corner = corner;
  }
  double magnitude = 0;
  unsigned blends = 0;
  for (unsigned t = 0; t < taps.count; ++t) {
    magnitude = std::max({magnitude, std::fabs(taps.tap[t].full[c].low), std::fabs(taps.tap[t].full[c].high)});
    if (question.why) {
      note(part.low_texels, taps.tap[t].low_at[c], weight_of(choice, axes, t, low_corner));
      note(part.high_texels, taps.tap[t].high_at[c], weight_of(choice, axes, t, high_corner));
    }
  }
  for (unsigned axis = 0; axis < axes; ++axis)
    blends += choice.weight[axis].is_point() && (choice.weight[axis].low == 0 || choice.weight[axis].low == 1) ? 0 : 1;
  const double error = blends * blend_error(question, c, magnitude);  // BND-12
  part.full = {part.full.low - error, part.full.high + error};
  return part;
}

Part part_of(const Question& question, const TapRange& tap, unsigned c) {
  Part part{tap.core[c], tap.full[c], {}, {}};
  if (question.why) part.low_texels = {tap.low_at[c]}, part.high_texels = {tap.high_at[c]};
  return part;
}

/// The lesser or the greater of two parts, end by end.
Part extreme_of(const Question& question, const Part& a, const Part& b) {
  const bool minimum = question.state.values.reduction == FilterReduction::Minimum;
  const auto pick = [&](double x, double y) { return minimum ? std::min(x, y) : std::max(x, y); };
  Part part;
  part.core = {pick(a.core.low, b.core.low), pick(a.core.high, b.core.high)};
  part.full = {pick(a.full.low, b.full.low), pick(a.full.high, b.full.high)};
  part.low_texels = part.full.low == a.full.low ? a.low_texels : b.low_texels;
  part.high_texels = part.full.high == a.full.high ? a.high_texels : b.high_texels;
  return part;
}

/// BND-14: texels without weight take no part; those whose weight may be 0 may take part.
Part extreme(const Question& question, const Taps& taps, const Choice& choice, unsigned c) {
  const unsigned axes = question.state.taps.axes;
  std::optional<Part> all, certain;
  const auto add = [&](std::optional<Part>& to, unsigned t) {
    const Part one = part_of(question, taps.tap[t], c);
    to = to ? extreme_of(question, *to, one) : one;
  };
  Interval any{HUGE_VAL, -HUGE_VAL};
  for (unsigned t = 0; t < taps.count; ++t) {
    bool possible = true, must = true;
    for (unsigned axis = 0; axis < axes; ++axis) {
      const Interval& w = choice.weight[axis];
      const bool second = (t >> axis & 1u) != 0;
      possible &= second ? w.high > 0 : w.low < 1;
      must &= second ? w.low > 0 : w.high < 1;
    }
    if (possible) add(all, t), any = hull(any, taps.tap[t].full[c]);
    if (must) add(certain, t);
  }
  Part part = *all;
  if (!certain) {  // weights from 0 to 1: any one of them may stand alone
    part.core = part.full = any;
  } else if (question.state.values.reduction == FilterReduction::Minimum) {
    part.core.high = certain->core.high, part.full.high = certain->full.high, part.high_texels = certain->high_texels;
  } else {
    part.core.low = certain->core.low, part.full.low = certain->full.low, part.low_texels = certain->low_texels;
  }
  return part;
}

/// A texel's value as it stands.
void add_texel(const Question& question, ChannelSets& sets, const TapRange& tap) {
  for (unsigned c = 0; c < 4; ++c) {
    if (tap.open)
      sets[c].allow_anything();
    else
      sets[c].add(part_of(question, tap, c));
  }
}

void add_filtered(const Question& question, ChannelSets& sets, const Taps& taps, const Choice& choice) {
  const bool mean = question.state.values.reduction == FilterReduction::Weighted;
  for (unsigned c = 0; c < 4; ++c) {
    if (taps.open())
      sets[c].allow_anything();
    else
      sets[c].add(mean ? weighted_mean(question, taps, choice, c) : extreme(question, taps, choice, c));
  }
}

/// BND-9: means of any texels under the pixel, and of those that a linear filter reads beside them.
ChannelSets anisotropic(const LevelQuestion& at, const LevelTexels& texels) {
  std::array<Interval, 3> box;
  for (unsigned axis = 0; axis < at.question.state.taps.axes; ++axis) {
    const auto t = texel_coordinate(at.question, at.place, axis, texels.size()[axis]);
    if (!t) return anything();
    const double scale = static_cast<double>(texels.size()[axis]) / at.question.state.base_size[axis];
    const double reach = at.derivatives->reach(axis) * scale / 2 + 1;
    box[axis] = {t->low - reach, t->high + reach};
    if (!std::isfinite(reach)) return anything();
  }
  const TapRange range = texels.box(box);
  ChannelSets sets;
  add_texel(at.question, sets, range);
  for (unsigned c = 0; c < 4 && !range.open; ++c) {
    Part part = sets[c].parts().front();
    const double magnitude = std::max(std::fabs(part.full.low), std::fabs(part.full.high));
    const double error = blend_error(at.question, c, magnitude);
    part.full = {part.full.low - error, part.full.high + error};
    sets[c].add(part);
  }
  return sets;
}

/// Each part wider by error(c, magnitude) at both ends.
template <typename Error>
ChannelSets widened(const ChannelSets& sets, Error error) {
  ChannelSets wide;
  for (unsigned c = 0; c < 4; ++c) {
    if (sets[c].anything()) wide[c].allow_anything();
    for (Part part : sets[c].parts()) {
      const double by = error(c, std::max(std::fabs(part.full.low), std::fabs(part.full.high)));
      part.full = {part.full.low - by, part.full.high + by};
      wide[c].add(part);
    }
  }
  return wide;
}

}  // namespace

ChannelSets anything() {
  ChannelSets sets;
  for (ValueSet& set : sets) set.allow_anything();
  return sets;
}

ChannelSets filtered_level(const LevelQuestion& at, std::uint32_t level, image::Filter filter) {
  const Question& question = at.question;
  const bool linear = reference::takes_linear_taps(question.state, filter);
  const LevelTexels texels(question, at.place, question.request.surface->surf_min_lod + level, linear, at.reference);
  if (linear && filter == image::Filter::Anisotropic && at.derivatives != nullptr) return anisotropic(at, texels);
  const auto steps = steps_of(at, texels, linear);
  if (!steps) return anything();
  ChannelSets sets;
  for_each_choice(*steps, [&](const Choice& choice) {
    if (linear)
      add_filtered(question, sets, taps_of(texels, choice, question.state.taps.axes), choice);
    else
      add_texel(question, sets, texels.at(choice.index));
  });
  if (!linear || filter != image::Filter::Anisotropic || question.state.values.reduction != FilterReduction::Weighted)
    return sets;
  // BND-12: the device's own number of samples, at a level that is given too.
  return widened(sets, [&](unsigned c, double magnitude) { return blend_error(question, c, magnitude); });
}

ChannelSets with_idle_blend(const Question& question, const ChannelSets& sets) {
  if (question.state.values.reduction != FilterReduction::Weighted) return sets;
  return widened(sets, [&](unsigned c, double) { return idle_blend_error(question, c); });
}

namespace {

std::vector<SourceTexel> weighed(std::vector<SourceTexel> a, double weight, const std::vector<SourceTexel>& b) {
  std::vector<SourceTexel> list;
  for (const SourceTexel& s : a) note(list, s, s.weight * (1 - weight));
  for (const SourceTexel& s : b) note(list, s, s.weight * weight);
  return list;
}

/// One part of the finer level with one of the coarser.
Part blended(const Question& question, const Part& fine, const Part& coarse, const Interval& delta, unsigned c) {
  const auto mix = [](double a, double b, double w) { return a + (b - a) * w; };
  const auto low_end = [&](double a, double b) {
    return mix(a, b, delta.low) <= mix(a, b, delta.high) ? delta.low : delta.high;
  };
  const auto high_end = [&](double a, double b) {
    return mix(a, b, delta.low) >= mix(a, b, delta.high) ? delta.low : delta.high;
  };
  Part part;
  part.core = {mix(fine.core.low, coarse.core.low, low_end(fine.core.low, coarse.core.low)),
               mix(fine.core.high, coarse.core.high, high_end(fine.core.high, coarse.core.high))};
  const double low = low_end(fine.full.low, coarse.full.low), high = high_end(fine.full.high, coarse.full.high);
  const double magnitude = std::max(
      {std::fabs(fine.full.low), std::fabs(fine.full.high), std::fabs(coarse.full.low), std::fabs(coarse.full.high)});
  const double error = delta.is_point() && (delta.low == 0 || delta.low == 1) ? 0 : blend_error(question, c, magnitude);
  part.full = {mix(fine.full.low, coarse.full.low, low) - error, mix(fine.full.high, coarse.full.high, high) + error};
  if (question.why) {
    part.low_texels = weighed(fine.low_texels, low, coarse.low_texels);
    part.high_texels = weighed(fine.high_texels, high, coarse.high_texels);
  }
  return part;
}

/// BND-14, between levels: one of them, or both.
void add_extremes(const Question& question, ValueSet& set, const Part& fine, const Part& coarse,
                  const Interval& delta) {
  if (delta.low == 0) set.add(fine);
  if (delta.high == 1) set.add(coarse);
  if (delta.high > 0 && delta.low < 1) set.add(extreme_of(question, fine, coarse));
}

}  // namespace

ChannelSets blended_levels(const Question& question, const ChannelSets& fine, const ChannelSets& coarse,
                           const Interval& delta) {
  const bool mean = question.state.values.reduction == FilterReduction::Weighted;
  ChannelSets sets;
  for (unsigned c = 0; c < 4; ++c) {
    if (fine[c].anything() || coarse[c].anything()) sets[c].allow_anything();
    for (const Part& f : fine[c].parts())
      for (const Part& k : coarse[c].parts())
        if (mean)
          sets[c].add(blended(question, f, k, delta, c));
        else
          add_extremes(question, sets[c], f, k, delta);
  }
  return sets;
}

std::array<ChannelSets, 4> gathered(const LevelQuestion& at, std::uint32_t level) {
  const LevelTexels texels(at.question, at.place, at.question.request.surface->surf_min_lod + level, true,
                           at.reference);
  std::array<ChannelSets, 4> result;
  const auto steps = steps_of(at, texels, true);
  if (!steps) {
    result.fill(anything());
    return result;
  }
  for_each_choice(*steps, [&](const Choice& choice) {
    for (unsigned c = 0; c < 4; ++c) {
      const unsigned t = reference::kReturnedTap[c];
      std::array<std::int32_t, 3> index = choice.index;
      index[0] += static_cast<int>(t & 1u);
      if (at.question.state.taps.axes > 1) index[1] += static_cast<int>(t >> 1 & 1u);
      const TapRange tap = texels.at(index);
      for (unsigned k = 0; k < 4; ++k)  // nothing is computed: what is not a number is only passed on
        if (tap.open)
          result[c][k].allow_anything();
        else
          result[c][k].add(part_of(at.question, tap, k));
    }
  });
  return result;
}

}  // namespace heddle::texture::bounds
