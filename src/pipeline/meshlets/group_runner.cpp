// SPDX-License-Identifier: MIT
// Rules: MSH-1.
#include "pipeline/meshlets/group_runner.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace heddle::pipeline {
namespace {

std::uint32_t value_of(SystemValue value, std::uint32_t first, const GroupDraw& draw) {
  switch (value) {
    case SystemValue::FirstGroup:
      return first;
    case SystemValue::Draw:
      return draw.draw;
    case SystemValue::View:
      return draw.view;
    default:
      return 0;
  }
}

}  // namespace

GroupRunner::GroupRunner(std::shared_ptr<const Program> program, const GroupPlan& plan, const Bound& slots,
                         const CodeOptions& options)
    : plan_(plan), program_(ComputeProgram::create(std::move(program), plan.compute, slots, options)) {}

bool GroupRunner::run(std::span<const GroupEntry> window, std::uint32_t first, const GroupDraw& draw,
                      Surfaces& surfaces, Bound& bound, RunContext& context, Counters& counters) const {
  make_raw(surfaces.groups, window.size_bytes());
  std::memcpy(surfaces.groups->memory->data(), window.data(), window.size_bytes());
  const std::size_t bytes = window.size() * sizeof(GroupCounts);
  make_raw(surfaces.counts, bytes);
  std::fill_n(surfaces.counts->memory->data(), bytes, std::uint8_t{0});
  bind_own(bound.bindings, plan_.groups, surfaces.groups);
  bind_own(bound.bindings, plan_.counts, surfaces.counts);
  for (const GroupPlan::Value& v : plan_.values) {
    const std::uint32_t value = value_of(v.value, first, draw);
    if (v.offset + sizeof value <= bound.payload.size()) std::memcpy(bound.payload.data() + v.offset, &value, 4);
  }
  const auto groups = static_cast<std::uint32_t>(window.size());
  Grid grid;
  grid.dimensions = 3;
  grid.local = plan_.local;
  grid.groups = {groups, 1, 1};
  grid.base = {first, 0, 0};
  grid.global = {groups * plan_.local[0], plan_.local[1], plan_.local[2]};
  return program_->run(grid, bound, context, counters);
}

GroupCounts GroupRunner::counts_of(const Surfaces& surfaces, std::size_t group) {
  GroupCounts counts;
  std::memcpy(counts.data(), surfaces.counts->memory->data() + group * sizeof counts, sizeof counts);
  return counts;
}

}  // namespace heddle::pipeline
