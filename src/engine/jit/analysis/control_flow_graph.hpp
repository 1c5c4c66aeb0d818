// SPDX-License-Identifier: MIT
#pragma once
// The control flow of a kernel as compiled code follows it: one body for each label, and points where lanes may wait
// (every lane has a program counter, the lanes with the lowest one run).

#include <string>
#include <vector>

#include "isa/traits.hpp"
#include "machine/decoded.hpp"

namespace heddle::engine::jit {

struct FlowNode {
  isa::FlowKind kind = isa::FlowKind::None;
  std::vector<std::uint32_t> targets;  ///< Goto, Jump, Call: one; Switch: all
  bool uniform = false;                ///< Goto, Call: all active lanes together
  bool always = false;                 ///< no predicate
  bool leader = false;                 ///< something comes here other than from the instruction before
  bool wait = false;                   ///< lanes may wait here
  bool ends = false;                   ///< Return: no lane goes on behind it
  /// A divergent branch over one unconditional branch forward (a `break`): no other lane reaches that one.
  bool over_branch = false;
  std::uint32_t routine = 0xffffffffu;  ///< index into ControlFlowGraph::entries; of the kernel 0
  [[nodiscard]] bool moves() const;     ///< sets the program counter
};

struct ControlFlowGraph {
  std::vector<FlowNode> nodes;                    ///< by instruction
  std::vector<std::uint32_t> entries;             ///< first instruction of the kernel and of each subroutine
  std::vector<std::vector<std::uint32_t>> waits;  ///< by routine: instructions where lanes may wait, ascending
  std::vector<std::vector<std::uint32_t>> calls;  ///< by routine: the calls of it
  std::string refusal;                            ///< not empty: why the kernel cannot be compiled
  bool has_barrier = false;
  bool has_signal = false;  ///< arrives at the group's barrier without waiting

  [[nodiscard]] std::uint32_t routine_at(std::uint32_t entry) const;
  /// First wait point of the routine behind `at`, or nothing.
  [[nodiscard]] const std::uint32_t* next_wait(std::uint32_t routine, std::uint32_t at) const;
};

/// `simd`: lanes of the thread that can ever be active.
[[nodiscard]] ControlFlowGraph build_control_flow_graph(const machine::PreparedObject& object, unsigned simd);

}  // namespace heddle::engine::jit
