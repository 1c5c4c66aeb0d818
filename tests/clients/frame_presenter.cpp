// SPDX-License-Identifier: MIT
// A program for tests of `heddle golden`: presents frames that are known by arithmetic on a surface without a window.
//
// usage: frame_presenter FRAMES [--change FRAME] [--kill FRAME] [--exit CODE] [--endless]
//                        [--dispatch] [--named]
// Pixel (x, y) of frame f has red 7 f + x, green y, blue f (modulo 256). --change: one pixel of that frame is another.
// --kill: the process kills itself before that frame. --endless: FRAMES means nothing. --dispatch: frame f dispatches
// f + 1 groups of a shader that does nothing. --named: the swapchain's images are called "shown", the buffer that their
// texels come from "the texels, 100%", one without memory "unbound", and one whose
// memory was the program's own, which it has freed, "gone".

#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr std::uint32_t kWidth = 24, kHeight = 16;

void check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "frame_presenter: %s: %d\n", what, static_cast<int>(result));
  std::_Exit(1);
}

struct Options {
  long frames = 0, change = -1, kill = -1;
  int exit = 0;
  bool endless = false, dispatch = false, named = false;
};

Options read_options(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::strtol(argv[++i], nullptr, 10) : 0; };
    if (word == "--change")
      o.change = number();
    else if (word == "--kill")
      o.kill = number();
    else if (word == "--exit")
      o.exit = static_cast<int>(number());
    else if (word == "--endless")
      o.endless = true;
    else if (word == "--dispatch")
      o.dispatch = true;
    else if (word == "--named")
      o.named = true;
    else
      o.frames = std::strtol(word.c_str(), nullptr, 10);
  }
  return o;
}

class Presenter {
 public:
  explicit Presenter(bool named);
  void present(long frame, bool changed);
  void name_objects();
  /// From now on each frame dispatches.
  void make_pipeline();
  void finish() const { check(vkDeviceWaitIdle(device_), "vkDeviceWaitIdle"); }

 private:
  void make_device(bool named);
  void make_swapchain();
  void make_buffer();
  void change_layout(VkImage image, VkImageLayout from, VkImageLayout to) const;

  VkInstance instance_{};
  VkPhysicalDevice physical_{};
  VkDevice device_{};
  VkQueue queue_{};
  VkSurfaceKHR surface_{};
  VkSwapchainKHR swapchain_{};
  std::vector<VkImage> images_;
  VkBuffer buffer_{};
  std::uint8_t* bytes_ = nullptr;
  VkCommandPool pool_{};
  VkCommandBuffer commands_{};
  VkSemaphore acquired_{}, drawn_{};
  VkPipeline pipeline_{};
};

/// #version 450, layout(local_size_x = 1) in; void main() {}
constexpr std::uint32_t kNothing[] = {0x07230203, 0x00010000, 0,  5,          0,  // the header: 5 ids
                                      0x00020011, 1,                              // OpCapability Shader
                                      0x0003000e, 0,          1,                  // OpMemoryModel Logical GLSL450
                                      0x0005000f, 5,          1,  0x6e69616d, 0,  // OpEntryPoint GLCompute %1 "main"
                                      0x00060010, 1,          17, 1,          1,
                                      1,                                          // OpExecutionMode %1 LocalSize 1 1 1
                                      0x00020013, 2,                              // %2 = OpTypeVoid
                                      0x00030021, 3,          2,                  // %3 = OpTypeFunction %2
                                      0x00050036, 2,          1,  0,          3,  // %1 = OpFunction %2 None %3
                                      0x000200f8, 4,                              // %4 = OpLabel
                                      0x000100fd,                                 // OpReturn
                                      0x00010038};                                // OpFunctionEnd

void Presenter::make_pipeline() {
  const VkShaderModuleCreateInfo module_info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, sizeof kNothing,
                                             kNothing};
  VkShaderModule module{};
  check(vkCreateShaderModule(device_, &module_info, nullptr, &module), "vkCreateShaderModule");
  const VkPipelineLayoutCreateInfo layout_info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  check(vkCreatePipelineLayout(device_, &layout_info, nullptr, &info.layout), "vkCreatePipelineLayout");
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                nullptr,
                0,
                VK_SHADER_STAGE_COMPUTE_BIT,
                module,
                "main",
                nullptr};
  check(vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_), "vkCreateComputePipelines");
}

Presenter::Presenter(bool named) {
  make_device(named);
  make_swapchain();
  make_buffer();
  const VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr,
                                     VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, 0};
  check(vkCreateCommandPool(device_, &pool, nullptr, &pool_), "vkCreateCommandPool");
  const VkCommandBufferAllocateInfo one{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                        VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  check(vkAllocateCommandBuffers(device_, &one, &commands_), "vkAllocateCommandBuffers");
  const VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, nullptr, 0};
  check(vkCreateSemaphore(device_, &semaphore, nullptr, &acquired_), "vkCreateSemaphore");
  check(vkCreateSemaphore(device_, &semaphore, nullptr, &drawn_), "vkCreateSemaphore");
}

void Presenter::make_device(bool named) {
  const char* of_instance[] = {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME,
                               VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  VkInstanceCreateInfo instance{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  instance.enabledExtensionCount = named ? 3 : 2;
  instance.ppEnabledExtensionNames = of_instance;
  check(vkCreateInstance(&instance, nullptr, &instance_), "vkCreateInstance");
  std::uint32_t count = 1;
  (void)vkEnumeratePhysicalDevices(instance_, &count, &physical_);
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority};
  const char* of_device[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
  VkDeviceCreateInfo device{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  device.queueCreateInfoCount = 1;
  device.pQueueCreateInfos = &queue;
  device.enabledExtensionCount = named ? 2 : 1;
  device.ppEnabledExtensionNames = of_device;
  check(vkCreateDevice(physical_, &device, nullptr, &device_), "vkCreateDevice");
  vkGetDeviceQueue(device_, 0, 0, &queue_);
}

void Presenter::make_swapchain() {
  const auto create =
      reinterpret_cast<PFN_vkCreateHeadlessSurfaceEXT>(vkGetInstanceProcAddr(instance_, "vkCreateHeadlessSurfaceEXT"));
  const VkHeadlessSurfaceCreateInfoEXT headless{VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT, nullptr, 0};
  check(create(instance_, &headless, nullptr, &surface_), "vkCreateHeadlessSurfaceEXT");
  VkSwapchainCreateInfoKHR info{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
  info.surface = surface_;
  info.minImageCount = 3;
  info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
  info.imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  info.imageExtent = {kWidth, kHeight};
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
  info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
  check(vkCreateSwapchainKHR(device_, &info, nullptr, &swapchain_), "vkCreateSwapchainKHR");
  std::uint32_t count = 0;
  check(vkGetSwapchainImagesKHR(device_, swapchain_, &count, nullptr), "vkGetSwapchainImagesKHR");
  images_.resize(count);
  check(vkGetSwapchainImagesKHR(device_, swapchain_, &count, images_.data()), "vkGetSwapchainImagesKHR");
}

void Presenter::make_buffer() {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = VkDeviceSize{4} * kWidth * kHeight;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  check(vkCreateBuffer(device_, &info, nullptr, &buffer_), "vkCreateBuffer");
  VkMemoryRequirements needs{};
  vkGetBufferMemoryRequirements(device_, buffer_, &needs);
  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
  constexpr VkMemoryPropertyFlags kWanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  std::uint32_t type = 0;
  while (type + 1 < memory.memoryTypeCount &&
         ((needs.memoryTypeBits >> type & 1u) == 0 || (memory.memoryTypes[type].propertyFlags & kWanted) != kWanted))
    ++type;
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
  VkDeviceMemory block{};
  check(vkAllocateMemory(device_, &allocate, nullptr, &block), "vkAllocateMemory");
  check(vkBindBufferMemory(device_, buffer_, block, 0), "vkBindBufferMemory");
  void* at = nullptr;
  check(vkMapMemory(device_, block, 0, VK_WHOLE_SIZE, 0, &at), "vkMapMemory");
  bytes_ = static_cast<std::uint8_t*>(at);
}

void Presenter::name_objects() {
  const auto set = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
      vkGetInstanceProcAddr(instance_, "vkSetDebugUtilsObjectNameEXT"));
  const auto name = [&](VkObjectType type, auto object, const char* text) {
    const VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr, type,
                                             reinterpret_cast<std::uint64_t>(object), text};
    check(set(device_, &info), "vkSetDebugUtilsObjectNameEXT");
  };
  for (const VkImage image : images_) name(VK_OBJECT_TYPE_IMAGE, image, "shown");
  name(VK_OBJECT_TYPE_BUFFER, buffer_, "the texels, 100%");
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = 64;
  info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer unbound{}, gone{};
  for (VkBuffer* const buffer : {&unbound, &gone})
    check(vkCreateBuffer(device_, &info, nullptr, buffer), "vkCreateBuffer");
  name(VK_OBJECT_TYPE_BUFFER, unbound, "unbound");
  constexpr std::size_t kPages = 65536;
  void* const pages = mmap(nullptr, kPages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const VkImportMemoryHostPointerInfoEXT import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr,
                                                VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, pages};
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import, kPages, 0};
  VkDeviceMemory block{};
  check(vkAllocateMemory(device_, &allocate, nullptr, &block), "vkAllocateMemory");
  check(vkBindBufferMemory(device_, gone, block, 0), "vkBindBufferMemory");
  name(VK_OBJECT_TYPE_BUFFER, gone, "gone");
  vkFreeMemory(device_, block, nullptr);
  (void)munmap(pages, kPages);
}

void Presenter::change_layout(VkImage image, VkImageLayout from, VkImageLayout to) const {
  VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  barrier.srcAccessMask = barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                       nullptr, 1, &barrier);
}

void Presenter::present(long frame, bool changed) {
  finish();  // one buffer for all frames
  for (std::uint32_t y = 0; y < kHeight; ++y)
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      const std::uint8_t texel[4] = {static_cast<std::uint8_t>(frame), static_cast<std::uint8_t>(y),
                                     static_cast<std::uint8_t>(7 * frame + x), 255};
      std::memcpy(bytes_ + 4 * (std::size_t{y} * kWidth + x), texel, 4);
    }
  if (changed) bytes_[4 * (3 * kWidth + 5) + 1] ^= 16;  // green of (5, 3)
  std::uint32_t index = 0;
  check(vkAcquireNextImageKHR(device_, swapchain_, UINT64_MAX, acquired_, VK_NULL_HANDLE, &index), "acquire");
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
  if (pipeline_ != VK_NULL_HANDLE) {
    vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    vkCmdDispatch(commands_, static_cast<std::uint32_t>(frame) + 1, 1, 1);
  }
  change_layout(images_[index], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {kWidth, kHeight, 1};
  vkCmdCopyBufferToImage(commands_, buffer_, images_[index], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
  change_layout(images_[index], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
  const VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 1, &acquired_, &stage, 1, &commands_, 1, &drawn_};
  check(vkQueueSubmit(queue_, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  const VkPresentInfoKHR info{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, nullptr, 1, &drawn_, 1, &swapchain_, &index, nullptr};
  check(vkQueuePresentKHR(queue_, &info), "vkQueuePresentKHR");
}

}  // namespace

int main(int argc, char** argv) {
  const Options o = read_options(argc, argv);
  Presenter presenter(o.named);
  if (o.named) presenter.name_objects();
  if (o.dispatch) presenter.make_pipeline();
  for (long frame = 0; o.endless || frame < o.frames; ++frame) {
    if (frame == o.kill) {
      presenter.finish();
      (void)kill(getpid(), SIGKILL);
    }
    presenter.present(frame, frame == o.change);
  }
  presenter.finish();
  return o.exit;
}
