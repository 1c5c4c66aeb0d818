// SPDX-License-Identifier: MIT
#pragma once
// HEDDLE_TRACE=X,Y,Z: the instructions that the invocation with this global id executes, in every dispatch that has it.
// A process that submitted commands and had no such dispatch says so when it ends.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "isa/program.hpp"
#include "machine/observer.hpp"
#include "pipeline/compute/compute.hpp"

namespace heddle::vulkan {

/// Writes the trace to standard error; null where the grid has no such invocation.
[[nodiscard]] std::unique_ptr<machine::Observer> make_tracer(const isa::Program& program,
                                                             const pipeline::ComputePlan& plan,
                                                             const pipeline::Grid& grid,
                                                             const std::array<std::uint32_t, 3>& invocation);

/// Commands of this process are going to run: where none of them is traced, its end says why. HEDDLE_TRACE is
/// `invocation`.
void expect_trace(const std::array<std::uint32_t, 3>& invocation);

}  // namespace heddle::vulkan
