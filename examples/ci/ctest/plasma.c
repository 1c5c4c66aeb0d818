// SPDX-License-Identifier: MIT
// plasma FOLDER: three frames of a compute shader, as FOLDER/frame-N.pfm (floats as they lie in the buffer).
#include <stdio.h>
#include <stdlib.h>
#include <vulkan/vulkan.h>

#include "plasma.h"

enum { kWidth = 64, kHeight = 48, kFrames = 3, kBytes = kWidth * kHeight * 3 * sizeof(float) };

#define CHECK(call)                                                          \
  do {                                                                       \
    if ((call) != VK_SUCCESS) fprintf(stderr, "%s fails\n", #call), exit(1); \
  } while (0)

static VkPhysicalDevice gpu;
static VkDevice device;
static VkQueue queue;

static void open_device(void) {
  VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
  VkInstanceCreateInfo create = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
  VkInstance instance;
  CHECK(vkCreateInstance(&create, NULL, &instance));
  uint32_t one = 1;
  if (vkEnumeratePhysicalDevices(instance, &one, &gpu) < 0 || one == 0) fprintf(stderr, "no device\n"), exit(1);
  float priority = 1;
  VkDeviceQueueCreateInfo family = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1,
                                    .pQueuePriorities = &priority};
  VkDeviceCreateInfo made = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1,
                             .pQueueCreateInfos = &family};
  CHECK(vkCreateDevice(gpu, &made, NULL, &device));
  vkGetDeviceQueue(device, 0, 0, &queue);
}

/// A type of memory that the host can write, and needs no flush.
static uint32_t host_memory(uint32_t allowed) {
  const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(gpu, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
    if ((allowed >> i & 1) && (memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  fprintf(stderr, "no memory\n");
  exit(1);
}

static VkBuffer make_buffer(const float** values) {
  VkBufferCreateInfo create = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = kBytes,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  VkBuffer buffer;
  CHECK(vkCreateBuffer(device, &create, NULL, &buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, buffer, &needs);
  VkMemoryAllocateInfo allocate = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size,
                                   .memoryTypeIndex = host_memory(needs.memoryTypeBits)};
  VkDeviceMemory memory;
  CHECK(vkAllocateMemory(device, &allocate, NULL, &memory));
  CHECK(vkBindBufferMemory(device, buffer, memory, 0));
  CHECK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, (void**)values));
  return buffer;
}

int main(int count, char** words) {
  if (count != 2) return fprintf(stderr, "usage: plasma FOLDER\n"), 2;
  open_device();
  const float* values;
  VkBuffer buffer = make_buffer(&values);

  VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT};
  VkDescriptorSetLayoutCreateInfo set_info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1,
                                              .pBindings = &binding};
  VkDescriptorSetLayout set_layout;
  CHECK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout));
  struct {
    uint32_t size[2];
    float time;
  } frame = {{kWidth, kHeight}, 0};
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof frame};
  VkPipelineLayoutCreateInfo layout_info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1,
                                            .pSetLayouts = &set_layout, .pushConstantRangeCount = 1,
                                            .pPushConstantRanges = &range};
  VkPipelineLayout layout;
  CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
  VkShaderModuleCreateInfo module_info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof kPlasma,
                                          .pCode = kPlasma};
  VkShaderModule module;
  CHECK(vkCreateShaderModule(device, &module_info, NULL, &module));
  VkComputePipelineCreateInfo pipeline_info = {
      VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout,
      .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module, .pName = "main"}};
  VkPipeline pipeline;
  CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline_info, NULL, &pipeline));

  VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  VkDescriptorPoolCreateInfo pool_info = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1,
                                          .poolSizeCount = 1, .pPoolSizes = &size};
  VkDescriptorPool pool;
  CHECK(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
  VkDescriptorSetAllocateInfo allocate = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool,
                                          .descriptorSetCount = 1, .pSetLayouts = &set_layout};
  VkDescriptorSet set;
  CHECK(vkAllocateDescriptorSets(device, &allocate, &set));
  VkDescriptorBufferInfo whole = {buffer, 0, VK_WHOLE_SIZE};
  VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .descriptorCount = 1,
                                .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &whole};
  vkUpdateDescriptorSets(device, 1, &write, 0, NULL);

  VkCommandPoolCreateInfo commands_info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
  VkCommandPool command_pool;
  CHECK(vkCreateCommandPool(device, &commands_info, NULL, &command_pool));
  VkCommandBufferAllocateInfo command_info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = command_pool, .commandBufferCount = 1};
  VkCommandBuffer commands;
  CHECK(vkAllocateCommandBuffers(device, &command_info, &commands));
  for (int i = 0; i < kFrames; ++i) {
    frame.time = 0.7f * (float)i;
    VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECK(vkBeginCommandBuffer(commands, &begin));
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof frame, &frame);
    vkCmdDispatch(commands, kWidth / 8, kHeight / 8, 1);
    VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                         NULL, 0, NULL);
    CHECK(vkEndCommandBuffer(commands));
    VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(queue));
    char path[4096];
    snprintf(path, sizeof path, "%s/frame-%d.pfm", words[1], i);
    FILE* file = fopen(path, "wb");
    if (file == NULL) return perror(path), 1;
    fprintf(file, "PF\n%d %d\n-1.0\n", kWidth, kHeight);
    fwrite(values, kBytes, 1, file);
    if (fclose(file) != 0) return perror(path), 1;
  }
  return 0;
}
