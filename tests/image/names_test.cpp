// SPDX-License-Identifier: MIT
#include "image/names.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace heddle::image;

namespace {

TEST(Names, BothVocabularies) {
  EXPECT_EQ(find_address_mode("repeat"), AddressMode::Wrap);
  EXPECT_EQ(find_address_mode("VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE"), AddressMode::MirrorOnce);
  EXPECT_EQ(find_address_mode("TEXCOORDMODE_WRAP"), AddressMode::Wrap);
  EXPECT_EQ(find_address_mode("clamp_border"), AddressMode::ClampBorder);
  EXPECT_EQ(find_address_mode("clamp_to_border"), AddressMode::ClampBorder);
  EXPECT_FALSE(find_address_mode("tile"));
  EXPECT_EQ(find_mip_filter("VK_SAMPLER_MIPMAP_MODE_LINEAR"), MipFilter::Linear);
  EXPECT_EQ(find_surface_type("SURFTYPE_2D"), SurfaceType::Dim2);
  EXPECT_EQ(find_swizzle("BGR1"),
            (std::array{ChannelSelect::Blue, ChannelSelect::Green, ChannelSelect::Red, ChannelSelect::One}));
  EXPECT_FALSE(find_swizzle("RGB"));
  EXPECT_EQ(swizzle_text({ChannelSelect::Blue, ChannelSelect::Zero, ChannelSelect::Red, ChannelSelect::One}), "B0R1");
}

// The hardware's result for a state function, as CMP-1 states it: texel on the left, inverted.
bool hardware(CompareFunction f, float texel, float ref) {
  const auto holds = [&] {
    switch (f) {
      case CompareFunction::Always:
        return true;
      case CompareFunction::Never:
        return false;
      case CompareFunction::Less:
        return texel < ref;
      case CompareFunction::Equal:
        return texel == ref;
      case CompareFunction::Lequal:
        return texel <= ref;
      case CompareFunction::Greater:
        return texel > ref;
      case CompareFunction::Notequal:
        return texel != ref;
      case CompareFunction::Gequal:
        return texel >= ref;
    }
    return false;
  };
  return !holds();
}

TEST(Names, CompareOpIsVulkansComparison_CMP1) {
  const float values[] = {0.25f, 0.5f, 0.75f};
  for (const float texel : values)
    for (const float ref : values) {
      const auto gives = [&](const char* op) { return hardware(*find_compare_op(op), texel, ref); };
      EXPECT_EQ(gives("never"), false);
      EXPECT_EQ(gives("less"), ref < texel);
      EXPECT_EQ(gives("equal"), ref == texel);
      EXPECT_EQ(gives("less_or_equal"), ref <= texel);
      EXPECT_EQ(gives("VK_COMPARE_OP_GREATER"), ref > texel);
      EXPECT_EQ(gives("not_equal"), ref != texel);
      EXPECT_EQ(gives("greater_or_equal"), ref >= texel);
      EXPECT_EQ(gives("always"), true);
    }
}

}  // namespace
