// SPDX-License-Identifier: MIT
// Rules: VKF-7.
#include "pipeline/vertex_formats.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "image/vulkan_formats.hpp"

using namespace heddle::pipeline;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// An attribute of a VkFormat.
VertexAttribute decode(std::uint32_t vk_format, const Bytes& bytes) {
  const auto& format = *heddle::image::format_info(*heddle::image::find_vulkan_format(vk_format)->vertex);
  EXPECT_TRUE(is_vertex_format(format)) << vk_format;
  EXPECT_EQ(format.bytes_per_element(), bytes.size()) << vk_format;
  return decode_vertex(format, bytes.data());
}

std::array<float, 4> floats(std::uint32_t vk_format, const Bytes& bytes) {
  const VertexAttribute attribute = decode(vk_format, bytes);
  EXPECT_FALSE(attribute.wide);
  std::array<float, 4> values{};
  for (unsigned c = 0; c < 4; ++c)
    values[c] = std::bit_cast<float>(static_cast<std::uint32_t>(attribute.components[c]));
  return values;
}

using Floats = std::array<float, 4>;
using Integers = std::array<std::uint64_t, 4>;

TEST(VertexFormats, NormalizedAndScaled_VKF7) {
  EXPECT_EQ(floats(9, {51}), (Floats{0.2f, 0, 0, 1}));                             // R8_UNORM
  EXPECT_EQ(floats(17, {0x80, 127}), (Floats{-1, 1, 0, 1}));                       // R8G8_SNORM
  EXPECT_EQ(floats(25, {1, 2, 255}), (Floats{1, 2, 255, 1}));                      // R8G8B8_USCALED
  EXPECT_EQ(floats(40, {1, 0xff, 0x80, 3}), (Floats{1, -1, -128, 3}));             // R8G8B8A8_SSCALED
  EXPECT_EQ(floats(77, {0xff, 0xff, 0, 0}), (Floats{1, 0, 0, 1}));                 // R16G16_UNORM
  EXPECT_EQ(floats(71, {0x00, 0x80}), (Floats{-1, 0, 0, 1}));                      // R16_SNORM
  EXPECT_EQ(floats(94, {0xff, 0xff, 2, 0, 0, 1, 0, 0}), (Floats{-1, 2, 256, 0}));  // R16G16B16A16_SSCALED
  EXPECT_EQ(floats(83, {0x00, 0x3c, 0x00, 0xc0}), (Floats{1, -2, 0, 1}));          // R16G16_SFLOAT
  EXPECT_EQ(floats(44, {0, 0, 255, 255}), (Floats{1, 0, 0, 1}));                   // B8G8R8A8_UNORM
  EXPECT_EQ(floats(47, {3, 2, 1, 4}), (Floats{1, 2, 3, 4}));                       // B8G8R8A8_SSCALED
}

TEST(VertexFormats, Packed_VKF7) {
  // A2B10G10R10: R in the low bits.
  EXPECT_EQ(floats(64, {0xff, 0x03, 0x00, 0xc0}), (Floats{1, 0, 0, 1}));
  EXPECT_EQ(floats(65, {0x00, 0x02, 0x00, 0x40}), (Floats{-1, 0, 0, 1})) << "SNORM of 10 and 2 bits";
  EXPECT_EQ(floats(67, {0xff, 0x03, 0x00, 0x80}), (Floats{-1, 0, 0, -2})) << "SSCALED";
  EXPECT_EQ(decode(68, {0x01, 0x08, 0x30, 0xc0}).components, (Integers{1, 2, 3, 3})) << "UINT";
  EXPECT_EQ(floats(58, {0x00, 0x00, 0xf0, 0x3f}), (Floats{1, 0, 0, 0})) << "A2R10G10B10: R in the high bits";
  EXPECT_EQ(floats(51, {255, 0, 0, 51}), (Floats{1, 0, 0, 0.2f})) << "A8B8G8R8_UNORM_PACK32";
}

TEST(VertexFormats, IntegersAndWords_VKF7) {
  EXPECT_EQ(decode(14, {0xfe}).components, (Integers{0xfffffffe, 0, 0, 1}));         // R8_SINT
  EXPECT_EQ(decode(81, {1, 2, 3, 4}).components, (Integers{0x0201, 0x0403, 0, 1}));  // R16G16_UINT
  EXPECT_EQ(decode(104, Bytes(12, 0x11)).components, (Integers{0x11111111, 0x11111111, 0x11111111, 1}));
  EXPECT_EQ(floats(106, {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40}), (Floats{1, 2, 3, 1}));
}

TEST(VertexFormats, WideComponentsKeepTheirBits_VKF7) {
  Bytes doubles(16);
  const double values[2] = {0.1, -3e200};
  std::memcpy(doubles.data(), values, 16);
  const VertexAttribute two = decode(115, doubles);  // R64G64_SFLOAT
  EXPECT_TRUE(two.wide);
  EXPECT_EQ(two.components, (Integers{std::bit_cast<std::uint64_t>(0.1), std::bit_cast<std::uint64_t>(-3e200), 0,
                                      std::bit_cast<std::uint64_t>(1.0)}));
  EXPECT_EQ(decode(110, {1, 2, 3, 4, 5, 6, 7, 8}).components, (Integers{0x0807060504030201, 0, 0, 1}));  // R64_UINT
  EXPECT_EQ(decode(116, Bytes(24, 1)).components[2], 0x0101010101010101u);  // R64G64B64_UINT
}

TEST(VertexFormats, TexturesAreNone_VKF7) {
  for (const std::uint32_t number : {43u, 131u, 123u})  // R8G8B8A8_SRGB, BC1, E5B9G9R9
    EXPECT_FALSE(is_vertex_format(*heddle::image::format_info(*heddle::image::find_vulkan_format(number)->vertex)));
}

}  // namespace
