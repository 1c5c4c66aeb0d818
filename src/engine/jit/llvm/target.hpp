// SPDX-License-Identifier: MIT
#pragma once
// The processor that code is made for.

#include <memory>
#include <string>

#include <llvm/Target/TargetMachine.h>

namespace heddle::engine::jit {

/// What the processor has that decides about the texture unit's code.
struct LanesTarget {
  bool wide = false;      ///< AVX-512 (x86-64-v4)
  bool has_vbmi = false;  ///< texture::simd::StaticState::has_vbmi may stay set
};

/// Why code for this processor (LLVM's name) cannot run here; empty: it can.
[[nodiscard]] std::string problem_of(const std::string& cpu);

/// Makes code for `cpu`, an LLVM name, or for the processor at hand where it is empty. Null with `error` when LLVM does
/// not know it, or it cannot run here, or it is an x86 and lacks AVX2, FMA and F16C. On arm64 there is one, for every
/// processor: "generic", with NEON.
[[nodiscard]] std::unique_ptr<llvm::TargetMachine> make_target(const std::string& cpu, llvm::CodeGenOptLevel level,
                                                               std::string& error);
/// The same for a processor that may be another machine's; LLVM has been told of its architecture.
[[nodiscard]] std::unique_ptr<llvm::TargetMachine> machine_for(const std::string& triple, const std::string& cpu,
                                                               const std::string& features, llvm::CodeGenOptLevel level,
                                                               std::string& error);
[[nodiscard]] LanesTarget lanes_of(const llvm::TargetMachine& target);

}  // namespace heddle::engine::jit
