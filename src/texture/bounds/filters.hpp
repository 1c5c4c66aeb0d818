// SPDX-License-Identifier: MIT
#pragma once
// What a filter may make of a level's texels (BND-4 to BND-6, BND-9, BND-12, BND-14), and of two levels.

#include "texture/bounds/levels.hpp"
#include "texture/bounds/texels.hpp"

namespace heddle::texture::bounds {

struct LevelQuestion {
  const Question& question;
  const Place& place;
  const Derivatives* derivatives = nullptr;  ///< those of an anisotropic filter
  float reference = 0;
};

/// One level, relative to the view's first, through one filter.
[[nodiscard]] ChannelSets filtered_level(const LevelQuestion& at, std::uint32_t level, image::Filter filter);
/// Two levels, `coarse` with the weights of the blend.
[[nodiscard]] ChannelSets blended_levels(const Question& question, const ChannelSets& fine, const ChannelSets& coarse,
                                         const Interval& delta);
/// BND-12: one level, where a blend between levels may be done whose weight is 0 or 1.
[[nodiscard]] ChannelSets with_idle_blend(const Question& question, const ChannelSets& sets);
/// BND-6: the four texels of a gather, in the order R, G, B, A of its answer; each with its own four channels.
[[nodiscard]] std::array<ChannelSets, 4> gathered(const LevelQuestion& at, std::uint32_t level);
/// All channels open.
[[nodiscard]] ChannelSets anything();

}  // namespace heddle::texture::bounds
