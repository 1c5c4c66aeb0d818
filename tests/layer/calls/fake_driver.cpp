// SPDX-License-Identifier: MIT
#include "layer/calls/fake_driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::test {
namespace {

FakeDriver* driver = nullptr;

/// Calls once: what it calls may come here again.
void call_once(std::function<void()>& call) {
  if (!call) return;
  const std::function<void()> now = std::move(call);
  call = nullptr;
  now();
}

// --- the physical device --------------------------------------------------------------------------------------------

VkResult list_extensions(VkPhysicalDevice, const char*, std::uint32_t* count, VkExtensionProperties* list) {
  if (list != nullptr) std::copy_n(driver->extensions.begin(), *count, list);
  *count = static_cast<std::uint32_t>(driver->extensions.size());
  return VK_SUCCESS;
}
void get_properties(VkPhysicalDevice, VkPhysicalDeviceProperties* properties) { *properties = driver->properties; }
void get_properties2(VkPhysicalDevice, VkPhysicalDeviceProperties2* properties) {
  properties->properties = driver->properties;
  if (driver->fill_chain) driver->fill_chain(properties->pNext);
}
void get_memory_properties(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* properties) {
  *properties = {};
  properties->memoryTypeCount = 1;
  properties->memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
}

// --- memory ---------------------------------------------------------------------------------------------------------

VkResult create_buffer(VkDevice, const VkBufferCreateInfo* info, const VkAllocationCallbacks*, VkBuffer* buffer) {
  driver->bytes.resize(info->size);
  *buffer = handle_of<VkBuffer>(static_cast<std::uintptr_t>(++driver->buffers));
  return VK_SUCCESS;
}
void destroy_buffer(VkDevice, VkBuffer, const VkAllocationCallbacks*) { --driver->buffers; }
void get_requirements(VkDevice, VkBuffer, VkMemoryRequirements* needs) { *needs = {driver->bytes.size(), 64, 1}; }
VkResult allocate_memory(VkDevice, const VkMemoryAllocateInfo*, const VkAllocationCallbacks*, VkDeviceMemory* memory) {
  ++driver->memories;
  *memory = handle_of<VkDeviceMemory>(++driver->allocations);
  return VK_SUCCESS;
}
void free_memory(VkDevice, VkDeviceMemory, const VkAllocationCallbacks*) { --driver->memories; }
VkResult bind_memory(VkDevice, VkBuffer, VkDeviceMemory, VkDeviceSize) { return VK_SUCCESS; }
VkResult map_memory(VkDevice, VkDeviceMemory, VkDeviceSize, VkDeviceSize, VkMemoryMapFlags, void** at) {
  *at = driver->bytes.data();
  return VK_SUCCESS;
}

// --- descriptors ----------------------------------------------------------------------------------------------------

VkResult create_set_layout(VkDevice, const VkDescriptorSetLayoutCreateInfo* info, const VkAllocationCallbacks*,
                           VkDescriptorSetLayout* made) {
  if (driver->on_create_set_layout) driver->on_create_set_layout(*info);
  *made = handle_of<VkDescriptorSetLayout>(1);
  return VK_SUCCESS;
}
VkResult create_pool(VkDevice, const VkDescriptorPoolCreateInfo*, const VkAllocationCallbacks*,
                     VkDescriptorPool* made) {
  *made = handle_of<VkDescriptorPool>(driver->next_pool);
  return VK_SUCCESS;
}
void destroy_pool(VkDevice, VkDescriptorPool, const VkAllocationCallbacks*) { call_once(driver->on_destroy); }
VkResult reset_pool(VkDevice, VkDescriptorPool, VkDescriptorPoolResetFlags) {
  call_once(driver->on_reset);
  return VK_SUCCESS;
}
VkResult allocate_sets(VkDevice, const VkDescriptorSetAllocateInfo*, VkDescriptorSet* sets) {
  *sets = handle_of<VkDescriptorSet>(driver->next_set);
  return VK_SUCCESS;
}
void update_sets(VkDevice, std::uint32_t, const VkWriteDescriptorSet*, std::uint32_t, const VkCopyDescriptorSet*) {}

// --- pipelines and devices ------------------------------------------------------------------------------------------

VkResult create_module(VkDevice, const VkShaderModuleCreateInfo*, const VkAllocationCallbacks*, VkShaderModule* made) {
  ++driver->modules;
  *made = handle_of<VkShaderModule>(1);
  return VK_SUCCESS;
}
void destroy_module(VkDevice, VkShaderModule, const VkAllocationCallbacks*) { --driver->modules; }
VkResult create_pipelines(VkDevice, VkPipelineCache, std::uint32_t, const VkComputePipelineCreateInfo* infos,
                          const VkAllocationCallbacks*, VkPipeline* made) {
  if (driver->on_create_pipeline) driver->on_create_pipeline(*infos);
  *made = handle_of<VkPipeline>(1);
  return VK_SUCCESS;
}
VkResult create_device(VkPhysicalDevice, const VkDeviceCreateInfo* info, const VkAllocationCallbacks*, VkDevice* made) {
  if (driver->on_create_device) driver->on_create_device(*info);
  *made = driver->device();
  return VK_SUCCESS;
}
void destroy_device(VkDevice, const VkAllocationCallbacks*) {}

PFN_vkVoidFunction instance_function(VkInstance, const char* name) {
  return std::string(name) == "vkCreateDevice" ? reinterpret_cast<PFN_vkVoidFunction>(create_device) : nullptr;
}

void put_device_functions(layer::Device& kept) {
  kept.next.DestroyDevice = destroy_device;
  kept.next.CreateBuffer = create_buffer;
  kept.next.DestroyBuffer = destroy_buffer;
  kept.next.GetBufferMemoryRequirements = get_requirements;
  kept.next.AllocateMemory = allocate_memory;
  kept.next.FreeMemory = free_memory;
  kept.next.BindBufferMemory = bind_memory;
  kept.next.MapMemory = map_memory;
  kept.next.CreateDescriptorSetLayout = create_set_layout;
  kept.next.CreateDescriptorPool = create_pool;
  kept.next.DestroyDescriptorPool = destroy_pool;
  kept.next.ResetDescriptorPool = reset_pool;
  kept.next.AllocateDescriptorSets = allocate_sets;
  kept.next.UpdateDescriptorSets = update_sets;
  kept.next.CreateShaderModule = create_module;
  kept.next.DestroyShaderModule = destroy_module;
  kept.next.CreateComputePipelines = create_pipelines;
}

}  // namespace

PFN_vkGetInstanceProcAddr FakeDriver::instance_address() { return instance_function; }

FakeDriver::FakeDriver() {
  driver = this;
  properties.limits.maxPerStageDescriptorUniformBuffers = 100;
  properties.limits.maxDescriptorSetUniformBuffers = 200;
  properties.limits.maxPerStageResources = 300;
  properties.limits.maxBoundDescriptorSets = 8;
  properties.limits.maxUniformBufferRange = 65536;
  properties.limits.minUniformBufferOffsetAlignment = 64;
  instance_ = std::make_shared<layer::Instance>();
  instance_->handle = reinterpret_cast<VkInstance>(&instance_key_);
  instance_->next.EnumerateDeviceExtensionProperties = list_extensions;
  instance_->next.GetPhysicalDeviceProperties = get_properties;
  instance_->next.GetPhysicalDeviceProperties2 = get_properties2;
  instance_->next.GetPhysicalDeviceMemoryProperties = get_memory_properties;
  layer::keep(instance_);
  kept_ = std::make_shared<layer::Device>();
  kept_->handle = device();
  kept_->instance = instance_;
  kept_->active = true;
  kept_->limits = properties.limits;
  get_memory_properties(physical(), &kept_->memory);
  put_device_functions(*kept_);
  layer::keep(kept_);
}

FakeDriver::~FakeDriver() {
  kept_->records.clear();
  layer::forget_device(device());
  layer::forget_instance(physical());
  driver = nullptr;
}

VkDescriptorSetLayout FakeDriver::make_set_layout(const void* chain) {
  const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
                                             VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  const VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, chain, 0, 1,
                                             &binding};
  VkDescriptorSetLayout made = VK_NULL_HANDLE;
  EXPECT_EQ(layer::entry::CreateDescriptorSetLayout(device(), &info, nullptr, &made), VK_SUCCESS);
  return made;
}

VkDescriptorPool FakeDriver::make_pool() {
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
  const VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 1, 1, &size};
  VkDescriptorPool made = VK_NULL_HANDLE;
  EXPECT_EQ(layer::entry::CreateDescriptorPool(device(), &info, nullptr, &made), VK_SUCCESS);
  return made;
}

VkDescriptorSet FakeDriver::make_set(VkDescriptorPool pool, VkDescriptorSetLayout layout) {
  const VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 1, &layout};
  VkDescriptorSet made = VK_NULL_HANDLE;
  EXPECT_EQ(layer::entry::AllocateDescriptorSets(device(), &info, &made), VK_SUCCESS);
  return made;
}

}  // namespace heddle::test
