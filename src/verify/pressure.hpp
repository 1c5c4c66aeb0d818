// SPDX-License-Identifier: MIT
#pragma once
// Register pressure: how many bytes of variables hold a value that is needed later, behind each instruction. What a
// finalizer has no registers for, it spills.

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "isa/program.hpp"

namespace heddle::verify {

struct Pressure {
  struct At {
    std::uint32_t bytes = 0;                      ///< of general variables; predefined ones are not counted
    std::uint32_t addresses = 0, predicates = 0;  ///< variables of these kinds
  };
  /// Behind each instruction: what a later one may read, and what it wrote itself. Zero where control never comes.
  std::vector<At> behind;
  At start;  ///< before the first one: inputs that are read
  /// The first instruction behind which there are the most bytes; instructions.size() where the start has most.
  std::uint32_t greatest = 0;

  [[nodiscard]] const At& most() const { return greatest < behind.size() ? behind[greatest] : start; }
};

/// PRS-1. Id: limit-memory, for objects of too many variables and labels.
[[nodiscard]] base::Result<Pressure> find_pressure(const isa::Object& object, unsigned grf_bytes);

}  // namespace heddle::verify
