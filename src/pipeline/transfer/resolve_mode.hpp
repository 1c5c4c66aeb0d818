// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace heddle::pipeline::transfer {

/// How the samples of a pixel become one (TRF-14 to TRF-16).
enum class ResolveMode : std::uint8_t { SampleZero, Average, Minimum, Maximum };

}  // namespace heddle::pipeline::transfer
