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
  /// Takes away what of each row's [begin, end), from the current row on, is outside. They lie between -kFar and kFar.
  void cut(std::int32_t* begin, std::int32_t* end, std::uint32_t rows) {
    if (level_) {
      for (std::uint32_t r = 0; r < rows; ++r, v_ += down_)
        if (v_ < 0) end[r] = begin[r];
    } else if (rises_) {
      for (std::uint32_t r = 0; r < rows; ++r, quotient_.next())
        begin[r] = std::max(begin[r], near(-quotient_.value()));
    } else {
      for (std::uint32_t r = 0; r < rows; ++r, quotient_.next()) end[r] = std::min(end[r], near(quotient_.value() + 1));
    }
  }
  static constexpr std::int32_t kFar = 1 << 20;

 private:
  static std::int32_t near(std::int64_t x) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(x, -kFar, kFar));
  }
  bool rises_ = false, level_ = true;
  std::int64_t v_ = 0, down_ = 0;
  RowQuotient quotient_;
};

/// Bits [begin, end) of a word.
[[nodiscard]] inline std::uint32_t bits_between(std::int32_t begin, std::int32_t end) {
  if (begin >= end) return 0;
  const std::uint64_t below_end = (std::uint64_t{1} << end) - 1, below_begin = (std::uint64_t{1} << begin) - 1;
  return static_cast<std::uint32_t>(below_end & ~below_begin);
}

}  // namespace heddle::pipeline
