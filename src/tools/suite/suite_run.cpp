// SPDX-License-Identifier: MIT
#include "tools/suite/suite_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <span>
#include <thread>
#include <utility>

#include "tools/suite/chunk.hpp"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

/// Cases of one part, which run in one process.
struct Chunk {
  const SuitePart* part;
  std::vector<std::string> names;    ///< without the prefix
  std::vector<std::size_t> indices;  ///< in the list of all cases
  std::string stem;                  ///< of its files
};

bool is_known_flake(const SuitePart& part, const std::string& name) { return part.flakes.match(name); }

std::optional<CaseStatus> expected_of(const SuitePart& part, const std::string& name) {
  const auto found = part.baseline.find(name);
  return found == part.baseline.end() ? std::nullopt : std::optional(found->second);
}

/// The chunks of the cases that `wanted` names, whatever the number of jobs is, so that results do not depend on it.
template <typename Wanted>
std::vector<Chunk> make_chunks(const std::vector<SuitePart>& parts, const std::string& stem, const Wanted& wanted) {
  std::vector<Chunk> chunks;
  std::size_t index = 0;
  for (const SuitePart& part : parts) {
    bool first = true;
    for (const std::string& name : part.cases) {
      const std::size_t own = index++;
      if (!wanted(own)) continue;
      if (std::exchange(first, false) || chunks.back().names.size() == part.group)
        chunks.push_back({&part, {}, {}, fmt::format("{}{}", stem, chunks.size())});
      chunks.back().names.push_back(name);
      chunks.back().indices.push_back(own);
    }
  }
  return chunks;
}

void remove_files(const std::string& stem) {
  const fs::path path(stem);
  std::error_code problem;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path.parent_path(), problem))
    if (entry.path().filename().string().starts_with(path.filename().string() + ".")) files.push_back(entry.path());
  for (const fs::path& file : files) fs::remove(file, problem);
}

/// Runs chunks over so many processes at a time.
template <typename Take>
void run_chunks(const std::vector<Chunk>& chunks, const SuiteRun& how, std::atomic<std::uint64_t>& done,
                const Take& take) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < chunks.size(); i = next++) {
      const Chunk& chunk = chunks[i];
      const std::vector<CaseStatus> found = run_chunk(*chunk.part, chunk.names, chunk.stem);
      if (!take(chunk, found)) remove_files(chunk.stem);
      how.progress(done += found.size());
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < std::min<std::size_t>(how.jobs, chunks.size()); ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

std::string line_of(const SuiteCase& one) { return fmt::format("{},{}\n", one.name, one.verdict.word); }

}  // namespace

std::vector<SuiteCase> run_suite(const std::vector<SuitePart>& parts, const SuiteRun& how) {
  std::vector<SuiteCase> cases;
  for (const SuitePart& part : parts)
    for (const std::string& name : part.cases) cases.push_back({part.prefix + name, CaseStatus::Missing, {}, {}});
  const auto judge_case = [](const SuitePart& part, SuiteCase& one) {
    one.verdict = judge(one.found, one.again, expected_of(part, one.name), is_known_flake(part, one.name));
    return one.verdict.success;
  };
  // Threads write to different cases. What they return: whether the chunk's files are of interest.
  std::atomic<std::uint64_t> done = 0;
  run_chunks(make_chunks(parts, how.folder + "/c", [](std::size_t) { return true; }), how, done,
             [&](const Chunk& chunk, const std::vector<CaseStatus>& found) {
               bool keep = false;
               for (std::size_t k = 0; k < found.size(); ++k) {
                 cases[chunk.indices[k]].found = found[k];
                 keep |= !judge_case(*chunk.part, cases[chunk.indices[k]]);
               }
               return keep;
             });
  const auto failed = [&](std::size_t i) { return !cases[i].verdict.success && is_failure(cases[i].found); };
  run_chunks(make_chunks(parts, how.folder + "/again", failed), how, done,
             [&](const Chunk& chunk, const std::vector<CaseStatus>& found) {
               bool keep = false;
               for (std::size_t k = 0; k < found.size(); ++k) {
                 cases[chunk.indices[k]].again = found[k];
                 keep |= !judge_case(*chunk.part, cases[chunk.indices[k]]);
               }
               return keep;
             });
  return cases;
}

std::string results_csv(const std::vector<SuiteCase>& cases) {
  std::string text;
  for (const SuiteCase& one : cases) text += line_of(one);
  return text;
}

std::string failures_csv(const std::vector<SuiteCase>& cases) {
  std::string text;
  for (const SuiteCase& one : cases)
    if (!one.verdict.success) text += line_of(one);
  return text;
}

}  // namespace heddle::tools
