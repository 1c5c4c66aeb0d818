#include "heddle/check.hpp"

#include "library/program/impl.hpp"
#include "verify/verify.hpp"

namespace heddle {

Result<CheckReport> check(const Program& program, const CheckOptions& options) {
  const auto platform = library::find_platform(options.platform);
  if (!platform.ok()) return platform.diagnostics();
  base::Diagnostics findings(options.limits.diagnostics);
  verify::Options o;
  o.platform = *platform;
  o.kept = options.limits.diagnostics;
  const verify::Fit fit = verify::check(program.impl().program, o, findings);
  CheckReport report;
  report.findings = library::to_public(findings.all());
  for (const isa::PlatformInfo& p : isa::all_platforms())
    if (fit.platforms.has(p.platform)) report.platforms.emplace_back(p.name);
  for (const verify::Misfit& misfit : fit.misfits)
    report.misfits.push_back(
        {std::string(isa::platform_info(misfit.platform).name), library::to_public(misfit.reasons)});
  return report;
}

}  // namespace heddle
