// SPDX-License-Identifier: MIT
#include "tools/run/explore_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "explore/pages/report.hpp"
#include "isa/source_map.hpp"
#include "spirv/assembly_lines.hpp"
#include "tools/command_line/console.hpp"
#include "tools/run/job_input.hpp"
#include "tools/run/program_file.hpp"

namespace heddle::tools {
namespace {

base::ExitCode fail(const std::vector<base::Diagnostic>& list) {
  print_diagnostics(list);
  return exit_code(list);
}

/// Everything that a command of the exploration points into.
struct Loaded {
  JobInput input;
  RunPrograms programs;
};

/// The module that a program was made from: itself, or what a capture left beside it.
std::optional<spirv::Module> module_of(std::filesystem::path program, const base::Limits& limits) {
  if (program.extension() == ".visaasm") program.replace_extension(".spv");
  if (program.extension() != ".spv") return std::nullopt;
  const auto bytes = base::read_text(program.string(), limits);
  if (!bytes.ok()) return std::nullopt;
  auto module = spirv::read_binary(base::as_bytes(*bytes), program.string(), limits);
  return module.ok() ? std::optional(std::move(*module)) : std::nullopt;
}

std::string last_part(const std::string& name) { return name.substr(name.find_last_of('/') + 1); }

/// Where the text of a source may be: in the module, at its name, beside the program; the assembly is made again.
class SourceFinder {
 public:
  SourceFinder(const std::string& program, const base::Limits& limits)
      : folder_(std::filesystem::path(program).parent_path()), limits_(limits), module_(module_of(program, limits)) {
    if (module_) carried_ = spirv::carried_sources(*module_);
  }

  std::optional<std::string> find(const std::string& name) const {
    for (const spirv::ModuleSource& source : carried_)
      if (last_part(source.name) == last_part(name)) return source.text;
    for (const std::string& path : {name, (folder_ / last_part(name)).string()})
      if (auto text = base::read_text(path, limits_); text.ok()) return std::move(*text);
    if (!module_ || !name.ends_with(".spvasm")) return std::nullopt;
    auto text = spirv::disassemble(*module_);
    return text.ok() ? std::optional(std::move(*text)) : std::nullopt;
  }

 private:
  std::filesystem::path folder_;
  const base::Limits& limits_;
  std::optional<spirv::Module> module_;
  std::vector<spirv::ModuleSource> carried_;
};

/// The sources that the instructions of a program name, as far as they can be had. `program`: its file.
std::vector<explore::SourceText> sources_of(const VisaFile& file, const std::string& program,
                                            const base::Limits& limits) {
  std::vector<explore::SourceText> list;
  if (!file.source.empty()) list.push_back({file.source_name, file.source});
  std::set<std::string> names;
  for (const isa::Object& object : file.program->objects) {
    const isa::SourceMap map(object);
    for (const isa::Instruction& i : object.instructions)
      if (const auto at = map.find(i)) names.emplace(at->file);
  }
  const SourceFinder finder(program, limits);
  for (const std::string& name : names) {
    if (std::ranges::any_of(list, [&](const auto& s) { return s.name == name; })) continue;
    if (auto text = finder.find(name)) list.push_back({name, std::move(*text)});
  }
  return list;
}

/// What comments at the start of a job say behind a key.
std::vector<std::string> comments_of(std::string_view toml, std::string_view key) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < toml.size() && toml[at] == '#';) {
    const std::size_t end = std::min(toml.find('\n', at), toml.size());
    const std::string_view line = toml.substr(at, end - at);
    if (line.starts_with(key)) found.emplace_back(line.substr(key.size()));
    at = end + 1;
  }
  return found;
}

/// What the job's comments call it: the label that a capture wrote, or a title.
std::string label_of(std::string_view toml) {
  for (const std::string_view key : {"# label: ", "# title: "})
    if (const auto found = comments_of(toml, key); !found.empty()) return found.front();
  return {};
}

/// The lines of a text.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!line.empty()) lines.emplace_back(line);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return lines;
}

/// A word as a shell takes it.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// The flags that say what is run, as `heddle run` takes them.
std::string command_line(const RunOptions& o) {
  std::string line = "heddle run " + shell_word(o.input);
  const auto one = [&](const char* flag, const std::string& value) {
    if (!value.empty()) line += fmt::format(" {} {}", flag, shell_word(value));
  };
  const auto all = [&](const char* flag, const std::vector<std::string>& values) {
    for (const std::string& value : values) one(flag, value);
  };
  one("--entry", o.entry), one("--zeinfo", o.zeinfo), one("--simd", o.simd), one("--global", o.global);
  one("--groups", o.groups), one("--local", o.local), one("--offset", o.offset), one("--size", o.size);
  one("--samples", o.samples), one("--geometry", o.geometry), one("--depth", o.depth), one("--stencil", o.stencil);
  one("--vertex", o.vertex), one("--vertices", o.vertices), one("--instances", o.instances);
  one("--platform", o.program.platform), one("--stage", o.source.stage);
  all("--image", o.surfaces), all("--sampler", o.samplers), all("--target", o.targets), all("--arg", o.args);
  all("--buffer", o.buffers), all("--input", o.inputs), all("--vertex-input", o.vertex_inputs), all("--spec", o.spec);
  all("--state", o.state), all("--payload", o.payload);
  if (o.per_sample) line += " --per-sample";
  return line;
}

base::ExitCode read_command(const RunOptions& options, explore::CommandInput& command);

/// The command under further flags, none of which names files.
base::Result<explore::CommandInput> changed_command(const RunOptions& options,
                                                    const std::vector<explore::Change>& changes) {
  RunOptions more = options;
  for (const explore::Change& change : changes) {
    std::vector<std::string>* const list = change.flag == "sampler" ? &more.samplers
                                           : change.flag == "state" ? &more.state
                                           : change.flag == "arg"   ? &more.args
                                                                    : nullptr;
    if (list == nullptr)
      return base::error("explore-change",
                         fmt::format("'{}' cannot be changed: sampler, state and arg can", change.flag));
    list->push_back(change.text);
  }
  explore::CommandInput command;
  if (read_command(more, command) != base::ExitCode::Done)
    return base::error("explore-change", "the change is refused: the terminal that serves the page says why");
  for (const explore::Change& change : changes)
    command.label += fmt::format("{}{} {}", command.label.empty() ? "" : "; ", change.flag, change.text);
  return command;
}

/// One job, shader or program. Done, or an exit code after printing.
base::ExitCode read_command(const RunOptions& options, explore::CommandInput& command) {
  auto loaded = std::make_shared<Loaded>();
  if (const auto code = read_job_input(options, loaded->input); code != base::ExitCode::Done) return code;
  auto programs = load_programs(loaded->input.job, options, std::move(loaded->input.program));
  if (const auto* code = std::get_if<base::ExitCode>(&programs)) return *code;
  loaded->programs = std::move(std::get<RunPrograms>(programs));
  const VisaFile& main = loaded->programs.main;
  command.name = std::filesystem::path(options.input).filename().string();
  command.command_line = command_line(options);
  command.label = label_of(loaded->input.toml);
  command.before = comments_of(loaded->input.toml, "# before: ");
  command.job = loaded->input.job;
  command.program = {&*main.program, main.name, sources_of(main, loaded->input.job.program, options.common.limits)};
  command.stages = loaded->programs.of_stages();
  for (const isa::ShaderStageInfo& stage : isa::kShaderStages)
    if (const auto& file = loaded->programs.stages[stage.stage])
      command.front[stage.stage] = {
          &*file->program, file->name,
          sources_of(*file, loaded->input.job.pixels->stages[stage.stage].path, options.common.limits)};
  command.owner = loaded;
  command.changer = [options](const std::vector<explore::Change>& changes) {
    return changed_command(options, changes);
  };
  return base::ExitCode::Done;
}

base::ExitCode load_command(const RunOptions& options, explore::Exploration& exploration) {
  explore::CommandInput command;
  if (const auto code = read_command(options, command); code != base::ExitCode::Done) return code;
  exploration.add(std::move(command));
  return base::ExitCode::Done;
}

/// The jobs of a folder that a capture wrote, in their order.
base::Result<std::vector<std::string>> jobs_of(const std::string& folder) {
  std::vector<std::string> jobs;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(folder, problem))
    if (entry.path().extension() == ".toml") jobs.push_back(entry.path().string());
  if (jobs.empty())
    return base::error("file-open", fmt::format("the folder '{}' has no job (.toml)", folder),
                       base::Place::in_file(folder))
        .note("HEDDLE_CAPTURE=FOLDER heddle vulkan PROGRAM writes one for each draw and dispatch");
  std::ranges::sort(jobs);
  return jobs;
}

}  // namespace

base::ExitCode load_commands(const RunOptions& run, explore::Exploration& exploration) {
  std::error_code problem;
  if (!std::filesystem::is_directory(run.input, problem)) {
    RunOptions one = run;
    one.assembly_lines = true;
    return load_command(one, exploration);
  }
  const auto jobs = jobs_of(run.input);
  if (!jobs.ok()) {  // a folder of ocloc's dumps is one program
    for (const auto& entry : std::filesystem::directory_iterator(run.input, problem))
      if (entry.path().extension() == ".visaasm") return load_command(run, exploration);
    return fail(jobs.diagnostics());
  }
  for (const std::string& job : *jobs) {
    RunOptions one = run;
    one.input = job;
    one.assembly_lines = true;
    if (const auto code = load_command(one, exploration); code != base::ExitCode::Done) return code;
  }
  const std::string behind = (std::filesystem::path(run.input) / "behind.txt").string();
  if (const auto text = base::read_text(behind, run.common.limits); text.ok()) exploration.add_behind(lines_of(*text));
  return base::ExitCode::Done;
}

base::ExitCode write_report(const explore::Exploration& exploration, const explore::ExploreOptions& options,
                            const ReportFile& file, Progress& progress) {
  const auto documents = exploration.explore(options);
  progress.finish();
  if (!documents.ok()) return fail(documents.diagnostics());
  const auto report = explore::make_report(*documents, file.title, file.size);
  if (!report.ok()) return fail(report.diagnostics());
  if (const auto done = base::write_file(file.path, std::string_view(report->html)); !done.ok())
    return fail(done.diagnostics());
  if (file.quiet) return base::ExitCode::Done;
  const std::string left_out = report->left_out == 0
                                   ? std::string()
                                   : fmt::format("; {} of {} documents are left out (--budget)", report->left_out,
                                                 report->left_out + report->documents);
  const char* const plural = exploration.size() == 1 ? "" : "s";
  std::fputs(fmt::format("{}: {} command{}, {:.1f} MB{}\n", file.path, exploration.size(), plural,
                         static_cast<double>(report->html.size()) / 1e6, left_out)
                 .c_str(),
             stderr);
  return base::ExitCode::Done;
}

}  // namespace heddle::tools
