// SPDX-License-Identifier: MIT
#include "engine/reference/run.hpp"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include <fmt/format.h>

#include "instructions/fence.hpp"
#include "instructions/reference.hpp"
#include "machine/sanitizer/quads.hpp"

namespace heddle::engine::reference {
namespace {

constexpr std::uint64_t kChunk = 16384;  ///< steps between looks at the clock

/// SPV-20: other groups, on other processors, see what is before it before they see what is behind it.
void pass_fence(machine::Thread& thread, const machine::Decoded& d) {
  const bool buffers = instructions::orders_buffers({thread.object(), d});
  if (buffers) std::atomic_thread_fence(std::memory_order_acq_rel);
  thread.pass_fence(buffers);
}

/// One instruction; false when the thread must stop for now. `carries`: it takes what has been written only.
bool execute(machine::Thread& thread, const machine::Decoded& d, bool carries) {
  if (d.execute == nullptr) {
    machine::ExecutionContext context(thread, d);
    refuse_missing(context);
    return false;
  }
  if (d.reads_live) thread.refresh_live();
  machine::ExecutionContext context(thread, d);
  const std::uint32_t lanes = context.thread_lanes(context.enabled());
  if (carries) context.narrow(machine::written_lanes(context));
  d.execute(context);
  if (d.writes_control && !context.has_jumped()) thread.reload_modes();
  thread.count_step();
  if (machine::Observer* observer = thread.instruction_observer()) observer->instruction(thread, d, lanes);
  if (!context.has_jumped()) thread.flow().advance();
  return !thread.failed() && !thread.finished() && !thread.waiting.active;
}

void run_off_the_end(machine::Thread& thread) {
  const machine::PreparedObject& object = thread.object();
  if (!object.code.empty())
    machine::ExecutionContext(thread, object.code.back())
        .check(nullptr, "run-flow-end", "the program runs past its last instruction");
  thread.finish();
}

}  // namespace

void refuse_missing(machine::ExecutionContext& context) {
  const isa::InstructionDescription& description = *context.instruction().description;
  const std::string_view why = description.refused;
  context.refuse(nullptr, "run-instruction-missing",
                 fmt::format("'{}' is not executed by the reference engine{}{}", description.mnemonic,
                             why.empty() ? "" : ": ", why));
}

namespace {

std::uint64_t new_budget() {
  static std::atomic<std::uint64_t> last = 0;
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

constexpr auto kLookEvery = std::chrono::milliseconds(10);  // at the processor's clock, which the kernel has to ask for
constexpr std::int64_t kUnknown = -1;

/// Nanoseconds of processor time that this thread has used.
std::int64_t thread_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

/// What a thread saw when it looked last.
struct Look {
  std::uint64_t budget = 0;
  std::uint64_t progress = 0;
  std::chrono::steady_clock::time_point at;
  std::int64_t used = kUnknown;  ///< the thread's time then
  std::int64_t stuck = 0;        ///< of it since something ended
};
thread_local Look last_look;

}  // namespace

Budget::Budget(const base::Limits& limits, Seconds seconds, unsigned processors)
    : steps_(limits.steps),
      memory_(limits.memory_bytes),
      seconds_(limits.seconds),
      counts_(seconds),
      processors_(std::max(1u, processors)),
      identity_(new_budget()),
      deadline_((Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(std::min(limits.seconds, 1e8))))
                    .time_since_epoch()
                    .count()),
      left_(limits.steps),
      memory_left_(limits.memory_bytes) {}

bool Budget::has_time() {
  const Clock::time_point now = Clock::now();
  if (counts_ == Seconds::Processor) return has_processor_time(now);
  if (now.time_since_epoch().count() <= deadline_.load(std::memory_order_relaxed)) return true;
  hit_.store(2, std::memory_order_relaxed);
  return false;
}

bool Budget::has_processor_time(Clock::time_point now) {
  Look& look = last_look;
  const std::uint64_t progress = progress_.load(std::memory_order_relaxed);
  if (look.budget != identity_) {
    look = {identity_, progress, now, kUnknown, 0};
    return true;
  }
  if (now - look.at < kLookEvery) return true;
  const std::int64_t used = thread_time(), since = look.used == kUnknown ? 0 : used - look.used;
  look.at = now;
  look.used = used;
  look.stuck = progress == look.progress ? look.stuck + since : 0;
  look.progress = progress;
  constexpr double kNanoseconds = 1e9;
  const std::int64_t all = processor_time_.fetch_add(since, std::memory_order_relaxed) + since;
  const bool stuck = static_cast<double>(look.stuck) > seconds_ * kNanoseconds;
  const bool too_long = static_cast<double>(all) > seconds_ * kNanoseconds * kMaxOfThem * processors_;
  if (!stuck && !too_long) return true;
  hit_.store(stuck ? 6 : 7, std::memory_order_relaxed);
  return false;
}

void Budget::exclude(Clock::time_point begin, Clock::time_point end) {
  last_look.used = kUnknown;  // whoever compiled, or waited for it, begins to count anew
  const std::lock_guard guard(excluding_);
  begin = std::max(begin, excluded_);
  if (end <= begin) return;
  excluded_ = end;
  deadline_.fetch_add((end - begin).count(), std::memory_order_relaxed);
}

std::uint64_t Budget::take(std::uint64_t wanted) {
  if (canceled_.load(std::memory_order_relaxed)) {
    hit_.store(5, std::memory_order_relaxed);
    return 0;
  }
  if (!has_time()) return 0;
  std::uint64_t left = left_.load(std::memory_order_relaxed);
  std::uint64_t granted = 0;
  do {
    granted = std::min(left, wanted);
  } while (!left_.compare_exchange_weak(left, left - granted, std::memory_order_relaxed));
  if (granted == 0) hit_.store(1, std::memory_order_relaxed);
  return granted;
}

bool Budget::take_memory(std::uint64_t bytes) {
  std::uint64_t left = memory_left_.load(std::memory_order_relaxed);
  do {
    if (bytes > left) return hit_.store(3, std::memory_order_relaxed), false;
  } while (!memory_left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed));
  return true;
}

std::optional<base::Diagnostic> Budget::hit() const {
  switch (hit_.load(std::memory_order_relaxed)) {
    case 1:
      return base::limit_error("limit-steps",
                               fmt::format("the run takes more than {} instructions (--max-steps)", steps_));
    case 2:
      return base::limit_error("limit-seconds",
                               fmt::format("the run takes longer than {} seconds (--max-seconds)", seconds_));
    case 3:
      return base::limit_error(
          "limit-memory",
          fmt::format("the threads that run together, with what those that wait at barriers keep, need more "
                      "than {} bytes (--max-memory)",
                      memory_));
    case 4:
      return base::limit_error("limit-memory", "the machine has no memory left for what threads keep");
    case 5:
      return base::limit_error("limit-canceled", "the run was ended from outside");
    case 6:
      return base::limit_error("limit-seconds",
                               fmt::format("none of its threads ended for {} s of processor time", seconds_));
    case 7:
      return base::limit_error("limit-seconds",
                               fmt::format("it takes more than {} s of processor time on each of {} processors",
                                           kMaxOfThem * seconds_, processors_));
    default:
      return std::nullopt;
  }
}

Outcome run(machine::Thread& thread, Budget& budget, Shortcut* shortcut) {
  std::uint64_t left = 0;
  bool carries = false;
  while (!thread.finished() && !thread.failed()) {
    if (left == 0) {
      if (thread.reports().failed()) break;
      left = budget.take(kChunk);
      if (left == 0) return Outcome::Limit;
    }
    machine::Flow& flow = thread.flow();
    flow.arrive();
    if (shortcut != nullptr) {
      const std::uint32_t from = flow.pc();
      const std::uint64_t steps = shortcut->run(thread, left);
      left -= steps;
      if (flow.pc() != from) continue;
    }
    const std::vector<machine::Decoded>& code = thread.object().code;
    if (flow.pc() >= code.size()) {
      run_off_the_end(thread);
      break;
    }
    const machine::Decoded& d = code[flow.pc()];
    if (d.execute == instructions::does_nothing) {
      if (d.description->traits.fence != isa::FenceKind::None) pass_fence(thread, d);
      if (d.description->traits.flow == isa::FlowKind::Remark && thread.reports().checking())
        machine::pass_remark(thread, d, carries);
      flow.advance();
      continue;
    }
    --left;
    if (!execute(thread, d, carries)) break;
  }
  budget.give_back(left);
  if (thread.failed()) return Outcome::Failed;
  if (thread.finished()) return budget.progress(), Outcome::Finished;
  return thread.waiting.active ? Outcome::Barrier : Outcome::Failed;
}

bool arrive_ended(machine::Group& group, std::size_t ended, std::uint64_t phase) {
  for (; ended > 0 && !group.passed(0, phase); --ended) group.arrive(0);
  return group.passed(0, phase);
}

namespace {

/// Nobody can go on: those that ended arrive where the first one waits, if that is the group's own barrier.
bool pass_without_ended(std::span<machine::Thread* const> threads, machine::Group& group) {
  const auto has_ended = [](const machine::Thread* thread) { return thread->finished(); };
  const auto ended = static_cast<std::size_t>(std::ranges::count_if(threads, has_ended));
  const auto waits = std::ranges::find_if_not(threads, has_ended);
  if (ended == 0 || waits == threads.end() || (*waits)->waiting.id != 0) return false;
  if (!arrive_ended(group, ended, (*waits)->waiting.phase)) return false;
  machine::ExecutionContext context(**waits, *(*waits)->waiting.at);
  if (!context.checking()) return true;
  machine::Finding finding;
  finding.id = "run-barrier-divergent";
  finding.message = fmt::format("{} of the {} subgroups of a group ended before this barrier", ended, threads.size());
  context.check(nullptr, std::move(finding), static_cast<unsigned>(std::countr_zero((*waits)->setup().dispatch_mask)));
  return true;
}

}  // namespace

Outcome run_group(std::span<machine::Thread* const> threads, machine::Group& group, Budget& budget, bool ended_arrive,
                  Shortcut* shortcut) {
  bool progress = true;
  while (progress) {
    progress = false;
    for (machine::Thread* thread : threads) {
      if (thread->finished()) continue;
      if (thread->waiting.active) {
        if (!group.passed(thread->waiting.id, thread->waiting.phase)) continue;
        thread->waiting.active = false;
      }
      progress = true;
      const Outcome outcome = run(*thread, budget, shortcut);
      if (outcome == Outcome::Limit || outcome == Outcome::Failed) return outcome;
    }
    progress = progress || (ended_arrive && pass_without_ended(threads, group));
  }
  for (machine::Thread* thread : threads) {
    if (thread->finished()) continue;
    machine::ExecutionContext(*thread, *thread->waiting.at)
        .refuse(nullptr, "run-barrier-unreached",
                fmt::format("not all {} threads of the group reach this barrier", threads.size()));
    return Outcome::Failed;
  }
  return Outcome::Finished;
}

Outcome run_group(std::span<machine::Thread> threads, machine::Group& group, Budget& budget, bool ended_arrive) {
  if (threads.size() == 1) {
    machine::Thread* const one = threads.data();
    return run_group(std::span(&one, 1), group, budget, ended_arrive);
  }
  std::vector<machine::Thread*> all;
  all.reserve(threads.size());
  for (machine::Thread& thread : threads) all.push_back(&thread);
  return run_group(all, group, budget, ended_arrive);
}

}  // namespace heddle::engine::reference
