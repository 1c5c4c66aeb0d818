// SPDX-License-Identifier: MIT
#include "vulkan/surface/surface.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "image/surface_limits.hpp"
#include "vulkan/device/instance.hpp"
#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan {
namespace {

constexpr std::array kFormats{VkSurfaceFormatKHR{VK_FORMAT_B8G8R8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
                              VkSurfaceFormatKHR{VK_FORMAT_B8G8R8A8_SRGB, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
                              VkSurfaceFormatKHR{VK_FORMAT_R8G8B8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
                              VkSurfaceFormatKHR{VK_FORMAT_R8G8B8A8_SRGB, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR}};
constexpr std::array kModes{VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR,
                            VK_PRESENT_MODE_FIFO_RELAXED_KHR, VK_PRESENT_MODE_FIFO_LATEST_READY_KHR};

VkResult capabilities_of(WindowSurface& surface, VkSurfaceCapabilitiesKHR& to) {
  const std::optional<VkExtent2D> size = surface.screen->size();
  if (!size) return VK_ERROR_SURFACE_LOST_KHR;
  const bool any = size->width == Screen::kAnySize.width;
  to = {};
  to.minImageCount = 2;
  to.maxImageCount = 0;
  to.currentExtent = *size;
  to.minImageExtent = any ? VkExtent2D{1, 1} : *size;
  to.maxImageExtent = any ? VkExtent2D{image::kMaxSurfaceSide, image::kMaxSurfaceSide} : *size;
  to.maxImageArrayLayers = 1;
  to.supportedTransforms = to.currentTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
  to.supportedCompositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR | VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
  to.supportedUsageFlags = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                           VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                           VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
  return VK_SUCCESS;
}

/// What structures of a chain ask to know.
void add_capabilities(const VkSurfaceCapabilitiesKHR& of, const void* asked, void* chain) {
  if (auto* scaling = find_out_chain<VkSurfacePresentScalingCapabilitiesKHR>(
          chain, VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_KHR)) {
    // Pictures are shown in their own size.
    scaling->supportedPresentScaling = 0;
    scaling->supportedPresentGravityX = scaling->supportedPresentGravityY = 0;
    scaling->minScaledImageExtent = of.minImageExtent;
    scaling->maxScaledImageExtent = of.maxImageExtent;
  }
  // The modes differ in nothing that a swapchain knows: pictures are shown when the queue comes to them.
  if (auto* compatible = find_out_chain<VkSurfacePresentModeCompatibilityKHR>(
          chain, VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_KHR)) {
    auto modes = kModes;
    const auto* mode = find_in_chain<VkSurfacePresentModeKHR>(asked, VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_KHR);
    if (const auto own = mode == nullptr ? modes.end() : std::ranges::find(modes, mode->presentMode);
        own != modes.end())
      std::swap(modes[0], *own);  // it is given before all others
    (void)give_list(modes, &compatible->presentModeCount, compatible->pPresentModes,
                    [](VkPresentModeKHR& to, VkPresentModeKHR from) { to = from; });
  }
  if (auto* ids = find_out_chain<VkSurfaceCapabilitiesPresentId2KHR>(
          chain, VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_ID_2_KHR))
    ids->presentId2Supported = VK_TRUE;
  if (auto* waits = find_out_chain<VkSurfaceCapabilitiesPresentWait2KHR>(
          chain, VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_WAIT_2_KHR))
    waits->presentWait2Supported = VK_TRUE;
}

template <typename MakeScreen>
VkResult make_surface(const MakeScreen& make_screen, VkSurfaceKHR* out) {
  return guarded([&] {
    std::unique_ptr<Screen> screen = make_screen();
    if (!screen) return VK_ERROR_INITIALIZATION_FAILED;
    auto surface = std::make_unique<WindowSurface>();
    surface->screen = std::move(screen);
    *out = to_handle(surface.release());
    return VK_SUCCESS;
  });
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateHeadlessSurfaceEXT(VkInstance, const VkHeadlessSurfaceCreateInfoEXT*,
                                                        const VkAllocationCallbacks*, VkSurfaceKHR* pSurface) {
  return make_surface(headless_screen, pSurface);
}
VKAPI_ATTR VkResult VKAPI_CALL CreateXcbSurfaceKHR(VkInstance, const VkXcbSurfaceCreateInfoKHR* pCreateInfo,
                                                   const VkAllocationCallbacks*, VkSurfaceKHR* pSurface) {
  return make_surface([&] { return xcb_screen(pCreateInfo->connection, pCreateInfo->window); }, pSurface);
}
VKAPI_ATTR VkResult VKAPI_CALL CreateXlibSurfaceKHR(VkInstance, const VkXlibSurfaceCreateInfoKHR* pCreateInfo,
                                                    const VkAllocationCallbacks*, VkSurfaceKHR* pSurface) {
  void* connection = xcb_connection_of(pCreateInfo->dpy);
  if (connection == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  return make_surface([&] { return xcb_screen(connection, static_cast<std::uint32_t>(pCreateInfo->window)); },
                      pSurface);
}
VKAPI_ATTR VkResult VKAPI_CALL CreateWaylandSurfaceKHR(VkInstance, const VkWaylandSurfaceCreateInfoKHR* pCreateInfo,
                                                       const VkAllocationCallbacks*, VkSurfaceKHR* pSurface) {
  return make_surface([&] { return wayland_screen(pCreateInfo->display, pCreateInfo->surface); }, pSurface);
}
VKAPI_ATTR void VKAPI_CALL DestroySurfaceKHR(VkInstance, VkSurfaceKHR surface, const VkAllocationCallbacks*) {
  delete from_handle(surface);
}

// Windows that can't be shown to are refused when they become surfaces.
VKAPI_ATTR VkBool32 VKAPI_CALL GetPhysicalDeviceXcbPresentationSupportKHR(VkPhysicalDevice, uint32_t, xcb_connection_t*,
                                                                          xcb_visualid_t) {
  return VK_TRUE;
}
VKAPI_ATTR VkBool32 VKAPI_CALL GetPhysicalDeviceXlibPresentationSupportKHR(VkPhysicalDevice, uint32_t, Display*,
                                                                           VisualID) {
  return VK_TRUE;
}
VKAPI_ATTR VkBool32 VKAPI_CALL GetPhysicalDeviceWaylandPresentationSupportKHR(VkPhysicalDevice, uint32_t, wl_display*) {
  return VK_TRUE;
}
VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfaceSupportKHR(VkPhysicalDevice, uint32_t, VkSurfaceKHR,
                                                                  VkBool32* pSupported) {
  *pSupported = VK_TRUE;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfaceCapabilitiesKHR(VkPhysicalDevice, VkSurfaceKHR surface,
                                                                       VkSurfaceCapabilitiesKHR* pCapabilities) {
  return capabilities_of(*from_handle(surface), *pCapabilities);
}
VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfaceCapabilities2KHR(
    VkPhysicalDevice, const VkPhysicalDeviceSurfaceInfo2KHR* pSurfaceInfo, VkSurfaceCapabilities2KHR* pCapabilities) {
  const VkResult result = capabilities_of(*from_handle(pSurfaceInfo->surface), pCapabilities->surfaceCapabilities);
  if (result == VK_SUCCESS)
    add_capabilities(pCapabilities->surfaceCapabilities, pSurfaceInfo->pNext, pCapabilities->pNext);
  return result;
}
VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfaceFormatsKHR(VkPhysicalDevice, VkSurfaceKHR, uint32_t* pCount,
                                                                  VkSurfaceFormatKHR* pFormats) {
  return give_list(kFormats, pCount, pFormats,
                   [](VkSurfaceFormatKHR& to, const VkSurfaceFormatKHR& from) { to = from; });
}
VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfaceFormats2KHR(VkPhysicalDevice,
                                                                   const VkPhysicalDeviceSurfaceInfo2KHR*,
                                                                   uint32_t* pCount, VkSurfaceFormat2KHR* pFormats) {
  return give_list(kFormats, pCount, pFormats,
                   [](VkSurfaceFormat2KHR& to, const VkSurfaceFormatKHR& from) { to.surfaceFormat = from; });
}
VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfacePresentModesKHR(VkPhysicalDevice, VkSurfaceKHR, uint32_t* pCount,
                                                                       VkPresentModeKHR* pModes) {
  return give_list(kModes, pCount, pModes, [](VkPresentModeKHR& to, VkPresentModeKHR from) { to = from; });
}
VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDevicePresentRectanglesKHR(VkPhysicalDevice, VkSurfaceKHR surface,
                                                                     uint32_t* pCount, VkRect2D* pRects) {
  const std::optional<VkExtent2D> size = from_handle(surface)->screen->size();
  if (!size) return VK_ERROR_SURFACE_LOST_KHR;
  const std::array all{*size};
  return give_list(all, pCount, pRects, [](VkRect2D& to, VkExtent2D from) { to = {{0, 0}, from}; });
}
VKAPI_ATTR VkResult VKAPI_CALL GetDeviceGroupPresentCapabilitiesKHR(VkDevice,
                                                                    VkDeviceGroupPresentCapabilitiesKHR* pTo) {
  std::fill(std::begin(pTo->presentMask), std::end(pTo->presentMask), 0u);
  pTo->presentMask[0] = 1;
  pTo->modes = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL GetDeviceGroupSurfacePresentModesKHR(VkDevice, VkSurfaceKHR,
                                                                    VkDeviceGroupPresentModeFlagsKHR* pModes) {
  *pModes = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
  return VK_SUCCESS;
}

}  // namespace entry
}  // namespace heddle::vulkan
