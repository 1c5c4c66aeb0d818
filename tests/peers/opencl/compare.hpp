#pragma once
// A launch as Heddle's job, and what both sides made of it compared.

#include "dispatch/opencl_support.hpp"
#include "peers/opencl/pocl.hpp"
#include "support/process.hpp"

namespace heddle::peers {

/// The launch as a job; buffer contents lie in files of `folder`.
std::string job_of(const Launch& launch, const heddle::test::TemporaryFolder& folder);

/// How far floats may be from the peer's (NUM-98): so many units in the last place, or that difference.
struct Bound {
  double ulps = 0, absolute = 0;
};
void compare(const Launch& launch, const std::vector<std::vector<std::uint8_t>>& want, const dispatch::Outcome& outcome,
             const Bound& bound);

}  // namespace heddle::peers
