// SPDX-License-Identifier: MIT
#pragma once
// The loop over the threads that one call runs: those of a pixel row (RowLayout), or of compute groups
// (KernelVariant::own_bytes). A function for one thread has none.

#include "engine/jit/analysis/kernel_variant.hpp"

namespace heddle::engine::jit {

class ThreadLoop {
 public:
  ThreadLoop(machine::jit::Builder& b, machine::jit::FunctionState& function, const KernelVariant& special)
      : b_(b), function_(function), special_(special) {}
  /// The head; what is emitted behind it runs for each thread. Steps are at their start. The thread's payload.
  [[nodiscard]] machine::jit::Value begin();
  /// Where a thread has come to its end: the next one, unless there is none.
  void end();
  /// In the context, for a runtime function.
  void say_which_thread();

 private:
  using Value = machine::jit::Value;
  [[nodiscard]] Value number(std::uint64_t value);
  [[nodiscard]] Value of_context(std::uint32_t offset);
  void begin_row();
  void put_places(Value payload, unsigned halves);
  void end_row();
  [[nodiscard]] Value begin_groups(Value payload);
  void end_groups();

  machine::jit::Builder& b_;
  machine::jit::FunctionState& function_;
  const KernelVariant& special_;
  machine::jit::Block head_;
  // Of a row:
  Value place_, place_storage_;  ///< of the first subspan of the thread that runs
};

}  // namespace heddle::engine::jit
