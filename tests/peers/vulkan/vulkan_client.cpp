// SPDX-License-Identifier: MIT
#include "peers/vulkan/vulkan_client.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>

#include "peers/vulkan/vulkan_work.hpp"
#include "support/process.hpp"

namespace heddle::test {

VkSamplerCreateInfo peer_sampler(VkFilter filter, VkSamplerMipmapMode mip, VkSamplerAddressMode address) {
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = info.minFilter = filter;
  info.mipmapMode = mip;
  info.addressModeU = info.addressModeV = info.addressModeW = address;
  info.maxLod = VK_LOD_CLAMP_NONE;
  info.maxAnisotropy = 1;
  info.borderColor = VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
  return info;
}

namespace {

VkInstance make_instance(std::string& why) {
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  if (const VkResult r = vkCreateInstance(&info, nullptr, &instance); r != VK_SUCCESS) {
    why = "no Vulkan instance (" + std::to_string(r) + ")";
    return VK_NULL_HANDLE;
  }
  return instance;
}

std::vector<VkPhysicalDevice> devices_of(VkInstance instance) {
  std::uint32_t count = 0;
  vkEnumeratePhysicalDevices(instance, &count, nullptr);
  std::vector<VkPhysicalDevice> list(count);
  vkEnumeratePhysicalDevices(instance, &count, list.data());
  list.resize(count);
  return list;
}

/// As VulkanClient::devices has it.
std::string description_of(VkPhysicalDevice device) {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(device, &properties);
  std::string text = properties.deviceName;
  if (properties.apiVersion < VK_API_VERSION_1_2) return text;
  VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceProperties2 more{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver, {}};
  vkGetPhysicalDeviceProperties2(device, &more);
  return text + "; " + driver.driverName + " " + driver.driverInfo;
}

}  // namespace

std::vector<std::string> VulkanClient::devices(std::string& why) {
  const VkInstance instance = make_instance(why);
  if (instance == VK_NULL_HANDLE) return {};
  std::vector<std::string> list;
  for (const VkPhysicalDevice device : devices_of(instance)) list.push_back(description_of(device));
  vkDestroyInstance(instance, nullptr);
  if (list.empty()) why = "no Vulkan driver is installed";
  return list;
}

std::unique_ptr<VulkanClient> VulkanClient::create(const std::string& name, std::string& why) {
  std::unique_ptr<VulkanClient> client(new VulkanClient);
  client->instance_ = make_instance(why);
  if (client->instance_ == VK_NULL_HANDLE) return nullptr;
  for (const VkPhysicalDevice device : devices_of(client->instance_)) {
    if (description_of(device).find(name) == std::string::npos) continue;
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    client->physical_ = device;
    client->name_ = properties.deviceName;
    break;
  }
  if (client->physical_ == VK_NULL_HANDLE) {
    why = "no Vulkan device named '" + name + "'";
    return nullptr;
  }
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  // Whatever shaders may ask for, except what only costs time.
  VkPhysicalDeviceVulkan12Features twelve{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &twelve, {}};
  vkGetPhysicalDeviceFeatures2(client->physical_, &all);
  VkPhysicalDeviceFeatures& wanted = all.features;
  wanted.robustBufferAccess = VK_FALSE;
  VkDeviceCreateInfo device{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &twelve};
  device.queueCreateInfoCount = 1;
  device.pQueueCreateInfos = &queue;
  device.pEnabledFeatures = &wanted;
  if (const VkResult r = vkCreateDevice(client->physical_, &device, nullptr, &client->device_); r != VK_SUCCESS) {
    why = "no Vulkan logical device (" + std::to_string(r) + ")";
    return nullptr;
  }
  vkGetDeviceQueue(client->device_, 0, 0, &client->queue_);
  VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  vkCreateCommandPool(client->device_, &pool, nullptr, &client->pool_);
  return client;
}

namespace {

std::string peer_name() {
  const char* named = std::getenv("HEDDLE_TEST_VULKAN_DEVICE");
  return named == nullptr ? "llvmpipe" : named;
}

}  // namespace

double peer_tolerance(double theirs) { return peer_name() == "Heddle" ? 0 : theirs; }

VulkanClient* lavapipe(std::string& why) {
  static std::string reason;
  static const std::unique_ptr<VulkanClient> instance = have_program("glslangValidator")
                                                            ? VulkanClient::create(peer_name(), reason)
                                                            : (reason = "glslangValidator is not installed", nullptr);
  why = reason;
  return instance.get();
}

VulkanClient::~VulkanClient() {
  if (pool_ != VK_NULL_HANDLE) vkDestroyCommandPool(device_, pool_, nullptr);
  if (device_ != VK_NULL_HANDLE) vkDestroyDevice(device_, nullptr);
  if (instance_ != VK_NULL_HANDLE) vkDestroyInstance(instance_, nullptr);
}

VkFormatFeatureFlags VulkanClient::features(VkFormat format) const {
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(physical_, format, &properties);
  return properties.optimalTilingFeatures;
}

VkPhysicalDeviceLimits VulkanClient::limits() const {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(physical_, &properties);
  return properties.limits;
}

bool VulkanClient::can_sample(const VkSamplerCreateInfo& sampler, bool cube_array) const {
  VkPhysicalDeviceVulkan12Features twelve{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &twelve, {}};
  vkGetPhysicalDeviceFeatures2(physical_, &all);
  const VkPhysicalDeviceFeatures& has = all.features;
  bool mirrors_once = false;
  for (const VkSamplerAddressMode mode : {sampler.addressModeU, sampler.addressModeV, sampler.addressModeW})
    mirrors_once |= mode == VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE;
  return has.fragmentStoresAndAtomics != VK_FALSE &&
         (sampler.anisotropyEnable == VK_FALSE ||
          (has.samplerAnisotropy != VK_FALSE && sampler.maxAnisotropy <= limits().maxSamplerAnisotropy)) &&
         (!cube_array || has.imageCubeArray != VK_FALSE) &&
         (!mirrors_once || twelve.samplerMirrorClampToEdge != VK_FALSE);
}

std::vector<std::uint32_t> VulkanClient::compile(const PeerShader& shader, const std::string& stage, std::string& why) {
  if (!shader.words.empty()) return shader.words;
  const std::string& glsl = shader.glsl;
  static std::map<std::string, std::vector<std::uint32_t>> cache;
  if (const auto at = cache.find(stage + glsl); at != cache.end()) return at->second;
  TemporaryFolder folder;
  write_text(folder / "shader", glsl);
  const Outcome outcome = run({"glslangValidator", "-V", "--target-env", "vulkan1.2", "-S", stage, "-o",
                               (folder / "shader.spv").string(), (folder / "shader").string()});
  if (outcome.exit_code != 0) {
    why = outcome.out + outcome.err;
    return {};
  }
  const std::vector<std::uint8_t> bytes = read_bytes(folder / "shader.spv");
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return cache[stage + glsl] = words;
}

std::string VulkanClient::compute(const PeerShader& shader, std::vector<PeerBinding>& bindings, std::uint32_t groups,
                                  const std::vector<std::uint8_t>& push, PeerTiming* timing) {
  std::string why;
  const std::vector<std::uint32_t> words = compile(shader, "comp", why);
  if (words.empty()) return why;
  Work work(*this);
  if (why = work.begin(); !why.empty()) return why;
  if (why = work.bind(bindings, push); !why.empty()) return why;
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                nullptr,
                0,
                VK_SHADER_STAGE_COMPUTE_BIT,
                VK_NULL_HANDLE,
                "main",
                nullptr};
  if (why = work.make_module(words, info.stage.module); !why.empty()) return why;
  info.layout = work.pipeline_layout;
  VkPipeline pipeline;
  HEDDLE_VK(vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  work.undo.push_back([d = device_, pipeline] { vkDestroyPipeline(d, pipeline, nullptr); });
  const auto pass = [&] {
    vkCmdBindPipeline(work.commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    work.use(VK_PIPELINE_BIND_POINT_COMPUTE, push);
    vkCmdDispatch(work.commands, groups, 1, 1);
  };
  pass();
  if (timing != nullptr)
    if (why = work.time(pass, *timing); !why.empty()) return why;
  work.fetch_images(bindings);
  if (why = work.submit(); !why.empty()) return why;
  work.read_back(bindings);
  return {};
}

}  // namespace heddle::test
