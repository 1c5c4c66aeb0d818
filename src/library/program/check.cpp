// SPDX-License-Identifier: MIT
#include "heddle/check.hpp"

#include <algorithm>

#include "library/program/impl.hpp"
#include "verify/verify.hpp"

namespace heddle {

namespace {

/// Runs the rules over `program`; what they find joins `found`.
void check_rules(const isa::Program& program, std::optional<isa::Platform> platform, const Limits& limits,
                 base::Diagnostics& found, CheckReport& report) {
  verify::Options o;
  o.platform = platform;
  o.kept = limits.diagnostics;
  const verify::Fit fit = verify::check(program, o, found);
  for (const isa::PlatformInfo& p : isa::all_platforms())
    if (fit.platforms.has(p.platform)) report.platforms.emplace_back(p.name);
  for (const verify::Mismatch& mismatch : fit.mismatches)
    report.mismatches.push_back({std::string(isa::platform_info(mismatch.platform).name),
                                 library::to_public(mismatch.reasons), mismatch.errors});
}

void add_source(Diagnostics& findings, const std::string& file, const std::shared_ptr<const std::string>& text) {
  if (text && !findings.empty()) findings.sources.push_back({file, text});
}

}  // namespace

std::string CheckReport::fits() const {
  isa::PlatformSet set;
  for (const std::string& name : platforms)
    if (const auto platform = isa::find_platform(name)) set = set | isa::PlatformSet::only(*platform);
  return set == isa::PlatformSet::all() ? "all platforms" : set.describe();
}

Result<CheckReport> check(const Program& program, const CheckOptions& options) {
  const auto platform = library::find_platform(options.platform);
  if (!platform.ok()) return platform.diagnostics();
  base::Diagnostics found(options.limits.diagnostics);
  CheckReport report;
  check_rules(program.impl().program, *platform, options.limits, found, report);
  report.findings = library::to_public(found);
  add_source(report.findings, program.file(), program.impl().program.source);
  return report;
}

Result<CheckReport> check_source(std::string content, const std::string& file, const ProgramOptions& options) {
  auto read = library::read_either(std::move(content), file, options, true);
  if (!read.ok()) return read.diagnostics();
  CheckReport report;
  // A container that was damaged may name things that do not exist; only what can be checked is checked.
  report.checked = read->program && (read->source || std::ranges::all_of(read->found.all(), [](const auto& d) {
                                       return d.severity != base::Severity::Error || d.id == "visa-bin-reserved";
                                     }));
  if (report.checked) check_rules(*read->program, read->platform, options.limits, read->found, report);
  report.findings = library::to_public(read->found);
  if (!read->source && has_errors(report.findings))  // its uses may stand behind what could not be read
    std::erase_if(report.findings, [](const Diagnostic& d) { return d.id == "visa-unused-declaration"; });
  add_source(report.findings, file, read->source);
  return report;
}

}  // namespace heddle
