// SPDX-License-Identifier: MIT
#pragma once
// Between the program and its compiler module, the only part that needs LLVM. The module is opened when something is
// compiled (module.cpp) and needs no symbol of the program: what it calls there comes as a function.

#include <string>

#include "engine/jit/codegen/compile.hpp"

namespace heddle::engine::jit {

/// Emits the function's body from its five arguments.
using Translate = Counts (*)(machine::jit::Builder& builder, const machine::jit::Value* arguments,
                             const machine::Code& code, const ControlFlowGraph& shape, const KernelVariant& special);

/// What both sides must have in common: the versions of LLVM and of the C++ compiler, and the headers' contents.
[[nodiscard]] const char* build_identity();

struct CompilerModule {
  const char* build;  ///< build_identity() of the module
  std::string (*processor_problem)(const std::string& cpu);
  CompileOutput (*compile)(Translate translate, const machine::Code& code, const ControlFlowGraph& shape,
                           const KernelVariant& special, const CompileOptions& options);
};

}  // namespace heddle::engine::jit

/// The module's one entry point.
extern "C" __attribute__((visibility("default"))) const heddle::engine::jit::CompilerModule* heddle_jit_module();
