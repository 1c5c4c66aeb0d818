// SPDX-License-Identifier: MIT
#include "heddle/shader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "isa/shader_stage.hpp"
#include "library/program/impl.hpp"
#include "spirv/compile/compile.hpp"
#include "spirv/module.hpp"
#include "spirv/specialization.hpp"
#include "spirv/validate.hpp"

namespace heddle {

struct Shader::Impl {
  spirv::Module module;
  std::shared_ptr<const std::string> source;  ///< assembly text, where there is some
};

namespace {

constexpr std::uint16_t kOpEntryPoint = 15;

Diagnostics with_source(Diagnostics found, const Shader::Impl& shader) {
  if (shader.source && !found.empty()) found.sources.push_back({shader.module.file, shader.source});
  return found;
}

/// The sources that compilers put into a module (OpSource), as they were written.
std::vector<SourceText> texts_of(const spirv::Module& module) {
  constexpr std::uint16_t kOpSource = 3;
  std::vector<SourceText> texts;
  for (const spirv::Instruction& i : module.instructions) {
    if (i.opcode != kOpSource || i.operands.size() < 4) continue;
    const spirv::Instruction* name = module.find(i.operands[2]);
    if (name == nullptr) continue;
    std::string text = spirv::Module::string_at(i.operands, 3);
    // glslang puts its own options in front.
    constexpr std::string_view kBegin = "#line 1\n";
    if (const std::size_t at = text.find(kBegin); text.starts_with("// OpModuleProcessed") && at != std::string::npos)
      text.erase(0, at + kBegin.size());
    texts.push_back(
        {spirv::Module::string_at(name->operands, 0), std::make_shared<const std::string>(std::move(text))});
  }
  return texts;
}

std::optional<Diagnostic> problem(const std::string& target_environment) {
  if (spirv::known_target_env(target_environment)) return std::nullopt;
  return library::wrong_argument(fmt::format("unknown target environment '{}'; one of: {}", target_environment,
                                             fmt::join(spirv::target_env_words(), " ")));
}

spirv::LayoutRules layout_rules(const LayoutRules& layout) {
  return {layout.scalar, layout.relaxed, layout.uniform_standard, layout.workgroup_scalar};
}

constexpr Stage to_public(isa::ShaderStage stage) {
  switch (stage) {
    case isa::ShaderStage::Vertex:
      return Stage::Vertex;
    case isa::ShaderStage::TessellationControl:
      return Stage::TessellationControl;
    case isa::ShaderStage::TessellationEvaluation:
      return Stage::TessellationEvaluation;
    case isa::ShaderStage::Geometry:
      return Stage::Geometry;
    case isa::ShaderStage::Task:
      return Stage::Task;
    case isa::ShaderStage::Mesh:
      return Stage::Mesh;
    case isa::ShaderStage::Fragment:
      return Stage::Fragment;
    case isa::ShaderStage::Compute:
      return Stage::Compute;
    default:
      return Stage::Other;
  }
}

static_assert(std::ranges::all_of(isa::kShaderStages,
                                  [](const isa::ShaderStageInfo& row) {
                                    return row.compiled == (to_public(row.stage) != Stage::Other);
                                  }),
              "a stage that is compiled is one of the library");

/// Nothing for Other.
std::optional<isa::ShaderStage> from_public(Stage stage) {
  for (const isa::ShaderStageInfo& row : isa::kShaderStages)
    if (stage != Stage::Other && to_public(row.stage) == stage) return row.stage;
  return std::nullopt;
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
  auto source = std::make_shared<const std::string>(text);
  auto module = spirv::assemble(text, file, target_environment, library::to_base(limits));
  if (!module.ok()) {
    Diagnostics found = library::to_public(module.diagnostics());
    found.sources.push_back({file, std::move(source)});
    return found;
  }
  auto impl = std::make_shared<Shader::Impl>();
  impl->module = std::move(*module);
  impl->source = std::move(source);
  return Shader(std::move(impl));
}

Result<Shader> Shader::load(const std::string& path, const Limits& limits) {
  auto text = base::read_text(path, library::to_base(limits));
  if (!text.ok()) return library::to_public(text.diagnostics());
  if (path.ends_with(".spvasm")) return assemble(*text, path, "vulkan1.3", limits);
  return read(base::as_bytes(*text), library::input_name(path), limits);
}

Diagnostics Shader::check(const ShaderCheckOptions& options) const {
  if (auto wrong = problem(options.target_environment)) return {*wrong};
  base::Diagnostics found(options.limits.diagnostics);
  spirv::ValidateOptions o;
  o.target_env = options.target_environment;
  o.layout = layout_rules(options.layout);
  o.lenient = options.lenient;
  spirv::validate(impl_->module, o, found);
  return with_source(library::to_public(found), *impl_);
}

std::string_view stage_name(Stage stage) {
  const auto own = from_public(stage);
  return own ? isa::stage_info(*own).name : "other";
}

std::vector<std::string_view> stage_words() {
  std::vector<std::string_view> words;
  for (const isa::ShaderStageInfo& row : isa::kShaderStages)
    if (row.compiled) words.push_back(row.word);
  return words;
}

std::optional<Stage> find_stage(std::string_view word) {
  const auto stage = isa::stage_of_word(word);
  return stage ? std::optional(to_public(*stage)) : std::nullopt;
}

std::vector<EntryPoint> Shader::entry_points() const {
  std::vector<EntryPoint> list;
  for (const spirv::Instruction& i : impl_->module.instructions) {
    if (i.opcode != kOpEntryPoint || i.operands.size() < 3) continue;
    const auto stage = isa::stage_of_model(i.operands[0]);
    list.push_back({spirv::Module::string_at(i.operands, 2), stage ? to_public(*stage) : Stage::Other});
  }
  return list;
}

std::vector<std::uint32_t> Shader::specialization_ids() const {
  std::vector<std::uint32_t> ids;
  for (const spirv::SpecializationConstant& c : spirv::specialization_constants(impl_->module)) ids.push_back(c.id);
  return ids;
}

std::vector<SpecializationConstant> Shader::specialization_constants() const {
  std::vector<SpecializationConstant> list;
  for (spirv::SpecializationConstant& c : spirv::specialization_constants(impl_->module))
    list.push_back({c.id, std::move(c.name)});
  return list;
}

std::vector<FootprintRule> footprint_rules() {
  std::vector<FootprintRule> list;
  for (const spirv::FootprintRule& r : spirv::footprint_rules())
    list.push_back({r.id, r.rule, r.requirement, r.source});
  return list;
}

Result<Program> Shader::compile(const CompileOptions& options) const {
  if (auto wrong = problem(options.target_environment)) return *wrong;
  const auto platform = library::find_platform(options.platform);
  if (!platform.ok()) return platform.diagnostics();
  if (options.simd != 8 && options.simd != 16 && options.simd != 32)
    return library::wrong_argument(fmt::format("{} lanes are not possible; 8, 16 and 32 are", options.simd));
  if (options.stage == Stage::Other)
    return library::wrong_argument(fmt::format("only {} shaders are compiled", isa::compiled_stage_names("and")));
  spirv::CompileOptions o;
  o.entry = options.entry;
  if (options.stage) o.stage = from_public(*options.stage);
  o.platform = platform->value_or(isa::Platform::SKL);
  o.simd = options.simd;
  for (const Specialization& s : options.specialization) o.specialization.push_back({s.id, s.value});
  o.portable = options.portable;
  o.lenient = options.lenient;
  o.target_env = options.target_environment;
  o.layout = layout_rules(options.layout);
  base::Diagnostics warnings(options.limits.diagnostics);
  auto compiled = spirv::compile(impl_->module, o, warnings);
  Diagnostics found = library::to_public(warnings);
  if (!compiled.ok()) library::append(found, library::to_public(compiled.diagnostics()));
  found = with_source(std::move(found), *impl_);
  if (!compiled.ok()) return found;
  ProgramOptions p;
  p.platform = options.platform;
  p.limits = options.limits;
  return library::parse_compiled(std::move(compiled->text), impl_->module.file + ".visaasm", p, std::move(found),
                                 texts_of(impl_->module));
}

Result<std::string> Shader::disassemble() const {
  return library::map(spirv::disassemble(impl_->module), [](std::string&& text) { return text; });
}

}  // namespace heddle
