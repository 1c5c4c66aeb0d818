#pragma once
// The list of rooms. A new room: a folder with description.cpp, and one line here.

#include "isa/description.hpp"

#define HEDDLE_ROOMS(X) \
  X(info)               \
  X(sample_unorm)       \
  X(sample4)            \
  X(rt_write)           \
  X(arithmetic)         \
  X(logic)              \
  X(move)               \
  X(compare)

namespace heddle::instructions {
#define HEDDLE_DECLARE_ROOM(name) \
  namespace name {                \
  const isa::Room& room();        \
  }
HEDDLE_ROOMS(HEDDLE_DECLARE_ROOM)
#undef HEDDLE_DECLARE_ROOM
}  // namespace heddle::instructions
