// SPDX-License-Identifier: MIT
#include "vulkan/objects/descriptors/descriptor_update_template.hpp"

#include <memory>

#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/descriptors/pipeline_layout.hpp"

namespace heddle::vulkan {

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorUpdateTemplate(VkDevice,
                                                              const VkDescriptorUpdateTemplateCreateInfo* pCreateInfo,
                                                              const VkAllocationCallbacks*,
                                                              VkDescriptorUpdateTemplate* pDescriptorUpdateTemplate) {
  return guarded([&] {
    auto made = std::make_unique<UpdateTemplate>();
    made->entries.assign(pCreateInfo->pDescriptorUpdateEntries,
                         pCreateInfo->pDescriptorUpdateEntries + pCreateInfo->descriptorUpdateEntryCount);
    if (pCreateInfo->templateType == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR) {
      made->point = pCreateInfo->pipelineBindPoint;
      made->set = pCreateInfo->set;
      made->layout = from_handle(pCreateInfo->pipelineLayout)->sets.at(pCreateInfo->set);
    }
    *pDescriptorUpdateTemplate = to_handle(made.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyDescriptorUpdateTemplate(VkDevice device,
                                                           VkDescriptorUpdateTemplate descriptorUpdateTemplate,
                                                           const VkAllocationCallbacks*) {
  destroy(device, from_handle(descriptorUpdateTemplate));
}

}  // namespace entry
}  // namespace heddle::vulkan
