// SPDX-License-Identifier: MIT
#include "vulkan/sanitizer/shader_trace.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "base/environment/environment.hpp"
#include "pipeline/observers.hpp"

namespace heddle::vulkan {
namespace {

/// What the dispatches of this process were, for those who wait for a trace in vain.
class TraceWait {
 public:
  static TraceWait& instance() {
    static TraceWait* const wait = [] {
      auto* made = new TraceWait;  // NOLINT: until the process ends
      ::on_exit([](int, void* of) { static_cast<TraceWait*>(of)->end(); }, made);
      return made;
    }();
    return *wait;
  }
  void expect(const std::array<std::uint32_t, 3>& invocation) {
    const std::lock_guard guard(mutex_);
    invocation_ = invocation;
  }
  void add(const pipeline::Grid& grid, bool traced) {
    const std::lock_guard guard(mutex_);
    ++dispatches_;
    traced_ |= traced;
    for (std::size_t d = 0; d < 3; ++d)
      most_[d] = std::max(most_[d], (std::uint64_t{grid.base[d]} + grid.groups[d]) * grid.local[d] - 1);
  }

 private:
  void end() {
    const std::lock_guard guard(mutex_);
    if (traced_ || ::getpid() != process_) return;  // a forked child is no process that submitted
    const auto text = [](const auto& id) { return fmt::format("{},{},{}", id[0], id[1], id[2]); };
    const std::string why =
        dispatches_ == 0
            ? std::string("no dispatch ran (shaders of draws are shown by heddle vulkan --explore)")
            : fmt::format(
                  "none of the dispatches ({}) had an invocation with this global id; the greatest X, Y and Z were {}",
                  dispatches_, text(most_));
    std::fputs(fmt::format("heddle: HEDDLE_TRACE is {}, and nothing was traced: {}\n", text(invocation_), why).c_str(),
               stderr);
  }

  std::mutex mutex_;
  std::array<std::uint32_t, 3> invocation_{};
  std::uint64_t dispatches_ = 0;
  bool traced_ = false;
  const ::pid_t process_ = ::getpid();
  std::array<std::uint64_t, 3> most_{};  ///< global ids, each dimension for itself
};

}  // namespace

void expect_trace(const std::array<std::uint32_t, 3>& invocation) { TraceWait::instance().expect(invocation); }

std::unique_ptr<machine::Observer> make_tracer(const isa::Program& program, const pipeline::ComputePlan& plan,
                                               const pipeline::Grid& grid,
                                               const std::array<std::uint32_t, 3>& invocation) {
  pipeline::TraceFilter filter;
  std::array<std::uint32_t, 3> group{}, local{};
  bool met = true;
  for (std::size_t d = 0; d < 3; ++d) {
    group[d] = invocation[d] / grid.local[d];
    local[d] = invocation[d] % grid.local[d];
    met = met && group[d] >= grid.base[d] && group[d] - grid.base[d] < grid.groups[d];
  }
  TraceWait::instance().add(grid, met);
  if (!met) return nullptr;
  filter.group = group;
  const auto& walk = plan.walk;
  const std::uint64_t number =
      local[walk[0]] +
      std::uint64_t{grid.local[walk[0]]} * (local[walk[1]] + std::uint64_t{grid.local[walk[1]]} * local[walk[2]]);
  filter.thread = static_cast<std::uint32_t>(number / plan.simd);
  filter.lane = static_cast<std::uint32_t>(number % plan.simd);
  return std::make_unique<pipeline::Tracer>(program, filter,
                                            [](const std::string& line) { std::fputs(line.c_str(), stderr); });
}

}  // namespace heddle::vulkan
