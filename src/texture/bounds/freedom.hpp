// SPDX-License-Identifier: MIT
#pragma once
// What the texts of an API leave free, in numbers (BND-1), and what one request makes of it.

#include "texture/bounds/bounds.hpp"
#include "texture/reference/resolve.hpp"

namespace heddle::texture::bounds {

struct Freedom {
  unsigned sub_texel_bits = 4;  ///< of a texel: coordinates snap to such steps, or finer ones (BND-3)
  unsigned mipmap_bits = 4;     ///< of a level: BND-8
  bool approximate_rho = true;  ///< BND-7: max norm to sum norm; else the exact lengths and the ellipse
};
[[nodiscard]] Freedom freedom_of(const Options& options);

/// A request while its bounds are found.
struct Question {
  const LaneRequest& request;
  const reference::Resolved& state;
  Freedom freedom;
  bool why = false;
};

/// Steps of 2^-bits around x: where x snaps to, however a device rounds to them or to finer ones.
[[nodiscard]] Interval snapped(const Interval& x, unsigned bits);

}  // namespace heddle::texture::bounds
