// SPDX-License-Identifier: MIT
#pragma once
// What is told of a module that is compiled.

#include <cstdint>
#include <set>
#include <string>

#include "base/diagnostic.hpp"
#include "spirv/module.hpp"

namespace heddle::spirv::compiler {

class Report {
 public:
  Report(const Module& module, base::Diagnostics& diagnostics) : module_(module), diagnostics_(diagnostics) {}

  /// compile-unsupported, "OpFoo: reason"; the first reason of each
  /// instruction.
  void refuse(const Instruction& at, const std::string& reason);
  /// compile-limit.
  void limit(const Instruction& at, const std::string& message);
  [[nodiscard]] bool has_errors() const { return diagnostics_.has_errors(); }
  /// Ends the translation: what was reported makes all else pointless.
  void stop() { stopped_ = true; }
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  const Module& module_;
  base::Diagnostics& diagnostics_;
  std::set<std::uint32_t> refused_;  ///< word offsets already reported
  bool stopped_ = false;
};

}  // namespace heddle::spirv::compiler
