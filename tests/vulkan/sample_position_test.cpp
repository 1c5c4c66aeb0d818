// SPDX-License-Identifier: MIT
// VK_EXT_sample_locations: samples in positions of the application's own. Rule: RAS-10.

#include <algorithm>
#include <cmath>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kSide = 8;

void bind(VkCommandBuffer c, VkPipeline pipeline) { vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline); }

/// Sample s lies at (7 s mod 16, 3 s + `down` mod 16) sixteenths.
std::vector<VkSampleLocationEXT> scattered(std::uint32_t count, std::uint32_t down = 0) {
  std::vector<VkSampleLocationEXT> made;
  for (std::uint32_t s = 0; s < count; ++s)
    made.push_back({static_cast<float>(7 * s % 16) / 16, static_cast<float>((3 * s + down) % 16) / 16});
  return made;
}
VkSampleLocationsInfoEXT info_of(const std::vector<VkSampleLocationEXT>& positions) {
  return {VK_STRUCTURE_TYPE_SAMPLE_LOCATIONS_INFO_EXT,          nullptr,
          static_cast<VkSampleCountFlagBits>(positions.size()), {1, 1},
          static_cast<std::uint32_t>(positions.size()),         positions.data()};
}

/// Draws a rectangle from the left and upper edge to (4 + x / 32, 4 + y / 32) pixels, x and y odd: no side meets a
/// sample. The shader puts what it sees into words of a buffer.
struct Board {
  explicit Board(VkSampleCountFlagBits samples)
      : c(kSide, kSide, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, samples,
          {VK_EXT_SAMPLE_LOCATIONS_EXTENSION_NAME, VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME}),
        out(c.v.buffer(4096)) {
    const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    const auto sets = c.v.set_layout(bindings);
    set = c.v.set(sets, bindings);
    c.v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
    state.layout = c.v.layout({sets}, 8);
    state.vertex =
        "#version 450\nlayout(push_constant) uniform P { vec2 corner; };\nlayout(location = 0) out vec2 place;\n"
        "void main() { place = corner * vec2(0x32 >> gl_VertexIndex & 1, 0x2c >> gl_VertexIndex & 1);\n"
        "  gl_Position = vec4(place / 4 - 1, 0, 1); }\n";
    moved.sType = VK_STRUCTURE_TYPE_PIPELINE_SAMPLE_LOCATIONS_STATE_CREATE_INFO_EXT;
    moved.sampleLocationsEnable = VK_TRUE;
    moved.sampleLocationsInfo.sType = VK_STRUCTURE_TYPE_SAMPLE_LOCATIONS_INFO_EXT;
    state.samples.pNext = &moved;
  }
  /// `body`: with the pixel's number `n` and the buffer's words `w`; inputs `how` are interpolated so.
  VkPipeline pipeline(const std::string& body, const std::string& how = "") {
    state.fragment =
        "#version 450\nlayout(location = 0) out vec4 o;\nlayout(binding = 0) buffer W { uint w[]; };\n"
        "layout(location = 0) " +
        how +
        " in vec2 place;\n"
        "void main() { o = vec4(1); uint n = uint(gl_FragCoord.y) * 8 + uint(gl_FragCoord.x); " +
        body + " }\n";
    return c.pipeline(state);
  }
  void draw(VkCommandBuffer b, std::uint32_t x, std::uint32_t y) const {
    const float corner[] = {4 + static_cast<float>(x) / 32, 4 + static_cast<float>(y) / 32};
    vkCmdPushConstants(b, state.layout, VK_SHADER_STAGE_ALL_GRAPHICS, 0, 8, corner);
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, state.layout, 0, 1, &set, 0, nullptr);
    vkCmdDraw(b, 6, 1, 0, 0);
  }
  Canvas c;
  VulkanDevice::Buffer out;
  VkDescriptorSet set = VK_NULL_HANDLE;
  PipelineState state;
  VkPipelineSampleLocationsStateCreateInfoEXT moved{};
};

constexpr VkSampleCountFlagBits kCounts[] = {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_2_BIT, VK_SAMPLE_COUNT_4_BIT,
                                             VK_SAMPLE_COUNT_8_BIT, VK_SAMPLE_COUNT_16_BIT};
const char* const kMask = "atomicOr(w[n], uint(gl_SampleMaskIn[0]));";

/// The samples before both sides of the rectangle in the pixel of its corner.
std::uint32_t expected_mask(const std::vector<VkSampleLocationEXT>& positions, std::uint32_t x, std::uint32_t y) {
  std::uint32_t mask = 0;
  for (std::size_t s = 0; s < positions.size(); ++s)
    if (positions[s].x * 32 < static_cast<float>(x) && positions[s].y * 32 < static_cast<float>(y)) mask |= 1u << s;
  return mask;
}

TEST(VulkanSamplePositions, WhatTheDeviceCan) {
  VulkanDevice v({VK_EXT_SAMPLE_LOCATIONS_EXTENSION_NAME});
  VkPhysicalDeviceSampleLocationsPropertiesEXT can{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLE_LOCATIONS_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &can};
  vkGetPhysicalDeviceProperties2(v.physical, &all);
  EXPECT_EQ(can.sampleLocationSampleCounts, 31u);
  EXPECT_EQ(can.sampleLocationSubPixelBits, 4u);
  EXPECT_EQ(can.sampleLocationCoordinateRange[0], 0.0f);
  EXPECT_EQ(can.sampleLocationCoordinateRange[1], 0.9375f);
  EXPECT_TRUE(can.variableSampleLocations);
  const auto ask = reinterpret_cast<PFN_vkGetPhysicalDeviceMultisamplePropertiesEXT>(
      vkGetInstanceProcAddr(v.instance, "vkGetPhysicalDeviceMultisamplePropertiesEXT"));
  ASSERT_NE(ask, nullptr);
  for (std::uint32_t count = 1; count <= 32; count *= 2) {
    VkMultisamplePropertiesEXT of{VK_STRUCTURE_TYPE_MULTISAMPLE_PROPERTIES_EXT};
    ask(v.physical, static_cast<VkSampleCountFlagBits>(count), &of);
    EXPECT_EQ(of.maxSampleLocationGridSize.width, count == 32 ? 0u : 1u) << count;
    EXPECT_EQ(of.maxSampleLocationGridSize.height, count == 32 ? 0u : 1u) << count;
  }
}

TEST(VulkanSamplePositions, CoverageIsThatOfThePositions_RAS10) {
  HEDDLE_NEED_SHADERS();
  for (const VkSampleCountFlagBits count : kCounts) {
    SCOPED_TRACE(count);
    Board board(count);
    const auto positions = scattered(count, 5);
    board.moved.sampleLocationsInfo = info_of(positions);
    const VkPipeline pipeline = board.pipeline(kMask);
    for (std::uint32_t k = 1; k < 32; k += 6) {
      std::ranges::fill(std::span(board.out.bytes, 4096), std::uint8_t{0});
      board.c.draw([&](VkCommandBuffer b) {
        bind(b, pipeline);
        board.draw(b, k, 32 - k);
      });
      EXPECT_EQ(board.out.word(4 * 8 + 4), expected_mask(positions, k, 32 - k)) << k;
      EXPECT_EQ(board.out.word(0), (1u << count) - 1) << k;
    }
  }
}

/// Each draw of a pass has its own positions; without them the standard ones are back.
TEST(VulkanSamplePositions, CommandsMoveSamples_RAS10) {
  HEDDLE_NEED_SHADERS();
  Board board(VK_SAMPLE_COUNT_4_BIT);
  const auto set = board.c.v.proc<PFN_vkCmdSetSampleLocationsEXT>("vkCmdSetSampleLocationsEXT");
  const auto enable = board.c.v.proc<PFN_vkCmdSetSampleLocationsEnableEXT>("vkCmdSetSampleLocationsEnableEXT");
  ASSERT_NE(set, nullptr);
  ASSERT_NE(enable, nullptr);
  board.state.dynamic = {VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_EXT, VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_ENABLE_EXT};
  const std::vector<VkSampleLocationEXT> standard{
      {6 / 16.f, 2 / 16.f}, {14 / 16.f, 6 / 16.f}, {2 / 16.f, 10 / 16.f}, {10 / 16.f, 14 / 16.f}};
  const VkPipeline pipeline = board.pipeline(kMask);
  const auto run = [&](const std::function<void(VkCommandBuffer)>& record) {
    std::ranges::fill(std::span(board.out.bytes, 4096), std::uint8_t{0});
    board.c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      record(b);
    });
    return board.out.word(4 * 8 + 4);
  };
  for (const std::uint32_t down : {0u, 3u, 9u}) {
    const auto positions = scattered(4, down);
    const VkSampleLocationsInfoEXT info = info_of(positions);
    EXPECT_EQ(run([&](VkCommandBuffer b) {
                enable(b, VK_TRUE);
                set(b, &info);
                board.draw(b, 17, 21);
              }),
              expected_mask(positions, 17, 21));
    EXPECT_EQ(run([&](VkCommandBuffer b) {
                enable(b, VK_FALSE);
                set(b, &info);
                board.draw(b, 17, 21);
              }),
              expected_mask(standard, 17, 21));
  }
  const auto first = scattered(4), second = scattered(4, 9);
  auto given = first;  // what is recorded is a copy
  const VkSampleLocationsInfoEXT info = info_of(given);
  EXPECT_EQ(run([&](VkCommandBuffer b) {
              enable(b, VK_TRUE);
              set(b, &info);
              board.draw(b, 17, 21);
              std::ranges::copy(second, given.begin());
              set(b, &info);
              board.draw(b, 17, 21);
            }),
            expected_mask(first, 17, 21) | expected_mask(second, 17, 21));
}

/// The pipeline says where, commands say whether: what it says itself about that does not count.
TEST(VulkanSamplePositions, CommandsEnableThePositionsOfThePipeline_RAS10) {
  HEDDLE_NEED_SHADERS();
  Board board(VK_SAMPLE_COUNT_4_BIT);
  const auto enable = board.c.v.proc<PFN_vkCmdSetSampleLocationsEnableEXT>("vkCmdSetSampleLocationsEnableEXT");
  ASSERT_NE(enable, nullptr);
  const auto positions = scattered(4, 3);
  board.moved.sampleLocationsEnable = VK_FALSE;
  board.moved.sampleLocationsInfo = info_of(positions);
  board.state.dynamic = {VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_ENABLE_EXT};
  const VkPipeline pipeline = board.pipeline(kMask);
  std::ranges::fill(std::span(board.out.bytes, 4096), std::uint8_t{0});
  board.c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    enable(b, VK_TRUE);
    board.draw(b, 17, 21);
  });
  EXPECT_EQ(board.out.word(4 * 8 + 4), expected_mask(positions, 17, 21));
}

TEST(VulkanSamplePositions, PositionsAreLimitedAndRounded_RAS10) {
  HEDDLE_NEED_SHADERS();
  Board board(VK_SAMPLE_COUNT_4_BIT);
  const std::vector<VkSampleLocationEXT> given{{-3, 0}, {7, 0}, {0.47f / 16, 0}, {0.53f / 16, 0}};
  board.moved.sampleLocationsInfo = info_of(given);
  const VkPipeline pipeline = board.pipeline(kMask);
  const std::vector<VkSampleLocationEXT> rounded{{0, 0}, {15 / 16.f, 0}, {0, 0}, {1 / 16.f, 0}};
  for (const std::uint32_t x : {1u, 3u, 29u, 31u}) {
    std::ranges::fill(std::span(board.out.bytes, 4096), std::uint8_t{0});
    board.c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      board.draw(b, x, 31);
    });
    EXPECT_EQ(board.out.word(4 * 8 + 4), expected_mask(rounded, x, 31)) << x;
  }
}

/// What is interpolated at a sample or at the centroid.
TEST(VulkanSamplePositions, InputsAreEvaluatedThere_RAS10) {
  HEDDLE_NEED_SHADERS();
  for (const VkSampleCountFlagBits count : kCounts) {
    SCOPED_TRACE(count);
    Board board(count);
    const auto positions = scattered(count, 5);
    board.moved.sampleLocationsInfo = info_of(positions);
    const char* const write =
        "uvec2 p = uvec2(round(fract(place + 1.0 / 64) * 16 - 0.25)); w[gl_SampleID * 64 + n] = p.x | p.y << 8 | 1 << "
        "16;";
    const VkPipeline each = board.pipeline(write, "noperspective sample");
    {
      board.c.draw([&](VkCommandBuffer b) {
        bind(b, each);
        board.draw(b, 31, 31);
      });
      for (std::uint32_t s = 0; s < count && s < 16; ++s)
        EXPECT_EQ(board.out.word(s * 64 + 9), 7 * s % 16 | (3 * s + 5) % 16 << 8 | 1u << 16) << s;
    }
    // A shader that runs for the pixel asks for each of them.
    const VkPipeline asks = board.pipeline("for (int s = 0; s < " + std::to_string(count) +
                                               "; ++s) { vec2 at = interpolateAtSample(place, s);\n"
                                               "uvec2 p = uvec2(round(fract(at + 1.0 / 64) * 16 - 0.25));\n"
                                               "w[s * 64 + n] = p.x | p.y << 8 | 1 << 16; }",
                                           "noperspective");
    std::ranges::fill(std::span(board.out.bytes, 4096), std::uint8_t{0});
    board.c.draw([&](VkCommandBuffer b) {
      bind(b, asks);
      board.draw(b, 31, 31);
    });
    for (std::uint32_t s = 0; s < count; ++s)
      EXPECT_EQ(board.out.word(s * 64 + 9), 7 * s % 16 | (3 * s + 5) % 16 << 8 | 1u << 16) << s;
    // Of one covered sample, the centroid is its place.
    const VkPipeline middle =
        board.pipeline("uvec2 p = uvec2(round(fract(place + 1.0 / 64) * 16 - 0.25)); w[n] = p.x | p.y << 8 | 1 << 16;",
                       "noperspective centroid");
    std::ranges::fill(std::span(board.out.bytes, 4096), std::uint8_t{0});
    board.c.draw([&](VkCommandBuffer b) {
      bind(b, middle);
      board.draw(b, 1, 11);
    });
    ASSERT_EQ(expected_mask(positions, 1, 11), 1u);
    EXPECT_EQ(board.out.word(4 * 8 + 4), 5u << 8 | 1u << 16);
  }
}

}  // namespace
}  // namespace heddle::test
