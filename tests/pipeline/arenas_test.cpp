// SPDX-License-Identifier: MIT
// oneTBB's arenas are used again: what they take does not grow with the calls while its workers have no time.

#include <gtest/gtest.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>
#include <vector>

#include "pipeline/run_context.hpp"
#include "pipeline/transfer/parallel.hpp"

namespace heddle::pipeline {
namespace {

/// All of oneTBB's workers, kept from any other work.
class HeldWorkers {
 public:
  HeldWorkers() {
    const unsigned workers = available_processors() - 1;
    arena_.execute([&] {
      for (unsigned i = 0; i < workers; ++i)
        group_.run([this] {
          ++held_;
          while (!released_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
    });
    // Where oneTBB has fewer, they are all held.
    for (int waits = 0; waits < 10'000 && held_ < workers; ++waits)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ~HeldWorkers() {
    released_ = true;
    arena_.execute([&] { group_.wait(); });
  }
  HeldWorkers(const HeldWorkers&) = delete;
  HeldWorkers& operator=(const HeldWorkers&) = delete;

 private:
  std::atomic<unsigned> held_ = 0;
  std::atomic<bool> released_ = false;
  oneapi::tbb::task_arena arena_{static_cast<int>(available_processors())};
  oneapi::tbb::task_group group_;
};

/// What a run needs beside its work.
struct OneRun {
  isa::Program program;
  machine::Reports reports{program, machine::CheckMode::Off};
  engine::reference::Budget budget{base::Limits{}};
  RunContext context{.reports = reports, .budget = budget};
};

std::size_t resident_bytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * 4096;
}

TEST(Arenas, AreUsedAgain) {
  if (available_processors() < 2) GTEST_SKIP() << "there are no workers";
  const HeldWorkers held;
  OneRun run;
  const auto work = [&] {
    for (int i = 0; i < 5000; ++i) {
      transfer::for_ranges(2, transfer::kBytesOfAThread, 2, [](std::uint64_t, std::uint64_t) {});
      EXPECT_TRUE(for_each_item(run.context, 2, 2, [](unsigned, std::uint64_t) { return true; }));
    }
  };
  work();
  const std::size_t before = resident_bytes();
  work();
  EXPECT_LT(resident_bytes(), before + (std::size_t{8} << 20));
}

// Calls at once have arenas of their own: each of their workers has a number below theirs.
TEST(Arenas, ThreadsAtOnceHaveTheirOwn) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 1; t <= 4; ++t)
    threads.emplace_back([&, t] {
      OneRun run;
      for (int i = 0; i < 200; ++i) {
        std::vector<std::atomic<int>> busy(t);
        std::atomic<std::uint64_t> sum = 0;
        const bool good = for_each_item(run.context, t, 20, [&](unsigned worker, std::uint64_t item) {
          if (worker >= t || busy[worker].fetch_add(1) != 0) ++wrong;
          sum += item;
          --busy[worker < t ? worker : 0];
          return true;
        });
        if (!good || sum != 190) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace heddle::pipeline
