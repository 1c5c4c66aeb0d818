// SPDX-License-Identifier: MIT
// heddle compile: a SPIR-V or GLSL shader to vISA text, or to a container.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/file.hpp"
#include "heddle/shader.hpp"
#include "job/formats/toml.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/commands.hpp"
#include "tools/inputs/shader_file.hpp"
#include "tools/inputs/source_file.hpp"

namespace heddle::tools {
namespace {

/// heddle compile.
struct CompileShaderOptions {
  Common common;
  ProgramOptions program;
  std::string input, output = "-";
  SourceOptions source;
  unsigned simd = 16;
  std::vector<std::string> spec;  ///< N=VALUE or NAME=VALUE
  bool portable = false;
  LayoutRules layout;
  std::string format_word = "text";
  OutputFormat format = OutputFormat::Text;
};

base::ExitCode usage(const std::string& message) {
  std::fputs(("heddle compile: " + message + "\n").c_str(), stderr);
  return base::ExitCode::Usage;
}

/// A constant of a shader and its value: "3=0.5", "factor=0.5", "spec.3=0.5". What is wrong goes to
/// `problem`, a constant that there is not to `unknown`.
std::optional<Specialization> specialization_of(const std::string& text, const Shader& shader, std::string& problem,
                                                std::vector<base::Diagnostic>& unknown) {
  const std::size_t equals = text.find('=');
  std::optional<job::Scalar> scalar;
  if (equals != std::string::npos && equals != 0 && equals + 1 != text.size())
    scalar = job::Scalar::from(job::parse_toml_value(text.substr(equals + 1)));
  if (!scalar) {
    problem = fmt::format("--spec {}: N=VALUE or NAME=VALUE is expected", text);
    return std::nullopt;
  }
  if (scalar->kind == job::Scalar::Kind::Bits) {
    problem = fmt::format("--spec {}: a number is expected; heddle run takes bits, too", text);
    return std::nullopt;
  }
  std::string key = text.substr(0, equals);
  if (key.starts_with("spec.")) key.erase(0, 5);
  std::vector<spirv::SpecializationConstant> known;
  for (SpecializationConstant& c : shader.specialization_constants()) known.push_back({c.id, std::move(c.name)});
  const auto id = spirv::find_constant(known, key);
  if (!id) {
    unknown.push_back(base::error("compile-specialization",
                                  fmt::format("the shader has no specialization constant '{}'", key),
                                  base::Place::command_line("--spec"))
                          .note(spirv::list_of(known)));
    return std::nullopt;
  }
  return Specialization{*id, specialization_value(*scalar)};
}

/// What --stage says; else the stage that a job needs, where the shader has an entry point of it.
std::optional<Stage> wanted_stage(const std::string& word, std::optional<isa::ShaderStage> wanted,
                                  const std::string& entry, const Shader& shader) {
  const auto given = find_stage(word);
  const auto stage = given || !wanted ? given : find_stage(isa::stage_info(*wanted).word);
  if (!stage) return std::nullopt;
  const auto fits = [&](const EntryPoint& e) { return e.stage == *stage && (entry.empty() || e.name == entry); };
  const auto all = shader.entry_points();
  return given || std::ranges::any_of(all, fits) ? stage : std::nullopt;
}

/// The options as the library takes them; what is wrong with them goes to `problem`.
CompileOptions library_options(const CompileShaderOptions& options, const SourceFile& file, const Shader& shader,
                               std::string& problem, std::vector<base::Diagnostic>& unknown) {
  CompileOptions o;
  o.entry = options.source.entry.empty() ? file.entry : options.source.entry;
  o.stage = wanted_stage(options.source.stage, file.wanted, o.entry, shader);
  if (!file.platform.empty()) o.platform = file.platform;
  if (!options.program.platform.empty()) o.platform = options.program.platform;
  o.simd = options.simd;
  for (const std::string& text : options.spec) {
    const auto value = specialization_of(text, shader, problem, unknown);
    if (value) o.specialization.push_back(*value);
  }
  o.target_environment = options.source.target_env;
  o.layout = options.layout;
  o.portable = options.portable;
  o.lenient = options.program.lenient;
  o.limits = library_limits(options.common);
  return o;
}

/// The constants that a job gives, where no flag gives them. What is wrong, or nothing.
std::string add_job_constants(const SourceFile& file, const Shader& shader, CompileOptions& o) {
  std::vector<spirv::SpecializationConstant> known;
  for (SpecializationConstant& c : shader.specialization_constants()) known.push_back({c.id, std::move(c.name)});
  for (const job::Argument& a : file.args) {
    if (!a.key.text.starts_with("spec.") || a.values.size() != 1) continue;
    const auto id = spirv::find_constant(known, std::string_view(a.key.text).substr(5));
    if (!id || std::ranges::find(o.specialization, *id, &Specialization::id) != o.specialization.end()) continue;
    if (a.values[0].kind == job::Scalar::Kind::Bits)
      return fmt::format("the job gives '{}' as bits, which heddle run takes: here a number is expected (--spec)",
                         a.key.text);
    o.specialization.push_back({*id, specialization_value(a.values[0])});
  }
  return {};
}

/// The text as a container.
Result<std::vector<std::uint8_t>> container(const Program& program, const CompileShaderOptions& options) {
  const auto again = Program::parse(std::string(program.source()), options.output,
                                    tools::library_options(options.program, options.common));
  return again.ok() ? again->write() : again.diagnostics();
}

/// The compiled text as it is, or as a container where the output is one.
base::ExitCode write_program(const Program& program, const CompileShaderOptions& options) {
  base::Result<base::Done> written = base::Done{};
  if (options.output.ends_with(".isa")) {
    const auto bytes = container(program, options);
    print_diagnostics(bytes.diagnostics(), OutputFormat::Text, options.common.quiet);
    if (!bytes.ok()) return exit_code(bytes.diagnostics());
    written = base::write_file(options.output, *bytes);
  } else {
    written = base::write_file(options.output, program.source());
  }
  if (written.ok()) return base::ExitCode::Done;
  print_diagnostics(written.diagnostics());
  return exit_code(written.diagnostics());
}

base::ExitCode run_compile(const CompileShaderOptions& options) {
  auto read = read_sources(options.input, options.source, options.common, options.format);
  if (const auto* code = std::get_if<base::ExitCode>(&read)) return *code;
  SourceFile& file = std::get<std::vector<SourceFile>>(read).front();
  if (!is_shader(file.language))
    return usage(fmt::format("{}: this is vISA already; 'heddle as' and 'heddle dis' convert it", file.name));
  if (const std::string useless = useless_source_flag(options.source, {file.language}); !useless.empty())
    return usage(useless);
  if (options.program.dialect != "auto" && !options.output.ends_with(".isa"))
    return usage("--dialect is for containers: -o FILE.isa");
  SourceOptions source = options.source;
  if (source.entry.empty()) source.entry = file.entry;
  ShaderInput input;
  if (const base::ExitCode code = open_shader({file.path, std::move(file.bytes), file.language, file.wanted}, source,
                                              options.common, options.format, input);
      code != base::ExitCode::Done)
    return code;
  std::string problem;
  std::vector<base::Diagnostic> unknown;
  CompileOptions compile = library_options(options, file, *input.shader, problem, unknown);
  if (!problem.empty()) return usage(problem);
  if (!unknown.empty()) {
    print_diagnostics(unknown);
    return exit_code(unknown);
  }
  if (problem = add_job_constants(file, *input.shader, compile); !problem.empty()) return usage(problem);
  const auto program = input.shader->compile(compile);
  Diagnostics found = program.ok() ? program->warnings() : program.diagnostics();
  if (input.glsl) found.sources.push_back({file.name, input.glsl});
  print_diagnostics(found, options.format, options.common.quiet);
  return program.ok() ? write_program(*program, options) : exit_code(found);
}

}  // namespace

void add_compile(Commands& commands) {
  const auto o = std::make_shared<CompileShaderOptions>();
  Command c = commands.add("compile", "compile a SPIR-V, GLSL or HLSL shader to vISA");
  c.example("heddle compile shader.frag -o shader.visaasm", "a shader to vISA text");
  c.example("heddle compile shader.comp --simd 32 -o shader.isa", "for 32 lanes, to a container");
  c.option("input", o->input,
           "SPIR-V (.spv .spvasm), GLSL, HLSL, or a job (.toml) that names one; - for standard input")
      .required();
  c.option("-o,--output", o->output, ".visaasm, or .isa for a container; - for standard output")
      .value_name("FILE")
      .shows_default();
  c.option("--entry", o->source.entry, "entry point, where the shader has several");
  c.option("--simd", o->simd, "lanes of a thread: 8, 16 or 32").one_of_numbers({8, 16, 32}).shows_default();
  c.repeated("--spec", o->spec, "N=VALUE or NAME=VALUE: specialization constant");
  c.flag("--portable", o->portable, "footprints as plain vISA that every tool accepts");
  source_options(c, o->source);
  layout_options(c, o->layout);
  format_option(c, o->format_word, "of messages: text, or json, one object a line");
  program_options(c, o->program);
  common_options(c, o->common);
  c.runs([o] {
    o->format = format_of(o->format_word);
    return run_compile(*o);
  });
}

}  // namespace heddle::tools
