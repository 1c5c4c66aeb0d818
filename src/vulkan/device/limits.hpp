#pragma once
// Limits that the driver reports and keeps.

#include <cstdint>

namespace heddle::vulkan {

inline constexpr std::uint32_t kMaxDescriptors = 1 << 20;  ///< of a set layout
inline constexpr std::uint32_t kPushConstantBytes = 256;
inline constexpr std::uint32_t kInlineBlockBytes = 4096;
inline constexpr std::uint32_t kMaxSets = 8;
inline constexpr std::uint32_t kSubgroupSize = 16;  ///< where a pipeline asks for none
inline constexpr std::uint32_t kMaxGroupSize = 1024;
inline constexpr std::uint32_t kSharedBytes = 65536;
inline constexpr std::uint32_t kMaxVertexBindings = 32;
inline constexpr std::uint32_t kMaxViewports = 16;  ///< that state has room for
inline constexpr std::uint32_t kMaxColors = 8;
inline constexpr float kMaxSamplePosition = 15.0f / 16;  ///< from the pixel's upper left corner, of sixteenths

}  // namespace heddle::vulkan
