// SPDX-License-Identifier: MIT
#include "vulkan/objects/images/sampler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "image/sampler.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/device/object_observer.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/images/object_numbers.hpp"
#include "vulkan/objects/images/ycbcr_conversion.hpp"

namespace heddle::vulkan {
namespace {

image::AddressMode address_of(VkSamplerAddressMode mode) {
  switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_REPEAT:
      return image::AddressMode::Wrap;
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT:
      return image::AddressMode::Mirror;
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER:
      return image::AddressMode::ClampBorder;
    case VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE:
      return image::AddressMode::MirrorOnce;
    default:
      return image::AddressMode::Clamp;
  }
}

/// CMP-1: the sampler's sense is inverted.
image::CompareFunction compare_of(VkCompareOp op) {
  using image::CompareFunction;
  constexpr std::array kFunctions{CompareFunction::Always,  CompareFunction::Lequal, CompareFunction::Notequal,
                                  CompareFunction::Less,    CompareFunction::Gequal, CompareFunction::Equal,
                                  CompareFunction::Greater, CompareFunction::Never};
  return kFunctions[static_cast<std::size_t>(op) % kFunctions.size()];
}

/// NUM-73: fixed point with 8 bits of fraction; C23: 0 for NaN.
std::int32_t fixed(float value, float low, float high) {
  if (std::isnan(value)) return 0;
  return static_cast<std::int32_t>(std::nearbyint(std::ldexp(std::clamp(value, low, high), 8)));
}

std::array<std::uint32_t, 4> border_of(const VkSamplerCreateInfo& info) {
  constexpr std::uint32_t kOne = std::bit_cast<std::uint32_t>(1.0f);
  switch (info.borderColor) {
    case VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK:
      return {0, 0, 0, kOne};
    case VK_BORDER_COLOR_INT_OPAQUE_BLACK:
      return {0, 0, 0, 1};
    case VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE:
      return {kOne, kOne, kOne, kOne};
    case VK_BORDER_COLOR_INT_OPAQUE_WHITE:
      return {1, 1, 1, 1};
    case VK_BORDER_COLOR_FLOAT_CUSTOM_EXT:
    case VK_BORDER_COLOR_INT_CUSTOM_EXT:
      if (const auto* custom = find_in_chain<VkSamplerCustomBorderColorCreateInfoEXT>(
              info.pNext, VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT)) {
        const std::uint32_t* words = custom->customBorderColor.uint32;
        return {words[0], words[1], words[2], words[3]};
      }
      return {};
    default:
      return {};
  }
}

std::shared_ptr<image::Sampler> sampler_of(const VkSamplerCreateInfo& info) {
  auto s = std::make_shared<image::Sampler>();
  const auto filter = [](VkFilter f) { return f == VK_FILTER_LINEAR ? image::Filter::Linear : image::Filter::Nearest; };
  s->min_filter = filter(info.minFilter);
  s->mag_filter = filter(info.magFilter);
  s->mip_filter =
      info.mipmapMode == VK_SAMPLER_MIPMAP_MODE_LINEAR ? image::MipFilter::Linear : image::MipFilter::Nearest;
  // Anisotropy matters in minification and needs a linear filter. A sampler whose two filters are NEAREST keeps them.
  const bool filters = s->min_filter == image::Filter::Linear || s->mag_filter == image::Filter::Linear;
  if (info.anisotropyEnable == VK_TRUE && info.maxAnisotropy >= 2 && filters) {
    s->min_filter = image::Filter::Anisotropic;
    if (s->mag_filter == image::Filter::Linear) s->mag_filter = image::Filter::Anisotropic;
    s->max_anisotropy = static_cast<std::uint8_t>(std::min(info.maxAnisotropy, kMaxAnisotropy) / 2 - 1);  // ANI-1
  }
  s->tcx = address_of(info.addressModeU);
  s->tcy = address_of(info.addressModeV);
  s->tcz = address_of(info.addressModeW);
  const bool seamless = (info.flags & VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT) == 0;
  s->cube_override = seamless;
  s->border = border_of(info);
  s->lod_bias = fixed(info.mipLodBias, -16.0f, 4095.0f / 256);
  s->min_lod = fixed(info.minLod, 0, 4095.0f / 256);
  s->max_lod = fixed(info.maxLod, 0, 4095.0f / 256);
  s->non_normalized = info.unnormalizedCoordinates == VK_TRUE;
  if (s->non_normalized) s->mip_filter = image::MipFilter::None;
  if (info.compareEnable == VK_TRUE) s->compare = compare_of(info.compareOp);
  if (const auto* mode = find_in_chain<VkSamplerReductionModeCreateInfo>(
          info.pNext, VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO);
      mode != nullptr && mode->reductionMode != VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE) {
    s->reduction_enable = true;
    s->reduction =
        mode->reductionMode == VK_SAMPLER_REDUCTION_MODE_MIN ? image::Reduction::Minimum : image::Reduction::Maximum;
  }
  s->set_api_rounding();
  return s;
}

/// VKF-8: the conversion, and of the sampler what shaders must know to filter planes themselves.
spirv::SampledPlanes planes_of(spirv::SampledPlanes planes, const VkSamplerCreateInfo& info, const image::Sampler& s) {
  using Filter = spirv::SampledPlanes::Filter;
  const auto filter = [](VkFilter of) { return of == VK_FILTER_LINEAR ? Filter::Linear : Filter::Nearest; };
  const auto number = [](std::int32_t of) { return std::ldexp(static_cast<float>(of), -8); };
  planes.magnify = filter(info.magFilter);
  planes.minify = filter(info.minFilter);
  planes.bias = number(s.lod_bias);
  planes.least_lod = number(s.min_lod);
  planes.most_lod = number(s.max_lod);
  return planes;
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateSampler(VkDevice device, const VkSamplerCreateInfo* pCreateInfo,
                                             const VkAllocationCallbacks*, VkSampler* pSampler) {
  return guarded([&]() -> VkResult {
    auto sampler = std::make_unique<Sampler>();
    sampler->state = sampler_of(*pCreateInfo);
    if (const auto* conversion = find_in_chain<VkSamplerYcbcrConversionInfo>(
            pCreateInfo->pNext, VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO))
      sampler->planes = planes_of(from_handle(conversion->conversion)->planes, *pCreateInfo, *sampler->state);
    if (const VkResult result = number_sampler(*from_handle(device), *sampler, pCreateInfo->flags, pCreateInfo->pNext);
        result != VK_SUCCESS)
      return result;
    if (auto* const observer = dynamic_cast<ObjectObserver*>(from_handle(device)->observer.get()); observer != nullptr)
      try {
        observer->sampler_created(*sampler, *pCreateInfo);
      } catch (...) {
        forget_number(*from_handle(device), *sampler);
        throw;
      }
    *pSampler = to_handle(sampler.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroySampler(VkDevice device, VkSampler sampler, const VkAllocationCallbacks*) {
  if (sampler != VK_NULL_HANDLE) forget_number(*from_handle(device), *from_handle(sampler));
  destroy(device, from_handle(sampler));
}

}  // namespace entry
}  // namespace heddle::vulkan
