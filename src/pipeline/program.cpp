// SPDX-License-Identifier: MIT
#include "pipeline/program.hpp"

#include <chrono>
#include <utility>

#include "base/environment/interpret.hpp"

namespace heddle::pipeline {

base::Result<std::shared_ptr<const Program>> Program::create(std::shared_ptr<const isa::Program> source,
                                                             const isa::Object& kernel, isa::Platform platform,
                                                             const base::Limits& limits) {
  auto prepared = engine::reference::ResolvedKernel::prepare(*source, kernel, platform, limits);
  if (!prepared) return prepared.failure();
  return std::shared_ptr<const Program>(new Program(std::move(source), std::move(*prepared)));
}

void ListedCode::add(const std::shared_ptr<engine::jit::KernelVariants>& family) {
  const std::lock_guard lock(mutex_);
  std::erase_if(families_, [](const auto& one) { return one.expired(); });
  families_.push_back(family);
}

ListedCode::Listing ListedCode::list(bool anew) {
  std::shared_ptr<engine::jit::KernelVariants> most;
  {
    const std::lock_guard lock(mutex_);
    if (!anew && last_ != nullptr) return last_;
    for (const auto& one : families_)
      if (auto family = one.lock(); family != nullptr && (most == nullptr || family->executed() > most->executed()))
        most = std::move(family);
  }
  auto made = std::make_shared<engine::jit::CodeListing>();
  if (most != nullptr)
    *made = most->list();
  else
    made->problem = "no code has been made";
  const std::lock_guard lock(mutex_);
  return last_ = std::move(made);
}

PlanCode::PlanCode(const Program& program, const machine::Bindings& slots, engine::jit::KernelOptions options,
                   const CodeOptions& code) {
  if (!code.fast) return;
  options.compile = code.compile;
  options.tiers = code.tiers;
  options.disk_cache = code.disk_cache;
  options.memory = code.memory;
  // At worst a kernel that is compiled after all has cost half as much again.
  options.interpret = code.interpret && base::may_interpret() ? 0.5 : 0;
  family_ = engine::jit::KernelVariants::create(program.kernel(), slots, options, why_not_);
  if (family_ != nullptr && code.listed != nullptr) code.listed->add(family_);
}

bool PlanCode::find(std::shared_ptr<const engine::jit::BoundKernel>& last, const machine::Bindings& bindings,
                    const Pixels& pixels, engine::reference::Budget* budget, std::string& why_not) const {
  if (family_ == nullptr) return why_not = why_not_, false;
  if (last != nullptr && family_->fits(*last, bindings, pixels)) return true;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  auto found = family_->find(bindings, pixels, last.get(), why_not);
  if (budget != nullptr) budget->exclude(begin, Clock::now());
  if (found == nullptr) return false;
  last = std::move(found);
  return true;
}

}  // namespace heddle::pipeline
