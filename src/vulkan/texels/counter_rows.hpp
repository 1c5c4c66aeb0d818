// SPDX-License-Identifier: MIT
#pragma once
// Counters of texels row by row, several at once.

#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle::vulkan {

using CounterRow = std::span<const std::uint32_t>;

/// Whether a counter is not 0.
[[nodiscard]] bool has_counts(CounterRow row);
[[nodiscard]] std::uint64_t sum_of(CounterRow row);
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
/// Of squares (texture/touches.hpp): what each texel of their upper and of their lower row gets.
void spread_squares(CounterRow squares, std::uint32_t* texels);

}  // namespace heddle::vulkan
