// SPDX-License-Identifier: MIT
#include "verify/verify.hpp"

#include "verify/findings.hpp"
#include "verify/flow_graph.hpp"
#include "verify/phases.hpp"

namespace heddle::verify {
namespace {

using instructions::Check;
using instructions::Finding;

void check_instruction(Check& check, const isa::Instruction& instruction, std::int64_t simd_size) {
  check.enter(instruction);
  // The instruction's own rules first: their messages are the more precise ones.
  if (const instructions::CheckFunction own = instructions::check_of(*instruction.description)) own(check);
  check_execution(check, simd_size);
  check_operands(check);
  check_type_mix(check);
}

void check_instructions(const isa::Object& object, Findings& findings) {
  std::vector<Finding> small, large;
  Check check_small(findings.program(), object, findings.with_grf(32), 32, small);
  Check check_large(findings.program(), object, findings.with_grf(64), 64, large);
  const std::int64_t simd_size = object.integer_attribute("SimdSize").value_or(0);
  for (const isa::Instruction& instruction : object.instructions) {
    small.clear();
    large.clear();
    if (!check_small.platforms().empty()) check_instruction(check_small, instruction, simd_size);
    if (!check_large.platforms().empty()) check_instruction(check_large, instruction, simd_size);
    for (Finding& f : large) {  // the same finding for both register sizes is one
      bool merged = false;
      for (Finding& s : small)
        if (s.id == f.id && s.operand == f.operand && s.severity == f.severity) {
          s.platforms = s.platforms | f.platforms;
          merged = true;
        }
      if (!merged) small.push_back(std::move(f));
    }
    for (const Finding& f : small) findings.add(object, instruction, f);
  }
}

}  // namespace

Fit check(const isa::Program& program, const Options& options, base::Diagnostics& diagnostics) {
  const isa::PlatformSet judged =
      options.platform ? isa::PlatformSet::only(*options.platform) : isa::PlatformSet::all();
  Findings findings(program, judged, diagnostics, options.kept);
  const std::size_t errors_before = diagnostics.errors();
  FunctionIndex functions;
  for (const isa::Object& object : program.objects)
    if (object.kind == isa::ObjectKind::Function) functions.emplace(object.name, &object);
  for (const isa::Object& object : program.objects) {
    check_declarations(object, findings);
    check_instructions(object, findings);
    check_calls(object, functions, findings);
    const FlowGraph graph(object);
    check_flow(object, graph, findings);
    check_uses(object, graph, findings);
    findings.flush();
  }
  Fit fit = findings.finish();
  // visa-platform: nothing is wrong for all platforms, but each has its own reason.
  if (!options.platform && fit.platforms.empty() && diagnostics.errors() == errors_before) {
    base::Diagnostic none =
        base::error("visa-platform", "the program fits no platform", base::Place::in_file(program.file));
    for (const Mismatch& m : fit.mismatches)
      if (!m.reasons.empty())
        none.notes.push_back({std::string(isa::platform_info(m.platform).name) + ": " + m.reasons.front().message +
                                  " [" + m.reasons.front().id + "]",
                              m.reasons.front().place});
    diagnostics.add(std::move(none));
  }
  return fit;
}

Fit fitting_platforms(const isa::Program& program) {
  base::Diagnostics ignored(1);
  return check(program, {}, ignored);
}

}  // namespace heddle::verify
