// heddle val: every rule over vISA text, containers and SPIR-V modules; all findings.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "spirv/validate.hpp"
#include "tools/commands.hpp"
#include "tools/support/console.hpp"
#include "tools/support/flags.hpp"
#include "tools/support/visa_file.hpp"
#include "verify/verify.hpp"

namespace heddle::tools {
namespace {

struct ValOptions {
  Common common;
  ProgramOptions program;
  std::vector<std::string> inputs;
  std::string format_word = "text";
  OutputFormat format = OutputFormat::Text;
  std::string target_env = "vulkan1.3";
  bool warnings_as_errors = false;
};

bool is_spirv(const std::string& name, const std::string& bytes) {
  const auto begins = [&](std::string_view magic) { return std::string_view(bytes).starts_with(magic); };
  return name.ends_with(".spvasm") || begins(std::string_view("\x03\x02\x23\x07", 4)) ||
         begins(std::string_view("\x07\x23\x02\x03", 4)) || (name.ends_with(".spv") && !begins("CISA"));
}

// What the program fits, and the first reason why it does not fit the others.
void print_fit(const VisaFile& file, const verify::Fit& fit, const ValOptions& options) {
  if (options.format == OutputFormat::Json) {
    std::string fits, misfits;
    for (const isa::PlatformInfo& p : isa::all_platforms())
      if (fit.platforms.has(p.platform)) fits += (fits.empty() ? "" : ",") + base::json_quote(p.name);
    for (const verify::Misfit& m : fit.misfits) {
      std::string reasons;
      for (const base::Diagnostic& d : m.reasons) reasons += (reasons.empty() ? "" : ",") + base::render_json(d);
      misfits += fmt::format(R"({}{{"platform":{},"errors":{},"reasons":[{}]}})", misfits.empty() ? "" : ",",
                             base::json_quote(isa::platform_info(m.platform).name), m.errors, reasons);
    }
    std::puts(
        fmt::format(R"({{"file":{},"fits":[{}],"misfits":[{}]}})", base::json_quote(file.name), fits, misfits).c_str());
    return;
  }
  if (options.common.quiet) return;
  if (options.program.platform.empty()) {
    std::puts(fmt::format("{}: fits {}", file.name,
                          fit.platforms == isa::PlatformSet::all() ? "all platforms" : fit.platforms.describe())
                  .c_str());
    // Platforms with the same reasons share a line.
    std::vector<std::pair<std::string, std::string>> lines;
    for (const verify::Misfit& m : fit.misfits) {
      if (m.reasons.empty()) continue;
      const base::Diagnostic& d = m.reasons.front();
      std::string why = d.place.kind == base::Place::Kind::Text ? fmt::format("{}:{}: ", d.place.line, d.place.column)
                                                                : std::string();
      why += fmt::format("{} [{}]", d.message, d.id);
      if (m.errors > 1) why += fmt::format(" and {} more", m.errors - 1);
      const auto same = std::ranges::find(lines, why, &std::pair<std::string, std::string>::first);
      const std::string name(isa::platform_info(m.platform).name);
      if (same == lines.end())
        lines.emplace_back(why, name);
      else
        same->second += ", " + name;
    }
    for (const auto& [why, platforms] : lines) std::puts(fmt::format("  not {}: {}", platforms, why).c_str());
  } else if (!file.diagnostics.has_errors()) {
    std::puts(fmt::format("{}: valid for {}", file.name, isa::platform_info(*file.platform).name).c_str());
  }
}

base::ExitCode outcome(const base::Diagnostics& diagnostics, const ValOptions& options) {
  if (options.warnings_as_errors && diagnostics.warnings() != 0 && !diagnostics.has_errors())
    return base::ExitCode::WrongInput;
  return diagnostics.exit_code();
}

base::ExitCode check_visa(VisaFile& file, const ValOptions& options) {
  if (const base::ExitCode code = parse_visa(file, options.program, options.common, true); code != base::ExitCode::Done)
    return code;
  // A container that was damaged may name things that do not exist; only what can be judged is judged.
  const bool usable =
      file.program && (!file.binary || std::ranges::all_of(file.diagnostics.all(), [](const base::Diagnostic& d) {
        return d.severity != base::Severity::Error || d.id == "visa-bin-reserved";
      }));
  verify::Fit fit;
  if (usable) {
    verify::Options rules;
    rules.platform = file.platform;
    rules.kept = options.common.limits.diagnostics;
    fit = verify::check(*file.program, rules, file.diagnostics);
  }
  file.report(options.common, options.format);
  if (usable) print_fit(file, fit, options);
  return outcome(file.diagnostics, options);
}

base::ExitCode check_spirv(VisaFile& file, const ValOptions& options) {
  if (!spirv::known_target_env(options.target_env)) {
    std::fprintf(stderr, "heddle: unknown target environment '%s'\n", options.target_env.c_str());
    return base::ExitCode::Usage;
  }
  file.diagnostics = base::Diagnostics(options.common.limits.diagnostics);
  const bool text = file.name.ends_with(".spvasm");
  const std::string source = text ? file.bytes : std::string();
  auto module = text ? spirv::assemble(file.bytes, file.name, options.target_env, options.common.limits)
                     : spirv::read_binary(base::as_bytes(file.bytes), file.name, options.common.limits);
  if (module) {
    spirv::ValidateOptions rules;
    rules.target_env = options.target_env;
    rules.lenient = options.program.lenient;
    spirv::validate(*module, rules, file.diagnostics);
  } else {
    for (const base::Diagnostic& d : module.diagnostics()) file.diagnostics.add(d);
  }
  print_diagnostics(file.diagnostics, file.name, source, options.format, options.common.quiet);
  if (!file.diagnostics.has_errors() && !options.common.quiet && options.format == OutputFormat::Text)
    std::puts(fmt::format("{}: valid for {}", file.name, options.target_env).c_str());
  return outcome(file.diagnostics, options);
}

base::ExitCode run_val(const ValOptions& options) {
  base::ExitCode worst = base::ExitCode::Done;
  for (const std::string& input : options.inputs) {
    VisaFile file;
    file.name = input == "-" ? "<stdin>" : input;
    base::ExitCode code = base::ExitCode::Done;
    auto read = base::read_text(input, options.common.limits);
    if (!read) {
      print_diagnostics(read.diagnostics());
      code = exit_code(read.diagnostics());
    } else {
      file.bytes = std::move(*read);
      code = is_spirv(file.name, file.bytes) ? check_spirv(file, options) : check_visa(file, options);
    }
    if (code == base::ExitCode::Usage) return code;
    worst = std::max(worst, code);
  }
  return worst;
}

}  // namespace

void add_val(Commands& commands) {
  const auto o = std::make_shared<ValOptions>();
  Command c = commands.add("val", "check files by every rule and report all findings");
  c.option("input", o->inputs, ".visaasm .isaasm .isa .spv .spvasm, - for standard input").required();
  format_option(c, o->format_word, "text, or json: one object a line");
  c.option("--target-env", o->target_env, "SPIR-V: vulkan1.0 ... vulkan1.3, universal1.0 ...").shows_default();
  c.flag("--warnings-as-errors", o->warnings_as_errors, "exit 1 for warnings too");
  program_options(c, o->program);
  common_options(c, o->common);
  c.runs([o] {
    o->format = format_of(o->format_word);
    return run_val(*o);
  });
}

}  // namespace heddle::tools
