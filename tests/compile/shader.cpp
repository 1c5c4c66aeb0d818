// SPDX-License-Identifier: MIT
#include "shader.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "text/text.hpp"

namespace heddle::test {
namespace {

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string joined(const std::vector<base::Diagnostic>& list) {
  std::string text;
  for (const base::Diagnostic& d : list) text += base::render(d, {}, false);
  return text;
}

}  // namespace

std::string messages(const base::Diagnostics& diagnostics) { return joined(diagnostics.all()); }

spirv::Module assemble_shader(const std::string& text, const std::string& target_env) {
  auto module = spirv::assemble(text, "test.spvasm", target_env);
  if (!module.ok()) throw std::runtime_error(joined(module.diagnostics()));
  return std::move(*module);
}

spirv::Module load_shader(const std::string& name) {
  const std::string path = std::string(HEDDLE_TEST_DIR) + "/data/spirv/" + name, bytes = slurp(path);
  if (bytes.empty()) throw std::runtime_error("no file " + path);
  if (name.ends_with(".spvasm")) return assemble_shader(bytes);
  const std::vector<std::uint8_t> data(bytes.begin(), bytes.end());
  auto module = spirv::read_binary(data, path);
  if (!module.ok()) throw std::runtime_error(joined(module.diagnostics()));
  return std::move(*module);
}

CompiledShader compile_shader(const spirv::Module& module, const spirv::CompileOptions& options) {
  CompiledShader c;
  base::Diagnostics warnings;
  auto compiled = spirv::compile(module, options, warnings);
  c.messages = messages(warnings);
  c.ok = compiled.ok();
  if (compiled.ok())
    c.text = compiled->text;
  else
    c.messages += joined(compiled.diagnostics());
  return c;
}

job::RunResult run_shader(const spirv::Module& module, const std::string& toml, const spirv::CompileOptions& options,
                          const job::RunHooks& hooks) {
  job::RunResult failed;
  base::Diagnostics warnings;
  auto compiled = spirv::compile(module, options, warnings);
  if (!compiled.ok()) {
    for (const base::Diagnostic& d : compiled.diagnostics()) failed.diagnostics.add(d);
    return failed;
  }
  // What the job says itself of checks counts.
  std::string head =
      "program = \"shader.visaasm\"\nplatform = \"" + std::string(isa::platform_info(options.platform).name) + "\"\n";
  if (!toml.starts_with("check = ")) head += options.lenient ? "check = \"warn\"\n" : "check = \"error\"\n";
  auto job = job::read_job(head + toml, "test.toml");
  if (!job.ok()) {
    for (const base::Diagnostic& d : job.diagnostics()) failed.diagnostics.add(d);
    return failed;
  }
  text::ParseOptions parse;
  parse.platform = options.platform;
  const auto program = text::parse(compiled->text, "shader.visaasm", parse, failed.diagnostics);
  if (!program) return failed;
  return job::run(*job, *program, hooks);
}

std::string output_bytes(const job::RunResult& outcome, std::string_view path) {
  for (const job::Output& o : outcome.outputs)
    if (std::filesystem::path(o.path).filename() == path) return {o.bytes.begin(), o.bytes.end()};
  return {};
}

}  // namespace heddle::test
