// SPDX-License-Identifier: MIT
// Barriers and fences. One thread runs at a time within a group, so fences have nothing to do here; the engines order
// what other groups see (orders_buffers), and what fences order is noted where races are looked for.
#include <fmt/format.h>

#include <bit>

#include "instructions/reference.hpp"

namespace heddle::instructions::sync {
namespace {

using machine::ExecutionContext;
using machine::Group;

/// Barrier 0 is the group's own; named barriers follow, one further up.
constexpr std::uint32_t kGroupBarrier = 0, kFirstNamed = 1;

/// Lanes of a shader that are somewhere else, and threads that wait at another barrier.
void check_convergence(ExecutionContext& s, Group& group) {
  const machine::ThreadStart& start = s.thread().setup();
  if (!s.checking() || start.invocations == nullptr || !start.invocations->shader) return;
  const std::uint32_t missing = start.dispatch_mask & ~s.thread().flow().active();
  if (missing != 0) {
    machine::Finding finding;
    finding.id = "run-barrier-divergent";
    finding.message = fmt::format("{} of the {} invocations of a subgroup do not reach this barrier",
                                  std::popcount(missing), std::popcount(start.dispatch_mask));
    s.check(nullptr, std::move(finding), static_cast<unsigned>(std::countr_zero(missing)));
  }
  const std::uint32_t site = s.site(), met = group.meet(site);
  if (met == 0 || met == site) return;
  machine::Finding finding;
  finding.id = "run-barrier-divergent";
  finding.message = "invocations of one group wait at different barriers";
  const auto [object, instruction] = s.at_site(met);
  finding.notes.push_back({"others wait here", s.thread().reports().place_of(*object, *instruction)});
  s.check(nullptr, std::move(finding), static_cast<unsigned>(std::countr_zero(start.dispatch_mask)));
}

std::uint64_t arrive(ExecutionContext& s, std::uint32_t id, std::uint32_t expected = 0) {
  Group* group = s.thread().setup().group;
  s.thread().pass_barrier();
  if (group != nullptr && id == kGroupBarrier) check_convergence(s, *group);
  if (machine::Observer* observer = s.thread().observer()) observer->barrier(s.thread(), id);
  return group != nullptr ? group->arrive(id, expected) : 0;
}

void wait_for(ExecutionContext& s, std::uint32_t id, std::uint64_t phase) {
  const Group* group = s.thread().setup().group;
  if (group != nullptr && !group->passed(id, phase)) s.thread().waiting = {true, id, phase, &s.instruction()};
}

void barrier(ExecutionContext& s) {
  const std::uint64_t phase = arrive(s, kGroupBarrier);
  wait_for(s, kGroupBarrier, phase);
}

void signal(ExecutionContext& s) { s.thread().signaled[kGroupBarrier] = arrive(s, kGroupBarrier); }

void wait_signaled(ExecutionContext& s, std::uint32_t id) {
  const auto found = s.thread().signaled.find(id);
  if (found == s.thread().signaled.end())
    s.check(nullptr, "run-barrier-wait", "the thread waits for a barrier that it never signaled");
  else
    wait_for(s, id, found->second);
}

void split_wait(ExecutionContext& s) { wait_signaled(s, kGroupBarrier); }

std::optional<std::uint32_t> barrier_id(ExecutionContext& s) {
  const machine::Wide id = s.read_scalar(*s.named("id"));
  if (id >= 0 && id < 32) return static_cast<std::uint32_t>(id) + kFirstNamed;
  s.refuse(s.named("id"), "visa-nbarrier-id",
           fmt::format("named barrier {} is not in 0...31", static_cast<std::int64_t>(id)));
  return std::nullopt;
}

void named_signal(ExecutionContext& s) {
  const auto id = barrier_id(s);
  if (!id) return;
  const machine::Operand* count = s.named("producers") != nullptr ? s.named("producers") : s.named("count");
  const machine::Wide producers = count != nullptr ? s.read_scalar(*count) : 0;
  s.thread().signaled[*id] =
      arrive(s, *id, static_cast<std::uint32_t>(producers > 0 && producers < 4096 ? producers : 0));
}

void named_wait(ExecutionContext& s) {
  if (const auto id = barrier_id(s)) wait_signaled(s, *id);
}

constexpr ReferenceHook kHooks[] = {
    {"barrier", barrier},
    {"sbarrier.signal", signal},
    {"sbarrier.wait", split_wait},
    {"nbarrier.signal", named_signal},
    {"nbarrier.wait", named_wait},
    {"fence_global", does_nothing},
    {"fence_local", does_nothing},
    {"fence_sw", does_nothing},
    {"sampler_cache_flush", does_nothing},
    {"yield", does_nothing},
    {"wait", does_nothing},
};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::sync
