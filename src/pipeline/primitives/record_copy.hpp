// SPDX-License-Identifier: MIT
#pragma once
// The dwords of one record go to another.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "pipeline/primitives/record_link.hpp"

namespace heddle::pipeline {

/// Calls use(bytes): of short copies a number that the compiler knows, so that each is a move or two.
template <typename Use>
void with_bytes(const RecordCopy& c, const Use& use) {
  switch (c.dwords) {
    case 1:
      return use(std::integral_constant<std::size_t, 4>{});
    case 2:
      return use(std::integral_constant<std::size_t, 8>{});
    case 3:
      return use(std::integral_constant<std::size_t, 12>{});
    case 4:
      return use(std::integral_constant<std::size_t, 16>{});
    default:
      return use(std::size_t{4} * c.dwords);
  }
}

inline void copy_dwords(const RecordCopy& c, const std::uint8_t* from, std::uint8_t* to) {
  with_bytes(c, [&](auto bytes) { std::memcpy(to + c.to, from + c.from, bytes); });
}

}  // namespace heddle::pipeline
