// SPDX-License-Identifier: MIT
#pragma once
// Where pictures are shown.

#include <vulkan/vulkan.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "image/surface.hpp"

namespace heddle::vulkan {

class Screen {
 public:
  static constexpr VkExtent2D kAnySize{UINT32_MAX, UINT32_MAX};
  Screen() = default;
  virtual ~Screen() = default;
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  /// kAnySize: the pictures decide. Nothing: it is gone.
  [[nodiscard]] virtual std::optional<VkExtent2D> size() = 0;
  /// What the last look found, wherever it was made; looks where nobody has.
  [[nodiscard]] std::optional<VkExtent2D> known_size() {
    return known_.load() == kUnknown ? size() : unpack(known_.load());
  }
  /// Memory for a picture that is shown from where it lies; null where there is none of its kind.
  [[nodiscard]] virtual std::shared_ptr<image::Memory> memory(std::size_t /*bytes*/) { return nullptr; }
  /// A picture with texels of four bytes, blue first. False when the screen is gone.
  virtual bool show(const image::Surface& picture) = 0;
  /// No swapchain is left: what belongs to the connection goes, which the application may close before it destroys the
  /// surface. Nothing behind it uses the connection, unless something is shown again.
  virtual void release() {}
  /// A swapchain is gone, and what memory() gave to it.
  virtual void forget_unused() {}
  std::atomic<unsigned> swapchains = 0;

 protected:
  /// Keeps what a look has found.
  std::optional<VkExtent2D> know(std::optional<VkExtent2D> found) {
    known_ = found ? std::uint64_t{found->width} << 32 | found->height : kGone;
    return found;
  }

 private:
  static constexpr std::uint64_t kUnknown = UINT64_MAX - 1, kGone = UINT64_MAX - 2;
  [[nodiscard]] static std::optional<VkExtent2D> unpack(std::uint64_t size) {
    if (size == kGone) return std::nullopt;
    return VkExtent2D{static_cast<std::uint32_t>(size >> 32), static_cast<std::uint32_t>(size)};
  }
  std::atomic<std::uint64_t> known_ = kUnknown;
};

/// Shows nothing and takes every size (VK_EXT_headless_surface).
[[nodiscard]] std::unique_ptr<Screen> headless_screen();

/// The window of an X server. Null where libxcb can't be loaded.
[[nodiscard]] std::unique_ptr<Screen> xcb_screen(void* connection, std::uint32_t window);
/// The surface of a Wayland compositor. Null where libwayland-client can't be loaded.
[[nodiscard]] std::unique_ptr<Screen> wayland_screen(void* display, void* surface);
/// The connection of an Xlib display; null where libX11-xcb can't be loaded.
[[nodiscard]] void* xcb_connection_of(void* display);

}  // namespace heddle::vulkan
