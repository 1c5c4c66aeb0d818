// SPDX-License-Identifier: MIT
// Threads whose subspans belong to several primitives: the registers are filled subspan by subspan, each with what its
// own primitive gives.
// Rules: PIX-11, PIX-14, PIX-15, PIX-19, PIX-21.
#include "pipeline/pixels/payload.hpp"

#include <algorithm>
#include <tuple>

namespace heddle::pipeline {

/// Which rows there are; none where kernels could tell, or lanes are no pixels.
void PixelPayload::set_up_packs() {
  using Source = LaneInput::Source;
  packs_ = plan_.own_subspans && plan_.simd == 16 && !per_sample_ && !plan_.hardware_layout && words_.empty();
  for (const LaneInput& n : inputs_) {
    if (n.source == Source::Flat || n.source == Source::Zero || is_sample_table(n.source))
      continue;  // the same for all
    const bool centered = n.source != Source::Attribute || n.type != ComponentType::F32 ||
                          n.interpolation.point == InterpolationPoint::Center;
    packs_ = packs_ && centered && !n.half && n.element_bytes == 4 && n.source != Source::Corners;
    if (!packs_) break;
    const std::size_t count = n.source == Source::Attribute ? n.components.size() : 1;
    for (std::size_t c = 0; c < count; ++c)
      add_pack_row(
          {n.source, n.type, n.interpolation.linear, n.source == Source::Attribute ? n.components[c] : 0, true},
          bytes_.data() + n.offset + c * plan_.simd * n.element_bytes);
  }
  if (!packs_) return;
  for (std::uint32_t s = 0; s < depth_samples(); ++s) {
    PackStep& step = pack_steps_.emplace_back();
    step.to = reinterpret_cast<std::uint8_t*>(input_.depth[s].data());
    std::tie(step.x, step.y) = from_center(plan_.positions[s]);
  }
  find_pack_runs();
  set_up_pack_planes();
}

/// Which steps are made together, and where the planes of all lie.
void PixelPayload::set_up_pack_planes() {
  constexpr std::size_t kMax = std::size(PackPlanes{}.at);
  const std::size_t rows = pack_rows_.size();
  for (std::size_t k = 0; k < rows; ++k) {
    if (pack_rows_[k].run == 0) continue;
    PackRun& run = pack_runs_.emplace_back();
    run.steps = &pack_steps_[k];
    run.count = pack_rows_[k].run;
  }
  pack_planes_.resize(pack_steps_.size());  // each has its own, or that of its run's first step
  for (std::size_t k = 0; k < pack_steps_.size(); ++k) pack_steps_[k].plane.of = pack_planes_[k].at;
  for (PackRun& run : pack_runs_) {
    run.planes = &pack_planes_[static_cast<std::size_t>(run.steps - pack_steps_.data())];
    for (std::size_t i = 0; i < run.count; ++i) run.steps[i].plane.of = run.planes->at + i;
    if (run.count < kMax && depth_run_ == nullptr) depth_run_ = &run;
  }
  double* const depth = depth_run_ != nullptr ? depth_run_->planes->at + depth_run_->count : pack_planes_[rows].at;
  for (std::size_t k = rows; k < pack_steps_.size(); ++k) pack_steps_[k].plane.of = depth;
  pack_work_.steps = pack_steps_.data();
  pack_work_.runs = pack_runs_.data();
  pack_work_.run_count = pack_runs_.size();
}

/// Attributes' components side by side are made together, up to four.
void PixelPayload::find_pack_runs() {
  using Source = LaneInput::Source;
  constexpr std::uint32_t kMax = std::size(PackPlanes{}.at);
  const auto goes_on = [&](std::size_t k) {  // the row behind k
    const PackRow &row = pack_rows_[k], &next = pack_rows_[k + 1];
    return row.source == Source::Attribute && next.source == Source::Attribute && row.type == ComponentType::F32 &&
           next.type == ComponentType::F32 && next.component == row.component + 1 && next.linear == row.linear;
  };
  for (std::size_t k = 0; k < pack_rows_.size();) {
    std::uint32_t count = 1;
    while (count < kMax && k + count < pack_rows_.size() && goes_on(k + count - 1)) ++count;
    if (count > 1) pack_rows_[k].run = count;
    k += count;
  }
}

void PixelPayload::add_pack_row(const PackRow& row, std::uint8_t* to) {
  using Source = LaneInput::Source;
  pack_rows_.push_back(row);
  pack_rows_.back().changes = row.source != Source::PositionX && row.source != Source::PositionY;
  PackStep& step = pack_steps_.emplace_back();
  step.to = to;
  if (row.source == Source::PositionX) step.kind = PackStep::Kind::PixelX;
  if (row.source == Source::PositionY) step.kind = PackStep::Kind::PixelY;
}

/// An attribute's component at the primitive's corners. `flat`: is_flat().
inline void PixelPayload::begin_pack_value(const PackRow& row, PackStep& step, bool flat, std::array<double, 3> v) {
  if (same(v) || row.type != ComponentType::F32) {
    step.kind = PackStep::Kind::Word;
    step.word = word_of(row.type, v[0]);
    return;
  }
  const bool linear = row.linear || flat;
  step.single = true;
  step.kind = linear ? PackStep::Kind::Linear : PackStep::Kind::Perspective;
  step.first = v[0];
  step.others = PlanePair{v[1], v[2]};
  pack_work_.centers = true;
  pack_work_.weighted |= !linear;
}

/// What another row reads of a primitive.
void PixelPayload::begin_pack_row(const PackRow& row, PackStep& step, const Primitive& t, bool flat) {
  using Source = LaneInput::Source;
  const auto word = [&](std::uint32_t value) {
    step.kind = PackStep::Kind::Word;
    step.word = value;
  };
  const auto value = [&](const std::array<double, 3>& v) { begin_pack_value({.linear = true}, step, flat, v); };
  switch (row.source) {
    case Source::PositionZ:
      return same(t.z) ? value({t.z[0] + 0.0, t.z[0] + 0.0, t.z[0] + 0.0}) : value(t.z);
    case Source::PositionW:
      return value({1 / t.w[0], 1 / t.w[1], 1 / t.w[2]});
    case Source::Front:
      return word(t.front ? 0xffffffffu : 0);
    case Source::Primitive:
      return word(t.number);
    case Source::Layer:
      return word(t.layer);
    case Source::Viewport:
      return word(t.viewport_name);
    case Source::View:
      return word(t.view);
    case Source::PointX:
      return t.is_point ? value({0, 1, 0}) : word(0);
    case Source::PointY:
      return t.is_point ? value({0, 0, 1}) : word(0);
    default:
      return;  // the same for all primitives
  }
}

/// PIX-21.
void PixelPayload::begin_pack_depth(const Primitive& t) {
  const std::span steps = std::span(pack_steps_).subspan(pack_rows_.size());
  input_.depth_pitch = steps.size() > 1 ? static_cast<std::uint32_t>(input_.depth[0].size()) : 0;
  if (same(t.z)) {
    const std::uint32_t word = word_of(ComponentType::F32, t.z[0] + 0.0);
    for (PackStep& step : steps) {
      step.kind = PackStep::Kind::Word;
      step.word = word;
    }
    return;
  }
  pack_work_.centers = true;
  for (PackStep& step : steps) step.kind = step.x != 0 || step.y != 0 ? PackStep::Kind::Sample : PackStep::Kind::Linear;
  PackStep& made = steps.front();
  made.single = depth_run_ == nullptr || !depth_run_->active;
  if (!made.single) {
    depth_run_->depth = t.z.data();
    return;
  }
  made.first = t.z[0];
  made.others = PlanePair{t.z[1], t.z[2]};
}

/// Attributes whose values lie side by side; false: they do not.
bool PixelPayload::begin_pack_run(PackRun& run, const PackRow& row, const Primitive& t, const PrimitiveList& primitives,
                                  bool flat) {
  run.depth = nullptr;
  const bool active =
      primitives.beside(row.component) >= run.count && primitives.find_corners(t, row.component, run.corner);
  if (active != run.active)
    for (std::uint32_t i = 0; i < run.count; ++i) run.steps[i].single = !active;
  run.active = active;
  if (!active) {
    run.kind = PackStep::Kind::Word;
    return false;
  }
  run.perspective = !row.linear && !flat;
  pack_work_.centers = true;
  pack_work_.weighted |= run.perspective;
  return true;
}

void PixelPayload::begin_pack(const Primitive& t, const PrimitiveList& primitives) {
  pack_header_ = header_word(t);
  PackWork& work = pack_work_;
  work.left = t.left;
  work.top = t.top;
  work.centers = work.weighted = false;
  const bool flat = is_flat(t);
  const std::size_t rows = pack_rows_.size();
  PackRun* next_run = pack_runs_.data();
  for (std::size_t k = 0; k < rows; ++k) {
    const PackRow& row = pack_rows_[k];
    if (row.run != 0 && begin_pack_run(*next_run++, row, t, primitives, flat)) {
      k += row.run - 1;
      continue;
    }
    if (row.source == LaneInput::Source::Attribute)
      begin_pack_value(row, pack_steps_[k], flat, primitives.values(t, row.component));
    else if (row.changes)
      begin_pack_row(row, pack_steps_[k], t, flat);
  }
  if (depth_read_) begin_pack_depth(t);
  work.count = depth_read_ ? pack_steps_.size() : rows;
  if (work.centers) run_pack_.planes(work, plane_corners(t));
}

std::uint32_t PixelPayload::finish_pack(std::uint32_t& place) {
  const std::uint32_t dispatched = (1u << 4 * packed_) - 1;
  place = pack_places_[0];
  for (std::uint32_t s = packed_; s < most_packed(); ++s) pack_places_[s] = 0;
  std::fill(input_.coverage.begin() + 4 * packed_, input_.coverage.begin() + 16, std::uint16_t{0});
  put(0, pack_header_);
  std::memcpy(bytes_.data() + kRegisterBytes + 8, pack_places_.data(), sizeof pack_places_);
  put(kRegisterBytes + 28, pack_enables_ | dispatched << 16);
  full_[0] = false;
  packed_ = pack_enables_ = 0;
  return dispatched;
}

}  // namespace heddle::pipeline
