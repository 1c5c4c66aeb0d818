// SPDX-License-Identifier: MIT
// The sizes of a compute dispatch.
#include <fmt/format.h>

#include "base/fixed_limits.hpp"
#include "job/bind/bind.hpp"

namespace heddle::job {
namespace {

using pipeline::Grid;

base::Place place_of(const Job& job) { return job.file.empty() ? base::Place{} : base::Place::in_file(job.file); }

/// The size of a group: the kernel's own, the job's, or one hardware thread.
base::Result<base::Done> set_local(Grid& grid, const Job& job, unsigned simd, const ZeKernel* abi,
                                   const ShaderInterface* shader) {
  const bool required = shader != nullptr || (abi != nullptr && abi->required_group[0] != 0);
  const std::array<std::uint32_t, 3> own = shader != nullptr ? shader->local
                                           : required        ? abi->required_group
                                                             : std::array<std::uint32_t, 3>{};
  if (!job.local.empty()) {
    for (std::size_t d = 0; d < job.local.size(); ++d) grid.local[d] = job.local[d];
    if (required && grid.local != own)
      return base::error("job-value",
                         fmt::format("'local' is {} x {} x {}, the kernel requires {} x {} x {}", grid.local[0],
                                     grid.local[1], grid.local[2], own[0], own[1], own[2]),
                         place_of(job));
  } else if (required) {
    grid.local = own;
  } else {
    grid.local = {simd, 1, 1};
  }
  if (std::uint64_t{grid.local[0]} * grid.local[1] * grid.local[2] > base::kGroupItems)
    return base::error("job-value",
                       fmt::format("a group of {} x {} x {} has more than {} items", grid.local[0], grid.local[1],
                                   grid.local[2], base::kGroupItems),
                       place_of(job));
  return base::Done{};
}

/// One dimension: `size` items, or groups where the job counts those. `whole`: the last group is as large as the
/// others.
base::Result<base::Done> set_dimension(Grid& grid, const Job& job, std::size_t d, std::uint32_t size, bool whole) {
  if (job.global.empty()) {
    const std::uint64_t items = std::uint64_t{size} * grid.local[d];
    if (items > UINT32_MAX)
      return base::error("job-value",
                         fmt::format("{} groups of {} items are more than 4294967295", size, grid.local[d]),
                         place_of(job));
    grid.groups[d] = size;
    grid.global[d] = static_cast<std::uint32_t>(items);
    return base::Done{};
  }
  grid.global[d] = size;
  grid.groups[d] = static_cast<std::uint32_t>((std::uint64_t{size} + grid.local[d] - 1) / grid.local[d]);
  if (!whole) return base::Done{};
  const std::uint64_t items = std::uint64_t{grid.groups[d]} * grid.local[d];
  if (items > UINT32_MAX)
    return base::error("job-value", fmt::format("'global' of {} in whole groups is beyond 4294967295", size),
                       place_of(job));
  grid.global[d] = static_cast<std::uint32_t>(items);
  return base::Done{};
}

}  // namespace

base::Result<Grid> make_grid(const Job& job, unsigned simd, const ZeKernel* abi, const ShaderInterface* shader) {
  const std::vector<std::uint32_t>& sizes = job.global.empty() ? job.groups : job.global;
  if (sizes.empty())
    return base::error("job-missing", "the job says no size", place_of(job))
        .note(job.file.empty() ? "a compute kernel needs a number of groups, or a size; a fragment shader is drawn"
              : place_of(job).on_command_line()
                  ? "a compute kernel needs --global or --groups; a pixel shader needs --target or --size"
                  : "a compute kernel needs 'global = [...]' or 'groups = [...]'; a pixel shader needs [pixels]");
  Grid grid;
  grid.dimensions = static_cast<std::uint32_t>(sizes.size());
  if (const auto done = set_local(grid, job, simd, abi, shader); !done.ok()) return done.failure();
  for (std::size_t d = 0; d < 3; ++d) {
    const std::uint32_t size = d < sizes.size() ? sizes[d] : 1;
    if (const auto done = set_dimension(grid, job, d, size, shader != nullptr); !done.ok()) return done.failure();
    grid.offset[d] = d < job.offset.size() ? job.offset[d] : 0;
  }
  std::uint64_t groups = std::uint64_t{grid.groups[0]} * grid.groups[1];
  if (__builtin_mul_overflow(groups, std::uint64_t{grid.groups[2]}, &groups))
    return base::error(
        "job-value",
        fmt::format("{} x {} x {} groups are more than 64 bits count", grid.groups[0], grid.groups[1], grid.groups[2]),
        place_of(job));
  return grid;
}

unsigned simd_of(const isa::Object& kernel, const ZeKernel* abi, const Job& job) {
  if (const auto own = kernel.integer_attribute("SimdSize");
      own && (*own == 1 || *own == 8 || *own == 16 || *own == 32))
    return static_cast<unsigned>(*own);
  if (abi != nullptr && abi->simd != 0) return abi->simd;
  if (job.simd) return *job.simd;
  const auto target = kernel.integer_attribute("Target");
  return target && *target == 0 ? 1 : 16;  // "cm" kernels are scalar threads
}

}  // namespace heddle::job
