// SPDX-License-Identifier: MIT
#pragma once
// Limits that the driver reports and keeps: each number stands here, or with what the hardware fixes.

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>

#include "image/surface_limits.hpp"
#include "vulkan/generated/newer.hpp"

namespace heddle::vulkan {

// --- descriptors ---
/// Of a set layout. A program has 230 surfaces and 31 samplers in its binding table, and as many as sets have room for
/// by handle.
inline constexpr std::uint32_t kMaxDescriptors = 1 << 20;
inline constexpr std::uint32_t kMaxDynamicBuffers = 4096;
inline constexpr std::uint32_t kPushConstantBytes = 256;
inline constexpr std::uint32_t kInlineBlockBytes = 4096;
inline constexpr std::uint32_t kMaxInlineBlocks = 200;
inline constexpr std::uint32_t kDescriptorsOfCombined = 1;  ///< that a combined image sampler of several planes takes
inline constexpr std::uint32_t kMaxSets = 32;
inline constexpr std::uint32_t kStoredSamplerBytes = 16;     ///< of a sampler in a descriptor buffer
inline constexpr std::uint32_t kStoredDescriptorBytes = 32;  ///< of every other descriptor there
inline constexpr std::uint32_t kStoredSetAlignment = 64;     ///< of a set in a descriptor buffer
inline constexpr std::uint32_t kMaxDescriptorBuffers = 32;   ///< that are bound at a time
inline constexpr std::uint32_t kMaxEmbeddedSamplers = 2032;
inline constexpr std::uint32_t kUnlimited = 1 << 16;  ///< of what is not counted anywhere

// --- memory ---
inline constexpr std::uint64_t kBufferAlignment = 64, kImageAlignment = 256;  ///< of the memory that they are bound to
inline constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{1} << 31;  ///< offsets of accesses by address: 31 bits
inline constexpr std::uint64_t kMaxImageBytes = std::uint64_t{1} << 31;

inline constexpr std::uint64_t kSparseAddresses = std::uint64_t{1} << 40;  ///< of all sparse buffers and images

// --- queues ---
inline constexpr std::uint32_t kQueueFamilies = 2;        ///< one does everything, one only transfers
inline constexpr std::uint32_t kTransferQueueFamily = 1;  ///< the second one
/// What all programs may have; the system gives processors to threads by its own rules.
inline constexpr std::array kGlobalPriorities{VK_QUEUE_GLOBAL_PRIORITY_LOW, VK_QUEUE_GLOBAL_PRIORITY_MEDIUM};

// --- compute ---
inline constexpr std::uint32_t kSubgroupSize = 16;  ///< where a pipeline asks for none
inline constexpr std::uint32_t kMinSubgroupSize = 8, kMaxSubgroupSize = 32;
inline constexpr std::uint32_t kMaxGroupSize = 1024;
inline constexpr std::uint32_t kSharedBytes = 65536;

// --- draws ---
inline constexpr std::uint32_t kMaxVertexBindings = 32;
inline constexpr std::uint32_t kMaxFeedbackBytes = 512, kMaxFeedbackStride = 2048;
inline constexpr std::uint32_t kMaxGeometryInvocations = 32, kMaxGeometryVertices = 1024;
inline constexpr std::uint32_t kMaxGeometryTotal = 4096;  ///< components that an invocation emits
/// Of task and mesh shaders: groups in a dimension and altogether are those of pipeline/meshlets.
inline constexpr std::uint32_t kMaxMeshOutputs = 256;    ///< vertices, and primitives
inline constexpr std::uint32_t kMaxTaskPayload = 16384;  ///< bytes
inline constexpr std::uint32_t kMaxMeshOutputBytes = 32768;
inline constexpr std::uint32_t kMaxViewports = 16;  ///< that state has room for
inline constexpr std::uint32_t kMaxViews = 6;       ///< of multiview
inline constexpr std::uint32_t kMaxColors = 8;
inline constexpr std::uint32_t kMaxSamples = 16;
inline constexpr VkSampleCountFlags kSampleCounts = kMaxSamples * 2 - 1;  ///< 1, 2, 4, 8 and 16
inline constexpr float kMaxSamplePosition = 15.0f / 16;  ///< from the pixel's upper left corner, of sixteenths

// --- samplers ---
inline constexpr float kMaxAnisotropy = 16;

/// What vkGetPhysicalDeviceProperties reports.
[[nodiscard]] VkPhysicalDeviceLimits device_limits();

}  // namespace heddle::vulkan
