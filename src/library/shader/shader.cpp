#include "heddle/shader.hpp"

#include <fmt/format.h>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "library/program/impl.hpp"
#include "spirv/compile/compile.hpp"
#include "spirv/module.hpp"
#include "spirv/validate.hpp"

namespace heddle {

struct Shader::Impl {
  spirv::Module module;
};

namespace {

std::optional<Diagnostic> problem(const std::string& target_environment) {
  if (spirv::known_target_env(target_environment)) return std::nullopt;
  return library::wrong_argument(fmt::format("unknown target environment '{}'; one of: {}", target_environment,
                                             fmt::join(spirv::target_env_words(), " ")));
}

Result<Shader> finish(base::Result<spirv::Module>&& module) {
  if (!module.ok()) return library::to_public(module.diagnostics());
  auto impl = std::make_shared<Shader::Impl>();
  impl->module = std::move(*module);
  return Shader(std::move(impl));
}

}  // namespace

Result<Shader> Shader::read(std::span<const std::uint8_t> bytes, const std::string& file, const Limits& limits) {
  return finish(spirv::read_binary(bytes, file, library::to_base(limits)));
}

Result<Shader> Shader::read(std::span<const std::uint32_t> words, const std::string& file, const Limits& limits) {
  return read(std::span(reinterpret_cast<const std::uint8_t*>(words.data()), words.size_bytes()), file, limits);
}

Result<Shader> Shader::assemble(const std::string& text, const std::string& file, const std::string& target_environment,
                                const Limits& limits) {
  if (auto wrong = problem(target_environment)) return *wrong;
  return finish(spirv::assemble(text, file, target_environment, library::to_base(limits)));
}

Result<Shader> Shader::load(const std::string& path, const Limits& limits) {
  auto text = base::read_text(path, library::to_base(limits));
  if (!text.ok()) return library::to_public(text.diagnostics());
  if (path.ends_with(".spvasm")) return assemble(*text, path, "vulkan1.3", limits);
  return read(base::as_bytes(*text), path, limits);
}

Diagnostics Shader::check(const std::string& target_environment) const {
  if (auto wrong = problem(target_environment)) return {*wrong};
  base::Diagnostics found;
  spirv::ValidateOptions options;
  options.target_env = target_environment;
  spirv::validate(impl_->module, options, found);
  return library::to_public(found.all());
}

Result<Program> Shader::compile(const CompileOptions& options) const {
  if (auto wrong = problem(options.target_environment)) return *wrong;
  const auto platform = library::find_platform(options.platform);
  if (!platform.ok()) return platform.diagnostics();
  if (options.simd != 8 && options.simd != 16 && options.simd != 32)
    return library::wrong_argument(fmt::format("{} lanes are not possible; 8, 16 and 32 are", options.simd));
  spirv::CompileOptions o;
  o.entry = options.entry;
  o.platform = platform->value_or(isa::Platform::SKL);
  o.simd = options.simd;
  for (const Specialization& s : options.specialization) o.specialization.push_back({s.id, s.value});
  o.portable = options.portable;
  o.lenient = options.lenient;
  o.target_env = options.target_environment;
  base::Diagnostics warnings(options.limits.diagnostics);
  auto compiled = spirv::compile(impl_->module, o, warnings);
  Diagnostics found = library::to_public(warnings.all());
  if (!compiled.ok()) {
    for (const base::Diagnostic& d : compiled.diagnostics()) found.push_back(library::to_public(d));
    return found;
  }
  ProgramOptions p;
  p.platform = options.platform;
  p.limits = options.limits;
  return library::parse(std::move(compiled->text), impl_->module.file + ".visaasm", p, std::move(found));
}

Result<std::string> Shader::disassemble() const {
  return library::map(spirv::disassemble(impl_->module), [](std::string&& text) { return text; });
}

}  // namespace heddle
