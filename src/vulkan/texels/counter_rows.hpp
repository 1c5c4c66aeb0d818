// SPDX-License-Identifier: MIT
#pragma once
// Counters of texels row by row, several at once.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace heddle::vulkan {

using CounterRow = std::span<const std::uint32_t>;

/// Zeros at first, of which pages that nobody touches take no memory.
class Counters {
 public:
  Counters() = default;
  explicit Counters(std::size_t count);

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint32_t* data() { return words_.get(); }
  [[nodiscard]] const std::uint32_t* data() const { return words_.get(); }
  [[nodiscard]] std::uint32_t operator[](std::size_t at) const { return words_.get()[at]; }

 private:
  struct Free {
    void operator()(std::uint32_t* words) const { std::free(words); }
  };
  std::unique_ptr<std::uint32_t, Free> words_;
  std::size_t size_ = 0;
};

/// Whether a counter is not 0.
[[nodiscard]] bool has_counts(CounterRow row);
struct RowSum {
  std::uint64_t sum = 0;
  std::uint64_t used = 0;  ///< counters that are not 0
};
[[nodiscard]] RowSum sum_of(CounterRow row);
/// How many counters are not 0 in one of the rows, which are equally long.
[[nodiscard]] std::uint64_t count_used(std::span<const CounterRow> rows);

/// The sum, or the greatest number.
[[nodiscard]] inline std::uint32_t add_counts(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t sum = a + b;
  return sum | (sum < a ? ~0u : 0u);
}

/// Adds to counters.
void add_row(std::uint32_t* to, CounterRow from);
void add_to_row(std::span<std::uint32_t> to, std::uint32_t by);
/// The same; `from` is zeros then.
void move_row(std::uint32_t* to, std::span<std::uint32_t> from);
/// A row of squares (texture/touches.hpp) becomes what its texels get: of its own squares, which those of the next row
/// get as well (`below`), and of the row above, where there is one.
void spread_squares(std::span<std::uint32_t> row, const std::uint32_t* above, std::uint32_t* below);

}  // namespace heddle::vulkan
