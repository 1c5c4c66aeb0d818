// SPDX-License-Identifier: MIT
// Structures of extensions that are in no version of Vulkan.

#include <algorithm>

#include "base/fixed_limits.hpp"
#include "image/surface_limits.hpp"
#include "pipeline/meshlets/task.hpp"
#include "pipeline/raster/shading_rate.hpp"
#include "pipeline/raster/state.hpp"
#include "vulkan/device/properties/identity.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/device/properties/properties.hpp"
#include "vulkan/device/properties/property_rows.hpp"
#include "vulkan/device/properties/settings.hpp"
#include "vulkan/generated/newer.hpp"

namespace heddle::vulkan {
namespace {

using pipeline::kMaxFragmentSamples, pipeline::kMaxFragmentSide;
/// Pixels of a texel of a shading rate attachment.
constexpr std::uint32_t kMinRateTexel = pipeline::kRateCell, kMaxRateTexel = 32;

void set(VkPhysicalDeviceCustomBorderColorPropertiesEXT& p) { p.maxCustomBorderColorSamplers = kUnlimited; }
void set(VkPhysicalDeviceExternalMemoryHostPropertiesEXT& p) { p.minImportedHostPointerAlignment = kBufferAlignment; }
void set(VkPhysicalDeviceRobustness2PropertiesEXT& p) {
  p.robustStorageBufferAccessSizeAlignment = 1;
  p.robustUniformBufferAccessSizeAlignment = 1;
}
void set(VkPhysicalDeviceVertexAttributeDivisorPropertiesEXT& p) { p.maxVertexAttribDivisor = UINT32_MAX; }
void set(VkPhysicalDeviceMultiDrawPropertiesEXT& p) { p.maxMultiDrawCount = kUnlimited; }
void set(VkPhysicalDeviceProvokingVertexPropertiesEXT& p) {
  p.provokingVertexModePerPipeline = VK_TRUE;
  p.transformFeedbackPreservesTriangleFanProvokingVertex = VK_TRUE;  // PRM-11
}
/// Exact, of triangles (RAS-9).
void set(VkPhysicalDeviceConservativeRasterizationPropertiesEXT& p) {
  clear(p);
  p.primitiveUnderestimation = VK_TRUE;
  p.conservativeRasterizationPostDepthCoverage = VK_TRUE;
}
void set(VkPhysicalDeviceSampleLocationsPropertiesEXT& p) {  // RAS-10
  p.sampleLocationSampleCounts = kSampleCounts;
  p.maxSampleLocationGridSize = {1, 1};
  p.sampleLocationCoordinateRange[0] = 0;
  p.sampleLocationCoordinateRange[1] = kMaxSamplePosition;
  p.sampleLocationSubPixelBits = 4;
  p.variableSampleLocations = VK_TRUE;
}
void set(VkPhysicalDeviceDiscardRectanglePropertiesEXT& p) {  // RAS-11
  p.maxDiscardRectangles = pipeline::DiscardRectangles::kMax;
}
void set(VkPhysicalDeviceBlendOperationAdvancedPropertiesEXT& p) {  // OM-26
  p.advancedBlendMaxColorAttachments = kMaxColors;
  p.advancedBlendIndependentBlend = VK_TRUE;
  p.advancedBlendNonPremultipliedSrcColor = VK_TRUE;
  p.advancedBlendNonPremultipliedDstColor = VK_TRUE;
  p.advancedBlendCorrelatedOverlap = VK_TRUE;
  p.advancedBlendAllOperations = VK_TRUE;
}
void set(VkPhysicalDeviceTransformFeedbackPropertiesEXT& p) {  // PRM-11
  p.maxTransformFeedbackStreams = base::kMaxVertexStreams;
  p.maxTransformFeedbackBuffers = base::kMaxCaptureBuffers;
  p.maxTransformFeedbackBufferSize = UINT32_MAX;
  p.maxTransformFeedbackStreamDataSize = kMaxFeedbackBytes;
  p.maxTransformFeedbackBufferDataSize = kMaxFeedbackBytes;
  p.maxTransformFeedbackBufferDataStride = kMaxFeedbackStride;
  p.transformFeedbackQueries = VK_TRUE;
  p.transformFeedbackStreamsLinesTriangles = VK_TRUE;
  p.transformFeedbackRasterizationStreamSelect = VK_TRUE;
  p.transformFeedbackDraw = VK_TRUE;
}

/// Odd triangles of a strip begin with the vertex that goes round (PRM-2).
void set(VkPhysicalDeviceFragmentShaderBarycentricPropertiesKHR& p) {
  p.triStripVertexOrderIndependentOfProvokingVertex = VK_FALSE;
}
void set(VkPhysicalDeviceComputeShaderDerivativesPropertiesKHR& p) { p.meshAndTaskShaderDerivatives = VK_FALSE; }
void set(VkPhysicalDeviceFragmentShadingRatePropertiesKHR& p) {  // FSR-2 to FSR-5
  p.minFragmentShadingRateAttachmentTexelSize = {kMinRateTexel, kMinRateTexel};
  p.maxFragmentShadingRateAttachmentTexelSize = {kMaxRateTexel, kMaxRateTexel};
  p.maxFragmentShadingRateAttachmentTexelSizeAspectRatio = kMaxRateTexel / kMinRateTexel;
  p.primitiveFragmentShadingRateWithMultipleViewports = VK_TRUE;
  p.layeredShadingRateAttachments = VK_TRUE;
  p.fragmentShadingRateNonTrivialCombinerOps = VK_TRUE;
  p.maxFragmentSize = {kMaxFragmentSide, kMaxFragmentSide};
  p.maxFragmentSizeAspectRatio = kMaxFragmentSide;
  p.maxFragmentShadingRateCoverageSamples = kMaxFragmentSamples;
  p.maxFragmentShadingRateRasterizationSamples = VK_SAMPLE_COUNT_8_BIT;
  p.fragmentShadingRateWithShaderDepthStencilWrites = VK_TRUE;
  p.fragmentShadingRateWithSampleMask = VK_TRUE;
  p.fragmentShadingRateWithShaderSampleMask = VK_TRUE;
  p.fragmentShadingRateWithConservativeRasterization = VK_FALSE;
  p.fragmentShadingRateWithFragmentShaderInterlock = VK_TRUE;
  p.fragmentShadingRateWithCustomSampleLocations = VK_TRUE;
  p.fragmentShadingRateStrictMultiplyCombiner = VK_TRUE;
}
void set(VkPhysicalDeviceExtendedDynamicState3PropertiesEXT& p) { p.dynamicPrimitiveTopologyUnrestricted = VK_TRUE; }
void set(VkPhysicalDeviceGraphicsPipelineLibraryPropertiesEXT& p) {
  p.graphicsPipelineLibraryFastLinking = VK_TRUE;
  p.graphicsPipelineLibraryIndependentInterpolationDecoration = VK_TRUE;
}

void set(VkPhysicalDeviceMeshShaderPropertiesEXT& p) {
  using pipeline::kMaxGroups, pipeline::kMaxGroupsOfDimension;
  p.maxTaskWorkGroupTotalCount = p.maxMeshWorkGroupTotalCount = kMaxGroups;
  std::ranges::fill(p.maxTaskWorkGroupCount, kMaxGroupsOfDimension);
  std::ranges::fill(p.maxMeshWorkGroupCount, kMaxGroupsOfDimension);
  p.maxTaskWorkGroupInvocations = p.maxMeshWorkGroupInvocations = kMaxGroupSize;
  std::ranges::fill(p.maxTaskWorkGroupSize, kMaxGroupSize);
  std::ranges::fill(p.maxMeshWorkGroupSize, kMaxGroupSize);
  p.maxTaskPayloadSize = kMaxTaskPayload;
  p.maxTaskSharedMemorySize = p.maxMeshSharedMemorySize = kSharedBytes;
  p.maxTaskPayloadAndSharedMemorySize = p.maxMeshPayloadAndSharedMemorySize = kMaxTaskPayload + kSharedBytes;
  p.maxMeshOutputMemorySize = kMaxMeshOutputBytes;
  p.maxMeshPayloadAndOutputMemorySize = kMaxTaskPayload + kMaxMeshOutputBytes;
  p.maxMeshOutputComponents = 128;
  p.maxMeshOutputVertices = p.maxMeshOutputPrimitives = kMaxMeshOutputs;
  p.maxMeshOutputLayers = image::kMaxSurfaceDepth;
  p.maxMeshMultiviewViewCount = kMaxViews;
  p.meshOutputPerVertexGranularity = p.meshOutputPerPrimitiveGranularity = 1;
  p.maxPreferredTaskWorkGroupInvocations = p.maxPreferredMeshWorkGroupInvocations = 64;
  p.prefersLocalInvocationVertexOutput = p.prefersLocalInvocationPrimitiveOutput = VK_FALSE;
  p.prefersCompactVertexOutput = p.prefersCompactPrimitiveOutput = VK_TRUE;  // records of a window are bounded
}

void set(VkPhysicalDeviceNestedCommandBufferPropertiesEXT& p) { p.maxCommandBufferNestingLevel = kMaxNestedCommands; }
void set(VkPhysicalDevicePerformanceQueryPropertiesKHR& p) { p.allowCommandBufferQueryCopies = VK_TRUE; }
void set(VkPhysicalDeviceMaintenance7PropertiesKHR& p) {
  p.robustFragmentShadingRateAttachmentAccess = VK_TRUE;
  p.separateDepthStencilAttachmentAccess = VK_TRUE;  // they lie apart
  p.maxDescriptorSetTotalUniformBuffersDynamic = kMaxDynamicBuffers;
  p.maxDescriptorSetTotalStorageBuffersDynamic = kMaxDynamicBuffers;
  p.maxDescriptorSetTotalBuffersDynamic = 2 * kMaxDynamicBuffers;  // as many of both kinds in one layout
  p.maxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic = kMaxDynamicBuffers;
  p.maxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic = kMaxDynamicBuffers;
  p.maxDescriptorSetUpdateAfterBindTotalBuffersDynamic = 2 * kMaxDynamicBuffers;
}
void set(VkPhysicalDeviceMaintenance9PropertiesKHR& p) {
  p.image2DViewOf3DSparse = VK_FALSE;
  p.defaultVertexAttributeValue = VK_DEFAULT_VERTEX_ATTRIBUTE_VALUE_ZERO_ZERO_ZERO_ZERO_KHR;
}
/// The driver's own cache has shaders and machine code, not pipelines, and binaries are text.
void set(VkPhysicalDevicePipelineBinaryPropertiesKHR& p) {
  p.pipelineBinaryInternalCache = VK_FALSE;
  p.pipelineBinaryInternalCacheControl = VK_FALSE;
  p.pipelineBinaryPrefersInternalCache = VK_FALSE;
  p.pipelineBinaryPrecompiledInternalCache = VK_FALSE;
  p.pipelineBinaryCompressedData = VK_FALSE;
}
void set(VkPhysicalDeviceCooperativeMatrixPropertiesKHR& p) {
  p.cooperativeMatrixSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
}
void set(VkPhysicalDeviceCopyMemoryIndirectPropertiesKHR& p) {
  p.supportedQueues = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
}
void set(VkPhysicalDeviceMaintenance10PropertiesKHR& p) {
  p.rgba4OpaqueBlackSwizzled = VK_TRUE;
  p.resolveSrgbFormatAppliesTransferFunction = VK_TRUE;  // TRF-14: linear values are added
  p.resolveSrgbFormatSupportsTransferFunctionControl = VK_TRUE;
}
void set(VkPhysicalDeviceDescriptorBufferPropertiesEXT& p) {
  clear(p);  // nothing of acceleration structures
  p.combinedImageSamplerDescriptorSingleArray = VK_TRUE;
  p.bufferlessPushDescriptors = VK_TRUE;
  p.allowSamplerImageViewPostSubmitCreation = VK_TRUE;  // numbers are looked up when a shader is bound
  p.descriptorBufferOffsetAlignment = kStoredSetAlignment;
  p.maxDescriptorBufferBindings = kMaxDescriptorBuffers;
  p.maxResourceDescriptorBufferBindings = p.maxSamplerDescriptorBufferBindings = kMaxDescriptorBuffers;
  p.maxEmbeddedImmutableSamplerBindings = kMaxSets;
  p.maxEmbeddedImmutableSamplers = kMaxEmbeddedSamplers;
  p.bufferCaptureReplayDescriptorDataSize = p.imageCaptureReplayDescriptorDataSize = sizeof(std::uint64_t);
  p.imageViewCaptureReplayDescriptorDataSize = p.samplerCaptureReplayDescriptorDataSize = sizeof(std::uint64_t);
  p.samplerDescriptorSize = kStoredSamplerBytes;
  p.combinedImageSamplerDescriptorSize = p.sampledImageDescriptorSize = kStoredDescriptorBytes;
  p.storageImageDescriptorSize = p.inputAttachmentDescriptorSize = kStoredDescriptorBytes;
  p.uniformTexelBufferDescriptorSize = p.robustUniformTexelBufferDescriptorSize = kStoredDescriptorBytes;
  p.storageTexelBufferDescriptorSize = p.robustStorageTexelBufferDescriptorSize = kStoredDescriptorBytes;
  p.uniformBufferDescriptorSize = p.robustUniformBufferDescriptorSize = kStoredDescriptorBytes;
  p.storageBufferDescriptorSize = p.robustStorageBufferDescriptorSize = kStoredDescriptorBytes;
  p.maxSamplerDescriptorBufferRange = p.maxResourceDescriptorBufferRange = kMaxBufferBytes;
  p.samplerDescriptorBufferAddressSpaceSize = p.resourceDescriptorBufferAddressSpaceSize = heap_bytes();
  p.descriptorBufferAddressSpaceSize = heap_bytes();
}
void set(VkPhysicalDeviceShaderObjectPropertiesEXT& p) {
  const Uuid uuid = build_uuid();
  std::ranges::copy(uuid, p.shaderBinaryUUID);
  p.shaderBinaryVersion = 1;
}
/// The driver stands on no other one.
void set(VkPhysicalDeviceLayeredApiPropertiesListKHR& p) { p.layeredApiCount = 0; }

template <typename T>
void set_as(VkBaseOutStructure& to) {
  set(reinterpret_cast<T&>(to));
}

// clang-format off
constexpr PropertyRow kRows[] = {
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_PROPERTIES_EXT, set_as<VkPhysicalDeviceCustomBorderColorPropertiesEXT>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT, set_as<VkPhysicalDeviceExternalMemoryHostPropertiesEXT>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_PROPERTIES_EXT, set_as<VkPhysicalDeviceRobustness2PropertiesEXT>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_PROPERTIES_EXT, set_as<VkPhysicalDeviceVertexAttributeDivisorPropertiesEXT>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_PROPERTIES_EXT, set_as<VkPhysicalDeviceNestedCommandBufferPropertiesEXT>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_PROPERTIES_KHR,
     set_as<VkPhysicalDevicePerformanceQueryPropertiesKHR>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_7_PROPERTIES_KHR, set_as<VkPhysicalDeviceMaintenance7PropertiesKHR>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_9_PROPERTIES_KHR, set_as<VkPhysicalDeviceMaintenance9PropertiesKHR>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_10_PROPERTIES_KHR, set_as<VkPhysicalDeviceMaintenance10PropertiesKHR>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR, set_as<VkPhysicalDeviceCooperativeMatrixPropertiesKHR>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COPY_MEMORY_INDIRECT_PROPERTIES_KHR, set_as<VkPhysicalDeviceCopyMemoryIndirectPropertiesKHR>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_BINARY_PROPERTIES_KHR, set_as<VkPhysicalDevicePipelineBinaryPropertiesKHR>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT, set_as<VkPhysicalDeviceDescriptorBufferPropertiesEXT>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_PROPERTIES_EXT, set_as<VkPhysicalDeviceShaderObjectPropertiesEXT>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LAYERED_API_PROPERTIES_LIST_KHR, set_as<VkPhysicalDeviceLayeredApiPropertiesListKHR>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_PROPERTIES_EXT, set_as<VkPhysicalDeviceMultiDrawPropertiesEXT>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_PROPERTIES_EXT, set_as<VkPhysicalDeviceProvokingVertexPropertiesEXT>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONSERVATIVE_RASTERIZATION_PROPERTIES_EXT, set_as<VkPhysicalDeviceConservativeRasterizationPropertiesEXT>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLE_LOCATIONS_PROPERTIES_EXT, set_as<VkPhysicalDeviceSampleLocationsPropertiesEXT>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DISCARD_RECTANGLE_PROPERTIES_EXT, set_as<VkPhysicalDeviceDiscardRectanglePropertiesEXT>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BLEND_OPERATION_ADVANCED_PROPERTIES_EXT, set_as<VkPhysicalDeviceBlendOperationAdvancedPropertiesEXT>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_PROPERTIES_EXT, set_as<VkPhysicalDeviceTransformFeedbackPropertiesEXT>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADER_BARYCENTRIC_PROPERTIES_KHR, set_as<VkPhysicalDeviceFragmentShaderBarycentricPropertiesKHR>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_PROPERTIES_KHR, set_as<VkPhysicalDeviceComputeShaderDerivativesPropertiesKHR>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_PROPERTIES_KHR, set_as<VkPhysicalDeviceFragmentShadingRatePropertiesKHR>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT, set_as<VkPhysicalDeviceMeshShaderPropertiesEXT>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_PROPERTIES_EXT, set_as<VkPhysicalDeviceExtendedDynamicState3PropertiesEXT>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_PROPERTIES_EXT, set_as<VkPhysicalDeviceGraphicsPipelineLibraryPropertiesEXT>},
};
// clang-format on

}  // namespace

std::span<const PropertyRow> extension_properties() { return kRows; }

}  // namespace heddle::vulkan
