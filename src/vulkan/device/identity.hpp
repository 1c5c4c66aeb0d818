#pragma once
// What the driver says of itself.

#include <array>
#include <cstdint>

namespace heddle::vulkan {

/// No registered vendor.
inline constexpr std::uint32_t kVendor = 0, kDevice = 0x4844;
inline constexpr char kDeviceName[] = "Heddle (CPU)";

using Uuid = std::array<std::uint8_t, 16>;
/// Different for every build.
[[nodiscard]] Uuid build_uuid();

}  // namespace heddle::vulkan
