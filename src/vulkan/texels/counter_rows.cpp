// SPDX-License-Identifier: MIT
#include "vulkan/texels/counter_rows.hpp"

#include <algorithm>
#include <array>

namespace heddle::vulkan {
namespace {

/// Counters that are looked at before a loop asks whether it may end.
constexpr std::size_t kPart = 256;

/// use(first, count) for the parts of a row.
template <typename Use>
void for_each_part(std::size_t count, Use&& use) {
  for (std::size_t first = 0; first < count; first += kPart) use(first, std::min(kPart, count - first));
}

}  // namespace

bool has_counts(CounterRow row) {
  for (std::size_t first = 0; first < row.size(); first += kPart) {
    std::uint32_t all = 0;
    for (const std::uint32_t count : row.subspan(first, std::min(kPart, row.size() - first))) all |= count;
    if (all != 0) return true;
  }
  return false;
}

std::uint64_t sum_of(CounterRow row) {
  std::uint64_t sum = 0;
  for (const std::uint32_t count : row) sum += count;
  return sum;
}

std::uint64_t count_used(std::span<const CounterRow> rows) {
  std::uint64_t used = 0;
  if (rows.empty()) return used;
  for_each_part(rows[0].size(), [&](std::size_t first, std::size_t count) {
    std::array<std::uint32_t, kPart> any{};
    for (const CounterRow row : rows)
      for (std::size_t k = 0; k < count; ++k) any[k] |= row[first + k];
    std::uint32_t here = 0;
    for (std::size_t k = 0; k < count; ++k) here += any[k] != 0 ? 1u : 0u;
    used += here;
  });
  return used;
}

void add_row(std::uint32_t* to, CounterRow from) {
  for (std::size_t k = 0; k < from.size(); ++k) to[k] = add_counts(to[k], from[k]);
}

void add_to_row(std::span<std::uint32_t> to, std::uint32_t by) {
  for (std::uint32_t& count : to) count = add_counts(count, by);
}

void spread_squares(CounterRow squares, std::uint32_t* texels) {
  if (squares.empty()) return;
  texels[0] = squares[0];
  for (std::size_t k = 1; k < squares.size(); ++k) texels[k] = add_counts(squares[k - 1], squares[k]);
}

}  // namespace heddle::vulkan
