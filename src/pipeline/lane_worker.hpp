// SPDX-License-Identifier: MIT
#pragma once
// One of the computer's threads that runs hardware threads of a shader whose lanes need nothing but their payload:
// vertices, and what stages make of primitives.

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/jit/runtime/runtime.hpp"
#include "machine/thread.hpp"
#include "pipeline/bound.hpp"
#include "pipeline/run_context.hpp"

namespace heddle::pipeline {

/// Kept from run to run.
class LaneWorker {
 public:
  /// `prepared` null: the reference engine runs.
  LaneWorker(const machine::Code& code, const engine::jit::PreparedKernel* prepared, std::uint64_t scratch_bytes);

  void begin_run(const engine::jit::BoundKernel* kernel, const Bound& bound, RunContext& context);
  void end_run(Counters& counters);
  [[nodiscard]] bool runs() const { return context_ != nullptr; }

  /// The registers from r0 on, which are filled for each thread.
  [[nodiscard]] std::span<std::uint8_t> payload() { return payload_; }
  /// Puts a dword for each lane there: `value(lane)`. Variables beyond the payload are nobody's.
  template <typename Value>
  void put(std::uint32_t offset, std::uint32_t lanes, const Value& value) {
    if (offset + std::size_t{4} * lanes > payload_.size()) return;
    std::uint8_t* to = payload_.data() + offset;
    for (std::uint32_t lane = 0; lane < lanes; ++lane, to += 4) {
      const std::uint32_t word = value(lane);
      std::memcpy(to, &word, 4);
    }
  }
  /// Hardware thread `number`, of its first `lanes` lanes.
  bool run(std::uint32_t number, std::uint32_t lanes);

 private:
  const machine::Code& code_;
  const engine::jit::PreparedKernel* const prepared_;
  machine::Group group_;
  std::vector<std::uint8_t> payload_, scratch_;
  bool uses_scratch_ = true;
  std::unique_ptr<engine::jit::Runner> runner_;
  machine::ThreadStart start_;
  // Of a run:
  RunContext* context_ = nullptr;
  std::optional<WorkerObserver> observer_;
  std::optional<machine::Thread> thread_;
  std::uint64_t threads_ = 0;
};

}  // namespace heddle::pipeline
