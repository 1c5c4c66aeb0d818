// SPDX-License-Identifier: MIT
#include "tools/suite/chunk.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include "base/file.hpp"
#include "tools/suite/process_watch.hpp"

namespace heddle::tools {
namespace {

using Results = std::map<std::string, CaseStatus, std::less<>>;

/// What a deqp program prints: "Test case 'NAME'..", and behind it "  Pass (words)". Cases that nobody asked for have
/// no result.
class OutputReader {
 public:
  OutputReader(const std::set<std::string_view>& listed, Results& results) : listed_(listed), results_(results) {}
  /// Whether the line says that the program gets on: each case begins once and ends once.
  bool read(const std::string& line) {
    if (line.starts_with(kCase)) {
      const std::size_t end = line.rfind('\'');
      running_ = line.substr(kCase.size(), end - std::min(end, kCase.size()));
      if (!listed_.contains(running_)) running_.clear();
      return !running_.empty() && begun_.insert(running_).second;
    }
    const std::size_t word = line.find_first_not_of(' ');
    if (running_.empty() || word != 2) return false;
    const auto status = status_of_deqp(std::string_view(line).substr(word, line.find_first_of(" (", word) - word));
    if (!status) return false;
    const bool first = results_.emplace(running_, *status).second;
    running_.clear();
    return first;
  }
  [[nodiscard]] const std::string& running() const { return running_; }  ///< empty: none

 private:
  static constexpr std::string_view kCase = "Test case '";
  const std::set<std::string_view>& listed_;
  Results& results_;
  std::set<std::string> begun_;
  std::string running_;
};

WatchedProgram program_of(const SuitePart& part, const std::string& stem, const std::string& caselist) {
  WatchedProgram program;
  program.words = {part.program, "--deqp-caselist-file=" + caselist, "--deqp-log-filename=" + stem + ".qpa"};
  program.words.insert(program.words.end(), part.arguments.begin(), part.arguments.end());
  program.environment = part.environment;
  program.folder = std::filesystem::path(part.program).parent_path().string();
  program.log = stem + ".log";
  return program;
}

void note_problems(const WatchedProgram& program, const ProgramEnd& end, std::vector<base::Diagnostic>& problems) {
  if (end.problem != 0)
    problems.push_back(base::error("suite-program",
                                   fmt::format("'{}' cannot be run: {}", program.words[0], std::strerror(end.problem)))
                           .note("cases that have no result for this are Missing"));
  if (!end.logged)
    problems.push_back(base::error("file-write", fmt::format("'{}' cannot be written", program.log),
                                   base::Place::in_file(program.log)));
}

/// Of a program that began none of its cases: how it ended, and where its words are.
base::Diagnostic began_nothing(const WatchedProgram& program, const ProgramEnd& end) {
  const std::string how = end.timed_out             ? std::string("had to be killed")
                          : WIFSIGNALED(end.status) ? fmt::format("was ended by signal {}", WTERMSIG(end.status))
                                                    : fmt::format("ended with exit code {}", WEXITSTATUS(end.status));
  return base::warning("suite-program", fmt::format("'{}' {} and began no case of its list", program.words[0], how))
      .note(fmt::format("'{}' has what it wrote", program.log));
}

/// One process over the cases that have no result yet. False: what remains is missing.
bool run_once(const SuitePart& part, std::span<const std::string> cases, const std::string& stem, Results& results,
              std::vector<base::Diagnostic>& problems) {
  std::string list;
  std::set<std::string_view> listed;
  for (const std::string& name : cases)
    if (!results.contains(name)) list += *listed.insert(name).first, list += '\n';
  if (list.empty()) return false;
  const std::string caselist = stem + ".caselist.txt";
  if (const auto written = base::write_file(caselist, std::string_view(list)); !written.ok()) {
    problems.insert(problems.end(), written.diagnostics().begin(), written.diagnostics().end());
    return false;
  }
  const WatchedProgram program = program_of(part, stem, caselist);
  const std::size_t before = results.size();
  OutputReader reader(listed, results);
  const ProgramEnd end = watch(program, part.timeout, [&](const std::string& line) { return reader.read(line); });
  note_problems(program, end, problems);
  if (end.problem == 0 && results.empty() && reader.running().empty()) problems.push_back(began_nothing(program, end));
  if (!reader.running().empty())
    results.emplace(reader.running(), end.timed_out ? CaseStatus::Timeout : CaseStatus::Crash);
  // A program that ends by itself has left cases out; one that was ended goes on behind the case. One that got nowhere
  // would get nowhere again.
  return results.size() > before && (end.timed_out || !WIFEXITED(end.status) || !reader.running().empty());
}

}  // namespace

ChunkRun run_chunk(const SuitePart& part, std::span<const std::string> cases, const std::string& stem) {
  Results results;
  ChunkRun run;
  for (unsigned attempt = 1; run_once(part, cases, fmt::format("{}.r{}", stem, attempt), results, run.problems);)
    ++attempt;
  for (const std::string& name : cases) {
    const auto found = results.find(name);
    run.statuses.push_back(found == results.end() ? CaseStatus::Missing : found->second);
  }
  return run;
}

}  // namespace heddle::tools
