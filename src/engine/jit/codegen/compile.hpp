// SPDX-License-Identifier: MIT
#pragma once
// Compiling a kernel to machine code. Only engine/jit/llvm/ knows how; without LLVM there is no compiler and every
// program runs on the reference engine.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/environment/vector_level.hpp"
#include "engine/jit/codegen/translate.hpp"
#include "machine/thread.hpp"

namespace heddle::engine::jit {

/// First: made within milliseconds, for the first threads. Second: optimized, for the others. Both leave the same bits.
enum class Tier : std::uint8_t { First, Second };

/// Image functions as the compiler made them for one static state, for all kernels that meet it (second tier). May be
/// used by several threads.
class KeptFunctions {
 public:
  using Code = std::vector<std::uint8_t>;  ///< the compiler's own
  virtual ~KeptFunctions() = default;
  /// `what`: everything that decides about the function. Null: it has not been made yet.
  [[nodiscard]] virtual std::shared_ptr<const Code> find(const std::string& what) = 0;
  virtual void keep(const std::string& what, Code code) = 0;
};

struct CompileOptions {
  /// "": the one it runs on; else an LLVM name, such as x86-64-v3.
  std::string cpu = base::limited_processor();
  bool keep_listing = false;  ///< also LLVM's code and the assembler text
  Tier tier = Tier::Second;
  const std::atomic<bool>* cancel =
      nullptr;                         ///< set: the code is not wanted any more; compile() ends soon, with an error
  KeptFunctions* functions = nullptr;  ///< null: each image function is made for this kernel alone
  std::function<void()> translated;    ///< called when the program and its state are not looked at any more
};

struct CompileOutput {
  std::vector<std::uint8_t> object;  ///< a relocatable ELF file with the function `heddle_kernel`
  Counts counts;
  std::string error;            ///< not empty: nothing was compiled, and why
  bool too_much_stack = false;  ///< that is why
  std::string listing, assembly;
};

/// Why there is no compiler; empty: there is one, which is opened when it is needed.
[[nodiscard]] std::string compiler_problem();
[[nodiscard]] inline bool has_compiler() { return compiler_problem().empty(); }
/// Opens it, if there is one; otherwise the first compile() does.
void open_compiler();
/// Which one: part of every cache key.
[[nodiscard]] std::string compiler_name();
/// Why code for `cpu` (an LLVM name) cannot run here; empty: it can.
[[nodiscard]] std::string processor_problem(const std::string& cpu);

[[nodiscard]] CompileOutput compile(const machine::Code& code, const ControlFlowGraph& shape,
                                    const KernelVariant& special, const CompileOptions& options);

}  // namespace heddle::engine::jit
