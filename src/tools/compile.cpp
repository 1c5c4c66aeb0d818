// heddle compile: a SPIR-V or GLSL shader to vISA text, or to a container.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "base/file.hpp"
#include "binary/writer.hpp"
#include "tools/commands.hpp"
#include "tools/support/console.hpp"
#include "tools/support/flags.hpp"
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
  std::string format_word = "text";
  OutputFormat format = OutputFormat::Text;
};

base::ExitCode usage(const std::string& message) {
  std::fputs(("heddle compile: " + message + "\n").c_str(), stderr);
  return base::ExitCode::Usage;
}

/// "3=0.5" or "spec.3=0.5" as the argument of a job.
std::optional<dispatch::Argument> spec_argument(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  const std::string key = text.substr(0, equals);
  const auto scalar = dispatch::Scalar::from(dispatch::parse_toml_value(text.substr(equals + 1)));
  if (!scalar) return std::nullopt;
  dispatch::Argument argument;
  argument.key.text = key.starts_with("spec.") ? key : "spec." + key;
  argument.values.push_back(*scalar);
  return argument;
}

/// Bytes of the compiled text as a container; prints what is wrong with it.
std::optional<std::vector<std::uint8_t>> container(const std::string& text, const CompileShaderOptions& options,
                                                   base::ExitCode& code) {
  VisaFile file;
  file.name = options.output;
  file.bytes = text;
  code = parse_visa(file, options.program, options.common);
  if (code != base::ExitCode::Done) return std::nullopt;
  if (!file.program || file.diagnostics.has_errors()) {
    file.report(options.common);
    code = file.diagnostics.exit_code();
    return std::nullopt;
  }
  binary::WriteOptions write;
  write.dialect = file.program->dialect;
  write.platform = file.platform;
  auto bytes = binary::write(*file.program, write);
  if (bytes) return std::move(*bytes);
  print_diagnostics(bytes.diagnostics());
  code = exit_code(bytes.diagnostics());
  return std::nullopt;
}

base::ExitCode run_compile(const CompileShaderOptions& options) {
  if (!spirv::known_target_env(options.target_env))
    return usage(fmt::format("unknown target environment '{}'", options.target_env));
  spirv::CompileOptions compile;
  if (!options.program.platform.empty()) {
    const auto platform = isa::find_platform(options.program.platform);
    if (!platform) return usage(fmt::format("unknown platform '{}'", options.program.platform));
    compile.platform = *platform;
  }
  auto bytes = base::read_text(options.input, options.common.limits);
  if (!bytes) {
    print_diagnostics(bytes.diagnostics());
    return exit_code(bytes.diagnostics());
  }
  ShaderFile file = read_shader(options.input, std::move(*bytes), options.target_env, options.common.limits);
  const auto report = [&] {
    print_diagnostics(file.diagnostics, file.name, file.source, options.format, options.common.quiet);
  };
  if (!file.module) {
    report();
    return exit_code(file.diagnostics.all());
  }
  compile.entry = options.entry;
  compile.simd = options.simd;
  compile.portable = options.portable;
  compile.lenient = options.program.lenient;
  compile.target_env = options.target_env;
  std::vector<dispatch::Argument> arguments;
  for (const std::string& text : options.spec) {
    const auto argument = spec_argument(text);
    if (!argument) return usage(fmt::format("--spec {}: N=VALUE is expected", text));
    arguments.push_back(*argument);
  }
  compile.specialization = specialization_of(*file.module, arguments, file.diagnostics);
  // The compiler says which constants the module has.
  for (const dispatch::Argument& argument : arguments)
    if (const auto id = spec_id(argument.key.text); !id)
      return usage(fmt::format("--spec {}: N is the number of a specialization constant", argument.key.text.substr(5)));
    else if (std::none_of(compile.specialization.begin(), compile.specialization.end(),
                          [&](const auto& s) { return s.id == *id; }))
      compile.specialization.push_back({*id, std::int64_t{0}});
  if (!file.diagnostics.has_errors()) {
    const auto compiled = spirv::compile(*file.module, compile, file.diagnostics);
    if (compiled.ok()) {
      report();
      std::optional<std::vector<std::uint8_t>> binary;
      if (options.output.ends_with(".isa")) {
        base::ExitCode code = base::ExitCode::Done;
        binary = container(compiled->text, options, code);
        if (!binary) return code;
      }
      const auto written = binary ? base::write_file(options.output, *binary)
                                  : base::write_file(options.output, std::string_view(compiled->text));
      if (written) return base::ExitCode::Done;
      print_diagnostics(written.diagnostics());
      return exit_code(written.diagnostics());
    }
    for (const base::Diagnostic& d : compiled.diagnostics()) file.diagnostics.add(d);
  }
  report();
  return exit_code(file.diagnostics.all());
}

}  // namespace

void add_compile(Commands& commands) {
  const auto o = std::make_shared<CompileShaderOptions>();
  Command c = commands.add("compile", "compile a SPIR-V or GLSL shader to vISA");
  c.option("input", o->input, ".spv .spvasm, or .comp .frag .vert where glslangValidator is installed").required();
  c.option("-o,--output", o->output, ".visaasm, or .isa for a container; - for standard output").shows_default();
  c.option("--entry", o->entry, "entry point, where the module has several");
  c.option("--simd", o->simd, "lanes of a thread: 8, 16 or 32").one_of_numbers({8, 16, 32}).shows_default();
  c.repeated("--spec", o->spec, "N=VALUE: specialization constant N");
  c.flag("--portable", o->portable, "footprints as plain vISA that every tool accepts");
  c.option("--target-env", o->target_env, "vulkan1.0 ... vulkan1.3, universal1.0 ...").shows_default();
  format_option(c, o->format_word, "of messages: text, or json, one object a line");
  program_options(c, o->program);
  common_options(c, o->common);
  c.runs([o] {
    o->format = format_of(o->format_word);
    return run_compile(*o);
  });
}

}  // namespace heddle::tools
