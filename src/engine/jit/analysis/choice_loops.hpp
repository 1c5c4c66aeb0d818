// SPDX-License-Identifier: MIT
#pragma once
// Loops in which lanes read from buffers or images that each of them chose: lanes of one handle go through the message
// together, handle after handle, as the compiler of SPIR-V writes it (spirv/compile/core/descriptors.cpp, by_element).

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "engine/jit/analysis/control_flow_graph.hpp"
#include "machine/decoded.hpp"

namespace heddle::engine::jit {

/// One of them: what follows in it reads the same memory whatever the order of the lanes, so that all may go at once.
/// Each round takes the lanes whose element is that of the first lane left.
struct ChoiceLoop {
  std::vector<std::uint32_t> steps;  ///< the instructions of a round, in order; the last one closes the loop
  std::uint32_t vote = 0;            ///< the first of them, which lanes do for themselves
  std::uint32_t compare = 0;         ///< the lanes' elements with the round's
  std::uint32_t leave = 0;           ///< the branch behind it
  std::vector<std::uint32_t> lanes;  ///< of the steps: messages, and what each lane computes for itself beside them
  std::vector<std::uint32_t> reads;  ///< of these: the messages; to the texture unit there is one
  /// The handles of element 0: of buffers, or the image and the sampler of that message.
  std::optional<std::uint32_t> first_surface, first_sampler;
  bool image = false;  ///< the message goes to the texture unit
};

/// Whether the instruction is a message by handle whose lanes can share a call, each with a surface of its own.
using SharesCalls = std::function<bool(std::uint32_t)>;

/// By the instruction that they begin with.
using ChoiceLoops = std::map<std::uint32_t, ChoiceLoop>;

/// Those whose instructions all have `simd` lanes or one.
[[nodiscard]] ChoiceLoops find_choice_loops(const machine::PreparedObject& object, const ControlFlowGraph& graph,
                                            unsigned simd, const SharesCalls& shares);

/// The last instruction from which lanes may go back, but for loops over choices, whatever these do for each of them: a
/// round of such a loop lets one lane go at least, so there are no more rounds than lanes. 0: there is none.
[[nodiscard]] std::uint32_t last_branch_back(const machine::PreparedObject& object, const ControlFlowGraph& graph);

}  // namespace heddle::engine::jit
