// SPDX-License-Identifier: MIT
#pragma once
// What every thread of a run starts with.

#include <cstdint>
#include <vector>

#include "machine/bindings.hpp"

namespace heddle::pipeline {

/// Resources by slot, and the register file from r0 on; what differs between threads and groups is filled in later.
struct Bound {
  machine::Bindings bindings;
  std::vector<std::uint8_t> payload;
};

}  // namespace heddle::pipeline
