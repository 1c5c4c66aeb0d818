// SPDX-License-Identifier: MIT
#include "tools/suite/chunk.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include "base/file.hpp"
#include "tools/suite/process_watch.hpp"

namespace heddle::tools {
namespace {

using Results = std::map<std::string, CaseStatus, std::less<>>;

/// What a deqp program prints: "Test case 'NAME'..", and behind it "  Pass (words)".
class OutputReader {
 public:
  explicit OutputReader(Results& results) : results_(results) {}
  /// Whether the line says that the program gets on.
  bool read(const std::string& line) {
    if (line.starts_with(kCase)) {
      const std::size_t end = line.rfind('\'');
      running_ = line.substr(kCase.size(), end - std::min(end, kCase.size()));
      began_ = true;
      return true;
    }
    const std::size_t word = line.find_first_not_of(' ');
    if (running_.empty() || word != 2) return false;
    const auto status = status_of_deqp(std::string_view(line).substr(word, line.find_first_of(" (", word) - word));
    if (!status) return false;
    results_.emplace(running_, *status);
    running_.clear();
    return true;
  }
  [[nodiscard]] const std::string& running() const { return running_; }  ///< empty: none
  [[nodiscard]] bool began() const { return began_; }                    ///< any case

 private:
  static constexpr std::string_view kCase = "Test case '";
  Results& results_;
  std::string running_;
  bool began_ = false;
};

/// One process over the cases that have no result yet. False: what remains is missing.
bool run_once(const SuitePart& part, std::span<const std::string> cases, const std::string& stem, Results& results) {
  std::string list;
  for (const std::string& name : cases)
    if (!results.contains(name)) list += name + "\n";
  const std::string caselist = stem + ".caselist.txt";
  if (list.empty() || !base::write_file(caselist, std::string_view(list)).ok()) return false;
  WatchedProgram program;
  program.words = {part.program, "--deqp-caselist-file=" + caselist, "--deqp-log-filename=" + stem + ".qpa"};
  program.words.insert(program.words.end(), part.arguments.begin(), part.arguments.end());
  program.environment = part.environment;
  program.folder = std::filesystem::path(part.program).parent_path().string();
  program.log = stem + ".log";
  OutputReader reader(results);
  const ProgramEnd end = watch(program, part.timeout, [&](const std::string& line) { return reader.read(line); });
  if (!reader.running().empty())
    results.emplace(reader.running(), end.timed_out ? CaseStatus::Timeout : CaseStatus::Crash);
  // A program that ends by itself has left cases out; one that was ended goes on behind the case.
  return reader.began() && (end.timed_out || !WIFEXITED(end.status) || !reader.running().empty());
}

}  // namespace

std::vector<CaseStatus> run_chunk(const SuitePart& part, std::span<const std::string> cases, const std::string& stem) {
  Results results;
  for (unsigned attempt = 1; run_once(part, cases, fmt::format("{}.r{}", stem, attempt), results); ++attempt) continue;
  std::vector<CaseStatus> statuses;
  for (const std::string& name : cases) {
    const auto found = results.find(name);
    statuses.push_back(found == results.end() ? CaseStatus::Missing : found->second);
  }
  return statuses;
}

}  // namespace heddle::tools
