// SPDX-License-Identifier: MIT
#pragma once
// A program prepared for the reference engine: an executable specification, literal and checking everything.

#include <memory>
#include <string_view>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "isa/platform.hpp"
#include "isa/program.hpp"
#include "machine/thread.hpp"

namespace heddle::engine::reference {

/// One kernel of a program and the functions that it may call. The program must outlive it.
class ResolvedKernel {
 public:
  /// `kernel`: an object of `program`. Labels, aliases and addresses are resolved here; ids: run-*, visa-*,
  /// limit-memory.
  [[nodiscard]] static base::Result<ResolvedKernel> prepare(const isa::Program& program, const isa::Object& kernel,
                                                            isa::Platform platform, const base::Limits& limits = {});

  [[nodiscard]] const machine::Code& code() const { return *code_; }
  [[nodiscard]] const isa::Object& object() const { return *code_->objects.front().object; }
  /// Register-file bytes of one thread.
  [[nodiscard]] std::uint64_t thread_bytes() const { return code_->objects.front().layout.bytes(); }

 private:
  std::shared_ptr<const machine::Code> code_;
};

}  // namespace heddle::engine::reference
