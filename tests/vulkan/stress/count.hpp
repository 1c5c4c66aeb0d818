// SPDX-License-Identifier: MIT
#pragma once
// How much the stress test does.

#include <cstdint>

#include "support/number_variable.hpp"
#include "support/process.hpp"

namespace heddle::test {

/// Sequences: HEDDLE_STRESS, 100,000 where the slow sweeps are wanted, or else those of a short run.
inline std::uint32_t count_of(std::uint32_t short_run) {
  return number_variable<std::uint32_t>("HEDDLE_STRESS").value_or(test_all() ? 100000 : short_run);
}

}  // namespace heddle::test
