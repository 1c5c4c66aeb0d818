// SPDX-License-Identifier: MIT
#include "vulkan/sanitizer/order/access_map.hpp"

#include <algorithm>
#include <iterator>

namespace heddle::vulkan {

void AccessMap::split(std::uintptr_t at) {
  auto found = intervals_.upper_bound(at);
  if (found == intervals_.begin()) return;
  --found;
  if (found->first == at || found->second.end <= at) return;
  const Interval behind = found->second;
  found->second.end = at;
  intervals_.emplace_hint(std::next(found), at, behind);
}

/// Makes one of an interval and its neighbors where they are alike.
void AccessMap::join(Map::iterator at) {
  const auto alike = [](const auto& a, const auto& b) {
    return a.second.end == b.first && a.second.state == b.second.state;
  };
  if (const auto next = std::next(at); next != intervals_.end() && alike(*at, *next)) {
    at->second.end = next->second.end;
    intervals_.erase(next);
  }
  if (at == intervals_.begin()) return;
  if (const auto last = std::prev(at); alike(*last, *at)) {
    last->second.end = at->second.end;
    intervals_.erase(at);
  }
}

void AccessMap::access(std::uintptr_t begin, std::uintptr_t end, Use use, bool write,
                       const std::function<bool(Use)>& of_command,
                       const std::function<void(Use, std::uintptr_t)>& conflict) {
  if (begin >= end) return;
  // The most frequent access: one that changes nothing.
  if (auto at = intervals_.upper_bound(begin); at != intervals_.begin()) {
    const Interval& in = std::prev(at)->second;
    const bool known = write ? in.state.write == use && in.state.reads == std::array<Use, 3>{}
                             : in.state.write == use || std::ranges::find(in.state.reads, use) != in.state.reads.end();
    if (known && in.end >= end) return;
  }
  if (intervals_.size() >= kMaxIntervals) {
    full_ = true;
    return;
  }
  split(begin);
  split(end);
  std::uintptr_t at = begin;
  auto next = intervals_.lower_bound(begin);
  const auto touch = [&](State& state, std::uintptr_t from) {
    if (state.write != 0 && !of_command(state.write)) conflict(state.write, from);
    if (write) {
      for (const Use read : state.reads)
        if (read != 0 && !of_command(read)) conflict(read, from);
      state = {.write = use, .reads = {}};
    } else if (!(state.write != 0 && of_command(state.write)) &&
               std::ranges::find(state.reads, use) == state.reads.end()) {
      std::ranges::copy_backward(state.reads.begin(), state.reads.end() - 1, state.reads.end());
      state.reads[0] = use;
    }
  };
  while (at < end) {
    if (next == intervals_.end() || next->first > at) {  // nobody was there
      const std::uintptr_t to = next == intervals_.end() ? end : std::min(end, next->first);
      next = intervals_.emplace_hint(next, at, Interval{to, {}});
    }
    touch(next->second.state, at);
    at = next->second.end;
    ++next;
  }
  for (auto k = intervals_.lower_bound(begin); k != intervals_.end() && k->first < end;) {
    const std::uintptr_t from = k->first;
    join(k);
    k = intervals_.upper_bound(from);
  }
  if (auto k = intervals_.find(end); k != intervals_.end()) join(k);
}

}  // namespace heddle::vulkan
