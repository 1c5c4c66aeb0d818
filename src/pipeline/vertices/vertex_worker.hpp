// SPDX-License-Identifier: MIT
#pragma once
// Hardware threads of a vertex shader: a vertex in each lane.

#include <algorithm>
#include <cstdint>
#include <span>

#include "engine/jit/runtime/runtime.hpp"
#include "pipeline/lane_worker.hpp"
#include "pipeline/vertices/vertex_fetch.hpp"
#include "pipeline/vertices/vertex_list.hpp"
#include "pipeline/vertices/vertices.hpp"

namespace heddle::pipeline {

/// What the workers of a run share.
struct VertexShared {
  const VertexPlan& plan;
  const machine::Code& code;
  const engine::jit::PreparedKernel* prepared;  ///< null: the reference engine runs
  const VertexFetcher& fetcher;
};

/// One of the computer's threads; kept from run to run.
class VertexWorker {
 public:
  explicit VertexWorker(const VertexShared& shared)
      : shared_(shared), lanes_(shared.code, shared.prepared, shared.plan.scratch_bytes) {}

  void begin_run(const engine::jit::BoundKernel* kernel, const VertexDraw& draw, const Bound& bound,
                 RunContext& context) {
    draw_ = &draw;
    lanes_.begin_run(kernel, bound, context);
  }
  void end_run(Counters& counters) { lanes_.end_run(counters); }
  [[nodiscard]] bool runs() const { return lanes_.runs(); }

  /// Hardware thread `number`: a vertex in each lane. `list`: from its first one on.
  bool run(std::uint32_t number, std::span<const ShadedVertex> list) {
    const std::span<const ShadedVertex> lanes = list.first(std::min<std::size_t>(shared_.plan.simd, list.size()));
    fill(number * shared_.plan.simd, lanes);
    return lanes_.run(number, static_cast<std::uint32_t>(lanes.size()));
  }

 private:
  /// The lanes from slot `first` on.
  void fill(std::uint32_t first, std::span<const ShadedVertex> of) {
    const VertexPlan& plan = shared_.plan;
    const auto lanes = static_cast<std::uint32_t>(of.size());
    shared_.fetcher.fill(*draw_, of, lanes_.payload());
    for (const VertexPlan::Value& v : plan.values) {
      const auto put = [&](const auto& value) { lanes_.put(v.offset, lanes, value); };
      if (v.value == SystemValue::Vertex)
        put([&](std::uint32_t lane) { return of[lane].vertex; });
      else if (v.value == SystemValue::Instance)
        put([&](std::uint32_t lane) { return draw_->first_instance + of[lane].instance; });
      else if (v.value == SystemValue::Slot)
        put([&](std::uint32_t lane) { return first + lane; });
      else
        put([same = value_of(v.value)](std::uint32_t) { return same; });
    }
  }

  /// Of all lanes.
  [[nodiscard]] std::uint32_t value_of(SystemValue value) const {
    switch (value) {
      case SystemValue::BaseVertex:
        return draw_->indices ? static_cast<std::uint32_t>(draw_->vertex_offset) : draw_->first_vertex;
      case SystemValue::BaseInstance:
        return draw_->first_instance;
      case SystemValue::Draw:
        return draw_->draw;
      case SystemValue::View:
        return draw_->view;
      default:
        return 0;
    }
  }

  const VertexShared shared_;
  LaneWorker lanes_;
  // Of a run:
  const VertexDraw* draw_ = nullptr;
};

}  // namespace heddle::pipeline
