// SPDX-License-Identifier: MIT
#include "tools/run/job_input.hpp"

#include <algorithm>
#include <optional>

#include "base/file.hpp"
#include "tools/command_line/console.hpp"
#include "tools/inputs/input.hpp"
#include "tools/run/opencl_input.hpp"
#include "tools/run/run_flags.hpp"
#include "tools/run/run_outputs.hpp"

namespace heddle::tools {
namespace {

base::ExitCode fail(const std::vector<base::Diagnostic>& list) {
  print_diagnostics(list);
  return exit_code(list);
}

/// Says what is wrong with a job; flags that are wrong alone are a usage error.
base::ExitCode wrong_job(const std::vector<base::Diagnostic>& problems, const JobInput& input,
                         const RunOptions& options) {
  base::Diagnostics list(options.common.limits.diagnostics);
  for (const base::Diagnostic& d : problems) list.add(d);
  print_diagnostics(list, input.file, input.toml);
  const base::ExitCode code = exit_code(problems);
  const bool flags_alone =
      std::ranges::all_of(problems, [](const base::Diagnostic& d) { return d.place.on_command_line(); });
  return code == base::ExitCode::WrongInput && flags_alone ? base::ExitCode::Usage : code;
}

/// The job file that a flag names, with the input as its program.
base::ExitCode read_file_of(const RunOptions& options, base::Node& flags, JobInput& input) {
  auto toml = base::read_text(options.job, options.common.limits);
  if (!toml.ok()) return fail(toml.diagnostics());
  input.toml = std::move(*toml);
  input.file = options.job;
  base::Node program = base::Node::make_text(options.input);
  program.line = base::Node::kCommandLine;
  flags.add("program", std::move(program));
  auto job = job::read_job(input.toml, input.file, options.common.limits, &flags);
  if (!job.ok()) return wrong_job(job.diagnostics(), input, options);
  input.job = std::move(*job);
  const auto opened = open_dump(input.job, input.program, options.common.limits);
  return opened.ok() ? base::ExitCode::Done : fail(opened.diagnostics());
}

}  // namespace

base::ExitCode read_job_input(const RunOptions& options, JobInput& input) {
  auto flags = job_flags(options);
  if (!flags.ok()) return fail(flags.diagnostics());
  if (!options.job.empty()) return read_file_of(options, *flags, input);
  const bool dumps = job::means_dumps(options.input, options.common.limits);  // open_dump() reads them
  auto bytes = dumps ? base::Result<std::string>(std::string()) : base::read_text(options.input, options.common.limits);
  if (!bytes.ok()) return fail(bytes.diagnostics());
  const auto language =
      dumps ? base::Result<Language>(Language::Visa) : language_of(options.input, *bytes, options.source);
  if (!language.ok()) return fail(language.diagnostics());
  const bool is_job = *language == Language::Job;
  if (is_job) {
    input.toml = std::move(*bytes);
    input.file = options.input == "-" ? "<stdin>" : options.input;
  } else {
    if (!dumps) input.program.bytes = std::move(*bytes);
    base::Node program = base::Node::make_text(options.input);
    program.line = base::Node::kCommandLine;
    flags->add("program", std::move(program));
  }
  auto job = is_job ? job::read_job(input.toml, input.file, options.common.limits, &*flags)
                    : job::read_job(*flags, "", "command line", options.common.limits);
  if (!job.ok()) return wrong_job(job.diagnostics(), input, options);
  input.job = std::move(*job);
  if (!input.program.bytes)
    if (const auto opened = open_dump(input.job, input.program, options.common.limits); !opened.ok())
      return fail(opened.diagnostics());
  const auto apart = check_outputs(input.job, options);
  return apart.ok() ? base::ExitCode::Done : wrong_job(apart.diagnostics(), input, options);
}

}  // namespace heddle::tools
