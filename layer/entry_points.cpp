// SPDX-License-Identifier: MIT
// How the loader finds the layer's functions.
#include "layer/entry_points.hpp"

#include <vulkan/vk_layer.h>

#include <algorithm>
#include <string_view>

namespace heddle::layer {
namespace {

struct NamedFunction {
  std::string_view name;
  PFN_vkVoidFunction function = nullptr;
};

#define HEDDLE_LAYER_NAMED(name) NamedFunction{"vk" #name, reinterpret_cast<PFN_vkVoidFunction>(entry::name)},

PFN_vkVoidFunction find_in(const NamedFunction* first, const NamedFunction* last, std::string_view name) {
  const auto* found = std::find_if(first, last, [&](const NamedFunction& f) { return f.name == name; });
  return found == last ? nullptr : found->function;
}

PFN_vkVoidFunction find_device_function(std::string_view name) {
  const NamedFunction all[] = {HEDDLE_LAYER_DEVICE_FUNCTIONS(HEDDLE_LAYER_NAMED)};
  return find_in(std::begin(all), std::end(all), name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_address(VkDevice device, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_address(VkInstance instance, const char* name);

PFN_vkVoidFunction find_instance_function(std::string_view name) {
  const NamedFunction all[] = {
      HEDDLE_LAYER_NAMED(CreateInstance) HEDDLE_LAYER_NAMED(DestroyInstance)
          HEDDLE_LAYER_NAMED(EnumerateDeviceExtensionProperties) HEDDLE_LAYER_NAMED(GetPhysicalDeviceFeatures2)
              HEDDLE_LAYER_NAMED(GetPhysicalDeviceFeatures2KHR) HEDDLE_LAYER_NAMED(GetPhysicalDeviceProperties)
                  HEDDLE_LAYER_NAMED(GetPhysicalDeviceProperties2) HEDDLE_LAYER_NAMED(GetPhysicalDeviceProperties2KHR)
                      HEDDLE_LAYER_NAMED(CreateDevice) NamedFunction{
                          "vkGetDeviceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(get_device_address)},
      NamedFunction{"vkGetInstanceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(get_instance_address)}};
  return find_in(std::begin(all), std::end(all), name);
}

/// The layer's own where the driver has such a function, and the device is one that the layer serves.
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_address(VkDevice device, const char* name) {
  const std::string_view asked = name;
  if (asked == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(get_device_address);
  const std::shared_ptr<Device> kept = find_device(device);
  if (kept == nullptr) return nullptr;
  const PFN_vkVoidFunction next = kept->next_address(device, name);
  const PFN_vkVoidFunction own = find_device_function(asked);
  const bool taken = own != nullptr && next != nullptr && (kept->active || asked == "vkDestroyDevice");
  return taken ? own : next;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_address(VkInstance instance, const char* name) {
  if (const PFN_vkVoidFunction own = find_instance_function(name); own != nullptr) return own;
  if (instance == VK_NULL_HANDLE) return nullptr;
  const std::shared_ptr<Instance> kept = find_instance(instance);
  if (kept == nullptr) return nullptr;
  const PFN_vkVoidFunction next = kept->next_address(instance, name);
  const PFN_vkVoidFunction own = find_device_function(name);
  return own != nullptr && next != nullptr ? own : next;
}

}  // namespace
}  // namespace heddle::layer

extern "C" VK_LAYER_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* versions) {
  if (versions == nullptr || versions->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT) return VK_ERROR_INITIALIZATION_FAILED;
  versions->loaderLayerInterfaceVersion = std::min<std::uint32_t>(versions->loaderLayerInterfaceVersion, 2);
  versions->pfnGetInstanceProcAddr = heddle::layer::get_instance_address;
  versions->pfnGetDeviceProcAddr = heddle::layer::get_device_address;
  versions->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
