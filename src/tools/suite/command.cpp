// SPDX-License-Identifier: MIT
#include "tools/suite/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <thread>
#include <vector>

#include "base/file.hpp"
#include "tools/suite/suite_run.hpp"
#include "tools/support/console.hpp"
#include "tools/support/progress.hpp"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

base::ExitCode fail(const std::vector<base::Diagnostic>& list) {
  print_diagnostics(list);
  return exit_code(list);
}

/// Programs run in their own folders, so that paths are absolute.
base::Result<base::Done> find_programs(std::vector<SuitePart>& parts) {
  for (SuitePart& part : parts) {
    if (part.program.find('/') == std::string::npos) continue;  // found through PATH
    if (access(part.program.c_str(), X_OK) != 0 || fs::is_directory(part.program))
      return base::error("suite-program", fmt::format("'{}' cannot be run", part.program),
                         base::Place::in_file(part.program))
          .note("paths are relative to the suite's file");
    part.program = fs::absolute(part.program).lexically_normal().string();
  }
  return base::Done{};
}

void print_summary(const std::vector<SuiteCase>& cases) {
  constexpr std::size_t kShown = 50;
  std::map<std::string, std::size_t> counts;
  std::size_t failures = 0;
  for (const SuiteCase& one : cases) {
    ++counts[one.verdict.word];
    if (!one.verdict.success && ++failures <= kShown) print(fmt::format("{},{}\n", one.name, one.verdict.word));
  }
  if (failures > kShown) print(fmt::format("... and {} more, in failures.csv\n", failures - kShown));
  std::string text;
  for (const auto& [word, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, word);
  print(fmt::format("{} cases: {}\n", cases.size(), text));
}

base::ExitCode write_results(const SuiteOptions& options, const std::vector<SuiteCase>& cases) {
  base::OutputFiles files;
  for (const auto& [name, text] : {std::pair{"results.csv", results_csv(cases)}, {"failures.csv", failures_csv(cases)}})
    if (const auto done = files.add(options.output + "/" + name, std::string_view(text)); !done.ok())
      return fail(done.diagnostics());
  if (const auto done = files.commit(); !done.ok()) return fail(done.diagnostics());
  return base::ExitCode::Done;
}

}  // namespace

base::ExitCode run_suite_command(const SuiteOptions& options) {
  auto parts = read_suite(options.file, options.more);
  if (!parts.ok()) return fail(parts.diagnostics());
  if (const auto found = find_programs(*parts); !found.ok()) return fail(found.diagnostics());
  if (!base::make_folders(options.output))
    return fail({base::error("file-write", fmt::format("'{}' cannot be made", options.output),
                             base::Place::in_file(options.output))});
  std::uint64_t count = 0;
  for (const SuitePart& part : *parts) count += part.cases.size();
  if (count == 0)
    return fail({base::error("suite-missing", "the suite has no case", base::Place::in_file(options.file))
                     .note("'include', 'skips' and --skips leave none")});
  SuiteRun how;
  how.jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  how.folder = fs::absolute(options.output).string();
  Progress progress("running cases", count);
  how.progress = [&](std::uint64_t done) { progress.at(std::min(done, count)); };
  const std::vector<SuiteCase> cases = run_suite(*parts, how);
  progress.finish();
  if (const auto code = write_results(options, cases); code != base::ExitCode::Done) return code;
  print_summary(cases);
  const bool good = std::ranges::all_of(cases, [](const SuiteCase& one) { return one.verdict.success; });
  return good ? base::ExitCode::Done : base::ExitCode::WrongInput;
}

}  // namespace heddle::tools
