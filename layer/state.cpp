// SPDX-License-Identifier: MIT
#include "layer/state.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <shared_mutex>

#include "layer/settings.hpp"

namespace heddle::layer {
namespace {

/// Never destroyed: programs may call while they end.
struct Registry {
  std::shared_mutex mutex;
  std::unordered_map<void*, std::shared_ptr<Instance>> instances;
  std::unordered_map<void*, std::shared_ptr<Device>> devices;
};
Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}

template <typename T>
std::shared_ptr<T> find(const std::unordered_map<void*, std::shared_ptr<T>>& all, const void* handle) {
  const std::shared_lock lock(registry().mutex);
  const auto found = all.find(dispatch_key(handle));
  return found == all.end() ? nullptr : found->second;
}

}  // namespace

std::shared_ptr<Instance> find_instance(const void* handle) { return find(registry().instances, handle); }
std::shared_ptr<Device> find_device(const void* handle) { return find(registry().devices, handle); }

void keep(std::shared_ptr<Instance> instance) {
  const std::unique_lock lock(registry().mutex);
  void* const key = dispatch_key(instance->handle);
  registry().instances[key] = std::move(instance);
}
void keep(std::shared_ptr<Device> device) {
  const std::unique_lock lock(registry().mutex);
  void* const key = dispatch_key(device->handle);
  registry().devices[key] = std::move(device);
}
void forget_instance(const void* handle) {
  const std::unique_lock lock(registry().mutex);
  registry().instances.erase(dispatch_key(handle));
}
void forget_device(const void* handle) {
  const std::unique_lock lock(registry().mutex);
  registry().devices.erase(dispatch_key(handle));
}

bool Instance::has_footprints(VkPhysicalDevice device) const {
  if (is_forced()) return false;
  std::uint32_t count = 0;
  if (next.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkExtensionProperties> list(count);
  if (next.EnumerateDeviceExtensionProperties(device, nullptr, &count, list.data()) < VK_SUCCESS) return false;
  return std::any_of(list.begin(), list.begin() + count, [](const VkExtensionProperties& e) {
    return std::strcmp(e.extensionName, VK_NV_SHADER_IMAGE_FOOTPRINT_EXTENSION_NAME) == 0;
  });
}

void Instance::report(VkDebugUtilsMessageSeverityFlagBitsEXT severity, const std::string& message) const {
  if (next.SubmitDebugUtilsMessageEXT == nullptr) {
    std::fprintf(stderr, "%s: %s\n", kLayerName, message.c_str());
    return;
  }
  VkDebugUtilsMessengerCallbackDataEXT data{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT};
  data.pMessageIdName = kLayerName;
  data.pMessage = message.c_str();
  next.SubmitDebugUtilsMessageEXT(handle, severity, VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &data);
}

}  // namespace heddle::layer
