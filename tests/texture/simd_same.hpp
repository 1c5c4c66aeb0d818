// SPDX-License-Identifier: MIT
#pragma once
// One request through the kernels in every way, against the reference.

#include <gtest/gtest.h>

#include "texture/simd_ways.hpp"

namespace heddle::texture::test {

/// `block`: the lanes are pixels of a block, four after four.
inline ::testing::AssertionResult same_in_every_way(const LaneRequest& request, bool block = false) {
  OperationContext context;
  const LaneResult expected = execute_any(request, context);
  const auto prepared = simd::prepare(request, context);
  if (!simd::is_fast(*prepared)) return ::testing::AssertionFailure() << "not in the kernels";
  prepared->static_state.quads = block;
  const WayDifference d = difference_in_any_way(request, *prepared, expected, context);
  if (!d.found) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << d.way << " channel " << d.channel << " lane " << d.lane;
}

}  // namespace heddle::texture::test
