// SPDX-License-Identifier: MIT
#include "vulkan/pipelines/code/shader_module.hpp"

#include <memory>

#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan::entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateShaderModule(VkDevice, const VkShaderModuleCreateInfo* pCreateInfo,
                                                  const VkAllocationCallbacks*, VkShaderModule* pShaderModule) {
  return guarded([&] {
    auto module = std::make_unique<ShaderModule>();
    module->words.assign(pCreateInfo->pCode, pCreateInfo->pCode + pCreateInfo->codeSize / 4);
    *pShaderModule = to_handle(module.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyShaderModule(VkDevice device, VkShaderModule shaderModule,
                                               const VkAllocationCallbacks*) {
  destroy(device, from_handle(shaderModule));
}

}  // namespace heddle::vulkan::entry
