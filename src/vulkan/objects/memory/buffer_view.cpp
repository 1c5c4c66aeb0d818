// SPDX-License-Identifier: MIT
#include "vulkan/objects/memory/buffer_view.hpp"

#include <memory>
#include <span>

#include "image/surface.hpp"
#include "image/vulkan_formats.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/memory/buffer.hpp"

namespace heddle::vulkan {

machine::SurfaceResource texel_surface(const std::shared_ptr<image::Memory>& memory, std::uint64_t offset,
                                       std::uint64_t bytes, std::uint32_t format) {
  const image::VulkanFormat* known = image::find_vulkan_format(format);
  if (known == nullptr) return nullptr;
  auto surface = std::make_shared<image::Surface>();
  surface->type = image::SurfaceType::Buffer;
  surface->format = known->planes[0].format;
  surface->entries = bytes / surface->info().bytes_per_element();
  if (surface->entries == 0 || !image::lay_out(*surface).ok()) return nullptr;
  surface->memory = memory;
  surface->base = offset;
  return surface;
}

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateBufferView(VkDevice, const VkBufferViewCreateInfo* pCreateInfo,
                                                const VkAllocationCallbacks*, VkBufferView* pView) {
  return guarded([&]() -> VkResult {
    const Buffer& buffer = *from_handle(pCreateInfo->buffer);
    const image::VulkanFormat* format = image::find_vulkan_format(pCreateInfo->format);
    if (format == nullptr) return VK_ERROR_FORMAT_NOT_SUPPORTED;
    const std::span<std::uint8_t> range = buffer.range(pCreateInfo->offset, pCreateInfo->range);
    auto view = std::make_unique<BufferView>();
    view->surface = texel_surface(buffer.memory, pCreateInfo->offset, range.size(), pCreateInfo->format);
    const bool has_texels = range.size() >= image::format_info(format->planes[0].format)->bytes_per_element();
    if (has_texels && !view->surface) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    *pView = to_handle(view.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyBufferView(VkDevice device, VkBufferView bufferView, const VkAllocationCallbacks*) {
  destroy(device, from_handle(bufferView));
}

}  // namespace entry
}  // namespace heddle::vulkan
