// SPDX-License-Identifier: MIT
// Vulkan 1.4: what it makes mandatory is there, without any extension; the small extensions that it took up.

#include <algorithm>
#include <cmath>

#include "vulkan/canvas.hpp"
#include "vulkan/feature_kit.hpp"

namespace heddle::test {
namespace {

/// A device of an application that asks for 1.4, with its features and no extension.
struct Device14 {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkPhysicalDeviceVulkan14Features fourth{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES};
  VkPhysicalDeviceVulkan12Features second{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &fourth};
  VkPhysicalDeviceVulkan11Features first{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &second};
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &first, {}};

  Device14() {
    setenv("VK_DRIVER_FILES", HEDDLE_VULKAN_MANIFEST, 1);
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_4;
    const VkInstanceCreateInfo instances{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, nullptr, 0, &application};
    EXPECT_EQ(vkCreateInstance(&instances, nullptr, &instance), VK_SUCCESS);
    physical = physical_device(instance);
    vkGetPhysicalDeviceFeatures2(physical, &all);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority};
    const VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &all, 0, 1, &queue};
    EXPECT_EQ(vkCreateDevice(physical, &info, nullptr, &device), VK_SUCCESS);
  }
  ~Device14() {
    vkDestroyDevice(device, nullptr);
    vkDestroyInstance(instance, nullptr);
  }
  Device14(const Device14&) = delete;
  Device14& operator=(const Device14&) = delete;
};

// The registry's list: <feature> in VK_VERSION_1_4.
TEST(VulkanVersion14, MandatoryFeaturesAreReported) {
  HEDDLE_NEED_NEWER();
  const Device14 d;
  const VkPhysicalDeviceFeatures& f = d.all.features;
  const VkBool32 mandatory[] = {
      f.fullDrawIndexUint32, f.imageCubeArray, f.independentBlend, f.sampleRateShading, f.drawIndirectFirstInstance,
      f.depthClamp, f.depthBiasClamp, f.samplerAnisotropy, f.fragmentStoresAndAtomics,
      f.shaderStorageImageExtendedFormats, f.shaderUniformBufferArrayDynamicIndexing,
      f.shaderSampledImageArrayDynamicIndexing, f.shaderStorageBufferArrayDynamicIndexing,
      f.shaderStorageImageArrayDynamicIndexing, f.shaderImageGatherExtended, f.shaderInt16, f.largePoints,
      d.first.samplerYcbcrConversion, d.first.storageBuffer16BitAccess, d.first.variablePointers,
      d.first.variablePointersStorageBuffer,
      // 1.2
      d.second.samplerMirrorClampToEdge, d.second.scalarBlockLayout,
      d.second.shaderUniformTexelBufferArrayDynamicIndexing, d.second.shaderStorageTexelBufferArrayDynamicIndexing,
      d.second.shaderInt8, d.second.storageBuffer8BitAccess,
      // 1.4
      d.fourth.globalPriorityQuery, d.fourth.shaderSubgroupRotate, d.fourth.shaderSubgroupRotateClustered,
      d.fourth.shaderFloatControls2, d.fourth.shaderExpectAssume, d.fourth.bresenhamLines,
      d.fourth.vertexAttributeInstanceRateDivisor, d.fourth.indexTypeUint8, d.fourth.maintenance5,
      d.fourth.pushDescriptor, d.fourth.dynamicRenderingLocalRead, d.fourth.maintenance6, d.fourth.pipelineRobustness,
      d.fourth.hostImageCopy};
  for (std::size_t i = 0; i < std::size(mandatory); ++i) EXPECT_EQ(mandatory[i], VK_TRUE) << i;
  std::uint32_t version = 0;
  EXPECT_EQ(vkEnumerateInstanceVersion(&version), VK_SUCCESS);
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(d.physical, &properties);
  EXPECT_GE(properties.apiVersion, VK_API_VERSION_1_4);
}

// What "Required Limits" asks of 1.4.
TEST(VulkanVersion14, LimitsAreHighEnough) {
  HEDDLE_NEED_NEWER();
  const Device14 d;
  VkPhysicalDeviceVulkan14Properties fourth{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_PROPERTIES};
  VkPhysicalDeviceVulkan12Properties second{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, &fourth};
  VkPhysicalDeviceVulkan11Properties first{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, &second};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &first, {}};
  vkGetPhysicalDeviceProperties2(d.physical, &all);
  const VkPhysicalDeviceLimits& l = all.properties.limits;
  EXPECT_GE(l.maxImageDimension1D, 8192u);
  EXPECT_GE(l.maxImageDimension2D, 8192u);
  EXPECT_GE(l.maxImageDimension3D, 512u);
  EXPECT_GE(l.maxImageDimensionCube, 8192u);
  EXPECT_GE(l.maxImageArrayLayers, 2048u);
  EXPECT_GE(l.maxUniformBufferRange, 65536u);
  EXPECT_GE(l.maxPushConstantsSize, 256u);
  EXPECT_LE(l.bufferImageGranularity, 4096u);
  EXPECT_GE(l.maxBoundDescriptorSets, 7u);
  EXPECT_GE(l.maxPerStageDescriptorUniformBuffers, 15u);
  EXPECT_GE(l.maxPerStageResources, 200u);
  EXPECT_GE(l.maxDescriptorSetUniformBuffers, 90u);
  EXPECT_GE(l.maxDescriptorSetStorageBuffers, 96u);
  EXPECT_GE(l.maxDescriptorSetStorageImages, 144u);
  EXPECT_GE(l.maxFragmentCombinedOutputResources, 16u);
  EXPECT_GE(l.maxComputeWorkGroupInvocations, 256u);
  EXPECT_GE(l.maxComputeWorkGroupSize[1], 256u);
  EXPECT_GE(l.maxComputeWorkGroupSize[2], 64u);
  EXPECT_GE(l.subTexelPrecisionBits, 8u);
  EXPECT_GE(l.mipmapPrecisionBits, 6u);
  EXPECT_GE(l.maxSamplerLodBias, 14);
  EXPECT_GE(l.maxViewportDimensions[0], 7680u);
  EXPECT_LE(l.viewportBoundsRange[0], -15360);
  EXPECT_GE(l.viewportBoundsRange[1], 15359);
  EXPECT_GE(l.maxFramebufferWidth, 7680u);
  EXPECT_GE(l.maxFramebufferHeight, 7680u);
  EXPECT_GE(l.maxColorAttachments, 8u);
  EXPECT_EQ(l.timestampComputeAndGraphics, VK_TRUE);
  EXPECT_LE(l.pointSizeGranularity, 0.125f);
  EXPECT_GE(l.pointSizeRange[1], 256 - l.pointSizeGranularity);
  EXPECT_LE(l.lineWidthGranularity, 0.5f);
  EXPECT_EQ(l.standardSampleLocations, VK_TRUE);
  EXPECT_EQ(second.shaderSignedZeroInfNanPreserveFloat16, VK_TRUE);
  EXPECT_EQ(second.shaderSignedZeroInfNanPreserveFloat32, VK_TRUE);
  constexpr VkSubgroupFeatureFlags kClusters =
      VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_ROTATE_BIT | VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT;
  EXPECT_EQ(first.subgroupSupportedOperations & kClusters, kClusters);
  EXPECT_GE(fourth.maxPushDescriptors, 32u);
  EXPECT_GE(fourth.maxVertexAttribDivisor, 65535u);
  EXPECT_EQ(fourth.supportsNonZeroFirstInstance, VK_TRUE);
  EXPECT_EQ(fourth.lineSubPixelPrecisionBits, 8u);
  EXPECT_EQ(fourth.defaultRobustnessImages, VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS_2);
  EXPECT_GE(fourth.copyDstLayoutCount, 8u);
  std::uint32_t count = 1;
  VkQueueFamilyProperties family;
  vkGetPhysicalDeviceQueueFamilyProperties(d.physical, &count, &family);
  EXPECT_NE(family.queueFlags & VK_QUEUE_TRANSFER_BIT, 0u);
}

TEST(VulkanVersion14, CommandsNeedNoExtension) {
  HEDDLE_NEED_NEWER();
  const Device14 d;
  for (const char* name :
       {"vkMapMemory2", "vkUnmapMemory2", "vkGetDeviceImageSubresourceLayout", "vkGetImageSubresourceLayout2",
        "vkCopyMemoryToImage", "vkCopyImageToMemory", "vkCopyImageToImage", "vkTransitionImageLayout",
        "vkCmdPushDescriptorSet", "vkCmdPushDescriptorSetWithTemplate", "vkCmdBindDescriptorSets2",
        "vkCmdPushConstants2", "vkCmdPushDescriptorSet2", "vkCmdPushDescriptorSetWithTemplate2", "vkCmdSetLineStipple",
        "vkCmdBindIndexBuffer2", "vkGetRenderingAreaGranularity", "vkCmdSetRenderingAttachmentLocations",
        "vkCmdSetRenderingInputAttachmentIndices"})
    EXPECT_NE(vkGetDeviceProcAddr(d.device, name), nullptr) << name;
  const VulkanDevice older;  // of an application that asks for 1.3
  EXPECT_EQ(vkGetDeviceProcAddr(older.device, "vkMapMemory2"), nullptr);
  EXPECT_NE(vkGetDeviceProcAddr(older.device, "vkQueueSubmit2"), nullptr);
}

TEST(VulkanPriorities, ThoseThatAllProgramsMayHave) {
  HEDDLE_NEED_NEWER();
  const VkInstance instance = make_instance();
  const VkPhysicalDevice physical = physical_device(instance);
  VkQueueFamilyGlobalPriorityProperties can{VK_STRUCTURE_TYPE_QUEUE_FAMILY_GLOBAL_PRIORITY_PROPERTIES};
  VkQueueFamilyProperties2 family{VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2, &can, {}};
  std::uint32_t count = 1;
  vkGetPhysicalDeviceQueueFamilyProperties2(physical, &count, &family);
  ASSERT_GE(can.priorityCount, 1u);
  EXPECT_TRUE(std::is_sorted(can.priorities, can.priorities + can.priorityCount));
  const char* const extensions[] = {"VK_KHR_global_priority"};
  const float priority = 1;
  for (const VkQueueGlobalPriority wanted : {VK_QUEUE_GLOBAL_PRIORITY_LOW, VK_QUEUE_GLOBAL_PRIORITY_MEDIUM,
                                             VK_QUEUE_GLOBAL_PRIORITY_HIGH, VK_QUEUE_GLOBAL_PRIORITY_REALTIME}) {
    const VkDeviceQueueGlobalPriorityCreateInfo global{VK_STRUCTURE_TYPE_DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO,
                                                       nullptr, wanted};
    const VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, &global, 0, 0, 1, &priority};
    const VkDeviceCreateInfo info{
        VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, nullptr, 0, 1, &queue, 0, nullptr, 1, extensions};
    VkDevice device = VK_NULL_HANDLE;
    const bool may = std::count(can.priorities, can.priorities + can.priorityCount, wanted) == 1;
    EXPECT_EQ(vkCreateDevice(physical, &info, nullptr, &device), may ? VK_SUCCESS : VK_ERROR_NOT_PERMITTED) << wanted;
    if (device != VK_NULL_HANDLE) vkDestroyDevice(device, nullptr);
  }
  vkDestroyInstance(instance, nullptr);
}

const std::string kHead =
    "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %id\nOpExecutionMode %main LocalSize 16 1 "
    "1\n";
const std::string kTypes =
    "OpDecorate %id BuiltIn LocalInvocationIndex\nOpDecorate %words ArrayStride 4\nOpDecorate %block Block\n"
    "OpMemberDecorate %block 0 Offset 0\nOpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 0\n"
    "OpDecorate %data DescriptorSet 0\nOpDecorate %data Binding 1\n%void = OpTypeVoid\n%f = OpTypeFunction %void\n"
    "%u = OpTypeInt 32 0\n%b = OpTypeBool\n%r = OpTypeFloat 32\n%words = OpTypeRuntimeArray %u\n"
    "%block = OpTypeStruct %words\n%pb = OpTypePointer StorageBuffer %block\n%pu = OpTypePointer StorageBuffer %u\n"
    "%pi = OpTypePointer Input %u\n%id = OpVariable %pi Input\n%out = OpVariable %pb StorageBuffer\n"
    "%data = OpVariable %pb StorageBuffer\n%c0 = OpConstant %u 0\n%c3 = OpConstant %u 3\n%c4 = OpConstant %u 4\n"
    "%c8 = OpConstant %u 8\n%c16 = OpConstant %u 16\n";
const std::string kBody =
    "%main = OpFunction %void None %f\n%l = OpLabel\n%n = OpLoad %u %id\n%n16 = OpIAdd %u %n %c16\n"
    "%o0 = OpAccessChain %pu %out %c0 %n\n%o1 = OpAccessChain %pu %out %c0 %n16\n%d0 = OpAccessChain %pu %data %c0 %n\n"
    "%x = OpLoad %u %d0\n";
const std::string kEnd = "OpReturn\nOpFunctionEnd\n";

// A value that is expected is the value; what is assumed changes nothing.
TEST(VulkanExpectAssume, ValuesAreWhatTheyAre) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({"VK_KHR_shader_expect_assume"});
  const auto words =
      assemble("OpCapability Shader\nOpCapability ExpectAssumeKHR\nOpExtension \"SPV_KHR_expect_assume\"\n" + kHead +
               kTypes + kBody +
               "%e = OpExpectKHR %u %x %c3\nOpStore %o0 %e\n%small = OpULessThan %b %n %c16\n"
               "OpAssumeTrueKHR %small\n%likely = OpExpectKHR %b %small %small\n"
               "%one = OpSelect %u %likely %c4 %c8\nOpStore %o1 %one\n" +
               kEnd);
  if (words.empty()) GTEST_SKIP() << "spirv-as is not installed";
  FeatureRun run(v);
  const auto o = run.run({}, words);
  for (std::size_t n = 0; n < 16; ++n) {
    EXPECT_EQ(o[n], pattern(4 * n, 4)) << n;
    EXPECT_EQ(o[16 + n], 4u) << n;
  }
}

// VK_KHR_shader_float_controls2: without fast math a product and a sum are rounded by themselves, infinity times zero
// is no number, and zeros keep their signs. Numbers in place of names: the assembler is older.
TEST(VulkanFloatControls2, NothingIsFusedOrAssumed) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({"VK_KHR_shader_float_controls2"});
  const std::string mode = "OpExecutionModeId %main !6028 %r %none\n";
  std::string text =
      "OpCapability Shader\nOpCapability !6029\nOpExtension \"SPV_KHR_float_controls2\"\n" + kHead + mode +
      "OpDecorate %product FPFastMathMode None\n" + kTypes +
      "%none = OpConstant %u 0\n%minus = OpConstant %u 0x80000000\n" + kBody +
      "%k = OpIAdd %u %x %c0\n%a = OpBitcast %r %k\n%product = OpFMul %r %a %a\n"
      "%sum = OpFAdd %r %product %a\n%bits = OpBitcast %u %sum\nOpStore %o0 %bits\n"
      "%z = OpBitcast %r %minus\n%signed = OpFMul %r %a %z\n%sb = OpBitcast %u %signed\nOpStore %o1 %sb\n" +
      kEnd;
  const auto words = assemble(text);
  if (words.empty()) GTEST_SKIP() << "spirv-as is not installed";
  FeatureRun run(v);
  const auto o = run.run({}, words);
  for (std::size_t n = 0; n < 16; ++n) {
    const auto bits = static_cast<std::uint32_t>(pattern(4 * n, 4));
    float a = 0;
    std::memcpy(&a, &bits, 4);
    const volatile float product = a * a;  // rounded by itself
    const volatile float sum = product + a, zero = a * -0.0f;
    float got = 0, got_zero = 0;
    std::memcpy(&got, &o[n], 4);
    std::memcpy(&got_zero, &o[16 + n], 4);
    if (std::isnan(static_cast<float>(sum)))
      EXPECT_TRUE(std::isnan(got)) << n;
    else
      EXPECT_EQ(got, sum) << n;
    if (!std::isnan(static_cast<float>(zero)))
      EXPECT_EQ(std::signbit(got_zero), std::signbit(static_cast<float>(zero))) << n;
  }
}

// VK_EXT_pipeline_robustness and VK_EXT_pipeline_protected_access: what a pipeline asks for it has, as all of them do.
TEST(VulkanPipelineRobustness, PipelinesAreRobustByThemselves) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  VulkanDevice v({"VK_EXT_pipeline_robustness", "VK_EXT_pipeline_protected_access", "VK_KHR_maintenance5"});
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                                    {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const auto sets = v.set_layout(bindings);
  const auto set = v.set(sets, bindings);
  const auto out = v.buffer(64), in = v.buffer(64);
  std::memset(in.bytes, 0x77, 64);
  v.write(set, 0, bindings[0].type, out);
  v.write(set, 1, bindings[1].type, in, 0, 16);
  const auto words = compile_compute(
      "#version 450\nlayout(binding = 0) buffer O { uint o[]; };\nlayout(binding = 1) buffer I { uint i[]; };\n"
      "void main() { o[0] = i[3]; o[1] = i[4]; i[5] = 1u; }\n");
  const VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, 4 * words.size(),
                                      words.data()};
  const VkPipelineRobustnessCreateInfo robust{VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO,
                                              nullptr,
                                              VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2,
                                              VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2,
                                              VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DEVICE_DEFAULT,
                                              VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS_2};
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &robust};
  info.flags = VK_PIPELINE_CREATE_NO_PROTECTED_ACCESS_BIT_EXT;
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, &code, 0, VK_SHADER_STAGE_COMPUTE_BIT, {}, "main"};
  info.layout = v.layout({sets});
  VkPipeline pipeline = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateComputePipelines(v.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, info.layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  EXPECT_EQ(out.word(0), 0x77777777u);
  EXPECT_EQ(out.word(1), 0u) << "behind the range";
  EXPECT_EQ(in.word(5), 0x77777777u);
  vkDestroyPipeline(v.device, pipeline, nullptr);
}

}  // namespace
}  // namespace heddle::test
