// SPDX-License-Identifier: MIT
#include "vulkan/texels/counter_rows.hpp"

#include <algorithm>
#include <cstring>
#include <new>

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

std::uint64_t sum_of(CounterRow row) {
  const std::size_t whole = whole_of(row.size());
  Longs sums{};
  for (std::size_t k = 0; k < whole; k += kLanes) {
    const Longs pair = (Longs)load(&row[k]);
    sums += (pair & 0xffffffffu) + (pair >> 32);
  }
  std::uint64_t sum = sums[0] + sums[1];
  for (std::size_t k = whole; k < row.size(); ++k) sum += row[k];
  return sum;
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

void add_row(std::uint32_t* to, CounterRow from) { add_rows(to, from, to); }

void add_rows(std::uint32_t* to, CounterRow a, const std::uint32_t* b) {
  const std::size_t whole = whole_of(a.size());
  for (std::size_t k = 0; k < whole; k += kLanes) store(to + k, add(load(&a[k]), load(b + k)));
  for (std::size_t k = whole; k < a.size(); ++k) to[k] = add_counts(a[k], b[k]);
}

void add_to_row(std::span<std::uint32_t> to, std::uint32_t by) {
  const std::size_t whole = whole_of(to.size());
  for (std::size_t k = 0; k < whole; k += kLanes) store(&to[k], add(load(&to[k]), Words{} + by));
  for (std::size_t k = whole; k < to.size(); ++k) to[k] = add_counts(to[k], by);
}

void spread_squares(CounterRow squares, std::uint32_t* texels) {
  if (squares.empty()) return;
  texels[0] = squares[0];
  const std::size_t whole = 1 + whole_of(squares.size() - 1);
  for (std::size_t k = 1; k < whole; k += kLanes) store(texels + k, add(load(&squares[k - 1]), load(&squares[k])));
  for (std::size_t k = whole; k < squares.size(); ++k) texels[k] = add_counts(squares[k - 1], squares[k]);
}

}  // namespace heddle::vulkan
