// SPDX-License-Identifier: MIT
// Rules: VKF-1 to VKF-4.
#include "image/vulkan_formats.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "image/hardware/state.hpp"
#include "image/surface.hpp"

namespace heddle::image {
namespace {

const VulkanFormat& row(std::uint32_t number) {
  const VulkanFormat* found = find_vulkan_format(number);
  EXPECT_NE(found, nullptr) << number;
  static const VulkanFormat none;
  return found != nullptr ? *found : none;
}

TEST(VulkanFormats, PackedChannelsStandWhereVulkanSays_VKF1) {
  // VK_FORMAT_B4G4R4A4_UNORM_PACK16: B in bits 15 to 12, G 11 to 8, R 7 to 4, A 3 to 0; and so on from the name.
  const struct {
    std::uint32_t number;
    std::uint16_t element;  ///< R = 1, G = 2, B = 3 of the channel's codes, A = 1
    std::array<unsigned, 4> tops;
  } cases[] = {{2, 0x1231, {15, 15, 15, 15}},
               {3, 0x3211, {15, 15, 15, 15}},
               {1000340000, 0x1123, {15, 15, 15, 15}},
               {1000340001, 0x1321, {15, 15, 15, 15}},
               {4, 1 << 11 | 2 << 5 | 3, {31, 63, 31, 0}},
               {5, 3 << 11 | 2 << 5 | 1, {31, 63, 31, 0}},
               {6, 1 << 11 | 2 << 6 | 3 << 1 | 1, {31, 31, 31, 1}},
               {7, 3 << 11 | 2 << 6 | 1 << 1 | 1, {31, 31, 31, 1}},
               {8, 1 << 15 | 1 << 10 | 2 << 5 | 3, {31, 31, 31, 1}},
               {1000470000, 1 << 15 | 3 << 10 | 2 << 5 | 1, {31, 31, 31, 1}}};
  for (const auto& c : cases) {
    const FormatInfo& format = *format_info(row(c.number).planes[0].format);
    ASSERT_EQ(format.bytes_per_element(), 2u) << c.number;
    const std::uint8_t element[2] = {static_cast<std::uint8_t>(c.element), static_cast<std::uint8_t>(c.element >> 8)};
    const Texel texel = decode_texel(format, element);
    const std::array<unsigned, 4> codes{1, 2, 3, 1};
    for (unsigned i = 0; i < 4; ++i) {
      const float expected = c.tops[i] == 0 ? 1.0f : static_cast<float>(codes[i]) / static_cast<float>(c.tops[i]);
      EXPECT_EQ(texel.f(static_cast<int>(i)), expected) << c.number << " channel " << i;
    }
    std::uint8_t back[2] = {};
    encode_texel(format, texel, back);
    EXPECT_TRUE(std::equal(back, back + 2, element)) << c.number;
  }
}

TEST(VulkanFormats, BlueFirst_VKF1) {
  const std::uint8_t bytes[4] = {1, 2, 253, 4};
  const Texel integers = decode_texel(*format_info(row(49).planes[0].format), bytes);  // B8G8R8A8_SINT
  EXPECT_EQ(integers.bits, (std::array<std::uint32_t, 4>{static_cast<std::uint32_t>(-3), 2, 1, 4}));
  const Texel three = decode_texel(*format_info(row(34).planes[0].format), bytes);  // B8G8R8_UINT
  EXPECT_EQ(three.bits, (std::array<std::uint32_t, 4>{253, 2, 1, 1}));
}

TEST(VulkanFormats, StateWordsCannotNameThem_VKF1) {
  Surface surface;
  surface.format = Format::A4R4G4B4_UNORM;
  ASSERT_TRUE(allocate(surface).ok());
  const auto state = hardware::from_surface(surface, Generation::Gen9, {}, 0);
  ASSERT_FALSE(state.ok());
  EXPECT_EQ(state.diagnostics()[0].id, "surface-format");
}

TEST(VulkanFormats, DepthAndStencilAreSurfaces_VKF2) {
  const VulkanFormat& both = row(129);  // D24_UNORM_S8_UINT
  EXPECT_EQ(both.plane_count, 2);
  EXPECT_EQ(both.planes[*both.plane_of(Aspect::Depth)].format, Format::R24_UNORM_X8_TYPELESS);
  EXPECT_EQ(both.planes[*both.plane_of(Aspect::Stencil)].format, Format::R8_UINT);
  EXPECT_FALSE(both.plane_of(Aspect::Color).has_value());
  EXPECT_FALSE(both.multi_planar());
  EXPECT_EQ(row(128).planes[0].format, Format::R16_UNORM);
  EXPECT_EQ(row(130).planes[0].format, Format::R32_FLOAT);
  const VulkanFormat& stencil = row(127);
  EXPECT_EQ(stencil.plane_count, 1);
  EXPECT_EQ(stencil.plane_of(Aspect::Stencil), 0u);
  EXPECT_FALSE(stencil.plane_of(Aspect::Depth).has_value());
  EXPECT_FALSE(row(126).plane_of(Aspect::Stencil).has_value());
}

TEST(VulkanFormats, PlanesOfYCbCr_VKF3) {
  const VulkanFormat& nv12 = row(1000156003);
  EXPECT_TRUE(nv12.multi_planar());
  EXPECT_EQ(nv12.plane_count, 2);
  EXPECT_EQ(nv12.planes[0].format, Format::R8_UNORM);
  EXPECT_EQ(nv12.planes[1].format, Format::R8G8_UNORM);
  EXPECT_EQ(nv12.planes[1].width_divisor, 2);
  EXPECT_EQ(nv12.planes[1].height_divisor, 2);
  EXPECT_EQ(nv12.sampled, Format::PLANAR_420_8);
  EXPECT_EQ(nv12.plane_of(Aspect::Plane1), 1u);
  EXPECT_FALSE(nv12.plane_of(Aspect::Plane2).has_value());
  const VulkanFormat& i422 = row(1000156004);
  EXPECT_EQ(i422.plane_count, 3);
  EXPECT_EQ(i422.planes[2].width_divisor, 2);
  EXPECT_EQ(i422.planes[2].height_divisor, 1);
  EXPECT_FALSE(i422.sampled.has_value());
}

TEST(VulkanFormats, PairsOf422AreTexels_VKF3) {
  const struct {
    std::uint32_t number;
    Format pair, half;
    VulkanFormat::Pairs order;
  } cases[] = {
      {1000156000, Format::R8G8B8A8_UNORM, Format::R8G8_UNORM, VulkanFormat::Pairs::LumaFirst},
      {1000156011, Format::R10X6G10X6B10X6A10X6_UNORM, Format::R10X6G10X6_UNORM, VulkanFormat::Pairs::BlueFirst},
      {1000156020, Format::R12X4G12X4B12X4A12X4_UNORM, Format::R12X4G12X4_UNORM, VulkanFormat::Pairs::LumaFirst},
      {1000156028, Format::R16G16B16A16_UNORM, Format::R16G16_UNORM, VulkanFormat::Pairs::BlueFirst}};
  for (const auto& c : cases) {
    const VulkanFormat& format = row(c.number);
    EXPECT_EQ(format.plane_count, 1) << c.number;
    EXPECT_FALSE(format.multi_planar()) << c.number;
    EXPECT_EQ(format.planes[0].format, c.pair) << c.number;
    EXPECT_EQ(format.planes[0].width_divisor, 2) << c.number;
    EXPECT_EQ(format.sampled, c.half) << c.number;
    EXPECT_EQ(format.pairs, c.order) << c.number;
  }
  EXPECT_FALSE(row(1000156002).pairs.has_value());
}

TEST(VulkanFormats, WideIntegersAreTwoWords_VKF4) {
  for (const std::uint32_t number : {110u, 111u}) {
    EXPECT_TRUE(row(number).wide_integer);
    EXPECT_EQ(row(number).planes[0].format, Format::R32G32_UINT);
  }
  EXPECT_FALSE(row(101).wide_integer);
}

TEST(VulkanFormats, AreInOrderAndNamed) {
  const auto all = vulkan_formats();
  EXPECT_TRUE(std::ranges::is_sorted(all, std::ranges::less_equal{}, &VulkanFormat::number));
  EXPECT_EQ(std::ranges::adjacent_find(all, {}, &VulkanFormat::number), all.end());
  for (const VulkanFormat& format : all) {
    EXPECT_EQ(find_vulkan_format(format.number), &format);
    EXPECT_GE(format.plane_count, 1) << format.name;
    for (unsigned p = 0; p < format.plane_count; ++p)
      EXPECT_NE(format_info(format.planes[p].format), nullptr) << format.name;
  }
  EXPECT_EQ(find_vulkan_format(0), nullptr);
  EXPECT_EQ(find_vulkan_format(1000054000), nullptr);  // PVRTC
}

}  // namespace
}  // namespace heddle::image
