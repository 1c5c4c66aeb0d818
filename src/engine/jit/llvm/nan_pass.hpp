#pragma once
// NaN results are canonical (NUM-3). Where a result goes only into further arithmetic, its payload is never seen, and
// the step that makes it canonical is dropped.

#include <llvm/IR/Function.h>

namespace heddle::engine::jit {

/// True when something changed.
bool drop_unseen_canonical_nans(llvm::Function& function);

}  // namespace heddle::engine::jit
