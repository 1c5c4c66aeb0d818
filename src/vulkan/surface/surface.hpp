// SPDX-License-Identifier: MIT
#pragma once
// Surfaces and swapchains.

#include <vulkan/vulkan.h>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "vulkan/api/handles.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/queue/queue.hpp"
#include "vulkan/surface/screen.hpp"

namespace heddle::vulkan {

struct Device;
struct Fence;
struct Semaphore;

/// Swapchains keep its screen: many programs destroy the surface, and the window, before them.
struct WindowSurface {
  std::shared_ptr<Screen> screen;
};

/// Pictures that the application draws, and the queue's thread shows one after another.
class Swapchain final : public Presenter {
 public:
  Swapchain(Device& device, WindowSurface& surface, const VkSwapchainCreateInfoKHR& info);
  ~Swapchain();
  /// Lays the pictures out; VK_SUCCESS when they are there.
  VkResult make_pictures(const VkSwapchainCreateInfoKHR& info);

  /// Waits for a picture that nobody uses.
  VkResult acquire(std::uint64_t timeout, Semaphore* semaphore, Fence* fence, std::uint32_t& index);
  /// What the application hears when it presents: whether the surface still has the size of the pictures.
  [[nodiscard]] VkResult look();
  void show(std::uint32_t index, std::uint64_t id) noexcept override;
  /// Waits until a picture of this id, or a later one, was shown.
  VkResult wait_for(std::uint64_t id, std::uint64_t timeout, const char* command);
  /// The application gives a picture back that it has acquired.
  void give_back(std::uint32_t index);
  void retire();
  [[nodiscard]] bool is_retired() const { return retired_; }

  [[nodiscard]] std::size_t count() const { return pictures_.size(); }
  [[nodiscard]] Image* image(std::size_t index) { return pictures_.at(index).image.get(); }
  [[nodiscard]] const VkImageCreateInfo& image_info() const { return image_info_; }
  [[nodiscard]] const std::shared_ptr<image::Memory>& memory(std::size_t index) const {
    return pictures_.at(index).memory;
  }

 private:
  /// Whether a size of the surface is that of the pictures.
  [[nodiscard]] VkResult compare(std::optional<VkExtent2D> size) const;
  void show_on_screen(const Image& shown);
  /// As a frame, where HEDDLE_GOLDEN asks for them.
  void record(const image::Surface& picture);
  struct Picture {
    std::unique_ptr<Image> image;
    std::shared_ptr<image::Memory> memory;
    bool taken = false;  ///< by the application, or waits to be shown; under Device::mutex
  };
  Device& device_;
  const std::shared_ptr<Screen> screen_;
  const VkExtent2D extent_;
  const bool bgra_;         ///< pictures are as screens take them; others are converted
  image::Surface shown_{};  ///< the converted one
  VkImageCreateInfo image_info_{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  std::vector<Picture> pictures_;
  std::size_t next_ = 0;  ///< where the search for a free picture begins: they come in turn
  std::atomic<bool> retired_ = false;
  std::atomic<bool> looked_ = false;  ///< at the surface, since the last picture was acquired
  std::uint64_t shown_id_ = 0;        ///< the greatest id of a picture that was shown; under Device::mutex
  std::uint64_t taken_memory_ = 0;
};

HEDDLE_HANDLE(WindowSurface, VkSurfaceKHR)
HEDDLE_HANDLE(Swapchain, VkSwapchainKHR)

}  // namespace heddle::vulkan
