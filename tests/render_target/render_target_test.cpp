// SPDX-License-Identifier: MIT
// RTW-1 to RTW-22: which pixels and samples a message reaches, and what it takes from its operands.
#include "render_target/render_target.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace heddle::render_target {
namespace {

using image::Surface;
using image::SurfaceType;

Surface target(std::string_view format, std::uint32_t width, std::uint32_t height, std::uint32_t samples = 1,
               std::uint32_t layers = 1) {
  Surface surface;
  surface.format = image::find_format(format)->format;
  surface.width = width;
  surface.height = height;
  surface.samples = samples;
  surface.layers = surface.view_layers = layers;
  surface.array = layers > 1;
  surface.rt_extent = layers - 1;
  EXPECT_TRUE(image::allocate(surface).ok());
  return surface;
}

SlotWords words(std::uint32_t value) { return RenderTargetMessage::filled(value); }
SlotWords floats(float value) { return words(std::bit_cast<std::uint32_t>(value)); }
/// Slot n carries n + 1.
SlotWords counting() {
  SlotWords result{};
  for (std::uint32_t n = 0; n < 16; ++n) result[n] = n + 1;
  return result;
}

RenderTargetMessage message(std::uint32_t simd = 8) {
  RenderTargetMessage result;
  result.simd = simd;
  result.header.x = {0, 2, 4, 6};
  return result;
}

std::uint32_t at(const Surface& surface, std::uint32_t slice, std::uint32_t x, std::uint32_t y) {
  return image::fetch(surface, surface.rt_level, slice, x, y).texel.bits[0];
}

void clear(Surface& surface) { std::fill(surface.memory->begin(), surface.memory->end(), std::uint8_t{0}); }

std::vector<std::string> ids(const OperationContext& context) {
  std::vector<std::string> result;
  for (const auto& report : context.reports.all()) result.push_back(report.id);
  return result;
}

TEST(RenderTarget, Rtw5SlotsOfSubspansArePixels) {
  Surface surface = target("R32_UINT", 8, 4);
  RenderTargetMessage m = message(16);
  m.r = counting();
  OperationContext context;
  write_render_target(context, {{&surface}}, {}, m);
  for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(at(surface, 0, n / 4 * 2 + n % 2, n / 2 % 2), n + 1);
  EXPECT_EQ(at(surface, 0, 0, 2), 0u);
  EXPECT_TRUE(context.reports.empty());
}

TEST(RenderTarget, Rtw4LanesAndHeaderEnablesMeet) {  // C52
  Surface surface = target("R32_UINT", 8, 4);
  RenderTargetMessage m = message();
  m.r = counting();
  m.active = 0b10110111;
  m.header.enables = 0b11011101;
  OperationContext context;
  write_render_target(context, {{&surface}}, {}, m);
  for (std::uint32_t n = 0; n < 8; ++n)
    EXPECT_EQ(at(surface, 0, n / 4 * 2 + n % 2, n / 2 % 2), (0b10010101u >> n & 1) != 0 ? n + 1 : 0u);
}

TEST(RenderTarget, Rtw2ExecSizes) {
  Surface surface = target("R32_UINT", 8, 4);
  RenderTargetMessage m = message(32);
  OperationContext context;
  write_render_target(context, {{&surface}}, {}, m);
  EXPECT_EQ(ids(context), std::vector<std::string>{"RTW-2"});
}

TEST(RenderTarget, Rtw6PerSampleSlots) {  // C16
  struct Case {
    std::uint32_t simd, samples, sspi;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> groups;  // (subspan, sample) of slots 4k to 4k + 3
  };
  const std::vector<Case> cases{{16, 2, 0, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}},
                                {16, 4, 0, {{0, 0}, {0, 1}, {0, 2}, {0, 3}}},
                                {16, 8, 2, {{0, 4}, {0, 5}, {0, 6}, {0, 7}}},
                                {16, 16, 4, {{0, 8}, {0, 9}, {0, 10}, {0, 11}}},
                                {8, 2, 0, {{0, 0}, {0, 1}}},
                                {8, 4, 1, {{0, 2}, {0, 3}}},
                                {8, 16, 7, {{0, 14}, {0, 15}}},
                                {8, 4, 3, {}}};
  for (const Case& c : cases) {
    Surface surface = target("R32_UINT", 8, 2, c.samples);
    RenderTargetMessage m = message(c.simd);
    m.per_sample = true;
    m.header.sspi = c.sspi;
    m.r = counting();
    OperationContext context;
    write_render_target(context, {{&surface}}, {}, m);
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> expected;
    for (std::uint32_t k = 0; k < c.groups.size(); ++k)
      for (std::uint32_t n = 0; n < 4; ++n)
        expected[{c.groups[k].second, c.groups[k].first * 2 + n % 2, n / 2}] = k * 4 + n + 1;
    for (std::uint32_t s = 0; s < c.samples; ++s)
      for (std::uint32_t y = 0; y < 2; ++y)
        for (std::uint32_t x = 0; x < 8; ++x) {
          const auto found = expected.find({s, x, y});
          EXPECT_EQ(at(surface, s, x, y), found == expected.end() ? 0u : found->second)
              << c.simd << " " << c.samples << " " << c.sspi;
        }
  }
}

TEST(RenderTarget, Rtw11SampleIndexOperandIsOredIntoTheHeader) {  // C54: pairs
  Surface surface = target("R32_UINT", 2, 2, 8);
  RenderTargetMessage m = message();
  m.per_sample = true;
  m.header.sspi = 1;
  m.si = 2;
  m.r = words(9);
  OperationContext context;
  write_render_target(context, {{&surface}}, {}, m);
  for (std::uint32_t s = 0; s < 8; ++s) EXPECT_EQ(at(surface, s, 0, 0), s >= 6 ? 9u : 0u);
}

TEST(RenderTarget, Rtw7Rtw8CoverageAndOmask) {
  Surface surface = target("R32_UINT", 8, 2, 4);
  RenderTargetMessage m = message();
  m.r = words(5);
  m.sample_mask[0] = 0b0110;
  m.omask = words(0xFFF3);
  OperationContext context;
  write_render_target(context, {{&surface}}, {}, m);
  for (std::uint32_t s = 0; s < 4; ++s) {
    EXPECT_EQ(at(surface, s, 0, 0), s == 1 ? 5u : 0u);
    EXPECT_EQ(at(surface, s, 1, 0), s < 2 ? 5u : 0u);
  }
}

TEST(RenderTarget, Rtw10PayloadTypes) {  // C33
  Surface normal = target("R16G16B16A16_FLOAT", 8, 2), integer = target("R32G32B32A32_SINT", 8, 2),
          natural = target("R32G32B32A32_UINT", 8, 2);
  RenderTargetMessage m = message();
  m.type = PayloadType::HF;
  m.r = words(0xBC00);  // -1 as half
  m.g = words(0x3800);
  OperationContext context;
  write_render_target(context, {{&normal}}, {}, m);
  const image::Texel texel = image::fetch(normal, 0, 0, 1, 0).texel;
  EXPECT_EQ(texel.f(0), -1.0f);
  EXPECT_EQ(texel.f(1), 0.5f);
  EXPECT_EQ(texel.f(2), 0.0f);  // C53
  EXPECT_EQ(texel.f(3), 0.0f);
  write_render_target(context, {{&integer}}, {}, m);
  EXPECT_EQ(at(integer, 0, 0, 0), 0xFFFFBC00u);  // NUM-63
  write_render_target(context, {{&natural}}, {}, m);
  EXPECT_EQ(at(natural, 0, 0, 0), 0xBC00u);
}

TEST(RenderTarget, Rtw12ArrayIndexBeyondTheExtentIsZero) {
  Surface surface = target("R32_UINT", 8, 2, 1, 6);
  surface.min_array_element = 1;
  surface.rt_extent = 3;
  OperationContext context;
  for (std::uint32_t index = 0; index < 8; ++index) {
    clear(surface);
    RenderTargetMessage m = message();
    m.header.array_index = index;
    m.r = words(7);
    write_render_target(context, {{&surface}}, {}, m);
    for (std::uint32_t slice = 0; slice < 6; ++slice)
      EXPECT_EQ(at(surface, slice, 0, 0), slice == 1 + (index > 3 ? 0 : index) ? 7u : 0u);
  }
  Surface cube;
  cube.type = SurfaceType::Cube;
  cube.format = surface.format;
  cube.width = cube.height = 4;
  cube.layers = 6;
  ASSERT_TRUE(image::allocate(cube).ok());
  for (std::uint32_t index : {5u, 6u}) {
    RenderTargetMessage m = message();
    m.header.array_index = index;
    m.r = words(index);
    write_render_target(context, {{&cube}}, {}, m);
  }
  EXPECT_EQ(at(cube, 5, 0, 0), 5u);
  EXPECT_EQ(at(cube, 0, 0, 0), 6u);
}

TEST(RenderTarget, Rtw13LevelsLinesBuffersAndVolumes) {
  OperationContext context;
  Surface surface = target("R32_UINT", 8, 8);
  surface.levels = 3;
  surface.rt_level = 1;
  surface.surf_min_lod = 1;  // ignored
  ASSERT_TRUE(image::allocate(surface).ok());
  RenderTargetMessage m = message(16);
  m.r = words(3);
  m.header.y = {0, 0, 0, 3};
  write_render_target(context, {{&surface}}, {}, m);
  EXPECT_EQ(at(surface, 0, 3, 1), 3u);
  EXPECT_EQ(image::fetch(surface, 0, 0, 0, 0).texel.bits[0], 0u);
  EXPECT_TRUE(context.reports.empty());  // dropped pixels are no error

  Surface line;
  line.type = SurfaceType::Dim1;
  line.format = surface.format;
  line.width = 5;
  ASSERT_TRUE(image::allocate(line).ok());
  m = message(16);
  m.header.y = {70, 0, 0, 0};
  m.r = counting();
  write_render_target(context, {{&line}}, {}, m);
  EXPECT_EQ(at(line, 0, 0, 0), 3u);  // slots 0 and 2 share x; the later one stays
  EXPECT_EQ(at(line, 0, 4, 0), 11u);

  Surface buffer;
  buffer.type = SurfaceType::Buffer;
  buffer.format = surface.format;
  buffer.entries = 3;
  ASSERT_TRUE(image::allocate(buffer).ok());
  m.header.array_index = 4;
  write_render_target(context, {{&buffer}}, {}, m);
  EXPECT_EQ(image::fetch_entry(buffer, 2).texel.bits[0], 7u);

  Surface volume;
  volume.type = SurfaceType::Dim3;
  volume.format = surface.format;
  volume.width = volume.height = volume.depth = 4;
  volume.rt_extent = 2;
  volume.min_array_element = 1;
  ASSERT_TRUE(image::allocate(volume).ok());
  m = message();
  m.header.array_index = 2;
  m.r = words(8);
  write_render_target(context, {{&volume}}, {}, m);
  EXPECT_EQ(at(volume, 3, 0, 0), 8u);
}

TEST(RenderTarget, Rtw14ChannelSelects) {
  Surface surface = target("R8G8B8A8_UINT", 8, 2);
  std::fill(surface.memory->begin(), surface.memory->end(), std::uint8_t{9});
  using image::ChannelSelect;
  surface.swizzle = {ChannelSelect::Blue, ChannelSelect::Zero, ChannelSelect::Blue, ChannelSelect::Red};
  RenderTargetMessage m = message();
  m.r = words(1), m.g = words(2), m.b = words(3), m.a = words(4);
  OperationContext context;
  write_render_target(context, {{&surface}}, {}, m);
  EXPECT_EQ(image::fetch(surface, 0, 0, 0, 0).texel.bits, (std::array<std::uint32_t, 4>{4, 9, 1, 9}));
}

TEST(RenderTarget, Rtw15Rotation) {  // C55
  // The image before rotation is 3 wide and 2 high; the memory of a quarter turn is 2 wide and 3 high.
  const std::uint32_t w = 3, h = 2;
  for (std::uint32_t degrees : {0u, 90u, 180u, 270u}) {
    const bool quarter = degrees % 180 != 0;
    Surface surface = target("R32_UINT", quarter ? h : w, quarter ? w : h);
    surface.rotation = degrees;
    RenderTargetMessage m = message();
    m.r = counting();
    OperationContext context;
    write_render_target(context, {{&surface}}, {}, m);
    for (std::uint32_t y = 0; y < h; ++y)
      for (std::uint32_t x = 0; x < w; ++x) {
        const std::uint32_t mx = degrees == 0 ? x : degrees == 90 ? h - 1 - y : degrees == 180 ? w - 1 - x : y;
        const std::uint32_t my = degrees == 0 ? y : degrees == 90 ? x : degrees == 180 ? h - 1 - y : w - 1 - x;
        EXPECT_EQ(at(surface, 0, mx, my), x / 2 * 4 + y * 2 + x % 2 + 1) << degrees;
      }
  }
}

TEST(RenderTarget, Rtw16NullTargetsStillReachDepth) {
  Surface color = target("R32_UINT", 8, 2), depth = target("R32_FLOAT", 8, 2), null;
  null.type = SurfaceType::Null;
  OutputState state;
  state.depth_write = true;
  for (int way = 0; way < 3; ++way) {
    clear(depth);
    RenderTargetMessage m = message();
    m.r = words(1);
    m.z = floats(0.25f);
    m.last = true;
    m.null_rt = way == 0;
    OperationContext context;
    write_render_target(context, {{way == 0 ? &color : way == 1 ? &null : nullptr}, &depth}, state, m);
    EXPECT_EQ(at(color, 0, 0, 0), 0u);
    EXPECT_EQ(at(depth, 0, 3, 1), std::bit_cast<std::uint32_t>(0.25f));
    EXPECT_TRUE(context.reports.empty());
  }
}

TEST(RenderTarget, Rtw17Rtw20OnlyTheLastMessageCommits) {  // C16
  Surface first = target("R32_UINT", 8, 2), second = target("R32_UINT", 8, 2), depth = target("R32_FLOAT", 8, 2),
          stencil = target("R8_UINT", 8, 2);
  OutputState state;
  state.depth_test = state.depth_write = true;
  state.depth_func = image::CompareFunction::Greater;
  state.stencil_test = state.stencil_write = true;
  state.front.pass_op = StencilOp::Incr;
  state.front.func = image::CompareFunction::Equal;
  const OutputTargets targets{{&first, &second}, &depth, &stencil};
  OperationContext context;
  RenderTargetMessage m = message();
  m.r = words(1);
  m.z = floats(0.5f);
  write_render_target(context, targets, state, m);
  EXPECT_EQ(at(first, 0, 0, 0), 1u);
  EXPECT_EQ(at(depth, 0, 0, 0), 0u);
  EXPECT_EQ(at(stencil, 0, 0, 0), 0u);
  m.target = m.rti = 1;
  m.last = true;
  write_render_target(context, targets, state, m);
  EXPECT_EQ(at(second, 0, 0, 0), 1u);  // still tested against the old depth and stencil
  EXPECT_EQ(at(depth, 0, 0, 0), std::bit_cast<std::uint32_t>(0.5f));
  EXPECT_EQ(at(stencil, 0, 0, 0), 1u);
  m.r = words(2);
  write_render_target(context, targets, state, m);
  EXPECT_EQ(at(second, 0, 0, 0), 1u);  // the stencil is no longer 0
}

TEST(RenderTarget, Rtw17AllTestsPrecedeTheCommit) {
  Surface stencil = target("R8_UINT", 8, 2);
  OutputState state;
  state.stencil_test = state.stencil_write = true;
  state.front.pass_op = StencilOp::Incr;
  RenderTargetMessage m = message();
  m.header.x = {0, 0, 0, 0};  // both subspans are the same pixels
  m.last = true;
  OperationContext context;
  write_render_target(context, {{}, nullptr, &stencil}, state, m);
  EXPECT_EQ(at(stencil, 0, 0, 0), 1u);
}

TEST(RenderTarget, Rtw18CoarsePixels) {  // C16
  Surface surface = target("R32_UINT", 8, 4);
  RenderTargetMessage m = message();
  m.coarse = true;
  m.coarse_size = {2, 2};
  m.header.x = {0, 4, 0, 0};
  m.r = counting();
  OperationContext context;
  write_render_target(context, {{&surface}}, {}, m);
  for (std::uint32_t y = 0; y < 4; ++y)
    for (std::uint32_t x = 0; x < 8; ++x) EXPECT_EQ(at(surface, 0, x, y), x / 4 * 4 + y / 2 * 2 + x / 2 % 2 + 1);
  m.coarse_size = {2, 100000};
  write_render_target(context, {{&surface}}, {}, m);
  EXPECT_EQ(ids(context), std::vector<std::string>{"RTW-18"});
}

TEST(RenderTarget, Rtw9StencilAndDepthOperands) {  // E13: byte n is of slot n; E15: both are sent
  Surface depth = target("R16_UNORM", 8, 2), stencil = target("R8_UINT", 8, 2);
  OutputState state;
  state.depth_write = true;
  state.stencil_test = state.stencil_write = true;
  state.front.pass_op = StencilOp::Replace;
  state.front.ref = 200;
  RenderTargetMessage m = message();
  m.last = true;
  m.stencil = counting();
  m.z = floats(1.0f);
  m.frag_depth.fill(0.5f);
  OperationContext context;
  write_render_target(context, {{}, &depth, &stencil}, state, m);
  for (std::uint32_t n = 0; n < 8; ++n) EXPECT_EQ(at(stencil, 0, n / 4 * 2 + n % 2, n / 2 % 2), n + 1);
  EXPECT_EQ((*depth.memory)[0], 0xFF);
  m.stencil.reset();
  m.z.reset();
  write_render_target(context, {{}, &depth, &stencil}, state, m);
  EXPECT_EQ(at(stencil, 0, 0, 0), 200u);
  EXPECT_EQ((*depth.memory)[0] | (*depth.memory)[1] << 8, 32768);  // rne(32767.5)
}

TEST(RenderTarget, Rtw21NullPagesDropWrites) {
  Surface surface = target("R32_UINT", 4, 2);
  surface.null_texels = {{0, 0, 1, 0}};
  RenderTargetMessage m = message();
  m.r = words(5);
  OperationContext context;
  write_render_target(context, {{&surface}}, {}, m);
  EXPECT_EQ(at(surface, 0, 0, 0), 5u);
  EXPECT_EQ(std::count(surface.memory->begin(), surface.memory->end(), std::uint8_t{5}), 7);
  EXPECT_TRUE(context.reports.empty());
}

TEST(RenderTarget, C22MemoryThatIsMissing) {
  Surface surface = target("R32_UINT", 8, 2);
  surface.memory->resize(8);
  RenderTargetMessage m = message();
  m.r = words(5);
  OperationContext context;
  write_render_target(context, {{&surface}}, {}, m);
  EXPECT_EQ((*surface.memory)[4], 5u);
  EXPECT_EQ(ids(context), std::vector<std::string>{"C22"});
}

TEST(RenderTarget, Rtw22TargetIndexSelectsTheBlendEntry) {
  Surface surface = target("R8G8B8A8_UNORM", 8, 2);
  OutputState state;
  state.blend[3].write_disable = {true, false, false, false};
  RenderTargetMessage m = message();
  m.r = m.g = floats(1.0f);
  m.rti = 3;
  OperationContext context;
  write_render_target(context, {{&surface}}, state, m);
  EXPECT_EQ((*surface.memory)[0], 0);
  EXPECT_EQ((*surface.memory)[1], 255);
  m.rti = 11;
  m.g = floats(0.0f);
  write_render_target(context, {{&surface}}, state, m);
  EXPECT_EQ(ids(context), std::vector<std::string>{"RTW-22"});
  EXPECT_EQ((*surface.memory)[0], 0);
  EXPECT_EQ((*surface.memory)[1], 0);
}

TEST(RenderTarget, WhatCanNotBeWrittenIsReported) {
  Surface blocks;
  blocks.format = image::find_format("BC1_UNORM")->format;
  blocks.width = blocks.height = 8;
  ASSERT_TRUE(image::allocate(blocks).ok());
  RenderTargetMessage m = message();
  OperationContext context;
  write_render_target(context, {{&blocks}}, {}, m);
  EXPECT_EQ(ids(context), std::vector<std::string>{"RTW-10"});
  OperationContext beyond;
  m.target = 4;
  write_render_target(beyond, {{&blocks}}, {}, m);
  EXPECT_EQ(ids(beyond), std::vector<std::string>{"C22"});
  Surface wrong = target("R8G8B8A8_UNORM", 8, 2), stencil = target("R8_UINT", 8, 2, 4);
  OperationContext planes;
  m.target = 0;
  write_render_target(planes, {{&wrong}, &wrong, &stencil}, {}, m);
  EXPECT_EQ(ids(planes), (std::vector<std::string>{"HW-14", "RTW-7"}));
}

TEST(RenderTarget, TiledTargets) {
  Surface surface;
  surface.format = image::find_format("R32_UINT")->format;
  surface.width = surface.height = 40;
  surface.samples = 4;
  surface.tile_mode = image::TileMode::Tile64;
  ASSERT_TRUE(image::allocate(surface).ok());
  RenderTargetMessage m = message();
  m.header.x = {36, 38, 0, 0};
  m.header.y = {20, 20, 0, 0};
  m.r = counting();
  OperationContext context;
  write_render_target(context, {{&surface}}, {}, m);
  for (std::uint32_t s = 0; s < 4; ++s) EXPECT_EQ(at(surface, s, 39, 21), 8u);
}

TEST(Multisample, Msp1PositionsAreTheStandardOnes) {
  EXPECT_EQ(standard_samples(1).samples[0], (SamplePosition{8, 8}));
  EXPECT_EQ(standard_samples(4).samples[1], (SamplePosition{14, 6}));
  EXPECT_EQ(standard_samples(8).samples[7], (SamplePosition{15, 1}));
  EXPECT_EQ(standard_samples(16).samples[12], (SamplePosition{0, 8}));
  for (std::uint32_t count : {2u, 4u, 8u, 16u}) {
    const SamplePattern pattern = standard_samples(count);
    ASSERT_EQ(pattern.count, count);
    int x = 0, y = 0;
    for (std::uint32_t s = 0; s < count; ++s) {
      x += pattern.samples[s].x, y += pattern.samples[s].y;
      for (std::uint32_t t = 0; t < s; ++t)
        EXPECT_NE(pattern.samples[s].x, pattern.samples[t].x);  // no two share a column
    }
    EXPECT_NEAR(x / static_cast<double>(count), 8, 0.6);
    EXPECT_NEAR(y / static_cast<double>(count), 8, 0.6);
  }
}

TEST(Multisample, Msp1PatternsOfTheState) {  // NUM-74
  std::array<std::uint32_t, 9> state{};
  state[1] = 0xDCBA9876;
  state[5] = 0x44332211;
  state[6] = 0x12345678;
  state[7] = 0x0A0B0C0D;
  state[8] = 0x00884C22;
  EXPECT_EQ(sample_pattern(state, 16).samples[0], (SamplePosition{7, 6}));
  EXPECT_EQ(sample_pattern(state, 16).samples[3], (SamplePosition{13, 12}));
  EXPECT_EQ(sample_pattern(state, 8).samples[0], (SamplePosition{7, 8}));
  EXPECT_EQ(sample_pattern(state, 8).samples[4], (SamplePosition{1, 1}));
  EXPECT_EQ(sample_pattern(state, 4).samples[2], (SamplePosition{0, 11}));
  EXPECT_EQ(sample_pattern(state, 2).samples[1], (SamplePosition{4, 12}));
  EXPECT_EQ(sample_pattern(state, 1).samples[0], (SamplePosition{8, 8}));
}

TEST(Multisample, Om23ResolveIsTheMean) {  // C62
  Surface many = target("R32_FLOAT", 2, 2, 4), one = target("R32_FLOAT", 2, 2);
  const float values[4] = {1.0f, 16777216.0f, 1.0f, -3.0f};
  for (std::uint32_t s = 0; s < 4; ++s) {
    image::Texel texel;
    texel.set(0, values[s]);
    image::store(many, 0, s, 1, 0, texel);
  }
  ASSERT_TRUE(resolve_samples(many, one).ok());
  // In sample order: 1 + 2^24 = 2^24, + 1 = 2^24, - 3 = 2^24 - 3.
  EXPECT_EQ(image::fetch(one, 0, 0, 1, 0).texel.f(0), 16777213.0f / 4);
  Surface integers = target("R32_UINT", 2, 2, 2), result = target("R32_UINT", 2, 2);
  image::Texel texel;
  texel.bits[0] = 5;
  image::store(integers, 0, 0, 0, 0, texel);
  texel.bits[0] = 9;
  image::store(integers, 0, 1, 0, 0, texel);
  ASSERT_TRUE(resolve_samples(integers, result).ok());
  EXPECT_EQ(at(result, 0, 0, 0), 5u);
  EXPECT_FALSE(resolve_samples(integers, one).ok());
}

}  // namespace
}  // namespace heddle::render_target
