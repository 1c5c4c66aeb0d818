// SPDX-License-Identifier: MIT
#include "spirv/compile/module/report.hpp"

#include <fmt/format.h>

#include <utility>

namespace heddle::spirv::compiler {

void Report::refuse(const Instruction& at, const std::string& reason) {
  if (!refused_.insert(at.offset).second) return;
  base::Diagnostic d =
      base::error("compile-unsupported", fmt::format("{}: {}", opcode_name(at.opcode), reason), module_.place(at));
  if (at.source_line != 0) {
    const std::string file = module_.source_file(at);
    d.note(fmt::format("from {}:{}", file.empty() ? "line" : file, at.source_line));
  }
  diagnostics_.add(std::move(d));
}

void Report::limit(const Instruction& at, const std::string& message) {
  diagnostics_.add(base::limit_error("compile-limit", message, module_.place(at)));
}

}  // namespace heddle::spirv::compiler
