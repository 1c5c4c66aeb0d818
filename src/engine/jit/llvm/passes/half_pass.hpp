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
/// Vectors of one half are made of scalars: LLVM 19 has no way from <1 x i16> to <1 x half> for AArch64, and crashes.
void make_single_halves_scalar(llvm::Function& function);

}  // namespace heddle::engine::jit
