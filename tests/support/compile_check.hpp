// SPDX-License-Identifier: MIT
#pragma once
// What must hold of every module, however strange: it is refused with a message, or becomes a program that keeps all
// rules and whose interface can be read.

#include <cstdint>
#include <span>
#include <string>

#include "base/internal_error.hpp"
#include "job/shader/interface.hpp"
#include "spirv/compile/compile.hpp"
#include "text/text.hpp"

namespace heddle::test {

struct CompileCheck {
  bool compiled = false;
  std::string fault;   ///< empty: all is well
  std::string reason;  ///< why it was refused
};

inline CompileCheck check_compilation(std::span<const std::uint32_t> words, const spirv::CompileOptions& options) {
  CompileCheck result;
  const auto add = [](std::string& to, const std::vector<base::Diagnostic>& list) {
    for (const base::Diagnostic& d : list) to += base::render(d, {}, false);
  };
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(words.data()), words.size_bytes());
  const auto module = spirv::read_binary(bytes, "mutant.spv");
  if (!module.ok()) return add(result.reason, module.diagnostics()), result;
  base::Diagnostics diagnostics;
  const auto compiled = spirv::compile(*module, options, diagnostics);
  if (!compiled.ok()) {
    add(result.reason, compiled.diagnostics());
    for (const base::Diagnostic& d : compiled.diagnostics())
      if (base::is_internal_error(d)) result.fault = result.reason;
    if (compiled.diagnostics().empty()) result.fault = "refused without a message";
    return result;
  }
  result.compiled = true;
  text::ParseOptions parse;
  parse.platform = options.platform;
  const auto program = text::parse(compiled->text, "mutant.visaasm", parse, diagnostics);
  if (!program || diagnostics.has_errors() || program->objects.empty() ||
      !job::read_interface(*program, program->objects[0], diagnostics))
    add(result.fault, diagnostics.all());
  return result;
}

}  // namespace heddle::test
