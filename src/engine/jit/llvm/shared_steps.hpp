// SPDX-License-Identifier: MIT
#pragma once
// Instructions that do the same are one function, which the kernel calls for each of them: LLVM's selection of machine
// instructions looks at it once. A call takes it a hundredth of the time that the vectors of an instruction take.

#include <llvm/IR/Function.h>

namespace heddle::engine::jit {

/// Metadata of the last LLVM instruction before one of the program's begins.
inline constexpr const char* kStepMark = "heddle.step";

/// For kernels whose variables are in memory: nothing but memory and scalars goes from one instruction to the next.
/// What stands there once stays where it is.
void share_steps(llvm::Function& kernel);

}  // namespace heddle::engine::jit
