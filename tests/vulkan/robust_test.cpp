// SPDX-License-Identifier: MIT
// What lies outside of what is bound: attributes of vertices, texels of 64 bits, null descriptors (robustBufferAccess2,
// robustImageAccess2, nullDescriptor).
// Rules: VKF-9, SPV-27.

#include <array>
#include <optional>

#include "vulkan/canvas.hpp"
#include "vulkan/checks.hpp"
#include "vulkan/feature_kit.hpp"
#include "vulkan/view_kit.hpp"

namespace heddle::test {
namespace {

/// An attribute's format, and what the shader sees of bytes that are all zero: what the format has is 0, what it lacks
/// (0, 0, 1).
struct Attribute {
  VkFormat format;
  std::uint32_t bytes;
  const char* type;     ///< of the shader's vector
  std::uint32_t alpha;  ///< 0 where the format has it
};
constexpr std::uint32_t kOne = 0x3f800000;
const Attribute kAttributes[] = {
    {VK_FORMAT_R32_SFLOAT, 4, "vec4", kOne},
    {VK_FORMAT_R32G32_SFLOAT, 8, "vec4", kOne},
    {VK_FORMAT_R32G32B32_SFLOAT, 12, "vec4", kOne},
    {VK_FORMAT_R32G32B32A32_SFLOAT, 16, "vec4", 0},
    {VK_FORMAT_R32_UINT, 4, "uvec4", 1},
    {VK_FORMAT_R32G32_UINT, 8, "uvec4", 1},
    {VK_FORMAT_R32G32B32A32_UINT, 16, "uvec4", 0},
    {VK_FORMAT_R32_SINT, 4, "ivec4", 1},
    {VK_FORMAT_R32G32_SINT, 8, "ivec4", 1},
    {VK_FORMAT_R32G32B32A32_SINT, 16, "ivec4", 0},
    {VK_FORMAT_R8_UNORM, 1, "vec4", kOne},
    {VK_FORMAT_R8G8_SNORM, 2, "vec4", kOne},
    {VK_FORMAT_R8G8B8A8_UNORM, 4, "vec4", 0},
    {VK_FORMAT_R16_SFLOAT, 2, "vec4", kOne},
    {VK_FORMAT_R16G16_UINT, 4, "uvec4", 1},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, "vec4", 0},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4, "vec4", kOne},
};

/// What each of `vertices` vertices sees of an attribute, four words each.
std::vector<std::uint32_t> fetch(Canvas& c, const Attribute& a, VkBuffer buffer, std::uint32_t vertices) {
  VulkanDevice& v = c.v;
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const auto set_layout = v.set_layout(bindings);
  const auto set = v.set(set_layout, bindings);
  const auto out = v.buffer(std::uint64_t{16} * vertices);
  v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
  const bool real = a.type[0] == 'v';
  PipelineState s;
  s.layout = v.layout({set_layout});
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.raster.rasterizerDiscardEnable = VK_TRUE;
  s.bindings = {{0, a.bytes, VK_VERTEX_INPUT_RATE_VERTEX}};
  s.attributes = {{0, 0, a.format, 0}};
  s.vertex = "#version 450\nlayout(location = 0) in " + std::string(a.type) +
             " a;\nlayout(binding = 0) buffer O { uvec4 o[]; };\nvoid main() { o[gl_VertexIndex] = " +
             (real ? "floatBitsToUint(a)" : "uvec4(a)") + "; gl_Position = vec4(0); gl_PointSize = 1; }\n";
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer commands) {
    const VkDeviceSize zero = 0;
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
    vkCmdBindVertexBuffers(commands, 0, 1, &buffer, &zero);
    vkCmdDraw(commands, vertices, 1, 0, 0);
  });
  std::vector<std::uint32_t> words;
  for (std::size_t i = 0; i < std::size_t{4} * vertices; ++i) words.push_back(out.word(i));
  return words;
}

TEST(VulkanRobust, AttributesBeyondTheBufferAreZerosOfTheirFormat_VKF9) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kInside = 5, kVertices = 21;
  for (const bool reference : {false, true}) {
    std::optional<ChecksOn> checks;
    if (reference) checks.emplace();
    Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
             {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME});
    c.v.expects_messages = true;
    for (const Attribute& a : kAttributes) {
      SCOPED_TRACE("format " + std::to_string(a.format) + (reference ? ", reference engine" : ""));
      const auto buffer = c.v.buffer(std::uint64_t{a.bytes} * kInside);
      std::memset(buffer.bytes, 0, buffer.size);
      const std::array<std::uint32_t, 4> zeros{0, 0, 0, a.alpha};
      const auto inside = fetch(c, a, buffer.buffer, kVertices);
      const auto none = fetch(c, a, VK_NULL_HANDLE, kVertices);
      for (std::size_t i = 0; i < inside.size(); ++i) {
        ASSERT_EQ(inside[i], zeros[i % 4]) << "vertex " << i / 4;  // inside as outside: the bytes are zeros
        ASSERT_EQ(none[i], zeros[i % 4]) << "no buffer, vertex " << i / 4;
      }
      // What is there is still read.
      std::memset(buffer.bytes, 1, buffer.size);
      const auto ones = fetch(c, a, buffer.buffer, kVertices);
      for (std::uint32_t n = 0; n < kVertices; ++n)
        EXPECT_EQ(ones[std::size_t{4} * n] != 0, n < kInside) << "vertex " << n;
    }
  }
}

/// Loads (x, y), or x, of what is declared as `image`; words: red, green, blue, alpha as two words each.
std::string load_shader(const std::string& image, const std::string& load, bool is_signed) {
  return "#version 460\n#extension GL_EXT_shader_image_int64 : require\n#extension "
         "GL_EXT_shader_explicit_arithmetic_types_int64 : require\n#extension GL_EXT_shader_image_load_formatted : "
         "require\nlayout(local_size_x = 32) in;\nlayout(binding = 0) buffer O { uint o[]; };\n" +
         image + ";\nvoid main() { uint n = gl_GlobalInvocationID.x; int x = int(n) - 2; " +
         (is_signed ? "u64vec4 c = u64vec4(" + load + ");" : "u64vec4 c = " + load + ";") +
         " for (int i = 0; i < 4; ++i) { uvec2 w = unpackUint2x32(c[i]); o[8u * n + 2u * i] = w.x; o[8u * n + 2u * i + "
         "1u] = w.y; } }\n";
}

// A texel of 64 bits lacks green, blue and alpha: 0, 0, 1 inside and outside of an image; where nothing is bound all
// are 0.
TEST(VulkanRobust, TexelsOfSixtyFourBits) {
  HEDDLE_NEED_SHADERS();
  for (const bool reference : {false, true}) {
    std::optional<ChecksOn> checks;
    if (reference) checks.emplace();
    VulkanDevice v({VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME});
    v.expects_messages = true;
    for (const bool is_signed : {false, true})
      for (const char* format : {"", "r64"})
        for (const bool bound : {true, false}) {
          SCOPED_TRACE(std::string(is_signed ? "signed " : "unsigned ") + format + (bound ? "" : " null") +
                       (reference ? ", reference engine" : ""));
          TexelImage from;
          from.format = is_signed ? VK_FORMAT_R64_SINT : VK_FORMAT_R64_UINT;
          from.width = 7;
          from.height = 1;
          from.usage = VK_IMAGE_USAGE_STORAGE_BIT;
          std::vector<std::uint64_t> texels;
          for (std::uint64_t x = 0; x < 7; ++x) texels.push_back(0x8765432100000001ull + x);
          from.levels = {bytes_of(texels)};
          ViewRun run(v);
          run.image(1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                    bound ? v.view(make_image(v, from).image, from.format) : VK_NULL_HANDLE);
          const std::string letter = is_signed ? "i" : "u";
          const std::string layout = *format == 0 ? "" : ", " + std::string(format) + letter + (is_signed ? "" : "i");
          const auto o = run.run(load_shader("layout(binding = 1" + layout + ") uniform " + letter + "64image2D i",
                                             "imageLoad(i, ivec2(x, 0))", is_signed),
                                 32, 256, {});
          for (std::uint32_t n = 0; n < 32; ++n) {
            const bool inside = bound && n >= 2 && n < 9;
            const std::uint64_t red = inside ? texels[n - 2] : 0;
            EXPECT_EQ(o[8 * n], static_cast<std::uint32_t>(red)) << n;
            EXPECT_EQ(o[8 * n + 1], static_cast<std::uint32_t>(red >> 32)) << n;
            for (std::size_t i = 2; i < 6; ++i) EXPECT_EQ(o[8 * n + i], 0u) << n;
            EXPECT_EQ(o[8 * n + 6], bound ? 1u : 0u) << "alpha " << n;
            EXPECT_EQ(o[8 * n + 7], 0u) << n;
          }
        }
  }
}

/// A kind of descriptor that may be null, and what a shader asks it.
struct NullCase {
  VkDescriptorType type;
  const char *declared, *values;  ///< four uints
};
const NullCase kNulls[] = {
    {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, "uniform uimage2D i", "imageLoad(i, ivec2(n))"},
    {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, "uniform uimage2D i", "uvec4(imageSize(i), 0, 0)"},
    {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, "uniform image3D i", "floatBitsToUint(imageLoad(i, ivec3(n)))"},
    {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, "uniform iimage2DMSArray i",
     "uvec4(imageLoad(i, ivec3(n), 0)) | uvec4(imageSize(i), imageSamples(i))"},
    {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, "uniform uimageBuffer i", "imageLoad(i, int(n)) | uvec4(imageSize(i))"},
    {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, "uniform samplerBuffer i",
     "floatBitsToUint(texelFetch(i, int(n))) | uvec4(textureSize(i))"},
    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, "uniform sampler2DArray i",
     "floatBitsToUint(texelFetch(i, ivec3(n), 0) + textureLod(i, vec3(n), 1.0)) | uvec4(textureSize(i, 0), "
     "textureQueryLevels(i))"},
    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, "uniform usampler2DMSArray i",
     "texelFetch(i, ivec3(n), 0) | uvec4(textureSize(i), textureSamples(i))"},
    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, "uniform samplerCubeArray i",
     "floatBitsToUint(textureGather(i, vec4(1, 0, 0, n)) + textureGrad(i, vec4(1), vec3(1), vec3(0))) | "
     "uvec4(textureSize(i, 0), 0)"},
};

TEST(VulkanRobust, NullDescriptorsAreZerosAndTakeStores) {
  HEDDLE_NEED_SHADERS();
  for (const bool reference : {false, true}) {
    std::optional<ChecksOn> checks;
    if (reference) checks.emplace();
    VulkanDevice v({VK_EXT_ROBUSTNESS_2_EXTENSION_NAME});
    v.expects_messages = true;
    const VkSampler sampler = v.sampler(VK_FILTER_LINEAR);
    for (const NullCase& c : kNulls) {
      SCOPED_TRACE(std::string(c.declared) + ": " + c.values);
      ViewRun run(v);
      if (c.type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER || c.type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER)
        run.texels(1, c.type, VK_NULL_HANDLE);
      else
        run.image(1, c.type, VK_NULL_HANDLE, sampler);
      const std::string declared = c.declared;
      const bool stores =
          c.type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE && declared.find("uimage2D i") != std::string::npos;
      const auto o = run.run(
          "#version 460\n#extension GL_EXT_shader_image_load_formatted : require\nlayout(local_size_x = 32) "
          "in;\nlayout(binding = 0) buffer O { uvec4 o[]; };\nlayout(binding = 1) " +
              declared + ";\nvoid main() { uint n = gl_GlobalInvocationID.x; " +
              (stores ? "imageStore(i, ivec2(n), uvec4(7)); " : "") + "o[n] = " + c.values + "; }\n",
          32, 128, {});
      for (std::size_t i = 0; i < o.size(); ++i) ASSERT_EQ(o[i], 0u) << i;
    }
  }
}

// The range of a view of a buffer is where its texels end, wherever the buffer does.
TEST(VulkanRobust, ViewsOfBuffersEndWithTheirRange) {
  HEDDLE_NEED_SHADERS();
  for (const bool reference : {false, true}) {
    std::optional<ChecksOn> checks;
    if (reference) checks.emplace();
    VulkanDevice v({VK_EXT_ROBUSTNESS_2_EXTENSION_NAME});
    v.expects_messages = true;
    const auto buffer = v.buffer(1024);
    for (std::uint32_t i = 0; i < 256; ++i) buffer.set(i, 1000 + i);
    // The last texel of a range that is no multiple of its size is not whole.
    for (const auto& [offset, range, count] :
         {std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>{256, 64, 8}, {64, 44, 5}, {960, VK_WHOLE_SIZE, 8}}) {
      SCOPED_TRACE(offset);
      VkBufferViewCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
      info.buffer = buffer.buffer;
      info.format = VK_FORMAT_R32G32_UINT;
      info.offset = offset;
      info.range = range;
      VkBufferView view = VK_NULL_HANDLE;
      ASSERT_EQ(vkCreateBufferView(v.device, &info, nullptr, &view), VK_SUCCESS);
      v.later([d = v.device, view] { vkDestroyBufferView(d, view, nullptr); });
      ViewRun run(v);
      run.texels(1, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, view);
      run.texels(2, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, view);
      const auto o = run.run(
          "#version 460\nlayout(local_size_x = 32) in;\nlayout(binding = 0) buffer O { uvec4 o[]; };\nlayout(binding = "
          "1) uniform usamplerBuffer t;\nlayout(binding = 2, rg32ui) uniform uimageBuffer i;\nvoid main() { uint n = "
          "gl_GlobalInvocationID.x; int x = int(n) - 4; o[n] = uvec4(texelFetch(t, x).xy, imageLoad(i, x).xy);\n"
          "  o[32u + n] = uvec4(textureSize(t), imageSize(i), texelFetch(t, x).a, imageLoad(i, x).b); if (x < 0 || x "
          ">= "
          "textureSize(t)) imageStore(i, x, uvec4(9)); }\n",
          32, 256, {});
      for (std::uint32_t n = 0; n < 32; ++n) {
        const bool inside = n >= 4 && n - 4 < count;
        const auto first = static_cast<std::uint32_t>(1000 + offset / 4 + 2 * (n - 4));
        for (std::uint32_t k = 0; k < 4; ++k) EXPECT_EQ(o[4 * n + k], inside ? first + k % 2 : 0) << n << " " << k;
        EXPECT_EQ(o[128 + 4 * n], count);
        EXPECT_EQ(o[129 + 4 * n], count);
        EXPECT_EQ(o[130 + 4 * n], 1u) << "alpha, which the format lacks";
        EXPECT_EQ(o[131 + 4 * n], 0u);
      }
      for (std::uint32_t i = 0; i < 256; ++i) ASSERT_EQ(buffer.word(i), 1000 + i) << "stored outside";
    }
  }
}

}  // namespace
}  // namespace heddle::test
