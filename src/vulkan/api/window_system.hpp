// SPDX-License-Identifier: MIT
#pragma once
// Vulkan with the windows of X and the surfaces of Wayland. Their types are named here, so that the driver is built
// without their headers.

#include <cstdint>

#include "vulkan/generated/newer.hpp"

extern "C" {
struct xcb_connection_t;
struct _XDisplay;  // NOLINT: Xlib's name
struct wl_display;
struct wl_surface;
}
using xcb_connection_t = struct xcb_connection_t;
using xcb_window_t = std::uint32_t;
using xcb_visualid_t = std::uint32_t;
using Display = struct _XDisplay;
using Window = unsigned long;    // NOLINT: Xlib's type
using VisualID = unsigned long;  // NOLINT

#include <vulkan/vulkan_wayland.h>
#include <vulkan/vulkan_xcb.h>
#include <vulkan/vulkan_xlib.h>
