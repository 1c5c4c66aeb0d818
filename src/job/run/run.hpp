// SPDX-License-Identifier: MIT
#pragma once
// A whole run: a program and a job are bound, run, and give outputs and a summary.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "engine/jit/cache/kernel_cache.hpp"
#include "engine/reference/run.hpp"
#include "isa/program.hpp"
#include "job/job.hpp"
#include "job/run/outputs.hpp"
#include "machine/observer.hpp"
#include "machine/report.hpp"

namespace heddle::job {

struct Summary {
  std::string program, engine, platform, kernel;
  std::uint32_t simd = 0;
  unsigned threads = 0;  ///< of the operating system
  std::uint64_t groups = 0, threads_run = 0, instructions = 0, texels_read = 0, texels_written = 0;
  std::string why_reference;  ///< why the fast engine did not run, though the job did not ask for the other
  bool counts_texels = true;  ///< false: the fast engine ran, which does not
  double compile_seconds = 0, run_seconds = 0;
  std::map<std::string, std::uint64_t> reports;  ///< count by id

  [[nodiscard]] std::string json() const;  ///< one object, with a newline
};

/// Ends a run from elsewhere, also from a signal handler.
class Cancellation {
 public:
  void cancel() {
    asked_ = true;
    if (engine::reference::Budget* running = running_) running->cancel();
  }
  [[nodiscard]] bool asked() const { return asked_; }
  void reset() { asked_ = false; }
  /// What the run in progress uses; null between runs.
  void watch(engine::reference::Budget* budget) {
    running_ = budget;
    if (budget != nullptr && asked_) budget->cancel();
  }

 private:
  std::atomic<bool> asked_{false};
  std::atomic<engine::reference::Budget*> running_{nullptr};
};

struct RunHooks {
  engine::jit::MemoryCache* kernels = nullptr;  ///< compiled kernels that later runs may use again
  isa::PerStage<const isa::Program*> stages;    ///< programs of the stages that [pixels] names
  machine::Observer* observer = nullptr;
  std::vector<machine::Finding>* findings = nullptr;  ///< gets what the checks found, beside the diagnostics
  std::string cpu;  ///< the fast engine compiles for this one (LLVM's name); empty: where it runs
  engine::jit::Tiers tiers = engine::jit::Tiers::Both;
  bool disk_cache = true;           ///< false: code is neither looked for nor left on disk
  std::string* assembly = nullptr;  ///< gets the assembler text of the fast engine's kernel; nothing is then cached
  std::function<void(double)> progress;  ///< part done, 0 to 1
  bool shares_memory = false;            ///< other threads may use what is bound while it runs
  std::shared_ptr<Cancellation> cancellation;
};

struct RunResult {
  bool succeeded = false;
  Summary summary;
  base::Diagnostics diagnostics;  ///< binding errors, reports of the run, limits, notes on what was saved
  std::vector<Output> outputs;    ///< empty unless it succeeded
  /// What the program printed, in an invocation's own order (SPV-37); also of a run that failed.
  std::vector<std::string> printed;
};

/// The kernel that the job means: `entry`, or the only one. Id: job-value.
[[nodiscard]] base::Result<const isa::Object*> choose_kernel(const isa::Program& program, const Job& job);

/// Binds and runs; writes nothing. The program must be complete (verified, or at least read without errors).
[[nodiscard]] RunResult run(const Job& job, const isa::Program& program, const RunHooks& hooks = {});

/// A job that runs more than once: what it binds and compiles is made ready by its first run. All three must outlive
/// it.
class PreparedJob {
 public:
  PreparedJob(const Job& job, const isa::Program& program, const RunHooks& hooks);
  ~PreparedJob();
  PreparedJob(const PreparedJob&) = delete;
  PreparedJob& operator=(const PreparedJob&) = delete;
  [[nodiscard]] RunResult run();
  /// Behind a run that succeeded: the same drawing, or a grid of the sizes that the job has now, of which nothing else
  /// counts. Files are not read again.
  [[nodiscard]] RunResult run_again();

 private:
  std::unique_ptr<class JobRun> run_;
};

}  // namespace heddle::job
