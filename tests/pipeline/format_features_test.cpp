// SPDX-License-Identifier: MIT
// Rules: VKF-5, VKF-6.
#include "pipeline/format_features.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace heddle::pipeline;
using heddle::image::find_vulkan_format;
using heddle::image::vulkan_formats;

namespace {

const heddle::image::VulkanFormat* named(std::string_view name) {
  const auto all = vulkan_formats();
  const auto found = std::ranges::find(all, name, &heddle::image::VulkanFormat::name);
  return found != all.end() ? &*found : nullptr;
}

struct Letter {
  char letter;
  bool FormatFeatures::* member;
};
constexpr Letter kLetters[] = {{'S', &FormatFeatures::sampled_image},
                               {'B', &FormatFeatures::blit_src},
                               {'L', &FormatFeatures::sampled_image_filter_linear},
                               {'T', &FormatFeatures::storage_image},
                               {'A', &FormatFeatures::storage_image_atomic},
                               {'C', &FormatFeatures::color_attachment},
                               {'D', &FormatFeatures::blit_dst},
                               {'W', &FormatFeatures::color_attachment_blend},
                               {'Z', &FormatFeatures::depth_stencil_attachment},
                               {'V', &FormatFeatures::vertex_buffer},
                               {'U', &FormatFeatures::uniform_texel_buffer},
                               {'X', &FormatFeatures::storage_texel_buffer},
                               {'Y', &FormatFeatures::storage_texel_buffer_atomic},
                               {'t', &FormatFeatures::transfer_src},
                               {'d', &FormatFeatures::transfer_dst}};

struct Demand {
  std::string_view name, letters;
};
// Required format support of Vulkan 1.1, with what shaderStorageImageExtendedFormats and VK_EXT_4444_formats add, all
// depth and stencil formats where one of two would do, and all of BC, ETC2 and ASTC where one family would do.
constexpr Demand kDemands[] = {{"B4G4R4A4_UNORM_PACK16", "SBL"},
                               {"R5G6B5_UNORM_PACK16", "SBLCDW"},
                               {"A1R5G5B5_UNORM_PACK16", "SBLCDW"},
                               {"A4R4G4B4_UNORM_PACK16", "SBL"},
                               {"A4B4G4R4_UNORM_PACK16", "SBL"},
                               {"R8_UNORM", "SBLTCDWVU"},
                               {"R8_SNORM", "SBLTVU"},
                               {"R8_UINT", "SBTCDVU"},
                               {"R8_SINT", "SBTCDVU"},
                               {"R8G8_UNORM", "SBLTCDWVU"},
                               {"R8G8_SNORM", "SBLTVU"},
                               {"R8G8_UINT", "SBTCDVU"},
                               {"R8G8_SINT", "SBTCDVU"},
                               {"R8G8B8A8_UNORM", "SBLTCDWVUX"},
                               {"R8G8B8A8_SNORM", "SBLTVUX"},
                               {"R8G8B8A8_UINT", "SBTCDVUX"},
                               {"R8G8B8A8_SINT", "SBTCDVUX"},
                               {"R8G8B8A8_SRGB", "SBLCDW"},
                               {"B8G8R8A8_UNORM", "SBLCDWVU"},
                               {"B8G8R8A8_SRGB", "SBLCDW"},
                               {"A8B8G8R8_UNORM_PACK32", "SBLCDWVUX"},
                               {"A8B8G8R8_SNORM_PACK32", "SBLVUX"},
                               {"A8B8G8R8_UINT_PACK32", "SBCDVUX"},
                               {"A8B8G8R8_SINT_PACK32", "SBCDVUX"},
                               {"A8B8G8R8_SRGB_PACK32", "SBLCDW"},
                               {"A2B10G10R10_UNORM_PACK32", "SBLTCDWVU"},
                               {"A2B10G10R10_UINT_PACK32", "SBTCDU"},
                               {"R16_UNORM", "TV"},
                               {"R16_SNORM", "TV"},
                               {"R16_UINT", "SBTCDVU"},
                               {"R16_SINT", "SBTCDVU"},
                               {"R16_SFLOAT", "SBLTCDWVU"},
                               {"R16G16_UNORM", "TV"},
                               {"R16G16_SNORM", "TV"},
                               {"R16G16_UINT", "SBTCDVU"},
                               {"R16G16_SINT", "SBTCDVU"},
                               {"R16G16_SFLOAT", "SBLTCDWVU"},
                               {"R16G16B16A16_UNORM", "TV"},
                               {"R16G16B16A16_SNORM", "TV"},
                               {"R16G16B16A16_UINT", "SBTCDVUX"},
                               {"R16G16B16A16_SINT", "SBTCDVUX"},
                               {"R16G16B16A16_SFLOAT", "SBLTCDWVUX"},
                               {"R32_UINT", "SBTACDVUXY"},
                               {"R32_SINT", "SBTACDVUXY"},
                               {"R32_SFLOAT", "SBTACDVUXY"},
                               {"R32G32_UINT", "SBTCDVUX"},
                               {"R32G32_SINT", "SBTCDVUX"},
                               {"R32G32_SFLOAT", "SBTCDVUX"},
                               {"R32G32B32_UINT", "V"},
                               {"R32G32B32_SINT", "V"},
                               {"R32G32B32_SFLOAT", "V"},
                               {"R32G32B32A32_UINT", "SBTCDVUX"},
                               {"R32G32B32A32_SINT", "SBTCDVUX"},
                               {"R32G32B32A32_SFLOAT", "SBTCDVUX"},
                               {"B10G11R11_UFLOAT_PACK32", "SBLTU"},
                               {"E5B9G9R9_UFLOAT_PACK32", "SBL"},
                               {"D16_UNORM", "SBZ"},
                               {"X8_D24_UNORM_PACK32", "Z"},
                               {"D32_SFLOAT", "SBZ"},
                               {"D24_UNORM_S8_UINT", "Z"},
                               {"D32_SFLOAT_S8_UINT", "Z"}};

void expect_letters(const heddle::image::VulkanFormat& format, std::string_view letters) {
  const FormatFeatures features = format_features(format);
  for (const Letter& letter : kLetters)
    if (letters.find(letter.letter) != std::string_view::npos)
      EXPECT_TRUE(features.*letter.member) << format.name << " lacks " << letter.letter;
}

TEST(FormatFeatures, HaveWhatVulkanDemands_VKF5) {
  for (const Demand& demand : kDemands) {
    const auto* format = named(demand.name);
    ASSERT_NE(format, nullptr) << demand.name;
    expect_letters(*format, demand.letters);
    // Images can be copied.
    if (demand.letters.find('S') != std::string_view::npos) expect_letters(*format, "td");
  }
  unsigned blocks = 0;
  for (std::uint32_t number = 131; number <= 184; ++number) {  // BC1 to BC7, ETC2, EAC, ASTC
    const auto* format = find_vulkan_format(number);
    ASSERT_NE(format, nullptr) << number;
    expect_letters(*format, "SBLtd");
    ++blocks;
  }
  EXPECT_EQ(blocks, 54u);
}

TEST(FormatFeatures, OfferNothingThatTheUnitsCannotDo_VKF5) {
  for (const auto& format : vulkan_formats()) {
    const FormatFeatures features = format_features(format);
    const auto& info = *heddle::image::format_info(format.planes[0].format);
    const bool integer = info.value_class != heddle::image::ValueClass::Float;
    const bool depth = format.depth || format.stencil;
    if (features.color_attachment || features.storage_image) EXPECT_TRUE(heddle::image::encodable(info)) << format.name;
    if (integer) EXPECT_FALSE(features.sampled_image_filter_linear || features.color_attachment_blend) << format.name;
    if (depth) EXPECT_EQ(features.buffer_bits(), 0u) << format.name << ": demanded by Vulkan";
    if (depth) EXPECT_FALSE(features.color_attachment || features.storage_image) << format.name;
    if (info.compression != heddle::image::Compression::None)
      EXPECT_FALSE(features.color_attachment || features.storage_image || features.blit_dst) << format.name;
    if (features.image_bits() != 0) EXPECT_TRUE(features.transfer_src && features.transfer_dst) << format.name;
    if (features.color_attachment_blend) EXPECT_TRUE(features.color_attachment) << format.name;
    if (info.is_srgb()) EXPECT_FALSE(features.storage_image || features.vertex_buffer) << format.name;
  }
  const FormatFeatures wide = format_features(*find_vulkan_format(110));
  EXPECT_TRUE(wide.storage_image_atomic && wide.transfer_dst && !wide.sampled_image && !wide.blit_src);
  const FormatFeatures scaled = format_features(*named("R8G8_SSCALED"));
  EXPECT_EQ(scaled.image_bits(), 0u);
  EXPECT_TRUE(scaled.vertex_buffer);
  const FormatFeatures nv12 = format_features(*named("G8_B8R8_2PLANE_420_UNORM"));
  EXPECT_TRUE(nv12.sampled_image && nv12.midpoint_chroma_samples && !nv12.blit_src);
}

TEST(FormatFeatures, BitsAreVulkans_VKF6) {
  FormatFeatures features;
  EXPECT_EQ(features.image_bits(), 0u);
  features.sampled_image = features.transfer_dst = true;
  EXPECT_EQ(features.image_bits(), 0x8001u);
  features = {};
  features.uniform_texel_buffer = features.storage_texel_buffer = features.storage_read_without_format = true;
  EXPECT_EQ(features.buffer_bits(), 0x80000018u);
  EXPECT_EQ(features.image_bits(), 0u);
  const FormatFeatures r32 = format_features(*find_vulkan_format(98));
  EXPECT_EQ(r32.buffer_bits(), 0x180000078u);
  EXPECT_EQ(r32.image_bits(), 0x18000cc87u);
}

}  // namespace
