// SPDX-License-Identifier: MIT
#pragma once
// What a program decides once, whatever it is bound to and however often it runs.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "engine/jit/runtime/kernel_variants.hpp"
#include "engine/reference/resolved_kernel.hpp"
#include "engine/reference/run.hpp"
#include "isa/program.hpp"
#include "pipeline/bound.hpp"

namespace heddle::pipeline {

/// One kernel of a program, prepared for the reference engine. Never changed; shared by everything that runs it.
class Program {
 public:
  /// `kernel`: an object of `source`. Ids: run-*, visa-*, limit-memory.
  [[nodiscard]] static base::Result<std::shared_ptr<const Program>> create(std::shared_ptr<const isa::Program> source,
                                                                           const isa::Object& kernel,
                                                                           isa::Platform platform,
                                                                           const base::Limits& limits = {});
  [[nodiscard]] const isa::Program& source() const { return *source_; }
  [[nodiscard]] const isa::Object& object() const { return kernel_.object(); }
  [[nodiscard]] const engine::reference::ResolvedKernel& kernel() const { return kernel_; }

 private:
  Program(std::shared_ptr<const isa::Program> source, engine::reference::ResolvedKernel kernel)
      : source_(std::move(source)), kernel_(std::move(kernel)) {}
  std::shared_ptr<const isa::Program> source_;
  engine::reference::ResolvedKernel kernel_;
};

/// The machine code of a program that somebody wants to read: of all plans that were made of it, and are still there.
/// May be used by several threads.
class ListedCode {
 public:
  void add(const std::shared_ptr<engine::jit::KernelVariants>& family);
  using Listing = std::shared_ptr<const engine::jit::CodeListing>;
  /// Of the plan whose code ran most: as it was listed last, or made `anew`, as it is by now.
  [[nodiscard]] Listing list(bool anew);

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<engine::jit::KernelVariants>> families_;
  Listing last_;
};

/// How the plans of a program make machine code.
struct CodeOptions {
  bool fast = true;  ///< false: the reference engine runs everything
  engine::jit::CompileOptions compile;
  engine::jit::Tiers tiers = engine::jit::Tiers::Both;
  bool interpret =
      true;  ///< what has run little is interpreted (KernelOptions::interpret), unless HEDDLE_INTERPRET is off
  bool disk_cache = true;
  engine::jit::MemoryCache* memory = nullptr;  ///< asked first; must outlive the plan
  std::shared_ptr<ListedCode> listed;          ///< null: nobody wants to read it
};

/// The machine code of a plan, for whatever is bound.
class PlanCode {
 public:
  using Pixels = engine::jit::KernelVariants::Pixels;
  /// `options` beside what CodeOptions say. `slots`: what the kernel's variables stand for.
  PlanCode(const Program& program, const machine::Bindings& slots, engine::jit::KernelOptions options,
           const CodeOptions& code);
  /// Null: the reference engine runs the program.
  [[nodiscard]] const engine::jit::PreparedKernel* prepared() const {
    return family_ != nullptr ? &family_->prepared() : nullptr;
  }
  /// Makes `last` the code for what is bound; false, with the reason, when the reference engine runs it. Time for
  /// compiling is given back to the budget, where there is one.
  bool find(std::shared_ptr<const engine::jit::BoundKernel>& last, const machine::Bindings& bindings,
            const Pixels& pixels, engine::reference::Budget* budget, std::string& why_not) const;

 private:
  std::shared_ptr<engine::jit::KernelVariants> family_;
  std::string why_not_;
};

/// What runs leave behind for the next one; each run takes one for itself.
template <typename T>
class Workspaces {
 public:
  /// Null: all are in use, or there is none.
  [[nodiscard]] std::unique_ptr<T> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    auto last = std::move(free_.back());
    free_.pop_back();
    return last;
  }
  void give_back(std::unique_ptr<T> workspace) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(workspace));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace heddle::pipeline
