// SPDX-License-Identifier: MIT
#pragma once
// Time for tests that bound how long something takes: other processes must not change what they find.

#include <time.h>

namespace heddle::test {

/// Seconds of processor time that this process has used.
inline double processor_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace heddle::test
