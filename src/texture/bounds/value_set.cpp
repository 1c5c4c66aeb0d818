// SPDX-License-Identifier: MIT
// Rules: BND-2.
#include "texture/bounds/value_set.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heddle::texture::bounds {
namespace {

/// More parts than a reader can use become one.
constexpr std::size_t kMaxParts = 32;

/// `into` becomes the hull of both; the texels behind the outer ends stay.
void merge(Part& into, Part&& other) {
  if (other.full.low < into.full.low) into.low_texels = std::move(other.low_texels);
  if (other.full.high > into.full.high) into.high_texels = std::move(other.high_texels);
  into.core = hull(into.core, other.core);
  into.full = hull(into.full, other.full);
}

}  // namespace

Interval hull(const Interval& a, const Interval& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

void ValueSet::add(Part part) {
  // The parts that the new one touches lie side by side.
  const auto first = std::ranges::find_if(parts_, [&](const Part& p) { return p.full.high >= part.full.low; });
  auto last = first;
  for (; last != parts_.end() && last->full.low <= part.full.high; ++last) merge(part, std::move(*last));
  const auto at = parts_.erase(first, last);
  parts_.insert(at, std::move(part));
  while (parts_.size() > kMaxParts) {
    merge(parts_[0], std::move(parts_[1]));
    parts_.erase(parts_.begin() + 1);
  }
}

void ValueSet::add(const ValueSet& other) {
  anything_ |= other.anything_;
  for (const Part& part : other.parts_) add(part);
}

Interval ValueSet::range() const {
  if (open()) return {-HUGE_VAL, HUGE_VAL};
  return {parts_.front().full.low, parts_.back().full.high};
}

ValueSet ValueSet::of(double value) {
  ValueSet set;
  set.add({{value, value}, {value, value}, {}, {}});
  return set;
}

}  // namespace heddle::texture::bounds
