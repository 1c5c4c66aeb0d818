// SPDX-License-Identifier: MIT
// A build without LLVM.
#ifndef HEDDLE_HAS_LLVM

#include "engine/jit/codegen/compile.hpp"

namespace heddle::engine::jit {

std::string compiler_problem() { return "this build has no LLVM"; }
void open_compiler() {}
std::string processor_problem(const std::string&) { return "this build has no LLVM"; }
std::string compiler_name() { return "none"; }

CompileOutput compile(const machine::Code&, const ControlFlowGraph&, const KernelVariant&, const CompileOptions&) {
  CompileOutput out;
  out.error = "this build has no LLVM";
  return out;
}

}  // namespace heddle::engine::jit

#endif
