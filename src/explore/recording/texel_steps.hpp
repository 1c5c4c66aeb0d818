// SPDX-License-Identifier: MIT
#pragma once
// A message to the texture unit, step by step for each lane: from its parameters to the sum.

#include <cstdint>
#include <functional>
#include <string>

#include "machine/thread.hpp"

namespace heddle::explore {

/// Bytes of the register file as they were before the instruction.
using RegisterBytes = std::span<const std::uint8_t>;
/// A number for a surface, by which the page finds its picture.
using SurfaceNumber = std::function<std::uint32_t(const image::Surface&)>;

/// The JSON of the lanes of `lanes` (of the thread) that `wanted` has; empty where the instruction is no sample and no
/// gather, or its result does not depend on texels.
[[nodiscard]] std::string texel_steps(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes,
                                      std::uint32_t wanted, RegisterBytes before, const SurfaceNumber& number);

}  // namespace heddle::explore
