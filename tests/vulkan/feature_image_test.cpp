// SPDX-License-Identifier: MIT
// Features of images, samplers and descriptors, each in a shader that needs it.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "vulkan/feature_kit.hpp"

namespace heddle::test {
namespace {

constexpr VkDescriptorType kCombined = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
constexpr VkDescriptorType kImage = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;

constexpr std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Floats 0, 1, 2 ... from `first` on.
std::vector<std::uint8_t> counted(std::size_t count, float first = 0) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = first + static_cast<float>(i);
  return bytes_of(values);
}

/// A square R32_SFLOAT image with all levels: level L has the value 10 * L everywhere but level 0, which counts.
TexelImage leveled(std::uint32_t side) {
  TexelImage image;
  image.width = image.height = side;
  image.levels.push_back(counted(std::size_t{side} * side));
  for (std::uint32_t level = 1; side >> level != 0; ++level)
    image.levels.push_back(
        bytes_of(std::vector<float>(std::size_t{side >> level} * (side >> level), 10.0f * static_cast<float>(level))));
  return image;
}

VkSamplerCreateInfo sampler_info(VkFilter filter, VkSamplerAddressMode address) {
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = info.minFilter = filter;
  info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST;
  info.addressModeU = info.addressModeV = info.addressModeW = address;
  info.maxLod = VK_LOD_CLAMP_NONE;
  return info;
}
VkSampler make_sampler(VulkanDevice& v, const VkSamplerCreateInfo& info) {
  VkSampler made = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateSampler(v.device, &info, nullptr, &made), VK_SUCCESS);
  v.later([d = v.device, made] { vkDestroySampler(d, made, nullptr); });
  return made;
}

/// What a shader with one combined image sampler `t` writes.
std::vector<std::uint32_t> sampled(VulkanDevice& v, VkImageView view, VkSampler sampler, const std::string& type,
                                   const std::string& main, const std::vector<const char*>& extensions = {}) {
  FeatureRun run(v);
  run.image(3, kCombined, view, sampler);
  std::string glsl = "#version 460\n";
  for (const char* name : extensions) glsl += "#extension " + std::string(name) + " : require\n";
  return run.run(glsl + kFeatureHead + "layout(binding = 3) uniform " + type +
                 " t;\nvoid main() { uint n = gl_LocalInvocationIndex; " + main + " }\n");
}

TEST(VulkanImages, GathersWithOffsetsOfTheirOwn) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  TexelImage from;
  from.width = from.height = 8;
  from.levels = {counted(64)};
  const auto o =
      sampled(v, v.view(make_image(v, from).image, from.format), v.sampler(VK_FILTER_NEAREST), "sampler2D",
              "const ivec2 at[4] = {ivec2(0, 0), ivec2(2, 0), ivec2(-1, 1), ivec2(3, -2)};\n"
              "  vec4 g = textureGatherOffsets(t, vec2(0.5), at); vec4 h = textureGatherOffset(t, vec2(0.5), "
              "ivec2(int(n % 4u) - 2, int(n / 4u) - 2));\n"
              "  if (n == 0u) for (int i = 0; i < 4; ++i) o[64 + i] = uint(g[i]); o[n] = uint(h.w);");
  // Texel i0j0 of the middle is (3, 3).
  const std::uint32_t offsets[] = {27, 29, 34, 14};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(o[64 + i], offsets[i]) << i;
  for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(o[n], (n / 4 + 1) * 8 + n % 4 + 1) << n;
}

TEST(VulkanImages, LevelsAreHeldBelow) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_IMAGE_VIEW_MIN_LOD_EXTENSION_NAME});
  const auto image = make_image(v, leveled(8)).image;
  const VkSampler sampler = v.sampler(VK_FILTER_NEAREST);
  const auto o = sampled(v, v.view(image, VK_FORMAT_R32_SFLOAT), sampler, "sampler2D",
                         "o[n] = uint(textureGradClampARB(t, vec2(0.5), vec2(0), vec2(0), float(n % 4u)).r); ",
                         {"GL_ARB_sparse_texture_clamp"});
  for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(o[n], n % 4 == 0 ? 36 : n % 4 * 10) << n;
  VkImageViewMinLodCreateInfoEXT least{VK_STRUCTURE_TYPE_IMAGE_VIEW_MIN_LOD_CREATE_INFO_EXT, nullptr, 2};
  VkImageViewCreateInfo views{
      VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, &least, 0, image, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_SFLOAT};
  views.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, 1};
  VkImageView view = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateImageView(v.device, &views, nullptr, &view), VK_SUCCESS);
  v.later([d = v.device, view] { vkDestroyImageView(d, view, nullptr); });
  const auto held = sampled(v, view, sampler, "sampler2D", "o[n] = uint(textureLod(t, vec2(0.5), float(n % 4u)).r);");
  for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(held[n], n % 4 == 3 ? 30u : 20u) << n;
}

// LD-10: with robustImageAccess2 fetches and gathers below the whole part of minLod read zeros.
TEST(VulkanImages, FetchesBelowTheLeastLevelReadZeros) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_IMAGE_VIEW_MIN_LOD_EXTENSION_NAME});
  const auto image = make_image(v, leveled(16)).image;
  const VkSampler sampler = v.sampler(VK_FILTER_NEAREST);
  for (const std::uint32_t base : {0u, 1u})
    for (const float least : {1.0f, 1.9f, 2.1f}) {
      SCOPED_TRACE(std::to_string(base) + " " + std::to_string(least));
      VkImageViewMinLodCreateInfoEXT limit{VK_STRUCTURE_TYPE_IMAGE_VIEW_MIN_LOD_CREATE_INFO_EXT, nullptr, least};
      VkImageViewCreateInfo views{
          VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, &limit, 0, image, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_SFLOAT};
      views.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, base, VK_REMAINING_MIP_LEVELS, 0, 1};
      VkImageView view = VK_NULL_HANDLE;
      ASSERT_EQ(vkCreateImageView(v.device, &views, nullptr, &view), VK_SUCCESS);
      v.later([d = v.device, view] { vkDestroyImageView(d, view, nullptr); });
      const auto o = sampled(v, view, sampler, "sampler2D",
                             "o[n] = uint(texelFetch(t, ivec2(0), int(n % 4u)).r); o[16u + n] = uint(texelFetch(t, "
                             "ivec2(1), 0).r); o[32u + n] = uint(textureGather(t, vec2(0.5))[n % 4u]); o[48u + n] = "
                             "uint(textureSize(t, 0).x);");
      const auto first = static_cast<std::uint32_t>(least) - base;  // of the view's levels
      for (std::uint32_t n = 0; n < 16; ++n) {
        EXPECT_EQ(o[n], n % 4 < first ? 0u : (n % 4 + base) * 10) << n;
        EXPECT_EQ(o[16 + n], first > 0 ? 0u : 10u) << n;
        EXPECT_EQ(o[32 + n], first > 0 ? 0u : 10u) << n;
        EXPECT_EQ(o[48 + n], 16u >> base) << n;
      }
    }
}

TEST(VulkanImages, TexelsSayThatTheyAreThere) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const auto o = sampled(v, v.view(make_image(v, leveled(4)).image, VK_FORMAT_R32_SFLOAT), v.sampler(VK_FILTER_NEAREST),
                         "sampler2D",
                         "vec4 texel; int code = sparseTexelFetchARB(t, ivec2(n % 4u, n / 4u), 0, texel);\n"
                         "  o[n] = uint(texel.r) + (sparseTexelsResidentARB(code) ? 100u : 0u);",
                         {"GL_ARB_sparse_texture2"});
  for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(o[n], 100 + n) << n;
}

// A long thin footprint: with anisotropy its short side chooses the level, without its long one.
TEST(VulkanImages, AnisotropyChoosesTheFinerLevel) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const VkImageView view = v.view(make_image(v, leveled(32)).image, VK_FORMAT_R32_SFLOAT);
  for (const float ratio : {1.0f, 8.0f}) {
    VkSamplerCreateInfo info = sampler_info(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT);
    info.anisotropyEnable = ratio > 1 ? VK_TRUE : VK_FALSE;
    info.maxAnisotropy = ratio;
    const auto o =
        sampled(v, view, make_sampler(v, info), "sampler2D",
                "o[n] = floatBitsToUint(textureGrad(t, vec2(0.5), vec2(16.0 / 32, 0), vec2(0, 2.0 / 32)).r);");
    EXPECT_EQ(o[0], bits(ratio > 1 ? 10 : 40)) << ratio;
  }
}

TEST(VulkanImages, BordersHaveAnyColor) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME});
  TexelImage from;
  from.format = VK_FORMAT_R8G8B8A8_UNORM;
  from.levels = {std::vector<std::uint8_t>(64, 255)};
  const VkImageView view = v.view(make_image(v, from).image, from.format);
  for (const VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED}) {
    VkSamplerCustomBorderColorCreateInfoEXT color{
        VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT, nullptr, {{0.25f, 0.5f, 0.75f, 0.125f}}, format};
    VkSamplerCreateInfo info = sampler_info(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER);
    info.pNext = &color;
    info.borderColor = VK_BORDER_COLOR_FLOAT_CUSTOM_EXT;
    const auto o = sampled(v, view, make_sampler(v, info), "sampler2D",
                           "vec4 c = textureLod(t, vec2(float(n % 2u) * 2 - 0.5, 0.5), 0); if (n < 2u) for (int i = 0; "
                           "i < 4; ++i) o[n * 4u + i] = uint(c[i] * 1000 + 0.5);");
    for (const std::size_t at : {0u, 4u}) {
      EXPECT_EQ(o[at], 250u);
      EXPECT_EQ(o[at + 1], 500u);
      EXPECT_EQ(o[at + 2], 750u);
      EXPECT_EQ(o[at + 3], 125u);
    }
  }
}

TEST(VulkanImages, CoordinatesAreMirroredOnce) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  TexelImage from;
  from.height = 1;
  from.levels = {counted(4)};
  const auto o = sampled(v, v.view(make_image(v, from).image, from.format),
                         v.sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE), "sampler2D",
                         "o[n] = uint(textureLod(t, vec2((float(n) - 7.5) / 4, 0.5), 0).r);");
  for (int n = 0; n < 16; ++n) EXPECT_EQ(o[static_cast<std::size_t>(n)], std::min(3, n < 8 ? 7 - n : n - 8)) << n;
}

// Depth in lines, two layers of it; volumes have none.
TEST(VulkanImages, DepthIsComparedInLines) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  constexpr VkFormat kFormat = VK_FORMAT_D16_UNORM;
  VkImageFormatProperties can;
  const auto supported = [&](VkImageType type) {
    return vkGetPhysicalDeviceImageFormatProperties(v.physical, kFormat, type, VK_IMAGE_TILING_OPTIMAL,
                                                    VK_IMAGE_USAGE_SAMPLED_BIT, 0, &can);
  };
  EXPECT_EQ(supported(VK_IMAGE_TYPE_3D), VK_ERROR_FORMAT_NOT_SUPPORTED);
  ASSERT_EQ(supported(VK_IMAGE_TYPE_1D), VK_SUCCESS);
  EXPECT_EQ(can.sampleCounts, static_cast<VkSampleCountFlags>(VK_SAMPLE_COUNT_1_BIT));
  VkImageCreateInfo info = VulkanDevice::image_info(kFormat, 4, 1);
  info.imageType = VK_IMAGE_TYPE_1D;
  info.arrayLayers = 2;
  const auto image = v.image(info);
  const auto texels = v.buffer(16);
  const std::array<std::uint16_t, 8> depths{0, 0x4000, 0x8000, 0xffff, 0xffff, 0x8000, 0x4000, 0};
  std::memcpy(texels.bytes, depths.data(), sizeof depths);
  const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 2}, {0, 0, 0}, {4, 1, 1}};
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdCopyBufferToImage(c, texels.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  }),
            VK_SUCCESS);
  VkSamplerCreateInfo compare = sampler_info(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
  compare.compareEnable = VK_TRUE;
  compare.compareOp = VK_COMPARE_OP_LESS;
  const VkImageView view =
      v.view(image.image, kFormat, VK_IMAGE_VIEW_TYPE_1D_ARRAY, {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 2});
  const auto o = sampled(v, view, make_sampler(v, compare), "sampler1DArrayShadow",
                         "o[n] = uint(textureLod(t, vec3((float(n % 4u) + 0.5) / 4, n / 4u % 2u, n < 8u ? 0.25 : 0.5), "
                         "0));");
  for (std::uint32_t n = 0; n < 16; ++n) {
    const double reference = n < 8 ? 0.25 : 0.5;
    EXPECT_EQ(o[n], reference < depths[n % 8] / 65535.0 ? 1u : 0u) << n;
  }
}

TEST(VulkanImages, FiltersTakeTheLeastOrTheMost) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  TexelImage from;
  from.levels = {counted(16)};
  const VkImageView view = v.view(make_image(v, from).image, from.format);
  for (const bool most : {false, true}) {
    VkSamplerReductionModeCreateInfo mode{VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO, nullptr,
                                          most ? VK_SAMPLER_REDUCTION_MODE_MAX : VK_SAMPLER_REDUCTION_MODE_MIN};
    VkSamplerCreateInfo info = sampler_info(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
    info.pNext = &mode;
    const auto o = sampled(v, view, make_sampler(v, info), "sampler2D", "o[n] = uint(textureLod(t, vec2(0.5), 0).r);");
    EXPECT_EQ(o[0], most ? 10u : 5u);
  }
}

// Beyond the edge of a face lies its neighbor, or, where faces are not joined, the edge again.
TEST(VulkanImages, CubesAreJoinedOrNot) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_NON_SEAMLESS_CUBE_MAP_EXTENSION_NAME});
  TexelImage from;
  from.width = from.height = 2;
  from.layers = 12;
  from.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
  std::vector<float> faces;
  for (int layer = 0; layer < 12; ++layer) faces.insert(faces.end(), 4, static_cast<float>(layer * 100));
  from.levels = {bytes_of(faces)};
  const auto image = make_image(v, from).image;
  const VkImageView cube = v.view(image, from.format, VK_IMAGE_VIEW_TYPE_CUBE, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 6});
  for (const bool joined : {false, true}) {
    VkSamplerCreateInfo info = sampler_info(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
    info.flags = joined ? 0 : VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT;
    const auto o = sampled(v, cube, make_sampler(v, info), "samplerCube",
                           "o[n] = uint(textureLod(t, vec3(1, 0, -0.99999), 0).r + 0.5);");
    EXPECT_EQ(o[0], joined ? 250u : 0u) << "+X where it meets -Z, face 5";
  }
  const VkImageView array =
      v.view(image, from.format, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 12});
  const auto o = sampled(v, array, v.sampler(VK_FILTER_NEAREST), "samplerCubeArray",
                         "vec3 d = vec3(0); d[n % 3u] = n % 6u < 3u ? 1 : -1; o[n] = uint(textureLod(t, vec4(d, n / "
                         "8u), 0).r) + uint(textureSize(t, 0).z) * 10000u;");
  for (std::uint32_t n = 0; n < 16; ++n)
    EXPECT_EQ(o[n], 20000 + (n / 8 * 6 + n % 3 * 2 + (n % 6 < 3 ? 0 : 1)) * 100) << n;
}

/// The image's first texel after a shader stored (0.5, 2, 3, 1) there, and what it then loads.
struct Stored {
  VkFormat format;
  const char* layout;  ///< empty: without a format
  float values[4];
  std::vector<std::uint32_t> loaded;
};

TEST(VulkanImages, StorageOfEveryFormatAndOfNone) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const std::vector<std::uint32_t> quarter{bits(0.25f), 0, 0, bits(1)};
  const Stored cases[] = {
      {VK_FORMAT_R16_SFLOAT, "r16f", {0.25f, 2, 3, 4}, quarter},
      {VK_FORMAT_R16G16_SFLOAT, "rg16f", {0.25f, -2, 3, 4}, {bits(0.25f), bits(-2), 0, bits(1)}},
      {VK_FORMAT_B10G11R11_UFLOAT_PACK32, "r11f_g11f_b10f", {0.25f, 2, 3, 4}, {bits(0.25f), bits(2), bits(3), bits(1)}},
      {VK_FORMAT_A2B10G10R10_UNORM_PACK32, "rgb10_a2", {0, 1, 5, -1}, {0, bits(1), bits(1), 0}},
      {VK_FORMAT_R8_UNORM, "r8", {1, 1, 1, 1}, {bits(1), 0, 0, bits(1)}},
      {VK_FORMAT_R16G16_SNORM, "rg16_snorm", {-1, 1, 1, 1}, {bits(-1), bits(1), 0, bits(1)}},
      {VK_FORMAT_R16G16_SFLOAT, "", {0.25f, -2, 3, 4}, {bits(0.25f), bits(-2), 0, bits(1)}},
      {VK_FORMAT_R8G8B8A8_UNORM, "", {1, 0, 1, 0}, {bits(1), 0, bits(1), 0}},
  };
  for (const Stored& s : cases) {
    SCOPED_TRACE(std::to_string(s.format) + " as " + s.layout);
    TexelImage from;
    from.format = s.format;
    from.usage = VK_IMAGE_USAGE_STORAGE_BIT;
    FeatureRun run(v);
    run.image(3, kImage, v.view(make_image(v, from).image, s.format));
    const std::string layout = *s.layout == 0 ? "" : std::string(", ") + s.layout;
    std::string values;
    for (const float value : s.values) values += (values.empty() ? "" : ", ") + std::to_string(value);
    const auto o = run.run("#version 460\n#extension GL_EXT_shader_image_load_formatted : require\n" + kFeatureHead +
                           "layout(binding = 3" + layout + ") uniform image2D i;\nvoid main() { uint n = " +
                           "gl_LocalInvocationIndex; if (n == 0u) imageStore(i, ivec2(1, 1), vec4(" + values +
                           ")); memoryBarrierImage(); barrier(); vec4 c = imageLoad(i, ivec2(1, 1));\n"
                           "  vec4 away = imageLoad(i, ivec2(4 + n, 1)); if (n < 4u) o[n] = floatBitsToUint(c[n]); "
                           "o[4 + n] = floatBitsToUint(away.r); o[20 + n] = floatBitsToUint(away.a); }\n");
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(o[i], s.loaded[i]) << i;
    for (std::size_t i = 4; i < 20; ++i) EXPECT_EQ(o[i], 0u) << "outside, robustImageAccess";
    const bool alpha = s.format == VK_FORMAT_A2B10G10R10_UNORM_PACK32 || s.format == VK_FORMAT_R8G8B8A8_UNORM;
    for (std::size_t i = 20; i < 36; ++i) EXPECT_EQ(o[i], alpha ? 0u : bits(1)) << "outside, robustImageAccess2";
  }
}

TEST(VulkanImages, FourBitsAChannel) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_4444_FORMATS_EXTENSION_NAME});
  // 0x1 in the highest four bits.
  for (const auto& [format, order] : {std::pair{VK_FORMAT_A4R4G4B4_UNORM_PACK16, std::array{2u, 3u, 4u, 1u}},
                                      {VK_FORMAT_A4B4G4R4_UNORM_PACK16, std::array{4u, 3u, 2u, 1u}}}) {
    TexelImage from;
    from.format = format;
    from.levels = {bytes_of(std::vector<std::uint16_t>(16, 0x1234))};
    const auto o = sampled(v, v.view(make_image(v, from).image, format), v.sampler(VK_FILTER_NEAREST), "sampler2D",
                           "if (n < 4u) o[n] = uint(texelFetch(t, ivec2(1, 2), 0)[n] * 15 + 0.5);");
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(o[i], order[i]) << format << " " << i;
  }
}

struct PaddedCase {
  VkFormat format;
  unsigned bits, components;
};
/// VKF-1: components in the high bits of 16; the low ones are not read.
void expect_padded(VulkanDevice& v, const PaddedCase& of) {
  SCOPED_TRACE(of.format);
  const float most = static_cast<float>((1u << of.bits) - 1);
  std::vector<std::uint16_t> words;
  for (std::size_t i = 0; i < std::size_t{16} * of.components; ++i)
    words.push_back(static_cast<std::uint16_t>(i * 977 + 5));
  TexelImage from;
  from.format = of.format;
  from.levels = {bytes_of(words)};
  const auto o = sampled(v, v.view(make_image(v, from).image, of.format), v.sampler(VK_FILTER_LINEAR), "sampler2D",
                         "vec4 c = textureLod(t, (vec2(n % 4u, n / 4u) + 0.5) / 4.0, 0.0); for (int i = 0; i < 4; "
                         "++i) o[n * 4u + i] = uint(c[i] * " +
                             std::to_string(most) + " + 0.5);");
  for (std::size_t n = 0; n < 16; ++n)
    for (std::size_t c = 0; c < 4; ++c)
      EXPECT_EQ(o[4 * n + c], c < of.components ? words[n * of.components + c] >> (16 - of.bits)
                              : c == 3          ? static_cast<std::uint32_t>(most)
                                                : 0u)
          << n << " " << c;
}

TEST(VulkanImages, TenAndTwelveBitsInSixteen_VKF1) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  for (const PaddedCase& of :
       {PaddedCase{VK_FORMAT_R10X6_UNORM_PACK16, 10, 1}, PaddedCase{VK_FORMAT_R10X6G10X6_UNORM_2PACK16, 10, 2},
        PaddedCase{VK_FORMAT_R12X4_UNORM_PACK16, 12, 1}, PaddedCase{VK_FORMAT_R12X4G12X4_UNORM_2PACK16, 12, 2}})
    expect_padded(v, of);
}

// Without VK_EXT_rgba10x6_formats four components are for conversions only.
TEST(VulkanImages, FourTimesTenBitsInSixteen_VKF1) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_RGBA10X6_FORMATS_EXTENSION_NAME});
  const VkFormat format = VK_FORMAT_R10X6G10X6B10X6A10X6_UNORM_4PACK16;
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(v.physical, format, &properties);
  constexpr VkFormatFeatureFlags kNeeded =
      VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
  EXPECT_EQ(properties.optimalTilingFeatures & kNeeded, kNeeded);
  expect_padded(v, {format, 10, 4});
}

// One block of each family, of one color.
TEST(VulkanImages, CompressedBlocks) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  struct Block {
    VkFormat format;
    std::vector<std::uint8_t> bytes;
    std::array<std::uint32_t, 4> texel;  ///< of 255
  };
  const Block blocks[] = {
      {VK_FORMAT_BC1_RGB_UNORM_BLOCK, {0x00, 0xf8, 0x1f, 0x00, 0, 0, 0, 0}, {255, 0, 0, 255}},
      {VK_FORMAT_BC4_UNORM_BLOCK, {0x80, 0x10, 0, 0, 0, 0, 0, 0}, {128, 0, 0, 255}},
      // Individual mode: base colors 0xf, 0x0, 0x8 doubled, modifiers +2 of table 0.
      {VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK, {0xff, 0x00, 0x88, 0x00, 0, 0, 0, 0}, {255, 2, 138, 255}},
      // A void extent of (0x4000, 0x8000, 0xffff, 0xffff).
      {VK_FORMAT_ASTC_4x4_UNORM_BLOCK,
       {0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x40, 0x40, 0x80, 0x80, 0xff, 0xff, 0xff, 0xff},
       {64, 128, 255, 255}},
  };
  for (const Block& block : blocks) {
    TexelImage from;
    from.format = block.format;
    from.levels = {block.bytes};
    const auto o = sampled(v, v.view(make_image(v, from).image, block.format), v.sampler(VK_FILTER_NEAREST),
                           "sampler2D", "if (n < 4u) o[n] = uint(texelFetch(t, ivec2(1, 2), 0)[n] * 255 + 0.5);");
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(o[i], block.texel[i]) << block.format << " " << i;
  }
}

}  // namespace
}  // namespace heddle::test
