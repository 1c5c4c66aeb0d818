// SPDX-License-Identifier: MIT
#pragma once
// Which variables of a kernel become values.

#include <llvm/IR/Function.h>

namespace heddle::engine::jit {

/// Variables are cleared at the head of a kernel. Where the only block that uses one writes it whole first, that goes.
/// Then the variable belongs to that block, and becomes a value at once, whatever the number of blocks.
void drop_needless_clearing(llvm::Function& kernel);

/// Keeps variables that several blocks use from becoming values, until release_variables: finding the values that meet
/// where control flow joins takes time that grows with the number of variables times that of blocks. Those with more
/// than `most_uses` become values all the same: they are few, or the kernel is long because of them.
void hold_shared_variables(llvm::Function& kernel, unsigned most_uses);
void release_variables(llvm::Function& kernel);

}  // namespace heddle::engine::jit
