// SPDX-License-Identifier: MIT
#include "tools/run/program_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/disk_cache.hpp"
#include "base/environment/interpret.hpp"
#include "base/file.hpp"
#include "engine/jit/runtime/expect_code.hpp"
#include "spirv/assembly_lines.hpp"
#include "tools/command_line/numbers.hpp"
#include "tools/inputs/shader_file.hpp"
#include "verify/verify.hpp"

namespace heddle::tools {
namespace {

/// Elements of descriptor arrays without a length: as many as the job's greatest "NAME[k]" asks for.
std::uint32_t array_elements(const job::Job& job) {
  std::uint32_t count = 0;
  const auto look = [&](const std::string& key) {
    const std::size_t open = key.rfind('[');
    if (open == std::string::npos || key.back() != ']') return;
    const auto index = parse_number<std::uint32_t>(std::string_view(key).substr(open + 1, key.size() - open - 2));
    if (index && *index < 1024) count = std::max(count, *index + 1);
  };
  for (const job::ImageBinding& b : job.images) look(b.key.text);
  for (const job::BufferBinding& b : job.buffers) look(b.key.text);
  for (const job::SamplerBinding& b : job.samplers) look(b.key.text);
  for (const job::Argument& a : job.args) look(a.key.text);
  return count == 0 ? spirv::CompileOptions{}.runtime_array : count;
}

/// Text of Intel's OpenCL compiler: line numbers that users see are those of the kernel's source.
bool is_opencl_dump(const VisaFile& file) {
  return !file.binary && file.content().find("/// VISA Predefined Variables") < 4096;
}

/// A program that was read and not looked into.
struct Source {
  Source(std::string path_, std::string entry_, std::string keep_, isa::ShaderStage stage_)
      : path(std::move(path_)), entry(std::move(entry_)), keep(std::move(keep_)), stage(stage_) {}
  std::string path, entry, keep;
  isa::ShaderStage stage;
  VisaFile file;
  Language language = Language::Visa;
};

struct Loader {
  job::Job& job;
  const RunOptions& options;
  isa::Platform platform;
  std::vector<std::string> specialized{};                  ///< keys of arguments that a shader took
  std::vector<spirv::SpecializationConstant> constants{};  ///< of all shaders: what could be specialized
  bool any_shader = false;
  std::set<Language> inputs{};  ///< what the programs are
  base::ExitCode code = base::ExitCode::Done;

  std::optional<VisaFile> fail(base::ExitCode why) {
    code = why;
    return std::nullopt;
  }

  /// Text of a shader in place of its bytes.
  bool compile(VisaFile& file, const std::string& path, const std::string& entry, isa::ShaderStage stage,
               const std::string& keep, Language language) {
    any_shader = true;
    SourceOptions how = options.source;
    how.entry = entry;
    if (job::stands_in_front(stage)) how.stage = isa::stage_info(stage).word;
    ShaderFile shader = read_shader({path, std::move(file.bytes), language, stage}, how, options.common.limits);
    std::optional<spirv::Compiled> compiled;
    std::string made_of = path;
    if (shader.module && options.assembly_lines && spirv::take_assembly_lines(*shader.module)) {
      shader.source = shader.module->text;
      made_of = shader.module->file;
    }
    if (shader.module) {
      spirv::CompileOptions o;
      const EntryChoice chosen = choose_entry(*shader.module, entry, how.stage, stage);
      o.entry = chosen.name;
      o.stage = chosen.stage;
      o.platform = platform;
      const bool sized = job.pixels && job.pixels->simd && !job::stands_in_front(stage);
      o.simd = sized ? *job.pixels->simd : job.simd.value_or(16);
      o.portable = options.portable;
      o.lenient = options.program.lenient;
      o.target_env = options.source.target_env;
      o.check_output = false;  // the run reads and checks it
      const LayoutRules& l = options.layout;
      o.layout = {l.scalar, l.relaxed, l.uniform_standard, l.workgroup_scalar};
      o.runtime_array = array_elements(job);
      const bool fast =
          job.engine == job::EngineKind::Fast || (job.engine == job::EngineKind::Automatic && !job.check_asked);
      if (fast && !base::may_interpret()) o.translating = engine::jit::expect_code;
      o.specialization = specialization_of(*shader.module, job.args, shader.diagnostics, specialized);
      for (spirv::SpecializationConstant& c : spirv::specialization_constants(*shader.module))
        if (std::ranges::none_of(constants, [&](const auto& k) { return k.id == c.id && k.name == c.name; }))
          constants.push_back(std::move(c));
      if (!shader.diagnostics.has_errors()) {
        auto result = spirv::compile(*shader.module, o, shader.diagnostics, base::DiskCache("shader"));
        if (result.ok())
          compiled.emplace(std::move(*result));
        else
          for (const base::Diagnostic& d : result.diagnostics()) shader.diagnostics.add(d);
      }
    }
    print_diagnostics(shader.diagnostics, shader.name, shader.source, OutputFormat::Text, options.common.quiet);
    if (!compiled) {
      code = shader.diagnostics.has_errors() ? exit_code(shader.diagnostics.all()) : base::ExitCode::WrongInput;
      return false;
    }
    if (!keep.empty())
      if (const auto done = base::write_file(keep, std::string_view(compiled->text)); !done.ok()) {
        print_diagnostics(done.diagnostics());
        code = exit_code(done.diagnostics());
        return false;
      }
    file.name = keep.empty() ? shader.name + ".visaasm" : keep;  // the text that messages and traces speak of
    file.bytes = std::move(compiled->text);
    file.source_name = std::move(made_of);
    file.source = std::move(shader.source);
    return true;
  }

  /// The bytes of `source.path`, where they were not read already, and what they are.
  bool read(Source& source, GivenProgram given = {}) {
    std::optional<std::string>& bytes = given.bytes;
    VisaFile& file = source.file;
    file.parts = std::move(given.parts);
    file.name = source.path == "-" ? "<stdin>" : source.path;
    auto read =
        bytes ? base::Result<std::string>(std::move(*bytes)) : base::read_text(source.path, options.common.limits);
    if (!read) {
      print_diagnostics(read.diagnostics());
      code = exit_code(read.diagnostics());
      return false;
    }
    file.bytes = std::move(*read);
    const auto language = language_of(source.path, file.bytes, bytes ? options.source : SourceOptions{});
    if (!language.ok()) {
      print_diagnostics(language.diagnostics());
      code = exit_code(language.diagnostics());
      return false;
    }
    source.language = *language;
    inputs.insert(*language);
    return true;
  }

  std::optional<VisaFile> load(Source source) {
    const std::string& keep = source.keep;
    const isa::ShaderStage stage = source.stage;
    VisaFile file = std::move(source.file);
    if (is_shader(source.language) && !compile(file, source.path, source.entry, stage, keep, source.language))
      return std::nullopt;
    ProgramOptions o = options.program;
    if (o.platform.empty()) o.platform = job.platform;
    if (const base::ExitCode why = parse_visa(file, o, options.common); why != base::ExitCode::Done) return fail(why);
    if (!file.program || file.diagnostics.has_errors()) {
      file.report(options.common);
      return fail(file.diagnostics.exit_code());
    }
    if (is_opencl_dump(file)) file.program->written = isa::Program::Written::Compiled;
    // The kernel of a compiled shader has the entry point's name as an identifier.
    std::string& named = job::stands_in_front(stage) ? job.pixels->stages[stage].entry : job.entry;
    if (!file.source_name.empty() && !named.empty()) named = file.program->objects.front().name;
    if (!file.source_name.empty())
      file.program->written = keep.empty() ? isa::Program::Written::InMemory : isa::Program::Written::Compiled;
    // What cannot stand on the platform is not run; warnings are val's business.
    base::Diagnostics findings(options.common.limits.diagnostics), errors(options.common.limits.diagnostics);
    verify::check(*file.program, {platform}, findings);
    if (findings.has_errors() && !options.program.lenient) {
      for (const base::Diagnostic& d : findings.all())
        if (d.severity == base::Severity::Error) errors.add(d);
      print_diagnostics(errors, file, options.common);
      return fail(errors.exit_code());
    }
    return file;
  }

  /// Arguments of constants that a shader has were for the compiler; others are reported.
  bool take_specialization() {
    if (!any_shader) return true;
    base::Diagnostics problems;
    std::erase_if(job.args, [&](const job::Argument& a) {
      if (!a.key.text.starts_with("spec.")) return false;
      if (std::ranges::find(specialized, a.key.text) == specialized.end())
        problems.add(base::error("bind-unknown",
                                 fmt::format("the shader has no specialization constant '{}'", a.key.text.substr(5)),
                                 a.key.place)
                         .note(spirv::list_of(constants)));
      return true;
    });
    print_diagnostics(problems.all());
    if (problems.has_errors()) code = base::ExitCode::WrongInput;
    return !problems.has_errors();
  }
};

}  // namespace

std::vector<const VisaFile*> RunPrograms::all() const {
  std::vector<const VisaFile*> list{&main};
  for (const std::optional<VisaFile>& file : stages)
    if (file) list.push_back(&*file);
  return list;
}

isa::PerStage<const isa::Program*> RunPrograms::of_stages() const {
  isa::PerStage<const isa::Program*> programs;
  for (const isa::ShaderStageInfo& row : isa::kShaderStages)
    if (const auto& file = stages[row.stage]) programs[row.stage] = &*file->program;
  return programs;
}

bool flags_have_effect(const RunOptions& options, const std::set<Language>& inputs) {
  std::string useless = useless_source_flag(options.source, inputs);
  const std::string_view layout = given_layout(options.layout);
  const std::string_view flag = !options.keep.empty() ? "--keep" : options.portable ? "--portable" : layout;
  if (useless.empty() && std::ranges::none_of(inputs, is_shader) && !flag.empty())
    useless = fmt::format("{} is for shaders, and the input is vISA", flag);
  if (useless.empty()) return true;
  print_diagnostics({base::error("usage-flag", useless, base::Place::command_line())});
  return false;
}

std::variant<RunPrograms, base::ExitCode> load_programs(job::Job& job, const RunOptions& options, GivenProgram given,
                                                        FlagCheck flags) {
  if (!spirv::known_target_env(options.source.target_env)) {
    std::fprintf(stderr, "heddle run: unknown target environment '%s'\n", options.source.target_env.c_str());
    return base::ExitCode::Usage;
  }
  Loader loader{job, options, isa::find_platform(job.platform).value_or(isa::Platform::SKL)};
  const auto stage = job.pixels ? isa::ShaderStage::Fragment : isa::ShaderStage::Compute;
  std::vector<Source> sources;  // the main program first
  sources.emplace_back(job.program, job.entry, options.keep, stage);
  if (!loader.read(sources.back(), std::move(given))) return loader.code;
  for (const job::StageKeys& keys : job::kStageKeys) {
    if (!job.pixels || !job.pixels->has(keys.stage)) continue;
    std::string keep = options.keep;
    if (const std::size_t dot = keep.rfind(".visaasm"); dot != std::string::npos) keep.resize(dot);
    if (!keep.empty()) keep += fmt::format(".{}.visaasm", keys.program);
    const auto& [path, entry] = job.pixels->stages[keys.stage];
    sources.emplace_back(path, entry, std::move(keep), keys.stage);
    if (!loader.read(sources.back())) return loader.code;
  }
  if (flags == FlagCheck::Here && !flags_have_effect(options, loader.inputs)) return base::ExitCode::Usage;
  RunPrograms programs;
  programs.inputs = loader.inputs;
  for (Source& source : sources) {
    const isa::ShaderStage of = source.stage;
    auto loaded = loader.load(std::move(source));
    if (!loaded) return loader.code;
    if (job::stands_in_front(of))
      programs.stages[of] = std::move(*loaded);
    else
      programs.main = std::move(*loaded);
  }
  if (!loader.take_specialization()) return loader.code;
  return programs;
}

}  // namespace heddle::tools
