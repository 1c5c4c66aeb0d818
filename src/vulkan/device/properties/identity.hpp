// SPDX-License-Identifier: MIT
#pragma once
// What the driver says of itself.

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>

#include "vulkan/generated/extensions.hpp"

namespace heddle::vulkan {

/// Of Vulkan: that of offered.txt, with the number of the registry that newer.txt follows.
inline constexpr std::uint32_t kApiVersion = VK_MAKE_API_VERSION(0, 1, kApiMinor, kApiPatch);
/// Of the driver: that of the CMake project.
inline constexpr std::uint32_t kDriverVersion =
    VK_MAKE_VERSION(HEDDLE_VERSION_MAJOR, HEDDLE_VERSION_MINOR, HEDDLE_VERSION_PATCH);

/// No registered vendor.
inline constexpr std::uint32_t kVendor = 0, kDevice = 0x4844;
/// No registered driver: Vulkan lets such ones return a number of their own. Registered ones count from 1 up, and 0 is
/// what a structure holds that nobody filled.
inline constexpr std::int32_t kDriver = 0x48444c45;
/// Letters and spaces: browsers make an identifier of it (WebGPU: GPUAdapterInfo), words joined by hyphens.
inline constexpr char kDeviceName[] = "Heddle CPU";

using Uuid = std::array<std::uint8_t, 16>;
/// Different for every build; the last two bytes are the number of the bits (base/bits/bits.hpp).
[[nodiscard]] Uuid build_uuid();

}  // namespace heddle::vulkan
