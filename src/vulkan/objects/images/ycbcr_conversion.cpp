// SPDX-License-Identifier: MIT
// VKF-8: a conversion as weights of an image's channels: component mapping, range and color model in one.
#include "vulkan/objects/images/ycbcr_conversion.hpp"

#include <array>
#include <cmath>
#include <memory>

#include "image/vulkan_formats.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan {
namespace {

/// Weights of R, G, B, A and a constant, of one channel.
using Row = std::array<double, 5>;
using Rows = std::array<Row, 4>;

constexpr std::size_t kRed = 0, kGreen = 1, kBlue = 2, kAlpha = 3, kConstant = 4;

Row mapped(VkComponentSwizzle swizzle, std::size_t own) {
  Row row{};
  switch (swizzle) {
    case VK_COMPONENT_SWIZZLE_ZERO:
      break;
    case VK_COMPONENT_SWIZZLE_ONE:
      row[kConstant] = 1;
      break;
    case VK_COMPONENT_SWIZZLE_R:
    case VK_COMPONENT_SWIZZLE_G:
    case VK_COMPONENT_SWIZZLE_B:
    case VK_COMPONENT_SWIZZLE_A:
      row[static_cast<std::size_t>(swizzle - VK_COMPONENT_SWIZZLE_R)] = 1;
      break;
    default:
      row[own] = 1;
  }
  return row;
}

void scale(Row& row, double factor, double constant) {
  for (double& weight : row) weight *= factor;
  row[kConstant] += constant;
}

/// Luma from 0 to 1, chroma around 0; `bits`: of a component.
void expand_range(Rows& rows, VkSamplerYcbcrRange range, unsigned bits) {
  const int exponent = static_cast<int>(bits);
  const double most = std::ldexp(1.0, exponent) - 1, unit = std::ldexp(1.0, exponent - 8);
  if (range == VK_SAMPLER_YCBCR_RANGE_ITU_FULL) {
    for (const std::size_t chroma : {kRed, kBlue}) scale(rows[chroma], 1, -std::ldexp(1.0, exponent - 1) / most);
    return;
  }
  scale(rows[kGreen], most / (219 * unit), -16.0 / 219);
  for (const std::size_t chroma : {kRed, kBlue}) scale(rows[chroma], most / (224 * unit), -128.0 / 224);
}

/// Weights of red and blue in luma.
std::array<double, 2> luma_of(VkSamplerYcbcrModelConversion model) {
  switch (model) {
    case VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709:
      return {0.2126, 0.0722};
    case VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_2020:
      return {0.2627, 0.0593};
    default:
      return {0.299, 0.114};
  }
}

/// Red, green and blue of Y' (green), CB (blue) and CR (red).
Rows to_rgb(const Rows& from, VkSamplerYcbcrModelConversion model) {
  const auto [red, blue] = luma_of(model);
  const double green = 1 - red - blue;
  Rows to = from;
  for (std::size_t k = 0; k < to[0].size(); ++k) {
    const double y = from[kGreen][k], cb = from[kBlue][k], cr = from[kRed][k];
    to[kRed][k] = y + 2 * (1 - red) * cr;
    to[kBlue][k] = y + 2 * (1 - blue) * cb;
    to[kGreen][k] = y - 2 * blue * (1 - blue) / green * cb - 2 * red * (1 - red) / green * cr;
  }
  return to;
}

/// Where the channels lie: planes and their channels (VKF-3); of 4:2:2 in one plane, the luma of all texels and pairs.
void place_channels(spirv::SampledPlanes& to, const image::VulkanFormat& format) {
  to.planes = 1;
  to.sources = {{{0, 0}, {0, 1}, {0, 2}, {0, 3}}};
  if (format.multi_planar()) {
    to.planes = format.plane_count;
    to.sources = format.plane_count == 3 ? decltype(to.sources){{{2, 0}, {0, 0}, {1, 0}, {0, 3}}}
                                         : decltype(to.sources){{{1, 1}, {0, 0}, {1, 0}, {0, 3}}};
  } else if (format.pairs) {
    to.planes = 2;
    to.sources = *format.pairs == image::VulkanFormat::Pairs::LumaFirst
                     ? decltype(to.sources){{{1, 3}, {0, 0}, {1, 1}, {0, 3}}}
                     : decltype(to.sources){{{1, 2}, {0, 1}, {1, 0}, {0, 3}}};
  }
}

}  // namespace

spirv::SampledPlanes sampled_planes(const VkSamplerYcbcrConversionCreateInfo& info) {
  spirv::SampledPlanes to;
  const image::VulkanFormat* format = image::find_vulkan_format(info.format);
  if (format == nullptr) return to;
  place_channels(to, *format);
  const bool pairs = to.planes == 2 && !format->multi_planar();
  to.halved = {pairs || format->planes[1].width_divisor == 2 ? 1u : 0u,
               format->planes[1].height_divisor == 2 ? 1u : 0u};
  const bool linear = info.chromaFilter == VK_FILTER_LINEAR;  // of the nearest one the location may be left out
  const auto cosited = [&](VkChromaLocation at) { return linear && at == VK_CHROMA_LOCATION_COSITED_EVEN ? 1u : 0u; };
  to.shifted = {to.halved[0] * cosited(info.xChromaOffset), to.halved[1] * cosited(info.yChromaOffset)};
  to.chroma = linear ? spirv::SampledPlanes::Filter::Linear : spirv::SampledPlanes::Filter::Nearest;
  to.reconstructed = info.forceExplicitReconstruction == VK_TRUE ? 1 : 0;
  Rows rows{mapped(info.components.r, kRed), mapped(info.components.g, kGreen), mapped(info.components.b, kBlue),
            mapped(info.components.a, kAlpha)};
  if (info.ycbcrModel != VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY)
    expand_range(rows, info.ycbcrRange, image::format_info(format->planes[0].format)->channels[0].bits);
  if (info.ycbcrModel > VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_IDENTITY) rows = to_rgb(rows, info.ycbcrModel);
  for (std::size_t c = 0; c < rows.size(); ++c)
    for (std::size_t k = 0; k < rows[c].size(); ++k) to.rows[c][k] = static_cast<float>(rows[c][k]);
  return to;
}

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateSamplerYcbcrConversion(VkDevice,
                                                            const VkSamplerYcbcrConversionCreateInfo* pCreateInfo,
                                                            const VkAllocationCallbacks*,
                                                            VkSamplerYcbcrConversion* pYcbcrConversion) {
  return guarded([&] {
    auto conversion = std::make_unique<YcbcrConversion>();
    conversion->planes = sampled_planes(*pCreateInfo);
    *pYcbcrConversion = to_handle(conversion.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroySamplerYcbcrConversion(VkDevice device, VkSamplerYcbcrConversion ycbcrConversion,
                                                         const VkAllocationCallbacks*) {
  destroy(device, from_handle(ycbcrConversion));
}

}  // namespace entry
}  // namespace heddle::vulkan
