// SPDX-License-Identifier: MIT
// Sampler feedback as a layer for Direct3D makes it of shaders (WriteSamplerFeedback): the level that a sample is
// filtered at is asked for, and the regions of its texels are marked by atomic operations of 64 bits. Each cell of both
// maps is the one that Heddle's operation `feedback` gives for the same samples.
// Rules: FP-28 to FP-30.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/process.hpp"
#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kSide = 32;  ///< of the canvas
constexpr std::uint32_t kLevels = 4, kRegion = 4;
constexpr std::uint32_t kWords = 4;  ///< of 64 bits for each level: 8 x 8 regions each
constexpr std::array<std::uint32_t, 2> kSize{60, 44};

struct Case {
  VkSamplerAddressMode mode;
  const char* word;
  const char* texel;  ///< GLSL: which texel of `n` texel `t` is
  std::array<float, 2> step, start;
};
constexpr const char* kRepeat = "(t % n + n) % n";
constexpr std::array kCases{
    // From levels 1 and 2 on: 3.2 texels a pixel; beyond the right and the lower edge.
    Case{VK_SAMPLER_ADDRESS_MODE_REPEAT, "repeat", kRepeat, {27.0f / 512, 13.0f / 1024}, {0, 0}},
    // Magnified, across the left and the upper edge.
    Case{VK_SAMPLER_ADDRESS_MODE_REPEAT, "repeat", kRepeat, {3.0f / 1024, 5.0f / 1024}, {-0.0625f, -0.078125f}},
    Case{VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
         "mirror",
         "mix(2 * n - 1 - (t % (2 * n) + 2 * n) % (2 * n), (t % (2 * n) + 2 * n) % (2 * n), "
         "lessThan((t % (2 * n) + 2 * n) % (2 * n), n))",
         {19.0f / 512, 11.0f / 256},
         {-0.5f, -0.25f}},
    Case{VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
         "clamp",
         "clamp(t, ivec2(0), n - 1)",
         {17.0f / 512, 21.0f / 512},
         {-0.25f, -0.125f}},
};

/// What a shader does in place of WriteSamplerFeedback.
std::string shader_of(const Case& c) {
  return fmt::format(
      "#version 460\n#extension GL_EXT_shader_atomic_int64 : require\n"
      "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n"
      "layout(binding = 0) uniform sampler2D tex;\n"
      "layout(binding = 1, std430) buffer Used {{ uint64_t used[]; }};\n"
      "layout(location = 0) out vec4 color;\n"
      "void mark(vec2 uv, int level) {{\n"
      "  ivec2 n = textureSize(tex, level);\n"
      "  ivec2 first = ivec2(floor(floor(uv * vec2(n) * 256.0 + 0.5) / 256.0 - 0.5));  // as weights of 8 bits have "
      "it\n"
      "  for (int k = 0; k < 4; ++k) {{\n"
      "    ivec2 t = first + ivec2(k & 1, k >> 1);\n"
      "    ivec2 region = ({}) / {};\n"
      "    atomicOr(used[level * {} + (region.y >> 3) * 2 + (region.x >> 3)],\n"
      "             1ul << uint64_t((region.y & 7) * 8 + (region.x & 7)));\n"
      "  }}\n"
      "}}\n"
      "void main() {{\n"
      "  vec2 uv = gl_FragCoord.xy * vec2({:.10f}, {:.10f}) + vec2({:.10f}, {:.10f});\n"
      "  float lod = clamp(textureQueryLod(tex, uv).y, 0.0, {}.0);\n"
      "  mark(uv, int(lod));\n"
      "  if (fract(lod) != 0.0) mark(uv, int(lod) + 1);\n"
      "  color = texture(tex, uv);\n"
      "}}\n",
      c.texel, kRegion, kWords, c.step[0], c.step[1], c.start[0], c.start[1], kLevels - 1);
}

/// The words that the draw marks.
std::vector<std::uint32_t> draw(const Case& c) {
  Canvas canvas(kSide, kSide);
  VulkanDevice& v = canvas.v;
  v.stages = VK_SHADER_STAGE_FRAGMENT_BIT;
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8_UNORM, kSize[0], kSize[1]);
  info.mipLevels = kLevels;
  const VkImage image = v.image(info).image;
  const auto used = v.buffer(std::uint64_t{8} * kLevels * kWords);
  std::fill_n(used.bytes, used.size, std::uint8_t{0});
  VkSamplerCreateInfo made{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  made.magFilter = made.minFilter = VK_FILTER_LINEAR;
  made.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
  made.addressModeU = made.addressModeV = made.addressModeW = c.mode;
  made.maxLod = VK_LOD_CLAMP_NONE;
  VkSampler sampler = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateSampler(v.device, &made, nullptr, &sampler), VK_SUCCESS);
  v.later([d = v.device, sampler] { vkDestroySampler(d, sampler, nullptr); });
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                                    {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const VkDescriptorSetLayout sets = v.set_layout(bindings);
  const VkDescriptorSet set = v.set(sets, bindings);
  v.write(set, 0, bindings[0].type, v.view(image, VK_FORMAT_R8_UNORM), sampler);
  v.write(set, 1, bindings[1].type, used);
  PipelineState state;
  state.vertex = covering_vertices();
  state.fragment = shader_of(c);
  state.layout = v.layout({sets});
  const VkPipeline pipeline = canvas.pipeline(state);
  canvas.draw([&](VkCommandBuffer commands) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, state.layout, 0, 1, &set, 0, nullptr);
    vkCmdDraw(commands, 3, 1, 0, 0);
  });
  std::vector<std::uint32_t> words;
  for (std::size_t k = 0; k < 2 * kLevels * kWords; ++k) words.push_back(used.word(k));
  return words;
}

/// What the same samples leave by the library's own word.
Json answer(const Case& c) {
  Json request{{"op", "feedback"},
               {"surface",
                {{"type", "2d"},
                 {"format", "r8"},
                 {"width", kSize[0]},
                 {"height", kSize[1]},
                 {"levels", kLevels},
                 {"fill", "00"}}},
               {"sampler", fmt::format("trilinear,{}", c.word)},
               {"region", {kRegion, kRegion}},
               {"operation", "sample_d"},
               {"params", {{"dudx", c.step[0]}, {"dudy", 0}, {"dvdx", 0}, {"dvdy", c.step[1]}}}};
  for (std::uint32_t y = 0; y < kSide; ++y)
    for (std::uint32_t x = 0; x < kSide; ++x)
      request["uv"].push_back({(static_cast<float>(x) + 0.5f) * c.step[0] + c.start[0],
                               (static_cast<float>(y) + 0.5f) * c.step[1] + c.start[1]});
  const Outcome done = run({HEDDLE_PROGRAM, "batch"}, request.dump() + "\n");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  return Json::parse(done.out, nullptr, false);
}

/// Two digits for each cell.
std::string text_of(const std::vector<std::uint8_t>& cells) {
  std::string text;
  for (const std::uint8_t cell : cells) text += fmt::format("{:02x}", cell);
  return text;
}

void check(const Case& c) {
  const std::vector<std::uint32_t> words = draw(c);
  const Json expected = answer(c);
  ASSERT_TRUE(expected.contains("used")) << expected;
  const std::uint32_t columns0 = expected["min_mip"]["columns"], rows0 = expected["min_mip"]["rows"];
  std::vector<std::uint8_t> least(std::size_t{columns0} * rows0, 255);
  unsigned marked = 0;
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    const std::uint32_t width = kSize[0] >> level, height = kSize[1] >> level;
    const std::uint32_t columns = (width + kRegion - 1) / kRegion, rows = (height + kRegion - 1) / kRegion;
    std::vector<std::uint8_t> cells;
    for (std::uint32_t y = 0; y < rows; ++y)
      for (std::uint32_t x = 0; x < columns; ++x) {
        const std::size_t word = 2 * (level * kWords + y / 8 * 2 + x / 8) + y % 8 / 4;
        const bool is = (words[word] >> (y % 4 * 8 + x % 8) & 1u) != 0;
        cells.push_back(is ? 255 : 0);
        if (!is) continue;
        ++marked;
        // The regions of the first level that this one lies over (FP-29).
        const auto over = [&](std::uint32_t from, std::uint32_t size, std::uint32_t whole) {
          const std::uint32_t end = std::min(from * kRegion + kRegion, size);
          return std::array{from * kRegion * whole / (size * kRegion),
                            (end * whole + size * kRegion - 1) / (size * kRegion)};
        };
        const auto across = over(x, width, kSize[0]), down = over(y, height, kSize[1]);
        for (std::uint32_t j = down[0]; j < down[1]; ++j)
          for (std::uint32_t i = across[0]; i < across[1]; ++i)
            least[j * columns0 + i] = std::min<std::uint8_t>(least[j * columns0 + i], static_cast<std::uint8_t>(level));
      }
    EXPECT_EQ(text_of(cells), expected["used"][level]["cells"].get<std::string>()) << "level " << level;
  }
  EXPECT_GT(marked, 4u);
  EXPECT_EQ(text_of(least), expected["min_mip"]["cells"].get<std::string>());
}

TEST(SamplerFeedback, OfAShadersOwnIsThatOfTheTextureUnit_FP28_FP29) {
  HEDDLE_NEED_SHADERS();
  for (const Case& c : kCases) {
    SCOPED_TRACE(fmt::format("{} {} {}", c.word, c.step[0], c.start[0]));
    check(c);
  }
}

}  // namespace
}  // namespace heddle::test
