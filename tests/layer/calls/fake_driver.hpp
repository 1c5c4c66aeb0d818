// SPDX-License-Identifier: MIT
#pragma once
// A driver below the layer that says what reaches it, and gives the handles that a test wants. It needs no loader.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "layer/entry_points.hpp"

namespace heddle::test {

template <typename Handle>
[[nodiscard]] Handle handle_of(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number);
}

/// One instance with one physical device and one device, which is active; one of these lives at a time.
class FakeDriver {
 public:
  FakeDriver();
  ~FakeDriver();
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  [[nodiscard]] VkPhysicalDevice physical() { return reinterpret_cast<VkPhysicalDevice>(&instance_key_); }
  [[nodiscard]] VkDevice device() { return reinterpret_cast<VkDevice>(&device_key_); }
  [[nodiscard]] layer::Device& kept() { return *kept_; }

  [[nodiscard]] static PFN_vkGetInstanceProcAddr instance_address();
  /// A layout with one sampler at binding 0.
  [[nodiscard]] VkDescriptorSetLayout make_set_layout(const void* chain = nullptr);
  [[nodiscard]] VkDescriptorPool make_pool();
  [[nodiscard]] VkDescriptorSet make_set(VkDescriptorPool pool, VkDescriptorSetLayout layout);

  // What it answers.
  std::uintptr_t next_pool = 1, next_set = 1;     ///< handles
  VkPhysicalDeviceProperties properties{};        ///< of the physical device
  std::vector<VkExtensionProperties> extensions;  ///< of the physical device
  std::function<void(void*)> fill_chain;          ///< of vkGetPhysicalDeviceProperties2
  std::function<void()> on_destroy, on_reset;     ///< another thread's calls, while a pool is destroyed or reset
  std::function<void(const VkDeviceCreateInfo&)> on_create_device;
  std::function<void(const VkDescriptorSetLayoutCreateInfo&)> on_create_set_layout;
  std::function<void(const VkComputePipelineCreateInfo&)> on_create_pipeline;

  // What it has.
  unsigned allocations = 0;  ///< of memory, so far
  int memories = 0, buffers = 0, modules = 0;
  std::vector<std::uint8_t> bytes;  ///< what memory is mapped to

 private:
  void* instance_key_ = this;
  void* device_key_ = &device_key_;
  std::shared_ptr<layer::Instance> instance_;
  std::shared_ptr<layer::Device> kept_;
};

}  // namespace heddle::test
