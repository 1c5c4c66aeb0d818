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

// Every word of GLSL 4.60's format layout qualifiers, by the sizes that its name says.
TEST(Names, GlslsFormatQualifiers) {
  const char* const floats[] = {"rgba32f",     "rgba16f",    "rg32f",     "rg16f",     "r11f_g11f_b10f",
                                "r32f",        "r16f",       "rgba16",    "rgb10_a2",  "rgba8",
                                "rg16",        "rg8",        "r16",       "r8",        "rgba16_snorm",
                                "rgba8_snorm", "rg16_snorm", "rg8_snorm", "r16_snorm", "r8_snorm"};
  const char* const integers[] = {"rgba32i", "rgba16i", "rgba8i", "rg32i", "rg16i", "rg8i", "r32i", "r16i", "r8i"};
  const char* const unsigned_integers[] = {"rgba32ui", "rgba16ui", "rgb10_a2ui", "rgba8ui", "rg32ui",
                                           "rg16ui",   "rg8ui",    "r32ui",      "r16ui",   "r8ui"};
  const auto check = [](const char* word, ValueClass value_class) {
    const FormatInfo* format = find_format_word(word);
    ASSERT_NE(format, nullptr) << word;
    EXPECT_EQ(format->value_class, value_class) << word;
    const std::string_view text = word;
    const bool packed = text.starts_with("rgb10") || text.starts_with("r11f");
    const std::size_t channels = text.find_first_of("0123456789");
    const unsigned bits = static_cast<unsigned>(std::stoul(std::string(text.substr(channels))));
    EXPECT_EQ(format->bytes_per_element(), packed ? 4u : channels * bits / 8) << word;
    EXPECT_EQ(std::string_view(format->name).find("SNORM") != std::string_view::npos, text.ends_with("_snorm")) << word;
  };
  for (const char* word : floats) check(word, ValueClass::Float);
  for (const char* word : integers) check(word, ValueClass::Sint);
  for (const char* word : unsigned_integers) check(word, ValueClass::Uint);
  EXPECT_EQ(find_format_word("RGBA8UI"), find_format_word("rgba8ui"));
  EXPECT_EQ(find_format_word("rgba8uint"), nullptr);
  EXPECT_EQ(nearest_format_word("rgba16_snrm"), "rgba16_snorm");
  EXPECT_EQ(nearest_format_word("R8G8B8A8_UNOM"), "R8G8B8A8_UNORM");
  EXPECT_EQ(nearest_format_word("photograph"), "");
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
