// SPDX-License-Identifier: MIT
#pragma once
// The clock of timestamps.

#include <cstdint>

namespace heddle::vulkan {

/// Nanoseconds of the clock of timestamps.
[[nodiscard]] std::uint64_t timestamp_now();

}  // namespace heddle::vulkan
