// SPDX-License-Identifier: MIT
#pragma once
// The pixels of a row that a convex outline covers lie side by side: where they begin and end, row by row, in integers.

#include <algorithm>
#include <cstdint>

namespace heddle::pipeline {

/// The quotient of v and a divisor that is greater than 0, rounded down, while v changes by one step from row to row.
class RowQuotient {
 public:
  RowQuotient() = default;
  RowQuotient(std::int64_t v, std::int64_t step, std::int64_t divisor)
      : divisor_(divisor),
        quotient_(divide(v, divisor)),
        rest_(v - quotient_ * divisor),
        quotient_step_(divide(step, divisor)),
        rest_step_(step - quotient_step_ * divisor) {}
  [[nodiscard]] std::int64_t value() const { return quotient_; }
  void next() {
    quotient_ += quotient_step_;
    rest_ += rest_step_;
    const bool over = rest_ >= divisor_;
    quotient_ += over ? 1 : 0;
    rest_ -= over ? divisor_ : 0;
  }

 private:
  static std::int64_t divide(std::int64_t v, std::int64_t divisor) { return v / divisor - (v % divisor < 0 ? 1 : 0); }
  std::int64_t divisor_ = 1, quotient_ = 0, rest_ = 0, quotient_step_ = 0, rest_step_ = 0;
};

/// One edge's function at a sample of each pixel: v + x * across + y * down, not negative inside.
class RowEdge {
 public:
  RowEdge() = default;
  RowEdge(std::int64_t v, std::int64_t across, std::int64_t down)
      : rises_(across > 0), level_(across == 0), v_(v), down_(down) {
    if (across != 0) quotient_ = RowQuotient(v, down, across > 0 ? across : -across);
  }
  /// Takes away what of [begin, end) is outside in the current row.
  void cut(std::int64_t& begin, std::int64_t& end) const {
    if (level_) {
      if (v_ < 0) end = begin;
    } else if (rises_) {
      begin = std::max(begin, -quotient_.value());
    } else {
      end = std::min(end, quotient_.value() + 1);
    }
  }
  void next() {
    if (level_)
      v_ += down_;
    else
      quotient_.next();
  }

 private:
  bool rises_ = false, level_ = true;
  std::int64_t v_ = 0, down_ = 0;
  RowQuotient quotient_;
};

/// Bits [begin, end) of a word.
[[nodiscard]] inline std::uint32_t bits_between(std::int64_t begin, std::int64_t end) {
  if (begin >= end) return 0;
  const std::uint64_t below_end = (std::uint64_t{1} << end) - 1, below_begin = (std::uint64_t{1} << begin) - 1;
  return static_cast<std::uint32_t>(below_end & ~below_begin);
}

}  // namespace heddle::pipeline
