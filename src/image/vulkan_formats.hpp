// SPDX-License-Identifier: MIT
#pragma once
// Vulkan's formats as images have them: which surfaces make an image of a VkFormat (VKF-1 to VKF-4).

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "image/format.hpp"

namespace heddle::image {

/// The parts of an image that a transfer or a view names.
enum class Aspect : std::uint8_t { Color, Depth, Stencil, Plane0, Plane1, Plane2 };

/// One surface of an image: its format, and by what the image's width and height are divided (rounded up).
struct FormatPlane {
  Format format{};
  std::uint8_t width_divisor = 1, height_divisor = 1;
};

struct VulkanFormat {
  std::uint32_t number = 0;  ///< of VkFormat
  std::string_view name;     ///< without VK_FORMAT_
  std::array<FormatPlane, 3> planes{};
  std::uint8_t plane_count = 1;  ///< surfaces; depth stands before stencil
  bool depth = false, stencil = false;
  /// Multi-planar: the format of the one surface that samples all planes (its `chroma` places say where they are).
  /// 4:2:2 in one plane: the format of half a pair.
  std::optional<Format> sampled;
  std::optional<Format> vertex;  ///< of an attribute (pipeline/vertex_formats.hpp); depth, stencil and planes have none
  bool wide_integer = false;  ///< R64_UINT, R64_SINT: the surface has the low and the high word of a texel as R and G

  /// 4:2:2 in one plane: whether a pair of texels begins with luma or with blue. A pair is one texel of the surface.
  enum class Pairs : std::uint8_t { LumaFirst, BlueFirst };
  std::optional<Pairs> pairs;

  [[nodiscard]] bool multi_planar() const { return plane_count > 1 && !depth; }
  /// Index into `planes`, nullopt: the format has no such aspect.
  [[nodiscard]] std::optional<unsigned> plane_of(Aspect aspect) const;
};

/// All formats that an image or a vertex attribute can have, in order of number.
[[nodiscard]] std::span<const VulkanFormat> vulkan_formats();
/// nullptr: no surface stores it.
[[nodiscard]] const VulkanFormat* find_vulkan_format(std::uint32_t number);

}  // namespace heddle::image
