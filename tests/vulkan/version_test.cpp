// SPDX-License-Identifier: MIT
// Vulkan 1.2 and 1.3: what they make mandatory is there, without any extension.

#include <algorithm>
#include <cmath>

#include "vulkan/device.hpp"
#include "vulkan/generated/names.hpp"

namespace heddle::test {
namespace {

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

// Vulkan's specification, chapter "Features", "Feature Requirements".
TEST(VulkanVersion, MandatoryFeaturesAreReported) {
  const VkInstance instance = make_instance();
  VkPhysicalDeviceVulkan13Features third{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  VkPhysicalDeviceVulkan12Features second{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &third};
  VkPhysicalDeviceVulkan11Features first{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &second};
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &first, {}};
  vkGetPhysicalDeviceFeatures2(physical_device(instance), &all);
  const VkBool32 mandatory[] = {all.features.robustBufferAccess, first.multiview,
                                // 1.2
                                second.subgroupBroadcastDynamicId, second.imagelessFramebuffer,
                                second.uniformBufferStandardLayout, second.shaderSubgroupExtendedTypes,
                                second.separateDepthStencilLayouts, second.hostQueryReset, second.timelineSemaphore,
                                // 1.2, as their extensions are offered
                                second.descriptorIndexing, second.samplerMirrorClampToEdge, second.samplerFilterMinmax,
                                second.drawIndirectCount, second.shaderOutputViewportIndex, second.shaderOutputLayer,
                                // 1.3
                                third.shaderTerminateInvocation, third.shaderDemoteToHelperInvocation,
                                third.privateData, third.pipelineCreationCacheControl, third.synchronization2,
                                third.shaderZeroInitializeWorkgroupMemory, third.robustImageAccess,
                                third.subgroupSizeControl, third.computeFullSubgroups, third.dynamicRendering,
                                third.shaderIntegerDotProduct, third.maintenance4, third.inlineUniformBlock,
                                third.descriptorBindingInlineUniformBlockUpdateAfterBind, second.vulkanMemoryModel,
                                second.vulkanMemoryModelDeviceScope, second.bufferDeviceAddress};
  for (std::size_t i = 0; i < std::size(mandatory); ++i) EXPECT_EQ(mandatory[i], VK_TRUE) << i;
  vkDestroyInstance(instance, nullptr);
}

// Structures of whole versions say what those of their extensions say.
TEST(VulkanVersion, PropertiesOfVersionsAndExtensionsAgree) {
  const VkInstance instance = make_instance();
  const VkPhysicalDevice physical = physical_device(instance);
  VkPhysicalDeviceSubgroupProperties subgroups{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  VkPhysicalDeviceDepthStencilResolveProperties resolves{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_STENCIL_RESOLVE_PROPERTIES, &subgroups};
  VkPhysicalDeviceInlineUniformBlockProperties blocks{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_PROPERTIES,
                                                      &resolves};
  VkPhysicalDeviceSubgroupSizeControlProperties sizes{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES, &blocks};
  VkPhysicalDeviceVulkan13Properties third{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES, &sizes};
  VkPhysicalDeviceVulkan12Properties second{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, &third};
  VkPhysicalDeviceVulkan11Properties first{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, &second};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &first, {}};
  vkGetPhysicalDeviceProperties2(physical, &all);
  std::ranges::fill(first.deviceLUID, std::uint8_t{0xff});  // written, whether valid or not
  vkGetPhysicalDeviceProperties2(physical, &all);
  EXPECT_EQ(first.deviceLUID[0] | first.deviceLUID[VK_LUID_SIZE - 1], 0);
  const VkPhysicalDeviceLimits& limits = all.properties.limits;  // what sampleRateShading asks of them
  EXPECT_GE(limits.subPixelInterpolationOffsetBits, 4u);
  EXPECT_LE(limits.minInterpolationOffset, -0.5f);
  EXPECT_GE(limits.maxInterpolationOffset, 0.5f - std::ldexp(1.0f, -int(limits.subPixelInterpolationOffsetBits)));
  EXPECT_EQ(first.subgroupSize, subgroups.subgroupSize);
  EXPECT_EQ(first.subgroupSupportedOperations, subgroups.supportedOperations);
  EXPECT_EQ(second.supportedDepthResolveModes, resolves.supportedDepthResolveModes);
  EXPECT_EQ(second.independentResolveNone, resolves.independentResolveNone);
  EXPECT_EQ(third.maxInlineUniformBlockSize, blocks.maxInlineUniformBlockSize);
  EXPECT_EQ(third.minSubgroupSize, sizes.minSubgroupSize);
  EXPECT_EQ(third.maxComputeWorkgroupSubgroups, sizes.maxComputeWorkgroupSubgroups);
  // What "Required Limits" asks of 1.2 and 1.3.
  EXPECT_GE(second.maxTimelineSemaphoreValueDifference, 0x7fffffffu);
  EXPECT_NE(second.framebufferIntegerColorSampleCounts & VK_SAMPLE_COUNT_1_BIT, 0u);
  EXPECT_NE(second.supportedDepthResolveModes & VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, 0u);
  EXPECT_GE(third.maxInlineUniformBlockSize, 256u);
  EXPECT_GE(third.maxPerStageDescriptorInlineUniformBlocks, 4u);
  EXPECT_GE(third.maxInlineUniformTotalSize, 256u);
  EXPECT_GE(third.maxBufferSize, 1u << 30);
  vkDestroyInstance(instance, nullptr);
}

// A command of a newer version than the application asked for has no address.
TEST(VulkanVersion, CommandsBelongToTheVersionThatWasAskedFor) {
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "the layer answers itself";
  const std::pair<const char*, unsigned> commands[] = {
      {"vkCmdDispatch", 0},  {"vkTrimCommandPool", 1},   {"vkWaitSemaphores", 2}, {"vkCmdBeginRenderPass2", 2},
      {"vkQueueSubmit2", 3}, {"vkCmdBeginRendering", 3}, {"vkCmdSetCullMode", 3}, {"vkCreatePrivateDataSlot", 3}};
  setenv("VK_DRIVER_FILES", HEDDLE_VULKAN_MANIFEST, 1);
  for (unsigned minor = 0; minor < 5; ++minor) {
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_MAKE_API_VERSION(0, 1, minor, 0);
    VkInstanceCreateInfo instances{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, nullptr, 0, &application};
    VkInstance instance = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateInstance(&instances, nullptr, &instance), VK_SUCCESS);
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority};
    VkDeviceCreateInfo devices{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, nullptr, 0, 1, &queue};
    VkDevice device = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateDevice(physical_device(instance), &devices, nullptr, &device), VK_SUCCESS);
    for (const auto& [name, since] : commands)
      EXPECT_EQ(vkGetDeviceProcAddr(device, name) != nullptr, since <= minor) << name << " for 1." << minor;
    vkDestroyDevice(device, nullptr);
    vkDestroyInstance(instance, nullptr);
  }
}

// Modules of SPIR-V 1.6: a group size by constants (LocalSizeId), a subgroup's lane chosen at run time, products of
// integers, memory that begins as zeros, a buffer by its address; submitted, ordered and copied by commands of 1.3.
TEST(VulkanVersion, NewestModulesAndCommandsRunWithoutExtensions) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const auto words = compile_shader(
      "#version 450\n#extension GL_KHR_shader_subgroup_ballot : require\n#extension GL_KHR_memory_scope_semantics : "
      "require\n#extension GL_EXT_buffer_reference : require\n"
      "layout(local_size_x_id = 3) in;\nlayout(constant_id = 5) const uint add = 1u;\n"
      "layout(buffer_reference, std430) buffer R { uint r[]; };\n"
      "layout(push_constant) uniform P { R from; uint lane; };\nlayout(binding = 0) buffer B { uint o[]; };\n"
      "void main() { uint n = gl_LocalInvocationIndex;\n"
      "  o[n] = subgroupBroadcast(from.r[n], lane + add) + gl_WorkGroupSize.x * 1000u; }\n",
      "comp", false, "vulkan1.3");
  ASSERT_GT(words.size(), 5u);
  EXPECT_EQ(words[1], 0x00010600u);
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}};
  const auto set_layout = v.set_layout(bindings);
  const auto layout = v.layout({set_layout}, 16);
  const auto set = v.set(set_layout, bindings);
  const auto out = v.buffer(256);
  const auto copied = v.buffer(256);
  v.write(set, 0, kStorage, out);
  const VkSpecializationMapEntry entries[] = {{3, 0, 4}, {5, 4, 4}};
  const std::uint32_t values[] = {32, 2};
  const VkSpecializationInfo special{2, entries, 8, values};
  const VkPipeline pipeline = v.pipeline_of(words, layout, &special);
  VkBufferCreateInfo buffers{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  buffers.size = 256;
  buffers.usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VkBuffer source = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateBuffer(v.device, &buffers, nullptr, &source), VK_SUCCESS);
  VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                  VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, 256, 0};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  ASSERT_EQ(vkAllocateMemory(v.device, &allocation, nullptr, &memory), VK_SUCCESS);
  ASSERT_EQ(vkBindBufferMemory(v.device, source, memory, 0), VK_SUCCESS);
  void* mapped = nullptr;
  ASSERT_EQ(vkMapMemory(v.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
  for (std::uint32_t i = 0; i < 64; ++i) static_cast<std::uint32_t*>(mapped)[i] = 7 * i;
  const VkBufferDeviceAddressInfo asked{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, source};
  struct {
    VkDeviceAddress from;
    std::uint32_t lane, unused;
  } push{v.proc<PFN_vkGetBufferDeviceAddress>("vkGetBufferDeviceAddress")(v.device, &asked), 3, 0};

  const VkCommandBuffer c = v.commands();
  v.begin(c);
  vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 16, &push);
  vkCmdDispatch(c, 1, 1, 1);
  VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,     nullptr,
                           VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
                           VK_PIPELINE_STAGE_2_COPY_BIT,           VK_ACCESS_2_TRANSFER_READ_BIT};
  VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  dependency.memoryBarrierCount = 1;
  dependency.pMemoryBarriers = &barrier;
  v.proc<PFN_vkCmdPipelineBarrier2>("vkCmdPipelineBarrier2")(c, &dependency);
  const VkBufferCopy2 region{VK_STRUCTURE_TYPE_BUFFER_COPY_2, nullptr, 0, 0, 128};
  const VkCopyBufferInfo2 copy{VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2, nullptr, out.buffer, copied.buffer, 1, &region};
  v.proc<PFN_vkCmdCopyBuffer2>("vkCmdCopyBuffer2")(c, &copy);
  ASSERT_EQ(vkEndCommandBuffer(c), VK_SUCCESS);
  const VkCommandBufferSubmitInfo buffer{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, c, 0};
  VkSubmitInfo2 submit{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
  submit.commandBufferInfoCount = 1;
  submit.pCommandBufferInfos = &buffer;
  ASSERT_EQ(v.proc<PFN_vkQueueSubmit2>("vkQueueSubmit2")(v.queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
  ASSERT_EQ(vkQueueWaitIdle(v.queue), VK_SUCCESS);
  for (std::uint32_t n = 0; n < 32; ++n)
    EXPECT_EQ(copied.word(n), 32000u + 7 * (n / 16 * 16 + 5)) << "lane 5 of the subgroup of invocation " << n;
  vkDestroyBuffer(v.device, source, nullptr);
  vkFreeMemory(v.device, memory, nullptr);
}

struct EnabledFeature {
  std::vector<std::uint64_t> memory;
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  [[nodiscard]] VkBool32* place(const registry::Member& bit) {
    return reinterpret_cast<VkBool32*>(reinterpret_cast<std::byte*>(memory.data()) + bit.offset);
  }
  /// What goes into a chain: the structure with this bit alone.
  explicit EnabledFeature(const registry::Member& bit) : memory(bit.size / 8 + 1) {
    auto* structure = reinterpret_cast<VkBaseOutStructure*>(memory.data());
    structure->sType = bit.structure;
    head = bit.structure == all.sType ? static_cast<void*>(structure) : &all;
    if (head == &all) all.pNext = structure;
  }
  EnabledFeature(const EnabledFeature&) = delete;
  EnabledFeature& operator=(const EnabledFeature&) = delete;
  void* head = nullptr;
};

// Each feature alone: what is offered makes a device, everything else is refused, whoever's extension it is.
TEST(VulkanVersion, FeaturesThatAreNotReportedAreRefused) {
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "features without their extensions";
  const VkInstance instance = make_instance();
  const VkPhysicalDevice physical = physical_device(instance);
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority};
  std::size_t offered = 0, refused = 0;
  for (const registry::Member& bit : registry::kFeatures) {
    if (bit.of_version) continue;
    EnabledFeature feature(bit);
    vkGetPhysicalDeviceFeatures2(physical, static_cast<VkPhysicalDeviceFeatures2*>(feature.head));
    const bool reported = *feature.place(bit) == VK_TRUE;
    EnabledFeature wanted(bit);
    *wanted.place(bit) = VK_TRUE;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, wanted.head, 0, 1, &queue};
    VkDevice device = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateDevice(physical, &info, nullptr, &device), reported ? VK_SUCCESS : VK_ERROR_FEATURE_NOT_PRESENT)
        << bit.name;
    if (device != VK_NULL_HANDLE) vkDestroyDevice(device, nullptr);
    ++(reported ? offered : refused);
  }
  // VK_EXT_buffer_device_address is not offered; its feature has the name of the KHR one's.
  VkPhysicalDeviceBufferDeviceAddressFeaturesEXT other{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES_EXT};
  VkPhysicalDeviceBufferDeviceAddressFeatures own{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
                                                  &other};
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &own};
  vkGetPhysicalDeviceFeatures2(physical, &features);
  EXPECT_TRUE(own.bufferDeviceAddress);
  EXPECT_FALSE(other.bufferDeviceAddress);
  EXPECT_GT(offered, 120u);
  EXPECT_GT(refused, 100u);
  vkDestroyInstance(instance, nullptr);
}

}  // namespace
}  // namespace heddle::test
