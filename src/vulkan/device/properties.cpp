#include "vulkan/device/properties.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "vulkan/device/device.hpp"
#include "vulkan/device/identity.hpp"
#include "vulkan/device/limits.hpp"
#include "vulkan/objects/memory/device_memory.hpp"

namespace heddle::vulkan {
namespace {

constexpr std::uint32_t kMany = 1 << 16;  // what is not counted anywhere
// A program has 230 surfaces and 31 samplers in its binding table, and as many as sets have room for by handle.
constexpr std::uint32_t kDescriptors = kMaxDescriptors;
constexpr std::uint32_t kDynamicBuffers = 4096;
constexpr std::uint32_t kInlineBlocks = 200;
constexpr std::uint64_t kMaxRange = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxBuffer = std::uint64_t{1} << 31;  // offsets of accesses by address have 31 bits
constexpr VkSampleCountFlags kSamples = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_2_BIT | VK_SAMPLE_COUNT_4_BIT |
                                        VK_SAMPLE_COUNT_8_BIT | VK_SAMPLE_COUNT_16_BIT;

void set_image_limits(VkPhysicalDeviceLimits& l) {
  l.maxImageDimension1D = 16384;
  l.maxImageDimension2D = 16384;
  l.maxImageDimension3D = 2048;
  l.maxImageDimensionCube = 16384;
  l.maxImageArrayLayers = 2048;
  l.maxTexelBufferElements = 1 << 27;
  l.maxSamplerAllocationCount = kMany;
  l.maxSamplerLodBias = 15;
  l.maxSamplerAnisotropy = 16;
  l.minTexelOffset = -8;
  l.maxTexelOffset = 7;
  l.minTexelGatherOffset = -32;
  l.maxTexelGatherOffset = 31;
  l.subPixelInterpolationOffsetBits = 8;
  l.minInterpolationOffset = -0.5f;
  l.maxInterpolationOffset = 0.5f - 1.0f / 256;
  l.subTexelPrecisionBits = 8;
  l.mipmapPrecisionBits = 8;
  l.sampledImageColorSampleCounts = kSamples;
  l.sampledImageIntegerSampleCounts = kSamples;
  l.sampledImageDepthSampleCounts = kSamples;
  l.sampledImageStencilSampleCounts = kSamples;
  l.storageImageSampleCounts = kSamples;
}

void set_descriptor_limits(VkPhysicalDeviceLimits& l) {
  l.maxUniformBufferRange = 65536;
  l.maxStorageBufferRange = kMaxRange;
  l.maxPushConstantsSize = kPushConstantBytes;
  l.maxBoundDescriptorSets = kMaxSets;
  l.maxPerStageDescriptorSamplers = kDescriptors;
  l.maxPerStageDescriptorUniformBuffers = kDescriptors;
  l.maxPerStageDescriptorStorageBuffers = kDescriptors;
  l.maxPerStageDescriptorSampledImages = kDescriptors;
  l.maxPerStageDescriptorStorageImages = kDescriptors;
  l.maxPerStageDescriptorInputAttachments = kDescriptors;
  l.maxPerStageResources = kDescriptors;
  l.maxDescriptorSetSamplers = kDescriptors;
  l.maxDescriptorSetUniformBuffers = kDescriptors;
  l.maxDescriptorSetUniformBuffersDynamic = kDynamicBuffers;
  l.maxDescriptorSetStorageBuffers = kDescriptors;
  l.maxDescriptorSetStorageBuffersDynamic = kDynamicBuffers;
  l.maxDescriptorSetSampledImages = kDescriptors;
  l.maxDescriptorSetStorageImages = kDescriptors;
  l.maxDescriptorSetInputAttachments = kDescriptors;
}

void set_compute_limits(VkPhysicalDeviceLimits& l) {
  l.maxComputeSharedMemorySize = kSharedBytes;
  for (std::uint32_t& count : l.maxComputeWorkGroupCount) count = 65535;
  l.maxComputeWorkGroupInvocations = kMaxGroupSize;
  for (std::uint32_t& size : l.maxComputeWorkGroupSize) size = kMaxGroupSize;
}

void set_graphics_limits(VkPhysicalDeviceLimits& l) {
  l.maxVertexInputAttributes = 32;
  l.maxVertexInputBindings = 32;
  l.maxVertexInputAttributeOffset = 2047;
  l.maxVertexInputBindingStride = 2048;
  l.maxClipDistances = l.maxCullDistances = l.maxCombinedClipAndCullDistances = 8;
  l.maxFragmentDualSrcAttachments = 1;
  l.maxVertexOutputComponents = 128;
  l.maxFragmentInputComponents = 128;
  l.maxFragmentOutputAttachments = 8;
  l.maxFragmentCombinedOutputResources = kDescriptors;
  l.subPixelPrecisionBits = 8;
  l.maxDrawIndexedIndexValue = UINT32_MAX;
  l.maxDrawIndirectCount = UINT32_MAX;
  l.maxViewports = kMaxViewports;
  l.maxViewportDimensions[0] = l.maxViewportDimensions[1] = 16384;
  l.viewportBoundsRange[0] = -32768;
  l.viewportBoundsRange[1] = 32767;
  l.maxFramebufferWidth = l.maxFramebufferHeight = 16384;
  l.maxFramebufferLayers = 2048;
  l.framebufferColorSampleCounts = kSamples;
  l.framebufferDepthSampleCounts = kSamples;
  l.framebufferStencilSampleCounts = kSamples;
  l.framebufferNoAttachmentsSampleCounts = kSamples;
  l.maxColorAttachments = 8;
  l.maxSampleMaskWords = 1;
  l.pointSizeRange[0] = l.lineWidthRange[0] = l.pointSizeGranularity = l.lineWidthGranularity = 1.0f / 128;
  l.pointSizeRange[1] = 1024;
  l.lineWidthRange[1] = 64;
  l.strictLines = VK_TRUE;
  l.standardSampleLocations = VK_TRUE;
  l.discreteQueuePriorities = 2;
}

VkPhysicalDeviceLimits limits() {
  VkPhysicalDeviceLimits l{};
  set_image_limits(l);
  set_descriptor_limits(l);
  set_compute_limits(l);
  set_graphics_limits(l);
  l.maxMemoryAllocationCount = kMany;
  l.bufferImageGranularity = 1;
  l.minMemoryMapAlignment = 64;
  l.minTexelBufferOffsetAlignment = 16;
  l.minUniformBufferOffsetAlignment = 16;
  l.minStorageBufferOffsetAlignment = 4;
  l.timestampComputeAndGraphics = VK_TRUE;
  l.timestampPeriod = 1;
  l.optimalBufferCopyOffsetAlignment = 64;
  l.optimalBufferCopyRowPitchAlignment = 64;
  l.nonCoherentAtomSize = 64;
  return l;
}

void copy_text(char* to, std::size_t size, const char* from) {
  std::strncpy(to, from, size - 1);
  to[size - 1] = 0;
}

// --- structures, also as parts of those that later versions make of several ---

template <typename T>
void set_ids(T& p) {
  const Uuid uuid = build_uuid();
  std::ranges::copy(uuid, p.deviceUUID);
  std::ranges::copy(uuid, p.driverUUID);
  std::ranges::fill(p.deviceLUID, std::uint8_t{0});
  p.deviceNodeMask = 1;
  p.deviceLUIDValid = VK_FALSE;
}

constexpr VkSubgroupFeatureFlags kSubgroupOperations =
    VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
    VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
    VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT;

template <typename T>
void set_driver(T& p) {
  p.driverID = static_cast<VkDriverId>(kDriver);
  copy_text(p.driverName, sizeof p.driverName, "Heddle");
  copy_text(p.driverInfo, sizeof p.driverInfo, HEDDLE_VERSION);
  p.conformanceVersion = {0, 0, 0, 0};
}

template <typename T>
void set_float_controls(T& p) {
  p.denormBehaviorIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;  // SPV-40
  p.roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
  p.shaderSignedZeroInfNanPreserveFloat16 = VK_TRUE;
  p.shaderSignedZeroInfNanPreserveFloat32 = VK_TRUE;
  p.shaderSignedZeroInfNanPreserveFloat64 = VK_TRUE;
  p.shaderDenormPreserveFloat16 = VK_TRUE;
  p.shaderDenormPreserveFloat32 = VK_TRUE;
  p.shaderDenormPreserveFloat64 = VK_TRUE;
  // Flushing is honored too, but layers that translate other interfaces ask for it wherever they can, and all of their
  // arithmetic would be slower for results that nobody needs.
  p.shaderDenormFlushToZeroFloat16 = VK_FALSE;
  p.shaderDenormFlushToZeroFloat32 = VK_FALSE;
  p.shaderDenormFlushToZeroFloat64 = VK_FALSE;
  p.shaderRoundingModeRTEFloat16 = VK_TRUE;
  p.shaderRoundingModeRTEFloat32 = VK_TRUE;
  p.shaderRoundingModeRTEFloat64 = VK_TRUE;
  p.shaderRoundingModeRTZFloat16 = VK_TRUE;
  p.shaderRoundingModeRTZFloat32 = VK_TRUE;
  p.shaderRoundingModeRTZFloat64 = VK_TRUE;
}

template <typename T>
void set_descriptor_indexing(T& p) {
  p.maxUpdateAfterBindDescriptorsInAllPools = UINT32_MAX;  // nobody counts them
  p.shaderUniformBufferArrayNonUniformIndexingNative = VK_FALSE;
  p.shaderSampledImageArrayNonUniformIndexingNative = VK_FALSE;
  p.shaderStorageBufferArrayNonUniformIndexingNative = VK_FALSE;
  p.shaderStorageImageArrayNonUniformIndexingNative = VK_FALSE;
  p.shaderInputAttachmentArrayNonUniformIndexingNative = VK_FALSE;
  p.robustBufferAccessUpdateAfterBind = VK_TRUE;
  p.quadDivergentImplicitLod = VK_FALSE;
  p.maxPerStageDescriptorUpdateAfterBindSamplers = kDescriptors;
  p.maxPerStageDescriptorUpdateAfterBindUniformBuffers = kDescriptors;
  p.maxPerStageDescriptorUpdateAfterBindStorageBuffers = kDescriptors;
  p.maxPerStageDescriptorUpdateAfterBindSampledImages = kDescriptors;
  p.maxPerStageDescriptorUpdateAfterBindStorageImages = kDescriptors;
  p.maxPerStageDescriptorUpdateAfterBindInputAttachments = kDescriptors;
  p.maxPerStageUpdateAfterBindResources = kDescriptors;
  p.maxDescriptorSetUpdateAfterBindSamplers = kDescriptors;
  p.maxDescriptorSetUpdateAfterBindUniformBuffers = kDescriptors;
  p.maxDescriptorSetUpdateAfterBindUniformBuffersDynamic = kDynamicBuffers;
  p.maxDescriptorSetUpdateAfterBindStorageBuffers = kDescriptors;
  p.maxDescriptorSetUpdateAfterBindStorageBuffersDynamic = kDynamicBuffers;
  p.maxDescriptorSetUpdateAfterBindSampledImages = kDescriptors;
  p.maxDescriptorSetUpdateAfterBindStorageImages = kDescriptors;
  p.maxDescriptorSetUpdateAfterBindInputAttachments = kDescriptors;
}

template <typename T>
void set_inline_blocks(T& p) {
  p.maxInlineUniformBlockSize = kInlineBlockBytes;
  p.maxPerStageDescriptorInlineUniformBlocks = kInlineBlocks;
  p.maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks = kInlineBlocks;
  p.maxDescriptorSetInlineUniformBlocks = kInlineBlocks;
  p.maxDescriptorSetUpdateAfterBindInlineUniformBlocks = kInlineBlocks;
}

template <typename T>
void set_resolve_modes(T& p) {
  p.supportedDepthResolveModes = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
  p.supportedStencilResolveModes = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
  p.independentResolveNone = VK_TRUE;
  p.independentResolve = VK_TRUE;
}

template <typename T>
void set_subgroup_sizes(T& p) {
  p.minSubgroupSize = 8;
  p.maxSubgroupSize = 32;
  p.maxComputeWorkgroupSubgroups = kMaxGroupSize / 8;
  p.requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
}

template <typename T>
void set_texel_buffers(T& p) {
  p.storageTexelBufferOffsetAlignmentBytes = 16;
  p.storageTexelBufferOffsetSingleTexelAlignment = VK_TRUE;
  p.uniformTexelBufferOffsetAlignmentBytes = 16;
  p.uniformTexelBufferOffsetSingleTexelAlignment = VK_TRUE;
}

void set_multiview(VkPhysicalDeviceMultiviewProperties& p) {
  p.maxMultiviewViewCount = 6;
  p.maxMultiviewInstanceIndex = (1u << 27) - 1;
}

/// Products of integers are made of several instructions: nothing is accelerated.
template <typename T>
void clear_after_header(T& p) {
  void* const next = p.pNext;
  const VkStructureType type = p.sType;
  p = {};
  p.sType = type;
  p.pNext = next;
}

void set_1_1(VkPhysicalDeviceVulkan11Properties& p) {
  set_ids(p);
  p.subgroupSize = kSubgroupSize;
  p.subgroupSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
  p.subgroupSupportedOperations = kSubgroupOperations;
  p.subgroupQuadOperationsInAllStages = VK_FALSE;
  p.pointClippingBehavior = VK_POINT_CLIPPING_BEHAVIOR_ALL_CLIP_PLANES;
  p.maxMultiviewViewCount = 6;
  p.maxMultiviewInstanceIndex = (1u << 27) - 1;
  p.protectedNoFault = VK_FALSE;
  p.maxPerSetDescriptors = kMaxDescriptors;
  p.maxMemoryAllocationSize = heap_bytes();
}
void set_1_2(VkPhysicalDeviceVulkan12Properties& p) {
  set_driver(p);
  set_float_controls(p);
  set_descriptor_indexing(p);
  set_resolve_modes(p);
  p.filterMinmaxSingleComponentFormats = VK_TRUE;
  p.filterMinmaxImageComponentMapping = VK_TRUE;
  p.maxTimelineSemaphoreValueDifference = UINT64_MAX;
  p.framebufferIntegerColorSampleCounts = kSamples;
}
void set_1_3(VkPhysicalDeviceVulkan13Properties& p) {
  clear_after_header(p);
  set_subgroup_sizes(p);
  set_texel_buffers(p);
  set_inline_blocks(p);
  p.maxInlineUniformTotalSize = kInlineBlockBytes * kInlineBlocks;
  p.maxBufferSize = kMaxBuffer;
}

}  // namespace

void set_properties(VkPhysicalDeviceProperties& to) {
  to = {};
  to.apiVersion = VK_MAKE_API_VERSION(0, 1, kApiMinor, VK_HEADER_VERSION);
  to.driverVersion = VK_MAKE_VERSION(0, 1, 0);
  to.vendorID = kVendor;
  to.deviceID = kDevice;
  to.deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU;
  copy_text(to.deviceName, sizeof to.deviceName, kDeviceName);
  const Uuid uuid = build_uuid();
  std::ranges::copy(uuid, to.pipelineCacheUUID);
  to.limits = limits();
}

// NOLINTNEXTLINE: one short case for each structure
void set_properties(VkBaseOutStructure& to) {
  const auto as = [&]<typename T>(T*) -> T& { return reinterpret_cast<T&>(to); };
#define HEDDLE_AS(Type) as(static_cast<Type*>(nullptr))
  switch (static_cast<int>(to.sType)) {
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES:
      return set_1_1(HEDDLE_AS(VkPhysicalDeviceVulkan11Properties));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES:
      return set_1_2(HEDDLE_AS(VkPhysicalDeviceVulkan12Properties));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES:
      return set_1_3(HEDDLE_AS(VkPhysicalDeviceVulkan13Properties));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES:
      return set_ids(HEDDLE_AS(VkPhysicalDeviceIDProperties));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES:
      return set_driver(HEDDLE_AS(VkPhysicalDeviceDriverProperties));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES:
      return set_float_controls(HEDDLE_AS(VkPhysicalDeviceFloatControlsProperties));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES:
      return set_descriptor_indexing(HEDDLE_AS(VkPhysicalDeviceDescriptorIndexingProperties));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_PROPERTIES:
      return set_inline_blocks(HEDDLE_AS(VkPhysicalDeviceInlineUniformBlockProperties));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES:
      return set_subgroup_sizes(HEDDLE_AS(VkPhysicalDeviceSubgroupSizeControlProperties));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_PROPERTIES:
      return set_texel_buffers(HEDDLE_AS(VkPhysicalDeviceTexelBufferAlignmentProperties));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_PROPERTIES:
      return set_multiview(HEDDLE_AS(VkPhysicalDeviceMultiviewProperties));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES:
      return clear_after_header(HEDDLE_AS(VkPhysicalDeviceShaderIntegerDotProductProperties));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES: {
      auto& p = HEDDLE_AS(VkPhysicalDeviceSubgroupProperties);
      p.subgroupSize = kSubgroupSize;
      p.supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
      p.supportedOperations = kSubgroupOperations;
      p.quadOperationsInAllStages = VK_FALSE;
      return;
    }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_POINT_CLIPPING_PROPERTIES:
      HEDDLE_AS(VkPhysicalDevicePointClippingProperties).pointClippingBehavior =
          VK_POINT_CLIPPING_BEHAVIOR_ALL_CLIP_PLANES;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_PROPERTIES:
      HEDDLE_AS(VkPhysicalDeviceProtectedMemoryProperties).protectedNoFault = VK_FALSE;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES: {
      auto& p = HEDDLE_AS(VkPhysicalDeviceMaintenance3Properties);
      p.maxPerSetDescriptors = kMaxDescriptors;
      p.maxMemoryAllocationSize = heap_bytes();
      return;
    }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES:
      HEDDLE_AS(VkPhysicalDeviceMaintenance4Properties).maxBufferSize = kMaxBuffer;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_PROPERTIES:
      HEDDLE_AS(VkPhysicalDeviceTimelineSemaphoreProperties).maxTimelineSemaphoreValueDifference = UINT64_MAX;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_FILTER_MINMAX_PROPERTIES: {
      auto& p = HEDDLE_AS(VkPhysicalDeviceSamplerFilterMinmaxProperties);
      p.filterMinmaxSingleComponentFormats = VK_TRUE;
      p.filterMinmaxImageComponentMapping = VK_TRUE;
      return;
    }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR:
      HEDDLE_AS(VkPhysicalDevicePushDescriptorPropertiesKHR).maxPushDescriptors = 256;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_PROPERTIES_EXT:
      HEDDLE_AS(VkPhysicalDeviceCustomBorderColorPropertiesEXT).maxCustomBorderColorSamplers = kMany;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT:
      HEDDLE_AS(VkPhysicalDeviceExternalMemoryHostPropertiesEXT).minImportedHostPointerAlignment = kBufferAlignment;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_PROPERTIES_EXT:
      HEDDLE_AS(VkPhysicalDeviceLineRasterizationPropertiesEXT).lineSubPixelPrecisionBits = 8;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_PROPERTIES_EXT: {
      auto& p = HEDDLE_AS(VkPhysicalDeviceProvokingVertexPropertiesEXT);
      p.provokingVertexModePerPipeline = VK_TRUE;
      p.transformFeedbackPreservesTriangleFanProvokingVertex = VK_FALSE;
      return;
    }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_STENCIL_RESOLVE_PROPERTIES:
      return set_resolve_modes(HEDDLE_AS(VkPhysicalDeviceDepthStencilResolveProperties));
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_PROPERTIES_EXT:
      HEDDLE_AS(VkPhysicalDeviceVertexAttributeDivisorPropertiesEXT).maxVertexAttribDivisor = UINT32_MAX;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_PROPERTIES_EXT:
      HEDDLE_AS(VkPhysicalDeviceExtendedDynamicState3PropertiesEXT).dynamicPrimitiveTopologyUnrestricted = VK_TRUE;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLE_LOCATIONS_PROPERTIES_EXT: {  // RAS-10
      auto& p = HEDDLE_AS(VkPhysicalDeviceSampleLocationsPropertiesEXT);
      p.sampleLocationSampleCounts = kSamples;
      p.maxSampleLocationGridSize = {1, 1};
      p.sampleLocationCoordinateRange[0] = 0;
      p.sampleLocationCoordinateRange[1] = kMaxSamplePosition;
      p.sampleLocationSubPixelBits = 4;
      p.variableSampleLocations = VK_TRUE;
      return;
    }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONSERVATIVE_RASTERIZATION_PROPERTIES_EXT: {  // exact, of triangles (RAS-9)
      auto& p = HEDDLE_AS(VkPhysicalDeviceConservativeRasterizationPropertiesEXT);
      p.primitiveOverestimationSize = 0;
      p.maxExtraPrimitiveOverestimationSize = 0;
      p.extraPrimitiveOverestimationSizeGranularity = 0;
      p.primitiveUnderestimation = VK_TRUE;
      p.conservativePointAndLineRasterization = VK_FALSE;
      p.degenerateTrianglesRasterized = VK_FALSE;
      p.degenerateLinesRasterized = VK_FALSE;
      p.fullyCoveredFragmentShaderInputVariable = VK_FALSE;
      p.conservativeRasterizationPostDepthCoverage = VK_TRUE;
      return;
    }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_PROPERTIES_EXT:
      HEDDLE_AS(VkPhysicalDeviceMultiDrawPropertiesEXT).maxMultiDrawCount = kMany;
      return;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_PROPERTIES_EXT: {
      auto& p = HEDDLE_AS(VkPhysicalDeviceGraphicsPipelineLibraryPropertiesEXT);
      p.graphicsPipelineLibraryFastLinking = VK_TRUE;
      p.graphicsPipelineLibraryIndependentInterpolationDecoration = VK_TRUE;
      return;
    }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_PROPERTIES_EXT: {
      auto& p = HEDDLE_AS(VkPhysicalDeviceRobustness2PropertiesEXT);
      p.robustStorageBufferAccessSizeAlignment = 1;
      p.robustUniformBufferAccessSizeAlignment = 1;
      return;
    }
    default:
      return;
  }
#undef HEDDLE_AS
}

}  // namespace heddle::vulkan
