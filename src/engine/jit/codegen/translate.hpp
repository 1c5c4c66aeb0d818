// SPDX-License-Identifier: MIT
#pragma once
// From a prepared kernel to one function: variables, masks, control flow; instructions by the families' emitters, or by
// a call of their reference functions.

#include "engine/jit/analysis/kernel_variant.hpp"
#include "machine/jit/emit.hpp"

namespace heddle::engine::jit {

/// A call of this name stands for a fence of memory that others see (SPV-20): the builder makes one of it.
inline constexpr const char* kFenceMark = "heddle_fence";

struct Counts {
  std::uint32_t emitted = 0, called = 0;
  std::vector<std::string> called_mnemonics;  ///< instructions that the reference engine executes
};

/// Emits the function's body; `function` brings the arguments. The builder stands in an empty entry block.
Counts translate(machine::jit::Builder& builder, machine::jit::FunctionState& function, const ControlFlowGraph& graph,
                 const KernelVariant& special);

}  // namespace heddle::engine::jit
