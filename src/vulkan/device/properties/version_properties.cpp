// SPDX-License-Identifier: MIT
// Structures of the versions of Vulkan, and of what became part of one: what both have is set in one place.

#include <algorithm>
#include <array>
#include <string>

#include "base/bits/bits.hpp"
#include "base/fixed_limits.hpp"
#include "image/surface_limits.hpp"
#include "isa/shader_stage.hpp"
#include "pipeline/raster/state.hpp"
#include "vulkan/api/handles.hpp"
#include "vulkan/device/properties/identity.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/device/properties/property_rows.hpp"
#include "vulkan/device/properties/settings.hpp"
#include "vulkan/generated/newer.hpp"

namespace heddle::vulkan {
namespace {

// --- what a structure of its own and one of a version of Vulkan both have ---

template <typename T>
void set_ids(T& p) {
  const Uuid uuid = build_uuid();
  std::ranges::copy(uuid, p.deviceUUID);
  std::ranges::copy(uuid, p.driverUUID);
  std::ranges::fill(p.deviceLUID, std::uint8_t{0});
  p.deviceNodeMask = 1;
  p.deviceLUIDValid = VK_FALSE;
}

/// Every stage whose shaders are compiled has subgroups (SPV-21).
constexpr VkShaderStageFlags subgroup_stages() {
  constexpr isa::PerStage<VkShaderStageFlagBits> kFlags{
      {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
       VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, VK_SHADER_STAGE_GEOMETRY_BIT, VK_SHADER_STAGE_TASK_BIT_EXT,
       VK_SHADER_STAGE_MESH_BIT_EXT, VK_SHADER_STAGE_FRAGMENT_BIT, VK_SHADER_STAGE_COMPUTE_BIT}};
  VkShaderStageFlags stages = 0;
  for (const isa::ShaderStageInfo& row : isa::kShaderStages)
    if (row.compiled) stages |= kFlags[row.stage];
  return stages;
}

/// The members have other names in the structure of Vulkan 1.1.
void set_subgroups(std::uint32_t& size, VkShaderStageFlags& stages, VkSubgroupFeatureFlags& operations,
                   VkBool32& quads_everywhere) {
  size = kSubgroupSize;
  stages = subgroup_stages();
  operations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
               VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT |
               VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT | VK_SUBGROUP_FEATURE_CLUSTERED_BIT |
               VK_SUBGROUP_FEATURE_QUAD_BIT | VK_SUBGROUP_FEATURE_ROTATE_BIT |
               VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV;
  quads_everywhere = VK_TRUE;
}

template <typename T>
void set_point_clipping(T& p) {
  p.pointClippingBehavior = VK_POINT_CLIPPING_BEHAVIOR_ALL_CLIP_PLANES;
}

template <typename T>
void set_multiview(T& p) {
  p.maxMultiviewViewCount = kMaxViews;
  p.maxMultiviewInstanceIndex = (1u << 27) - 1;
}

template <typename T>
void set_protected_memory(T& p) {
  p.protectedNoFault = VK_FALSE;
}

template <typename T>
void set_maintenance_3(T& p) {
  p.maxPerSetDescriptors = kMaxDescriptors;
  p.maxMemoryAllocationSize = heap_bytes();
}

template <typename T>
void set_driver(T& p) {
  p.driverID = static_cast<VkDriverId>(kDriver);
  copy_text(p.driverName, sizeof p.driverName, "Heddle");
  copy_text(p.driverInfo, sizeof p.driverInfo, (HEDDLE_VERSION " (bits: " + std::to_string(base::kBits) + ")").c_str());
  p.conformanceVersion = conformance_version();
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
  p.maxPerStageDescriptorUpdateAfterBindSamplers = kMaxDescriptors;
  p.maxPerStageDescriptorUpdateAfterBindUniformBuffers = kMaxDescriptors;
  p.maxPerStageDescriptorUpdateAfterBindStorageBuffers = kMaxDescriptors;
  p.maxPerStageDescriptorUpdateAfterBindSampledImages = kMaxDescriptors;
  p.maxPerStageDescriptorUpdateAfterBindStorageImages = kMaxDescriptors;
  p.maxPerStageDescriptorUpdateAfterBindInputAttachments = kMaxDescriptors;
  p.maxPerStageUpdateAfterBindResources = kMaxDescriptors;
  p.maxDescriptorSetUpdateAfterBindSamplers = kMaxDescriptors;
  p.maxDescriptorSetUpdateAfterBindUniformBuffers = kMaxDescriptors;
  p.maxDescriptorSetUpdateAfterBindUniformBuffersDynamic = kMaxDynamicBuffers;
  p.maxDescriptorSetUpdateAfterBindStorageBuffers = kMaxDescriptors;
  p.maxDescriptorSetUpdateAfterBindStorageBuffersDynamic = kMaxDynamicBuffers;
  p.maxDescriptorSetUpdateAfterBindSampledImages = kMaxDescriptors;
  p.maxDescriptorSetUpdateAfterBindStorageImages = kMaxDescriptors;
  p.maxDescriptorSetUpdateAfterBindInputAttachments = kMaxDescriptors;
}

template <typename T>
void set_resolve_modes(T& p) {
  p.supportedStencilResolveModes = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT | VK_RESOLVE_MODE_MIN_BIT | VK_RESOLVE_MODE_MAX_BIT;
  p.supportedDepthResolveModes = p.supportedStencilResolveModes | VK_RESOLVE_MODE_AVERAGE_BIT;
  p.independentResolveNone = VK_TRUE;
  p.independentResolve = VK_TRUE;
}

template <typename T>
void set_filter_minmax(T& p) {
  p.filterMinmaxSingleComponentFormats = VK_TRUE;
  p.filterMinmaxImageComponentMapping = VK_TRUE;
}

template <typename T>
void set_timelines(T& p) {
  p.maxTimelineSemaphoreValueDifference = UINT64_MAX;
}

template <typename T>
void set_subgroup_sizes(T& p) {
  p.minSubgroupSize = kMinSubgroupSize;
  p.maxSubgroupSize = kMaxSubgroupSize;
  p.maxComputeWorkgroupSubgroups = kMaxGroupSize / kMinSubgroupSize;
  p.requiredSubgroupSizeStages = subgroup_stages();
}

template <typename T>
void set_texel_buffers(T& p) {
  p.storageTexelBufferOffsetAlignmentBytes = 16;
  p.storageTexelBufferOffsetSingleTexelAlignment = VK_TRUE;
  p.uniformTexelBufferOffsetAlignmentBytes = 16;
  p.uniformTexelBufferOffsetSingleTexelAlignment = VK_TRUE;
}

template <typename T>
void set_inline_blocks(T& p) {
  p.maxInlineUniformBlockSize = kInlineBlockBytes;
  p.maxPerStageDescriptorInlineUniformBlocks = kMaxInlineBlocks;
  p.maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks = kMaxInlineBlocks;
  p.maxDescriptorSetInlineUniformBlocks = kMaxInlineBlocks;
  p.maxDescriptorSetUpdateAfterBindInlineUniformBlocks = kMaxInlineBlocks;
}

template <typename T>
void set_maintenance_4(T& p) {
  p.maxBufferSize = kMaxBufferBytes;
}

template <typename T>
void set_divisors(T& p) {
  p.maxVertexAttribDivisor = UINT32_MAX;
  p.supportsNonZeroFirstInstance = VK_TRUE;
}

template <typename T>
void set_robustness(T& p) {  // nothing is switched off anywhere
  p.defaultRobustnessStorageBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2;
  p.defaultRobustnessUniformBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2;
  p.defaultRobustnessVertexInputs = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2;
  p.defaultRobustnessImages = VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS_2;
}

/// Layouts of images that the host copies from and to: all of them.
constexpr std::array kHostLayouts{VK_IMAGE_LAYOUT_GENERAL,
                                  VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                  VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                                  VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
                                  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                  VK_IMAGE_LAYOUT_PREINITIALIZED,
                                  VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL,
                                  VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL,
                                  VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
                                  VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL,
                                  VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL,
                                  VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL,
                                  VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL,
                                  VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL,
                                  VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
                                  VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT,
                                  VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ};

template <typename T>
void set_host_copies(T& p) {
  const auto give = [](VkImageLayout& to, VkImageLayout from) { to = from; };
  (void)give_list(kHostLayouts, &p.copySrcLayoutCount, p.pCopySrcLayouts, give);
  (void)give_list(kHostLayouts, &p.copyDstLayoutCount, p.pCopyDstLayouts, give);
  std::ranges::copy(build_uuid(), p.optimalTilingLayoutUUID);
  p.identicalMemoryTypeRequirements = VK_TRUE;
}

template <typename T>
void set_pushes(T& p) {
  p.maxPushDescriptors = 256;
}
template <typename T>
void set_lines(T& p) {
  p.lineSubPixelPrecisionBits = 8;
}

template <typename T>
void set_maintenance_5(T& p) {
  p.earlyFragmentMultisampleCoverageAfterSampleCounting = VK_TRUE;  // early tests count before the shader runs
  p.earlyFragmentSampleMaskTestBeforeSampleCounting = VK_TRUE;      // the rasterizer's coverage has the mask
  p.depthStencilSwizzleOneSupport = VK_TRUE;
  p.polygonModePointSize = VK_TRUE;
  p.nonStrictSinglePixelWideLinesUseParallelogram = VK_FALSE;  // all lines are strict ones
  p.nonStrictWideLinesUseParallelogram = VK_FALSE;
}

template <typename T>
void set_maintenance_6(T& p) {
  p.blockTexelViewCompatibleMultipleLayers = VK_TRUE;
  p.maxCombinedImageSamplerDescriptorCount = kDescriptorsOfCombined;
  p.fragmentShadingRateClampCombinerInputs = VK_FALSE;
}

// --- the structures, in the order of the table below ---

void set(VkPhysicalDeviceVulkan11Properties& p) {
  set_ids(p);
  set_subgroups(p.subgroupSize, p.subgroupSupportedStages, p.subgroupSupportedOperations,
                p.subgroupQuadOperationsInAllStages);
  set_point_clipping(p);
  set_multiview(p);
  set_protected_memory(p);
  set_maintenance_3(p);
}
void set(VkPhysicalDeviceIDProperties& p) { set_ids(p); }
void set(VkPhysicalDeviceSubgroupProperties& p) {
  set_subgroups(p.subgroupSize, p.supportedStages, p.supportedOperations, p.quadOperationsInAllStages);
}
void set(VkPhysicalDevicePointClippingProperties& p) { set_point_clipping(p); }
void set(VkPhysicalDeviceMultiviewProperties& p) { set_multiview(p); }
void set(VkPhysicalDeviceProtectedMemoryProperties& p) { set_protected_memory(p); }
void set(VkPhysicalDeviceMaintenance3Properties& p) { set_maintenance_3(p); }

void set(VkPhysicalDeviceVulkan12Properties& p) {
  set_driver(p);
  set_float_controls(p);
  set_descriptor_indexing(p);
  set_resolve_modes(p);
  set_filter_minmax(p);
  set_timelines(p);
  p.framebufferIntegerColorSampleCounts = kSampleCounts;
}
void set(VkPhysicalDeviceDriverProperties& p) { set_driver(p); }
void set(VkPhysicalDeviceFloatControlsProperties& p) { set_float_controls(p); }
void set(VkPhysicalDeviceDescriptorIndexingProperties& p) { set_descriptor_indexing(p); }
void set(VkPhysicalDeviceDepthStencilResolveProperties& p) { set_resolve_modes(p); }
void set(VkPhysicalDeviceSamplerFilterMinmaxProperties& p) { set_filter_minmax(p); }
void set(VkPhysicalDeviceTimelineSemaphoreProperties& p) { set_timelines(p); }

void set(VkPhysicalDeviceVulkan13Properties& p) {
  clear(p);  // no product of integers is accelerated: each is made of several instructions
  set_subgroup_sizes(p);
  set_texel_buffers(p);
  set_inline_blocks(p);
  set_maintenance_4(p);
  p.maxInlineUniformTotalSize = kInlineBlockBytes * kMaxInlineBlocks;
}
void set(VkPhysicalDeviceSubgroupSizeControlProperties& p) { set_subgroup_sizes(p); }
void set(VkPhysicalDeviceTexelBufferAlignmentProperties& p) { set_texel_buffers(p); }
void set(VkPhysicalDeviceInlineUniformBlockProperties& p) { set_inline_blocks(p); }
void set(VkPhysicalDeviceMaintenance4Properties& p) { set_maintenance_4(p); }
void set(VkPhysicalDeviceShaderIntegerDotProductProperties& p) { clear(p); }

void set(VkPhysicalDeviceVulkan14Properties& p) {
  set_lines(p);
  set_divisors(p);
  set_pushes(p);
  p.dynamicRenderingLocalReadDepthStencilAttachments = VK_TRUE;
  p.dynamicRenderingLocalReadMultisampledAttachments = VK_TRUE;
  set_maintenance_5(p);
  set_maintenance_6(p);
  set_robustness(p);
  set_host_copies(p);
}
void set(VkPhysicalDevicePipelineRobustnessProperties& p) { set_robustness(p); }
void set(VkPhysicalDeviceHostImageCopyProperties& p) { set_host_copies(p); }
void set(VkPhysicalDevicePushDescriptorPropertiesKHR& p) { set_pushes(p); }
void set(VkPhysicalDeviceVertexAttributeDivisorProperties& p) { set_divisors(p); }
void set(VkPhysicalDeviceMaintenance5Properties& p) { set_maintenance_5(p); }
void set(VkPhysicalDeviceMaintenance6Properties& p) { set_maintenance_6(p); }
void set(VkPhysicalDeviceLineRasterizationPropertiesEXT& p) { set_lines(p); }

template <typename T>
void set_as(VkBaseOutStructure& to) {
  set(reinterpret_cast<T&>(to));
}

// clang-format off
constexpr PropertyRow kRows[] = {
    // Vulkan 1.1
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, set_as<VkPhysicalDeviceVulkan11Properties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, set_as<VkPhysicalDeviceIDProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, set_as<VkPhysicalDeviceSubgroupProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_POINT_CLIPPING_PROPERTIES, set_as<VkPhysicalDevicePointClippingProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_PROPERTIES, set_as<VkPhysicalDeviceMultiviewProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_PROPERTIES, set_as<VkPhysicalDeviceProtectedMemoryProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, set_as<VkPhysicalDeviceMaintenance3Properties>},
    // Vulkan 1.2
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, set_as<VkPhysicalDeviceVulkan12Properties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, set_as<VkPhysicalDeviceDriverProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES, set_as<VkPhysicalDeviceFloatControlsProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES, set_as<VkPhysicalDeviceDescriptorIndexingProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_STENCIL_RESOLVE_PROPERTIES, set_as<VkPhysicalDeviceDepthStencilResolveProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_FILTER_MINMAX_PROPERTIES, set_as<VkPhysicalDeviceSamplerFilterMinmaxProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_PROPERTIES, set_as<VkPhysicalDeviceTimelineSemaphoreProperties>},
    // Vulkan 1.3
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES, set_as<VkPhysicalDeviceVulkan13Properties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES, set_as<VkPhysicalDeviceSubgroupSizeControlProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_PROPERTIES, set_as<VkPhysicalDeviceTexelBufferAlignmentProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_PROPERTIES, set_as<VkPhysicalDeviceInlineUniformBlockProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES, set_as<VkPhysicalDeviceMaintenance4Properties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES, set_as<VkPhysicalDeviceShaderIntegerDotProductProperties>},
    // Vulkan 1.4
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_PROPERTIES, set_as<VkPhysicalDeviceVulkan14Properties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_PROPERTIES, set_as<VkPhysicalDevicePipelineRobustnessProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES, set_as<VkPhysicalDeviceHostImageCopyProperties>},
    // extensions that a version has taken in
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR, set_as<VkPhysicalDevicePushDescriptorPropertiesKHR>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_PROPERTIES, set_as<VkPhysicalDeviceVertexAttributeDivisorProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_PROPERTIES, set_as<VkPhysicalDeviceMaintenance5Properties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_PROPERTIES, set_as<VkPhysicalDeviceMaintenance6Properties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_PROPERTIES_EXT, set_as<VkPhysicalDeviceLineRasterizationPropertiesEXT>},
};
// clang-format on

}  // namespace

std::span<const PropertyRow> version_properties() { return kRows; }

}  // namespace heddle::vulkan
