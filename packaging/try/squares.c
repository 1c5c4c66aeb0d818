// SPDX-License-Identifier: MIT
// A small Vulkan program that is linked with nothing: squares SHADER.spv [FIRST.so]. It opens FIRST before Vulkan's
// loader (a library that has an LLVM of its own), computes 256 squares, and compares them.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

enum { kCount = 256, kBytes = kCount * 4 };

static PFN_vkGetInstanceProcAddr get;
static VkInstance instance;
static void die(const char* what) {
  fprintf(stderr, "squares: %s\n", what);
  exit(1);
}
#define CALL(name) ((PFN_##name)find(#name))
static PFN_vkVoidFunction find(const char* name) {
  const PFN_vkVoidFunction function = get(instance, name);
  if (function == NULL) die(name);
  return function;
}
static void good(VkResult result, const char* what) {
  if (result != VK_SUCCESS) die(what);
}
#define TRY(name, ...) good(CALL(name)(__VA_ARGS__), #name)

static uint32_t words[4096];
static size_t read_words(const char* path) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) die(path);
  const size_t bytes = fread(words, 1, sizeof words, file);
  fclose(file);
  return bytes;
}

static void open_instance(void) {
  void* loader = dlopen("libvulkan.so.1", RTLD_NOW);
  if (loader == NULL) die("there is no libvulkan.so.1");
  get = (PFN_vkGetInstanceProcAddr)dlsym(loader, "vkGetInstanceProcAddr");
  TRY(vkCreateInstance, &(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO}, NULL, &instance);
}

static VkDevice open_device(VkPhysicalDevice physical) {
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  const VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
  VkDevice device;
  TRY(vkCreateDevice, physical, &info, NULL, &device);
  return device;
}

static VkBuffer make_buffer(VkPhysicalDevice physical, VkDevice device, const uint32_t** mapped) {
  VkBuffer buffer;
  const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = kBytes, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  TRY(vkCreateBuffer, device, &info, NULL, &buffer);
  VkMemoryRequirements needs;
  CALL(vkGetBufferMemoryRequirements)(device, buffer, &needs);
  VkPhysicalDeviceMemoryProperties types;
  CALL(vkGetPhysicalDeviceMemoryProperties)(physical, &types);
  const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0;
  while (type < types.memoryTypeCount &&
         ((needs.memoryTypeBits >> type & 1) == 0 || (types.memoryTypes[type].propertyFlags & wanted) != wanted))
    ++type;
  VkDeviceMemory memory;
  const VkMemoryAllocateInfo size = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
  TRY(vkAllocateMemory, device, &size, NULL, &memory);
  TRY(vkBindBufferMemory, device, buffer, memory, 0);
  TRY(vkMapMemory, device, memory, 0, VK_WHOLE_SIZE, 0, (void**)mapped);
  return buffer;
}

struct Program {
  VkPipeline pipeline;
  VkPipelineLayout layout;
  VkDescriptorSet set;
};

static struct Program make_program(VkDevice device, size_t bytes, VkBuffer buffer) {
  struct Program one;
  VkShaderModule module;
  const VkShaderModuleCreateInfo code = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = words};
  TRY(vkCreateShaderModule, device, &code, NULL, &module);
  const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                                                NULL};
  const VkDescriptorSetLayoutCreateInfo bindings = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
  VkDescriptorSetLayout set_layout;
  TRY(vkCreateDescriptorSetLayout, device, &bindings, NULL, &set_layout);
  const VkPipelineLayoutCreateInfo layout = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout};
  TRY(vkCreatePipelineLayout, device, &layout, NULL, &one.layout);
  const VkComputePipelineCreateInfo pipeline = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                                .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                          .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                          .module = module,
                                                          .pName = "main"},
                                                .layout = one.layout};
  TRY(vkCreateComputePipelines, device, VK_NULL_HANDLE, 1, &pipeline, NULL, &one.pipeline);
  const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  const VkDescriptorPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
  VkDescriptorPool pool;
  TRY(vkCreateDescriptorPool, device, &pool_info, NULL, &pool);
  const VkDescriptorSetAllocateInfo sets = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &set_layout};
  TRY(vkAllocateDescriptorSets, device, &sets, &one.set);
  const VkDescriptorBufferInfo whole = {buffer, 0, VK_WHOLE_SIZE};
  const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = one.set,
                                      .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = &whole};
  CALL(vkUpdateDescriptorSets)(device, 1, &write, 0, NULL);
  return one;
}

static void run(VkDevice device, const struct Program* program) {
  VkCommandPool pool;
  TRY(vkCreateCommandPool, device, &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO},
      NULL, &pool);
  const VkCommandBufferAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
  VkCommandBuffer commands;
  TRY(vkAllocateCommandBuffers, device, &info, &commands);
  TRY(vkBeginCommandBuffer, commands,
      &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO});
  CALL(vkCmdBindPipeline)(commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->pipeline);
  CALL(vkCmdBindDescriptorSets)
  (commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->layout, 0, 1, &program->set, 0, NULL);
  CALL(vkCmdDispatch)(commands, kCount / 64, 1, 1);
  TRY(vkEndCommandBuffer, commands);
  VkQueue queue;
  CALL(vkGetDeviceQueue)(device, 0, 0, &queue);
  const VkSubmitInfo submit = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  TRY(vkQueueSubmit, queue, 1, &submit, VK_NULL_HANDLE);
  TRY(vkQueueWaitIdle, queue);
}

static void square(VkPhysicalDevice physical, size_t bytes) {
  VkPhysicalDeviceProperties properties;
  CALL(vkGetPhysicalDeviceProperties)(physical, &properties);
  const VkDevice device = open_device(physical);
  const uint32_t* numbers = NULL;
  const VkBuffer buffer = make_buffer(physical, device, &numbers);
  const struct Program program = make_program(device, bytes, buffer);
  run(device, &program);
  for (uint32_t i = 0; i < kCount; ++i)
    if (numbers[i] != i * i + 7) die("a number is wrong");
  printf("%s: %u numbers are right\n", properties.deviceName, (unsigned)kCount);
}

int main(int count, char** arguments) {
  if (count < 2) die("usage: squares SHADER.spv [FIRST.so]");
  if (count > 2 && dlopen(arguments[2], RTLD_NOW | RTLD_GLOBAL) == NULL) die(dlerror());
  const size_t bytes = read_words(arguments[1]);
  open_instance();
  VkPhysicalDevice devices[8];
  uint32_t device_count = 8;
  if (CALL(vkEnumeratePhysicalDevices)(instance, &device_count, devices) < 0 || device_count == 0)
    die("there is no device");
  for (uint32_t i = 0; i < device_count; ++i) square(devices[i], bytes);
  return 0;
}
