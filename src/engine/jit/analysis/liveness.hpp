// SPDX-License-Identifier: MIT
#pragma once
// Which results only lanes that run can see. Lanes that wait keep the old values of their elements, so a write under
// the execution mask is a merge; where no lane that may be waiting reads the variable before it writes it again, the
// merge is left out.

#include <vector>

#include "engine/jit/analysis/kernel_variant.hpp"

namespace heddle::engine::jit {

struct Liveness {
  std::vector<bool> unmasked_writes;  ///< by instruction: FunctionState::unmasked
  std::vector<bool> by_lane;          ///< by predicate: no lane beyond the thread's is ever touched
};

/// `frame` has its variables. Emits every instruction into nothing.
[[nodiscard]] Liveness find_liveness(const machine::jit::FunctionState& frame, const ControlFlowGraph& graph,
                                     const KernelVariant& special);

}  // namespace heddle::engine::jit
