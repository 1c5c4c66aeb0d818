// SPDX-License-Identifier: MIT
#pragma once
// What one worker of a compute run needs, for each engine.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pipeline/compute/compute.hpp"

namespace heddle::pipeline {

/// The fast engine's: what threads start with, for each size of group that it has met, and the group that runs. Kept
/// from run to run.
class FastWorker {
 public:
  FastWorker(const ComputePlan& plan, const engine::jit::PreparedKernel& kernel);

  /// Before the first group of a run. `payload`: with what it has of the grid. `first_id`: the hardware id of the
  /// worker's first thread. `alone`: no other worker runs.
  void begin_run(const engine::jit::BoundKernel& kernel, const machine::Bindings& bindings,
                 std::span<const std::uint8_t> payload, RunContext& context, std::uint32_t first_id, bool alone);
  /// The groups from `first` (in the grid, which begins at its base) to `end` in x.
  bool run(const Grid& grid, std::array<std::uint32_t, 3> first, std::uint32_t end, RunContext& context);
  /// Instructions that it ran in this run, about.
  [[nodiscard]] std::uint64_t steps() const { return runner_.steps_of_run(); }
  std::uint64_t end_run(Counters& counters);
  [[nodiscard]] bool runs() const { return runs_; }

 private:
  struct Size {
    std::array<std::uint32_t, 3> size{};
    engine::jit::GroupThreads threads;
    std::vector<std::uint8_t> own;  ///< bytes of the payload that `threads` has for each thread, as they were given
    std::uint32_t first_id = 0;
    std::uint64_t run = 0;  ///< that it was last made ready for
  };
  const engine::jit::GroupThreads& threads_of(const std::array<std::uint32_t, 3>& size);
  void fill(Size& entry);
  void refresh(Size& entry);

  const ComputePlan& plan_;
  const engine::jit::PreparedKernel& kernel_;
  engine::jit::Runner runner_;
  machine::Group group_;
  std::vector<std::unique_ptr<Size>> sizes_;
  std::span<const std::uint8_t> payload_;
  std::uint32_t first_id_ = 0;
  std::uint64_t run_ = 0;
  bool runs_ = false;
  Counters counters_;
};

/// The reference engine's: the threads of the group that runs.
class ReferenceWorker {
 public:
  ReferenceWorker(const ComputePlan& plan, const machine::Code& code, const machine::Bindings& bindings,
                  std::span<const std::uint8_t> payload, RunContext& context)
      : plan_(plan), code_(code), bindings_(bindings), payload_(payload), context_(context), observer_(context) {}
  /// `first_id`: the hardware id of the worker's first thread.
  bool run(const Grid& grid, const std::array<std::uint32_t, 3>& group, std::uint32_t first_id);
  void add_to(Counters& counters) const;

 private:
  const ComputePlan& plan_;
  const machine::Code& code_;
  const machine::Bindings& bindings_;
  const std::span<const std::uint8_t> payload_;
  RunContext& context_;
  WorkerObserver observer_;
  std::vector<machine::Thread> threads_;
  std::vector<std::vector<std::uint8_t>> payloads_, scratch_;
  Counters counters_;
};

}  // namespace heddle::pipeline
