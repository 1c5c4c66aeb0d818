// SPDX-License-Identifier: MIT
// Images with planes, and samplers that convert their colors (VKF-3, VKF-8, SPV-39), beside a model on the host.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>

#include "vulkan/feature_kit.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kWidth = 16, kHeight = 8;
constexpr VkDescriptorType kCombined = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;

/// A plane: by what the image's sides are divided, the bytes of a component and how many there are.
struct Plane {
  std::uint32_t x = 1, y = 1, components = 1;
};

struct Planar {
  VkFormat format;
  unsigned bits;  ///< of a component; above 8 in the high bits of 16
  std::vector<Plane> planes;
  /// Plane and component of R, G and B.
  std::array<std::array<std::uint32_t, 2>, 3> sources;
  [[nodiscard]] std::uint32_t bytes() const { return bits > 8 ? 2 : 1; }
};

const std::vector<Plane> kTwo420{{1, 1, 1}, {2, 2, 2}}, kThree420{{1, 1, 1}, {2, 2, 1}, {2, 2, 1}},
    kTwo422{{1, 1, 1}, {2, 1, 2}}, kThree422{{1, 1, 1}, {2, 1, 1}, {2, 1, 1}},
    kThree444(3, Plane{}), kTwo444{{1, 1, 1}, {1, 1, 2}};
constexpr std::array<std::array<std::uint32_t, 2>, 3> kTwo{{{1, 1}, {0, 0}, {1, 0}}}, kThree{{{2, 0}, {0, 0}, {1, 0}}};

const Planar kFormats[] = {
    {VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, 8, kTwo420, kTwo},
    {VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, 8, kThree420, kThree},
    {VK_FORMAT_G8_B8R8_2PLANE_422_UNORM, 8, kTwo422, kTwo},
    {VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM, 8, kThree422, kThree},
    {VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM, 8, kThree444, kThree},
    {VK_FORMAT_G8_B8R8_2PLANE_444_UNORM, 8, kTwo444, kTwo},
    {VK_FORMAT_G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16, 12, kTwo444, kTwo},
    {VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, 10, kTwo420, kTwo},
    {VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16, 12, kThree422, kThree},
    {VK_FORMAT_G16_B16R16_2PLANE_420_UNORM, 16, kTwo420, kTwo},
    {VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM, 16, kThree444, kThree},
    {VK_FORMAT_G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16, 10, kTwo444, kTwo},
    {VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_444_UNORM_3PACK16, 10, kThree444, kThree},
    {VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16, 10, kThree420, kThree},
    {VK_FORMAT_G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16, 10, kTwo422, kTwo},
    {VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_422_UNORM_3PACK16, 10, kThree422, kThree},
    {VK_FORMAT_G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16, 12, kTwo420, kTwo},
    {VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16, 12, kThree420, kThree},
    {VK_FORMAT_G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16, 12, kTwo422, kTwo},
    {VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_444_UNORM_3PACK16, 12, kThree444, kThree},
    {VK_FORMAT_G16_B16_R16_3PLANE_420_UNORM, 16, kThree420, kThree},
    {VK_FORMAT_G16_B16R16_2PLANE_422_UNORM, 16, kTwo422, kTwo},
    {VK_FORMAT_G16_B16_R16_3PLANE_422_UNORM, 16, kThree422, kThree},
    {VK_FORMAT_G16_B16R16_2PLANE_444_UNORM, 16, kTwo444, kTwo},
};

/// What the planes hold, and what a sample of one gives.
struct Model {
  Model(const Planar& f, std::uint32_t seed) : format(f) {
    std::mt19937 random(seed);
    for (const Plane& plane : f.planes) {
      bytes.emplace_back(std::size_t{kWidth} / plane.x * (kHeight / plane.y) * plane.components * f.bytes());
      for (std::uint8_t& byte : bytes.back()) byte = static_cast<std::uint8_t>(random());
    }
  }
  [[nodiscard]] double texel(std::uint32_t plane, std::uint32_t component, int x, int y) const {
    const Plane& p = format.planes[plane];
    const int width = static_cast<int>(kWidth / p.x), height = static_cast<int>(kHeight / p.y);
    x = std::clamp(x, 0, width - 1);
    y = std::clamp(y, 0, height - 1);
    const std::size_t at = (static_cast<std::size_t>(y * width + x) * p.components + component) * format.bytes();
    if (format.bits == 8) return bytes[plane][at] / 255.0;
    const unsigned word = bytes[plane][at] | static_cast<unsigned>(bytes[plane][at + 1]) << 8;
    return (word >> (16 - format.bits)) / static_cast<double>((1u << format.bits) - 1);
  }
  [[nodiscard]] double sample(std::uint32_t plane, std::uint32_t component, double u, double v, bool linear,
                              double shift_x, double shift_y) const {
    const Plane& p = format.planes[plane];
    const double x = u * kWidth / p.x + (p.x == 2 ? shift_x : 0), y = v * kHeight / p.y + (p.y == 2 ? shift_y : 0);
    if (!linear) return texel(plane, component, static_cast<int>(std::floor(x)), static_cast<int>(std::floor(y)));
    const int i = static_cast<int>(std::floor(x - 0.5)), j = static_cast<int>(std::floor(y - 0.5));
    const double a = x - 0.5 - i, b = y - 0.5 - j;
    const auto at = [&](int dx, int dy) { return texel(plane, component, i + dx, j + dy); };
    return (at(0, 0) * (1 - a) + at(1, 0) * a) * (1 - b) + (at(0, 1) * (1 - a) + at(1, 1) * a) * b;
  }
  /// A chroma component at the place of texel (i, j) of the image: the chapter's formulas of explicit reconstruction.
  [[nodiscard]] double reconstructed(std::uint32_t plane, std::uint32_t component, int i, int j, bool linear,
                                     bool cosited_x, bool cosited_y) const {
    const Plane& p = format.planes[plane];
    const auto at = [&](int x, int y) { return texel(plane, component, x, y); };
    if (!linear) return at(p.x == 2 ? i / 2 : i, p.y == 2 ? j / 2 : j);
    const double x = p.x == 2 ? 0.5 * (cosited_x ? i : i - 0.5) : i, y = p.y == 2 ? 0.5 * (cosited_y ? j : j - 0.5) : j;
    const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
    const double a = x - left, b = y - top;
    return at(left, top) * (1 - a) * (1 - b) + at(left + 1, top) * a * (1 - b) + at(left, top + 1) * (1 - a) * b +
           at(left + 1, top + 1) * a * b;
  }
  /// A sample of the image that has all its components everywhere.
  [[nodiscard]] double sample_whole(double u, double v, bool linear, const std::function<double(int, int)>& at) const {
    const auto inside = [&](int i, int j) {
      return at(std::clamp(i, 0, static_cast<int>(kWidth) - 1), std::clamp(j, 0, static_cast<int>(kHeight) - 1));
    };
    const double x = u * kWidth - (linear ? 0.5 : 0), y = v * kHeight - (linear ? 0.5 : 0);
    const int i = static_cast<int>(std::floor(x)), j = static_cast<int>(std::floor(y));
    if (!linear) return inside(i, j);
    const double a = x - i, b = y - j;
    return (inside(i, j) * (1 - a) + inside(i + 1, j) * a) * (1 - b) +
           (inside(i, j + 1) * (1 - a) + inside(i + 1, j + 1) * a) * b;
  }
  const Planar& format;
  std::vector<std::vector<std::uint8_t>> bytes;
};

/// How a shader samples: the sampler's filters, and what makes the level of detail, which chooses between them.
struct Way {
  enum class Lod { Given, Half, Gradients, Differences };
  VkFilter magnify, minify;
  Lod lod = Lod::Given;
  bool minified = false;
  [[nodiscard]] bool linear() const { return (minified ? minify : magnify) == VK_FILTER_LINEAR; }
  /// Of lane n in a grid of 8 x 8. Differences: half a texel or two from lane to lane.
  [[nodiscard]] double scale() const { return lod == Lod::Differences && !minified ? 32 : 8; }
  [[nodiscard]] double u(std::size_t n) const { return (static_cast<double>(n % 8) + 0.3125) / scale(); }
  [[nodiscard]] double v(std::size_t n) const { return (static_cast<double>(n / 8) + 0.625) / scale(); }
  [[nodiscard]] std::string call(const std::string& at) const {
    if (lod == Lod::Differences) return "texture(t, " + at + ")";
    if (lod == Lod::Given) return "textureLod(t, " + at + (minified ? ", 0.5)" : ", 0.0)");
    if (lod == Lod::Half)
      return "textureLod(t, " + at + ", float(float16_t(float(gl_WorkGroupID.x)" + (minified ? " + 0.5)))" : ")))");
    const std::string texels = minified ? "2.0" : "0.5";
    return "textureGrad(t, " + at + ", vec2(" + texels + " / 16.0, 0), vec2(0, " + texels + " / 8.0))";
  }
};
Way one_way(VkFilter filter) { return {filter, filter}; }

/// R, G, B after range expansion and color model, as Vulkan's chapter "Sampler Y'CBCR Conversion" has them.
std::array<double, 3> converted(std::array<double, 3> c, VkSamplerYcbcrModelConversion model, VkSamplerYcbcrRange range,
                                unsigned bits) {
  if (model == VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY) return c;
  const double most = std::exp2(bits) - 1, unit = std::exp2(bits - 8.0);
  double y = c[1], cb = c[2], cr = c[0];
  if (range == VK_SAMPLER_YCBCR_RANGE_ITU_FULL) {
    cb -= std::exp2(bits - 1.0) / most;
    cr -= std::exp2(bits - 1.0) / most;
  } else {
    y = (y * most - 16 * unit) / (219 * unit);
    cb = (cb * most - 128 * unit) / (224 * unit);
    cr = (cr * most - 128 * unit) / (224 * unit);
  }
  switch (model) {
    case VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601:
      return {y + 1.402 * cr, y - 0.202008 / 0.587 * cb - 0.419198 / 0.587 * cr, y + 1.772 * cb};
    case VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709:
      return {y + 1.5748 * cr, y - 0.13397432 / 0.7152 * cb - 0.33480248 / 0.7152 * cr, y + 1.8556 * cb};
    case VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_2020:
      return {y + 1.4746 * cr, y - 0.11156702 / 0.6780 * cb - 0.38737742 / 0.6780 * cr, y + 1.8814 * cb};
    default:
      return {cr, y, cb};
  }
}

constexpr VkImageAspectFlagBits kAspects[] = {VK_IMAGE_ASPECT_PLANE_0_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT,
                                              VK_IMAGE_ASPECT_PLANE_2_BIT};

/// An image with the model's planes, each in memory of its own where it is `disjoint`.
VulkanDevice::Image planar_image(VulkanDevice& v, const Model& model, bool disjoint) {
  VkImageCreateInfo info = VulkanDevice::image_info(model.format.format, kWidth, kHeight);
  info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | (disjoint ? VK_IMAGE_CREATE_DISJOINT_BIT : 0);
  VulkanDevice::Image image;
  EXPECT_EQ(vkCreateImage(v.device, &info, nullptr, &image.image), VK_SUCCESS);
  const std::size_t count = disjoint ? model.format.planes.size() : 1;
  std::vector<VkBindImageMemoryInfo> binds;
  std::vector<VkBindImagePlaneMemoryInfo> planes(count);
  for (std::size_t i = 0; i < count; ++i) {
    const VkImagePlaneMemoryRequirementsInfo plane{VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO, nullptr,
                                                   kAspects[i]};
    const VkImageMemoryRequirementsInfo2 asked{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
                                               disjoint ? &plane : nullptr, image.image};
    VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    vkGetImageMemoryRequirements2(v.device, &asked, &needs);
    const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.memoryRequirements.size,
                                        0};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    EXPECT_EQ(vkAllocateMemory(v.device, &allocate, nullptr, &memory), VK_SUCCESS);
    v.later([d = v.device, memory] { vkFreeMemory(d, memory, nullptr); });
    planes[i] = {VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO, nullptr, kAspects[i]};
    binds.push_back(
        {VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, disjoint ? &planes[i] : nullptr, image.image, memory, 0});
  }
  EXPECT_EQ(vkBindImageMemory2(v.device, static_cast<std::uint32_t>(binds.size()), binds.data()), VK_SUCCESS);
  v.later([d = v.device, image] { vkDestroyImage(d, image.image, nullptr); });
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image.image;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                         nullptr, 1, &barrier);
    for (std::size_t i = 0; i < model.bytes.size(); ++i) {
      const Plane& plane = model.format.planes[i];
      const VulkanDevice::Buffer texels = v.buffer(model.bytes[i].size());
      std::memcpy(texels.bytes, model.bytes[i].data(), model.bytes[i].size());
      const VkBufferImageCopy region{0,  0,
                                     0,  {static_cast<VkImageAspectFlags>(kAspects[i]), 0, 0, 1},
                                     {}, {kWidth / plane.x, kHeight / plane.y, 1}};
      vkCmdCopyBufferToImage(c, texels.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    }
  }),
            VK_SUCCESS);
  return image;
}

VkSamplerYcbcrConversion make_conversion(VulkanDevice& v, const VkSamplerYcbcrConversionCreateInfo& info) {
  VkSamplerYcbcrConversion made = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateSamplerYcbcrConversion(v.device, &info, nullptr, &made), VK_SUCCESS);
  v.later([d = v.device, made] { vkDestroySamplerYcbcrConversion(d, made, nullptr); });
  return made;
}

/// GLSL has levels of detail of 32 bits. Here they become what they were converted from.
std::vector<std::uint32_t> with_narrow_lods(std::vector<std::uint32_t> words) {
  constexpr std::uint32_t kConvert = 115, kSampleExplicitLod = 88;
  std::uint32_t to = 0, from = 0;
  for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const std::uint32_t opcode = words[at] & 0xffff;
    if (opcode == kConvert) to = words[at + 2], from = words[at + 3];
    if (opcode != kSampleExplicitLod) continue;
    EXPECT_EQ(words[at + 6], to);
    words[at + 6] = from;
  }
  return words;
}

/// 64 texels that a shader samples through a conversion, as floats. Of an image of several layers: of one of them, the
/// last of a view that shows it and those before it.
std::vector<std::array<float, 4>> sampled(VulkanDevice& v, VkImage image,
                                          const VkSamplerYcbcrConversionCreateInfo& info, const Way& way,
                                          std::uint32_t layer, std::uint32_t layers) {
  const VkSamplerYcbcrConversionInfo conversion{VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO, nullptr,
                                                make_conversion(v, info)};
  VkSamplerCreateInfo samplers{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, &conversion};
  samplers.magFilter = way.magnify;
  samplers.minFilter = way.minify;
  samplers.maxLod = VK_LOD_CLAMP_NONE;
  samplers.addressModeU = samplers.addressModeV = samplers.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  VkSampler sampler = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateSampler(v.device, &samplers, nullptr, &sampler), VK_SUCCESS);
  v.later([d = v.device, sampler] { vkDestroySampler(d, sampler, nullptr); });
  VkImageViewCreateInfo views{
      VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, &conversion, 0, image, VK_IMAGE_VIEW_TYPE_2D, info.format};
  const std::uint32_t first = layer / 2;
  views.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, first, layer + 1 - first};
  if (layers > 1) views.viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
  VkImageView view = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateImageView(v.device, &views, nullptr, &view), VK_SUCCESS);
  v.later([d = v.device, view] { vkDestroyImageView(d, view, nullptr); });
  const VkDescriptorSetLayoutBinding bindings[] = {
      {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
      {1, kCombined, 1, VK_SHADER_STAGE_COMPUTE_BIT, &sampler}};
  const VkDescriptorSetLayoutCreateInfo layouts{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 2,
                                                bindings};
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateDescriptorSetLayout(v.device, &layouts, nullptr, &set_layout), VK_SUCCESS);
  v.later([d = v.device, set_layout] { vkDestroyDescriptorSetLayout(d, set_layout, nullptr); });
  const VkDescriptorSet set = v.set(set_layout, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}, {1, kCombined}});
  const VulkanDevice::Buffer out = v.buffer(1024);
  v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
  v.write(set, 1, kCombined, view, VK_NULL_HANDLE);
  const VkPipelineLayout layout = v.layout({set_layout});
  const std::vector<std::uint32_t> words = compile_compute(
      "#version 450\n#extension GL_NV_compute_shader_derivatives : enable\n"
      "#extension GL_EXT_shader_explicit_arithmetic_types_float16 : enable\n"
      "layout(local_size_x = 8, local_size_y = 8) in;\n" +
      std::string(way.lod == Way::Lod::Differences ? "layout(derivative_group_quadsNV) in;\n" : "") +
      "layout(binding = 0) buffer Out { vec4 o[]; };\nlayout(binding = 1) uniform sampler2D" +
      (layers > 1 ? "Array" : "") +
      " t;\nvoid main() { uint n = gl_LocalInvocationIndex;\n"
      "  vec2 at = vec2(float(n % 8u) + 0.3125, float(n / 8u) + 0.625) / " +
      std::to_string(way.scale()) +
      ";\n  o[n] = " + way.call(layers > 1 ? "vec3(at, " + std::to_string(layer - first) + ".0)" : "at") + "; }\n");
  const VkPipeline pipeline = v.pipeline_of(way.lod == Way::Lod::Half ? with_narrow_lods(words) : words, layout);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  std::vector<std::array<float, 4>> texels(64);
  std::memcpy(texels.data(), out.bytes, 1024);
  return texels;
}

VkSamplerYcbcrConversionCreateInfo conversion_info(VkFormat format) {
  VkSamplerYcbcrConversionCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO};
  info.format = format;
  info.ycbcrModel = VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709;
  info.ycbcrRange = VK_SAMPLER_YCBCR_RANGE_ITU_NARROW;
  info.xChromaOffset = info.yChromaOffset = VK_CHROMA_LOCATION_MIDPOINT;
  info.chromaFilter = VK_FILTER_LINEAR;
  return info;
}

/// Compares with the model, whose fractions are exact: those of the unit have 8 bits, and weights are up to 2.
void expect_converted(VulkanDevice& v, VkImage image, const Model& model,
                      const VkSamplerYcbcrConversionCreateInfo& info, const Way& way, std::uint32_t layer = 0,
                      std::uint32_t layers = 1) {
  const auto texels = sampled(v, image, info, way, layer, layers);
  const bool chroma = info.chromaFilter == VK_FILTER_LINEAR;
  const bool cosited_x = info.xChromaOffset == VK_CHROMA_LOCATION_COSITED_EVEN,
             cosited_y = info.yChromaOffset == VK_CHROMA_LOCATION_COSITED_EVEN;
  for (std::size_t n = 0; n < 64; ++n) {
    const double u = way.u(n), t = way.v(n);
    std::array<double, 3> c{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [plane, component] = model.format.sources[k];
      const bool halved = model.format.planes[plane].x == 2;
      if (!halved)
        c[k] = model.sample(plane, component, u, t, way.linear(), 0, 0);
      else if (info.forceExplicitReconstruction == VK_TRUE)
        c[k] = model.sample_whole(u, t, way.linear(), [&](int i, int j) {
          return model.reconstructed(plane, component, i, j, chroma, cosited_x, cosited_y);
        });
      else
        c[k] = model.sample(plane, component, u, t, chroma, chroma && cosited_x ? 0.25 : 0,
                            chroma && cosited_y ? 0.25 : 0);
    }
    const bool exact = !way.linear() && (!chroma || info.forceExplicitReconstruction == VK_TRUE);
    const std::array<double, 3> wanted = converted(c, info.ycbcrModel, info.ycbcrRange, model.format.bits);
    for (std::size_t k = 0; k < 3; ++k)
      ASSERT_NEAR(texels[n][k], wanted[k], exact ? 1e-4 : 0.02) << "texel " << n << ", channel " << k;
    ASSERT_EQ(texels[n][3], 1.0f) << n;
  }
}
/// With one filter for all.
void expect_converted(VulkanDevice& v, VkImage image, const Model& model,
                      const VkSamplerYcbcrConversionCreateInfo& info) {
  expect_converted(v, image, model, info, one_way(info.chromaFilter));
}

TEST(VulkanYcbcr, EveryFormatIsSampledAndConverted_VKF8) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  for (const Planar& format : kFormats) {
    SCOPED_TRACE(format.format);
    VkFormatProperties can;
    vkGetPhysicalDeviceFormatProperties(v.physical, format.format, &can);
    constexpr VkFormatFeatureFlags kWanted =
        VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER_BIT |
        VK_FORMAT_FEATURE_DISJOINT_BIT | VK_FORMAT_FEATURE_MIDPOINT_CHROMA_SAMPLES_BIT |
        VK_FORMAT_FEATURE_COSITED_CHROMA_SAMPLES_BIT |
        VK_FORMAT_FEATURE_SAMPLED_IMAGE_YCBCR_CONVERSION_SEPARATE_RECONSTRUCTION_FILTER_BIT |
        VK_FORMAT_FEATURE_SAMPLED_IMAGE_YCBCR_CONVERSION_CHROMA_RECONSTRUCTION_EXPLICIT_FORCEABLE_BIT;
    EXPECT_EQ(can.optimalTilingFeatures & kWanted, kWanted);
    const Model model(format, static_cast<std::uint32_t>(format.format));
    for (const bool disjoint : {false, true}) {
      const VulkanDevice::Image image = planar_image(v, model, disjoint);
      VkSamplerYcbcrConversionCreateInfo info = conversion_info(format.format);
      expect_converted(v, image.image, model, info);
      info.chromaFilter = VK_FILTER_NEAREST;
      expect_converted(v, image.image, model, info);
    }
  }
}

// VK_EXT_ycbcr_image_arrays: each layer has planes of its own, and a view shows those of its layers.
TEST(VulkanYcbcr, LayersOfArrays_VKF8) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({"VK_EXT_ycbcr_image_arrays", VK_KHR_SAMPLER_YCBCR_CONVERSION_EXTENSION_NAME});
  const Planar& format = kFormats[0];
  VkPhysicalDeviceImageFormatInfo2 asked{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2};
  asked.format = format.format;
  asked.type = VK_IMAGE_TYPE_2D;
  asked.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
  VkImageFormatProperties2 can{VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
  ASSERT_EQ(vkGetPhysicalDeviceImageFormatProperties2(v.physical, &asked, &can), VK_SUCCESS);
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(v.physical, &properties);
  EXPECT_EQ(can.imageFormatProperties.maxArrayLayers, properties.limits.maxImageArrayLayers);
  constexpr std::uint32_t kLayers = 3;
  VkImageCreateInfo info = VulkanDevice::image_info(format.format, kWidth, kHeight);
  info.arrayLayers = kLayers;
  const VulkanDevice::Image image = v.image(info);
  std::vector<Model> models;
  for (std::uint32_t layer = 0; layer < kLayers; ++layer) models.emplace_back(format, 100 + layer);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    for (std::uint32_t layer = 0; layer < kLayers; ++layer)
      for (std::size_t i = 0; i < format.planes.size(); ++i) {
        const std::vector<std::uint8_t>& bytes = models[layer].bytes[i];
        const VulkanDevice::Buffer texels = v.buffer(bytes.size());
        std::memcpy(texels.bytes, bytes.data(), bytes.size());
        const VkBufferImageCopy region{0,  0,
                                       0,  {static_cast<VkImageAspectFlags>(kAspects[i]), 0, layer, 1},
                                       {}, {kWidth / format.planes[i].x, kHeight / format.planes[i].y, 1}};
        vkCmdCopyBufferToImage(c, texels.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
      }
  }),
            VK_SUCCESS);
  VkSamplerYcbcrConversionCreateInfo conversion = conversion_info(format.format);
  conversion.chromaFilter = VK_FILTER_NEAREST;
  for (std::uint32_t layer = 0; layer < kLayers; ++layer)
    expect_converted(v, image.image, models[layer], conversion, one_way(VK_FILTER_NEAREST), layer, kLayers);
}

TEST(VulkanYcbcr, ModelsRangesAndLocations_VKF8) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const Model model(kFormats[0], 7);
  const VulkanDevice::Image image = planar_image(v, model, false);
  VkSamplerYcbcrConversionCreateInfo info = conversion_info(kFormats[0].format);
  for (int m = VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY; m <= VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_2020; ++m)
    for (const VkSamplerYcbcrRange range : {VK_SAMPLER_YCBCR_RANGE_ITU_FULL, VK_SAMPLER_YCBCR_RANGE_ITU_NARROW}) {
      if (m == 0 && range == VK_SAMPLER_YCBCR_RANGE_ITU_NARROW) continue;
      info.ycbcrModel = static_cast<VkSamplerYcbcrModelConversion>(m);
      info.ycbcrRange = range;
      expect_converted(v, image.image, model, info);
    }
  for (const VkChromaLocation x : {VK_CHROMA_LOCATION_MIDPOINT, VK_CHROMA_LOCATION_COSITED_EVEN})
    for (const VkChromaLocation y : {VK_CHROMA_LOCATION_MIDPOINT, VK_CHROMA_LOCATION_COSITED_EVEN}) {
      info.xChromaOffset = x;
      info.yChromaOffset = y;
      expect_converted(v, image.image, model, info);
    }
}

// R and B exchanged: NV21 as NV12.
TEST(VulkanYcbcr, ComponentsAreMapped_VKF8) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  Planar swapped = kFormats[0];
  std::swap(swapped.sources[0], swapped.sources[2]);
  const Model model(swapped, 8);
  const VulkanDevice::Image image = planar_image(v, model, false);
  VkSamplerYcbcrConversionCreateInfo info = conversion_info(swapped.format);
  info.components.r = VK_COMPONENT_SWIZZLE_B;
  info.components.b = VK_COMPONENT_SWIZZLE_R;
  expect_converted(v, image.image, model, info);
}

constexpr VkFilter kFilters[] = {VK_FILTER_NEAREST, VK_FILTER_LINEAR};
constexpr VkChromaLocation kLocations[] = {VK_CHROMA_LOCATION_MIDPOINT, VK_CHROMA_LOCATION_COSITED_EVEN};

/// Each filter of the sampler beside each of chroma, at each location; the sampler's two filters differ where `two`.
void expect_filters(const Planar& format, bool reconstructed, bool two) {
  VulkanDevice v;
  const Model model(format, static_cast<std::uint32_t>(format.format) + 1);
  const VulkanDevice::Image image = planar_image(v, model, false);
  VkSamplerYcbcrConversionCreateInfo info = conversion_info(format.format);
  info.forceExplicitReconstruction = reconstructed ? VK_TRUE : VK_FALSE;
  for (const VkFilter filter : kFilters)
    for (const VkFilter chroma : kFilters)
      for (const VkChromaLocation x : kLocations)
        for (const bool minified : {false, true}) {
          if (minified && !two) continue;
          info.chromaFilter = chroma;
          info.xChromaOffset = x;
          info.yChromaOffset = kLocations[x == kLocations[0]];
          const VkFilter other = two ? kFilters[filter == kFilters[0]] : filter;
          SCOPED_TRACE(testing::Message() << "format " << format.format << " filters " << filter << ' ' << other
                                          << " chroma " << chroma << " location " << x << " minified " << minified);
          expect_converted(v, image.image, model, info, {filter, other, Way::Lod::Given, minified});
        }
}

// SAMPLED_IMAGE_YCBCR_CONVERSION_SEPARATE_RECONSTRUCTION_FILTER.
TEST(VulkanYcbcr, ChromaHasAFilterOfItsOwn_VKF8) {
  HEDDLE_NEED_SHADERS();
  for (const std::size_t format : {0, 3, 5, 7}) expect_filters(kFormats[format], false, false);
  expect_filters(kFormats[1], false, true);
}

// forceExplicitReconstruction: chroma at the place of each texel first, then the sampler's filter.
TEST(VulkanYcbcr, ReconstructionIsForced_VKF8) {
  HEDDLE_NEED_SHADERS();
  for (const std::size_t format : {0, 3, 5, 8}) expect_filters(kFormats[format], true, false);
  expect_filters(kFormats[1], true, true);
}

// The level of detail says which of the sampler's filters the reconstructed image has: of gradients, of differences
// between invocations and of 16 bits as of a given one.
TEST(VulkanYcbcr, ReconstructionFollowsTheLevelOfDetail_VKF8) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_NV_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME, VK_KHR_SAMPLER_YCBCR_CONVERSION_EXTENSION_NAME});
  const Model model(kFormats[0], 11);
  const VulkanDevice::Image image = planar_image(v, model, false);
  VkSamplerYcbcrConversionCreateInfo info = conversion_info(kFormats[0].format);
  info.forceExplicitReconstruction = VK_TRUE;
  for (const Way::Lod lod : {Way::Lod::Half, Way::Lod::Gradients, Way::Lod::Differences})
    for (const bool minified : {false, true}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(lod) << (minified ? " minified" : " magnified"));
      expect_converted(v, image.image, model, info, {VK_FILTER_LINEAR, VK_FILTER_NEAREST, lod, minified});
      expect_converted(v, image.image, model, info, {VK_FILTER_NEAREST, VK_FILTER_LINEAR, lod, minified});
    }
}

/// The texels of a model of 4:2:2 as pairs: luma and blue, luma and red, or with blue and red first.
std::vector<std::uint8_t> pairs_of(const Model& model, bool blue_first) {
  const std::size_t bytes = model.format.bytes();
  std::vector<std::uint8_t> to;
  const auto add = [&](std::size_t plane, std::size_t at) {
    const auto from = model.bytes[plane].begin() + static_cast<std::ptrdiff_t>(at * bytes);
    to.insert(to.end(), from, from + static_cast<std::ptrdiff_t>(bytes));
  };
  for (std::size_t pair = 0; pair < std::size_t{kWidth} / 2 * kHeight; ++pair)
    for (std::size_t half = 0; half < 2; ++half) {
      if (blue_first) add(1 + half, pair);
      add(0, 2 * pair + half);
      if (!blue_first) add(1 + half, pair);
    }
  return to;
}

struct PairFormat {
  VkFormat format;
  unsigned bits;
  bool blue_first;
};
constexpr PairFormat kPairFormats[] = {{VK_FORMAT_G8B8G8R8_422_UNORM, 8, false},
                                       {VK_FORMAT_B8G8R8G8_422_UNORM, 8, true},
                                       {VK_FORMAT_G10X6B10X6G10X6R10X6_422_UNORM_4PACK16, 10, false},
                                       {VK_FORMAT_B10X6G10X6R10X6G10X6_422_UNORM_4PACK16, 10, true},
                                       {VK_FORMAT_G12X4B12X4G12X4R12X4_422_UNORM_4PACK16, 12, false},
                                       {VK_FORMAT_B12X4G12X4R12X4G12X4_422_UNORM_4PACK16, 12, true},
                                       {VK_FORMAT_G16B16G16R16_422_UNORM, 16, false},
                                       {VK_FORMAT_B16G16R16G16_422_UNORM, 16, true}};

// 4:2:2 in one plane: two texels in four components.
TEST(VulkanYcbcr, PairsInOnePlane_VKF8) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  for (const auto& [format, bits, blue_first] : kPairFormats) {
    SCOPED_TRACE(format);
    const Planar planar{format, bits, kThree422, kThree};
    const Model model(planar, static_cast<std::uint32_t>(format));
    TexelImage from;
    from.format = format;
    from.width = kWidth;
    from.height = kHeight;
    from.levels = {pairs_of(model, blue_first)};
    const VulkanDevice::Image image = make_image(v, from);
    VkSamplerYcbcrConversionCreateInfo info = conversion_info(format);
    info.xChromaOffset = VK_CHROMA_LOCATION_COSITED_EVEN;
    for (const VkFilter filter : kFilters) {
      info.chromaFilter = filter;
      expect_converted(v, image.image, model, info);
    }
    info.forceExplicitReconstruction = VK_TRUE;
    expect_converted(v, image.image, model, info, one_way(VK_FILTER_NEAREST));
  }
}

// Regions count texels, of which two are stored as one: a part of rows that are longer than the region, and back.
TEST(VulkanYcbcr, PairsAreCopied_VKF3) {
  VulkanDevice v;
  for (const auto& [format, bits, blue_first] : kPairFormats) {
    SCOPED_TRACE(format);
    const VulkanDevice::Image image = v.image(VulkanDevice::image_info(format, kWidth, kHeight)),
                              other = v.image(VulkanDevice::image_info(format, kWidth, kHeight));
    const std::size_t texel = bits > 8 ? 4 : 2;  // bytes, of half a pair
    const VulkanDevice::Buffer from = v.buffer(texel * 12 * 4), to = v.buffer(texel * kWidth * kHeight);
    std::mt19937 random(static_cast<std::uint32_t>(format));
    for (std::size_t i = 0; i < texel * 12 * 4; ++i) from.bytes[i] = static_cast<std::uint8_t>(random());
    // 6 x 3 texels of rows of 12, to (4, 2); these and their neighbors from there to (8, 1) of the other image.
    const VkBufferImageCopy in{0, 12, 4, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {4, 2, 0}, {6, 3, 1}};
    const VkImageCopy across{
        {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {4, 2, 0}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {8, 1, 0}, {6, 3, 1}};
    const VkBufferImageCopy out{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {kWidth, kHeight, 1}};
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdCopyBufferToImage(c, from.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &in);
      barrier(c);
      vkCmdCopyImage(c, image.image, VK_IMAGE_LAYOUT_GENERAL, other.image, VK_IMAGE_LAYOUT_GENERAL, 1, &across);
      barrier(c);
      vkCmdCopyImageToBuffer(c, other.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &out);
    }),
              VK_SUCCESS);
    for (std::size_t y = 0; y < 3; ++y)
      EXPECT_EQ(std::memcmp(to.bytes + ((y + 1) * kWidth + 8) * texel, from.bytes + y * 12 * texel, 6 * texel), 0) << y;
  }
}

// What begins inside a pair, or before the image, is refused; a width that ends inside a pair takes it whole, with a
// message.
TEST(VulkanYcbcr, PairsAreCopiedWhole_TRF1_TRF21) {
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "breaks the rules on purpose";
  VulkanDevice v;
  v.expects_messages = true;
  const auto info = VulkanDevice::image_info(VK_FORMAT_G8B8G8R8_422_UNORM, kWidth, kHeight);
  const VulkanDevice::Image image = v.image(info), other = v.image(info);
  const VulkanDevice::Buffer from = v.buffer(2 * kWidth * kHeight), to = v.buffer(2 * kWidth * kHeight);
  for (std::size_t i = 0; i < 2 * kWidth * kHeight; ++i) from.bytes[i] = static_cast<std::uint8_t>(i % 251 + 1);
  std::memset(to.bytes, 0, 2 * kWidth * kHeight);
  constexpr VkImageSubresourceLayers kColor{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  const VkBufferImageCopy whole{0, 0, 0, kColor, {}, {kWidth, kHeight, 1}};
  const VkImageCopy copies[] = {{kColor, {1, 0, 0}, kColor, {0, 0, 0}, {2, 1, 1}},
                                {kColor, {0, 0, 0}, kColor, {1, 0, 0}, {2, 1, 1}},
                                {kColor, {-1, 0, 0}, kColor, {0, 0, 0}, {2, 1, 1}},
                                {kColor, {0, 0, 0}, kColor, {-2, 0, 0}, {2, 1, 1}}};
  const VkBufferImageCopy regions[] = {{0, 0, 0, kColor, {1, 0, 0}, {2, 1, 1}},
                                       {0, 0, 0, kColor, {-1, 0, 0}, {2, 1, 1}}};
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdCopyBufferToImage(c, from.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &whole);
    vkCmdCopyBufferToImage(c, to.buffer, other.image, VK_IMAGE_LAYOUT_GENERAL, 1, &whole);
    barrier(c);
    for (const VkImageCopy& one : copies)
      vkCmdCopyImage(c, image.image, VK_IMAGE_LAYOUT_GENERAL, other.image, VK_IMAGE_LAYOUT_GENERAL, 1, &one);
    for (const VkBufferImageCopy& one : regions) {
      vkCmdCopyBufferToImage(c, from.buffer, other.image, VK_IMAGE_LAYOUT_GENERAL, 1, &one);
      vkCmdCopyImageToBuffer(c, image.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &one);
    }
    barrier(c);
    vkCmdCopyImageToBuffer(c, other.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &whole);
  }),
            VK_SUCCESS);
  EXPECT_TRUE(std::all_of(to.bytes, to.bytes + 2 * kWidth * kHeight, [](std::uint8_t byte) { return byte == 0; }));
  ASSERT_EQ(v.messages.size(), 8u);
  for (const std::string& message : v.messages) EXPECT_TRUE(message.starts_with("vulkan-command: ")) << message;
  v.messages.clear();
  // 3 x 1 texels from (4, 2) are the pairs at 4 and 6: 8 bytes.
  const VkImageCopy odd{kColor, {4, 2, 0}, kColor, {4, 2, 0}, {3, 1, 1}};
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdCopyImage(c, image.image, VK_IMAGE_LAYOUT_GENERAL, other.image, VK_IMAGE_LAYOUT_GENERAL, 1, &odd);
    barrier(c);
    vkCmdCopyImageToBuffer(c, other.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &whole);
  }),
            VK_SUCCESS);
  for (std::size_t i = 0; i < 2 * kWidth * kHeight; ++i) {
    const std::size_t at = (2 * kWidth + 4) * 2;
    EXPECT_EQ(to.bytes[i], i >= at && i < at + 8 ? from.bytes[i] : 0) << i;
  }
  ASSERT_EQ(v.messages.size(), 1u);
  EXPECT_EQ(v.messages[0],
            "vulkan-blocks: a copy of 3x1 texels at (4, 2) ends inside a block of 2x1, and not at the edge of level 0: "
            "4x1 texels are copied");
}

// Layers of 4:2:2 in one plane: each has pairs of its own.
TEST(VulkanYcbcr, PairsHaveLayers_VKF8) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  constexpr std::uint32_t kLayers = 3;
  for (const std::size_t n : {0, 5}) {
    const PairFormat& pairs = kPairFormats[n];
    const Planar planar{pairs.format, pairs.bits, kThree422, kThree};
    std::vector<Model> models;
    std::vector<std::uint8_t> bytes;
    for (std::uint32_t layer = 0; layer < kLayers; ++layer) {
      const std::vector<std::uint8_t> of = pairs_of(models.emplace_back(planar, 200 + layer), pairs.blue_first);
      bytes.insert(bytes.end(), of.begin(), of.end());
    }
    TexelImage from;
    from.format = planar.format;
    from.width = kWidth;
    from.height = kHeight;
    from.layers = kLayers;
    from.levels = {bytes};
    const VulkanDevice::Image image = make_image(v, from);
    VkSamplerYcbcrConversionCreateInfo info = conversion_info(planar.format);
    info.chromaFilter = VK_FILTER_NEAREST;
    for (std::uint32_t layer = 0; layer < kLayers; ++layer)
      expect_converted(v, image.image, models[layer], info, one_way(VK_FILTER_NEAREST), layer, kLayers);
  }
}

// A view of one plane is an image of that plane's format.
TEST(VulkanYcbcr, PlanesHaveViewsOfTheirOwn_VKF3) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const Model model(kFormats[0], 9);
  const VulkanDevice::Image image = planar_image(v, model, false);
  FeatureRun run(v);
  const VkSampler sampler = v.sampler(VK_FILTER_NEAREST);
  run.image(3, kCombined,
            v.view(image.image, VK_FORMAT_R8_UNORM, VK_IMAGE_VIEW_TYPE_2D, {VK_IMAGE_ASPECT_PLANE_0_BIT, 0, 1, 0, 1}),
            sampler);
  run.image(4, kCombined,
            v.view(image.image, VK_FORMAT_R8G8_UINT, VK_IMAGE_VIEW_TYPE_2D, {VK_IMAGE_ASPECT_PLANE_1_BIT, 0, 1, 0, 1}),
            sampler);
  const auto o =
      run.run("#version 460\n" + kFeatureHead +
              "layout(binding = 3) uniform sampler2D y;\nlayout(binding = 4) uniform usampler2D c;\n"
              "void main() { int n = int(gl_LocalInvocationIndex); o[n] = uint(texelFetch(y, ivec2(n, 3), "
              "0).r * 255.0 + 0.5);\n  uvec2 t = texelFetch(c, ivec2(n % 8, 2), 0).rg; o[16 + n] = t.x | t.y "
              "<< 8; o[32] = uint(textureSize(c, 0).x * 100 + textureSize(c, 0).y); }\n");
  for (std::size_t n = 0; n < 16; ++n) {
    EXPECT_EQ(o[n], model.bytes[0][3 * kWidth + n]) << n;
    const std::size_t at = (2 * kWidth / 2 + n % 8) * 2;
    EXPECT_EQ(o[16 + n], model.bytes[1][at] | std::uint32_t{model.bytes[1][at + 1]} << 8) << n;
  }
  EXPECT_EQ(o[32], 804u);
}

}  // namespace
}  // namespace heddle::test
