// SPDX-License-Identifier: MIT
#pragma once
// An edge or an axis of the domain, divided by its level alone (TES-4, TES-5).

#include <array>
#include <cstdint>

#include "pipeline/primitives/tessellator.hpp"

namespace heddle::pipeline {

class Division {
 public:
  static constexpr std::uint32_t kMaxSegments = 64;

  /// `level` in units of 1/65536, from 1 to 64.
  Division(TessellationSpacing spacing, std::uint32_t level);

  [[nodiscard]] std::uint32_t segments() const { return segments_; }
  /// Where point `k` of 0 to segments() lies, in units of 1/65536.
  [[nodiscard]] std::uint32_t at(std::uint32_t k) const { return places_[k]; }

 private:
  std::uint32_t segments_ = 1;
  std::array<std::uint32_t, kMaxSegments + 1> places_{};
};

/// The points of half an edge of level 64 are numbered from the corner to the middle, 0 to 32. Which of them a level
/// adds as the how-manieth (TES-7): of a half with n segments those below n are there.
[[nodiscard]] constexpr std::uint32_t order_of_place(std::uint32_t place) {
  if (place == 0) return 0;
  const std::uint32_t m = place - 1;
  if (m == 0) return 32;
  std::uint32_t zeros = 0;
  while ((m >> zeros & 1u) == 0) ++zeros;
  return (1u << (4 - zeros)) + (m >> (zeros + 1));
}

}  // namespace heddle::pipeline
