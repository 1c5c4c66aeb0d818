#pragma once
// The list of families. A new family: a folder with description.cpp, and one line here.

#include "isa/description.hpp"

#define HEDDLE_ROOMS(X) \
  X(info)               \
  X(sample_unorm)       \
  X(sample4)            \
  X(rt_write)           \
  X(sample)             \
  X(load)               \
  X(arithmetic)         \
  X(logic)              \
  X(move)               \
  X(compare)            \
  X(flow)               \
  X(memory_scattered)   \
  X(memory_block)       \
  X(memory_typed)       \
  X(memory_svm)         \
  X(atomic)             \
  X(lsc)                \
  X(sync)               \
  X(send)               \
  X(urb)                \
  X(media)              \
  X(dpas)               \
  X(va)                 \
  X(misc)               \
  X(newer)              \
  X(footprint)

namespace heddle::instructions {
#define HEDDLE_DECLARE_ROOM(name) \
  namespace name {                \
  const isa::Family& family();    \
  }
HEDDLE_ROOMS(HEDDLE_DECLARE_ROOM)
#undef HEDDLE_DECLARE_ROOM
}  // namespace heddle::instructions
