// SPDX-License-Identifier: MIT
#include "machine/jit/transfers.hpp"

#include <algorithm>
#include <cstring>

namespace heddle::machine::jit {
namespace {

/// Whether all lanes are there, their places lie side by side, and `bytes` bytes from each of them on are inside.
bool is_row(const std::uint32_t* places, bool all, const TransferShape& s, std::uint32_t size, std::uint64_t end) {
  if (!all) return false;
  if (places[0] + (std::uint64_t{s.lanes} - 1) * s.bytes + end > size) return false;
  for (unsigned k = 1; k < s.lanes; ++k)
    if (places[k] != places[0] + k * s.bytes) return false;
  return true;
}

/// Other threads may use the same bytes, as the program's own threads may on a device.
#if defined(__clang__) || defined(__GNUC__)
__attribute__((no_sanitize("thread")))
#endif
void move(std::uint8_t* to, const std::uint8_t* from, unsigned bytes) {
  switch (bytes) {
    case 1:
      *to = *from;
      return;
    case 2:
      std::memcpy(to, from, 2);
      return;
    case 4:
      std::memcpy(to, from, 4);
      return;
    default:
      std::memcpy(to, from, 8);
      return;
  }
}

/// Dwords of lanes that are all inside: the order is that of run_transfer, without its questions.
template <bool kWrite>
#if defined(__clang__) || defined(__GNUC__)
__attribute__((no_sanitize("thread")))
#endif
void move_dwords(std::uint8_t* data, const std::uint32_t* at, std::uint8_t* values, const TransferShape& s) {
  for (unsigned c = 0; s.components >> c != 0; ++c) {
    if ((s.components >> c & 1) == 0) continue;
    for (unsigned k = 0; k < s.lanes; ++k, values += 4) {
      std::uint8_t* const place = data + at[k] + std::size_t{4} * c;
      kWrite ? std::memcpy(place, values, 4) : std::memcpy(values, place, 4);
    }
  }
}

}  // namespace

void run_transfer(std::uint8_t* data, std::uint32_t size, const std::uint32_t* places, std::uint8_t* values,
                  std::uint32_t mask, std::uint32_t shape) {
  const TransferShape s = TransferShape::of(shape);
  const std::uint32_t all = s.lanes >= 32 ? 0xffffffffu : (1u << s.lanes) - 1;
  if ((mask & all) == 0) {  // an element of an array that no lane chose
    if (!s.write) std::memset(values, 0, std::size_t{s.lanes} * s.bytes * __builtin_popcount(s.components));
    return;
  }
  std::uint32_t at[32];
  const std::uint32_t keep = ~(s.aligned ? std::min(s.bytes, 4u) - 1 : 0u);
  std::uint32_t greatest = 0;
  for (unsigned k = 0; k < s.lanes; ++k) {
    at[k] = places[k] & keep;
    greatest = std::max(greatest, at[k]);
  }
  if (s.bytes == 4 && mask == all && s.components != 0) {
    const std::uint64_t end = std::uint64_t{32u - static_cast<unsigned>(__builtin_clz(s.components))} * 4;
    if (greatest + end <= size)
      return s.write ? move_dwords<true>(data, at, values, s) : move_dwords<false>(data, at, values, s);
  }
  std::uint8_t* element = values;
  for (unsigned c = 0; s.components >> c != 0; ++c) {
    if ((s.components >> c & 1) == 0) continue;
    const std::uint64_t end = (std::uint64_t{c} + 1) * s.bytes;
    if (is_row(at, mask == all, s, size, end)) {
      // Each element once: a block's copy may store a byte twice, and undo what another thread wrote in between.
      std::uint8_t* row = data + at[0] + std::uint64_t{c} * s.bytes;
      for (unsigned k = 0; k < s.lanes; ++k, row += s.bytes, element += s.bytes)
        s.write ? move(row, element, s.bytes) : move(element, row, s.bytes);
      continue;
    }
    if (!s.write) std::memset(element, 0, std::size_t{s.lanes} * s.bytes);
    for (std::uint32_t left = mask & all; left != 0; left &= left - 1) {
      const auto k = static_cast<unsigned>(__builtin_ctz(left));
      if (at[k] + end > size) continue;
      std::uint8_t* const place = data + at[k] + std::uint64_t{c} * s.bytes;
      std::uint8_t* const one = element + std::size_t{k} * s.bytes;
      s.write ? move(place, one, s.bytes) : move(one, place, s.bytes);
    }
    element += std::size_t{s.lanes} * s.bytes;
  }
}

bool run_transfer(const FlatView& view, const std::uint64_t* addresses, std::uint8_t* values, std::uint32_t mask,
                  std::uint32_t shape) {
  TransferShape s = TransferShape::of(shape);
  const std::uint64_t keep = ~std::uint64_t{s.aligned ? std::min(s.bytes, 4u) - 1 : 0u};
  const std::uint64_t end = std::uint64_t{32u - static_cast<unsigned>(__builtin_clz(s.components))} * s.bytes;
  if (view.size < end) return false;
  std::uint32_t places[32];
  for (unsigned k = 0; k < s.lanes; ++k) {
    const std::uint64_t place = (addresses[k] & keep) - view.address;
    if ((mask >> k & 1) != 0 && place > view.size - end) return false;
    places[k] = static_cast<std::uint32_t>(place);
  }
  s.aligned = false;  // addresses are rounded, whatever the view begins at
  run_transfer(view.data, static_cast<std::uint32_t>(view.size), places, values, mask, s.word());
  return true;
}

}  // namespace heddle::machine::jit
