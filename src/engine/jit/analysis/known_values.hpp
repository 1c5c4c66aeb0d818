// SPDX-License-Identifier: MIT
#pragma once
// What is known at every label of a kernel: control register, state variables, address variables.

#include "engine/jit/analysis/control_flow_graph.hpp"
#include "machine/bindings.hpp"
#include "machine/jit/emit.hpp"

namespace heddle::engine::jit {

struct KnownValueMap {
  machine::jit::KnownValues initial;
  std::vector<std::optional<machine::jit::KnownValues>> at;  ///< by instruction, for leaders that can be reached
};

[[nodiscard]] KnownValueMap find_known_values(const machine::PreparedObject& object, const machine::StateIndex& states,
                                              const ControlFlowGraph& graph, const machine::Bindings& bindings);

}  // namespace heddle::engine::jit
