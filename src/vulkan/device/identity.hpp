#pragma once
// What the driver says of itself.

#include <array>
#include <cstdint>

namespace heddle::vulkan {

/// No registered vendor.
inline constexpr std::uint32_t kVendor = 0, kDevice = 0x4844;
/// No registered driver: Vulkan lets such ones return a number of their own. Registered ones count from 1 up, and 0 is
/// what a structure holds that nobody filled.
inline constexpr std::int32_t kDriver = 0x48444c45;
inline constexpr char kDeviceName[] = "Heddle (CPU)";

using Uuid = std::array<std::uint8_t, 16>;
/// Different for every build.
[[nodiscard]] Uuid build_uuid();

}  // namespace heddle::vulkan
