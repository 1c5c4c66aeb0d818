// SPDX-License-Identifier: MIT
#pragma once
// Loops over what lanes chose (analysis/choice_loops.hpp): all lanes at once, where it is known what their handles
// name.

#include <functional>
#include <utility>

#include "engine/jit/analysis/choice_loops.hpp"
#include "machine/jit/emit.hpp"

namespace heddle::engine::jit {

class ChoiceTranslator {
 public:
  /// What the translator of the kernel does for it.
  struct Kernel {
    std::function<void(std::uint32_t, const machine::jit::KnownValues&)> instruction;  ///< emits one
    std::function<machine::jit::Block(std::uint32_t)> enter;  ///< where lanes that come to an instruction go
    std::function<void()> forget_steps;                       ///< those that were emitted and not counted yet
    std::function<const machine::jit::MessageUse*(std::uint32_t)> message;  ///< of an instruction, or null
  };
  ChoiceTranslator(machine::jit::Builder& builder, machine::jit::FunctionState& function, const ControlFlowGraph& graph,
                   Kernel kernel)
      : b_(builder), function_(function), graph_(graph), kernel_(std::move(kernel)) {}
  /// Of functions whose lanes are `simd`; otherwise there are none.
  void find(unsigned simd);
  /// At an instruction, before it is emitted: the loop that it begins, if it does. The code then stands where the lanes
  /// go one by one.
  void begin(std::uint32_t i, const machine::jit::KnownValues& known) {
    const auto loop = loops_.find(i);
    if (loop == loops_.end()) return;
    if (loop->second.image)
      share_calls(loop->second, known);
    else
      choose_at_once(loop->second, known);
  }

 private:
  using Value = machine::jit::Value;
  void choose_at_once(const ChoiceLoop& loop, const machine::jit::KnownValues& known);
  void share_calls(const ChoiceLoop& loop, const machine::jit::KnownValues& known);
  [[nodiscard]] bool share_call(const ChoiceLoop& loop, const machine::jit::KnownValues& known, Value call,
                                Value shared);
  [[nodiscard]] Value is_all(Value mask, Value enabled);
  void leave_last_round(const ChoiceLoop& loop, const machine::jit::KnownValues& known, Value handles, Value enabled);

  machine::jit::Builder& b_;
  machine::jit::FunctionState& function_;
  const ControlFlowGraph& graph_;
  Kernel kernel_;
  ChoiceLoops loops_;
};

}  // namespace heddle::engine::jit
