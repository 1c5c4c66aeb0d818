// SPDX-License-Identifier: MIT
// Memory, semaphores and fences by file descriptors, also of another process.

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "vulkan/canvas.hpp"

extern char** environ;

namespace heddle::test {
namespace {

const std::vector<const char*> kExtensions{
    VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
    VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME,  VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME,
    VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME,    VK_KHR_EXTERNAL_SEMAPHORE_EXTENSION_NAME,
    VK_KHR_EXTERNAL_FENCE_EXTENSION_NAME};
constexpr VkDeviceSize kBytes = 16 * 16 * 4;

/// An image of 16 x 16 texels in memory that may be exported, or is imported from `fd`.
struct SharedImage {
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  int fd = -1;  ///< exported

  SharedImage(VulkanDevice& v, int imported) {
    const VkExternalMemoryImageCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, nullptr,
                                                   VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R32_UINT, 16, 16);
    info.pNext = &external;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    EXPECT_EQ(vkCreateImage(v.device, &info, nullptr, &image), VK_SUCCESS);
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(v.device, image, &needs);
    const VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, nullptr,
                                              VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkImportMemoryFdInfoKHR from{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, nullptr,
                                       VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, imported};
    const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                        imported >= 0 ? static_cast<const void*>(&from) : &exported, needs.size, 0};
    EXPECT_EQ(vkAllocateMemory(v.device, &allocate, nullptr, &memory), VK_SUCCESS);
    EXPECT_EQ(vkBindImageMemory(v.device, image, memory, 0), VK_SUCCESS);
    v.later([d = v.device, i = image, m = memory] {
      vkDestroyImage(d, i, nullptr);
      vkFreeMemory(d, m, nullptr);
    });
    if (imported >= 0) return;
    const VkMemoryGetFdInfoKHR get{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, nullptr, memory,
                                   VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    EXPECT_EQ(v.proc<PFN_vkGetMemoryFdKHR>("vkGetMemoryFdKHR")(v.device, &get, &fd), VK_SUCCESS);
  }
};

VkSemaphore timeline(VulkanDevice& v) {
  const VkExportSemaphoreCreateInfo exported{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, nullptr,
                                             VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
  const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, &exported,
                                       VK_SEMAPHORE_TYPE_TIMELINE, 0};
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  VkSemaphore semaphore = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateSemaphore(v.device, &info, nullptr, &semaphore), VK_SUCCESS);
  v.later([d = v.device, semaphore] { vkDestroySemaphore(d, semaphore, nullptr); });
  return semaphore;
}
VkSemaphore binary(VulkanDevice& v) {
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, nullptr, 0};
  VkSemaphore semaphore = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateSemaphore(v.device, &info, nullptr, &semaphore), VK_SUCCESS);
  v.later([d = v.device, semaphore] { vkDestroySemaphore(d, semaphore, nullptr); });
  return semaphore;
}
int fd_of(const VulkanDevice& v, VkSemaphore semaphore, VkExternalSemaphoreHandleTypeFlagBits type) {
  const VkSemaphoreGetFdInfoKHR info{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, nullptr, semaphore, type};
  int fd = -1;
  EXPECT_EQ(v.proc<PFN_vkGetSemaphoreFdKHR>("vkGetSemaphoreFdKHR")(v.device, &info, &fd), VK_SUCCESS);
  return fd;
}
VkResult import_fd(const VulkanDevice& v, VkSemaphore semaphore, int fd, VkExternalSemaphoreHandleTypeFlagBits type,
                   VkSemaphoreImportFlags flags = 0) {
  const VkImportSemaphoreFdInfoKHR info{
      VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR, nullptr, semaphore, flags, type, fd};
  return v.proc<PFN_vkImportSemaphoreFdKHR>("vkImportSemaphoreFdKHR")(v.device, &info);
}
bool is_readable(int fd) {
  pollfd what{fd, POLLIN, 0};
  return ::poll(&what, 1, 0) == 1;
}

/// Submits `record`, behind and before points of a timeline.
void submit(VulkanDevice& v, VkSemaphore semaphore, std::uint64_t wait, std::uint64_t signal,
            const std::function<void(VkCommandBuffer)>& record) {
  const VkCommandBuffer c = v.commands();
  v.begin(c);
  record(c);
  ASSERT_EQ(vkEndCommandBuffer(c), VK_SUCCESS);
  const VkTimelineSemaphoreSubmitInfo values{
      VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &wait, 1, &signal};
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const VkSubmitInfo work{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, 1, &semaphore, &stage, 1, &c, 1, &semaphore};
  ASSERT_EQ(vkQueueSubmit(v.queue, 1, &work, VK_NULL_HANDLE), VK_SUCCESS);
}
void clear(VkCommandBuffer c, VkImage image, std::uint32_t value) {
  VkClearColorValue color{};
  color.uint32[0] = value;
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdClearColorImage(c, image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &all);
}
void copy_out(VkCommandBuffer c, VkImage image, VkBuffer to) {
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {16, 16, 1};
  vkCmdCopyImageToBuffer(c, image, VK_IMAGE_LAYOUT_GENERAL, to, 1, &region);
}

constexpr const char* kDescriptors = "SHARED_DESCRIPTORS";

// The part of the other process in the test below: waits for 1, reads the image and writes it, signals 2.
TEST(VulkanExternal, DISABLED_TheOtherProcess) {
  int memory = -1, semaphore = -1;
  const char* given = std::getenv(kDescriptors);
  ASSERT_NE(given, nullptr);
  ASSERT_EQ(std::sscanf(given, "%d %d", &memory, &semaphore), 2);
  VulkanDevice v(kExtensions);
  const SharedImage image(v, memory);
  const VkSemaphore shared = timeline(v);
  ASSERT_EQ(import_fd(v, shared, semaphore, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT), VK_SUCCESS);
  const auto out = v.buffer(kBytes);
  submit(v, shared, 1, 2, [&](VkCommandBuffer c) {
    copy_out(c, image.image, out.buffer);
    barrier(c);
    clear(c, image.image, 222);
  });
  ASSERT_EQ(vkQueueWaitIdle(v.queue), VK_SUCCESS);
  EXPECT_EQ(out.word(255), 111u);
}

TEST(VulkanExternal, TwoProcessesShareAnImageAndATimeline) {
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "the layer does not know the other process";
  VulkanDevice v(kExtensions);
  const SharedImage image(v, -1);
  const VkSemaphore shared = timeline(v);
  const int semaphore = fd_of(v, shared, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT);
  ASSERT_GE(image.fd, 0);
  ASSERT_GE(semaphore, 0);
  // What the other process inherits.
  const int a = ::dup(image.fd), b = ::dup(semaphore);
  setenv(kDescriptors, (std::to_string(a) + " " + std::to_string(b)).c_str(), 1);
  // Not the part of the tests that this process runs: the other one runs its test.
  std::vector<std::string> words{"env",
                                 "-u",
                                 "GTEST_TOTAL_SHARDS",
                                 "-u",
                                 "GTEST_SHARD_INDEX",
                                 std::filesystem::read_symlink("/proc/self/exe").string(),
                                 "--gtest_filter=VulkanExternal.DISABLED_TheOtherProcess",
                                 "--gtest_also_run_disabled_tests"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  ASSERT_EQ(::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ), 0);
  unsetenv(kDescriptors);
  const auto out = v.buffer(kBytes);
  submit(v, shared, 0, 1, [&](VkCommandBuffer c) { clear(c, image.image, 111); });
  submit(v, shared, 2, 3, [&](VkCommandBuffer c) { copy_out(c, image.image, out.buffer); });
  const std::uint64_t three = 3;
  const VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &shared, &three};
  EXPECT_EQ(v.proc<PFN_vkWaitSemaphoresKHR>("vkWaitSemaphoresKHR")(v.device, &wait, 60'000'000'000u), VK_SUCCESS);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the other process";
  for (std::uint32_t i = 0; i < 256; ++i) EXPECT_EQ(out.word(i), 222u) << i;
  for (const int fd : {a, b, image.fd, semaphore}) ::close(fd);
}

// Two devices of one process, memory of one allocation; what is no memory, or too little, is refused and stays open.
TEST(VulkanExternal, MemoryGoesFromDeviceToDevice) {
  VulkanDevice a(kExtensions), b(kExtensions);
  const SharedImage image(a, -1);
  const SharedImage same(b, ::dup(image.fd));
  EXPECT_EQ(a.run([&](VkCommandBuffer c) { clear(c, image.image, 77); }), VK_SUCCESS);
  const auto out = b.buffer(kBytes);
  EXPECT_EQ(b.run([&](VkCommandBuffer c) { copy_out(c, same.image, out.buffer); }), VK_SUCCESS);
  EXPECT_EQ(out.word(200), 77u);
  if (std::getenv("HEDDLE_TEST_VALIDATION") == nullptr) {
    const int nothing = ::open("/dev/null", O_RDONLY);
    for (const auto& [fd, size] : {std::pair{nothing, kBytes}, std::pair{image.fd, VkDeviceSize{1} << 30}}) {
      const VkImportMemoryFdInfoKHR from{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, nullptr,
                                         VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, fd};
      const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &from, size, 0};
      VkDeviceMemory memory = VK_NULL_HANDLE;
      EXPECT_EQ(vkAllocateMemory(b.device, &allocate, nullptr, &memory), VK_ERROR_INVALID_EXTERNAL_HANDLE);
      EXPECT_EQ(::fcntl(fd, F_GETFD), FD_CLOEXEC * (fd != nothing)) << "still the application's";
    }
    const VkSemaphore semaphore = binary(b);
    EXPECT_EQ(import_fd(b, semaphore, nothing, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT),
              VK_ERROR_INVALID_EXTERNAL_HANDLE);
    ::close(nothing);
  }
  ::close(image.fd);
}

TEST(VulkanExternal, TheDeviceSaysWhatIsShared) {
  const VkInstance instance = make_instance();
  const VkPhysicalDevice physical = physical_device(instance);
  const auto memory = [&](VkExternalMemoryHandleTypeFlagBits type) {
    const VkPhysicalDeviceExternalBufferInfo info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO, nullptr, 0,
                                                  VK_BUFFER_USAGE_TRANSFER_SRC_BIT, type};
    VkExternalBufferProperties buffers{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    vkGetPhysicalDeviceExternalBufferProperties(physical, &info, &buffers);
    const VkPhysicalDeviceExternalImageFormatInfo external{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
                                                           nullptr, type};
    const VkPhysicalDeviceImageFormatInfo2 asked{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                                 &external,
                                                 VK_FORMAT_R8G8B8A8_UNORM,
                                                 VK_IMAGE_TYPE_2D,
                                                 VK_IMAGE_TILING_OPTIMAL,
                                                 VK_IMAGE_USAGE_SAMPLED_BIT,
                                                 0};
    VkExternalImageFormatProperties of{VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
    VkImageFormatProperties2 images{VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, &of, {}};
    const VkResult result = vkGetPhysicalDeviceImageFormatProperties2(physical, &asked, &images);
    EXPECT_EQ(result == VK_SUCCESS, buffers.externalMemoryProperties.externalMemoryFeatures != 0);
    if (result == VK_SUCCESS) {
      EXPECT_EQ(of.externalMemoryProperties.externalMemoryFeatures,
                buffers.externalMemoryProperties.externalMemoryFeatures);
    }
    return buffers.externalMemoryProperties;
  };
  EXPECT_EQ(memory(VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT).externalMemoryFeatures,
            VkFlags{VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT});
  EXPECT_NE(memory(VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT).externalMemoryFeatures &
                VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT,
            0u);
  EXPECT_EQ(memory(VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT).externalMemoryFeatures,
            VkFlags{VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT});
  EXPECT_EQ(memory(VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT).externalMemoryFeatures, 0u);
  vkDestroyInstance(instance, nullptr);
}

// A sync file can be polled, and waited for by another semaphore, once.
TEST(VulkanExternal, SemaphoresAsWhatCanBePolled) {
  VulkanDevice v(kExtensions);
  const VkSemaphore from = binary(v), to = binary(v), last = binary(v);
  const auto work = [&](VkSemaphore wait, VkSemaphore signal) {
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.waitSemaphoreCount = wait != VK_NULL_HANDLE ? 1 : 0;
    info.pWaitSemaphores = &wait;
    info.pWaitDstStageMask = &stage;
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &signal;
    return vkQueueSubmit(v.queue, 1, &info, VK_NULL_HANDLE);
  };
  ASSERT_EQ(work(VK_NULL_HANDLE, from), VK_SUCCESS);
  const int fd = fd_of(v, from, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(vkQueueWaitIdle(v.queue), VK_SUCCESS);
  EXPECT_TRUE(is_readable(fd));
  ASSERT_EQ(import_fd(v, to, fd, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT, VK_SEMAPHORE_IMPORT_TEMPORARY_BIT),
            VK_SUCCESS);
  ASSERT_EQ(work(to, last), VK_SUCCESS);
  EXPECT_EQ(vkQueueWaitIdle(v.queue), VK_SUCCESS);
  // Its own state is back: signaled and waited for as ever.
  ASSERT_EQ(work(last, to), VK_SUCCESS);
  ASSERT_EQ(work(to, last), VK_SUCCESS);
  EXPECT_EQ(vkQueueWaitIdle(v.queue), VK_SUCCESS);
}

TEST(VulkanExternal, FencesAreSharedAndPolled) {
  VulkanDevice a(kExtensions), b(kExtensions);
  const auto make = [](VulkanDevice& v) {
    const VkExportFenceCreateInfo exported{
        VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO, nullptr,
        VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT | VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, &exported, 0};
    VkFence fence = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateFence(v.device, &info, nullptr, &fence), VK_SUCCESS);
    v.later([d = v.device, fence] { vkDestroyFence(d, fence, nullptr); });
    return fence;
  };
  const auto fd_from = [](const VulkanDevice& v, VkFence fence, VkExternalFenceHandleTypeFlagBits type) {
    const VkFenceGetFdInfoKHR info{VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR, nullptr, fence, type};
    int fd = -1;
    EXPECT_EQ(v.proc<PFN_vkGetFenceFdKHR>("vkGetFenceFdKHR")(v.device, &info, &fd), VK_SUCCESS);
    return fd;
  };
  const auto import_fence = [](const VulkanDevice& v, VkFence fence, int fd, VkExternalFenceHandleTypeFlagBits type,
                               VkFenceImportFlags flags) {
    const VkImportFenceFdInfoKHR info{VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR, nullptr, fence, flags, type, fd};
    return v.proc<PFN_vkImportFenceFdKHR>("vkImportFenceFdKHR")(v.device, &info);
  };
  const VkFence first = make(a), second = make(b);
  const int shared = fd_from(a, first, VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT);
  ASSERT_EQ(import_fence(b, second, shared, VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT, 0), VK_SUCCESS);
  EXPECT_EQ(vkGetFenceStatus(b.device, second), VK_NOT_READY);
  ASSERT_EQ(vkQueueSubmit(a.queue, 0, nullptr, first), VK_SUCCESS);
  EXPECT_EQ(vkWaitForFences(b.device, 1, &second, VK_TRUE, UINT64_MAX), VK_SUCCESS) << "of the other device";
  ASSERT_EQ(vkQueueWaitIdle(a.queue), VK_SUCCESS);
  ASSERT_EQ(vkResetFences(b.device, 1, &second), VK_SUCCESS);
  EXPECT_EQ(vkGetFenceStatus(a.device, first), VK_NOT_READY);

  ASSERT_EQ(vkQueueSubmit(a.queue, 0, nullptr, first), VK_SUCCESS);
  const int polled = fd_from(a, first, VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT);
  ASSERT_EQ(vkQueueWaitIdle(a.queue), VK_SUCCESS);
  EXPECT_TRUE(is_readable(polled));
  const VkFence third = make(b);
  ASSERT_EQ(import_fence(b, third, polled, VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT, VK_FENCE_IMPORT_TEMPORARY_BIT),
            VK_SUCCESS);
  EXPECT_EQ(vkWaitForFences(b.device, 1, &third, VK_TRUE, UINT64_MAX), VK_SUCCESS);
  ASSERT_EQ(vkResetFences(b.device, 1, &third), VK_SUCCESS);
  EXPECT_EQ(vkGetFenceStatus(b.device, third), VK_NOT_READY) << "its own state again";
}

// Who waits is woken also where the signal comes before the thread that listens for it has begun.
TEST(VulkanExternal, NoSignalIsMissed) {
  VulkanDevice a(kExtensions), b(kExtensions);
  const auto get = a.proc<PFN_vkGetFenceFdKHR>("vkGetFenceFdKHR");
  const auto import = b.proc<PFN_vkImportFenceFdKHR>("vkImportFenceFdKHR");
  constexpr std::uint64_t kLong = 300'000'000'000;  // nanoseconds; a signal that is missed never comes
  for (int k = 0; k < 200; ++k) {
    const VkExportFenceCreateInfo exported{VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO, nullptr,
                                           VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, &exported, 0};
    VkFence first = VK_NULL_HANDLE, second = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateFence(a.device, &info, nullptr, &first), VK_SUCCESS);
    ASSERT_EQ(vkCreateFence(b.device, &info, nullptr, &second), VK_SUCCESS);
    const VkFenceGetFdInfoKHR wanted{VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR, nullptr, first,
                                     VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT};
    int fd = -1;
    ASSERT_EQ(get(a.device, &wanted, &fd), VK_SUCCESS);
    const VkImportFenceFdInfoKHR imported{VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR,  nullptr, second, 0,
                                          VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT, fd};
    ASSERT_EQ(import(b.device, &imported), VK_SUCCESS);
    ASSERT_EQ(vkQueueSubmit(a.queue, 0, nullptr, first), VK_SUCCESS);
    ASSERT_EQ(vkWaitForFences(b.device, 1, &second, VK_TRUE, kLong), VK_SUCCESS) << k;
    ASSERT_EQ(vkQueueWaitIdle(a.queue), VK_SUCCESS);
    vkDestroyFence(a.device, first, nullptr);
    vkDestroyFence(b.device, second, nullptr);
  }
}

}  // namespace
}  // namespace heddle::test
