// SPDX-License-Identifier: MIT
#pragma once
// Time for tests that bound how long something takes: other processes must not change what they find.

#include <time.h>

namespace heddle::test {

/// Programs for another processor run under an emulator, which takes at most so many times as long.
#if defined(HEDDLE_EMULATED)
inline constexpr double kSlowness = 60;
#else
inline constexpr double kSlowness = 1;
#endif

/// Seconds of processor time that this process has used.
inline double processor_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace heddle::test
