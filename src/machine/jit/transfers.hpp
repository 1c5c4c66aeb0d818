// SPDX-License-Identifier: MIT
#pragma once
// Memory messages of vectors, for compiled code that is made at once: a call takes less time to compile than the ways
// to reach memory written out.

#include <cstdint>

#include "machine/jit/context.hpp"

namespace heddle::machine::jit {

/// A message's shape, as one word.
struct TransferShape {
  unsigned lanes = 16;
  unsigned bytes = 4;        ///< of an element: 1, 2, 4 or 8
  unsigned components = 15;  ///< a bit for each that is there, of at most 8
  bool aligned = true;       ///< offsets are rounded down to multiples of min(bytes, 4)
  bool write = false;
  [[nodiscard]] constexpr std::uint32_t word() const {
    return lanes | bytes << 8 | components << 16 | (aligned ? 1u << 24 : 0) | (write ? 1u << 25 : 0);
  }
  [[nodiscard]] static constexpr TransferShape of(std::uint32_t word) {
    return {word & 0xff, word >> 8 & 0xff, word >> 16 & 0xff, (word >> 24 & 1) != 0, (word >> 25 & 1) != 0};
  }
};

/// Component c of lane k of `mask`: `bytes` bytes at data + places[k] + c * bytes. `values` has the elements of all
/// lanes of one component that is there, then those of the next. What is not inside `size` is read as 0 and not
/// written; a lane that is not in the mask reads 0. Writes are done component after component, in the order of lanes.
void run_transfer(std::uint8_t* data, std::uint32_t size, const std::uint32_t* places, std::uint8_t* values,
                  std::uint32_t mask, std::uint32_t shape);

/// The same at 64-bit addresses, all of whose lanes of `mask` must lie in `view`; false, and nothing done, where one
/// does not.
[[nodiscard]] bool run_transfer(const FlatView& view, const std::uint64_t* addresses, std::uint8_t* values,
                                std::uint32_t mask, std::uint32_t shape);

}  // namespace heddle::machine::jit
