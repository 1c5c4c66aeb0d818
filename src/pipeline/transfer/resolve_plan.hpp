// SPDX-License-Identifier: MIT
#pragma once
// A resolve's regions and how two samples become one (TRF-14 to TRF-16).

#include "pipeline/transfer/region.hpp"

namespace heddle::pipeline::transfer {

struct ResolvePlan {
  Region from, to;  ///< from: all samples of its layers; to: one slice a layer
  ResolveMode mode = ResolveMode::Average;
};

/// Ids: as region_of; transfer-format (formats that differ, a destination of several samples, means of integers).
[[nodiscard]] base::Result<ResolvePlan> resolve_plan(const image::Surface& from, const ImageBox& box,
                                                     const image::Surface& to, const ImageOrigin& at, ResolveMode mode);

/// One channel of what the samples so far give, and of the next sample: the sum, the lesser, the greater, the first.
[[nodiscard]] std::uint32_t combine(const ResolvePlan& plan, std::uint32_t so_far, std::uint32_t next);

}  // namespace heddle::pipeline::transfer
