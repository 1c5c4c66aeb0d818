// SPDX-License-Identifier: MIT
#include "vulkan/checks/shader_trace.hpp"

#include <cstdio>

#include "base/environment/environment.hpp"
#include "pipeline/observers.hpp"

namespace heddle::vulkan {

std::unique_ptr<machine::Observer> make_tracer(const isa::Program& program, const pipeline::ComputePlan& plan,
                                               const pipeline::Grid& grid,
                                               const std::array<std::uint32_t, 3>& invocation) {
  pipeline::TraceFilter filter;
  std::array<std::uint32_t, 3> group{}, local{};
  for (std::size_t d = 0; d < 3; ++d) {
    group[d] = invocation[d] / grid.local[d];
    local[d] = invocation[d] % grid.local[d];
    if (group[d] < grid.base[d] || group[d] - grid.base[d] >= grid.groups[d]) return nullptr;
  }
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
