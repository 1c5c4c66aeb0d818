// SPDX-License-Identifier: MIT
#pragma once
// Where variables live while the function runs, and what they hold at its start.

#include "engine/jit/analysis/control_flow_graph.hpp"
#include "machine/jit/emit.hpp"

namespace heddle::engine::jit {

/// A storage for every variable that reachable instructions name. `in_memory`: KernelVariant.
void allocate_variables(machine::jit::Builder& b, machine::jit::FunctionState& function, const ControlFlowGraph& graph,
                        bool in_memory);

/// The thread's payload and state in the variables that take them.
void load_inputs(machine::jit::Builder& b, machine::jit::FunctionState& function, machine::jit::Value payload);

/// A word of a predefined variable, where the kernel names it.
void store_predefined(machine::jit::Builder& b, machine::jit::FunctionState& function, std::uint32_t variable,
                      std::uint32_t offset, machine::jit::Value value);

}  // namespace heddle::engine::jit
