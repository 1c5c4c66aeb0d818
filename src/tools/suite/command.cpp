// SPDX-License-Identifier: MIT
#include "tools/suite/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

#include "base/environment/program_path.hpp"
#include "base/file.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/progress.hpp"
#include "tools/services/driver.hpp"
#include "tools/services/new_folder.hpp"
#include "tools/suite/outputs.hpp"
#include "tools/suite/process_watch.hpp"
#include "tools/suite/suite_run.hpp"

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
    if (part.program.find('/') == std::string::npos) {
      if (const std::string found = base::find_program(part.program); found.empty() || fs::is_directory(found))
        return base::error("suite-program", fmt::format("'{}' is not found: no folder of PATH has it", part.program))
            .note("'deqp' names a program by its path, relative to the suite's file, or one that PATH has");
      continue;
    }
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
  print(fmt::format("{} cases{}{}\n", cases.size(), text.empty() ? "" : ": ", text));
}

/// results.csv.part: results of the chunks that have run, for whom a run that is ended has nothing else.
class PartialResults {
 public:
  explicit PartialResults(const std::string& output)
      : path_(output + "/results.csv.part"), file_(path_, std::ios::binary | std::ios::trunc) {}
  void add(const std::string& lines) { file_ << lines << std::flush; }
  [[nodiscard]] bool good() const { return file_.good(); }
  [[nodiscard]] base::Diagnostic problem() const {
    return base::error("file-write", fmt::format("'{}' cannot be written", path_), base::Place::in_file(path_));
  }
  void remove() {
    file_.close();
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

 private:
  const std::string path_;
  std::ofstream file_;
};

/// The programs have groups of their own, so that a terminal's ^C is not theirs.
void end_all(int signal) {
  kill_watched();
  std::signal(signal, SIG_DFL);
  (void)raise(signal);
}

/// Each message once: every chunk may have the same.
class Problems {
 public:
  void add(const base::Diagnostic& problem) {
    if (known_.insert(problem.message).second && list_.size() < kMax) list_.push_back(problem);
  }
  [[nodiscard]] const std::vector<base::Diagnostic>& list() const { return list_; }

 private:
  static constexpr std::size_t kMax = 20;
  std::set<std::string> known_;
  std::vector<base::Diagnostic> list_;
};

base::ExitCode write_results(const SuiteOptions& options, const std::vector<SuiteCase>& cases) {
  base::OutputFiles files;
  for (const auto& [name, text] : {std::pair{"results.csv", results_csv(cases)}, {"failures.csv", failures_csv(cases)}})
    if (const auto done = files.add(options.output + "/" + name, std::string_view(text)); !done.ok())
      return fail(done.diagnostics());
  if (!options.junit.empty())
    if (const auto done =
            files.add(options.junit, std::string_view(junit_of(fs::path(options.file).stem().string(), cases)));
        !done.ok())
      return fail(done.diagnostics());
  if (const auto done = files.commit(); !done.ok()) return fail(done.diagnostics());
  return base::ExitCode::Done;
}

/// What came of the cases, for people: the exit code.
base::ExitCode finish(const std::vector<SuiteCase>& cases, const std::vector<base::Diagnostic>& problems) {
  print_summary(cases);
  print_diagnostics(problems);
  const auto is_error = [](const base::Diagnostic& problem) { return problem.severity == base::Severity::Error; };
  if (std::ranges::any_of(problems, is_error)) return exit_code(problems);
  const bool good = std::ranges::all_of(cases, [](const SuiteCase& one) { return one.verdict.success; });
  return good ? base::ExitCode::Done : base::ExitCode::WrongInput;
}

base::ExitCode run_parts(const SuiteOptions& options, const std::vector<SuitePart>& parts, std::uint64_t count,
                         const Shard& shard) {
  SuiteRun how;
  how.jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  how.shard = shard;
  how.folder = fs::absolute(options.output).string();
  Progress progress("running cases", std::max<std::uint64_t>(1, count / shard.count));
  how.progress = [&](std::uint64_t done) {
    progress.at(std::min(done, std::max<std::uint64_t>(1, count / shard.count)));
  };
  PartialResults partial(options.output);
  if (!partial.good()) return fail({partial.problem()});
  Problems problems;
  how.note = [&](const std::string& lines) { partial.add(lines); };
  how.report = [&](const base::Diagnostic& problem) { problems.add(problem); };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, end_all);
  const std::vector<SuiteCase> cases = run_suite(parts, how);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  progress.finish();
  if (!partial.good()) problems.add(partial.problem());
  if (const auto code = write_results(options, cases); code != base::ExitCode::Done) return code;
  partial.remove();
  return finish(cases, problems.list());
}

base::ExitCode merge_parts_of(const SuiteOptions& options, const std::vector<SuitePart>& parts) {
  const auto cases = merge_results(parts, options.merged);
  if (!cases.ok()) return fail(cases.diagnostics());
  if (const auto code = write_results(options, *cases); code != base::ExitCode::Done) return code;
  return finish(*cases, {});
}

}  // namespace

base::ExitCode run_suite_command(const SuiteOptions& options) {
  const auto shard = read_shard(options.shard);
  if (!shard.ok()) return fail(shard.diagnostics());
  auto parts = read_suite(options.file, options.more);
  if (!parts.ok()) return fail(parts.diagnostics());
  if (const auto found = options.merged.empty() ? find_programs(*parts) : base::Result<base::Done>(base::Done{});
      !found.ok()) {
    print_diagnostics(found.diagnostics());
    return base::ExitCode::Usage;
  }
  if (const auto made = make_folder(options.output); !made.ok()) return fail(made.diagnostics());
  // Hours of cases are not run for a file that cannot be written; it may lie in the folder that was made.
  if (!options.junit.empty())
    if (const auto good = base::check_writable(options.junit); !good.ok()) return fail(good.diagnostics());
  std::uint64_t count = 0;
  for (const SuitePart& part : *parts) count += part.cases.size();
  if (count == 0)
    return fail({base::error("suite-missing", "the suite has no case", base::Place::in_file(options.file))
                     .note("its lists are empty, or 'include', 'skips' and --skips leave none")});
  return options.merged.empty() ? run_parts(options, *parts, count, *shard) : merge_parts_of(options, *parts);
}

}  // namespace heddle::tools
