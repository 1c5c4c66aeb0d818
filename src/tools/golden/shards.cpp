// SPDX-License-Identifier: MIT
#include "tools/golden/shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "base/diagnostic.hpp"
#include "base/file.hpp"
#include "tools/services/new_folder.hpp"
#include "tools/suite/process_watch.hpp"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

void end_all(int signal) {
  kill_watched();
  std::signal(signal, SIG_DFL);
  (void)raise(signal);
}

/// An earlier attempt recorded it, from the same files.
bool is_there(const std::string& folder, const Manifest& wanted) {
  std::error_code ignored;
  if (!fs::exists(fs::path(folder) / kManifestName, ignored)) return false;
  const auto there = read_manifest(folder);
  if (!there.ok() || there->shard.index != wanted.shard.index) return false;
  Manifest expected = wanted;
  expected.count = there->count;  // what only a run can tell
  return expected.same_recording(*there);
}

/// One attempt: nothing where it succeeded, else what the process wrote.
std::string attempt(const std::string& folder, const Shard& shard, const RecordOptions& options, const ShardRun& run) {
  WatchedProgram program;
  program.words = {"/proc/self/exe", "golden", "record", folder, "--quiet", "--shard", shard.text()};
  program.words.insert(program.words.end(), run.flags.begin(), run.flags.end());
  program.words.emplace_back("--");
  program.words.insert(program.words.end(), options.program.begin(), options.program.end());
  std::error_code ignored;
  program.folder = fs::current_path(ignored).string();
  program.log = folder + ".log";
  constexpr double kNoEnd = 1e9;
  const ProgramEnd end = watch(program, kNoEnd, [](const std::string&) { return true; });
  if (end.problem == 0 && end.status == 0) return {};
  const auto text = base::read_text(program.log);
  return text.ok() && !text->empty() ? *text : "its process could not be run";
}

class Shards {
 public:
  Shards(const std::string& folder, const RecordOptions& options, const ShardRun& run, Manifest wanted)
      : folder_(folder), options_(options), run_(run), wanted_(std::move(wanted)) {}

  base::Result<std::vector<std::string>> record() {
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < std::min<std::uint64_t>(run_.jobs, run_.shards); ++i)
      workers.emplace_back([this] { work(); });
    for (std::thread& worker : workers) worker.join();
    if (!problem_.empty()) return base::Failure(problem_);
    std::vector<std::string> folders;
    for (std::uint64_t index = 1; index <= run_.shards; ++index) folders.push_back(shard_folder(folder_, index));
    return folders;
  }

 private:
  void work() {
    for (std::uint64_t index = next_++; index <= run_.shards && !failed_; index = next_++) one(index);
  }

  void one(std::uint64_t index) {
    const std::string part = shard_folder(folder_, index);
    Manifest wanted = wanted_;
    wanted.shard = {index, run_.shards};
    if (is_there(part, wanted)) return;
    std::string words;
    for (unsigned tries = 0; tries <= run_.retries; ++tries) {
      words = attempt(part, wanted.shard, options_, run_);
      if (words.empty()) return;
    }
    const std::lock_guard guard(mutex_);
    failed_ = true;
    problem_.push_back(base::error("golden-part",
                                   fmt::format("shard {} failed {}", wanted.shard.text(),
                                               run_.retries == 0 ? "once" : fmt::format("{} times", run_.retries + 1)),
                                   base::Place::in_file(part))
                           .note(fmt::format("{}.log has what it wrote: {}", part, first_error(words)))
                           .note("the same command goes on with the shards that are missing"));
  }

  /// The line that says what went wrong.
  static std::string first_error(const std::string& text) {
    const std::size_t at = text.find("error: ");
    const std::size_t from = at == std::string::npos ? 0 : at + std::string_view("error: ").size();
    return text.substr(from, text.find('\n', from) - from);
  }

  const std::string& folder_;
  const RecordOptions& options_;
  const ShardRun& run_;
  const Manifest wanted_;
  std::atomic<std::uint64_t> next_ = 1;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::vector<base::Diagnostic> problem_;
};

}  // namespace

std::string shard_folder(const std::string& folder, std::uint64_t index) {
  return fmt::format("{}.shards/{}", folder, index);
}

base::Result<std::vector<std::string>> record_shards(const std::string& folder, const RecordOptions& options,
                                                     const ShardRun& run) {
  auto wanted = begin_manifest(options);
  if (!wanted.ok()) return base::Failure(wanted.diagnostics());
  const std::string above = folder + ".shards";
  if (const auto made = make_folder(above); !made.ok()) return base::Failure(made.diagnostics());
  wanted->shard.count = run.shards;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, end_all);
  auto folders = Shards(folder, options, run, std::move(*wanted)).record();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  return folders;
}

}  // namespace heddle::tools
