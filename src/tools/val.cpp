// SPDX-License-Identifier: MIT
// heddle val: every rule over vISA text, containers and SPIR-V modules; all findings.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "heddle/check.hpp"
#include "heddle/shader.hpp"
#include "job/run/run.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/commands.hpp"
#include "tools/inputs/shader_file.hpp"
#include "tools/inputs/source_file.hpp"
#include "tools/inputs/visa_file.hpp"

namespace heddle::tools {
namespace {

struct ValOptions {
  Common common;
  ProgramOptions program;
  std::vector<std::string> inputs;
  std::string format_word = "text";
  OutputFormat format = OutputFormat::Text;
  SourceOptions source;
  LayoutRules layout;
  bool warnings_as_errors = false;
};

/// What the program fits, as one JSON object.
std::string fit_json(const std::string& name, const CheckReport& report) {
  std::string fits, mismatches;
  for (const std::string& platform : report.platforms) fits += (fits.empty() ? "" : ",") + base::json_quote(platform);
  for (const Mismatch& m : report.mismatches) {
    std::string reasons;
    for (const Diagnostic& d : m.reasons) reasons += (reasons.empty() ? "" : ",") + to_json(d);
    mismatches += fmt::format(R"({}{{"platform":{},"errors":{},"reasons":[{}]}})", mismatches.empty() ? "" : ",",
                              base::json_quote(m.platform), m.errors, reasons);
  }
  return fmt::format(R"({{"file":{},"fits":[{}],"mismatches":[{}]}})", base::json_quote(name), fits, mismatches);
}

/// The first reason why it does not fit the others; platforms with the same reasons share a line.
void print_mismatches(const CheckReport& report) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Mismatch& m : report.mismatches) {
    if (m.reasons.empty()) continue;
    const Diagnostic& d = m.reasons.front();
    std::string why = d.place.line != 0 ? fmt::format("{}:{}: ", d.place.line, d.place.column) : std::string();
    why += fmt::format("{} [{}]", d.message, d.id);
    if (m.errors > 1) why += fmt::format(" and {} more", m.errors - 1);
    const auto same = std::ranges::find(lines, why, &std::pair<std::string, std::string>::first);
    if (same == lines.end())
      lines.emplace_back(why, m.platform);
    else
      same->second += ", " + m.platform;
  }
  for (const auto& [why, platforms] : lines) std::puts(fmt::format("  not {}: {}", platforms, why).c_str());
}

void print_fit(const std::string& name, const CheckReport& report, const ValOptions& options) {
  if (options.format == OutputFormat::Json) {
    std::puts(fit_json(name, report).c_str());
  } else if (options.common.quiet) {
    return;
  } else if (options.program.platform.empty()) {
    std::puts(fmt::format("{}: fits {}", name, report.fits()).c_str());
    print_mismatches(report);
  } else if (report.ok()) {
    std::puts(fmt::format("{}: valid for {}", name, find_platform(options.program.platform).value_or("")).c_str());
  }
}

base::ExitCode outcome(const Diagnostics& found, const ValOptions& options) {
  const auto warning = [](const Diagnostic& d) { return d.severity == Severity::Warning; };
  if (options.warnings_as_errors && !has_errors(found) &&
      (found.suppressed_warnings != 0 || std::ranges::any_of(found, warning)))
    return base::ExitCode::WrongInput;
  return exit_code(found);
}

/// Places in the files that the text was put together of.
Diagnostics placed(Diagnostics found, const SourceFile& file) {
  if (file.parts.size() < 2) return found;
  const auto place = [&](Place& p) {
    if (p.line == 0) return;
    base::Place own = base::Place::text(p.file, p.line, p.column);
    job::place_in_part(own, file.name, file.parts);
    p.file = own.file;
    p.line = own.line;
  };
  for (Diagnostic& d : found) {
    place(d.place);
    for (Note& note : d.notes) place(note.place);
  }
  std::erase_if(found.sources, [&](const heddle::SourceText& s) { return s.file == file.name; });
  for (const job::TextPart& part : file.parts) found.sources.push_back({part.file, part.text});
  return found;
}

/// Nothing, or that the program has no kernel of the name that --entry or a job gives.
base::ExitCode check_kernel(SourceFile& file, const ProgramOptions& program, const ValOptions& options) {
  const bool in_front = file.wanted && job::stands_in_front(*file.wanted);  // --entry is the main program's
  job::Job named;
  named.entry = options.source.entry.empty() || in_front ? file.entry : options.source.entry;
  if (named.entry.empty() || !file.parts.empty()) return base::ExitCode::Done;  // of dumps it chose this text
  VisaFile read;
  read.name = file.name;
  read.bytes = file.bytes;
  if (const auto code = parse_visa(read, program, options.common); code != base::ExitCode::Done) return code;
  if (!read.program || read.diagnostics.has_errors()) return base::ExitCode::Done;  // the rules say why
  const auto chosen = job::choose_kernel(*read.program, named);
  if (chosen.ok()) return base::ExitCode::Done;
  base::Diagnostics found(options.common.limits.diagnostics);
  for (const base::Diagnostic& d : chosen.diagnostics()) found.add(d);
  print_diagnostics(found, file.name, std::string(), options.format, options.common.quiet);
  return exit_code(chosen.diagnostics());
}

base::ExitCode check_visa(SourceFile& file, const ValOptions& options) {
  ProgramOptions program = options.program;
  if (program.platform.empty()) program.platform = file.platform;
  if (const auto code = check_kernel(file, program, options); code != base::ExitCode::Done) return code;
  const auto report = check_source(std::move(file.bytes), file.name, library_options(program, options.common));
  const Diagnostics found = placed(report.ok() ? report->findings : report.diagnostics(), file);
  print_diagnostics(found, options.format, options.common.quiet);
  if (!report.ok()) return exit_code(found);
  if (report->checked) print_fit(file.name, *report, options);
  return outcome(found, options);
}

base::ExitCode check_shader(SourceFile& file, const ValOptions& options) {
  SourceOptions source = options.source;
  if (source.entry.empty()) source.entry = file.entry;
  ShaderInput input;
  if (const base::ExitCode code = open_shader({file.path, std::move(file.bytes), file.language, file.wanted}, source,
                                              options.common, options.format, input);
      code != base::ExitCode::Done)
    return code;
  const bool names_entry = file.language == Language::Spirv || file.language == Language::SpirvText;
  if (const auto wrong = names_entry
                             ? entry_problem(input.shader->entry_points(), file.name, source.entry, source.stage)
                             : std::nullopt) {
    base::Diagnostics found(options.common.limits.diagnostics);
    found.add(*wrong);
    print_diagnostics(found, file.name, std::string(), options.format, options.common.quiet);
    return base::ExitCode::WrongInput;
  }
  ShaderCheckOptions rules;
  rules.target_environment = source.target_env;
  rules.layout = options.layout;
  rules.lenient = options.program.lenient;
  rules.limits = library_limits(options.common);
  Diagnostics found = input.shader->check(rules);
  if (input.glsl) found.sources.push_back({file.name, input.glsl});
  print_diagnostics(found, options.format, options.common.quiet);
  if (!has_errors(found) && !options.common.quiet && options.format == OutputFormat::Text)
    std::puts(fmt::format("{}: valid for {}", file.name, source.target_env).c_str());
  return outcome(found, options);
}

/// What the inputs are; `unknown`: one could not be read.
struct Inputs {
  std::set<Language> languages;
  bool unknown = false;
};

base::ExitCode check(const std::string& input, const ValOptions& options, Inputs& inputs) {
  auto read = read_sources(input, options.source, options.common, options.format);
  if (const auto* code = std::get_if<base::ExitCode>(&read)) {
    inputs.unknown = true;
    return *code;
  }
  base::ExitCode worst = base::ExitCode::Done;
  for (SourceFile& file : std::get<std::vector<SourceFile>>(read)) {
    inputs.languages.insert(file.language);
    worst = std::max(worst, is_shader(file.language) ? check_shader(file, options) : check_visa(file, options));
  }
  return worst;
}

/// A flag that is for none of the inputs; empty where each is for one, or may be for one that could not be read.
std::string useless_flag(const ValOptions& options, const Inputs& all) {
  const std::set<Language>& inputs = all.languages;
  if (inputs.empty() || all.unknown) return {};
  if (std::string useless = useless_source_flag(options.source, inputs); !useless.empty()) return useless;
  if (std::ranges::all_of(inputs, is_shader))
    return options.program.dialect != "auto"   ? "--dialect is for vISA, and the input is none"
           : !options.program.platform.empty() ? "--platform is for vISA, and the input is none"
                                               : "";
  if (std::ranges::any_of(inputs, is_shader)) return {};
  const std::string_view layout = given_layout(options.layout);
  return layout.empty() ? "" : fmt::format("{} is for shaders, and the input is vISA", layout);
}

base::ExitCode run_val(const ValOptions& options) {
  base::ExitCode worst = base::ExitCode::Done;
  Inputs inputs;
  for (const std::string& input : options.inputs) {
    const base::ExitCode code = check(input, options, inputs);
    if (code == base::ExitCode::Usage) return code;
    worst = std::max(worst, code);
  }
  if (const std::string useless = useless_flag(options, inputs); !useless.empty()) {
    std::fputs(fmt::format("heddle val: {}\n", useless).c_str(), stderr);
    return base::ExitCode::Usage;
  }
  return worst;
}

}  // namespace

void add_val(Commands& commands) {
  const auto o = std::make_shared<ValOptions>();
  Command c = commands.add("val", "check files by every rule and report all findings");
  c.example("heddle val kernel.visaasm", "every rule, all findings");
  c.example("heddle val --platform TGLLP kernel.visaasm", "the rules of one platform");
  c.option("input", o->inputs,
           "vISA (.visaasm .isa), SPIR-V (.spv .spvasm), GLSL, HLSL, jobs (.toml), folders of ocloc's dumps or its "
           "binaries; - for standard input")
      .required();
  format_option(c, o->format_word, "text, or json: one object a line");
  c.option("--entry", o->source.entry,
           "function that HLSL begins with; entry point that SPIR-V must have, kernel that vISA must have")
      .group("Shaders");
  source_options(c, o->source);
  layout_options(c, o->layout);
  c.flag("--warnings-as-errors", o->warnings_as_errors, "exit 1 for warnings too");
  program_options(c, o->program);
  common_options(c, o->common);
  c.runs([o] {
    o->format = format_of(o->format_word);
    return run_val(*o);
  });
}

}  // namespace heddle::tools
