// SPDX-License-Identifier: MIT
#pragma once
// Runs kernels written as text on the reference engine and looks at their variables.

#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/reference/run.hpp"
#include "text/text.hpp"

namespace heddle::engine::testing {

/// Forms of all instructions that ran in this program (audit_test).
inline std::set<const isa::InstructionDescription*>& executed_forms() {
  static std::set<const isa::InstructionDescription*> descriptions;
  return descriptions;
}

/// `body`: directives and instructions behind `.kernel k`. Null, with failures, when it is wrong.
inline std::unique_ptr<isa::Program> parse_kernel(const std::string& body, isa::Platform platform) {
  base::Diagnostics problems;
  text::ParseOptions options;
  options.platform = platform;
  auto program = text::parse(".version 4.1\n.kernel k\n" + body, "test.visaasm", options, problems);
  for (const auto& d : problems.all())
    if (d.severity == base::Severity::Error) ADD_FAILURE() << d.id << ": " << d.message << " at line " << d.place.line;
  return program ? std::make_unique<isa::Program>(std::move(*program)) : nullptr;
}

class KernelRun {
 public:
  explicit KernelRun(const std::string& body, isa::Platform platform = isa::Platform::SKL,
                     machine::CheckMode mode = machine::CheckMode::Warn) {
    program_ = parse_kernel(body, platform);
    if (program_ == nullptr) return;
    auto kernel = reference::ResolvedKernel::prepare(*program_, program_->objects.front(), platform, limits);
    if (!kernel) {
      for (const auto& d : kernel.diagnostics()) ADD_FAILURE() << d.id << ": " << d.message;
      return;
    }
    kernel_ = std::make_unique<reference::ResolvedKernel>(std::move(kernel).value());
    reports_ = std::make_unique<machine::Reports>(*program_, mode);
  }

  /// Makes the thread; variables may be set before `go`.
  KernelRun& start(std::uint32_t mask = 0xffffffffu) {
    if (kernel_ == nullptr) return *this;
    thread_ = std::make_unique<machine::Thread>(kernel_->code(), bindings, *reports_);
    setup.dispatch_mask = mask;
    setup.payload = payload;
    thread_->start(setup);
    return *this;
  }
  reference::Outcome go() {
    if (thread_ == nullptr) start();
    if (thread_ == nullptr) return reference::Outcome::Failed;
    note_forms();
    reference::Budget budget(limits);
    outcome = reference::run(*thread_, budget);
    diagnostics = reports_->take();
    return outcome;
  }

  [[nodiscard]] const machine::VariablePlacement* place(const std::string& name) const {
    const isa::Object& object = program_->objects.front();
    for (std::uint32_t v = 0; v < object.variables.size(); ++v)
      if (object.variables[v].name == name)
        return kernel_->code().objects.front().layout.place(isa::kFirstVariable + v);
    ADD_FAILURE() << "no variable " << name;
    return nullptr;
  }
  template <typename T>
  KernelRun& set(const std::string& name, const std::vector<T>& values) {
    if (thread_ == nullptr) start();
    if (const machine::VariablePlacement* p = thread_ ? place(name) : nullptr)
      thread_->registers().write(p->begin, values.data(), values.size() * sizeof(T));
    return *this;
  }
  template <typename T>
  [[nodiscard]] std::vector<T> get(const std::string& name, std::size_t count) const {
    std::vector<T> values(count);
    if (const machine::VariablePlacement* p = thread_ ? place(name) : nullptr)
      std::memcpy(values.data(), thread_->registers().bytes() + p->begin, count * sizeof(T));
    return values;
  }
  [[nodiscard]] std::vector<std::string> ids() const {
    std::vector<std::string> out;
    for (const auto& d : diagnostics.all()) out.push_back(d.id);
    return out;
  }
  [[nodiscard]] machine::Thread& thread() { return *thread_; }
  [[nodiscard]] const isa::Program& program() const { return *program_; }
  [[nodiscard]] const reference::ResolvedKernel& kernel() const { return *kernel_; }
  [[nodiscard]] machine::Reports& reports() { return *reports_; }
  [[nodiscard]] bool ready() const { return kernel_ != nullptr; }

  void note_forms() const {
    for (const isa::Object& object : program_->objects)
      for (const isa::Instruction& i : object.instructions) executed_forms().insert(i.description);
  }

  base::Limits limits;
  machine::Bindings bindings;
  machine::ThreadStart setup;
  std::vector<std::uint8_t> payload = std::vector<std::uint8_t>(4096);
  base::Diagnostics diagnostics;
  reference::Outcome outcome = reference::Outcome::Failed;

 private:
  std::unique_ptr<isa::Program> program_;
  std::unique_ptr<reference::ResolvedKernel> kernel_;
  std::unique_ptr<machine::Reports> reports_;
  std::unique_ptr<machine::Thread> thread_;
};

/// A variable of the general kind.
inline std::string decl(const std::string& name, const std::string& type, unsigned elements,
                        const std::string& more = {}) {
  return ".decl " + name + " v_type=G type=" + type + " num_elts=" + std::to_string(elements) + " align=GRF" + more +
         "\n";
}

}  // namespace heddle::engine::testing
