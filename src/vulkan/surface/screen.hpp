// SPDX-License-Identifier: MIT
#pragma once
// Where pictures are shown.

#include <vulkan/vulkan.h>

#include <atomic>
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
  /// A picture with texels of four bytes, blue first. False when the screen is gone.
  virtual bool show(const image::Surface& picture) = 0;
  /// No swapchain is left: what belongs to the connection goes, which the application may close before it destroys the
  /// surface. Nothing behind it uses the connection, unless something is shown again.
  virtual void release() {}
  std::atomic<unsigned> swapchains = 0;
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
