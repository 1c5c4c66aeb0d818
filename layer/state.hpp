// SPDX-License-Identifier: MIT
#pragma once
// What the layer keeps of instances and devices, and the next functions of the chain. All next functions are asked for
// while the instance or the device is made: later the loader answers with the top of the chain.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "layer/descriptors.hpp"
#include "layer/rewriter/rewrite.hpp"
#include "layer/settings.hpp"

namespace heddle::layer {

// clang-format off
#define HEDDLE_LAYER_INSTANCE_FUNCTIONS(X) \
  X(DestroyInstance) X(EnumerateDeviceExtensionProperties) X(GetPhysicalDeviceFeatures2) X(GetPhysicalDeviceFeatures2KHR) \
  X(GetPhysicalDeviceProperties) X(GetPhysicalDeviceProperties2) X(GetPhysicalDeviceProperties2KHR) \
  X(GetPhysicalDeviceMemoryProperties) X(SubmitDebugUtilsMessageEXT)
#define HEDDLE_LAYER_DEVICE_FUNCTIONS(X) \
  X(DestroyDevice) X(CreateShaderModule) X(DestroyShaderModule) X(CreateGraphicsPipelines) X(CreateComputePipelines) \
  X(CreateRayTracingPipelinesKHR) X(CreateSampler) X(DestroySampler) X(CreateDescriptorSetLayout) \
  X(DestroyDescriptorSetLayout) X(CreatePipelineLayout) X(DestroyPipelineLayout) X(CreateDescriptorPool) \
  X(ResetDescriptorPool) X(DestroyDescriptorPool) X(AllocateDescriptorSets) X(FreeDescriptorSets) \
  X(UpdateDescriptorSets) X(CreateDescriptorUpdateTemplate) X(CreateDescriptorUpdateTemplateKHR) \
  X(DestroyDescriptorUpdateTemplate) X(DestroyDescriptorUpdateTemplateKHR) X(UpdateDescriptorSetWithTemplate) \
  X(UpdateDescriptorSetWithTemplateKHR)
#define HEDDLE_LAYER_MEMORY_FUNCTIONS(X) \
  X(CreateBuffer) X(DestroyBuffer) X(GetBufferMemoryRequirements) X(AllocateMemory) X(FreeMemory) X(BindBufferMemory) \
  X(MapMemory)
// clang-format on
#define HEDDLE_LAYER_MEMBER(name) PFN_vk##name name = nullptr;

struct Instance {
  VkInstance handle = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr next_address = nullptr;
  struct Next {
    HEDDLE_LAYER_INSTANCE_FUNCTIONS(HEDDLE_LAYER_MEMBER)
  } next;

  /// The device lists the extension by itself, and nobody asked to rewrite all the same.
  [[nodiscard]] bool has_footprints(VkPhysicalDevice device) const;
  /// To VK_EXT_debug_utils, where the application has it; else to standard error.
  void report(VkDebugUtilsMessageSeverityFlagBitsEXT severity, const std::string& message) const;
};

using KeptWords = std::shared_ptr<const Words>;
using PipelineSets = std::vector<std::shared_ptr<const SetLayout>>;

struct Device {
  VkDevice handle = VK_NULL_HANDLE;
  std::shared_ptr<Instance> instance;
  PFN_vkGetDeviceProcAddr next_address = nullptr;
  struct Next {
    HEDDLE_LAYER_DEVICE_FUNCTIONS(HEDDLE_LAYER_MEMBER)
    HEDDLE_LAYER_MEMORY_FUNCTIONS(HEDDLE_LAYER_MEMBER)
  } next;
  bool active = false;  ///< footprints are rewritten; else everything passes through
  VkPhysicalDeviceLimits limits{};
  VkPhysicalDeviceMemoryProperties memory{};
  SamplerRecord unknown{};

  std::mutex mutex;                                       ///< of everything below
  std::unordered_map<VkShaderModule, KeptWords> modules;  ///< with footprints: as the application gave them
  std::unordered_map<VkSampler, KnownSampler> samplers;
  std::unordered_map<VkDescriptorSetLayout, std::shared_ptr<const SetLayout>> set_layouts;
  std::unordered_map<VkPipelineLayout, PipelineSets> pipeline_layouts;
  std::unordered_map<VkDescriptorPool, RecordPool> pools;
  std::unordered_map<VkDescriptorSet, RecordSet> sets;
  RecordMemory records{*this};
  std::unordered_map<VkDescriptorUpdateTemplate, UpdateTemplate> templates;
};

/// Of a dispatchable handle.
[[nodiscard]] inline void* dispatch_key(const void* handle) { return *static_cast<void* const*>(handle); }

[[nodiscard]] std::shared_ptr<Instance> find_instance(const void* handle);
[[nodiscard]] std::shared_ptr<Device> find_device(const void* handle);
void keep(std::shared_ptr<Instance> instance);
void keep(std::shared_ptr<Device> device);
void forget_instance(const void* handle);
void forget_device(const void* handle);

/// Runs what may not find memory.
template <typename F>
[[nodiscard]] VkResult guarded(const F& run) {
  try {
    return run();
  } catch (const std::bad_alloc&) {
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  }
}

}  // namespace heddle::layer
