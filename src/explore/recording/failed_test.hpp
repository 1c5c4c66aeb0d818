// SPDX-License-Identifier: MIT
#pragma once
// Which test of the output merger kept a fragment away.

#include <cstdint>

#include "machine/pixels.hpp"

namespace heddle::explore {

enum class Reason : std::uint8_t {
  None = 0,
  AlphaTest = 1,
  DepthBounds = 2,
  Stencil = 3,
  Depth = 4,
  StencilOrDepth = 5,  ///< the stencil was changed since
  Coverage = 6         ///< the shader's sample mask, or alpha to coverage
};

struct FailedTest {
  Reason reason = Reason::Coverage;
  std::uint32_t stored = 0;  ///< binary32: the depth that is there
  std::uint32_t own = 0;     ///< binary32: the fragment's, as the surface stores it
  std::uint32_t slice = 0;   ///< stored slice of the depth surface
};

/// Where a fragment stands.
struct FragmentPlace {
  std::uint32_t x = 0, y = 0, sample = 0;
  machine::PixelHeader header;
  float depth = 0, alpha = 1;
  bool late = true;  ///< alpha is there
};

/// Asked when the tests have been made: a depth that failed is still what it was compared with.
[[nodiscard]] FailedTest find_failed_test(const machine::PixelState& state, const FragmentPlace& at);

}  // namespace heddle::explore
