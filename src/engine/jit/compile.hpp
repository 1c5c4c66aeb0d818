#pragma once
// Compiling a kernel to machine code. Only engine/jit/llvm/ knows how; without LLVM there is no compiler and every
// program runs on the reference engine.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/jit/translate.hpp"
#include "machine/thread.hpp"

namespace heddle::engine::jit {

struct CompileOptions {
  std::string cpu;            ///< "": the one it runs on; else an LLVM name, such as x86-64-v3
  bool keep_listing = false;  ///< also LLVM's code and the assembler text
};

struct CompileOutput {
  std::vector<std::uint8_t> object;  ///< a relocatable ELF file with the function `heddle_kernel`
  Counts counts;
  std::string error;  ///< not empty: nothing was compiled, and why
  std::string listing, assembly;
};

/// Whether this build has a compiler, and for what: part of every cache key.
[[nodiscard]] bool has_compiler();
[[nodiscard]] std::string compiler_name();
/// Why code for `cpu` (an LLVM name) cannot run here; empty: it can.
[[nodiscard]] std::string processor_problem(const std::string& cpu);

[[nodiscard]] CompileOutput compile(const machine::Code& code, const Shape& shape, const Specialisation& special,
                                    const CompileOptions& options);

}  // namespace heddle::engine::jit
