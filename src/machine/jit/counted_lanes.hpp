// SPDX-License-Identifier: MIT
#pragma once
// Which lanes of a thread a message that is counted has, as compiled code tells it.

#include <cstdint>

namespace heddle::machine::jit {

struct CountedLanes {
  std::uint32_t width = 0, first = 0;
  bool covered = false;  ///< none of them is a helper invocation

  [[nodiscard]] constexpr std::uint32_t pack() const { return width | first << 8 | (covered ? 1u << 16 : 0u); }
  [[nodiscard]] static constexpr CountedLanes unpack(std::uint32_t word) {
    return {word & 0xffu, word >> 8 & 0xffu, (word >> 16 & 1u) != 0};
  }
};

}  // namespace heddle::machine::jit
