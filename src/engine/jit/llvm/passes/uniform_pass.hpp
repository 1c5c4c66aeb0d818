// SPDX-License-Identifier: MIT
#pragma once
// Vectors whose lanes are all alike become scalars.

namespace llvm {
class Function;
class ShuffleVectorInst;
class Value;
}  // namespace llvm

namespace heddle::engine::jit {

/// A loop counter, its condition and the mask of lanes that follows from it are vectors in vISA, although every lane
/// holds the same; where that can be seen they are computed once, a branch on them is one on a number, and what all
/// lanes read from one place is read once. True when something changed.
bool make_uniform_vectors_scalar(llvm::Function& function);

/// The scalar, or the vector of one lane, that `shuffle` spreads over all lanes; null where it does something else. An
/// element of a longer vector is spread more cheaply as it is.
llvm::Value* spread_scalar(llvm::ShuffleVectorInst& shuffle);

}  // namespace heddle::engine::jit
