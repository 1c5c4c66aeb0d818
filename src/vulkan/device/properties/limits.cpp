// SPDX-License-Identifier: MIT
#include "vulkan/device/properties/limits.hpp"

#include "pipeline/primitives/domain_division.hpp"
#include "pipeline/primitives/topology.hpp"

namespace heddle::vulkan {
namespace {

void set_image_limits(VkPhysicalDeviceLimits& l) {
  l.maxImageDimension1D = image::kMaxSurfaceSide;
  l.maxImageDimension2D = image::kMaxSurfaceSide;
  l.maxImageDimension3D = image::kMaxSurfaceDepth;
  l.maxImageDimensionCube = image::kMaxSurfaceSide;
  l.maxImageArrayLayers = image::kMaxSurfaceDepth;
  l.maxTexelBufferElements = image::kMaxTypedEntries;
  l.maxSamplerAllocationCount = kUnlimited;
  l.maxSamplerLodBias = 15;
  l.maxSamplerAnisotropy = kMaxAnisotropy;
  l.minTexelOffset = -8;
  l.maxTexelOffset = 7;
  l.minTexelGatherOffset = -32;
  l.maxTexelGatherOffset = 31;
  l.subPixelInterpolationOffsetBits = 8;
  l.minInterpolationOffset = -0.5f;
  l.maxInterpolationOffset = 0.5f - 1.0f / 256;
  l.subTexelPrecisionBits = 8;
  l.mipmapPrecisionBits = 8;
  l.sampledImageColorSampleCounts = kSampleCounts;
  l.sampledImageIntegerSampleCounts = kSampleCounts;
  l.sampledImageDepthSampleCounts = kSampleCounts;
  l.sampledImageStencilSampleCounts = kSampleCounts;
  l.storageImageSampleCounts = kSampleCounts;
}

void set_descriptor_limits(VkPhysicalDeviceLimits& l) {
  l.maxUniformBufferRange = 65536;
  l.maxStorageBufferRange = image::kMaxRawBytes;
  l.maxPushConstantsSize = kPushConstantBytes;
  l.maxBoundDescriptorSets = kMaxSets;
  l.maxPerStageDescriptorSamplers = kMaxDescriptors;
  l.maxPerStageDescriptorUniformBuffers = kMaxDescriptors;
  l.maxPerStageDescriptorStorageBuffers = kMaxDescriptors;
  l.maxPerStageDescriptorSampledImages = kMaxDescriptors;
  l.maxPerStageDescriptorStorageImages = kMaxDescriptors;
  l.maxPerStageDescriptorInputAttachments = kMaxDescriptors;
  l.maxPerStageResources = kMaxDescriptors;
  l.maxDescriptorSetSamplers = kMaxDescriptors;
  l.maxDescriptorSetUniformBuffers = kMaxDescriptors;
  l.maxDescriptorSetUniformBuffersDynamic = kMaxDynamicBuffers;
  l.maxDescriptorSetStorageBuffers = kMaxDescriptors;
  l.maxDescriptorSetStorageBuffersDynamic = kMaxDynamicBuffers;
  l.maxDescriptorSetSampledImages = kMaxDescriptors;
  l.maxDescriptorSetStorageImages = kMaxDescriptors;
  l.maxDescriptorSetInputAttachments = kMaxDescriptors;
}

void set_compute_limits(VkPhysicalDeviceLimits& l) {
  l.maxComputeSharedMemorySize = kSharedBytes;
  for (std::uint32_t& count : l.maxComputeWorkGroupCount) count = 65535;
  l.maxComputeWorkGroupInvocations = kMaxGroupSize;
  for (std::uint32_t& size : l.maxComputeWorkGroupSize) size = kMaxGroupSize;
}

void set_vertex_limits(VkPhysicalDeviceLimits& l) {
  l.maxVertexInputAttributes = kMaxVertexBindings;
  l.maxVertexInputBindings = kMaxVertexBindings;
  l.maxVertexInputAttributeOffset = 2047;
  l.maxVertexInputBindingStride = 2048;
  l.maxClipDistances = l.maxCullDistances = l.maxCombinedClipAndCullDistances = 8;
  l.maxVertexOutputComponents = 128;
  l.maxDrawIndexedIndexValue = UINT32_MAX;
  l.maxDrawIndirectCount = UINT32_MAX;
}

void set_geometry_limits(VkPhysicalDeviceLimits& l) {
  l.maxGeometryShaderInvocations = kMaxGeometryInvocations;
  l.maxGeometryInputComponents = 128;
  l.maxGeometryOutputComponents = 128;
  l.maxGeometryOutputVertices = kMaxGeometryVertices;
  l.maxGeometryTotalOutputComponents = kMaxGeometryTotal;
}

void set_tessellation_limits(VkPhysicalDeviceLimits& l) {
  l.maxTessellationGenerationLevel = pipeline::Division::kMaxSegments;
  l.maxTessellationPatchSize = pipeline::kMaxPatchVertices;
  l.maxTessellationControlPerVertexInputComponents = l.maxTessellationControlPerVertexOutputComponents = 128;
  l.maxTessellationControlPerPatchOutputComponents = 128;
  l.maxTessellationControlTotalOutputComponents = 4096;
  l.maxTessellationEvaluationInputComponents = l.maxTessellationEvaluationOutputComponents = 128;
}

void set_raster_limits(VkPhysicalDeviceLimits& l) {
  l.subPixelPrecisionBits = 8;
  l.maxViewports = kMaxViewports;
  l.maxViewportDimensions[0] = l.maxViewportDimensions[1] = image::kMaxSurfaceSide;
  l.viewportBoundsRange[0] = -32768;
  l.viewportBoundsRange[1] = 32767;
  l.pointSizeRange[0] = l.lineWidthRange[0] = l.pointSizeGranularity = l.lineWidthGranularity = 1.0f / 128;
  l.pointSizeRange[1] = 1024;
  l.lineWidthRange[1] = 64;
  l.strictLines = VK_TRUE;
  l.standardSampleLocations = VK_TRUE;
}

void set_fragment_limits(VkPhysicalDeviceLimits& l) {
  l.maxFragmentInputComponents = 128;
  l.maxFragmentOutputAttachments = kMaxColors;
  l.maxFragmentDualSrcAttachments = 1;
  l.maxFragmentCombinedOutputResources = kMaxDescriptors;
  l.maxFramebufferWidth = l.maxFramebufferHeight = image::kMaxSurfaceSide;
  l.maxFramebufferLayers = image::kMaxSurfaceDepth;
  l.framebufferColorSampleCounts = kSampleCounts;
  l.framebufferDepthSampleCounts = kSampleCounts;
  l.framebufferStencilSampleCounts = kSampleCounts;
  l.framebufferNoAttachmentsSampleCounts = kSampleCounts;
  l.maxColorAttachments = kMaxColors;
  l.maxSampleMaskWords = 1;
}

void set_memory_limits(VkPhysicalDeviceLimits& l) {
  l.maxMemoryAllocationCount = kUnlimited;
  l.bufferImageGranularity = 1;
  l.sparseAddressSpaceSize = kSparseAddresses;
  l.minMemoryMapAlignment = 64;
  l.minTexelBufferOffsetAlignment = 16;
  l.minUniformBufferOffsetAlignment = 16;
  l.minStorageBufferOffsetAlignment = 4;
  l.optimalBufferCopyOffsetAlignment = 64;
  l.optimalBufferCopyRowPitchAlignment = 64;
  l.nonCoherentAtomSize = 64;
}

}  // namespace

VkPhysicalDeviceLimits device_limits() {
  VkPhysicalDeviceLimits l{};
  set_image_limits(l);
  set_descriptor_limits(l);
  set_compute_limits(l);
  set_vertex_limits(l);
  set_geometry_limits(l);
  set_tessellation_limits(l);
  set_raster_limits(l);
  set_fragment_limits(l);
  set_memory_limits(l);
  l.discreteQueuePriorities = 2;
  l.timestampComputeAndGraphics = VK_TRUE;
  l.timestampPeriod = 1;
  return l;
}

}  // namespace heddle::vulkan
