// SPDX-License-Identifier: MIT
#pragma once
// What one lane of a sample or a gather goes through, step by step, for people who want to see it. The functions are
// those that sample() and gather4() call.

#include <array>
#include <optional>

#include "texture/reference/resolve.hpp"

namespace heddle::texture::reference {

struct FollowedLane {
  Resolved state;
  Lane lane;
  Spread spread;         ///< of the derivatives in texels, squared (LOD-4)
  std::int32_t lod = 0;  ///< with its biases, S.8
  LodChoice choice;
  ProbeLine line;
  float ref = 0;        ///< as the compare uses it (CMP-3)
  unsigned levels = 0;  ///< that are read: 0, 1 or 2
  std::array<LevelTaps, 2> taps;
  std::array<image::Texel, 2> level;      ///< what each level gives (FLT-3, ANI-1); not of gathers
  image::Texel value;                     ///< of both (FLT-4); not of gathers
  std::array<std::uint32_t, 4> result{};  ///< after the channel selects (SUR-7, GA-5)
};

/// Nothing for loads and queries of the surface, and where the operation gives zeros without looking at the lane
/// (RET-7 to RET-9).
[[nodiscard]] std::optional<FollowedLane> follow(const LaneRequest& request, unsigned lane, OperationContext& context);

}  // namespace heddle::texture::reference
