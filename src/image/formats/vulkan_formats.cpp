// SPDX-License-Identifier: MIT
// Rules: VKF-1 to VKF-4.

#include "image/vulkan_formats.hpp"

#include <algorithm>
#include <vector>

namespace heddle::image {
namespace {

constexpr VulkanFormat single(std::uint32_t number, std::string_view name, Format format) {
  VulkanFormat row{.number = number, .name = name};
  row.planes[0].format = format;
  row.vertex = format;
  return row;
}

constexpr VulkanFormat depth_stencil(std::uint32_t number, std::string_view name, std::optional<Format> depth,
                                     bool stencil) {
  VulkanFormat row{.number = number, .name = name};
  row.plane_count = 0;
  if (depth) row.planes[row.plane_count++].format = *depth;
  if (stencil) row.planes[row.plane_count++].format = Format::R8_UINT;
  row.depth = depth.has_value();
  row.stencil = stencil;
  return row;
}

template <typename... Formats>
constexpr VulkanFormat planar(std::uint32_t number, std::string_view name, std::optional<Format> sampled,
                              std::uint8_t width_divisor, std::uint8_t height_divisor, Formats... formats) {
  VulkanFormat row{.number = number, .name = name};
  row.plane_count = 0;
  for (const Format format : {formats...}) {
    const bool luma = row.plane_count == 0;
    row.planes[row.plane_count++] = {format, luma ? std::uint8_t{1} : width_divisor,
                                     luma ? std::uint8_t{1} : height_divisor};
  }
  row.sampled = sampled;
  return row;
}

constexpr VulkanFormat paired(std::uint32_t number, std::string_view name, VulkanFormat::Pairs order, Format pair,
                              Format half) {
  VulkanFormat row{.number = number, .name = name};
  row.planes[0] = {pair, 2, 1};
  row.pairs = order;
  row.sampled = half;
  return row;
}

constexpr VulkanFormat wide(std::uint32_t number, std::string_view name, Format vertex) {
  VulkanFormat row = single(number, name, Format::R32G32_UINT);
  row.vertex = vertex;
  row.wide_integer = true;
  return row;
}

/// Rows of one surface for each texel's meaning; they give way to those of kPlanes.
constexpr VulkanFormat kSingle[] = {
#define HEDDLE_VULKAN(number, name, format) single(number, #name, Format::format),
#define HEDDLE_VULKAN_ALIAS(number, name, format) single(number, #name, Format::format),
#include "image/formats/vulkan.inc"
#undef HEDDLE_VULKAN
#undef HEDDLE_VULKAN_ALIAS
};

struct Named {
  static constexpr std::optional<Format> None = std::nullopt;
#define HEDDLE_FORMAT(name, code, ...) static constexpr std::optional<Format> name = Format::name;
#include "image/format_table.inc"
#undef HEDDLE_FORMAT
};

constexpr VulkanFormat kPlanes[] = {
#define HEDDLE_DEPTH_STENCIL(number, name, depth, stencil) depth_stencil(number, #name, Named::depth, stencil),
#define HEDDLE_PLANES(number, name, sampled, width, height, ...) \
  planar(number, #name, Named::sampled, width, height, __VA_ARGS__),
#define HEDDLE_PAIRS(number, name, order, pair, half) \
  paired(number, #name, VulkanFormat::Pairs::order, Format::pair, Format::half),
#define HEDDLE_WIDE(number, name, vertex) wide(number, #name, Format::vertex),
#define HEDDLE_PADDED(number, name, format) single(number, #name, Format::format),
#define HEDDLE_VERTEX(number, name, vertex) single(number, #name, Format::vertex),
#include "image/formats/vulkan_planes.inc"
#undef HEDDLE_DEPTH_STENCIL
#undef HEDDLE_PLANES
#undef HEDDLE_PAIRS
#undef HEDDLE_WIDE
#undef HEDDLE_PADDED
#undef HEDDLE_VERTEX
};

std::vector<VulkanFormat> all_rows() {
  std::vector<VulkanFormat> rows(std::begin(kPlanes), std::end(kPlanes));
  const auto known = [&](std::uint32_t number) {
    return std::ranges::find(kPlanes, number, &VulkanFormat::number) != std::end(kPlanes);
  };
  for (const VulkanFormat& row : kSingle)
    if (!known(row.number)) rows.push_back(row);
  std::ranges::sort(rows, {}, &VulkanFormat::number);
  return rows;
}

}  // namespace

std::optional<unsigned> VulkanFormat::plane_of(Aspect aspect) const {
  switch (aspect) {
    case Aspect::Color:
      return depth || stencil ? std::nullopt : std::optional(0u);
    case Aspect::Depth:
      return depth ? std::optional(0u) : std::nullopt;
    case Aspect::Stencil:
      return stencil ? std::optional(plane_count - 1u) : std::nullopt;
    case Aspect::Plane0:
    case Aspect::Plane1:
    case Aspect::Plane2: {
      const unsigned plane = static_cast<unsigned>(aspect) - static_cast<unsigned>(Aspect::Plane0);
      return multi_planar() && plane < plane_count ? std::optional(plane) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::span<const VulkanFormat> vulkan_formats() {
  static const std::vector<VulkanFormat> rows = all_rows();
  return rows;
}

const VulkanFormat* find_vulkan_format(std::uint32_t number) {
  const auto rows = vulkan_formats();
  const auto found = std::ranges::lower_bound(rows, number, {}, &VulkanFormat::number);
  return found != rows.end() && found->number == number ? &*found : nullptr;
}

}  // namespace heddle::image
