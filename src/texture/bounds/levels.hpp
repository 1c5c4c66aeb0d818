// SPDX-License-Identifier: MIT
#pragma once
// Which levels a lane may read (BND-7, BND-8).

#include <vector>

#include "texture/bounds/points.hpp"

namespace heddle::texture::bounds {

/// Derivatives of one place in texels of the first level, as far as a quad leaves them open.
struct Derivatives {
  std::vector<std::array<double, 3>> x, y;          ///< each one that may be meant
  [[nodiscard]] double reach(unsigned axis) const;  ///< at most so many texels from one end of the pixel to the other
};
[[nodiscard]] Derivatives derivatives_of(const Question& question, const Place& place, unsigned k);

/// BND-7: the level of detail before biases. Empty derivatives: 0. `ratio`: the most that anisotropy may divide by.
[[nodiscard]] Interval base_lod(const Question& question, const Derivatives& derivatives, double ratio);

/// One filter, and the levels that it may blend; relative to the view's first.
struct Blend {
  image::Filter filter = image::Filter::Nearest;
  std::uint32_t fine = 0, coarse = 0;
  Interval delta;  ///< weights of `coarse`
};
struct LevelChoice {
  std::vector<Blend> blends;
  Interval unclamped;  ///< lambda'
  Interval clamped;    ///< d'
  bool out_of_bounds = false;
};
/// BND-1: what a level or bias of the sampler may have been before it was held in steps of 1/256. 0 is exact.
[[nodiscard]] Interval held(std::int32_t steps);
/// BND-8, lane k. `lod`: lambda', with its biases. `one_level`: a gather takes the nearest level, whatever the sampler
/// says.
[[nodiscard]] LevelChoice choose_levels(const Question& question, const reference::Lane& lane, unsigned k, Interval lod,
                                        bool one_level);

}  // namespace heddle::texture::bounds
