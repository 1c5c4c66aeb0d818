#pragma once
// Compute grids: sizes of groups, the payload of their threads, and running groups on all cores.

#include <array>
#include <cstdint>
#include <vector>

#include "pipeline/bound.hpp"
#include "pipeline/run_context.hpp"

namespace heddle::pipeline {

/// Sizes of a dispatch; absent dimensions are 1.
struct Grid {
  std::array<std::uint32_t, 3> global{1, 1, 1}, local{1, 1, 1}, offset{}, groups{1, 1, 1};
  std::uint32_t dimensions = 1;

  [[nodiscard]] std::uint64_t group_count() const { return std::uint64_t{groups[0]} * groups[1] * groups[2]; }
  [[nodiscard]] std::array<std::uint32_t, 3> group_id(std::uint64_t index) const;
  /// Size of one group: smaller at the end of a dimension that `local` does not divide.
  [[nodiscard]] std::array<std::uint32_t, 3> size_of(const std::array<std::uint32_t, 3>& group) const;
};
/// Where the parts of a thread's payload lie that differ between threads and groups: decided by the program and what it
/// is bound to, whatever the grid.
struct ComputePlan {
  unsigned simd = 16;
  bool all_lanes = false;       ///< threads of Target "cm" start with every lane on, as its compiler expects
  std::uint32_t arguments = 0;  ///< where the arguments start in the payload: LSC's "arg" addresses count from here
  unsigned grf_bytes = 32;
  std::array<std::uint32_t, 3> walk{0, 1, 2};  ///< dimension that runs fastest first
  struct Range {
    std::uint32_t offset, bytes;
  };
  std::vector<Range> local_ids;                    ///< parts of the local id registers that the kernel reads
  std::vector<std::uint32_t> local_size;           ///< offsets of three dwords: the size of this group
  std::vector<std::uint32_t> implicit_local_id;    ///< offsets of three dwords: the local id of a SIMD 1 thread
  std::uint64_t slm_bytes = 0, scratch_bytes = 0;  ///< for a group; for a thread
  std::uint64_t private_bytes = 0;                 ///< stateless private memory of one lane
  std::uint32_t private_base = 0;                  ///< payload offset of its 64-bit base

  [[nodiscard]] unsigned threads_of(const std::array<std::uint32_t, 3>& size) const;
  /// The first bytes of a payload that differ between the threads of a group; those behind differ between sizes of
  /// group at most.
  [[nodiscard]] std::uint32_t own_bytes(const isa::Object& kernel, std::size_t payload_bytes) const;
  /// Fills in what thread `t` of a group of `size` reads; the mask of its lanes.
  std::uint32_t fill(std::vector<std::uint8_t>& payload, const std::array<std::uint32_t, 3>& group,
                     const std::array<std::uint32_t, 3>& size, unsigned thread) const;
};

/// What the fast engine needs to know of a plan to compile its kernel.
[[nodiscard]] engine::jit::KernelOptions compile_options(const ComputePlan& plan, const isa::Object& kernel,
                                                         const Bound& bound);

/// Runs all groups. False when a limit was hit or a report stopped the run (see budget and reports).
bool run_compute(const ComputePlan& plan, const Grid& grid, const Bound& bound, RunContext& context,
                 Counters& counters);

/// %sr0 element 0 from which the compiler's code reads back thread number `t`: bits 3 and 6 are
/// skipped.
[[nodiscard]] std::uint32_t state0_of(std::uint32_t t);

}  // namespace heddle::pipeline
