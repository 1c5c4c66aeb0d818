// SPDX-License-Identifier: MIT
// VK_KHR_maintenance8: offsets of samples and fetches that are no constants, copies between depth or stencil and color,
// blits between volumes and layers, more bits of accesses (SPV-53, TRF-5, TRF-6).

#include <array>
#include <bit>
#include <vector>

#include "vulkan/feature_kit.hpp"

namespace heddle::test {
namespace {

constexpr const char* kEight = "VK_KHR_maintenance8";
constexpr std::uint32_t kSide = 16, kSlices = 4, kLevels = 3;

/// What the images hold: each texel its place, a number below 1.
float texel_at(std::uint32_t level, std::uint32_t slice, std::uint32_t y, std::uint32_t x) {
  return static_cast<float>(((level * kSlices + slice) * kSide + y) * kSide + x) / 4096;
}

struct Shape {
  std::string type;  ///< of the sampler, behind "sampler"
  std::uint32_t axes;
  bool array = false, shadow = false;
  [[nodiscard]] std::uint32_t height() const { return axes > 1 ? kSide : 1; }
  [[nodiscard]] std::uint32_t depth() const { return axes > 2 ? kSlices : 1; }
  [[nodiscard]] std::uint32_t layers() const { return array ? kSlices : 1; }
};

VkImageView levels_of(VulkanDevice& v, const Shape& shape) {
  VkImageCreateInfo info =
      VulkanDevice::image_info(shape.shadow ? VK_FORMAT_D32_SFLOAT : VK_FORMAT_R32_SFLOAT, kSide, shape.height());
  info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.imageType = static_cast<VkImageType>(VK_IMAGE_TYPE_1D + shape.axes - 1);
  info.extent.depth = shape.depth();
  info.arrayLayers = shape.layers();
  info.mipLevels = kLevels;
  const VulkanDevice::Image image = v.image(info);
  const VkImageAspectFlags aspect = shape.shadow ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    const auto size = [&](std::uint32_t side) { return std::max(1u, side >> level); };
    std::vector<float> texels;
    for (std::uint32_t slice = 0; slice < size(shape.depth()) * shape.layers(); ++slice)
      for (std::uint32_t y = 0; y < size(shape.height()); ++y)
        for (std::uint32_t x = 0; x < size(kSide); ++x) texels.push_back(texel_at(level, slice, y, x));
    const VulkanDevice::Buffer buffer = v.buffer(texels.size() * 4);
    std::memcpy(buffer.bytes, texels.data(), texels.size() * 4);
    const VkBufferImageCopy region{
        0, 0, 0, {aspect, level, 0, shape.layers()}, {}, {size(kSide), size(shape.height()), size(shape.depth())}};
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdCopyBufferToImage(c, buffer.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    }),
              VK_SUCCESS);
  }
  const auto type = shape.axes == 3                  ? VK_IMAGE_VIEW_TYPE_3D
                    : shape.axes == 2 && shape.array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY
                    : shape.axes == 2                ? VK_IMAGE_VIEW_TYPE_2D
                    : shape.array                    ? VK_IMAGE_VIEW_TYPE_1D_ARRAY
                                                     : VK_IMAGE_VIEW_TYPE_1D;
  return v.view(image.image, info.format, type, {aspect, 0, kLevels, 0, shape.layers()});
}

VkSampler nearest_sampler(VulkanDevice& v, bool compare) {
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.addressModeU = info.addressModeV = info.addressModeW = VK_SAMPLER_ADDRESS_MODE_REPEAT;
  info.compareEnable = compare ? VK_TRUE : VK_FALSE;
  info.compareOp = VK_COMPARE_OP_EQUAL;
  info.maxLod = VK_LOD_CLAMP_NONE;
  VkSampler sampler = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateSampler(v.device, &info, nullptr, &sampler), VK_SUCCESS);
  v.later([d = v.device, sampler] { vkDestroySampler(d, sampler, nullptr); });
  return sampler;
}

/// GLSL takes constants as offsets. Here they become Offset operands: the result of the last exclusive or before them.
std::vector<std::uint32_t> with_lane_offsets(std::vector<std::uint32_t> words) {
  constexpr std::uint32_t kXor = 198, kConstOffset = 8, kOffset = 16, kGatherExtended = 25;
  std::uint32_t offset = 0;
  for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const std::uint32_t opcode = words[at] & 0xffff, size = words[at] >> 16;
    if (opcode == kXor) offset = words[at + 2];
    if (opcode < 87 || opcode > 95) continue;  // OpImageSample*, OpImageFetch
    const bool compares = opcode == 89 || opcode == 90 || opcode == 93 || opcode == 94;
    std::uint32_t& mask = words[at + (compares ? 6 : 5)];
    mask ^= kConstOffset | kOffset;
    words[at + size - 1] = offset;
  }
  words.insert(words.begin() + 5, {2u << 16 | 17u, kGatherExtended});
  return words;
}

/// A call and the level that it samples.
struct Call {
  std::string text;
  std::uint32_t level;
};

/// Calls of a shape; the implicit level of detail is 1: coordinates lie two texels apart.
std::vector<Call> calls_of(const Shape& shape) {
  const std::string p = shape.array ? "pa" : "p",
                    one = shape.axes == 1 ? "1" : "ivec" + std::to_string(shape.axes) + "(1)";
  const std::string zero = shape.axes == 1 ? "0.0" : "vec" + std::to_string(shape.axes) + "(0)";
  const std::string dx = shape.axes == 1 ? "0.25" : shape.axes == 2 ? "vec2(0.25, 0)" : "vec3(0.25, 0, 0)";
  if (shape.shadow) {
    const bool lone = shape.axes == 1 && !shape.array, layers = shape.axes == 2 && shape.array;
    const std::string at = lone          ? "vec3(p, 0, ref)"
                           : shape.array ? "vec" + std::to_string(shape.axes + 2) + "(pa, ref)"
                                         : "vec3(p, ref)";
    std::vector<Call> calls{{"textureOffset(t, " + at + ", " + one + ")", 1},
                            {"textureGradOffset(t, " + at + ", " + dx + ", " + zero + ", " + one + ")", 2}};
    if (!layers) calls.push_back({"textureLodOffset(t, " + at + ", 2.0, " + one + ")", 2});
    if (!layers) calls.push_back({"textureOffset(t, " + at + ", " + one + ", 1.0)", 2});
    return calls;
  }
  return {{"textureOffset(t, " + p + ", " + one + ").r", 1},
          {"textureOffset(t, " + p + ", " + one + ", 1.0).r", 2},
          {"textureLodOffset(t, " + p + ", 2.0, " + one + ").r", 2},
          {"textureGradOffset(t, " + p + ", " + dx + ", " + zero + ", " + one + ").r", 2}};
}

void expect_offsets(const Shape& shape) {
  SCOPED_TRACE(shape.type);
  VulkanDevice v({kEight, VK_NV_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME});
  FeatureRun run(v);
  run.image(3, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, levels_of(v, shape), nearest_sampler(v, shape.shadow));
  const std::string axes = std::to_string(shape.axes);
  const std::string swizzle = shape.axes == 1 ? "x" : shape.axes == 2 ? "xy" : "xyz";
  std::string glsl =
      "#version 450\n#extension GL_NV_compute_shader_derivatives : require\nlayout(local_size_x = 8, local_size_y = 8) "
      "in;\nlayout(derivative_group_quadsNV) in;\nlayout(binding = 0, std430) buffer Out { float o[]; };\n"
      "layout(binding = 3) uniform sampler" +
      shape.type +
      " t;\nvoid main() {\n  int n = int(gl_LocalInvocationIndex), x = n % 8, y = n / 8;\n"
      "  vec3 whole = vec3((x * 2 + 0.5) / 16.0, (y * 2 + 0.5) / 16.0, 0.3);\n  " +
      (shape.axes == 1 ? "float" : "vec" + axes) + " p = whole." + swizzle + ";\n" +
      (shape.array
           ? "  vec" + std::to_string(shape.axes + 1) + " pa = vec" + std::to_string(shape.axes + 1) + "(p, 2.0);\n"
           : "") +
      "  ivec3 all = ivec3((x * 5 + y * 3) % 16 - 8, (x * 7 + y) % 16 - 8, (x + y) % 16 - 8);\n  " +
      (shape.axes == 1 ? "int off = all.x ^ 0" : "ivec" + axes + " off = all." + swizzle + " ^ ivec" + axes + "(0)") +
      ";\n  float ref;\n  if (off == " + (shape.axes == 1 ? "100" : "ivec" + axes + "(100)") + ") return;\n";
  // Reference values of lanes with an odd number are right, of others a little greater.
  const std::vector<Call> calls = calls_of(shape);
  for (std::size_t k = 0; k < calls.size(); ++k) {
    const std::string level = std::to_string(calls[k].level);
    glsl += "  { ivec3 size = ivec3(16 >> " + level + ", " + (shape.axes > 1 ? "16 >> " + level : "1") + ", " +
            (shape.axes > 2 ? "4 >> " + level : "1") +
            ");\n    ivec3 at = (ivec3(floor(whole * vec3(size))) + all + 64) % size;\n"
            "    if (" +
            (shape.axes > 1 ? "false" : "true") + ") at.y = 0;\n    if (" + (shape.axes > 2 ? "false" : "true") +
            ") at.z = " + (shape.array ? "2" : "0") + ";\n    ref = float(((" + level +
            " * 4 + at.z) * 16 + at.y) * 16 + at.x) / 4096.0 + (n % 2 == 1 ? 0.0 : 0.0001220703125);\n    o[n * 4 + " +
            std::to_string(k) + "] = " + calls[k].text + "; }\n";
  }
  glsl += "}\n";
  const auto words = compile_shader(glsl, "comp", false, "vulkan1.1");
  ASSERT_FALSE(words.empty()) << glsl;
  const auto o = run.run(glsl, with_lane_offsets(words));
  for (std::uint32_t n = 0; n < 64; ++n)
    for (std::size_t k = 0; k < calls.size(); ++k) {
      const float got = std::bit_cast<float>(o[n * 4 + k]);
      if (shape.shadow) {
        EXPECT_EQ(got, n % 2 == 1 ? 1.0f : 0.0f) << calls[k].text << " lane " << n;
        continue;
      }
      const std::uint32_t level = calls[k].level;
      const int x = static_cast<int>(n % 8), y = static_cast<int>(n / 8);
      const auto index = [&](std::uint32_t axis, double at, int offset, std::uint32_t side) -> std::uint32_t {
        if (axis >= shape.axes) return 0;
        const int size = static_cast<int>(side >> level);
        return static_cast<std::uint32_t>((static_cast<int>(at * size) + offset + 64) % size);
      };
      const std::uint32_t i = index(0, (x * 2 + 0.5) / 16, (x * 5 + y * 3) % 16 - 8, kSide),
                          j = index(1, (y * 2 + 0.5) / 16, (x * 7 + y) % 16 - 8, kSide),
                          s = shape.array ? 2 : index(2, 0.3, (x + y) % 16 - 8, kSlices);
      EXPECT_EQ(got, texel_at(level, s, j, i)) << calls[k].text << " lane " << n;
    }
}

TEST(VulkanMaintenance8, SamplesHaveOffsetsOfLanes_SPV53) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  for (const Shape& shape :
       {Shape{"1D", 1}, Shape{"2D", 2}, Shape{"3D", 3}, Shape{"1DArray", 1, true}, Shape{"2DArray", 2, true}})
    expect_offsets(shape);
}

TEST(VulkanMaintenance8, ComparisonsHaveOffsetsOfLanes_SPV53) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  for (const Shape& shape : {Shape{"1DShadow", 1, false, true}, Shape{"2DShadow", 2, false, true},
                             Shape{"1DArrayShadow", 1, true, true}, Shape{"2DArrayShadow", 2, true, true}})
    expect_offsets(shape);
}

TEST(VulkanMaintenance8, FetchesHaveOffsetsOfLanes) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  VulkanDevice v({kEight});
  FeatureRun run(v);
  run.image(3, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, levels_of(v, {"2D", 2}), nearest_sampler(v, false));
  const auto words = compile_compute(
      "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0, std430) buffer Out { float o[]; };\n"
      "layout(binding = 3) uniform sampler2D t;\nvoid main() { int n = int(gl_LocalInvocationIndex);\n"
      "  ivec2 off = ivec2(n % 8 - 4, n / 8 - 4) ^ ivec2(0);\n  if (off.x == 100) return;\n"
      "  o[n] = texelFetchOffset(t, ivec2(4), 1, ivec2(1)).r; }\n");
  const auto o = run.run("offsets of fetches", with_lane_offsets(words));
  for (std::uint32_t n = 0; n < 64; ++n) EXPECT_EQ(std::bit_cast<float>(o[n]), texel_at(1, 0, n / 8, n % 8)) << n;
}

/// An image of 4 x 4 texels with these bytes in one aspect.
VulkanDevice::Image filled(VulkanDevice& v, VkFormat format, VkImageAspectFlags aspect,
                           const std::vector<std::uint8_t>& bytes) {
  VkImageCreateInfo info = VulkanDevice::image_info(format, 4, 4);
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const VulkanDevice::Image image = v.image(info);
  const VulkanDevice::Buffer buffer = v.buffer(bytes.size());
  std::memcpy(buffer.bytes, bytes.data(), bytes.size());
  const VkBufferImageCopy region{0, 0, 0, {aspect, 0, 0, 1}, {}, {4, 4, 1}};
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdCopyBufferToImage(c, buffer.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  }),
            VK_SUCCESS);
  return image;
}

// The list of compatible formats: 32 and 16 bits of depth, 8 of stencil, both ways. Of 24 bits the rest says nothing.
TEST(VulkanMaintenance8, DepthAndStencilAreCopiedToColorAndBack) {
  HEDDLE_NEED_NEWER();
  struct Pair {
    VkFormat depth_stencil;
    VkImageAspectFlags aspect;
    VkFormat color;
    std::size_t bytes;
  };
  VulkanDevice v({kEight});
  for (const Pair& pair : {Pair{VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_FORMAT_R32_SFLOAT, 4},
                           Pair{VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_FORMAT_R32_UINT, 4},
                           Pair{VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, VK_FORMAT_R8_UNORM, 1},
                           Pair{VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_FORMAT_R32_SINT, 4},
                           Pair{VK_FORMAT_D16_UNORM, VK_IMAGE_ASPECT_DEPTH_BIT, VK_FORMAT_R16_SFLOAT, 2},
                           Pair{VK_FORMAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, VK_FORMAT_R8_SINT, 1}}) {
    SCOPED_TRACE(testing::Message() << pair.depth_stencil << " and " << pair.color);
    std::vector<std::uint8_t> bytes(16 * pair.bytes);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(7 * i + 3);
    if (pair.depth_stencil == VK_FORMAT_D24_UNORM_S8_UINT)
      for (std::size_t i = 3; i < bytes.size(); i += 4) bytes[i] = 0;
    for (const bool to_color : {true, false}) {
      const VkImageAspectFlags from_aspect = to_color ? pair.aspect : VK_IMAGE_ASPECT_COLOR_BIT,
                               to_aspect = to_color ? VK_IMAGE_ASPECT_COLOR_BIT : pair.aspect;
      const auto from = filled(v, to_color ? pair.depth_stencil : pair.color, from_aspect, bytes),
                 to = filled(v, to_color ? pair.color : pair.depth_stencil, to_aspect,
                             std::vector<std::uint8_t>(bytes.size()));
      const VulkanDevice::Buffer out = v.buffer(bytes.size());
      const VkImageCopy region{{from_aspect, 0, 0, 1}, {1, 0, 0}, {to_aspect, 0, 0, 1}, {0, 1, 0}, {3, 3, 1}};
      const VkBufferImageCopy whole{0, 0, 0, {to_aspect, 0, 0, 1}, {}, {4, 4, 1}};
      EXPECT_EQ(v.run([&](VkCommandBuffer c) {
        vkCmdCopyImage(c, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
        barrier(c);
        vkCmdCopyImageToBuffer(c, to.image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &whole);
      }),
                VK_SUCCESS);
      for (std::size_t y = 0; y < 3; ++y)
        EXPECT_EQ(std::memcmp(out.bytes + (y + 1) * 4 * pair.bytes, &bytes[(y * 4 + 1) * pair.bytes], 3 * pair.bytes),
                  0)
            << y;
    }
  }
}

// Slices of a volume become layers, in their order and, where the region's corners are exchanged, in the other one.
TEST(VulkanMaintenance8, VolumesAreBlittedToLayersAndBack_TRF6) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({kEight});
  constexpr std::uint32_t kDepth = 4;
  const auto make = [&](bool volume) {
    VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R32_SFLOAT, 2, 2);
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    if (volume) info.imageType = VK_IMAGE_TYPE_3D;
    (volume ? info.extent.depth : info.arrayLayers) = kDepth;
    return v.image(info);
  };
  const auto fill = [&](VulkanDevice::Image image, bool volume) {
    const VulkanDevice::Buffer buffer = v.buffer(4 * 4 * kDepth);
    for (std::uint32_t i = 0; i < 4 * kDepth; ++i) buffer.set(i, std::bit_cast<std::uint32_t>(static_cast<float>(i)));
    const VkBufferImageCopy region{
        0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, volume ? 1 : kDepth}, {}, {2, 2, volume ? kDepth : 1}};
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdCopyBufferToImage(c, buffer.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    }),
              VK_SUCCESS);
  };
  for (const bool from_volume : {true, false})
    for (const bool exchanged : {false, true}) {
      SCOPED_TRACE(testing::Message() << from_volume << exchanged);
      const auto from = make(from_volume), to = make(!from_volume);
      fill(from, from_volume);
      const VulkanDevice::Buffer out = v.buffer(4 * 4 * kDepth);
      // Slices 1 to 3, and layers 0 to 2.
      const VkImageSubresourceLayers slices{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
          layers{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 3};
      const std::array<VkOffset3D, 2> of_slices{{{0, 0, exchanged ? 4 : 1}, {2, 2, exchanged ? 1 : 4}}},
          of_layers{{{0, 0, 0}, {2, 2, 1}}};
      VkImageBlit blit{};
      // With a volume, one layer is named; the others follow from z.
      blit.srcSubresource = from_volume ? slices : layers;
      blit.dstSubresource = from_volume ? layers : slices;
      std::copy_n((from_volume ? of_slices : of_layers).begin(), 2, blit.srcOffsets);
      std::copy_n((from_volume ? of_layers : of_slices).begin(), 2, blit.dstOffsets);
      const VkBufferImageCopy whole{
          0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, from_volume ? kDepth : 1}, {}, {2, 2, from_volume ? 1 : kDepth}};
      EXPECT_EQ(v.run([&](VkCommandBuffer c) {
        vkCmdBlitImage(c, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image, VK_IMAGE_LAYOUT_GENERAL, 1, &blit,
                       VK_FILTER_NEAREST);
        barrier(c);
        vkCmdCopyImageToBuffer(c, to.image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &whole);
      }),
                VK_SUCCESS);
      for (std::uint32_t k = 0; k < 3; ++k)
        for (std::uint32_t i = 0; i < 4; ++i) {
          const std::uint32_t slice = exchanged ? 3 - k : 1 + k;
          const std::uint32_t target = from_volume ? k : slice, source = from_volume ? slice : k;
          EXPECT_EQ(std::bit_cast<float>(out.word(target * 4 + i)), static_cast<float>(source * 4 + i)) << k;
        }
    }
}

// Accesses beyond the first 64, stages of transfers between queues, and caches that are merged by several threads.
TEST(VulkanMaintenance8, BarriersAndCachesTakeWhatIsNew) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({kEight});
  const VulkanDevice::Buffer from = v.buffer(4), to = v.buffer(4);
  from.set(0, 0x12345678);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    const VkMemoryBarrierAccessFlags3KHR more{VK_STRUCTURE_TYPE_MEMORY_BARRIER_ACCESS_FLAGS_3_KHR, nullptr,
                                              VK_ACCESS_3_NONE_KHR, VK_ACCESS_3_NONE_KHR};
    VkMemoryBarrier2 all{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, &more};
    all.srcStageMask = all.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    all.srcAccessMask = all.dstAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT | VK_ACCESS_2_MEMORY_READ_BIT;
    VkDependencyInfo order{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    order.dependencyFlags = VK_DEPENDENCY_QUEUE_FAMILY_OWNERSHIP_TRANSFER_USE_ALL_STAGES_BIT_KHR;
    order.memoryBarrierCount = 1;
    order.pMemoryBarriers = &all;
    vkCmdPipelineBarrier2(c, &order);
    const VkBufferCopy region{0, 0, 4};
    vkCmdCopyBuffer(c, from.buffer, to.buffer, 1, &region);
  }),
            VK_SUCCESS);
  EXPECT_EQ(to.word(0), 0x12345678u);
  VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  info.flags = VK_PIPELINE_CACHE_CREATE_INTERNALLY_SYNCHRONIZED_MERGE_BIT_KHR;
  VkPipelineCache caches[2] = {};
  for (VkPipelineCache& cache : caches) ASSERT_EQ(vkCreatePipelineCache(v.device, &info, nullptr, &cache), VK_SUCCESS);
  EXPECT_EQ(vkMergePipelineCaches(v.device, caches[0], 1, &caches[1]), VK_SUCCESS);
  for (const VkPipelineCache cache : caches) vkDestroyPipelineCache(v.device, cache, nullptr);
}

// Remainders of negative numbers have the sign of the dividend (OpSRem) or of the divisor (OpSMod).
TEST(VulkanMaintenance8, RemaindersOfNegativeNumbers) {
  HEDDLE_NEED_NEWER();
  const auto words = assemble(
      "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n"
      "OpExecutionMode %main LocalSize 1 1 1\nOpDecorate %run ArrayStride 4\nOpMemberDecorate %block 0 Offset 0\n"
      "OpDecorate %block BufferBlock\nOpDecorate %o DescriptorSet 0\nOpDecorate %o Binding 0\n%void = OpTypeVoid\n"
      "%fn = OpTypeFunction %void\n%int = OpTypeInt 32 1\n%run = OpTypeRuntimeArray %int\n%block = OpTypeStruct %run\n"
      "%pblock = OpTypePointer Uniform %block\n%pint = OpTypePointer Uniform %int\n%o = OpVariable %pblock Uniform\n"
      "%c0 = OpConstant %int 0\n%c1 = OpConstant %int 1\n%c2 = OpConstant %int 2\n%c3 = OpConstant %int 3\n"
      "%seven = OpConstant %int 7\n%minus = OpConstant %int -1\n%main = OpFunction %void None %fn\n%entry = OpLabel\n"
      "%p0 = OpAccessChain %pint %o %c0 %c0\n%p1 = OpAccessChain %pint %o %c0 %c1\n%p2 = OpAccessChain %pint %o %c0 "
      "%c2\n"
      "%p3 = OpAccessChain %pint %o %c0 %c3\n%zero = OpLoad %int %p0\n%a = OpIAdd %int %zero %seven\n"
      "%na = OpIMul %int %a %minus\n%b = OpIAdd %int %zero %c3\n%nb = OpIMul %int %b %minus\n"
      "%r0 = OpSRem %int %na %b\n%r1 = OpSRem %int %a %nb\n%r2 = OpSMod %int %na %b\n%r3 = OpSMod %int %a %nb\n"
      "OpStore %p0 %r0\nOpStore %p1 %r1\nOpStore %p2 %r2\nOpStore %p3 %r3\nOpReturn\nOpFunctionEnd\n");
  if (words.empty()) GTEST_SKIP() << "spirv-as is not installed";
  VulkanDevice v({kEight});
  FeatureRun run(v);
  const auto o = run.run("remainders", words);
  EXPECT_EQ(static_cast<std::int32_t>(o[0]), -1);
  EXPECT_EQ(static_cast<std::int32_t>(o[1]), 1);
  EXPECT_EQ(static_cast<std::int32_t>(o[2]), 2);
  EXPECT_EQ(static_cast<std::int32_t>(o[3]), -2);
}

}  // namespace
}  // namespace heddle::test
