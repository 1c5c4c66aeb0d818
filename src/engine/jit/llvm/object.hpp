// SPDX-License-Identifier: MIT
#pragma once
// From a kernel's module to the bytes of an object file: LLVM's part of the work.

#include <vector>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "engine/jit/codegen/compile.hpp"

namespace heddle::engine::jit {

/// What the module asks for beside the options.
struct ObjectRequest {
  const std::vector<Images::Function>& functions;  ///< of the image operations that the kernel calls
  bool in_memory = false;                          ///< KernelVariant::in_memory
};

/// Tells `out` of functions that take too much of the stack; the module that is made into an object is of this context.
void watch_stack(llvm::LLVMContext& context, CompileOutput& out);

/// Into `out`: the object, or why there is none; listings, where they are asked for. Programs that an emulator runs
/// have it done on the machine at hand (tests/emulated).
void make_object(llvm::Module& module, llvm::TargetMachine& target, const ObjectRequest& request,
                 const CompileOptions& options, CompileOutput& out);

}  // namespace heddle::engine::jit
