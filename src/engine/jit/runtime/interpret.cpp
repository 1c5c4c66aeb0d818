// SPDX-License-Identifier: MIT
// Threads of a Runner that have no code yet: the reference engine runs them, from their start to their end.

#include <algorithm>
#include <cstring>
#include <functional>
#include <ranges>
#include <vector>

#include "base/half.hpp"
#include "engine/jit/runtime/plain_steps.hpp"
#include "engine/jit/runtime/slot.hpp"

namespace heddle::engine::jit {

using reference::Outcome;

machine::ThreadStart Runner::start_of(Slot& s, const GroupThreads& threads, std::uint32_t thread) {
  const machine::jit::ThreadContext& c = s.context;
  machine::ThreadStart start = threads.start(thread, {c.group[0], c.group[1], c.group[2]}, s.payload);
  start.scratch = s.scratch;
  start.group = s.group;
  s.known_thread = Slot::kNobody;
  return start;
}

reference::Shortcut* Runner::shortcut() {
  const PlainSteps* steps = kernel_->prepared()->plain_steps();
  if (steps == nullptr) return nullptr;
  if (plain_ == nullptr) plain_ = std::make_unique<PlainThreads>();
  plain_->begin_run(*steps, tables_.calls);
  return plain_.get();
}

bool Runner::interpret(Slot& s, const machine::ThreadStart& start, CompiledKernel::Way way, Outcome& outcome) {
  if (!kernel_->interprets(start.dispatch_mask, way, *budget_)) return false;
  give_back_steps();
  machine::Group alone(1);
  machine::Group& group = start.group != nullptr ? *start.group : alone;
  machine::Thread* const thread = &s.thread;
  s.touched = s.interpreted = true;
  thread->set_request_runner(&interpreted_messages_);
  thread->start(start);
  const std::uint64_t most = kernel_->steps_before_restart(start.dispatch_mask, way);
  if (most == 0) {
    outcome = reference::run_group(std::span(&thread, 1), group, *budget_, ended_arrive_, shortcut());
    kernel_->interpreted(start.dispatch_mask, way, thread->steps());
    steps_of_run_ += thread->steps();
    return true;
  }
  base::Limits limits;
  limits.steps = most;
  reference::Budget some(limits);
  outcome = reference::run_group(std::span(&thread, 1), group, some, ended_arrive_, shortcut());
  kernel_->interpreted(start.dispatch_mask, way, some.used());
  steps_of_run_ += some.used();
  // Behind its last loop a thread ends soon, and what it does there is seen.
  const bool goes_on = outcome == Outcome::Limit && thread->flow().pc() > kernel_->prepared()->last_branch_back();
  if (outcome != Outcome::Limit || goes_on) {
    if (grant(some.used()) < some.used() && outcome != Outcome::Failed) {
      (void)budget_->take(1);  // which says that the limit is hit
      outcome = Outcome::Limit;
    } else if (goes_on) {
      outcome = reference::run_group(std::span(&thread, 1), group, *budget_, ended_arrive_, shortcut());
    }
    ended_ = true;
    return true;
  }
  // Nobody has seen anything of it.
  if (kernel_->function(start.dispatch_mask, *budget_, way) != nullptr) return false;
  thread->start(start);
  outcome = reference::run_group(std::span(&thread, 1), group, *budget_, ended_arrive_, shortcut());
  return true;
}

bool Runner::interprets(std::size_t count) {
  return std::ranges::all_of(slots_ | std::views::take(count), [&](const auto& s) {
    return s->lanes == 0 || kernel_->interprets(s->lanes, CompiledKernel::Way::Threads, *budget_);
  });
}

Outcome Runner::interpret_together(std::size_t count, machine::Group& group) {
  give_back_steps();
  std::vector<machine::Thread*> threads;
  for (std::size_t t = 0; t < count; ++t) {
    slots_[t]->thread.set_request_runner(&interpreted_messages_);
    threads.push_back(&slots_[t]->thread);  // those without lanes have ended
  }
  const Outcome outcome = reference::run_group(threads, group, *budget_, ended_arrive_, shortcut());
  for (std::size_t t = 0; t < count; ++t) {
    Slot& s = *slots_[t];
    s.touched = s.interpreted = true;
    if (s.lanes != 0) kernel_->interpreted(s.lanes, CompiledKernel::Way::Threads, s.thread.steps());
    if (s.lanes != 0) steps_of_run_ += s.thread.steps();
  }
  return outcome;
}

/// As ThreadLoop::begin_row does.
void Runner::put_row(std::uint8_t* payload, std::uint32_t place, void (*fill)(void*), void* filler) const {
  const RowLayout& row = *kernel_->prepared()->options().row;
  const unsigned simd = kernel_->prepared()->options().simd, slots = simd == 8 ? 8 : 16, halves = simd == 32 ? 2 : 1;
  const auto put = [&](std::size_t at, std::uint32_t word) { std::memcpy(payload + at, &word, 4); };
  const auto put_places = [&] {
    for (unsigned half = 0; half < halves; ++half)
      for (unsigned k = 0; k < 4; ++k)
        put(32 * (1 + std::size_t{half}) + 8 + 4 * std::size_t{k}, 4 * k < slots ? place + half * 8 + 2 * k : 0);
  };
  put_places();
  if (fill != nullptr) {
    fill(filler);
    put_places();
  }
  const std::uint32_t every = (1u << slots) - 1;
  const std::uint32_t left = place & 0xffffu, top = place >> 16;
  for (unsigned half = 0; half < halves; ++half) {
    put(32 * (1 + std::size_t{half}) + 28, every | every << 16);
    const auto put_centers = [&](const std::vector<std::uint32_t>& places, const auto& center) {
      for (const std::uint32_t at : places)
        for (unsigned k = 0; k < slots; ++k)
          put(at + std::size_t{half} * 64 + 4 * std::size_t{k}, base::bits_of(center(k)));
    };
    put_centers(row.x, [&](unsigned k) { return static_cast<float>(left + half * 8 + k / 4 * 2 + k % 2) + 0.5f; });
    put_centers(row.y, [&](unsigned k) { return static_cast<float>(top + k / 2 % 2) + 0.5f; });
  }
}

// --- messages that are no plain steps ---

std::size_t InterpretedMessages::Hash::operator()(const Place& place) const {
  const std::hash<const void*> hash;
  return hash(place.site) ^ hash(place.surface) * 31 ^ hash(place.sampler) * 131 ^ place.simd;
}

namespace {

/// Whether `prepared` was made for what `request` asks: offsets and flags of a message may stand in registers.
bool asks_the_same(const texture::LaneRequest& prepared, const texture::LaneRequest& request) {
  for (std::size_t p = 0; p < request.params.size(); ++p)
    if ((prepared.params[p] == nullptr) != (request.params[p] == nullptr)) return false;
  return prepared.op == request.op && prepared.half_parameters == request.half_parameters &&
         prepared.offset == request.offset && prepared.source_channel == request.source_channel &&
         prepared.null_mask == request.null_mask && prepared.cps_compensation == request.cps_compensation &&
         prepared.coarse_width == request.coarse_width && prepared.coarse_height == request.coarse_height;
}

}  // namespace

texture::LaneResult InterpretedMessages::run(const void* site, const texture::LaneRequest& request,
                                             texture::OperationContext& context) {
  if (context.observer != nullptr) return texture::execute(request, context);  // who hears of texels hears of all
  const auto [entry, added] = prepared_.try_emplace({site, request.surface, request.sampler, request.simd});
  std::unique_ptr<texture::simd::PreparedOperation>& prepared = entry->second;
  if (added) {
    texture::OperationContext asked = context;
    asked.reports = base::Diagnostics{};
    prepared = texture::simd::prepare(request, asked);
    // What there is to say of the state, execute() says.
    if (!asked.reports.empty() || (prepared != nullptr && !texture::simd::is_fast(*prepared))) prepared.reset();
  }
  return prepared != nullptr && asks_the_same(prepared->request, request)
             ? texture::simd::run(*prepared, request, context)
             : texture::execute(request, context);
}

}  // namespace heddle::engine::jit
