// SPDX-License-Identifier: MIT
#include "vulkan/objects/images/object_numbers.hpp"

#include <cstring>
#include <mutex>

#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/images/image_view.hpp"
#include "vulkan/objects/images/sampler.hpp"

namespace heddle::vulkan {
namespace {

/// The number that an object had in another run; null: it is a new one.
const std::uint64_t* earlier_number(const void* chain) {
  const auto* data = find_in_chain<VkOpaqueCaptureDescriptorDataCreateInfoEXT>(
      chain, VK_STRUCTURE_TYPE_OPAQUE_CAPTURE_DESCRIPTOR_DATA_CREATE_INFO_EXT);
  return data != nullptr ? static_cast<const std::uint64_t*>(data->opaqueCaptureDescriptorData) : nullptr;
}

template <typename Object>
VkResult give_number(Device& device, NumberedObjects<Object>& objects, Object& object, bool replayable,
                     const void* chain) {
  if (!device.stores_descriptors) return VK_SUCCESS;
  const std::lock_guard guard(device.descriptors);
  const std::uint64_t* earlier = replayable ? earlier_number(chain) : nullptr;
  if (earlier == nullptr) {
    object.number = objects.add(&object, replayable);
    return VK_SUCCESS;
  }
  std::uint64_t number = 0;
  std::memcpy(&number, earlier, sizeof number);
  if (!objects.add_as(number, &object)) return VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;
  object.number = number;
  ++device.descriptor_objects.arrivals;
  return VK_SUCCESS;
}

}  // namespace

VkResult number_view(Device& device, ImageView& view, VkImageViewCreateFlags flags, const void* chain) {
  return give_number(device, device.descriptor_objects.views, view,
                     (flags & VK_IMAGE_VIEW_CREATE_DESCRIPTOR_BUFFER_CAPTURE_REPLAY_BIT_EXT) != 0, chain);
}
VkResult number_sampler(Device& device, Sampler& sampler, VkSamplerCreateFlags flags, const void* chain) {
  return give_number(device, device.descriptor_objects.samplers, sampler,
                     (flags & VK_SAMPLER_CREATE_DESCRIPTOR_BUFFER_CAPTURE_REPLAY_BIT_EXT) != 0, chain);
}
void forget_number(Device& device, const ImageView& view) {
  if (view.number == 0) return;
  const std::lock_guard guard(device.descriptors);
  ++device.descriptor_objects.departures;
  device.descriptor_objects.views.remove(view.number);
}
void forget_number(Device& device, const Sampler& sampler) {
  if (sampler.number == 0) return;
  const std::lock_guard guard(device.descriptors);
  ++device.descriptor_objects.departures;
  device.descriptor_objects.samplers.remove(sampler.number);
}

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL GetImageViewOpaqueCaptureDescriptorDataEXT(
    VkDevice, const VkImageViewCaptureDescriptorDataInfoEXT* pInfo, void* pData) {
  std::memcpy(pData, &from_handle(pInfo->imageView)->number, sizeof(std::uint64_t));
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL
GetSamplerOpaqueCaptureDescriptorDataEXT(VkDevice, const VkSamplerCaptureDescriptorDataInfoEXT* pInfo, void* pData) {
  std::memcpy(pData, &from_handle(pInfo->sampler)->number, sizeof(std::uint64_t));
  return VK_SUCCESS;
}

}  // namespace entry
}  // namespace heddle::vulkan
