// SPDX-License-Identifier: MIT
#pragma once
// Which pixels primitives may have at all.

#include "pipeline/raster/raster.hpp"

namespace heddle::pipeline {

using Wide = Bounds<std::int64_t>;

/// Pixels in the scissor and on the target.
[[nodiscard]] Wide scissor_bounds(const RasterState& state, const Scissor& scissor);
/// Those whose center lies in the viewport too (the side planes of the clip volume).
[[nodiscard]] Wide viewport_bounds(const Wide& scissor, const Viewport& viewport);
/// RAS-9: those that the viewport has a part of, or all.
[[nodiscard]] Wide conservative_bounds(const Wide& scissor, const Viewport& viewport, Conservative mode);
/// Where the samples of a pixel lie, in 1/256 pixel. `whole`: anywhere.
[[nodiscard]] Wide sample_bounds(const RasterState& state, bool whole);

}  // namespace heddle::pipeline
