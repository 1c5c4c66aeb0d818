// SPDX-License-Identifier: MIT
#pragma once
// Surface and sampler variables: what they hold at the start, and how little of that need be stored.

#include "engine/jit/analysis/kernel_variant.hpp"

namespace heddle::engine::jit {

class StateVariables {
 public:
  StateVariables(machine::jit::Builder& b, machine::jit::FunctionState& frame, const ControlFlowGraph& graph,
                 const KernelVariant& special)
      : b_(b), frame_(frame), graph_(graph), special_(special) {}
  /// Finds out whether the variables are `late`, and loads what is bound where messages are known to look.
  void look_ahead();
  /// Every surface and sampler that a message names is known wherever it is: then the variables are stored only before
  /// the reference function of a message, which asks for its own.
  [[nodiscard]] bool late() const { return late_; }
  /// At the start of a thread.
  void load(machine::jit::Value payload);
  /// Those of a message that the reference function is called for, where nothing else reads them. `known`: before it.
  void store_late(const machine::Decoded& message, const machine::jit::KnownValues& known);

 private:
  using KnownValues = machine::jit::KnownValues;
  /// `known`: before the instruction, or behind it.
  void note(const machine::Decoded& d, const KnownValues& known, bool behind);
  void load_bound();
  void store(const KnownValues& known, std::uint32_t at);

  machine::jit::Builder& b_;
  machine::jit::FunctionState& frame_;
  const ControlFlowGraph& graph_;
  const KernelVariant& special_;
  bool late_ = true;
  std::vector<std::uint32_t> indices_;  ///< of surfaces, that messages are known to use
};

}  // namespace heddle::engine::jit
