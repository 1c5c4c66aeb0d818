// SPDX-License-Identifier: MIT
#pragma once
// How the threads of a kernel may begin without code: the reference engine interprets them, until compiling is worth
// it.

#include <cstdint>

#include <span>

#include "engine/jit/analysis/control_flow_graph.hpp"
#include "machine/bindings.hpp"

namespace heddle::engine::jit {

enum class Interpretation : std::uint8_t {
  Never,       ///< a thread may run for long after somebody else has seen what it did, or it calls subroutines
  ToTheEnd,    ///< no loops: a thread has no more steps than the kernel has instructions
  Restarting,  ///< as long as a thread may loop, nothing that it did is seen: code may run it once more from its start
};

/// `own`: indices of the binding table with memory that each thread has places of its own in, which nobody reads before
/// all threads are through: what a kernel only stores there, once more if it must, nobody sees. `slots`: what its
/// surface variables stand for.
[[nodiscard]] Interpretation interpretation_of(const machine::PreparedObject& object, const ControlFlowGraph& graph,
                                               const machine::Bindings& slots = {},
                                               std::span<const std::uint32_t> own = {});

/// The last instruction from which lanes may go back; 0: there is none. Who is behind it does not come back.
[[nodiscard]] std::uint32_t last_branch_back(const ControlFlowGraph& graph);

/// Steps that interpreting takes no longer for than the first tier takes to compile the kernel, about. `messages`: how
/// many of its `instructions` are messages to the texture unit and the render targets, which take longer than others.
[[nodiscard]] std::uint64_t steps_worth_compiling(std::uint64_t instructions, std::uint64_t messages);

}  // namespace heddle::engine::jit
