// SPDX-License-Identifier: MIT
#include "vulkan/objects/passes/framebuffer.hpp"

#include <memory>
#include <span>

#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/images/image_view.hpp"

namespace heddle::vulkan {

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateFramebuffer(VkDevice, const VkFramebufferCreateInfo* pCreateInfo,
                                                 const VkAllocationCallbacks*, VkFramebuffer* pFramebuffer) {
  return guarded([&] {
    auto frame = std::make_unique<Framebuffer>();
    frame->width = pCreateInfo->width;
    frame->height = pCreateInfo->height;
    frame->layers = pCreateInfo->layers;
    if ((pCreateInfo->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) == 0)
      for (const VkImageView view : std::span(pCreateInfo->pAttachments, pCreateInfo->attachmentCount))
        frame->views.push_back(from_handle(view));
    *pFramebuffer = to_handle(frame.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyFramebuffer(VkDevice device, VkFramebuffer framebuffer,
                                              const VkAllocationCallbacks*) {
  destroy(device, from_handle(framebuffer));
}

}  // namespace entry
}  // namespace heddle::vulkan
