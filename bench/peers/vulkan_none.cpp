// SPDX-License-Identifier: MIT
// Where Vulkan's headers and loader were not installed at build time.
#include "vulkan_side.hpp"

namespace heddle::bench {

struct VulkanPeer::State {};
std::vector<Driver> drivers(std::string& why) {
  return why = "built without Vulkan (libvulkan-dev)", std::vector<Driver>{};
}
double make_device(const Driver&, std::string& why) { return why = "built without Vulkan (libvulkan-dev)", -1; }
double run_small(const Driver&, const SmallWork&, std::string& why) {
  return why = "built without Vulkan (libvulkan-dev)", -1;
}
VulkanPeer::VulkanPeer(const Driver&, const Case&, std::vector<std::uint32_t>) {}
VulkanPeer::~VulkanPeer() = default;
double VulkanPeer::run() { return -1; }
double VulkanPeer::first_run() { return -1; }

}  // namespace heddle::bench
