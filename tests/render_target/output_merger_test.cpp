// SPDX-License-Identifier: MIT
// OM-1 to OM-22: the stages of the output merger, their arithmetic and their order.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "render_target/render_target.hpp"

namespace heddle::render_target {
namespace {

using image::ClampRange;
using image::CompareFunction;
using image::Surface;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::uint32_t word(float value) { return std::bit_cast<std::uint32_t>(value); }

/// One pixel of one target: writes a color and reads the element back.
struct Pixel {
  explicit Pixel(std::string_view format, std::uint32_t samples = 1) {
    surface.format = image::find_format(format)->format;
    surface.width = surface.info().block_width;
    surface.samples = samples;
    EXPECT_TRUE(image::allocate(surface).ok());
  }
  void bytes(std::initializer_list<int> values) {
    std::transform(values.begin(), values.end(), surface.memory->begin(),
                   [](int v) { return static_cast<std::uint8_t>(v); });
  }
  RenderTargetMessage message(std::array<float, 4> value) const {
    RenderTargetMessage m;
    m.active = 1;
    m.last = true;
    m.r = RenderTargetMessage::filled(word(value[0]));
    m.g = RenderTargetMessage::filled(word(value[1]));
    m.b = RenderTargetMessage::filled(word(value[2]));
    m.a = RenderTargetMessage::filled(word(value[3]));
    return m;
  }
  void color(std::array<float, 4> value) { write(message(value)); }
  void write(const RenderTargetMessage& m) { write_render_target(context, {{&surface}, depth, stencil}, state, m); }
  std::uint8_t byte(std::size_t i) const { return (*surface.memory)[i]; }
  image::Texel texel() const { return image::fetch(surface, 0, 0, 0, 0).texel; }
  BlendEntry& entry() { return state.blend[0]; }
  Surface surface;
  Surface* depth = nullptr;
  Surface* stencil = nullptr;
  OutputState state;
  OperationContext context;
};

Surface plane(std::string_view format, std::uint32_t value) {
  Surface surface;
  surface.format = image::find_format(format)->format;
  EXPECT_TRUE(image::allocate(surface).ok());
  for (std::size_t i = 0; i < surface.memory->size(); ++i)
    (*surface.memory)[i] = static_cast<std::uint8_t>(value >> (8 * i));
  return surface;
}
std::uint32_t stored(const Surface& surface) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < surface.memory->size(); ++i) value |= std::uint32_t{(*surface.memory)[i]} << (8 * i);
  return value;
}

TEST(OutputMerger, Om2CoverageGrowsWithAlpha) {  // C13
  EXPECT_EQ(alpha_coverage(kNan), 0u);
  EXPECT_EQ(alpha_coverage(-1.0f), 0u);
  EXPECT_EQ(alpha_coverage(1.0f), 0xFFFFu);
  EXPECT_EQ(alpha_coverage(kInfinity), 0xFFFFu);
  EXPECT_EQ(alpha_coverage(0.25f), 0x8888u);  // FEA80h >> 4 & Fh = 8
  EXPECT_EQ(alpha_coverage(1.0f / 16), 0x0100u);
  EXPECT_EQ(alpha_coverage(3.0f / 16), 0x0100u | 0x1010u);
  for (int m = 0; m <= 16; ++m) EXPECT_EQ(std::popcount(alpha_coverage(static_cast<float>(m) / 16)), m);
}

TEST(OutputMerger, Om2UsesSourceZeroAlphaAndNeedsSamples) {
  Pixel pixel("R8G8B8A8_UNORM", 4);
  pixel.state.alpha_to_coverage = true;
  pixel.color({1, 1, 1, 0.5f});  // m = 8: FEA80h >> 8 & Fh = Ah
  for (std::size_t s = 0; s < 4; ++s) EXPECT_EQ(pixel.byte(s * 4), (0xAu >> s & 1) != 0 ? 255 : 0);
  Pixel other("R8G8B8A8_UNORM", 4);
  other.state.alpha_to_coverage = true;
  RenderTargetMessage m = other.message({1, 1, 1, 0});
  m.s0a = RenderTargetMessage::filled(word(1.0f));
  other.write(m);
  for (std::size_t s = 0; s < 4; ++s) EXPECT_EQ(other.byte(s * 4), 255);
  Pixel single("R8G8B8A8_UNORM");
  single.state.alpha_to_coverage = true;
  single.color({1, 1, 1, 0});
  EXPECT_EQ(single.byte(0), 255);
  const auto half = std::nextafter(0.5f, 0.0f);
  for (const float alpha : {0.0f, half, 0.5f, 1.0f, kNan}) {
    Pixel one("R8G8B8A8_UNORM");
    one.state.alpha_to_coverage = one.state.alpha_to_coverage_single = true;
    one.color({1, 1, 1, alpha});
    EXPECT_EQ(one.byte(0), alpha >= 0.5f ? 255 : 0) << alpha;
  }
  Pixel off("R8G8B8A8_UNORM", 4);
  off.state.alpha_to_coverage = off.state.alpha_to_coverage_disabled_by_shader = true;
  off.color({1, 1, 1, 0});
  EXPECT_EQ(off.byte(4), 255);
}

TEST(OutputMerger, Om25SmoothLinesScaleAlphaBeforeItIsUsed) {
  Pixel pixel("R8G8B8A8_UNORM", 4);
  pixel.state.alpha_to_coverage = true;
  RenderTargetMessage m = pixel.message({1, 1, 1, 1});
  m.line_coverage.emplace();
  m.line_coverage->fill(0.5f);
  pixel.write(m);
  for (std::size_t s = 0; s < 4; ++s) EXPECT_EQ(pixel.byte(s * 4 + 3), (0xAu >> s & 1) != 0 ? 128 : 0);
  Pixel other("R8G8B8A8_UNORM");  // another blend entry
  RenderTargetMessage second = other.message({1, 1, 1, 1});
  second.line_coverage = m.line_coverage;
  second.rti = 1;
  other.write(second);
  EXPECT_EQ(other.byte(3), 255);
}

TEST(OutputMerger, Om3AlphaToOneComesAfterCoverageAndBeforeTheAlphaTest) {
  Pixel pixel("R8G8B8A8_UNORM", 4);
  pixel.state.alpha_to_coverage = pixel.state.alpha_to_one = pixel.state.alpha_test = true;
  pixel.state.alpha_func = CompareFunction::Equal;
  pixel.state.alpha_ref = 1.0f;
  pixel.color({0, 0, 0, 0.5f});
  for (std::size_t s = 0; s < 4; ++s) EXPECT_EQ(pixel.byte(s * 4 + 3), (0xAu >> s & 1) != 0 ? 255 : 0);
}

TEST(OutputMerger, Om4AlphaTest) {
  const auto passes = [](CompareFunction function, image::AlphaFormat format, float alpha, float ref) {
    Pixel pixel("R8G8B8A8_UNORM");
    pixel.state.alpha_test = true;
    pixel.state.alpha_func = function;
    pixel.state.alpha_format = format;
    pixel.state.alpha_ref = ref;
    pixel.color({1, 0, 0, alpha});
    return pixel.byte(0) == 255;
  };
  const auto real = image::AlphaFormat::Float32, bytes = image::AlphaFormat::Unorm8;
  EXPECT_TRUE(passes(CompareFunction::Greater, real, 0.5001f, 0.5f));
  EXPECT_FALSE(passes(CompareFunction::Greater, bytes, 0.5001f, 0.5f));  // both are 128
  EXPECT_TRUE(passes(CompareFunction::Equal, bytes, 7.0f, 1.0f));
  EXPECT_TRUE(passes(CompareFunction::Equal, bytes, kNan, 0.0f));
  for (auto function : {CompareFunction::Less, CompareFunction::Equal, CompareFunction::Lequal,
                        CompareFunction::Greater, CompareFunction::Gequal, CompareFunction::Never})
    EXPECT_FALSE(passes(function, real, kNan, 0.5f));
  EXPECT_TRUE(passes(CompareFunction::Notequal, real, kNan, 0.5f));
  EXPECT_TRUE(passes(CompareFunction::Always, real, kNan, 0.5f));
}

TEST(OutputMerger, Om7StencilOperations) {
  for (int value = 0; value < 256; ++value) {
    const auto v = static_cast<std::uint8_t>(value);
    EXPECT_EQ(stencil_result(StencilOp::Keep, v, 77), v);
    EXPECT_EQ(stencil_result(StencilOp::Zero, v, 77), 0);
    EXPECT_EQ(stencil_result(StencilOp::Replace, v, 77), 77);
    EXPECT_EQ(stencil_result(StencilOp::IncrSat, v, 77), std::min(value + 1, 255));
    EXPECT_EQ(stencil_result(StencilOp::DecrSat, v, 77), std::max(value - 1, 0));
    EXPECT_EQ(stencil_result(StencilOp::Incr, v, 77), (value + 1) % 256);
    EXPECT_EQ(stencil_result(StencilOp::Decr, v, 77), (value + 255) % 256);
    EXPECT_EQ(stencil_result(StencilOp::Invert, v, 77), 255 - value);
  }
}

TEST(OutputMerger, Om5Om6Om7Outcomes) {
  // Stored depth 0.5, stencil 35h; each outcome has its own operation, through write mask 0Fh.
  for (bool stencil_passes : {false, true})
    for (bool depth_passes : {false, true}) {
      Surface depth = plane("R32_FLOAT", word(0.5f)), stencil = plane("R8_UINT", 0x35);
      Pixel pixel("R8G8B8A8_UNORM");
      pixel.depth = &depth;
      pixel.stencil = &stencil;
      pixel.state.depth_test = pixel.state.depth_write = pixel.state.stencil_test = pixel.state.stencil_write = true;
      pixel.state.depth_func = CompareFunction::Less;
      // Masked by 3Ch the stored value is 34h and the reference 10h or 34h; LESS asks for ref < stored.
      pixel.state.front = {
          CompareFunction::Less, StencilOp::Zero, StencilOp::Invert, StencilOp::Replace, 0x3C, 0x0F, 0};
      pixel.state.front.ref = stencil_passes ? 0x13 : 0x37;
      RenderTargetMessage m = pixel.message({1, 1, 1, 1});
      m.z = RenderTargetMessage::filled(word(depth_passes ? 0.25f : 0.75f));
      pixel.write(m);
      EXPECT_EQ(stored(stencil), !stencil_passes ? 0x30u : !depth_passes ? 0x3Au : 0x33u);
      EXPECT_EQ(stored(depth), word(stencil_passes && depth_passes ? 0.25f : 0.5f));
      EXPECT_EQ(pixel.byte(0), stencil_passes && depth_passes ? 255 : 0);
    }
}

TEST(OutputMerger, Om5BackFaceStateNeedsDoubleSided) {
  for (bool double_sided : {false, true})
    for (bool back : {false, true}) {
      Surface stencil = plane("R8_UINT", 0);
      Pixel pixel("R8G8B8A8_UNORM");
      pixel.stencil = &stencil;
      pixel.state.stencil_test = pixel.state.stencil_write = true;
      pixel.state.double_sided = double_sided;
      pixel.state.front.pass_op = pixel.state.back.pass_op = StencilOp::Replace;
      pixel.state.front.ref = 1;
      pixel.state.back.ref = 2;
      RenderTargetMessage m = pixel.message({});
      m.header.back = back;
      pixel.write(m);
      EXPECT_EQ(stored(stencil), double_sided && back ? 2u : 1u);
    }
}

TEST(OutputMerger, Om6DepthIsClampedQuantizedAndCompared) {  // C57
  const auto passes = [](std::string_view format, std::uint32_t stored_word, CompareFunction function, float z,
                         std::array<float, 2> range = {0, 1}) {
    Surface depth = plane(format, stored_word);
    Pixel pixel("R8G8B8A8_UNORM");
    pixel.depth = &depth;
    pixel.state.depth_test = true;
    pixel.state.depth_func = function;
    pixel.state.depth_range = range;
    RenderTargetMessage m = pixel.message({1, 1, 1, 1});
    m.z = RenderTargetMessage::filled(word(z));
    pixel.write(m);
    return pixel.byte(0) == 255;
  };
  EXPECT_TRUE(passes("R16_UNORM", 32768, CompareFunction::Equal, 0.5f));
  EXPECT_TRUE(passes("R16_UNORM", 32768, CompareFunction::Equal, 0.500001f));
  EXPECT_TRUE(passes("R24_UNORM_X8_TYPELESS", 8388608, CompareFunction::Equal, 0.5f));  // rne(8388607.5)
  EXPECT_TRUE(passes("R24_UNORM_X8_TYPELESS", 0xAB000000, CompareFunction::Equal, kNan));
  EXPECT_TRUE(passes("R32_FLOAT", word(0.5f), CompareFunction::Equal, 0.5f));
  EXPECT_FALSE(passes("R32_FLOAT", word(0.5f), CompareFunction::Equal, 0.50000006f));
  EXPECT_FALSE(passes("R32_FLOAT", word(0.5f), CompareFunction::Lequal, kNan));
  EXPECT_TRUE(passes("R32_FLOAT", word(0.5f), CompareFunction::Notequal, kNan));
  EXPECT_TRUE(passes("R32_FLOAT", word(0.75f), CompareFunction::Equal, 9.0f, {0.25f, 0.75f}));
  EXPECT_TRUE(passes("R32_FLOAT", word(0.25f), CompareFunction::Equal, -kInfinity, {0.25f, 0.75f}));
}

TEST(OutputMerger, Om6QuantizingIsExact) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    const float z = std::bit_cast<float>(static_cast<std::uint32_t>(random() % 0x3F800001u));
    Surface depth = plane("R24_UNORM_X8_TYPELESS", 0);
    Pixel pixel("R8G8B8A8_UNORM");
    pixel.depth = &depth;
    pixel.state.depth_write = true;
    RenderTargetMessage m = pixel.message({});
    m.frag_depth.fill(z);
    pixel.write(m);
    const long double exact = static_cast<long double>(z) * 16777215.0L;  // 24 by 24 bits fit
    EXPECT_EQ(stored(depth), static_cast<std::uint32_t>(std::nearbyintl(exact)));
  }
}

TEST(OutputMerger, Om7DepthWriteWithoutTest) {
  Surface depth = plane("R32_FLOAT", word(0.5f));
  Pixel pixel("R8G8B8A8_UNORM");
  pixel.depth = &depth;
  pixel.state.depth_write = true;
  pixel.state.depth_func = CompareFunction::Never;
  RenderTargetMessage m = pixel.message({});
  m.z = RenderTargetMessage::filled(word(0.75f));
  pixel.write(m);
  EXPECT_EQ(stored(depth), word(0.75f));
}

TEST(OutputMerger, Om6ViewportsAreChosenByTheHeader) {
  Surface depth = plane("R32_FLOAT", 0);
  Pixel pixel("R8G8B8A8_UNORM");
  pixel.depth = &depth;
  pixel.state.depth_write = true;
  pixel.state.viewport_count = 2;
  pixel.state.viewports[1] = {0.0f, 0.125f};
  RenderTargetMessage m = pixel.message({});
  m.header.viewport = 1;
  m.frag_depth.fill(1.0f);
  pixel.write(m);
  EXPECT_EQ(stored(depth), word(0.125f));
}

TEST(OutputMerger, Om8Om10ClampRanges) {  // C23
  struct Case {
    std::string_view format;
    ClampRange range;
    float in, out;
  };
  const std::vector<Case> cases{{"R32G32B32A32_FLOAT", ClampRange::Unorm, 2, 1},
                                {"R32G32B32A32_FLOAT", ClampRange::Snorm, -2, -1},
                                {"R32G32B32A32_FLOAT", ClampRange::Unorm, kNan, 0},
                                {"R32G32B32A32_FLOAT", ClampRange::Target, 1e30f, 1e30f},
                                {"R16G16B16A16_FLOAT", ClampRange::Target, 1e9f, 65504},
                                {"R16G16B16A16_FLOAT", ClampRange::Target, -kInfinity, -65504},
                                {"R11G11B10_FLOAT", ClampRange::Target, 1e9f, 65024}};
  for (const Case& c : cases)
    for (bool before : {false, true}) {
      Pixel pixel(c.format);
      pixel.entry().clamp_range = c.range;
      (before ? pixel.entry().pre_blend_clamp : pixel.entry().post_blend_clamp) = true;
      pixel.color({c.in, 0, 0, 0});
      EXPECT_EQ(pixel.texel().f(0), c.out) << c.format;
    }
  Pixel blue("R11G11B10_FLOAT");
  blue.entry().post_blend_clamp = true;
  blue.color({0, 0, 1e9f, 0});
  EXPECT_EQ(blue.texel().f(2), 64512.0f);
  Pixel untouched("R32_FLOAT");
  untouched.entry().pre_blend_clamp = true;
  untouched.color({kNan, 0, 0, 0});
  EXPECT_NE(untouched.texel().f(0), untouched.texel().f(0));
}

TEST(OutputMerger, Om8DestinationAndConstantAreClampedToo) {
  for (bool source_only : {false, true}) {
    Pixel pixel("R32G32B32A32_FLOAT");
    image::Texel before;
    before.set(0, 4.0f);
    image::store(pixel.surface, 0, 0, 0, 0, before);
    pixel.entry().enable = pixel.entry().pre_blend_clamp = true;
    pixel.entry().pre_blend_src_only_clamp = source_only;
    pixel.entry().clamp_range = ClampRange::Unorm;
    pixel.entry().src_color = BlendFactor::ConstColor;
    pixel.entry().dst_color = BlendFactor::One;
    pixel.state.constant = {8, 0, 0, 0};
    pixel.color({3, 0, 0, 0});
    EXPECT_EQ(pixel.texel().f(0), source_only ? 1.0f * 8 + 4 : 1.0f * 1 + 1);
  }
}

/// An independent reading of the factor table by code.
float factor_of(unsigned code, unsigned c, const BlendColors& k) {
  const std::array<float, 11> plain{0,
                                    1,
                                    k.source[c],
                                    k.source[3],
                                    k.destination[3],
                                    k.destination[c],
                                    c == 3 ? 1 : std::min(k.source[3], 1 - k.destination[3]),
                                    k.constant[c],
                                    k.constant[3],
                                    k.second[c],
                                    k.second[3]};
  return (code & 0x10) != 0 ? 1.0f - plain[code & 15] : plain[code & 15];
}

TEST(OutputMerger, Om9Om20Om21Om22EveryFactorAndFunction) {  // C56: no factors of MIN and MAX; E14: two sources
  std::mt19937 random(3);
  std::uniform_real_distribution<float> number(-2, 2);
  const std::vector<unsigned> codes{1,    2,    3,    4,    5,    6,    7,    8,    9,   10,
                                    0x11, 0x12, 0x13, 0x14, 0x15, 0x17, 0x18, 0x19, 0x1A};
  for (unsigned source : codes)
    for (unsigned destination : codes)
      for (unsigned function = 0; function < 5; ++function)
        for (bool independent : {false, true}) {
          BlendColors k;
          for (auto* vector : {&k.source, &k.destination, &k.second, &k.constant})
            for (float& v : *vector) v = number(random);
          BlendEntry entry;
          entry.src_color = static_cast<BlendFactor>(source);
          entry.dst_color = static_cast<BlendFactor>(destination);
          entry.color_func = static_cast<BlendFunction>(function);
          entry.src_alpha = static_cast<BlendFactor>(destination);
          entry.dst_alpha = static_cast<BlendFactor>(source);
          entry.alpha_blend_func = static_cast<BlendFunction>((function + 1) % 5);
          const auto result = blend(entry, independent, k);
          for (unsigned c = 0; c < 4; ++c) {
            const bool swapped = c == 3 && independent;
            const unsigned f = swapped ? (function + 1) % 5 : function;
            const float s = k.source[c], d = k.destination[c];
            const float a = s * factor_of(swapped ? destination : source, c, k),
                        b = d * factor_of(swapped ? source : destination, c, k);
            const float expected = f == 0   ? a + b
                                   : f == 1 ? a - b
                                   : f == 2 ? b - a
                                   : f == 3 ? std::min(s, d)
                                            : std::max(s, d);
            EXPECT_EQ(result[c], expected) << source << " " << destination << " " << function << " " << c;
          }
        }
}

TEST(OutputMerger, Om9ArithmeticNanIsCanonical) {
  BlendEntry entry;
  BlendColors colors;
  colors.source[0] = std::bit_cast<float>(0xFFC12345u);
  EXPECT_EQ(word(blend(entry, false, colors)[0]), 0x7FC00000u);
  entry.color_func = BlendFunction::Max;  // NUM-4: a NaN source yields the destination
  EXPECT_EQ(blend(entry, false, colors)[0], 0.0f);
}

TEST(OutputMerger, Om9BlendsDecodedUnorm) {
  Pixel pixel("R8G8B8A8_UNORM");
  pixel.bytes({100, 0, 200, 255});
  pixel.entry().enable = true;
  pixel.entry().src_color = BlendFactor::SrcAlpha;
  pixel.entry().dst_color = BlendFactor::InvSrcAlpha;
  pixel.color({1.0f, 0.5f, 0.0f, 0.25f});
  const auto expect = [](float s, int d) {
    return static_cast<int>(std::nearbyint((s * 0.25f + static_cast<float>(d) / 255.0f * 0.75f) * 255.0f));
  };
  EXPECT_EQ(pixel.byte(0), expect(1.0f, 100));
  EXPECT_EQ(pixel.byte(1), expect(0.5f, 0));
  EXPECT_EQ(pixel.byte(2), expect(0.0f, 200));
  EXPECT_EQ(pixel.byte(3), expect(0.25f, 255));
}

TEST(OutputMerger, Om9Om11SrgbTargetsBlendLinearly) {
  Pixel pixel("R8G8B8A8_UNORM_SRGB");
  pixel.bytes({255, 255, 255, 255});
  pixel.entry().enable = true;
  pixel.entry().src_color = BlendFactor::Zero;
  pixel.entry().dst_color = BlendFactor::ConstColor;
  pixel.state.constant = {0.5f, 0.5f, 0.5f, 0.5f};
  pixel.color({0, 0, 0, 0});
  EXPECT_EQ(pixel.byte(0), 188);  // sRGB of 0.5
  EXPECT_EQ(pixel.byte(3), 128);  // rne(127.5)
}

TEST(OutputMerger, Om9DestinationWithoutAlphaHasAlphaOne) {
  Pixel pixel("B8G8R8X8_UNORM");
  pixel.entry().enable = true;
  pixel.entry().src_color = BlendFactor::DstAlpha;
  pixel.color({1, 1, 1, 1});
  EXPECT_EQ(pixel.byte(2), 255);
  EXPECT_EQ(pixel.byte(3), 0);  // C32
}

TEST(OutputMerger, Om9IntegersAreNotBlended) {
  Pixel pixel("R8G8B8A8_UINT");
  pixel.bytes({9, 9, 9, 9});
  pixel.entry().enable = true;
  pixel.entry().src_color = BlendFactor::Zero;
  RenderTargetMessage m = pixel.message({});
  m.r = RenderTargetMessage::filled(300);
  pixel.write(m);
  EXPECT_EQ(pixel.byte(0), 255);  // NUM-53
  ASSERT_EQ(pixel.context.reports.all().size(), 1u);
  EXPECT_EQ(pixel.context.reports.all()[0].id, "OM-9");
}

TEST(OutputMerger, Om12DitherIsTruncationOfAnOffsetValue) {  // C24
  Surface surface;
  surface.format = image::find_format("B5G6R5_UNORM")->format;
  surface.width = surface.height = 4;
  ASSERT_TRUE(image::allocate(surface).ok());
  const int matrix[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
  OutputState state;
  state.dither = true;
  state.dither_x = 1;
  state.dither_y = 2;
  for (float value : {0.0f, 0.3f, 0.5f, 0.77f, 1.0f, 2.0f, kNan}) {
    for (std::uint32_t y = 0; y < 4; y += 2) {
      RenderTargetMessage m;
      m.header.x = {0, 2, 0, 0};
      m.header.y = {y, y, 0, 0};
      m.r = m.g = m.b = RenderTargetMessage::filled(word(value));
      OperationContext context;
      write_render_target(context, {{&surface}}, state, m);
    }
    const float clamped = value != value ? 0.0f : std::min(value, 1.0f);
    for (unsigned y = 0; y < 4; ++y)
      for (unsigned x = 0; x < 4; ++x) {
        const unsigned element = (*surface.memory)[(y * 4 + x) * 2] | (*surface.memory)[(y * 4 + x) * 2 + 1] << 8;
        const int d = matrix[(y + 2) % 4][(x + 1) % 4];
        EXPECT_EQ(element & 31, static_cast<unsigned>((static_cast<int>(std::floor(clamped * 31 * 16)) + d) >> 4));
        EXPECT_EQ(element >> 5 & 63, static_cast<unsigned>((static_cast<int>(std::floor(clamped * 63 * 16)) + d) >> 4));
      }
  }
}

TEST(OutputMerger, Om12SrgbColorIsNotDithered) {
  Pixel pixel("R8G8B8A8_UNORM_SRGB");
  pixel.state.dither = true;
  pixel.state.dither_x = 3;
  pixel.color({1, 0, 0, 0.5f});
  EXPECT_EQ(pixel.byte(0), 255);
  EXPECT_EQ(pixel.byte(1), 0);
  EXPECT_EQ(pixel.byte(3), (2040 + 10) >> 4);  // alpha is a UNORM channel
}

TEST(OutputMerger, Om13LogicOperations) {
  // Truth tables of (s, d) = 00, 01, 10, 11 in bits 0 to 3, in order of code.
  const unsigned truth[16] = {0b0000, 0b0001, 0b0010, 0b0011, 0b0100, 0b0101, 0b0110, 0b0111,
                              0b1000, 0b1001, 0b1010, 0b1011, 0b1100, 0b1101, 0b1110, 0b1111};
  std::mt19937 random(2);
  for (unsigned op = 0; op < 16; ++op)
    for (unsigned bits : {2u, 10u, 16u}) {
      const std::uint32_t s = random() % (1u << bits), d = random() % (1u << bits);
      std::uint32_t expected = 0;
      for (unsigned i = 0; i < bits; ++i) expected |= (truth[op] >> ((s >> i & 1) * 2 + (d >> i & 1)) & 1) << i;
      EXPECT_EQ(logic_result(static_cast<LogicOp>(op), s, d, bits), expected) << op;
    }
  Pixel pixel("R10G10B10A2_UNORM");
  pixel.bytes({0xFF, 0x03, 0, 0xC0});
  pixel.entry().logic_op_enable = true;
  pixel.entry().logic_op = LogicOp::Xor;
  pixel.color({1, 0, 1, 1});
  EXPECT_EQ(stored(pixel.surface), 0x3FFu << 20);
  Pixel floats("R16_FLOAT");
  floats.entry().logic_op_enable = true;
  floats.entry().logic_op = LogicOp::Clear;
  floats.color({1, 0, 0, 0});
  EXPECT_EQ(floats.texel().f(0), 1.0f);  // COPY
  ASSERT_EQ(floats.context.reports.all().size(), 1u);
  EXPECT_EQ(floats.context.reports.all()[0].id, "OM-13");
}

TEST(OutputMerger, Om13IntegersWhereTheStateSaysSo) {
  for (const char* format : {"R32_UINT", "R32_SINT", "R16G16_SNORM", "R8G8B8A8_SINT"})
    for (const bool integers : {false, true}) {
      Pixel pixel(format);
      pixel.bytes({0x0F, 0x0F, 0x0F, 0x0F});
      pixel.state.logic_op_integers = integers;
      pixel.entry().logic_op_enable = true;
      pixel.entry().logic_op = LogicOp::Invert;  // whatever the source is
      pixel.color({0, 0, 0, 0});
      EXPECT_EQ(stored(pixel.surface), integers ? 0xF0F0F0F0u : 0u) << format;
      EXPECT_EQ(pixel.context.reports.all().size(), integers ? 0u : 1u) << format;
    }
}

TEST(OutputMerger, Om14WriteDisables) {
  for (unsigned mask = 0; mask < 16; ++mask) {
    Pixel pixel("B5G5R5A1_UNORM");
    pixel.bytes({0x55, 0x55});
    for (unsigned c = 0; c < 4; ++c) pixel.entry().write_disable[c] = (mask >> c & 1) != 0;
    pixel.color({1, 1, 1, 1});
    const unsigned fields[4] = {0x1Fu << 10, 0x1Fu << 5, 0x1Fu, 0x8000u};
    unsigned expected = 0;
    for (unsigned c = 0; c < 4; ++c) expected |= (mask >> c & 1) != 0 ? 0x5555u & fields[c] : fields[c];
    EXPECT_EQ(stored(pixel.surface), expected);
  }
}

TEST(OutputMerger, PackedPairsKeepTheOtherTexel) {
  Pixel pixel("YCRCB_NORMAL");
  pixel.bytes({1, 2, 3, 4});
  pixel.entry().write_disable = {true, false, false, false};
  pixel.color({1, 1, 1, 1});
  EXPECT_EQ(pixel.byte(0), 255);
  EXPECT_EQ(pixel.byte(1), 255);
  EXPECT_EQ(pixel.byte(2), 3);
  EXPECT_EQ(pixel.byte(3), 4);  // red (Cr) is not written
}

TEST(OutputMerger, RendersEveryRenderableFormatLikeStore) {
  for (const image::FormatInfo& info : image::all_formats()) {
    if (!info.renderable() || info.compression != image::Compression::None) continue;
    Pixel pixel(info.name);
    pixel.color({0.25f, 0.5f, 0.75f, 1.0f});
    std::array<std::uint8_t, 16> expected{};
    image::Texel value;
    for (int c = 0; c < 4; ++c) value.set(c, 0.25f * static_cast<float>(c + 1));
    image::encode_texel(info, value, expected.data());
    EXPECT_TRUE(std::equal(pixel.surface.memory->begin(), pixel.surface.memory->end(), expected.begin())) << info.name;
    EXPECT_TRUE(pixel.context.reports.empty());
  }
}

TEST(OutputMerger, AnyStateAndBitsAreSafe) {
  std::mt19937 random(99);
  const auto bits = [&] { return static_cast<std::uint32_t>(random()); };
  const auto coin = [&] { return bits() % 2 != 0; };
  std::vector<const image::FormatInfo*> formats;
  for (const image::FormatInfo& info : image::all_formats())
    if (info.renderable() && image::encodable(info)) formats.push_back(&info);
  for (int round = 0; round < 3000; ++round) {
    Surface surface;
    surface.format = formats[bits() % formats.size()]->format;
    surface.width = 8;
    surface.height = 4;
    if (surface.info().compression == image::Compression::None) {
      surface.samples = 1u << bits() % 5;
      surface.rotation = bits() % 4 * 90;
    }
    ASSERT_TRUE(image::allocate(surface).ok());
    Surface depth = surface, stencil = surface;
    depth.format =
        image::find_format(std::array{"R32_FLOAT", "R16_UNORM", "R24_UNORM_X8_TYPELESS"}[bits() % 3])->format;
    stencil.format = image::find_format("R8_UINT")->format;
    ASSERT_TRUE(image::allocate(depth).ok() && image::allocate(stencil).ok());
    OutputState state;
    for (BlendEntry& entry : state.blend) {
      entry.enable = coin();
      entry.src_color = static_cast<BlendFactor>(bits() % 32);
      entry.dst_color = static_cast<BlendFactor>(bits() % 32);
      entry.color_func = static_cast<BlendFunction>(bits() % 5);
      entry.logic_op_enable = bits() % 4 == 0;
      entry.logic_op = static_cast<LogicOp>(bits() % 16);
      entry.pre_blend_clamp = coin();
      entry.clamp_range = static_cast<ClampRange>(bits() % 3);
      for (bool& disable : entry.write_disable) disable = bits() % 4 == 0;
    }
    state.alpha_to_coverage = coin();
    state.alpha_test = coin();
    state.alpha_func = static_cast<CompareFunction>(bits() % 8);
    state.dither = coin();
    state.depth_test = coin(), state.depth_write = coin();
    state.depth_func = static_cast<CompareFunction>(bits() % 8);
    state.stencil_test = coin(), state.stencil_write = coin();
    RenderTargetMessage m;
    m.simd = coin() ? 8 : 16;
    m.type = coin() ? PayloadType::F : PayloadType::HF;
    m.per_sample = coin();
    m.last = true;
    m.header.sspi = bits();
    m.header.viewport = bits();
    m.header.array_index = bits();
    m.rti = bits() % 8;
    for (auto& x : m.header.x) x = coin() ? bits() : bits() % 8;
    for (auto& y : m.header.y) y = bits() % 4;
    for (auto* lanes : {&m.r, &m.g, &m.b, &m.a, &m.s0a, &m.omask, &m.z, &m.stencil}) {
      if (bits() % 4 == 0) continue;
      lanes->emplace();
      for (auto& lane : **lanes) lane = bits();
    }
    OperationContext context;
    write_render_target(context, {{&surface}, &depth, &stencil}, state, m);
  }
}

// What one message stores for many pixels and samples is what a message for each lane stores, whatever the value before
// was and whatever depends on the place or on what is stored.
TEST(OutputMerger, ValuesAreStoredAlikeByOneMessageAndByMany) {
  const std::array<std::array<float, 4>, 3> colors{
      {{0.3f, 0.7f, 0.1f, 1}, {0.3f, 0.7f, 0.1f, 0.5f}, {0, 2.5f, kNan, -1}}};
  enum class What : std::uint8_t { Plain, Masked, Dithered, Logic, Blended };
  for (const char* format : {"R8G8B8A8_UNORM", "R8G8B8A8_UNORM_SRGB", "B5G6R5_UNORM", "R10G10B10A2_UNORM",
                             "R16G16B16A16_FLOAT", "R11G11B10_FLOAT", "R9G9B9E5_SHAREDEXP"})
    for (const What what : {What::Plain, What::Masked, What::Dithered, What::Logic, What::Blended}) {
      Pixel together(format, 4), apart(format, 4);
      std::mt19937 random(8);
      for (Pixel* pixels : {&together, &apart}) {
        pixels->surface.width = 8;
        pixels->surface.height = 2;
        ASSERT_TRUE(image::allocate(pixels->surface).ok());
        pixels->state.dither = what == What::Dithered;
        pixels->entry().write_disable[1] = what == What::Masked;
        pixels->entry().logic_op_enable = what == What::Logic;
        pixels->entry().logic_op = LogicOp::Xor;
        pixels->entry().enable = what == What::Blended;
        pixels->entry().src_color = BlendFactor::SrcAlpha;
        pixels->entry().dst_color = BlendFactor::One;
      }
      for (std::uint8_t& byte : *together.surface.memory) byte = static_cast<std::uint8_t>(random() & 0x3f);
      *apart.surface.memory = *together.surface.memory;
      RenderTargetMessage m = together.message({});
      m.simd = 16;
      m.header.x = {0, 2, 4, 6};
      for (std::uint32_t k = 0; k < 16; ++k) {
        const auto& color = colors[(k / 2) * (k / 2) % 3];
        (*m.r)[k] = word(color[0]), (*m.g)[k] = word(color[1]), (*m.b)[k] = word(color[2]), (*m.a)[k] = word(color[3]);
      }
      m.active = 0xffff;
      together.write(m);
      for (std::uint32_t k = 0; k < 16; ++k) {
        m.active = 1u << k;
        apart.write(m);
      }
      EXPECT_EQ(*together.surface.memory, *apart.surface.memory) << format << ' ' << static_cast<int>(what);
    }
}

}  // namespace
}  // namespace heddle::render_target
