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

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateBufferView(VkDevice, const VkBufferViewCreateInfo* pCreateInfo,
                                                const VkAllocationCallbacks*, VkBufferView* pView) {
  return guarded([&]() -> VkResult {
    const Buffer& buffer = *from_handle(pCreateInfo->buffer);
    const image::VulkanFormat* format = image::find_vulkan_format(pCreateInfo->format);
    if (format == nullptr) return VK_ERROR_FORMAT_NOT_SUPPORTED;
    const std::span<std::uint8_t> range = buffer.range(pCreateInfo->offset, pCreateInfo->range);
    auto surface = std::make_shared<image::Surface>();
    surface->type = image::SurfaceType::Buffer;
    surface->format = format->planes[0].format;
    surface->entries = range.size() / surface->info().bytes_per_element();
    auto view = std::make_unique<BufferView>();
    if (surface->entries != 0) {
      if (!image::lay_out(*surface).ok()) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
      surface->memory = buffer.memory;
      surface->base = pCreateInfo->offset;
      view->surface = std::move(surface);
    }
    *pView = to_handle(view.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyBufferView(VkDevice device, VkBufferView bufferView, const VkAllocationCallbacks*) {
  destroy(device, from_handle(bufferView));
}

}  // namespace entry
}  // namespace heddle::vulkan
