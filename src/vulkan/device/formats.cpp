// SPDX-License-Identifier: MIT
// What images and buffers of a format can be.

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <vector>

#include "image/residency.hpp"
#include "image/vulkan_formats.hpp"
#include "pipeline/format_features.hpp"
#include "vulkan/api/handles.hpp"
#include "vulkan/device/plane_aspect.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/device/properties/properties.hpp"
#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan {
namespace {

struct FeatureBits {
  VkFormatFeatureFlags2 image = 0, buffer = 0;
};

FeatureBits features_of(VkFormat format) {
  const image::VulkanFormat* known = image::find_vulkan_format(format);
  if (known == nullptr) return {};
  const pipeline::FormatFeatures features = pipeline::format_features(*known);
  FeatureBits bits{features.image_bits(), features.buffer_bits()};
  if (features.transfer_dst) bits.image |= VK_FORMAT_FEATURE_2_COPY_IMAGE_INDIRECT_DST_BIT_KHR;
  if (features.transfer_src && features.transfer_dst) bits.image |= VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT;
  if (known->depth)
    bits.image |= VK_FORMAT_FEATURE_2_DEPTH_COPY_ON_COMPUTE_QUEUE_BIT_KHR |
                  VK_FORMAT_FEATURE_2_DEPTH_COPY_ON_TRANSFER_QUEUE_BIT_KHR;
  if (known->stencil)
    bits.image |= VK_FORMAT_FEATURE_2_STENCIL_COPY_ON_COMPUTE_QUEUE_BIT_KHR |
                  VK_FORMAT_FEATURE_2_STENCIL_COPY_ON_TRANSFER_QUEUE_BIT_KHR;
  return bits;
}

constexpr std::uint64_t kOldBits = 0x7fffffff;  // what fits VkFormatFeatureFlags

/// The usages that the features allow.
VkImageUsageFlags usages_of(VkFormatFeatureFlags2 features) {
  VkImageUsageFlags usages = 0;
  const auto allow = [&](VkFormatFeatureFlags2 feature, VkImageUsageFlags usage) {
    if ((features & feature) != 0) usages |= usage;
  };
  allow(VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT, VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  allow(VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT, VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  allow(VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT, VK_IMAGE_USAGE_HOST_TRANSFER_BIT);
  allow(VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT, VK_IMAGE_USAGE_SAMPLED_BIT);
  allow(VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT, VK_IMAGE_USAGE_STORAGE_BIT);
  allow(VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  allow(VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  allow(VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT,
        VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT);
  allow(VK_FORMAT_FEATURE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR,
        VK_IMAGE_USAGE_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR);
  return usages;
}

/// How images of a format may lie in memory that devices share: one row behind the other.
void add_modifiers(VkFormat format, void* chain) {
  const image::VulkanFormat* known = image::find_vulkan_format(format);
  const VkFormatFeatureFlags2 features = features_of(format).image;
  const bool lies = known != nullptr && features != 0 && !known->depth && !known->stencil;
  const std::span<const std::uint64_t> all(&kLinearModifier, lies ? 1 : 0);
  if (auto* list = find_out_chain<VkDrmFormatModifierPropertiesListEXT>(
          chain, VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT))
    (void)give_list(all, &list->drmFormatModifierCount, list->pDrmFormatModifierProperties,
                    [&](VkDrmFormatModifierPropertiesEXT& to, std::uint64_t modifier) {
                      to = {modifier, known->plane_count, static_cast<VkFormatFeatureFlags>(features & kOldBits)};
                    });
  if (auto* list = find_out_chain<VkDrmFormatModifierPropertiesList2EXT>(
          chain, VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_2_EXT))
    (void)give_list(all, &list->drmFormatModifierCount, list->pDrmFormatModifierProperties,
                    [&](VkDrmFormatModifierProperties2EXT& to, std::uint64_t modifier) {
                      to = {modifier, known->plane_count, features};
                    });
}

/// Bits of a texel that say nothing (R10X6): they need not come back from an image, which programs that compare bytes
/// of sparse images would see.
bool is_padded(const image::FormatInfo& format) {
  std::uint32_t used = 0;
  for (std::size_t k = 0; k < format.channel_count; ++k) used += format.channels[k].bits;
  return format.compression == image::Compression::None && used < format.bits_per_element;
}

/// SPR-1: of each plane of an image that has memory in parts, in elements; none where it has none.
std::vector<image::Residency::Size> sparse_blocks(const image::VulkanFormat& format, VkImageType type,
                                                  std::uint32_t samples) {
  if ((format.plane_count != 1 && !format.multi_planar()) || format.pairs || type == VK_IMAGE_TYPE_1D) return {};
  std::vector<image::Residency::Size> blocks;
  for (std::size_t i = 0; i < format.plane_count; ++i) {
    const image::FormatInfo& stored = *image::format_info(format.planes[i].format);
    const auto block = image::standard_block(stored.bytes_per_element(), type == VK_IMAGE_TYPE_3D, samples);
    if (!block || (!format.depth && is_padded(stored))) return {};
    blocks.push_back(*block);
  }
  return blocks;
}

VkResult image_properties(const VkPhysicalDeviceImageFormatInfo2& info, VkImageFormatProperties& to) {
  to = {};
  const image::VulkanFormat* format = image::find_vulkan_format(info.format);
  const VkFormatFeatureFlags2 features = features_of(info.format).image;
  if (format == nullptr || features == 0) return VK_ERROR_FORMAT_NOT_SUPPORTED;
  constexpr VkImageCreateFlags kNotOffered = VK_IMAGE_CREATE_PROTECTED_BIT | VK_IMAGE_CREATE_SUBSAMPLED_BIT_EXT;
  constexpr VkImageCreateFlags kSparse =
      VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT;
  if ((info.flags & kNotOffered) != 0) return VK_ERROR_FORMAT_NOT_SUPPORTED;
  if ((info.flags & kSparse) != 0 && info.tiling != VK_IMAGE_TILING_OPTIMAL) return VK_ERROR_FORMAT_NOT_SUPPORTED;
  if ((info.flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT) != 0 &&
      ((info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0 || sparse_blocks(*format, info.type, 1).empty()))
    return VK_ERROR_FORMAT_NOT_SUPPORTED;
  if (info.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT) {
    const auto* modifier = find_in_chain<VkPhysicalDeviceImageDrmFormatModifierInfoEXT>(
        info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT);
    if (modifier == nullptr || modifier->drmFormatModifier != kLinearModifier || format->depth || format->stencil)
      return VK_ERROR_FORMAT_NOT_SUPPORTED;
  }
  if ((info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0 && (features & VK_FORMAT_FEATURE_2_DISJOINT_BIT) == 0)
    return VK_ERROR_FORMAT_NOT_SUPPORTED;
  constexpr VkImageUsageFlags kAttachments = VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT;
  const bool anyway = (info.flags & (VK_IMAGE_CREATE_EXTENDED_USAGE_BIT)) != 0;
  if (!anyway && (info.usage & ~(usages_of(features) | kAttachments)) != 0) return VK_ERROR_FORMAT_NOT_SUPPORTED;
  const image::FormatInfo& stored = *image::format_info(format->planes[0].format);
  const bool blocks = stored.block_width > 1 || stored.block_height > 1;
  const bool depth = format->depth || format->stencil, planes = format->multi_planar() || format->pairs;
  if ((info.type == VK_IMAGE_TYPE_3D && (depth || planes)) || (info.type == VK_IMAGE_TYPE_1D && (blocks || planes)))
    return VK_ERROR_FORMAT_NOT_SUPPORTED;
  const bool cube = (info.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) != 0;
  if (cube && info.type != VK_IMAGE_TYPE_2D) return VK_ERROR_FORMAT_NOT_SUPPORTED;

  const VkPhysicalDeviceLimits l = device_limits();
  to.maxArrayLayers = info.type == VK_IMAGE_TYPE_3D ? 1 : l.maxImageArrayLayers;
  std::uint32_t side = 1;
  switch (info.type) {
    case VK_IMAGE_TYPE_1D:
      side = l.maxImageDimension1D;
      to.maxExtent = {side, 1, 1};
      break;
    case VK_IMAGE_TYPE_3D:
      side = l.maxImageDimension3D;
      to.maxExtent = {side, side, side};
      break;
    default:
      side = cube ? l.maxImageDimensionCube : l.maxImageDimension2D;
      to.maxExtent = {side, side, 1};
  }
  to.maxMipLevels = format->multi_planar() || format->pairs ? 1 : static_cast<std::uint32_t>(std::bit_width(side));
  to.sampleCounts = VK_SAMPLE_COUNT_1_BIT;
  const bool drawn =
      (features & (VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT)) != 0;
  if (info.type == VK_IMAGE_TYPE_2D && info.tiling == VK_IMAGE_TILING_OPTIMAL && drawn && !cube && !planes)
    to.sampleCounts = depth ? l.sampledImageDepthSampleCounts : l.sampledImageColorSampleCounts;
  to.maxResourceSize = kMaxImageBytes;
  return VK_SUCCESS;
}

/// What vkGetPhysicalDeviceSparseImageFormatProperties lists.
std::vector<VkSparseImageFormatProperties> sparse_properties(const VkPhysicalDeviceSparseImageFormatInfo2& info) {
  VkImageFormatProperties can;
  if (image_properties(
          {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2, nullptr, info.format, info.type, info.tiling,
           info.usage, VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT},
          can) != VK_SUCCESS ||
      (can.sampleCounts & info.samples) == 0)
    return {};
  const image::VulkanFormat& format = *image::find_vulkan_format(info.format);
  std::vector<VkSparseImageFormatProperties> all;
  for (const image::Residency::Size& block : sparse_blocks(format, info.type, info.samples)) {
    const std::size_t plane = all.size();
    const image::FormatInfo& stored = *image::format_info(format.planes[plane].format);
    all.push_back({plane_aspect(format, plane),
                   {block.width * stored.block_width, block.height * stored.block_height, block.depth},
                   0});
  }
  return all;
}

}  // namespace

namespace entry {

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFormatProperties(VkPhysicalDevice, VkFormat format,
                                                             VkFormatProperties* pFormatProperties) {
  const FeatureBits bits = features_of(format);
  *pFormatProperties = {static_cast<VkFormatFeatureFlags>(bits.image & kOldBits),
                        static_cast<VkFormatFeatureFlags>(bits.image & kOldBits),
                        static_cast<VkFormatFeatureFlags>(bits.buffer & kOldBits)};
}
VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFormatProperties2(VkPhysicalDevice physicalDevice, VkFormat format,
                                                              VkFormatProperties2* pFormatProperties) {
  GetPhysicalDeviceFormatProperties(physicalDevice, format, &pFormatProperties->formatProperties);
  if (auto* all =
          find_out_chain<VkFormatProperties3>(pFormatProperties->pNext, VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3)) {
    const FeatureBits bits = features_of(format);
    all->linearTilingFeatures = all->optimalTilingFeatures = bits.image;
    all->bufferFeatures = bits.buffer;
  }
  // Samples that draws had are resolved as those of any attachment.
  if (auto* resolves = find_out_chain<VkSubpassResolvePerformanceQueryEXT>(
          pFormatProperties->pNext, VK_STRUCTURE_TYPE_SUBPASS_RESOLVE_PERFORMANCE_QUERY_EXT))
    resolves->optimal = VK_TRUE;
  add_modifiers(format, pFormatProperties->pNext);
}

VKAPI_ATTR VkResult VKAPI_CALL GetImageDrmFormatModifierPropertiesEXT(VkDevice, VkImage,
                                                                      VkImageDrmFormatModifierPropertiesEXT* to) {
  to->drmFormatModifier = kLinearModifier;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceImageFormatProperties(VkPhysicalDevice, VkFormat format,
                                                                      VkImageType type, VkImageTiling tiling,
                                                                      VkImageUsageFlags usage, VkImageCreateFlags flags,
                                                                      VkImageFormatProperties* pImageFormatProperties) {
  return image_properties(
      {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2, nullptr, format, type, tiling, usage, flags},
      *pImageFormatProperties);
}
VKAPI_ATTR VkResult VKAPI_CALL
GetPhysicalDeviceImageFormatProperties2(VkPhysicalDevice, const VkPhysicalDeviceImageFormatInfo2* pImageFormatInfo,
                                        VkImageFormatProperties2* pImageFormatProperties) {
  if (auto* planes = find_out_chain<VkSamplerYcbcrConversionImageFormatProperties>(
          pImageFormatProperties->pNext, VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_IMAGE_FORMAT_PROPERTIES))
    planes->combinedImageSamplerDescriptorCount = kDescriptorsOfCombined;
  if (auto* host = find_out_chain<VkHostImageCopyDevicePerformanceQuery>(
          pImageFormatProperties->pNext, VK_STRUCTURE_TYPE_HOST_IMAGE_COPY_DEVICE_PERFORMANCE_QUERY))
    host->optimalDeviceAccess = host->identicalMemoryLayout = VK_TRUE;
  auto* external_to = find_out_chain<VkExternalImageFormatProperties>(
      pImageFormatProperties->pNext, VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES);
  if (external_to != nullptr) external_to->externalMemoryProperties = {};
  if (const auto* external = find_in_chain<VkPhysicalDeviceExternalImageFormatInfo>(
          pImageFormatInfo->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO);
      external != nullptr && external->handleType != 0) {
    const VkExternalMemoryProperties can = external_memory(external->handleType);
    if (can.externalMemoryFeatures == 0) return VK_ERROR_FORMAT_NOT_SUPPORTED;
    if (external_to != nullptr) external_to->externalMemoryProperties = can;
  }
  return image_properties(*pImageFormatInfo, pImageFormatProperties->imageFormatProperties);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceSparseImageFormatProperties(VkPhysicalDevice, VkFormat format,
                                                                        VkImageType type, VkSampleCountFlagBits samples,
                                                                        VkImageUsageFlags usage, VkImageTiling tiling,
                                                                        uint32_t* pPropertyCount,
                                                                        VkSparseImageFormatProperties* pProperties) {
  (void)give_list(sparse_properties({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_INFO_2, nullptr, format,
                                     type, samples, usage, tiling}),
                  pPropertyCount, pProperties,
                  [](VkSparseImageFormatProperties& to, const VkSparseImageFormatProperties& from) { to = from; });
}
VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceSparseImageFormatProperties2(
    VkPhysicalDevice, const VkPhysicalDeviceSparseImageFormatInfo2* pFormatInfo, uint32_t* pPropertyCount,
    VkSparseImageFormatProperties2* pProperties) {
  (void)give_list(
      sparse_properties(*pFormatInfo), pPropertyCount, pProperties,
      [](VkSparseImageFormatProperties2& to, const VkSparseImageFormatProperties& from) { to.properties = from; });
}

}  // namespace entry
}  // namespace heddle::vulkan
