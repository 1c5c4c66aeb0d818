// SPDX-License-Identifier: MIT
#include "vulkan/objects/descriptors/stored_descriptor.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/images/image_view.hpp"
#include "vulkan/objects/images/sampler.hpp"
#include "vulkan/objects/memory/buffer.hpp"
#include "vulkan/objects/memory/buffer_view.hpp"

namespace heddle::vulkan {
namespace {

/// All zeros are a null descriptor. Of a sampler the first half.
struct StoredDescriptor {
  std::uint32_t type = 0;    ///< kMark with the type
  std::uint32_t detail = 0;  ///< the format of texels
  std::uint64_t first = 0;   ///< the number of a sampler or a view; an address
  std::uint64_t second = 0;  ///< the number of a combined image's sampler; bytes from the address on
  std::uint64_t unused = 0;
};
static_assert(sizeof(StoredDescriptor) == kStoredDescriptorBytes);
constexpr std::uint32_t kMark = 0x48444400;  ///< few bytes that are no descriptor begin so
constexpr std::uint64_t kBufferStep = 4;     ///< of addresses: minStorageBufferOffsetAlignment

std::uint64_t number_of(VkSampler sampler) { return sampler != VK_NULL_HANDLE ? from_handle(sampler)->number : 0; }

void store_image(StoredDescriptor& to, const VkDescriptorImageInfo* image) {
  // descriptorBufferImageLayoutIgnored: the layout says nothing.
  if (image != nullptr && image->imageView != VK_NULL_HANDLE) to.first = from_handle(image->imageView)->number;
}

void store_address(StoredDescriptor& to, const VkDescriptorAddressInfoEXT* info) {
  if (info == nullptr) return;
  to.first = info->address;
  to.second = info->range;
  to.detail = static_cast<std::uint32_t>(info->format);
}

StoredDescriptor store(const VkDescriptorGetInfoEXT& info) {
  StoredDescriptor to;
  const VkDescriptorDataEXT& data = info.data;
  switch (info.type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
      if (data.pSampler != nullptr) to.first = number_of(*data.pSampler);
      break;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      store_image(to, data.pCombinedImageSampler);
      if (data.pCombinedImageSampler != nullptr) to.second = number_of(data.pCombinedImageSampler->sampler);
      break;
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      store_image(to, data.pSampledImage);  // the members lie at one place
      break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
      store_address(to, data.pUniformBuffer);
      break;
    default:
      return {};
  }
  if ((to.first | to.second) == 0) return {};
  to.type = kMark | static_cast<std::uint32_t>(info.type);
  return to;
}

void read_image(const Device& device, const StoredDescriptor& from, VkDescriptorType type, Descriptor& to) {
  const ImageView* view = device.descriptor_objects.views.find(from.first);
  if (view == nullptr) return;
  to.object = reinterpret_cast<std::uint64_t>(view);
  const bool stores = type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  to.surface = stores ? view->storage : view->sampled;
  if (stores) to.samples = view->samples;
  if (type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER && view->planes[0])
    to.planes = std::make_shared<const std::array<machine::SurfaceResource, 2>>(view->planes);
}

/// As far as the allocation has it.
void read_address(const Device& device, const StoredDescriptor& from, VkDescriptorType type, Descriptor& to) {
  if (from.first % kBufferStep != 0) return;
  const machine::MemoryRange* found = device.addresses->find(from.first, 1);
  if (found == nullptr) return;
  const auto memory = std::static_pointer_cast<image::Memory>(found->owner);
  const std::uint64_t offset = from.first - found->address;
  const std::uint64_t bytes = std::min(from.second, found->size - offset);
  if (type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) {
    to.memory = memory;
    to.offset = offset;
    to.range = bytes;
  } else {
    to.surface = texel_surface(memory, offset, bytes, from.detail);
  }
}

}  // namespace

void read_descriptor(const Device& device, std::span<const std::uint8_t> bytes, const SetLayout::Binding& binding,
                     const machine::SamplerResource* immutable, Descriptor& to) {
  StoredDescriptor from;
  std::memcpy(&from, bytes.data(), std::min<std::size_t>(bytes.size(), binding.stored));
  to = {};
  if (immutable != nullptr) to.sampler = *immutable;
  const std::uint32_t type = from.type ^ kMark;
  if (type > VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT || (binding.types >> type & 1) == 0) return;
  const auto as = static_cast<VkDescriptorType>(type);
  const bool combined = as == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  if ((combined || as == VK_DESCRIPTOR_TYPE_SAMPLER) && immutable == nullptr)
    if (const Sampler* sampler = device.descriptor_objects.samplers.find(combined ? from.second : from.first))
      to.sampler = sampler->state;
  if (combined || as == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE || as == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ||
      as == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT)
    read_image(device, from, as, to);
  else if (as != VK_DESCRIPTOR_TYPE_SAMPLER)
    read_address(device, from, as, to);
}

namespace entry {

VKAPI_ATTR void VKAPI_CALL GetDescriptorEXT(VkDevice, const VkDescriptorGetInfoEXT* pDescriptorInfo, size_t dataSize,
                                            void* pDescriptor) {
  const StoredDescriptor stored = store(*pDescriptorInfo);
  const std::uint32_t bytes = is_stored(pDescriptorInfo->type) ? stored_bytes(1u << pDescriptorInfo->type) : 0;
  std::memcpy(pDescriptor, &stored, std::min<std::size_t>(bytes, dataSize));
}

VKAPI_ATTR void VKAPI_CALL GetDescriptorSetLayoutSizeEXT(VkDevice, VkDescriptorSetLayout layout,
                                                         VkDeviceSize* pLayoutSizeInBytes) {
  *pLayoutSizeInBytes = from_handle(layout)->layout->stored;
}
VKAPI_ATTR void VKAPI_CALL GetDescriptorSetLayoutBindingOffsetEXT(VkDevice, VkDescriptorSetLayout layout,
                                                                  uint32_t binding, VkDeviceSize* pOffset) {
  const SetLayout::Binding* found = from_handle(layout)->layout->find(binding);
  *pOffset = found != nullptr ? found->place : 0;
}

// --- what a replay needs: an address tells all of a buffer, and descriptors say nothing of images without a view. The
// address of a buffer in parts is its own; that of others comes with their memory ---

VKAPI_ATTR VkResult VKAPI_CALL
GetBufferOpaqueCaptureDescriptorDataEXT(VkDevice, const VkBufferCaptureDescriptorDataInfoEXT* pInfo, void* pData) {
  const Buffer& buffer = *from_handle(pInfo->buffer);
  const std::uint64_t data = buffer.sparse ? reinterpret_cast<std::uint64_t>(buffer.memory->data()) : buffer.size;
  std::memcpy(pData, &data, sizeof data);
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL GetImageOpaqueCaptureDescriptorDataEXT(VkDevice,
                                                                      const VkImageCaptureDescriptorDataInfoEXT* pInfo,
                                                                      void* pData) {
  std::memcpy(pData, &from_handle(pInfo->image)->size, sizeof(std::uint64_t));
  return VK_SUCCESS;
}

}  // namespace entry
}  // namespace heddle::vulkan
