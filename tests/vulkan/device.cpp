// SPDX-License-Identifier: MIT
#include "vulkan/device.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "support/process.hpp"

namespace heddle::test {

std::vector<std::uint32_t> compile_shader(const std::string& glsl, const std::string& stage, bool debug,
                                          const std::string& target) {
  static std::map<std::pair<std::string, bool>, std::vector<std::uint32_t>> cache;
  const std::pair key{target + stage + glsl, debug};
  if (const auto at = cache.find(key); at != cache.end()) return at->second;
  if (!have_program("glslangValidator")) return {};
  const TemporaryFolder folder;
  write_text(folder / "shader", glsl);
  const Outcome outcome = run({"glslangValidator", debug ? "-g" : "--quiet", "-V", "--target-env", target, "-S", stage,
                               "-o", (folder / "shader.spv").string(), (folder / "shader").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  if (outcome.exit_code != 0) return {};
  const std::vector<std::uint8_t> bytes = read_bytes(folder / "shader.spv");
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return cache[key] = words;
}

namespace {

/// Without the validation layer its tests run as the others do.
bool has_layer(const std::string& name) {
  std::uint32_t count = 0;
  vkEnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vkEnumerateInstanceLayerProperties(&count, layers.data());
  return std::any_of(layers.begin(), layers.end(), [&](const VkLayerProperties& l) { return l.layerName == name; });
}

}  // namespace

void keep_lavapipe() { (void)dlopen("libvulkan_lvp.so", RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE); }

VkInstance make_instance(const std::string& manifest) {
  setenv("VK_DRIVER_FILES", manifest.empty() ? HEDDLE_VULKAN_MANIFEST : manifest.c_str(), 1);
  const char* const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_KHR_SURFACE_EXTENSION_NAME,
                                    VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME,
                                    VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME};
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  const bool own = manifest.empty() || manifest == HEDDLE_VULKAN_MANIFEST;  // others need not have them all
  info.enabledExtensionCount = own ? static_cast<std::uint32_t>(std::size(extensions)) : 1;
  info.ppEnabledExtensionNames = extensions;
  const char* const layers[] = {"VK_LAYER_KHRONOS_validation"};
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr && has_layer(layers[0])) {
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = layers;
  }
  VkInstance instance = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateInstance(&info, nullptr, &instance), VK_SUCCESS);
  keep_lavapipe();
  return instance;
}

VkPhysicalDevice physical_device(VkInstance instance) {
  std::uint32_t count = 1;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  EXPECT_EQ(vkEnumeratePhysicalDevices(instance, &count, &physical), VK_SUCCESS);
  EXPECT_EQ(count, 1u);
  return physical;
}

namespace {

VkBool32 hear(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
              const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  static_cast<std::vector<std::string>*>(user)->push_back(
      std::string(data->pMessageIdName == nullptr ? "" : data->pMessageIdName) + ": " + data->pMessage);
  return VK_FALSE;
}

/// Structures of extensions that no version of Vulkan took up: they go with those of whole versions.
struct OwnFeatures {
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR shared{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR};
  VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT atomics{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT};
  VkPhysicalDeviceCustomBorderColorFeaturesEXT border{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT};
  VkPhysicalDeviceImageViewMinLodFeaturesEXT min_lod{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_VIEW_MIN_LOD_FEATURES_EXT};
  VkPhysicalDeviceNonSeamlessCubeMapFeaturesEXT cube{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NON_SEAMLESS_CUBE_MAP_FEATURES_EXT};
  VkPhysicalDeviceTexelBufferAlignmentFeaturesEXT alignment{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_FEATURES_EXT};
  VkPhysicalDeviceRGBA10X6FormatsFeaturesEXT padded{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RGBA10X6_FORMATS_FEATURES_EXT};
  VkPhysicalDevice4444FormatsFeaturesEXT packed{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_4444_FORMATS_FEATURES_EXT};
  VkPhysicalDeviceMaintenance5Features maintenance_5{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES};
  VkPhysicalDeviceMaintenance6Features maintenance_6{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES};
  VkPhysicalDeviceDepthBiasControlFeaturesEXT bias{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_BIAS_CONTROL_FEATURES_EXT};
  VkPhysicalDeviceDynamicRenderingUnusedAttachmentsFeaturesEXT unused{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_UNUSED_ATTACHMENTS_FEATURES_EXT};
  VkPhysicalDeviceMemoryPriorityFeaturesEXT priority{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT};
  VkPhysicalDevicePageableDeviceLocalMemoryFeaturesEXT pageable{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PAGEABLE_DEVICE_LOCAL_MEMORY_FEATURES_EXT};
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
  VkPhysicalDevicePerformanceQueryFeaturesKHR performance{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR};
  VkPhysicalDeviceFaultFeaturesEXT fault{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT};
  VkPhysicalDeviceShaderObjectFeaturesEXT objects{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT};
  VkPhysicalDeviceDescriptorBufferFeaturesEXT stored{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT};
  VkPhysicalDeviceBlendOperationAdvancedFeaturesEXT blends{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BLEND_OPERATION_ADVANCED_FEATURES_EXT};
  VkPhysicalDeviceMaintenance9FeaturesKHR maintenance_9{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_9_FEATURES_KHR};
  VkPhysicalDeviceMaintenance10FeaturesKHR maintenance_10{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_10_FEATURES_KHR};
  VkPhysicalDeviceMaintenance11FeaturesKHR maintenance_11{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_11_FEATURES_KHR};
  VkPhysicalDeviceShaderUntypedPointersFeaturesKHR untyped{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_UNTYPED_POINTERS_FEATURES_KHR};
  VkPhysicalDeviceShaderFmaFeaturesKHR fused{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FMA_FEATURES_KHR};
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
  VkPhysicalDevicePipelineBinaryFeaturesKHR binaries{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_BINARY_FEATURES_KHR};
  VkPhysicalDeviceCopyMemoryIndirectFeaturesKHR indirect_copies{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COPY_MEMORY_INDIRECT_FEATURES_KHR};
  VkPhysicalDeviceDepthClampZeroOneFeaturesKHR clamp_to_one{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLAMP_ZERO_ONE_FEATURES_KHR};
  VkPhysicalDeviceDepthClampControlFeaturesEXT clamp_control{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLAMP_CONTROL_FEATURES_EXT};
  VkPhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT single_sampled{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_FEATURES_EXT};
  VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT any_type{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT};
  VkPhysicalDeviceSwapchainMaintenance1FeaturesKHR swapchains{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_KHR};
  VkPhysicalDevicePresentIdFeaturesKHR present_id{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR};
  VkPhysicalDevicePresentWaitFeaturesKHR present_wait{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR};
  VkPhysicalDevicePresentId2FeaturesKHR present_id_2{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_2_FEATURES_KHR};
  VkPhysicalDevicePresentWait2FeaturesKHR present_wait_2{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_2_FEATURES_KHR};
  std::map<std::string, void*> by_extension{{VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME, &shared},
                                            {VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME, &atomics},
                                            {VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME, &border},
                                            {VK_EXT_IMAGE_VIEW_MIN_LOD_EXTENSION_NAME, &min_lod},
                                            {VK_EXT_NON_SEAMLESS_CUBE_MAP_EXTENSION_NAME, &cube},
                                            {VK_EXT_TEXEL_BUFFER_ALIGNMENT_EXTENSION_NAME, &alignment},
                                            {VK_EXT_4444_FORMATS_EXTENSION_NAME, &packed},
                                            {VK_EXT_RGBA10X6_FORMATS_EXTENSION_NAME, &padded},
                                            {"VK_KHR_maintenance5", &maintenance_5},
                                            {"VK_KHR_maintenance6", &maintenance_6},
                                            {"VK_EXT_depth_bias_control", &bias},
                                            {"VK_EXT_dynamic_rendering_unused_attachments", &unused},
                                            {"VK_EXT_memory_priority", &priority},
                                            {"VK_EXT_pageable_device_local_memory", &pageable},
                                            {"VK_KHR_pipeline_executable_properties", &executables},
                                            {"VK_KHR_performance_query", &performance},
                                            {"VK_EXT_device_fault", &fault},
                                            {"VK_EXT_shader_object", &objects},
                                            {VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME, &stored},
                                            {VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME, &any_type},
                                            {VK_EXT_BLEND_OPERATION_ADVANCED_EXTENSION_NAME, &blends},
                                            {"VK_KHR_maintenance9", &maintenance_9},
                                            {"VK_KHR_maintenance10", &maintenance_10},
                                            {"VK_KHR_maintenance11", &maintenance_11},
                                            {"VK_KHR_copy_memory_indirect", &indirect_copies},
                                            {"VK_KHR_shader_fma", &fused},
                                            {"VK_KHR_cooperative_matrix", &matrices},
                                            {"VK_KHR_pipeline_binary", &binaries},
                                            {"VK_KHR_shader_untyped_pointers", &untyped},
                                            {"VK_KHR_depth_clamp_zero_one", &clamp_to_one},
                                            {"VK_EXT_depth_clamp_zero_one", &clamp_to_one},
                                            {"VK_EXT_depth_clamp_control", &clamp_control},
                                            {"VK_EXT_multisampled_render_to_single_sampled", &single_sampled},
                                            {"VK_KHR_swapchain_maintenance1", &swapchains},
                                            {"VK_KHR_present_id", &present_id},
                                            {"VK_KHR_present_wait", &present_wait},
                                            {"VK_KHR_present_id2", &present_id_2},
                                            {"VK_KHR_present_wait2", &present_wait_2}};
  /// Puts those of `extensions` in front of `chain`; false: another extension is among them.
  bool chain(const std::vector<const char*>& extensions, void*& chain) {
    bool all = true;
    for (const char* name : extensions) {
      if (std::strcmp(name, VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME) == 0) continue;  // it has no features
      const auto found = by_extension.find(name);
      if (found == by_extension.end()) {
        all = false;
        continue;
      }
      static_cast<VkBaseOutStructure*>(found->second)->pNext = static_cast<VkBaseOutStructure*>(chain);
      chain = found->second;
    }
    return all;
  }
};

}  // namespace

VulkanDevice::VulkanDevice(const std::vector<const char*>& extensions, const std::string& manifest) {
  instance = make_instance(manifest);
  physical = physical_device(instance);
  VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  messenger.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = hear;
  messenger.pUserData = &messages;
  const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT"));
  EXPECT_EQ(create(instance, &messenger, nullptr, &messenger_), VK_SUCCESS);

  const float priority = 1;
  VkDeviceQueueCreateInfo queues[2]{{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO},
                                    {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO}};
  for (VkDeviceQueueCreateInfo& one : queues) {
    one.queueCount = 1;
    one.pQueuePriorities = &priority;
  }
  queues[1].queueFamilyIndex = 1;
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceSynchronization2Features sync2{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES};
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
  VkPhysicalDeviceRobustness2FeaturesEXT robust{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT};
  const auto chain = [&](const char* extension, auto& structure) {
    for (const char* name : extensions)
      if (std::strcmp(name, extension) == 0) {
        structure.pNext = features.pNext;
        features.pNext = &structure;
      }
  };
  VkPhysicalDeviceShaderImageFootprintFeaturesNV footprint{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_FOOTPRINT_FEATURES_NV};
  VkPhysicalDevicePipelineCreationCacheControlFeatures cache{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES};
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroups{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES};
  VkPhysicalDevicePrivateDataFeatures private_data{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES};
  VkPhysicalDeviceBufferDeviceAddressFeatures addresses{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES};
  VkPhysicalDeviceDescriptorIndexingFeatures indexing{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES};
  VkPhysicalDeviceInlineUniformBlockFeatures blocks{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_FEATURES};
  VkPhysicalDeviceShaderAtomicInt64Features atomics{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES};
  VkPhysicalDevice16BitStorageFeatures halves{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES};
  VkPhysicalDeviceVariablePointersFeatures pointers{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES};
  chain(VK_EXT_INLINE_UNIFORM_BLOCK_EXTENSION_NAME, blocks);
  chain(VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME, atomics);
  chain(VK_KHR_16BIT_STORAGE_EXTENSION_NAME, halves);
  VkPhysicalDeviceShaderFloat16Int8Features narrow{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES};
  chain(VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME, narrow);
  chain(VK_KHR_VARIABLE_POINTERS_EXTENSION_NAME, pointers);
  chain(VK_EXT_PRIVATE_DATA_EXTENSION_NAME, private_data);
  chain(VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME, addresses);
  chain(VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME, indexing);
  chain(VK_NV_SHADER_IMAGE_FOOTPRINT_EXTENSION_NAME, footprint);
  chain(VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME, cache);
  chain(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME, subgroups);
  VkPhysicalDeviceDynamicRenderingFeatures rendering{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES};
  VkPhysicalDeviceExtendedDynamicStateFeaturesEXT dynamic{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT};
  VkPhysicalDeviceExtendedDynamicState2FeaturesEXT dynamic2{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT};
  VkPhysicalDeviceImagelessFramebufferFeatures imageless{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGELESS_FRAMEBUFFER_FEATURES};
  VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT divisor{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT};
  VkPhysicalDeviceShaderDrawParametersFeatures parameters{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES};
  chain(VK_KHR_SHADER_DRAW_PARAMETERS_EXTENSION_NAME, parameters);
  VkPhysicalDeviceLineRasterizationFeaturesEXT lines{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT};
  VkPhysicalDeviceProvokingVertexFeaturesEXT provoking{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT};
  VkPhysicalDeviceDepthClipEnableFeaturesEXT clip{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT};
  VkPhysicalDeviceDepthClipControlFeaturesEXT control{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT};
  VkPhysicalDeviceMultiviewFeatures views{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES};
  chain(VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME, lines);
  chain(VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME, provoking);
  chain(VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME, clip);
  chain(VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME, control);
  chain(VK_KHR_MULTIVIEW_EXTENSION_NAME, views);
  VkPhysicalDeviceIndexTypeUint8FeaturesEXT bytes{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT};
  chain(VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME, rendering);
  chain(VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME, dynamic);
  chain(VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME, dynamic2);
  chain(VK_KHR_IMAGELESS_FRAMEBUFFER_EXTENSION_NAME, imageless);
  chain(VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME, divisor);
  chain(VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME, bytes);
  chain(VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME, sync2);
  chain(VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME, timeline);
  chain(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, robust);
  VkPhysicalDeviceExtendedDynamicState3FeaturesEXT dynamic3{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT};
  VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT vertex_input{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT};
  VkPhysicalDeviceColorWriteEnableFeaturesEXT color_write{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COLOR_WRITE_ENABLE_FEATURES_EXT};
  VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT libraries{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT};
  VkPhysicalDeviceFragmentShaderInterlockFeaturesEXT interlock{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADER_INTERLOCK_FEATURES_EXT};
  VkPhysicalDeviceMultiDrawFeaturesEXT multi{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT};
  VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT};
  VkPhysicalDeviceImage2DViewOf3DFeaturesEXT slices{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_2D_VIEW_OF_3D_FEATURES_EXT};
  VkPhysicalDeviceBorderColorSwizzleFeaturesEXT swizzle{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BORDER_COLOR_SWIZZLE_FEATURES_EXT};
  VkPhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT order{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_FEATURES_EXT};
  VkPhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT feedback{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_FEATURES_EXT};
  chain(VK_EXT_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_EXTENSION_NAME, feedback);
  VkPhysicalDeviceTransformFeedbackFeaturesEXT captures{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT};
  VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT generated{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT};
  chain(VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME, captures);
  chain(VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME, generated);
  chain(VK_EXT_MULTI_DRAW_EXTENSION_NAME, multi);
  chain(VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME, conditional);
  chain(VK_EXT_IMAGE_2D_VIEW_OF_3D_EXTENSION_NAME, slices);
  chain(VK_EXT_BORDER_COLOR_SWIZZLE_EXTENSION_NAME, swizzle);
  chain(VK_EXT_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_EXTENSION_NAME, order);
  chain(VK_EXT_FRAGMENT_SHADER_INTERLOCK_EXTENSION_NAME, interlock);
  chain(VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME, dynamic3);
  chain(VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME, vertex_input);
  chain(VK_EXT_COLOR_WRITE_ENABLE_EXTENSION_NAME, color_write);
  chain(VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME, libraries);
  VkPhysicalDeviceVulkan13Features third{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  VkPhysicalDeviceVulkan12Features second{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &third};
  VkPhysicalDeviceVulkan11Features first{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &second};
  VkPhysicalDeviceShaderDemoteToHelperInvocationFeatures demote{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES};
  VkPhysicalDeviceShaderTerminateInvocationFeatures terminate{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_TERMINATE_INVOCATION_FEATURES};
  VkPhysicalDeviceSeparateDepthStencilLayoutsFeatures separate{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES};
  chain(VK_EXT_SHADER_DEMOTE_TO_HELPER_INVOCATION_EXTENSION_NAME, demote);
  chain(VK_KHR_SHADER_TERMINATE_INVOCATION_EXTENSION_NAME, terminate);
  chain(VK_KHR_SEPARATE_DEPTH_STENCIL_LAYOUTS_EXTENSION_NAME, separate);
  VkPhysicalDevicePrimitiveTopologyListRestartFeaturesEXT restart{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT};
  chain(VK_EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_EXTENSION_NAME, restart);
  VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR uniform_flow{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR};
  VkPhysicalDeviceComputeShaderDerivativesFeaturesNV derivatives{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_FEATURES_NV};
  VkPhysicalDeviceFragmentShaderBarycentricFeaturesKHR barycentric{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADER_BARYCENTRIC_FEATURES_KHR};
  chain(VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME, uniform_flow);
  chain(VK_NV_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME, derivatives);
  chain("VK_KHR_compute_shader_derivatives", derivatives);
  VkPhysicalDeviceShaderSubgroupRotateFeatures rotate{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_ROTATE_FEATURES};
  VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR reconvergence{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR};
  VkPhysicalDeviceShaderQuadControlFeaturesKHR quads{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_QUAD_CONTROL_FEATURES_KHR};
  chain("VK_KHR_shader_subgroup_rotate", rotate);
  chain("VK_KHR_shader_maximal_reconvergence", reconvergence);
  chain("VK_KHR_shader_quad_control", quads);
  chain(VK_KHR_FRAGMENT_SHADER_BARYCENTRIC_EXTENSION_NAME, barycentric);
  VkPhysicalDeviceFragmentShadingRateFeaturesKHR shading_rate{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR};
  chain(VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME, shading_rate);
  VkPhysicalDeviceMeshShaderFeaturesEXT meshes{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};
  chain(VK_EXT_MESH_SHADER_EXTENSION_NAME, meshes);
  OwnFeatures own;
  if (own.chain(extensions, features.pNext) && manifest.empty()) {
    third.pNext = features.pNext;
    features.pNext = &first;
  }
  vkGetPhysicalDeviceFeatures2(physical, &features);
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
  std::uint32_t families = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &families, nullptr);
  const bool transfers = families > 1 && manifest.empty();
  info.queueCreateInfoCount = transfers ? 2 : 1;
  info.pQueueCreateInfos = queues;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  EXPECT_EQ(vkCreateDevice(physical, &info, nullptr, &device), VK_SUCCESS);
  vkGetDeviceQueue(device, 0, 0, &queue);
  VkCommandPoolCreateInfo pools{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr,
                                VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, 0};
  EXPECT_EQ(vkCreateCommandPool(device, &pools, nullptr, &pool), VK_SUCCESS);
}

VulkanDevice::~VulkanDevice() {
  const bool listens = std::getenv("HEDDLE_TEST_VALIDATION") != nullptr || std::getenv("HEDDLE_TEST_CHECKS") != nullptr;
  if (listens && !expects_messages)
    for (const std::string& message : messages) ADD_FAILURE() << message;
  (void)vkDeviceWaitIdle(device);
  for (auto f = undo_.rbegin(); f != undo_.rend(); ++f) (*f)();
  vkDestroyCommandPool(device, pool, nullptr);
  vkDestroyDevice(device, nullptr);
  const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(instance, "vkDestroyDebugUtilsMessengerEXT"));
  destroy(instance, messenger_, nullptr);
  vkDestroyInstance(instance, nullptr);
}

VulkanDevice::Buffer VulkanDevice::buffer(std::uint64_t size, VkBufferUsageFlags more_usage) {
  Buffer made;
  made.size = size;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
               VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
               VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
               VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | more_usage;
  EXPECT_EQ(vkCreateBuffer(device, &info, nullptr, &made.buffer), VK_SUCCESS);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, made.buffer, &needs);
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, 0};
  EXPECT_EQ(vkAllocateMemory(device, &allocate, nullptr, &made.memory), VK_SUCCESS);
  EXPECT_EQ(vkBindBufferMemory(device, made.buffer, made.memory, 0), VK_SUCCESS);
  void* mapped = nullptr;
  EXPECT_EQ(vkMapMemory(device, made.memory, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
  made.bytes = static_cast<std::uint8_t*>(mapped);
  later([d = device, made] {
    vkDestroyBuffer(d, made.buffer, nullptr);
    vkFreeMemory(d, made.memory, nullptr);
  });
  return made;
}

VkImageAspectFlags aspects_of(VkFormat format) {
  switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_D32_SFLOAT:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
      return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VK_FORMAT_S8_UINT:
      return VK_IMAGE_ASPECT_STENCIL_BIT;
    case VK_FORMAT_D24_UNORM_S8_UINT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT:
      return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    default:
      return VK_IMAGE_ASPECT_COLOR_BIT;
  }
}

VkImageCreateInfo VulkanDevice::image_info(VkFormat format, std::uint32_t width, std::uint32_t height) {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {width, height, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
  return info;
}

VulkanDevice::Image VulkanDevice::image(const VkImageCreateInfo& info) {
  Image made;
  EXPECT_EQ(vkCreateImage(device, &info, nullptr, &made.image), VK_SUCCESS);
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device, made.image, &needs);
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, 0};
  EXPECT_EQ(vkAllocateMemory(device, &allocate, nullptr, &made.memory), VK_SUCCESS);
  EXPECT_EQ(vkBindImageMemory(device, made.image, made.memory, 0), VK_SUCCESS);
  VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = made.image;
  barrier.subresourceRange = {aspects_of(info.format), 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
  EXPECT_EQ(run([&](VkCommandBuffer c) {
              vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                                   nullptr, 0, nullptr, 1, &barrier);
            }),
            VK_SUCCESS);
  later([d = device, made] {
    vkDestroyImage(d, made.image, nullptr);
    vkFreeMemory(d, made.memory, nullptr);
  });
  return made;
}

VkImageView VulkanDevice::view(VkImage image, VkFormat format, VkImageViewType type, VkImageSubresourceRange range,
                               VkComponentMapping swizzle) {
  VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  info.image = image;
  info.viewType = type;
  info.format = format;
  info.components = swizzle;
  info.subresourceRange = range;
  VkImageView made = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateImageView(device, &info, nullptr, &made), VK_SUCCESS);
  later([d = device, made] { vkDestroyImageView(d, made, nullptr); });
  return made;
}

VkSampler VulkanDevice::sampler(VkFilter filter, VkSamplerAddressMode address) {
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = info.minFilter = filter;
  info.addressModeU = info.addressModeV = info.addressModeW = address;
  info.maxLod = VK_LOD_CLAMP_NONE;
  VkSampler made = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateSampler(device, &info, nullptr, &made), VK_SUCCESS);
  later([d = device, made] { vkDestroySampler(d, made, nullptr); });
  return made;
}

VkDescriptorSetLayout VulkanDevice::set_layout(const std::vector<Binding>& bindings,
                                               VkDescriptorSetLayoutCreateFlags flags,
                                               VkDescriptorBindingFlags binding_flags) {
  std::vector<VkDescriptorSetLayoutBinding> list;
  for (const Binding& b : bindings) list.push_back({b.binding, b.type, b.count, stages, nullptr});
  VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, flags,
                                       static_cast<std::uint32_t>(list.size()), list.data()};
  const std::vector<VkDescriptorBindingFlags> all(list.size(), binding_flags);
  VkDescriptorSetLayoutBindingFlagsCreateInfo flagged{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
                                                      nullptr, info.bindingCount, all.data()};
  if (binding_flags != 0) info.pNext = &flagged;
  VkDescriptorSetLayout made = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateDescriptorSetLayout(device, &info, nullptr, &made), VK_SUCCESS);
  later([d = device, made] { vkDestroyDescriptorSetLayout(d, made, nullptr); });
  return made;
}

VkPipelineLayout VulkanDevice::layout(const std::vector<VkDescriptorSetLayout>& sets, std::uint32_t push_bytes) {
  VkPushConstantRange range{stages, 0, push_bytes};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = static_cast<std::uint32_t>(sets.size());
  info.pSetLayouts = sets.data();
  info.pushConstantRangeCount = push_bytes != 0 ? 1 : 0;
  info.pPushConstantRanges = &range;
  VkPipelineLayout made = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreatePipelineLayout(device, &info, nullptr, &made), VK_SUCCESS);
  later([d = device, made] { vkDestroyPipelineLayout(d, made, nullptr); });
  return made;
}

VkDescriptorSet VulkanDevice::set(VkDescriptorSetLayout layout, const std::vector<Binding>& bindings,
                                  VkDescriptorPoolCreateFlags flags) {
  std::vector<VkDescriptorPoolSize> sizes;
  for (const Binding& b : bindings) sizes.push_back({b.type, b.count});
  VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  info.flags = flags;
  info.maxSets = 1;
  info.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  VkDescriptorPool from = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateDescriptorPool(device, &info, nullptr, &from), VK_SUCCESS);
  later([d = device, from] { vkDestroyDescriptorPool(d, from, nullptr); });
  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, from, 1, &layout};
  VkDescriptorSet made = VK_NULL_HANDLE;
  EXPECT_EQ(vkAllocateDescriptorSets(device, &allocate, &made), VK_SUCCESS);
  return made;
}

void VulkanDevice::write(VkDescriptorSet set, std::uint32_t binding, VkDescriptorType type, const Buffer& buffer,
                         std::uint64_t offset, std::uint64_t range, std::uint32_t element) {
  const VkDescriptorBufferInfo info{buffer.buffer, offset, range};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = set;
  write.dstBinding = binding;
  write.dstArrayElement = element;
  write.descriptorCount = 1;
  write.descriptorType = type;
  write.pBufferInfo = &info;
  vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
}

void VulkanDevice::write(VkDescriptorSet set, std::uint32_t binding, VkDescriptorType type, VkImageView view,
                         VkSampler sampler, std::uint32_t element) {
  const VkDescriptorImageInfo info{sampler, view, VK_IMAGE_LAYOUT_GENERAL};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = set;
  write.dstBinding = binding;
  write.dstArrayElement = element;
  write.descriptorCount = 1;
  write.descriptorType = type;
  write.pImageInfo = &info;
  vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
}

VkShaderModule VulkanDevice::module(const std::string& glsl, const std::string& stage) {
  return module(compile_shader(glsl, stage, debug_shaders));
}

VkShaderModule VulkanDevice::module(const std::vector<std::uint32_t>& words) {
  const VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size() * 4,
                                      words.data()};
  VkShaderModule made = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateShaderModule(device, &code, nullptr, &made), VK_SUCCESS);
  return made;
}

VkPipeline VulkanDevice::pipeline(const std::string& glsl, VkPipelineLayout layout,
                                  const VkSpecializationInfo* special) {
  return pipeline_of(compile_shader(glsl, "comp", debug_shaders), layout, special);
}

VkPipeline VulkanDevice::pipeline_of(const std::vector<std::uint32_t>& words, VkPipelineLayout layout,
                                     const VkSpecializationInfo* special,
                                     VkPipelineShaderStageCreateFlags stage_flags) {
  VkShaderModule module = this->module(words);
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE | pipeline_flags;
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                nullptr,
                stage_flags,
                VK_SHADER_STAGE_COMPUTE_BIT,
                module,
                "main",
                special};
  info.layout = layout;
  VkPipeline made = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &made), VK_SUCCESS);
  vkDestroyShaderModule(device, module, nullptr);
  later([d = device, made] { vkDestroyPipeline(d, made, nullptr); });
  return made;
}

VkCommandBuffer VulkanDevice::commands(VkCommandBufferLevel level) {
  VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool, level, 1};
  VkCommandBuffer made = VK_NULL_HANDLE;
  EXPECT_EQ(vkAllocateCommandBuffers(device, &info, &made), VK_SUCCESS);
  return made;
}

void VulkanDevice::begin(VkCommandBuffer buffer, VkCommandBufferUsageFlags flags) {
  const VkCommandBufferInheritanceInfo inherited{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
  const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, flags, &inherited};
  EXPECT_EQ(vkBeginCommandBuffer(buffer, &info), VK_SUCCESS);
}

VkResult VulkanDevice::submit(VkCommandBuffer buffer) {
  EXPECT_EQ(vkEndCommandBuffer(buffer), VK_SUCCESS);
  VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateFence(device, &info, nullptr, &fence), VK_SUCCESS);
  VkSubmitInfo work{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  work.commandBufferCount = 1;
  work.pCommandBuffers = &buffer;
  VkResult result = vkQueueSubmit(queue, 1, &work, fence);
  if (result == VK_SUCCESS) result = vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX);
  vkDestroyFence(device, fence, nullptr);
  return result;
}

VkResult VulkanDevice::run(const std::function<void(VkCommandBuffer)>& record) {
  const VkCommandBuffer buffer = commands();
  begin(buffer);
  record(buffer);
  const VkResult result = submit(buffer);
  vkFreeCommandBuffers(device, pool, 1, &buffer);
  return result;
}

}  // namespace heddle::test
