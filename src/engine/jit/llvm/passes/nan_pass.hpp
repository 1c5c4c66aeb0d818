// SPDX-License-Identifier: MIT
#pragma once
// NaN results are canonical (NUM-3). Where a result goes only into further arithmetic, its payload is never seen, and
// the step that makes it canonical is dropped.

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

namespace heddle::engine::jit {

/// Where the payload of a value that a loop carries is seen behind the loop only, it is made canonical there instead of
/// in every round. True when something changed.
bool move_canonical_nans_behind_loops(llvm::Function& function, const llvm::LoopInfo& loops);
/// Removes the marks of Builder::any_nan.
bool remove_any_nan_marks(llvm::Function& function);
/// True when something changed.
bool drop_unseen_canonical_nans(llvm::Function& function);
/// A choice by a comparison of what is chosen stays one: LLVM takes `x < 1 ? x : 1` for FMINNM of AArch64, which gives
/// a quiet NaN where x is a signaling one. After all other passes.
void keep_choices_by_comparison(llvm::Function& function);

}  // namespace heddle::engine::jit
