// heddle compile: a SPIR-V or GLSL shader to vISA text, or to a container.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/file.hpp"
#include "heddle/shader.hpp"
#include "tools/commands.hpp"
#include "tools/support/console.hpp"
#include "tools/support/flags.hpp"
#include "tools/support/numbers.hpp"
#include "tools/support/shader_file.hpp"

namespace heddle::tools {
namespace {

/// heddle compile.
struct CompileShaderOptions {
  Common common;
  ProgramOptions program;
  std::string input, output = "-";
  std::string entry;
  unsigned simd = 16;
  std::vector<std::string> spec;  ///< N=VALUE
  bool portable = false;
  std::string target_env = "vulkan1.3";
  LayoutRules layout;
  std::string format_word = "text";
  OutputFormat format = OutputFormat::Text;
};

base::ExitCode usage(const std::string& message) {
  std::fputs(("heddle compile: " + message + "\n").c_str(), stderr);
  return base::ExitCode::Usage;
}

/// "3=0.5" or "spec.3=0.5". What is wrong with it goes to `problem`.
std::optional<Specialization> specialization_of(const std::string& text, std::string& problem) {
  const std::size_t equals = text.find('=');
  std::optional<job::Scalar> scalar;
  if (equals != std::string::npos && equals != 0)
    scalar = job::Scalar::from(job::parse_toml_value(text.substr(equals + 1)));
  if (!scalar) {
    problem = fmt::format("--spec {}: N=VALUE is expected", text);
    return std::nullopt;
  }
  std::string key = text.substr(0, equals);
  if (key.starts_with("spec.")) key.erase(0, 5);
  const auto id = parse_number<std::uint32_t>(key);
  if (!id) {
    problem = fmt::format("--spec {}: N is the number of a specialization constant", key);
    return std::nullopt;
  }
  return Specialization{*id, specialization_value(*scalar)};
}

/// The options as the library takes them; what is wrong with them goes to `problem`.
CompileOptions library_options(const CompileShaderOptions& options, std::string& problem) {
  CompileOptions o;
  o.entry = options.entry;
  if (!options.program.platform.empty()) o.platform = options.program.platform;
  o.simd = options.simd;
  for (const std::string& text : options.spec) {
    const auto value = specialization_of(text, problem);
    if (!value) return o;
    o.specialization.push_back(*value);
  }
  o.target_environment = options.target_env;
  o.layout = options.layout;
  o.portable = options.portable;
  o.lenient = options.program.lenient;
  o.limits = library_limits(options.common);
  return o;
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
  std::string problem;
  const CompileOptions compile = library_options(options, problem);
  if (!problem.empty()) return usage(problem);
  ShaderInput input;
  if (const base::ExitCode code = open_shader(options.input, options.target_env, options.common, options.format, input);
      code != base::ExitCode::Done)
    return code;
  const auto program = input.shader->compile(compile);
  Diagnostics found = program.ok() ? program->warnings() : program.diagnostics();
  if (input.glsl) found.sources.push_back({options.input, input.glsl});
  print_diagnostics(found, options.format, options.common.quiet);
  return program.ok() ? write_program(*program, options) : exit_code(found);
}

}  // namespace

void add_compile(Commands& commands) {
  const auto o = std::make_shared<CompileShaderOptions>();
  Command c = commands.add("compile", "compile a SPIR-V or GLSL shader to vISA");
  c.example("heddle compile shader.frag -o shader.visaasm", "a shader to vISA text");
  c.example("heddle compile shader.comp --simd 32 -o shader.isa", "for 32 lanes, to a container");
  c.option("input", o->input, ".spv .spvasm, or .comp .frag .vert where glslangValidator is installed").required();
  c.option("-o,--output", o->output, ".visaasm, or .isa for a container; - for standard output").shows_default();
  c.option("--entry", o->entry, "entry point, where the module has several");
  c.option("--simd", o->simd, "lanes of a thread: 8, 16 or 32").one_of_numbers({8, 16, 32}).shows_default();
  c.repeated("--spec", o->spec, "N=VALUE: specialization constant N");
  c.flag("--portable", o->portable, "footprints as plain vISA that every tool accepts");
  c.option("--target-env", o->target_env, "vulkan1.0 ... vulkan1.3, universal1.0 ...").shows_default();
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
