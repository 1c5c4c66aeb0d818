// SPDX-License-Identifier: MIT
#pragma once
// What LLVM does with a kernel, in both tiers.

#include <atomic>
#include <string>
#include <vector>

#include <llvm/Target/TargetMachine.h>

#include "engine/jit/codegen/compile.hpp"
#include "engine/jit/llvm/target.hpp"

namespace heddle::engine::jit {

/// What a module is made into code with.
struct Optimization {
  llvm::TargetMachine& target;
  const std::vector<Images::Function>& functions;  ///< of the image operations that the kernel calls
  LanesTarget lanes;
  KeptFunctions* kept = nullptr;              ///< image functions that were made before
  const std::atomic<bool>* cancel = nullptr;  ///< set: what is made is not wanted any more
  /// The first tier leaves variables in memory (KernelVariant): of a long kernel, each value that lives beyond a block
  /// has a place of its own, because finding out which could share one takes more than linear time.
  bool in_memory = false;
  [[nodiscard]] bool canceled() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }
};

/// No block of a function is longer than some hundred instructions: several of LLVM's passes look through a block once
/// for each variable in it.
void divide_blocks(llvm::Function& function);

/// The first tier: a few passes whose time grows with the kernel's length; image operations call the kernels that were
/// compiled into the program. Empty, or what went wrong.
[[nodiscard]] std::string optimize_first(llvm::Module& module, const Optimization& how);

/// The second tier: image operations are made for their states and become part of the kernel.
[[nodiscard]] std::string optimize_second(llvm::Module& module, const Optimization& how);

/// Machine code or its text. False: the target cannot do it.
[[nodiscard]] bool emit(llvm::Module& module, llvm::TargetMachine& target, llvm::CodeGenFileType kind,
                        llvm::SmallVectorImpl<char>& bytes);

}  // namespace heddle::engine::jit
