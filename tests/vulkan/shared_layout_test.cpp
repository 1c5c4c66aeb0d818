// SPDX-License-Identifier: MIT
// Images whose rows lie as others want them (VK_EXT_image_drm_format_modifier), memory that begins as zeros, and
// formats that extensions add.

#include <algorithm>

#include "vulkan/feature_kit.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kWidth = 5, kHeight = 4, kPitch = 64;
constexpr VkDeviceSize kOffset = 128;

// Rows of 64 bytes from byte 128 on: copies, stores and loads of shaders all find them.
TEST(VulkanModifiers, RowsLieWhereTheApplicationSays) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME});
  const VkSubresourceLayout plane{kOffset, 0, kPitch, 0, 0};
  VkImageDrmFormatModifierExplicitCreateInfoEXT given{
      VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT, nullptr, 0, 1, &plane};
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R32_UINT, kWidth, kHeight);
  info.pNext = &given;
  info.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
  info.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
               VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const auto image = v.image(info);
  const VkImageSubresource which{VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT, 0, 0};
  VkSubresourceLayout at{};
  vkGetImageSubresourceLayout(v.device, image.image, &which, &at);
  EXPECT_EQ(at.offset, kOffset);
  EXPECT_EQ(at.rowPitch, kPitch);
  VkImageDrmFormatModifierPropertiesEXT has{VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_PROPERTIES_EXT};
  has.drmFormatModifier = 99;
  EXPECT_EQ(v.proc<PFN_vkGetImageDrmFormatModifierPropertiesEXT>("vkGetImageDrmFormatModifierPropertiesEXT")(
                v.device, image.image, &has),
            VK_SUCCESS);
  EXPECT_EQ(has.drmFormatModifier, 0u);
  void* mapped = nullptr;
  ASSERT_EQ(vkMapMemory(v.device, image.memory, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
  auto* const words = static_cast<std::uint32_t*>(mapped);
  const auto texel = [&](std::uint32_t x, std::uint32_t y) -> std::uint32_t& {
    return words[(kOffset + y * kPitch) / 4 + x];
  };
  const auto in = v.buffer(kWidth * kHeight * 4);
  for (std::uint32_t i = 0; i < kWidth * kHeight; ++i) in.set(i, 1000 + i);
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {kWidth, kHeight, 1};
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdCopyBufferToImage(c, in.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  }),
            VK_SUCCESS);
  for (std::uint32_t y = 0; y < kHeight; ++y)
    for (std::uint32_t x = 0; x < kWidth; ++x) EXPECT_EQ(texel(x, y), 1000 + y * kWidth + x);
  FeatureRun run(v);
  const VkImageView view = v.view(image.image, VK_FORMAT_R32_UINT);
  run.image(3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, view);
  run.image(4, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, v.sampler(VK_FILTER_NEAREST));
  const auto o =
      run.run("#version 450\n" + kFeatureHead +
              "layout(binding = 3, r32ui) uniform uimage2D i;\nlayout(binding = 4) uniform usampler2D t;\n"
              "void main() { uint n = gl_LocalInvocationIndex; ivec2 p = ivec2(n & 3u, n >> 2u);\n"
              "  o[n] = texelFetch(t, p, 0).r; o[16 + n] = imageLoad(i, p).r; imageStore(i, p, uvec4(n)); }\n");
  for (std::uint32_t n = 0; n < 16; ++n) {
    EXPECT_EQ(o[n], 1000 + n / 4 * kWidth + n % 4) << n;
    EXPECT_EQ(o[16 + n], o[n]) << n;
    EXPECT_EQ(texel(n % 4, n / 4), n) << n;
  }
  EXPECT_EQ(texel(4, 2), 1000 + 2 * kWidth + 4) << "beside what the shader wrote";

  // Rows that are too short, or of another modifier, can't be.
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) return;
  VkImage none = VK_NULL_HANDLE;
  VkSubresourceLayout small = plane;
  small.rowPitch = 16;
  given.pPlaneLayouts = &small;
  EXPECT_EQ(vkCreateImage(v.device, &info, nullptr, &none), VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT);
  small.rowPitch = UINT64_MAX - 3;
  EXPECT_EQ(vkCreateImage(v.device, &info, nullptr, &none), VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT);
  given.pPlaneLayouts = &plane;
  given.drmFormatModifier = 1;
  EXPECT_NE(vkCreateImage(v.device, &info, nullptr, &none), VK_SUCCESS);
}

TEST(VulkanModifiers, FormatsHaveTheLinearOne) {
  const VkInstance instance = make_instance();
  const VkPhysicalDevice physical = physical_device(instance);
  VkDrmFormatModifierPropertiesEXT modifier{};
  VkDrmFormatModifierPropertiesListEXT list{VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT, nullptr, 1,
                                            &modifier};
  VkFormatProperties2 format{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &list, {}};
  vkGetPhysicalDeviceFormatProperties2(physical, VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, &format);
  EXPECT_EQ(list.drmFormatModifierCount, 1u);
  EXPECT_EQ(modifier.drmFormatModifier, 0u);
  EXPECT_EQ(modifier.drmFormatModifierPlaneCount, 2u);
  EXPECT_EQ(modifier.drmFormatModifierTilingFeatures, format.formatProperties.linearTilingFeatures);
  vkGetPhysicalDeviceFormatProperties2(physical, VK_FORMAT_D32_SFLOAT, &format);
  EXPECT_EQ(list.drmFormatModifierCount, 0u);
  vkDestroyInstance(instance, nullptr);
}

TEST(VulkanMemory, BeginsAsZerosWhereItIsAskedFor) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({"VK_EXT_zero_initialize_device_memory"});
  const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                        VK_MEMORY_ALLOCATE_ZERO_INITIALIZE_BIT_EXT};
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, 1 << 16, 0};
  for (int again = 0; again < 3; ++again) {
    VkDeviceMemory memory = VK_NULL_HANDLE;
    ASSERT_EQ(vkAllocateMemory(v.device, &allocate, nullptr, &memory), VK_SUCCESS);
    void* mapped = nullptr;
    ASSERT_EQ(vkMapMemory(v.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
    auto* const bytes = static_cast<std::uint8_t*>(mapped);
    EXPECT_EQ(std::count(bytes, bytes + (1 << 16), 0), 1 << 16);
    std::memset(mapped, 0xff, 1 << 16);
    vkFreeMemory(v.device, memory, nullptr);
  }
}

// A block of one color above 1: binary16 10, 1, 100, 1.
TEST(VulkanFormats, AstcBlocksOfHighRange) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const std::vector<std::uint8_t> block{0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                        0x00, 0x49, 0x00, 0x3c, 0x40, 0x56, 0x00, 0x3c};
  const auto image = make_image(v, {.format = VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK, .levels = {block}});
  FeatureRun run(v);
  run.image(3, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, v.view(image.image, VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK),
            v.sampler(VK_FILTER_NEAREST));
  const auto o = run.run("#version 450\n" + kFeatureHead +
                         "layout(binding = 3) uniform sampler2D t;\nvoid main() { uint n = gl_LocalInvocationIndex;\n"
                         "  vec4 c = texelFetch(t, ivec2(1, 2), 0); if (n < 4u) o[n] = uint(c[n]); }\n");
  EXPECT_EQ(o[0], 10u);
  EXPECT_EQ(o[1], 1u);
  EXPECT_EQ(o[2], 100u);
  EXPECT_EQ(o[3], 1u);
}

}  // namespace
}  // namespace heddle::test
