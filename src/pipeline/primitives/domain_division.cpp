// SPDX-License-Identifier: MIT
// Rules: TES-4, TES-5.
#include "pipeline/primitives/domain_division.hpp"

#include <algorithm>
#include <bit>

namespace heddle::pipeline {
namespace {

constexpr std::uint32_t kHalf = kDomainOne / 2;

/// 1/n in units of 1/65536, to nearest.
constexpr std::uint32_t reciprocal(std::uint32_t n) { return (kDomainOne + n / 2) / n; }

/// Where a half of `few` segments gets its next point (TES-5).
std::uint32_t split_place(std::uint32_t few, bool odd) {
  if (odd && few == 1) return 0;
  const std::uint32_t n = odd ? few - 1 : few;
  return 2 * (n - std::bit_floor(n)) + 1;
}

}  // namespace

Division::Division(TessellationSpacing spacing, std::uint32_t level) {
  const bool odd = spacing == TessellationSpacing::Equal ? (level / kDomainOne) % 2 != 0
                                                         : spacing == TessellationSpacing::FractionalOdd;
  const std::uint32_t half = (level + 1) / 2 + (odd ? kHalf : 0);
  const std::uint32_t few = half / kDomainOne, fraction = half % kDomainOne, many = few + (fraction != 0 ? 1 : 0);
  const std::uint32_t split = few == many ? kMaxSegments : split_place(few, odd);
  const std::uint32_t of_few = reciprocal(2 * few - (odd ? 1 : 0)), of_many = reciprocal(2 * many - (odd ? 1 : 0));
  segments_ = 2 * many - (odd ? 1 : 0);
  for (std::uint32_t k = 0; k < many; ++k) {
    const std::uint64_t before = std::uint64_t{k > split ? k - 1 : k} * of_few, after = std::uint64_t{k} * of_many;
    const std::uint64_t place = (before * (kDomainOne - fraction) + after * fraction + kHalf) / kDomainOne;
    places_[k] = static_cast<std::uint32_t>(std::min<std::uint64_t>(place, kHalf));  // reciprocals may be too large
    places_[segments_ - k] = kDomainOne - places_[k];
  }
  if (!odd) places_[many] = kHalf;
}

}  // namespace heddle::pipeline
