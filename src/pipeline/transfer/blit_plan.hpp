// SPDX-License-Identifier: MIT
#pragma once
// A blit's regions and coordinates, exact (TRF-6 to TRF-10).

#include <optional>

#include "pipeline/transfer/region.hpp"

namespace heddle::pipeline::transfer {

/// The texels that one destination coordinate reads along an axis, of the whole level: first + (second - first) *
/// weight. Nearest: weight 0.
struct AxisTap {
  std::uint32_t first = 0, second = 0;
  float weight = 0;
};

/// One axis of a blit: the corners of both sides, and the size of the source's level along it.
struct BlitAxis {
  std::int64_t source[2] = {0, 1}, destination[2] = {0, 1};
  std::uint32_t size = 1;

  [[nodiscard]] std::uint32_t first() const;  ///< least destination coordinate
  [[nodiscard]] std::uint32_t count() const;  ///< of destination coordinates
  [[nodiscard]] bool scaled() const;
  /// TRF-7 to TRF-9; `at` is a destination coordinate inside the corners.
  [[nodiscard]] AxisTap tap(std::uint32_t at, bool linear) const;
};

struct BlitPlan {
  Region from, to;  ///< from: the whole level; to: the destination's box. Slices: of `layers` layers, or the z axis
  BlitAxis x, y, z;
  bool volumes = false;          ///< one of the two is a volume: z maps slices, and the layers of the other one
  std::uint32_t from_slice = 0;  ///< without volumes: of the first layer
  bool linear = false;
  bool copies_elements = false;  ///< TRF-12: same format, unfiltered: elements as they are
};

/// Ids: as region_of; transfer-format (classes of formats, samples, formats that can't be read or written).
[[nodiscard]] base::Result<BlitPlan> blit_plan(const image::Surface& from, const BlitBox& source,
                                               const image::Surface& to, const BlitBox& destination,
                                               image::Filter filter);

/// The source slices of destination slice `k` of the plan.
[[nodiscard]] AxisTap slice_tap(const BlitPlan& plan, std::uint32_t k);

/// FLT-1 with any weight; a NaN that arithmetic made is the canonical one (NUM-3).
[[nodiscard]] float interpolate(float a, float b, float weight);

}  // namespace heddle::pipeline::transfer
