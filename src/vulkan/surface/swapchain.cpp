// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <span>
#include <string>

#include "pipeline/transfer/transfer.hpp"
#include "vulkan/capture/captured_frames.hpp"
#include "vulkan/capture/frame_recorder.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/device/waits.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/sync/fence.hpp"
#include "vulkan/objects/sync/semaphore.hpp"
#include "vulkan/objects/sync/shared.hpp"
#include "vulkan/queue/queue.hpp"
#include "vulkan/surface/surface.hpp"

namespace heddle::vulkan {
namespace {

namespace transfer = pipeline::transfer;

bool is_bgra(VkFormat format) { return format == VK_FORMAT_B8G8R8A8_UNORM || format == VK_FORMAT_B8G8R8A8_SRGB; }

/// Opposite corners of a picture.
transfer::BlitBox whole(const image::Surface& picture) {
  const auto width = static_cast<std::int32_t>(picture.width), height = static_cast<std::int32_t>(picture.height);
  return {0, 0, 1, {transfer::Offset{}, transfer::Offset{width, height, 1}}};
}

/// What the chain of a present says of each of its pictures.
struct Identified {
  const VkPresentIdKHR* ids;
  const VkPresentId2KHR* ids2;
  const VkSwapchainPresentFenceInfoKHR* fences;
  explicit Identified(const void* chain)
      : ids(find_in_chain<VkPresentIdKHR>(chain, VK_STRUCTURE_TYPE_PRESENT_ID_KHR)),
        ids2(find_in_chain<VkPresentId2KHR>(chain, VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR)),
        fences(
            find_in_chain<VkSwapchainPresentFenceInfoKHR>(chain, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_KHR)) {}
  [[nodiscard]] std::uint64_t id_of(std::uint32_t i) const {
    if (ids2 != nullptr && ids2->pPresentIds != nullptr && i < ids2->swapchainCount) return ids2->pPresentIds[i];
    return ids != nullptr && ids->pPresentIds != nullptr && i < ids->swapchainCount ? ids->pPresentIds[i] : 0;
  }
  [[nodiscard]] Fence* fence_of(std::uint32_t i) const {
    return fences != nullptr && i < fences->swapchainCount ? from_handle(fences->pFences[i]) : nullptr;
  }
};

}  // namespace

Swapchain::Swapchain(Device& device, WindowSurface& surface, const VkSwapchainCreateInfoKHR& info)
    : device_(device), screen_(surface.screen), extent_(info.imageExtent), bgra_(is_bgra(info.imageFormat)) {
  ++screen_->swapchains;
}

Swapchain::~Swapchain() {
  device_.give_back_memory(taken_memory_);
  pictures_.clear();
  if (--screen_->swapchains == 0)
    screen_->release();
  else
    screen_->forget_unused();
}

VkResult Swapchain::make_pictures(const VkSwapchainCreateInfoKHR& info) {
  image_info_.imageType = VK_IMAGE_TYPE_2D;
  image_info_.format = info.imageFormat;
  image_info_.extent = {info.imageExtent.width, info.imageExtent.height, 1};
  image_info_.mipLevels = 1;
  image_info_.arrayLayers = info.imageArrayLayers;
  image_info_.samples = VK_SAMPLE_COUNT_1_BIT;
  image_info_.usage = info.imageUsage;
  if ((info.flags & VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR) != 0)
    image_info_.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
  for (std::uint32_t i = 0; i < std::max(2u, info.minImageCount); ++i) {
    Picture picture;
    picture.image = std::make_unique<Image>();
    if (const VkResult result = lay_out_image(image_info_, *picture.image); result != VK_SUCCESS) return result;
    if (!device_.take_memory(picture.image->size)) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    taken_memory_ += picture.image->size;
    if (bgra_) picture.memory = screen_->memory(static_cast<std::size_t>(picture.image->size));
    if (!picture.memory)
      picture.memory = std::make_shared<image::Memory>(static_cast<std::size_t>(picture.image->size));
    if (!bind_image(*picture.image, picture.memory, 0)) throw std::bad_alloc();
    pictures_.push_back(std::move(picture));
  }
  if (bgra_) return VK_SUCCESS;
  shown_.format = image::Format::B8G8R8A8_UNORM;
  shown_.width = extent_.width;
  shown_.height = extent_.height;
  return image::allocate(shown_).ok() ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

VkResult Swapchain::look() {
  looked_ = true;
  return compare(screen_->size());
}

VkResult Swapchain::compare(std::optional<VkExtent2D> size) const {
  if (!size) return VK_ERROR_SURFACE_LOST_KHR;
  const bool same =
      size->width == Screen::kAnySize.width || (size->width == extent_.width && size->height == extent_.height);
  return same ? VK_SUCCESS : VK_ERROR_OUT_OF_DATE_KHR;
}

VkResult Swapchain::acquire(std::uint64_t timeout, Semaphore* semaphore, Fence* fence, std::uint32_t& index) {
  if (retired_) return VK_ERROR_OUT_OF_DATE_KHR;
  // Who has presented since has heard of its size.
  const VkResult fits = looked_.exchange(false) ? compare(screen_->known_size()) : compare(screen_->size());
  if (fits != VK_SUCCESS) return fits;
  std::unique_lock lock(device_.mutex);
  const auto found = [&] {
    for (std::size_t i = 0; i < pictures_.size(); ++i)
      if (!pictures_[(next_ + i) % pictures_.size()].taken) {
        next_ = (next_ + i) % pictures_.size();
        return true;
      }
    return false;
  };
  // A loss is said when the queue's thread has ended what it did.
  const auto over = [&] { return device_.reports_loss() || (!device_.lost && found()); };
  if (is_endless(timeout)) {
    if (!wait_hopefully(device_, lock, device_.changed.others(), over)) {
      lock.unlock();
      device_.physical.instance.error("vulkan-wait",
                                      give_up_words("vkAcquireNextImageKHR", "the application has all pictures"));
      return VK_TIMEOUT;
    }
  } else {
    const Uncanceled uncanceled;
    if (!device_.changed.others().wait_until(lock, std::chrono::steady_clock::now() + std::chrono::nanoseconds(timeout),
                                             over))
      return timeout == 0 ? VK_NOT_READY : VK_TIMEOUT;
  }
  if (device_.lost) return VK_ERROR_DEVICE_LOST;
  index = static_cast<std::uint32_t>(next_);
  pictures_[next_].taken = true;
  next_ = (next_ + 1) % pictures_.size();
  if (semaphore != nullptr) semaphore->signal_now();
  if (fence != nullptr) fence->signal();
  device_.changed.notify_all();
  return VK_SUCCESS;
}

// What leaves it ends the process: the queue has nobody to tell.
void Swapchain::show(std::uint32_t index, std::uint64_t id) noexcept {
  if (index >= pictures_.size()) return;
  try {
    record(pictures_[index].image->planes[0].surface);
    show_on_screen(*pictures_[index].image);
  } catch (const std::exception& e) {  // without memory this picture is left out; the next one may be seen
    device_.physical.instance.error("vulkan-command", std::string("a picture is not shown: ") + e.what());
  }
  const std::lock_guard guard(device_.mutex);
  pictures_[index].taken = false;
  shown_id_ = std::max(shown_id_, id);
  device_.changed.notify_all();
}

VkResult Swapchain::wait_for(std::uint64_t id, std::uint64_t timeout, const char* command) {
  // What a retired swapchain has not shown when nothing is left to do, it never shows.
  const auto never = [&] { return shown_id_ < id && retired_ && device_.queue_state.idle(); };
  const VkResult result = timed_wait(device_, timeout, command, "no picture of that id was presented",
                                     [&] { return shown_id_ >= id || never(); });
  const std::lock_guard guard(device_.mutex);
  return result == VK_SUCCESS && never() ? VK_ERROR_OUT_OF_DATE_KHR : result;
}

void Swapchain::give_back(std::uint32_t index) {
  const std::lock_guard guard(device_.mutex);
  if (index < pictures_.size()) pictures_[index].taken = false;
  device_.changed.notify_all();
}

void Swapchain::retire() {
  const std::lock_guard guard(device_.mutex);
  retired_ = true;
  device_.changed.notify_all();
}

void Swapchain::record(const image::Surface& picture) {
  FrameRecorder* const recorder = FrameRecorder::find();
  if (device_.capture) CapturedFrames::of_process().next(recorder == nullptr);
  if (recorder == nullptr || !recorder->of_presents() || device_.lost) return;
  if (const std::string problem = recorder->add(picture); !problem.empty())
    device_.physical.instance.error("vulkan-golden", problem);
}

void Swapchain::show_on_screen(const Image& shown) {
  if (!device_.lost && compare(screen_->known_size()) == VK_SUCCESS) {
    image::Surface picture = shown.planes[0].surface;
    // What lies in sRGB is shown as it lies there.
    if (picture.format == image::Format::R8G8B8A8_UNORM_SRGB) picture.format = image::Format::R8G8B8A8_UNORM;
    const bool ready =
        bgra_ || transfer::blit(picture, whole(picture), shown_, whole(shown_), image::Filter::Nearest).ok();
    if (ready) (void)screen_->show(bgra_ ? picture : shown_);
  }
}

const std::shared_ptr<image::Memory>& picture_memory(VkSwapchainKHR swapchain, std::uint32_t index) {
  return from_handle(swapchain)->memory(index);
}

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateSwapchainKHR(VkDevice device, const VkSwapchainCreateInfoKHR* pCreateInfo,
                                                  const VkAllocationCallbacks*, VkSwapchainKHR* pSwapchain) {
  return guarded([&] {
    if (pCreateInfo->oldSwapchain != VK_NULL_HANDLE) from_handle(pCreateInfo->oldSwapchain)->retire();
    auto made = std::make_unique<Swapchain>(*from_handle(device), *from_handle(pCreateInfo->surface), *pCreateInfo);
    const VkResult result = made->make_pictures(*pCreateInfo);
    if (result == VK_SUCCESS) *pSwapchain = to_handle(made.release());
    return result;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroySwapchainKHR(VkDevice device, VkSwapchainKHR swapchain,
                                               const VkAllocationCallbacks*) {
  if (swapchain == VK_NULL_HANDLE) return;
  from_handle(device)->queues->wait_presented("vkDestroySwapchainKHR");
  Swapchain& pictures = *from_handle(swapchain);
  for (std::size_t i = 0; i < pictures.count(); ++i)
    from_handle(device)->forget(reinterpret_cast<std::uint64_t>(pictures.image(i)));
  destroy(device, &pictures);
}
VKAPI_ATTR VkResult VKAPI_CALL GetSwapchainImagesKHR(VkDevice, VkSwapchainKHR swapchain, uint32_t* pCount,
                                                     VkImage* pImages) {
  return guarded([&] {
    Swapchain& from = *from_handle(swapchain);
    std::vector<Image*> all;
    for (std::size_t i = 0; i < from.count(); ++i) all.push_back(from.image(i));
    return give_list(all, pCount, pImages, [](VkImage& to, Image* image) { to = to_handle(image); });
  });
}

VKAPI_ATTR VkResult VKAPI_CALL AcquireNextImageKHR(VkDevice, VkSwapchainKHR swapchain, uint64_t timeout,
                                                   VkSemaphore semaphore, VkFence fence, uint32_t* pImageIndex) {
  return guarded([&] {
    return from_handle(swapchain)->acquire(timeout, from_handle(semaphore), from_handle(fence), *pImageIndex);
  });
}
VKAPI_ATTR VkResult VKAPI_CALL AcquireNextImage2KHR(VkDevice, const VkAcquireNextImageInfoKHR* pInfo,
                                                    uint32_t* pImageIndex) {
  return guarded([&] {
    return from_handle(pInfo->swapchain)
        ->acquire(pInfo->timeout, from_handle(pInfo->semaphore), from_handle(pInfo->fence), *pImageIndex);
  });
}

// Screens show what pictures hold, as sRGB.
VKAPI_ATTR void VKAPI_CALL SetHdrMetadataEXT(VkDevice, uint32_t, const VkSwapchainKHR*, const VkHdrMetadataEXT*) {}

VKAPI_ATTR VkResult VKAPI_CALL ReleaseSwapchainImagesKHR(VkDevice,
                                                         const VkReleaseSwapchainImagesInfoKHR* pReleaseInfo) {
  for (const std::uint32_t index : std::span(pReleaseInfo->pImageIndices, pReleaseInfo->imageIndexCount))
    from_handle(pReleaseInfo->swapchain)->give_back(index);
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL WaitForPresentKHR(VkDevice, VkSwapchainKHR swapchain, uint64_t presentId,
                                                 uint64_t timeout) {
  return guarded([&] { return from_handle(swapchain)->wait_for(presentId, timeout, "vkWaitForPresentKHR"); });
}
VKAPI_ATTR VkResult VKAPI_CALL WaitForPresent2KHR(VkDevice, VkSwapchainKHR swapchain,
                                                  const VkPresentWait2InfoKHR* pInfo) {
  return guarded(
      [&] { return from_handle(swapchain)->wait_for(pInfo->presentId, pInfo->timeout, "vkWaitForPresent2KHR"); });
}

VKAPI_ATTR VkResult VKAPI_CALL QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR* pPresentInfo) {
  return guarded([&] {
    Submission submission;
    for (const VkSemaphore wait : std::span(pPresentInfo->pWaitSemaphores, pPresentInfo->waitSemaphoreCount))
      if (wait != VK_NULL_HANDLE) submission.waits.push_back({from_handle(wait), 0});
    submission.frame = read_frame(pPresentInfo->pNext);
    const Identified identified(pPresentInfo->pNext);
    VkResult worst = VK_SUCCESS;
    for (std::uint32_t i = 0; i < pPresentInfo->swapchainCount; ++i) {
      Swapchain* swapchain = from_handle(pPresentInfo->pSwapchains[i]);
      const std::uint32_t index = pPresentInfo->pImageIndices[i];
      submission.presents.push_back(
          {index < swapchain->count() ? swapchain : nullptr, index, identified.id_of(i), identified.fence_of(i)});
      const VkResult one =
          index >= swapchain->count() || swapchain->is_retired() ? VK_ERROR_OUT_OF_DATE_KHR : swapchain->look();
      if (pPresentInfo->pResults != nullptr) pPresentInfo->pResults[i] = one;
      if (worst == VK_SUCCESS) worst = one;
    }
    std::vector<Submission> list;
    list.push_back(std::move(submission));
    const VkResult result = from_handle(queue)->all.submit(*from_handle(queue), std::move(list), "vkQueuePresentKHR");
    return result == VK_SUCCESS ? worst : result;
  });
}

}  // namespace entry
}  // namespace heddle::vulkan
