// SPDX-License-Identifier: MIT
#pragma once
// What both sides made of a launch, compared.

#include "job/opencl_support.hpp"
#include "peers/opencl/launch_job.hpp"
#include "support/process.hpp"

namespace heddle::peers {

/// How far floats may be from the peer's (NUM-98): so many units in the last place, or that difference.
struct Bound {
  double ulps = 0, absolute = 0;
};
void compare(const Launch& launch, const std::vector<std::vector<std::uint8_t>>& want, const job::RunResult& outcome,
             const Bound& bound);

}  // namespace heddle::peers
