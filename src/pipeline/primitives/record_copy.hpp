// SPDX-License-Identifier: MIT
#pragma once
// The dwords of one record go to another.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "pipeline/primitives/record_link.hpp"

namespace heddle::pipeline {

inline void copy_dwords(const RecordCopy& c, const std::uint8_t* from, std::uint8_t* to) {
  switch (c.dwords) {  // a size that the compiler knows is a move or two
    case 1:
      std::memcpy(to + c.to, from + c.from, 4);
      break;
    case 2:
      std::memcpy(to + c.to, from + c.from, 8);
      break;
    case 3:
      std::memcpy(to + c.to, from + c.from, 12);
      break;
    case 4:
      std::memcpy(to + c.to, from + c.from, 16);
      break;
    default:
      std::memcpy(to + c.to, from + c.from, std::size_t{4} * c.dwords);
  }
}

}  // namespace heddle::pipeline
