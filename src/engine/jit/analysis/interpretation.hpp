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
  ToTheEnd,    ///< no loops but those over what lanes chose (last_branch_back): a thread ends soon
  Restarting,  ///< as long as a thread may loop, nothing that it did is seen: code may run it once more from its start
};

/// `own`: indices of the binding table with memory that each thread has places of its own in, which nobody reads before
/// all threads are through: what a kernel only stores there, once more if it must, nobody sees. `slots`: what its
/// surface variables stand for.
[[nodiscard]] Interpretation interpretation_of(const machine::PreparedObject& object, const ControlFlowGraph& graph,
                                               const machine::Bindings& slots = {},
                                               std::span<const std::uint32_t> own = {});

/// Instructions of a kernel, by how long it takes to interpret one.
struct InterpretedSteps {
  std::uint64_t instructions = 0;  ///< all
  std::uint64_t messages = 0;      ///< of them to the texture unit and the render targets
  std::uint64_t plain = 0;         ///< of the others: PlainSteps::steps
  std::uint64_t plain_messages = 0;
};
/// Steps that interpreting takes no longer for than the first tier takes to compile the kernel, about.
[[nodiscard]] std::uint64_t steps_worth_compiling(const InterpretedSteps& of);

}  // namespace heddle::engine::jit
