// SPDX-License-Identifier: MIT
#pragma once
// Vectors of halves.

namespace llvm {
class Function;
}

namespace heddle::engine::jit {

/// LLVM narrows comparisons and roundings of widened halves to halves, which its x86 back end then does lane by lane;
/// they are widened again: every half is a float. True when something changed.
bool widen_halves(llvm::Function& function);

}  // namespace heddle::engine::jit
