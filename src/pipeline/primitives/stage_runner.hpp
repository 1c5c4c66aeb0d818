// SPDX-License-Identifier: MIT
#pragma once
// Runs the lanes of a stage of patches: some threads at a time for each worker.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/jit/runtime/runtime.hpp"
#include "pipeline/lane_worker.hpp"
#include "pipeline/program.hpp"
#include "pipeline/run_context.hpp"

namespace heddle::pipeline {

/// The kernel for what is bound, and the workers; what runs leave to the next.
class StageRunner {
 public:
  /// Looks for machine code; without it the reference engine runs. Before the first window of a run.
  void begin(const PlanCode& code, const Bound& bound, RunContext& context) {
    std::string why_not;
    fast_ = !context.wants_reference() && code.find(kernel_, bound.bindings, nullptr, &context.budget, why_not);
    if (fast_) return;
    kernel_.reset();
    workers_.clear();  // which are of another kind, as those of the next run may be
  }
  void end() {
    if (!fast_) workers_.clear();
  }

  /// Runs `threads` hardware threads: `fill(worker, thread)` puts values to the lanes and says how many there are.
  template <typename Fill>
  bool run(const Program& program, const PlanCode& code, std::uint64_t scratch_bytes, std::uint64_t threads,
           const Bound& bound, RunContext& context, Counters& counters, const Fill& fill) {
    constexpr std::uint64_t kPieceThreads = 16;  // that a worker takes at once
    const std::uint64_t pieces = (threads + kPieceThreads - 1) / kPieceThreads;
    if (workers_.size() < context.workers) workers_.resize(context.workers);
    const bool good = for_each_item(context, context.workers, pieces, [&](unsigned index, std::uint64_t item) {
      auto& worker = workers_[index];
      if (!worker)
        worker =
            std::make_unique<LaneWorker>(program.kernel().code(), fast_ ? code.prepared() : nullptr, scratch_bytes);
      if (!worker->runs()) worker->begin_run(kernel_.get(), bound, context);
      const std::uint64_t end = std::min(threads, (item + 1) * kPieceThreads);
      for (std::uint64_t thread = item * kPieceThreads; thread < end; ++thread)
        if (const std::uint32_t lanes = fill(*worker, thread); !worker->run(static_cast<std::uint32_t>(thread), lanes))
          return false;
      return true;
    });
    for (const auto& worker : workers_)
      if (worker && worker->runs()) worker->end_run(counters);
    return good;
  }

 private:
  std::shared_ptr<const engine::jit::BoundKernel> kernel_;
  std::vector<std::unique_ptr<LaneWorker>> workers_;
  bool fast_ = false;
};

}  // namespace heddle::pipeline
