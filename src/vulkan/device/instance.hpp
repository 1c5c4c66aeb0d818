// SPDX-License-Identifier: MIT
#pragma once
// Instances, and messages to the application.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "vulkan/api/entry_table.hpp"
#include "vulkan/api/handles.hpp"
#include "vulkan/device/physical_device.hpp"

namespace heddle::vulkan {

struct Messenger;

struct Instance : Dispatchable {
  Instance() : physical(*this) {}
  PhysicalDevice physical;
  ExtensionSet enabled;
  std::uint32_t api_version = VK_API_VERSION_1_0;  ///< that the application asked for
  /// Of the version 1.x whose commands it gets.
  [[nodiscard]] unsigned minor() const {
    return VK_API_VERSION_MAJOR(api_version) > 1 ? kApiMinor : std::min(VK_API_VERSION_MINOR(api_version), kApiMinor);
  }

  /// To every messenger that wants it; warnings and errors go to standard error where there is none.
  void message(VkDebugUtilsMessageSeverityFlagBitsEXT severity, const char* id, const std::string& text,
               std::uint64_t object = 0, VkObjectType type = VK_OBJECT_TYPE_UNKNOWN);
  /// The same without standard error; whether a messenger heard it.
  bool report(VkDebugUtilsMessageSeverityFlagBitsEXT severity, const char* id, const std::string& text,
              std::uint64_t object = 0, VkObjectType type = VK_OBJECT_TYPE_UNKNOWN);
  void error(const char* id, const std::string& text, std::uint64_t object = 0,
             VkObjectType type = VK_OBJECT_TYPE_UNKNOWN) {
    message(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, id, text, object, type);
  }
  void add(Messenger* messenger);
  void remove(Messenger* messenger);
  void forget_messengers();
  std::atomic<unsigned> devices = 0;  ///< that exist

 private:
  std::mutex mutex_;
  std::vector<Messenger*> messengers_;
};

HEDDLE_DISPATCHABLE(Instance, VkInstance)

}  // namespace heddle::vulkan
