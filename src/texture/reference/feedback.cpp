// SPDX-License-Identifier: MIT
// Rules: FP-28 to FP-30, FP-34.
#include "texture/feedback.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace heddle::texture {

float wrapped_coordinate(float u, image::AddressMode mode) {
  if (!std::isfinite(u)) return 0;
  switch (mode) {
    case image::AddressMode::Wrap:
      return u - std::floor(u);
    case image::AddressMode::Mirror:
    case image::AddressMode::Mirror101:
      return 1 - std::abs(u - 2 * std::floor(u / 2) - 1);
    case image::AddressMode::MirrorOnce:
      return std::clamp(std::abs(u), 0.0f, 1.0f);
    default:
      return std::clamp(u, 0.0f, 1.0f);
  }
}

void fill_feedback(FeedbackMap& map, FeedbackMap::Form form, const std::vector<FeedbackTouch>& touches,
                   const LanePlace& place, bool weighted) {
  std::map<std::uint64_t, std::uint32_t> finest;  // by lane
  for (const FeedbackTouch& t : touches) {
    if (weighted && !t.weighted) continue;
    map.mark_texel(t.level, t.x, t.y);
    const auto [at, is_new] = finest.emplace(t.lane, t.level);
    if (!is_new) at->second = std::min(at->second, t.level);
  }
  if (form == FeedbackMap::Form::Spread) return;
  for (const auto& [lane, level] : finest) map.mark_point(level, place(lane));
}

}  // namespace heddle::texture
