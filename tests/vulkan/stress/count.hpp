// SPDX-License-Identifier: MIT
#pragma once
// How much the stress test does.

#include <cstdint>
#include <cstdlib>

#include "support/process.hpp"

namespace heddle::test {

/// Sequences: HEDDLE_STRESS, 100,000 where the slow sweeps are wanted, or else those of a short run.
inline std::uint32_t count_of(std::uint32_t short_run) {
  if (const char* text = std::getenv("HEDDLE_STRESS"))
    return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
  return test_all() ? 100000 : short_run;
}

}  // namespace heddle::test
