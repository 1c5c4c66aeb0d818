// SPDX-License-Identifier: MIT
#include "pipeline/compute/compute_workers.hpp"

#include <algorithm>
#include <cstring>

namespace heddle::pipeline {
namespace {

constexpr std::size_t kMaxSizes = 64;  // of groups, that a worker keeps

std::array<std::uint32_t, 3> number_of(const Grid& grid, const std::array<std::uint32_t, 3>& group) {
  return {grid.base[0] + group[0], grid.base[1] + group[1], grid.base[2] + group[2]};
}

}  // namespace

FastWorker::FastWorker(const ComputePlan& plan, const engine::jit::PreparedKernel& kernel)
    : plan_(plan), kernel_(kernel), runner_(kernel.code()), group_(1, static_cast<std::size_t>(plan.slm_bytes)) {}

void FastWorker::begin_run(const engine::jit::BoundKernel& kernel, const machine::Bindings& bindings,
                           std::span<const std::uint8_t> payload, RunContext& context, std::uint32_t first_id,
                           bool alone) {
  runner_.begin_run(kernel, bindings, context.reports, context.budget, alone, context.ended_arrive);
  payload_ = payload;
  first_id_ = first_id;
  if (sizes_.size() > kMaxSizes) sizes_.clear();
  ++run_;
  runs_ = true;
}

std::uint64_t FastWorker::end_run(Counters& counters) {
  runner_.end_run();
  runs_ = false;
  counters.groups += counters_.groups;
  counters.threads += counters_.threads;
  counters_ = {};
  return runner_.steps_of_run();
}

/// All threads of a group, from the payload that they have in common.
void FastWorker::fill(Size& entry) {
  const std::size_t own = std::min<std::size_t>(kernel_.options().own_bytes, payload_.size());
  entry.own.assign(payload_.begin(), payload_.begin() + static_cast<std::ptrdiff_t>(own));
  entry.first_id = first_id_;
  std::vector<std::uint8_t> filled;
  for (std::uint32_t t = 0; t < entry.threads.masks.size(); ++t) {
    filled.assign(payload_.begin(), payload_.end());
    const std::uint32_t mask = plan_.fill(filled, {}, entry.size, t), id = first_id_ + t;
    entry.threads.set(t, filled, mask, state0_of(id), id);
  }
  if (!filled.empty()) std::ranges::copy(filled, entry.threads.shared.begin());
}

/// For another run: what changes from run to run is mostly the same for all threads.
void FastWorker::refresh(Size& entry) {
  if (entry.first_id != first_id_ || std::memcmp(entry.own.data(), payload_.data(), entry.own.size()) != 0)
    return fill(entry);
  std::vector<std::uint8_t>& shared = entry.threads.shared;
  const std::size_t own = entry.own.size(), bytes = std::min(payload_.size(), shared.size());
  if (own < bytes) std::memcpy(shared.data() + own, payload_.data() + own, bytes - own);
  for (const std::uint32_t at : plan_.local_size)
    if (at + 12 <= bytes) std::memcpy(shared.data() + at, entry.size.data(), 12);
}

const engine::jit::GroupThreads& FastWorker::threads_of(const std::array<std::uint32_t, 3>& size) {
  const auto found = std::ranges::find(sizes_, size, [](const auto& entry) { return entry->size; });
  if (found == sizes_.end()) {
    const unsigned count = plan_.threads_of(size);
    sizes_.push_back(std::make_unique<Size>(Size{size, engine::jit::GroupThreads(kernel_, payload_, count), {}}));
    Size& made = *sizes_.back();
    made.threads.arguments = plan_.arguments;
    made.threads.scratch_bytes = static_cast<std::size_t>(plan_.scratch_bytes);
    fill(made);
    made.run = run_;
    return made.threads;
  }
  Size& entry = **found;
  if (entry.run != run_) refresh(entry);
  entry.run = run_;
  return entry.threads;
}

bool FastWorker::run(const Grid& grid, std::array<std::uint32_t, 3> first, std::uint32_t end, RunContext& context) {
  for (std::uint32_t next = first[0]; first[0] < end; first[0] = next) {
    const std::array<std::uint32_t, 3> size = grid.size_of(first);
    next = end;
    if (end == grid.groups[0] && grid.size_of({end - 1, first[1], first[2]}) != size) next = end - 1;
    const engine::jit::GroupThreads& alike = threads_of(size);
    const auto count = static_cast<std::uint32_t>(alike.masks.size());
    if (count == 0) continue;
    group_.set_threads(count);
    counters_.threads += std::uint64_t{next - first[0]} * count;
    const auto outcome = runner_.run_groups(alike, group_, number_of(grid, first), next - first[0]);
    counters_.groups += runner_.groups_done();
    if (outcome != engine::reference::Outcome::Finished || context.reports.failed()) return false;
  }
  return true;
}

bool ReferenceWorker::run(const Grid& grid, const std::array<std::uint32_t, 3>& group, std::uint32_t first_id) {
  const std::array<std::uint32_t, 3> size = grid.size_of(group), number = number_of(grid, group);
  const unsigned count = plan_.threads_of(size);
  if (count == 0) return true;
  machine::Group shared(count, static_cast<std::size_t>(plan_.slm_bytes));
  const machine::Invocations invocations{.size = size,
                                         .local = grid.local,
                                         .offset = grid.offset,
                                         .walk = plan_.walk,
                                         .simd = plan_.simd,
                                         .shader = plan_.shader};
  while (payloads_.size() < count) {
    threads_.emplace_back(code_, bindings_, context_.reports);
    payloads_.emplace_back();
    scratch_.emplace_back();
  }
  for (unsigned t = 0; t < count; ++t) {
    payloads_[t].assign(payload_.begin(), payload_.end());
    scratch_[t].assign(static_cast<std::size_t>(plan_.scratch_bytes), 0);
    machine::ThreadStart start;
    start.dispatch_mask = plan_.fill(payloads_[t], number, size, t);
    start.payload = payloads_[t];
    start.arguments = plan_.arguments;
    start.thread = t;
    start.group_id = number;
    start.hardware_id = first_id + t;  // from it, too, compilers compute a thread's private memory
    start.state0 = state0_of(start.hardware_id);
    start.scratch = scratch_[t];
    start.group = &shared;
    start.observer = &observer_;
    start.invocations = &invocations;
    threads_[t].start(start);
  }
  counters_.threads += count;
  const auto outcome =
      engine::reference::run_group(std::span(threads_).first(count), shared, context_.budget, context_.ended_arrive);
  if (outcome == engine::reference::Outcome::Finished) ++counters_.groups;
  return outcome == engine::reference::Outcome::Finished && !context_.reports.failed();
}

void ReferenceWorker::add_to(Counters& counters) const {
  counters.groups += counters_.groups;
  counters.threads += counters_.threads;
  counters.texels_read += observer_.counters.texels_read;
  counters.texels_written += observer_.counters.texels_written;
}

}  // namespace heddle::pipeline
