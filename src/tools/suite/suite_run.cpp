// SPDX-License-Identifier: MIT
#include "tools/suite/suite_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
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

/// Whole groups, so that each runs with the cases with which it runs where there are no shards.
std::vector<Chunk> chunks_of_shard(std::vector<Chunk> chunks, const Shard& shard) {
  std::vector<Chunk> own;
  for (std::size_t i = 0; i < chunks.size(); ++i)
    if (shard.has(i)) own.push_back(std::move(chunks[i]));
  return own;
}

/// Whether a name is one of those of run_chunk: STEM.r1.log. Others may stand beside them: the user's c0.old.log.
bool is_file_of(const std::string& stem, const std::string& name) {
  if (!name.starts_with(stem + ".r")) return false;
  const std::size_t number = stem.size() + 2, end = name.find_first_not_of("0123456789", number);
  if (end == std::string::npos || end == number) return false;
  const std::string ending = name.substr(end);
  return ending == ".caselist.txt" || ending == ".log" || ending == ".qpa";
}

void remove_files(const std::string& stem) {
  const fs::path path(stem);
  std::error_code problem;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path.parent_path(), problem))
    if (is_file_of(path.filename().string(), entry.path().filename().string())) files.push_back(entry.path());
  for (const fs::path& file : files) fs::remove(file, problem);
}

/// Runs chunks over so many processes at a time. `take` takes the results of one, and says whether its files are of
/// interest.
template <typename Take>
void run_chunks(const std::vector<Chunk>& chunks, const SuiteRun& how, std::atomic<std::uint64_t>& done,
                const Take& take) {
  std::atomic<std::size_t> next = 0;
  std::mutex telling;
  const auto work = [&] {
    for (std::size_t i = next++; i < chunks.size(); i = next++) {
      const Chunk& chunk = chunks[i];
      const ChunkRun run = run_chunk(*chunk.part, chunk.names, chunk.stem);
      std::string lines;
      const bool keep = take(chunk, run.statuses, lines);
      if (!keep) remove_files(chunk.stem);
      const std::lock_guard guard(telling);
      how.note(lines);
      for (const base::Diagnostic& problem : run.problems)
        if (keep || problem.severity == base::Severity::Error) how.report(problem);  // remarks name files
      how.progress(done += run.statuses.size());
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
  // Threads write to different cases.
  const auto put = [&](auto set) {
    return [&cases, &judge_case, set](const Chunk& chunk, const std::vector<CaseStatus>& found, std::string& lines) {
      bool keep = false;
      for (std::size_t k = 0; k < found.size(); ++k) {
        SuiteCase& one = cases[chunk.indices[k]];
        set(one, found[k]);
        keep |= !judge_case(*chunk.part, one);
        lines += line_of(one);
      }
      return keep;
    };
  };
  std::atomic<std::uint64_t> done = 0;
  const std::vector<Chunk> own =
      chunks_of_shard(make_chunks(parts, how.folder + "/c", [](std::size_t) { return true; }), how.shard);
  run_chunks(own, how, done, put([](SuiteCase& one, CaseStatus found) { one.found = found; }));
  std::set<std::size_t> mine;
  for (const Chunk& chunk : own) mine.insert(chunk.indices.begin(), chunk.indices.end());
  const auto failed = [&](std::size_t i) {
    return mine.contains(i) && !cases[i].verdict.success && is_failure(cases[i].found);
  };
  run_chunks(make_chunks(parts, how.folder + "/again", failed), how, done,
             put([](SuiteCase& one, CaseStatus found) { one.again = found; }));
  std::vector<SuiteCase> results;
  for (const std::size_t i : mine) results.push_back(std::move(cases[i]));
  return results;
}

}  // namespace heddle::tools
