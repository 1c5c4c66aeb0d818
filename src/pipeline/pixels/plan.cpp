// SPDX-License-Identifier: MIT
// Rules: PIX-13, RTW-6.
#include "pipeline/pixels/plan.hpp"

#include <algorithm>

namespace heddle::pipeline {

std::uint32_t PixelPlan::subspans_of_half() const {
  const std::uint32_t groups = slots() / 4;
  return per_sample ? std::max(1u, groups / std::min(samples, groups)) : groups;
}

std::uint32_t PixelPlan::passes() const { return per_sample ? std::max(1u, samples / (slots() / 4)) : 1; }

Slot PixelPlan::slot(std::uint32_t index, std::uint32_t sspi) const {
  const std::uint32_t group = index / 4;
  Slot s;
  s.pixel = index & 3u;
  if (!per_sample || samples == 1) {
    s.subspan = group;
    return s;
  }
  const std::uint32_t width = std::min(samples, slots() / 4);  // RTW-6
  s.subspan = group / width;
  s.sample = 2 * sspi + group % width;
  return s;
}

LaneInput::Source source_of(SystemValue value) {
  using Source = LaneInput::Source;
  switch (value) {
    case SystemValue::PositionX:
      return Source::PositionX;
    case SystemValue::PositionY:
      return Source::PositionY;
    case SystemValue::PositionZ:
      return Source::PositionZ;
    case SystemValue::PositionW:
      return Source::PositionW;
    case SystemValue::Front:
      return Source::Front;
    case SystemValue::Primitive:
      return Source::Primitive;
    case SystemValue::Sample:
      return Source::Sample;
    case SystemValue::Coverage:
      return Source::Coverage;
    case SystemValue::SamplePositionX:
      return Source::SampleX;
    case SystemValue::SamplePositionY:
      return Source::SampleY;
    case SystemValue::SampleTable0:
      return Source::SampleTable0;
    case SystemValue::SampleTable1:
      return Source::SampleTable1;
    case SystemValue::SampleTable2:
      return Source::SampleTable2;
    case SystemValue::SampleTable3:
      return Source::SampleTable3;
    case SystemValue::Layer:
      return Source::Layer;
    case SystemValue::Viewport:
      return Source::Viewport;
    case SystemValue::View:
      return Source::View;
    case SystemValue::ShadingRate:
      return Source::ShadingRate;
    case SystemValue::PointCoordX:
      return Source::PointX;
    case SystemValue::PointCoordY:
      return Source::PointY;
    default:
      return Source::Zero;
  }
}

std::optional<engine::jit::RowLayout> row_layout(const PixelPlan& plan) {
  using Source = LaneInput::Source;
  engine::jit::RowLayout layout;
  layout.coverage = all_samples(plan.positions.size());
  if (plan.per_sample && plan.samples > 1) return std::nullopt;
  if (plan.hardware_layout && plan.has(PayloadWord::Coverage)) return std::nullopt;
  for (const LaneInput& n : plan.inputs) {
    const bool lanes = n.source != Source::Flat && n.source != Source::Zero && n.source != Source::Front &&
                       n.source != Source::Primitive && n.source != Source::Layer && n.source != Source::Viewport &&
                       n.source != Source::View && n.source != Source::ShadingRate;
    if (lanes && n.half) return std::nullopt;
    if (n.source == Source::Sample || n.source == Source::Coverage || n.source == Source::SampleX ||
        n.source == Source::SampleY)
      return std::nullopt;
    if (n.source == Source::PositionX) layout.x.push_back(n.offset);
    if (n.source == Source::PositionY) layout.y.push_back(n.offset);
  }
  return layout;
}

}  // namespace heddle::pipeline
