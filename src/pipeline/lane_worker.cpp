// SPDX-License-Identifier: MIT
#include "pipeline/lane_worker.hpp"

#include <algorithm>
#include <utility>

namespace heddle::pipeline {

LaneWorker::LaneWorker(const machine::Code& code, const engine::jit::PreparedKernel* prepared,
                       std::uint64_t scratch_bytes)
    : code_(code), prepared_(prepared), group_(1), scratch_(static_cast<std::size_t>(scratch_bytes)) {
  if (prepared_ == nullptr) return;
  runner_ = std::make_unique<engine::jit::Runner>(code_);
  uses_scratch_ = prepared_->uses_scratch();
}

void LaneWorker::begin_run(const engine::jit::BoundKernel* kernel, const Bound& bound, RunContext& context) {
  context_ = &context;
  payload_.assign(bound.payload.begin(), bound.payload.end());
  if (prepared_ != nullptr) payload_.resize(std::max(payload_.size(), prepared_->payload_bytes()));
  if (uses_scratch_) std::ranges::fill(scratch_, std::uint8_t{0});
  start_.payload = payload_;
  start_.scratch = scratch_;
  start_.group = &group_;
  if (runner_) {
    runner_->begin_run(*kernel, bound.bindings, context.reports, context.budget);
    runner_->begin(start_);
    return;
  }
  observer_.emplace(context);
  start_.observer = &*observer_;
  thread_.emplace(code_, bound.bindings, context.reports);
}

void LaneWorker::end_run(Counters& counters) {
  if (runner_) runner_->end_run();
  context_ = nullptr;
  counters.threads += std::exchange(threads_, 0);
  if (!observer_) return;
  counters.texels_read += observer_->counters.texels_read;
  counters.texels_written += observer_->counters.texels_written;
}

bool LaneWorker::run(std::uint32_t number, std::uint32_t lanes) {
  const std::uint32_t mask = lanes >= 32 ? ~0u : (1u << lanes) - 1;
  ++threads_;
  auto outcome = engine::reference::Outcome::Finished;
  if (runner_) {
    outcome = runner_->next(mask, number, 0, 0);
  } else {
    start_.dispatch_mask = mask;
    start_.group_id = {number, 0, 0};
    if (context_->reports.checking()) group_.order = {};  // a thread's invocations are others than the last one's
    thread_->start(start_);
    outcome = engine::reference::run_group(std::span(&*thread_, 1), group_, context_->budget);
  }
  return outcome == engine::reference::Outcome::Finished && !context_->reports.failed();
}

}  // namespace heddle::pipeline
