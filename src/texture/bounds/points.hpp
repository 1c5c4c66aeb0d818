// SPDX-License-Identifier: MIT
#pragma once
// Where a lane may look: the faces of a cube that a direction may mean, and the steps of coordinates (BND-3, BND-10).

#include <array>
#include <optional>
#include <vector>

#include "texture/bounds/freedom.hpp"

namespace heddle::texture::bounds {

/// One place that the lane's coordinates may mean.
struct Place {
  CubeFace face;                         ///< cubes
  std::array<double, 3> coordinate{};    ///< u, v, r, or s and t of the face
  std::array<double, 3> error{};         ///< of `coordinate`, either way
  std::uint32_t index = 0;               ///< array index
  std::array<std::int32_t, 3> offset{};  ///< texels
};
/// Empty where the texts leave everything open: coordinates that are not finite, or a direction without a face.
[[nodiscard]] std::vector<Place> places_of(const Question& question, const reference::Lane& lane, unsigned k);

/// A texel index that an axis may give, and the weights of the texel after it that go with it.
struct AxisStep {
  std::int32_t index = 0;
  Interval weight;
};
/// The texels coordinates of one axis at a level; nullopt where they lie beyond what snapping can tell apart.
[[nodiscard]] std::optional<Interval> texel_coordinate(const Question& question, const Place& place, unsigned axis,
                                                       std::uint32_t size);
/// BND-4: the texels that the coordinate may lie in.
[[nodiscard]] std::vector<AxisStep> nearest_steps(const Interval& texel, const Freedom& freedom);
/// BND-5: the pairs of texels around it, with their weights.
[[nodiscard]] std::vector<AxisStep> linear_steps(const Interval& texel, const Freedom& freedom);

}  // namespace heddle::texture::bounds
