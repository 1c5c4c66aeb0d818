// SPDX-License-Identifier: MIT
#pragma once
// Feedback maps from the texels that operations read: the maps that were asked for, and those that the specification
// allows (FP-28 to FP-30, FP-34).

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "image/sampler.hpp"
#include "texture/footprint_map.hpp"

namespace heddle::texture {

/// One texel that one lane of a request read; the level counts from Surface Min LOD (FP-30).
struct FeedbackTouch {
  std::uint32_t level = 0, x = 0, y = 0;
  std::uint64_t lane = 0;
  bool weighted = false;
};

/// Where a normalized coordinate lies in the image, 0 to 1.
[[nodiscard]] float wrapped_coordinate(float u, image::AddressMode mode);

/// Where a lane looks, 0 to 1: what the point form marks.
using LanePlace = std::function<std::array<float, 2>(std::uint64_t lane)>;

/// Marks the touches in a map of that form; `weighted`: those alone whose value counts.
void fill_feedback(FeedbackMap& map, FeedbackMap::Form form, const std::vector<FeedbackTouch>& touches,
                   const LanePlace& place, bool weighted);

}  // namespace heddle::texture
