// SPDX-License-Identifier: MIT
#pragma once
// Compute grids: sizes of groups, the payload of their threads, and running groups on all cores.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipeline/bound.hpp"
#include "pipeline/program.hpp"
#include "pipeline/run_context.hpp"

namespace heddle::pipeline {

/// Sizes of a dispatch; absent dimensions are 1.
struct Grid {
  std::array<std::uint32_t, 3> global{1, 1, 1}, local{1, 1, 1}, offset{}, groups{1, 1, 1};
  std::array<std::uint32_t, 3> base{};  ///< number of the first group (Vulkan's vkCmdDispatchBase)
  std::uint32_t dimensions = 1;

  [[nodiscard]] std::uint64_t group_count() const { return std::uint64_t{groups[0]} * groups[1] * groups[2]; }
  [[nodiscard]] std::array<std::uint32_t, 3> group_id(std::uint64_t index) const;
  /// Size of one group: smaller at the end of a dimension that `local` does not divide.
  [[nodiscard]] std::array<std::uint32_t, 3> size_of(const std::array<std::uint32_t, 3>& group) const;
};
/// Where the parts of a thread's payload lie that differ between threads and groups: decided by the program and what it
/// is bound to, whatever the grid.
struct ComputePlan {
  /// What of the grid a payload has: three dwords each, `Dimensions` one.
  enum class GridValue : std::uint8_t { GroupCount, GlobalOffset, GlobalSize, LocalSize, Dimensions };
  struct GridInput {
    GridValue value;
    std::uint32_t offset;
  };
  unsigned simd = 16;
  bool shader = false;          ///< a compiled shader: each lane is an invocation
  bool all_lanes = false;       ///< threads of Target "cm" start with every lane on, as its compiler expects
  std::uint32_t arguments = 0;  ///< where the arguments start in the payload: LSC's "arg" addresses count from here
  unsigned grf_bytes = 32;
  std::array<std::uint32_t, 3> walk{0, 1, 2};  ///< dimension that runs fastest first
  struct Range {
    std::uint32_t offset, bytes;
  };
  std::vector<Range> local_ids;                    ///< parts of the local id registers that the kernel reads
  std::vector<std::uint32_t> local_size;           ///< offsets of three dwords: the size of this group
  std::vector<GridInput> grid_inputs;              ///< the same for all threads of a grid
  std::vector<std::uint32_t> implicit_local_id;    ///< offsets of three dwords: the local id of a SIMD 1 thread
  std::uint64_t slm_bytes = 0, scratch_bytes = 0;  ///< for a group; for a thread
  std::uint64_t private_bytes = 0;                 ///< stateless private memory of one lane
  std::uint32_t private_base = 0;                  ///< payload offset of its 64-bit base

  /// Writes `grid_inputs`.
  void put_grid(std::span<std::uint8_t> payload, const Grid& grid) const;
  [[nodiscard]] unsigned threads_of(const std::array<std::uint32_t, 3>& size) const;
  /// The first bytes of a payload that differ between the threads of a group; those behind differ between sizes of
  /// group at most.
  [[nodiscard]] std::uint32_t own_bytes(const isa::Object& kernel, std::size_t payload_bytes) const;
  /// Fills in what thread `t` of a group of `size` reads; the mask of its lanes.
  std::uint32_t fill(std::vector<std::uint8_t>& payload, const std::array<std::uint32_t, 3>& group,
                     const std::array<std::uint32_t, 3>& size, unsigned thread) const;
};

/// A compute kernel made ready: created once, run many times, by several threads at once.
class ComputeProgram {
 public:
  /// `slots`: its surface and sampler variables say which indices of the binding table the kernel's variables stand
  /// for, and its payload how many bytes a payload has; what is bound there, and the payload's contents, may change
  /// from run to run.
  [[nodiscard]] static std::shared_ptr<const ComputeProgram> create(std::shared_ptr<const Program> program,
                                                                    ComputePlan plan, const Bound& slots,
                                                                    const CodeOptions& options = {});
  ~ComputeProgram();
  ComputeProgram(const ComputeProgram&) = delete;
  ComputeProgram& operator=(const ComputeProgram&) = delete;

  [[nodiscard]] const Program& program() const;
  [[nodiscard]] const ComputePlan& plan() const;
  /// Makes the code for what is bound ahead of the first run; null, with the reason, when the reference engine runs it.
  std::shared_ptr<const engine::jit::CompiledKernel> prepare(const Bound& bound, std::string& why_reference) const;
  /// Runs all groups. `bound` is read before the threads start and must not be changed by others while it runs;
  /// resources that are found by their identity (machine::Resource) cost nothing but a comparison when they were bound
  /// before. Static state that is new compiles first, which the budget does not count. False when a limit was hit, a
  /// report stopped the run, or somebody canceled the budget.
  bool run(const Grid& grid, const Bound& bound, RunContext& context, Counters& counters) const;

 private:
  struct Impl;
  explicit ComputeProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// %sr0 element 0 from which the compiler's code reads back thread number `t`: bits 3 and 6 are
/// skipped.
[[nodiscard]] std::uint32_t state0_of(std::uint32_t t);

}  // namespace heddle::pipeline
