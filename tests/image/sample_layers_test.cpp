// SPDX-License-Identifier: MIT
// The samples of a multisampled surface, seen as layers.
#include "image/sample_layers.hpp"

#include <gtest/gtest.h>

namespace heddle::image {
namespace {

/// Two layers of 3x2 pixels with four samples each; each texel's red says where it lies.
Surface multisampled() {
  Surface s;
  s.format = Format::R32_UINT;
  s.width = 3;
  s.height = 2;
  s.samples = 4;
  s.array = true;
  s.layers = s.view_layers = 2;
  EXPECT_TRUE(allocate(s).ok());
  for (std::uint32_t slice = 0; slice < s.layers * s.samples; ++slice)
    for (std::uint32_t y = 0; y < s.height; ++y)
      for (std::uint32_t x = 0; x < s.width; ++x)
        EXPECT_TRUE(store(s, 0, slice, x, y, {.bits = {slice * 100 + y * 10 + x}}));
  return s;
}

TEST(SampleLayers, EachSampleIsALayer) {
  const Surface s = multisampled();
  const auto layers = samples_as_layers(s);
  ASSERT_TRUE(validate_state(*layers).ok());
  EXPECT_EQ(layers->samples, 1u);
  EXPECT_EQ(layers->array_length(), 8u);
  for (std::uint32_t layer = 0; layer < 2; ++layer)
    for (std::uint32_t sample = 0; sample < 4; ++sample)
      EXPECT_EQ(fetch(*layers, 0, layer * 4 + sample, 2, 1).texel.bits[0], (layer * 4 + sample) * 100 + 12);
}

TEST(SampleLayers, AViewOfLaterLayersBeginsAtTheirSamples) {
  Surface s = multisampled();
  s.min_array_element = 1;
  s.view_layers = 1;
  const auto layers = samples_as_layers(s);
  EXPECT_EQ(layers->min_array_element, 4u);
  EXPECT_EQ(layers->array_length(), 4u);
}

TEST(SampleLayers, TheSamplesOfASurfaceThatIsNoArrayAreOne) {
  Surface s = multisampled();
  s.array = false;
  s.layers = s.view_layers = 1;
  const auto layers = samples_as_layers(s);
  EXPECT_TRUE(layers->array);
  EXPECT_EQ(layers->array_length(), 4u);
}

// LD-6: a surface with one sample has no MCS, which says where the samples of a pixel are.
TEST(SampleLayers, TheLayersHaveNoMcs) {
  Surface s = multisampled();
  const std::size_t slice = std::size_t{s.width} * s.height * mcs_element_bytes(s.samples);
  s.mcs = std::make_shared<std::vector<std::vector<std::uint8_t>>>(2, std::vector<std::uint8_t>(slice));
  ASSERT_TRUE(validate_state(s).ok());
  const auto layers = samples_as_layers(s);
  EXPECT_EQ(layers->mcs, nullptr);
  EXPECT_TRUE(validate_state(*layers).ok());
  EXPECT_NE(s.mcs, nullptr);
}

}  // namespace
}  // namespace heddle::image
