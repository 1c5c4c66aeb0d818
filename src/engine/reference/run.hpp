// SPDX-License-Identifier: MIT
#pragma once
// Running threads and groups of threads.

#include <atomic>
#include <chrono>
#include <mutex>
#include <span>

#include "engine/reference/resolved_kernel.hpp"

namespace heddle::engine::reference {

/// What the seconds of a budget are.
enum class Seconds : std::uint8_t {
  Wall,  ///< from its beginning, by the clock
  /// Of processor time that the threads which look at it have used, so that other processes change nothing (SUB-1):
  /// how long none of its threads may come to an end, and Budget::kMaxOfThem times as long on each processor in all.
  Processor,
};

/// Steps, time and memory that a whole run may use; shared by all its threads.
class Budget {
 public:
  static constexpr double kMaxOfThem = 60;
  explicit Budget(const base::Limits& limits, Seconds seconds = Seconds::Wall, unsigned processors = 1);
  /// Up to `wanted` steps; 0 when a limit is hit.
  [[nodiscard]] std::uint64_t take(std::uint64_t wanted);
  void give_back(std::uint64_t steps) { left_.fetch_add(steps, std::memory_order_relaxed); }
  /// Some thread of the run has ended: it gets on.
  void progress() { progress_.fetch_add(1, std::memory_order_relaxed); }
  /// Memory for what threads keep while they run; false, and a limit is hit, where there is not so much left.
  [[nodiscard]] bool take_memory(std::uint64_t bytes);
  void give_back_memory(std::uint64_t bytes) { memory_left_.fetch_add(bytes, std::memory_order_relaxed); }
  /// The time from `begin` to `end` does not count. Threads that waited for the same thing may all say so: what their
  /// times have in common is left out once. Not for the ways of every thread.
  void exclude(std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point end);
  /// The host has less memory than the limit says.
  void run_out_of_memory() { hit_.store(4, std::memory_order_relaxed); }
  /// The limit that was hit (exit code 4), if any.
  [[nodiscard]] std::optional<base::Diagnostic> hit() const;
  [[nodiscard]] std::uint64_t used() const { return steps_ - left_.load(std::memory_order_relaxed); }
  /// Makes every thread stop at its next request, whatever others give back.
  void cancel() { canceled_.store(true, std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] bool has_time();
  [[nodiscard]] bool has_processor_time(Clock::time_point now);

  std::uint64_t steps_, memory_;
  double seconds_;
  const Seconds counts_;
  const unsigned processors_;
  const std::uint64_t identity_;  ///< no other budget has it
  std::atomic<std::uint64_t> progress_ = 0;
  std::atomic<std::int64_t> processor_time_ = 0;  ///< nanoseconds of all threads
  std::atomic<Clock::rep> deadline_;
  std::mutex excluding_;                                   ///< guards excluded_
  Clock::time_point excluded_ = Clock::time_point::min();  ///< what exclude() left out ends here
  std::atomic<std::uint64_t> left_, memory_left_;
  std::atomic<bool> canceled_ = false;
  std::atomic<int> hit_{0};
};

enum class Outcome : std::uint8_t {
  Finished,
  Barrier,  ///< waits at a barrier: run again once it has been passed
  Limit,    ///< the budget is used up; see Budget::hit
  Failed,   ///< see the Reports
};

/// Reports an instruction that no engine executes, with the reason where there is one.
void refuse_missing(machine::ExecutionContext& context);

/// Runs instructions in a way of its own, with the effect that they have here. Asked before each one.
class Shortcut {
 public:
  Shortcut() = default;
  Shortcut(const Shortcut&) = delete;
  Shortcut& operator=(const Shortcut&) = delete;
  virtual ~Shortcut() = default;
  /// From where the thread is, as far as lanes that wait somewhere don't matter: moves it on, and says how many steps
  /// that was, `most` of them at most.
  [[nodiscard]] virtual std::uint64_t run(machine::Thread& thread, std::uint64_t most) = 0;
};

/// Runs a started thread until it ends, waits, or may not go on.
[[nodiscard]] Outcome run(machine::Thread& thread, Budget& budget, Shortcut* shortcut = nullptr);

/// Of a group whose other threads all wait, `ended` arrive at its own barrier (SPV-38). False: nobody waits there, or
/// somebody who will not come.
[[nodiscard]] bool arrive_ended(machine::Group& group, std::size_t ended, std::uint64_t phase);

/// Runs the started threads of one group to their end, taking turns at barriers. A barrier that not all threads reach
/// is refused; with `ended_arrive` it is passed where the others ended, and checked (run-barrier-divergent).
[[nodiscard]] Outcome run_group(std::span<machine::Thread* const> threads, machine::Group& group, Budget& budget,
                                bool ended_arrive = false, Shortcut* shortcut = nullptr);
[[nodiscard]] Outcome run_group(std::span<machine::Thread> threads, machine::Group& group, Budget& budget,
                                bool ended_arrive = false);

}  // namespace heddle::engine::reference
