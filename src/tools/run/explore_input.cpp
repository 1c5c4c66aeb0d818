// SPDX-License-Identifier: MIT
#include "tools/run/explore_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "base/file.hpp"
#include "explore/report.hpp"
#include "isa/source_map.hpp"
#include "tools/run/job_input.hpp"
#include "tools/run/program_file.hpp"
#include "tools/support/console.hpp"

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

/// The sources that the instructions of a program name, as far as they can be read.
std::vector<explore::SourceText> sources_of(const VisaFile& file, const base::Limits& limits) {
  std::vector<explore::SourceText> list;
  if (!file.source.empty()) list.push_back({file.source_name, file.source});
  std::set<std::string> names;
  for (const isa::Object& object : file.program->objects) {
    const isa::SourceMap map(object);
    for (const isa::Instruction& i : object.instructions)
      if (const auto at = map.find(i)) names.emplace(at->file);
  }
  for (const std::string& name : names) {
    if (std::ranges::any_of(list, [&](const auto& s) { return s.name == name; })) continue;
    if (auto text = base::read_text(name, limits); text.ok()) list.push_back({name, std::move(*text)});
  }
  return list;
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

/// One job, shader or program.
base::ExitCode load_command(const RunOptions& options, explore::Exploration& exploration) {
  auto loaded = std::make_shared<Loaded>();
  if (const auto code = read_job_input(options, loaded->input); code != base::ExitCode::Done) return code;
  auto programs = load_programs(loaded->input.job, options, std::move(loaded->input.program));
  if (const auto* code = std::get_if<base::ExitCode>(&programs)) return *code;
  loaded->programs = std::move(std::get<RunPrograms>(programs));
  const VisaFile& main = loaded->programs.main;
  explore::CommandInput command;
  command.name = std::filesystem::path(options.input).filename().string();
  command.command_line = command_line(options);
  command.job = loaded->input.job;
  command.program = {&*main.program, main.name, sources_of(main, options.common.limits)};
  command.stages = loaded->programs.of_stages();
  command.owner = loaded;
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
  if (!std::filesystem::is_directory(run.input, problem)) return load_command(run, exploration);
  const auto jobs = jobs_of(run.input);
  if (!jobs.ok()) {  // a folder of ocloc's dumps is one program
    for (const auto& entry : std::filesystem::directory_iterator(run.input, problem))
      if (entry.path().extension() == ".visaasm") return load_command(run, exploration);
    return fail(jobs.diagnostics());
  }
  for (const std::string& job : *jobs) {
    RunOptions one = run;
    one.input = job;
    if (const auto code = load_command(one, exploration); code != base::ExitCode::Done) return code;
  }
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
