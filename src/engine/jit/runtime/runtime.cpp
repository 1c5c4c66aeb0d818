// SPDX-License-Identifier: MIT
#include "engine/jit/runtime/runtime.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "engine/jit/runtime/plain_steps.hpp"
#include "engine/jit/runtime/slot.hpp"
#include "machine/execution_context.hpp"
#include "machine/memory.hpp"

namespace heddle::engine::jit {

using machine::jit::Result;
using machine::jit::ThreadContext;
using machine::jit::View;
using reference::Outcome;

View view_of(std::uint8_t* data, std::uint64_t size) {
  static std::uint8_t nothing[64];
  if (size > std::uint64_t{1} << 31) return {};
  return {size == 0 ? nothing : data, static_cast<std::uint32_t>(size)};
}

void Runner::Slot::learn_thread() {
  const ThreadContext& c = context;
  known_thread = c.thread;
  known_group = c.group[0];
  machine::ThreadStart start = threads->start(c.thread, {c.group[0], c.group[1], c.group[2]}, payload);
  start.scratch = scratch;
  start.group = group;
  thread.start_bare(start);
  watch_texels();
}

Runner::Runner(const CompiledKernel& kernel, const machine::Bindings& bindings, machine::Reports& reports,
               reference::Budget& budget, bool alone)
    : code_(kernel.code()) {
  begin_run(kernel, {kernel.images().table(), kernel.calls()}, bindings, reports, budget, alone);
}

Runner::Runner(const machine::Code& code) : code_(code) {}

Runner::~Runner() { end_run(); }

void Runner::begin_run(const CompiledKernel& kernel, const Tables& tables, const machine::Bindings& bindings,
                       machine::Reports& reports, reference::Budget& budget, bool alone) {
  kernel_ = &kernel;
  tables_ = tables;
  bindings_ = &bindings;
  reports_ = &reports;
  budget_ = &budget;
  alone_ = alone;
  ended_arrive_ = false;
  steps_of_run_ = 0;
  handles_.begin_run(kernel.prepared());
  interpreted_messages_.forget();
  ++run_;
  if (static_cast<std::uint32_t>(run_) != 0) return;
  ++run_;  // views of 2^32 runs ago look new again
  std::ranges::fill(handle_views_, machine::jit::HandleView{});
}

void Runner::begin_run(const BoundKernel& kernel, const machine::Bindings& bindings, machine::Reports& reports,
                       reference::Budget& budget, bool alone, bool ended_arrive) {
  begin_run(*kernel.kernel, {kernel.table.data(), kernel.calls.data()}, bindings, reports, budget, alone);
  ended_arrive_ = ended_arrive;
}

void Runner::count_used(const Slot& s, std::uint64_t steps) {
  used_ += steps;
  if (s.partial) used_partial_ += steps;
}

/// Instructions since the last time; before that, what the messages by handle called: the second tier may be made now.
/// Without memory for it there is none for better code either; who ran may be ending.
void Runner::tell_kernel() noexcept try {
  steps_of_run_ += used_;
  const std::uint64_t used = std::exchange(used_, 0), partial = std::exchange(used_partial_, 0);
  if (const auto met = handles_.take_met(); !met.empty()) kernel_->met(met);
  kernel_->ran(used - partial, partial);
} catch (const std::bad_alloc&) {
}

void Runner::end_run() {
  if (budget_ == nullptr) return;
  kernel_->run_ended();
  tell_kernel();
  handles_.end_run();
  give_back_steps();
  for (const auto& s : slots_)
    if (s->frame_bytes != 0) s->drop_frame(*budget_);
  budget_ = nullptr;
}

void Runner::begin_run(Slot& s) {
  s.run = run_;
  s.thread.rebind(*bindings_, *reports_);
  s.touched = true;
  s.threads = nullptr;
  ThreadContext& c = s.context;
  c.images = tables_.images;
  c.calls = tables_.calls;
  c.run = static_cast<std::uint32_t>(run_);
  show_handle_views(c);
  c.alone = alone_ ? machine::jit::kAlone : 0;
  std::ranges::fill(c.flat, machine::jit::FlatView{});
  const std::size_t count = std::min(bindings_->surfaces.size(), s.views.size());
  if (s.identities.size() < count) s.identities.resize(count);
  for (std::uint32_t i = 0; i < s.identities.size(); ++i) {
    const std::uint64_t identity = i < count ? bindings_->surfaces[i].identity() : 0;
    if (identity == s.identities[i]) continue;
    s.identities[i] = identity;
    s.views[i] = {};
    if (identity == 0) continue;
    const machine::MemoryTarget target = machine::bytes_of(*bindings_->surfaces[i], i);
    s.views[i] = view_of(target.data, target.size);
  }
}

void Runner::show_handle_views(ThreadContext& context) const {
  context.handles = handle_views_.data();
  context.handle_count = handle_views_.size();
}

void Runner::grow_handle_views(std::size_t handle) {
  handle_views_.resize(std::min(std::max<std::size_t>(64, 2 * handle + 1), kMaxHandleViews));
  for (const auto& s : slots_) show_handle_views(s->context);
}

Runner::Slot& Runner::slot(std::size_t index) {
  while (slots_.size() <= index) slots_.push_back(std::make_unique<Slot>(code_, *bindings_, *reports_, *this));
  Slot& s = *slots_[index];
  if (s.run != run_) begin_run(s);
  return s;
}

machine::Thread& Runner::thread() { return slot(0).thread; }

/// Compiled code carries no type marks for the undefined-behavior sanitizer to look at.
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static std::uint32_t
call(Function function, ThreadContext& context, machine::Registers& r) {
  return function(&context, r.bytes(), r.address_file(), r.state_file(), r.predicate_file());
}

void Runner::set_up(Slot& s, const machine::ThreadStart& start) {
  s.thread.start_bare(start);
  s.views[machine::kBtiScratch] = s.views[machine::kBtiTss] = view_of(start.scratch.data(), start.scratch.size());
  s.views[machine::kBtiSlm] =
      start.group != nullptr ? view_of(start.group->slm.data(), start.group->slm.size()) : view_of(nullptr, 0);
  ThreadContext& c = s.context;
  c.payload = start.payload.data();
  c.state0 = start.state0;
  c.hardware_id = start.hardware_id;
  c.pixels = start.pixels;
}

/// Out of line: the way of a thread that runs to its end stays short.
__attribute__((noinline)) static Outcome refuse_mask(machine::Reports& reports, const std::string& why) {
  reports.add(base::error("run-compile", "the kernel cannot be compiled for threads with fewer lanes: " + why));
  return Outcome::Failed;
}

Outcome Runner::begin(Slot& s, CompiledKernel::Way way, std::uint32_t dispatch_mask) {
  const Function function = kernel_->function(dispatch_mask, *budget_, way);
  if (function == nullptr) return refuse_mask(*reports_, kernel_->problem());
  if (left_ == 0) left_ = grant(kChunk);
  if (left_ == 0) return Outcome::Limit;
  s.forget_interpreted();
  ThreadContext& c = s.context;
  c.steps = 0;
  c.granted = left_;
  c.dispatch_mask = dispatch_mask;
  c.resume = 0;
  s.function = function;
  s.partial = kernel_->is_partial(dispatch_mask, way);
  s.watch_texels();
  c.result = call(function, c, s.thread.registers());
  return account(s, c.result);
}

Outcome Runner::go_on(Slot& s) {
  if (left_ == 0) left_ = grant(kChunk);
  if (left_ == 0) return Outcome::Limit;
  ThreadContext& c = s.context;
  c.granted = c.steps + left_;
  s.watch_texels();
  c.result = call(s.function, c, s.thread.registers());
  return account(s, c.result);
}

/// `left_` has been granted, with what was taken since, beyond the steps before; threads of a row that ended took
/// theirs off the grant.
Outcome Runner::account(Slot& s, std::uint32_t code) {
  const std::uint64_t used = s.context.steps + left_ - s.context.granted;
  count_used(s, used);
  if (used_ >= kChunk) tell_kernel();
  const auto result = static_cast<Result>(code);
  if (used <= left_) {
    left_ -= used;
    if (left_ > 4 * kChunk) {
      budget_->give_back(left_ - kChunk);
      left_ = kChunk;
    }
  } else {
    const std::uint64_t over = used - left_;
    left_ = 0;
    if (grant(over) < over && result != Result::Failed) {
      (void)budget_->take(1);  // which says that the limit is hit
      return Outcome::Limit;
    }
  }
  switch (result) {
    case Result::Finished:
      ended_ = true;
      return Outcome::Finished;
    case Result::Limit:
      return Outcome::Limit;
    case Result::Waiting:
    case Result::Barrier:
      return Outcome::Barrier;
    case Result::Failed:
      break;
  }
  return Outcome::Failed;
}

void Runner::arrive(Slot& s, machine::Group* group) {
  if (s.context.result != static_cast<std::uint32_t>(Result::Barrier)) return;
  s.phase = group != nullptr ? group->arrive(0) : 0;
}

bool Runner::may_go_on(Slot& s, const machine::Group* group) {
  if (group == nullptr) return true;
  machine::Thread::Waiting& waiting = s.thread.waiting;
  if (s.context.result == static_cast<std::uint32_t>(Result::Barrier)) return group->passed(0, s.phase);
  if (waiting.active && !group->passed(waiting.id, waiting.phase)) return false;
  waiting.active = false;
  return true;
}

void Runner::refuse_unreached(Slot& s, std::size_t threads) {
  if (s.threads != nullptr) s.know_thread();
  const bool own = s.context.result == static_cast<std::uint32_t>(Result::Barrier);
  const machine::Decoded& at = own ? s.thread.object().code[s.context.waiting_at] : *s.thread.waiting.at;
  machine::ExecutionContext(s.thread, at)
      .refuse(nullptr, "run-barrier-unreached",
              fmt::format("not all {} threads of the group reach this barrier", threads));
}

Outcome Runner::enter(Slot& s, CompiledKernel::Way way, std::uint32_t dispatch_mask) {
  Outcome outcome = begin(s, way, dispatch_mask);
  if (outcome != Outcome::Barrier) return outcome;
  machine::Group* group = s.threads != nullptr ? s.group : s.thread.setup().group;
  while (outcome == Outcome::Barrier) {
    arrive(s, group);
    if (!may_go_on(s, group)) {
      refuse_unreached(s, 1);
      return Outcome::Failed;
    }
    outcome = go_on(s);
  }
  return outcome;
}

Outcome Runner::run_thread(Slot& s, const machine::ThreadStart& start) {
  auto outcome = Outcome::Finished;
  if (interpret(s, start, CompiledKernel::Way::Threads, outcome)) return outcome;
  set_up(s, start);
  return enter(s, CompiledKernel::Way::Threads, start.dispatch_mask);
}

void Runner::begin(const machine::ThreadStart& start) { set_up(slot(0), start); }

Outcome Runner::next(std::uint32_t dispatch_mask, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  Slot& s = *slots_.front();
  s.context.left = 0;
  if (kernel_->interprets(dispatch_mask, CompiledKernel::Way::Threads, *budget_)) {
    machine::ThreadStart start = s.thread.setup();
    start.dispatch_mask = dispatch_mask;
    start.group_id = {x, y, z};
    auto outcome = Outcome::Finished;
    if (interpret(s, start, CompiledKernel::Way::Threads, outcome)) return outcome;
  }
  s.thread.start_again(dispatch_mask, x, y, z, s.touched);
  s.touched = false;
  return enter(s, CompiledKernel::Way::Threads, dispatch_mask);
}

Outcome Runner::next_row(std::uint8_t* payload, std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t count,
                         void (*fill)(void*), void* filler, std::uint64_t& done) {
  Slot& s = *slots_.front();
  ThreadContext& c = s.context;
  const std::uint32_t mask = kernel_->full_mask();
  c.fill = fill;
  c.filler = filler;
  while (count != 0 && kernel_->interprets(mask, CompiledKernel::Way::Rows, *budget_)) {
    machine::ThreadStart start = s.thread.setup();
    start.dispatch_mask = mask;
    start.group_id = {x, y, z};
    put_row(payload, x | y << 16, fill, filler);
    auto outcome = Outcome::Finished;
    if (!interpret(s, start, CompiledKernel::Way::Rows, outcome)) break;
    ++done;
    if (outcome != Outcome::Finished) return outcome;
    if (reports_->failed()) return Outcome::Failed;
    --count;
    x += kernel_->columns();
  }
  while (count != 0) {
    s.thread.start_again(mask, x, y, z, s.touched);
    s.touched = false;
    c.place = x | y << 16;
    c.left = count;
    c.stop = 0;
    const Outcome outcome = enter(s, CompiledKernel::Way::Rows, mask);
    const std::uint32_t ended = count - c.left;
    done += outcome == Outcome::Finished ? ended : ended + 1;
    if (outcome != Outcome::Finished) return outcome;
    if (reports_->failed()) return Outcome::Failed;
    count -= ended;
    x = (c.place & 0xffffu) + kernel_->columns();
  }
  return Outcome::Finished;
}

Outcome Runner::run_group(std::span<const machine::ThreadStart> starts, machine::Group& group) {
  if (kernel_->has_barrier() && starts.size() > 1) {
    for (std::size_t t = 0; t < starts.size(); ++t) {
      set_up(slot(t), starts[t]);
      slot(t).lanes = starts[t].dispatch_mask;
    }
    if (!interprets(starts.size())) return run_together(starts.size(), group);
    for (std::size_t t = 0; t < starts.size(); ++t) slot(t).thread.start(starts[t]);
    return interpret_together(starts.size(), group);
  }
  for (const machine::ThreadStart& start : starts) {
    if (start.dispatch_mask == 0) continue;
    const Outcome outcome = run_thread(slot(0), start);
    if (outcome != Outcome::Finished) return outcome;
  }
  return Outcome::Finished;
}

void Runner::set_up(Slot& s, const GroupThreads& threads, machine::Group& group, std::array<std::uint32_t, 3> number) {
  s.threads = &threads;
  s.group = &group;
  s.known_thread = Slot::kNobody;
  s.scratch.resize(threads.scratch_bytes);
  s.views[machine::kBtiScratch] = s.views[machine::kBtiTss] = view_of(s.scratch.data(), s.scratch.size());
  s.views[machine::kBtiSlm] = view_of(group.slm.data(), group.slm.size());
  ThreadContext& c = s.context;
  c.payload = threads.own.data();
  c.shared = threads.shared.data();
  c.stride = threads.stride;
  std::ranges::copy(number, c.group);
}

Outcome Runner::run_row(Slot& s, const GroupThreads& threads, std::uint32_t begin, std::uint32_t end,
                        std::uint32_t groups) {
  ThreadContext& c = s.context;
  const std::uint32_t first = c.group[0];
  c.thread = c.thread_begin = begin;
  c.thread_end = end;
  c.group_end = first + groups;
  std::ranges::fill(s.scratch, std::uint8_t{0});
  const std::uint32_t mask = threads.masks[begin];
  auto outcome = Outcome::Finished;
  if (mask != 0 && end == begin + 1 && groups == 1 &&
      kernel_->interprets(mask, CompiledKernel::Way::Threads, *budget_) &&
      interpret(s, start_of(s, threads, begin), CompiledKernel::Way::Threads, outcome))
    return outcome;
  outcome = mask != 0 ? enter(s, CompiledKernel::Way::Threads, mask) : Outcome::Finished;
  if (outcome != Outcome::Finished) groups_done_ += c.group[0] - first;
  c.group[0] = first;
  return outcome;
}

Outcome Runner::run_groups(const GroupThreads& threads, machine::Group& group, std::array<std::uint32_t, 3> first,
                           std::uint32_t count) {
  const auto size = static_cast<std::uint32_t>(threads.masks.size());
  groups_done_ = 0;
  if (kernel_->has_barrier() && size > 1) {
    for (std::uint32_t n = 0; n < count; ++n, ++groups_done_) {
      group.reset();
      for (std::uint32_t t = 0; t < size; ++t) {
        Slot& s = slot(t);
        if (n == 0) {
          set_up(s, threads, group, first);
          s.lanes = threads.masks[t];
        }
        ThreadContext& c = s.context;
        c.thread = c.thread_begin = t;
        c.thread_end = t + 1;
        c.group[0] = first[0] + n;
        c.group_end = c.group[0] + 1;
        if (!s.scratch.empty()) std::ranges::fill(s.scratch, std::uint8_t{0});
      }
      const bool interpreted = interprets(size);
      for (std::uint32_t t = 0; interpreted && t < size; ++t) slot(t).thread.start(start_of(slot(t), threads, t));
      const Outcome outcome = interpreted ? interpret_together(size, group) : run_together(size, group);
      if (outcome != Outcome::Finished) return outcome;
    }
    return Outcome::Finished;
  }
  Slot& s = slot(0);
  const bool fresh = kernel_->uses_shared_memory() || kernel_->has_barrier();
  const std::uint32_t most = threads.scratch_bytes != 0 || kernel_->has_barrier() ? 1 : kernel_->threads_at_once();
  const bool together = !fresh && size <= most &&
                        std::ranges::all_of(threads.masks, [&](std::uint32_t m) { return m == threads.masks[0]; });
  set_up(s, threads, group, first);
  for (std::uint32_t n = 0; n < count;) {
    const auto is_interpreted = [&](std::uint32_t t) {
      return threads.masks[t] != 0 && kernel_->interprets(threads.masks[t], CompiledKernel::Way::Threads, *budget_);
    };
    const std::uint32_t groups = together && !is_interpreted(0) ? std::min(count - n, most / size) : 1;
    if (fresh) group.reset();
    s.context.group[0] = first[0] + n;
    for (std::uint32_t begin = 0, end = 0; begin < size; begin = end) {
      end = begin + 1;
      while (!is_interpreted(begin) && end < size && end - begin < most && threads.masks[end] == threads.masks[begin])
        ++end;
      const Outcome outcome = run_row(s, threads, begin, end, groups);
      if (outcome != Outcome::Finished) return outcome;
    }
    n += groups;
    groups_done_ = n;
  }
  return Outcome::Finished;
}

/// Runs a thread from where it is. True when it reaches the group's own barrier; otherwise `outcome` says what
/// happened. The fast path: enough steps are left, so the budget need not be asked.
bool Runner::comes_to_barrier(Slot& s, Outcome& outcome) {
  ThreadContext& c = s.context;
  if (left_ == 0) left_ = grant(kChunk);
  if (left_ == 0) return outcome = Outcome::Limit, false;
  c.granted = c.steps + left_;
  s.watch_texels();
  c.result = call(s.function, c, s.thread.registers());
  const std::uint64_t used = c.steps + left_ - c.granted;
  const bool barrier = c.result == static_cast<std::uint32_t>(Result::Barrier);
  if (barrier && used < left_) [[likely]] {
    left_ -= used;
    count_used(s, used);
    return true;
  }
  outcome = account(s, c.result);
  return barrier && outcome == Outcome::Barrier;
}

/// As long as every thread comes to the group's own barrier: nothing need be counted then. The outcome of the first
/// that does something else, whose number is `first + arrived`, round and round; `arrived` wait at the barrier.
Outcome Runner::run_in_step(std::size_t count, std::size_t& first, std::size_t& arrived) {
  Outcome outcome = Outcome::Barrier;
  first = 0;
  for (arrived = 0; arrived < count; ++arrived) {
    Slot& s = *slots_[arrived];
    s.function = kernel_->function(s.lanes, *budget_);
    s.partial = kernel_->is_partial(s.lanes, CompiledKernel::Way::Threads);
    if (s.function == nullptr) return refuse_mask(*reports_, kernel_->problem());
    s.started = true;
    s.forget_interpreted();
    s.context.steps = 0;
    s.context.dispatch_mask = s.lanes;
    s.context.resume = 0;
    if (!comes_to_barrier(s, outcome)) return outcome;
  }
  for (;;) {
    first = first == 0 ? count - 1 : first - 1;  // the last to arrive does not wait
    std::size_t at = first;
    for (arrived = 0; arrived < count; ++arrived, at = at + 1 == count ? 0 : at + 1)
      if (!comes_to_barrier(*slots_[at], outcome)) return outcome;
  }
}

bool Runner::pass_without_ended(std::size_t count, machine::Group& group) {
  std::size_t ended = 0;
  const Slot* waits = nullptr;
  for (std::size_t t = 0; t < count; ++t) {
    ended += slots_[t]->done ? 1 : 0;
    if (waits == nullptr && !slots_[t]->done) waits = slots_[t].get();
  }
  if (ended == 0 || waits == nullptr) return false;
  const bool own = waits->context.result == static_cast<std::uint32_t>(Result::Barrier);
  const machine::Thread::Waiting& waiting = waits->thread.waiting;
  if (!own && (!waiting.active || waiting.id != 0)) return false;
  return reference::arrive_ended(group, ended, own ? waits->phase : waiting.phase);
}

/// In turns, as the reference engine does: a thread runs until it has to wait or ends. Frames of those that wait when
/// the group fails are forgotten.
Outcome Runner::run_together(std::size_t count, machine::Group& group) {
  bool all = group.threads() == count && !kernel_->has_signal();
  for (std::size_t t = 0; t < count; ++t) {
    Slot& s = *slots_[t];
    s.started = false;
    s.done = s.lanes == 0;
    s.phase = 0;
    all = all && !s.done;
  }
  std::size_t next = 0;
  if (all) {
    if (used_ >= kChunk) tell_kernel();
    std::size_t first = 0, arrived = 0;
    const Outcome outcome = run_in_step(count, first, arrived);
    if (outcome != Outcome::Barrier && outcome != Outcome::Finished) return outcome;
    for (std::size_t t = 0; t < arrived; ++t) arrive(*slots_[(first + t) % count], &group);
    next = (first + arrived) % count;
    slots_[next]->done = outcome == Outcome::Finished;
    next = (next + 1) % count;
  }
  for (std::size_t idle = 0; idle < count || (ended_arrive_ && pass_without_ended(count, group));
       ++idle, next = (next + 1) % count) {
    Slot& s = *slots_[next];
    if (s.done || (s.started && !may_go_on(s, &group))) continue;
    idle = 0;
    Outcome outcome = s.started ? go_on(s) : begin(s, CompiledKernel::Way::Threads, s.lanes);
    s.started = true;
    for (; outcome == Outcome::Barrier; outcome = go_on(s)) {
      arrive(s, &group);
      if (!may_go_on(s, &group)) break;
    }
    if (outcome == Outcome::Finished)
      s.done = true;
    else if (outcome != Outcome::Barrier)
      return outcome;
  }
  for (std::size_t t = 0; t < count; ++t)
    if (!slots_[t]->done) {
      refuse_unreached(*slots_[t], count);
      return Outcome::Failed;
    }
  return Outcome::Finished;
}

}  // namespace heddle::engine::jit
