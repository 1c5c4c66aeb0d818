// SPDX-License-Identifier: MIT
#include "vulkan/texels/counter_rows.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace heddle::vulkan {
namespace {

// Vectors are written out: frames end many times, in every build.
using Words = std::uint32_t __attribute__((vector_size(16)));
using Longs = std::uint64_t __attribute__((vector_size(16)));
constexpr std::size_t kLanes = 4;

Words load(const std::uint32_t* from) {
  Words words;
  std::memcpy(&words, from, sizeof words);
  return words;
}
void store(std::uint32_t* to, Words words) { std::memcpy(to, &words, sizeof words); }
/// The sums, or the greatest number.
Words add(Words a, Words b) {
  const Words sum = a + b;
  return sum | (Words)(sum < a);
}

/// The counters that whole vectors hold.
std::size_t whole_of(std::size_t count) { return count / kLanes * kLanes; }

}  // namespace

Counters::Counters(std::size_t count)
    : words_(static_cast<std::uint32_t*>(std::calloc(std::max<std::size_t>(count, 1), sizeof(std::uint32_t)))),
      size_(count) {
  if (!words_) throw std::bad_alloc();
}

bool has_counts(CounterRow row) {
  constexpr std::size_t kPart = 256;  // before the loop asks whether it may end
  for (std::size_t first = 0; first < row.size(); first += kPart) {
    const std::size_t end = std::min(row.size(), first + kPart), whole = first + whole_of(end - first);
    Words all{};
    for (std::size_t k = first; k < whole; k += kLanes) all |= load(&row[k]);
    std::uint32_t any = all[0] | all[1] | all[2] | all[3];
    for (std::size_t k = whole; k < end; ++k) any |= row[k];
    if (any != 0) return true;
  }
  return false;
}

RowSum sum_of(CounterRow row) {
  const std::size_t whole = whole_of(row.size());
  Longs sums{};
  Words used{};
  for (std::size_t k = 0; k < whole; k += kLanes) {
    const Words words = load(&row[k]);
    const auto pair = (Longs)words;
    sums += (pair & 0xffffffffu) + (pair >> 32);
    used -= (Words)(words != 0);
  }
  RowSum all{sums[0] + sums[1], std::uint64_t{used[0]} + used[1] + used[2] + used[3]};
  for (std::size_t k = whole; k < row.size(); ++k) {
    all.sum += row[k];
    all.used += row[k] != 0 ? 1 : 0;
  }
  return all;
}

std::uint64_t count_used(std::span<const CounterRow> rows) {
  if (rows.empty()) return 0;
  const std::size_t count = rows[0].size(), whole = whole_of(count);
  Words used{};
  for (std::size_t k = 0; k < whole; k += kLanes) {
    Words any{};
    for (const CounterRow& row : rows) any |= load(&row[k]);
    used -= (Words)(any != 0);
  }
  std::uint64_t all = std::uint64_t{used[0]} + used[1] + used[2] + used[3];
  for (std::size_t k = whole; k < count; ++k)
    all += std::ranges::any_of(rows, [k](const CounterRow& row) { return row[k] != 0; }) ? 1 : 0;
  return all;
}

void add_row(std::uint32_t* to, CounterRow from) {
  const std::size_t whole = whole_of(from.size());
  for (std::size_t k = 0; k < whole; k += kLanes) store(to + k, add(load(to + k), load(&from[k])));
  for (std::size_t k = whole; k < from.size(); ++k) to[k] = add_counts(to[k], from[k]);
}

void move_row(std::uint32_t* to, std::span<std::uint32_t> from) {
  const std::size_t whole = whole_of(from.size());
  for (std::size_t k = 0; k < whole; k += kLanes) {
    store(to + k, add(load(to + k), load(&from[k])));
    store(&from[k], Words{});
  }
  for (std::size_t k = whole; k < from.size(); ++k) to[k] = add_counts(to[k], std::exchange(from[k], 0));
}

void add_to_row(std::span<std::uint32_t> to, std::uint32_t by) {
  const std::size_t whole = whole_of(to.size());
  for (std::size_t k = 0; k < whole; k += kLanes) store(&to[k], add(load(&to[k]), Words{} + by));
  for (std::size_t k = whole; k < to.size(); ++k) to[k] = add_counts(to[k], by);
}

void spread_squares(std::span<std::uint32_t> row, const std::uint32_t* above, std::uint32_t* below) {
  if (row.empty()) return;
  // From the end on, so that a square is still there when the texel behind it asks for it.
  const auto one = [&](std::size_t k) {
    below[k] = k == 0 ? row[0] : add_counts(row[k - 1], row[k]);
    row[k] = above == nullptr ? below[k] : add_counts(below[k], above[k]);
  };
  const std::size_t whole = 1 + whole_of(row.size() - 1);
  for (std::size_t k = row.size(); k-- > whole;) one(k);
  for (std::size_t k = whole; k > 1;) {
    k -= kLanes;
    const Words own = add(load(&row[k - 1]), load(&row[k]));
    store(below + k, own);
    store(&row[k], above == nullptr ? own : add(own, load(above + k)));
  }
  one(0);
}

}  // namespace heddle::vulkan
