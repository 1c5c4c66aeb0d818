// heddle run: a program and what it is bound to, from flags or a job file; pictures, buffers and a summary come out.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "dispatch/run.hpp"
#include "engine/jit/codegen/compile.hpp"
#include "tools/commands.hpp"
#include "tools/run/program_file.hpp"
#include "tools/run/run_flags.hpp"
#include "tools/run/run_outputs.hpp"
#include "tools/run/run_watchers.hpp"
#include "tools/support/progress.hpp"

namespace heddle::tools {
namespace {

base::ExitCode usage(const std::string& message) {
  std::fputs(("heddle run: " + message + "\n").c_str(), stderr);
  return base::ExitCode::Usage;
}

std::string summary_text(const dispatch::Summary& s) {
  const double rate = s.run_seconds > 0 ? static_cast<double>(s.instructions) / s.run_seconds : 0;
  std::string text = fmt::format("{}: kernel {}, {} engine, {}, SIMD{}, {} thread{}\n", s.program, s.kernel, s.engine,
                                 s.platform, s.simd, s.threads, s.threads == 1 ? "" : "s");
  text += fmt::format("{} groups, {} hardware threads, {} instructions in {:.3f} s ({:.2f} million a second)\n",
                      s.groups, s.threads_run, s.instructions, s.run_seconds, rate / 1e6);
  if (!s.why_reference.empty()) text += fmt::format("the fast engine did not run: {}\n", s.why_reference);
  if (s.counts_texels) text += fmt::format("{} texels read, {} written\n", s.texels_read, s.texels_written);
  for (const auto& [id, count] : s.reports) text += fmt::format("{} x {}\n", count, id);
  return text;
}

}  // namespace

base::ExitCode run_program(const RunOptions& options) {
  auto flags = job_flags(options);
  if (!flags.ok()) {
    print_diagnostics(flags.diagnostics());
    return exit_code(flags.diagnostics());
  }
  std::string toml;
  const bool is_job = options.input.ends_with(".toml");
  if (is_job) {
    const auto bytes = base::read_file(options.input, options.common.limits);
    if (!bytes.ok()) {
      print_diagnostics(bytes.diagnostics());
      return exit_code(bytes.diagnostics());
    }
    toml = std::string(base::as_text(*bytes));
  } else {
    base::Node program = base::Node::make_text(options.input);
    program.line = base::Node::kCommandLine;
    flags->add("program", std::move(program));
  }
  auto job = is_job ? dispatch::read_job(toml, options.input, options.common.limits, &*flags)
                    : dispatch::read_job(*flags, "", "command line", options.common.limits);
  const std::string job_file = is_job ? options.input : std::string();
  const auto wrong_job = [&](const std::vector<base::Diagnostic>& problems) {
    base::Diagnostics list(options.common.limits.diagnostics);
    for (const base::Diagnostic& d : problems) list.add(d);
    print_diagnostics(list, job_file, toml);
    const base::ExitCode code = exit_code(problems);
    const bool flags_alone =
        std::ranges::all_of(problems, [](const base::Diagnostic& d) { return d.place.on_command_line(); });
    return code == base::ExitCode::WrongInput && flags_alone ? base::ExitCode::Usage : code;
  };
  if (!job.ok()) return wrong_job(job.diagnostics());

  if (const auto apart = check_outputs(*job, options); !apart.ok()) return wrong_job(apart.diagnostics());

  auto loaded = load_programs(*job, options);
  if (const auto* code = std::get_if<base::ExitCode>(&loaded)) return *code;
  const RunPrograms& programs = std::get<RunPrograms>(loaded);
  const VisaFile& file = programs.main;

  const auto fail = [](const std::vector<base::Diagnostic>& list) {
    print_diagnostics(list);
    return exit_code(list);
  };
  base::OutputFiles files;
  Watchers watchers;
  if (const auto ready = watchers.set_up(options, *job, *file.program, files); !ready.ok())
    return fail(ready.diagnostics());
  if (watchers.tracer) job->threads = 1;  // a trace is read in order
  Progress progress("running", 10000);
  dispatch::RunHooks hooks;
  if (programs.vertex) hooks.vertex = &*programs.vertex->program;
  if (!watchers.all.empty()) hooks.observer = &watchers.all;
  hooks.progress = [&](double part) { progress.at(static_cast<std::uint64_t>(part * 10000)); };
  if (!options.cpu.empty())
    if (const std::string why = engine::jit::processor_problem(options.cpu); !why.empty())
      return usage(fmt::format("--cpu {}: {}", options.cpu, why));
  hooks.cpu = options.cpu;
  std::string assembly;
  if (!options.assembly.empty()) hooks.assembly = &assembly;
  const dispatch::Outcome outcome = dispatch::run(*job, *file.program, hooks);
  progress.finish();

  // Places of messages are in the job or in the program.
  const base::SourceLookup lookup = [&](const std::string& name) -> std::string_view {
    if (programs.vertex && name == programs.vertex->name && !programs.vertex->binary) return programs.vertex->content();
    return name == file.name && !file.binary ? std::string_view(file.content())
           : name == job_file                ? std::string_view(toml)
                                             : std::string_view();
  };
  for (const base::Diagnostic& d : outcome.diagnostics.all())
    if (!options.common.quiet || d.severity == base::Severity::Error)
      std::fputs(base::render(d, lookup, use_colour(STDERR_FILENO)).c_str(), stderr);
  if (outcome.diagnostics.suppressed() != 0)
    std::fputs(fmt::format("note: {} more messages are not shown; --max-errors raises the limit\n",
                           outcome.diagnostics.suppressed())
                   .c_str(),
               stderr);

  // A shader's compiled text is no file unless --keep makes it one.
  const std::string compiled = (job->program == "-" ? "<stdin>" : job->program) + ".visaasm";
  if (std::ranges::any_of(outcome.diagnostics.all(), [&](const base::Diagnostic& d) {
        return file.name == compiled && options.keep.empty() && d.place.file == compiled &&
               (!options.common.quiet || d.severity == base::Severity::Error);
      }))
    std::fputs(fmt::format("note: '{}' is the compiled shader; --keep FILE writes it\n", compiled).c_str(), stderr);

  // All files are written before the first of them takes its name. What was observed is kept of a failed run too.
  if (outcome.succeeded || outcome.summary.instructions != 0) {
    if (const auto done = watchers.save(options, *file.program, files); !done.ok()) return fail(done.diagnostics());
    if (!options.assembly.empty()) {
      if (assembly.empty())
        std::fputs("note: --assembly: the fast engine did not run, there is nothing to write\n", stderr);
      else if (const auto done = files.add(options.assembly, std::string_view(assembly)); !done.ok())
        return fail(done.diagnostics());
    }
  }
  if (outcome.succeeded) {
    if (const auto done = dispatch::add_outputs(outcome.outputs, files); !done.ok()) return fail(done.diagnostics());
    if (!options.summary.empty())
      if (const auto done = files.add(options.summary, std::string_view(outcome.summary.json())); !done.ok())
        return fail(done.diagnostics());
  }
  if (!flush_output()) return base::ExitCode::File;  // a trace comes before what is saved to standard output
  if (outcome.succeeded || outcome.summary.instructions != 0)
    if (const auto done = files.commit(); !done.ok()) {
      if (done.diagnostics()[0].id == "file-pipe")  // not passed over here: files are lost with it
        std::fputs("heddle run: nothing is saved: standard output: Broken pipe\n", stderr);
      return fail(done.diagnostics());
    }
  if (!outcome.succeeded) return exit_code(outcome.diagnostics.all());
  if (options.summary.empty() && !options.common.quiet) std::fputs(summary_text(outcome.summary).c_str(), stderr);
  return base::ExitCode::Done;
}

}  // namespace heddle::tools
