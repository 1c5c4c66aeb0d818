// SPDX-License-Identifier: MIT
// HEDDLE_TEXELS: what programs do with texels, counted. Each program is a disabled test of this file, which another one
// runs as a process of its own: the folder is written when a process ends. Expected counts are arithmetic: a canvas of
// 8 x 8 pixels shows an image of 8 x 8 texels, pixel on texel.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "image/files/files.hpp"
#include "support/process.hpp"
#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::uint32_t kSide = 8;

// --- the programs ---

/// A canvas, and an image with all its levels uploaded.
struct Scene {
  explicit Scene(std::uint32_t levels = 1, VkFilter filter = VK_FILTER_NEAREST) : canvas(kSide, kSide) {
    VulkanDevice& v = canvas.v;
    v.stages = VK_SHADER_STAGE_FRAGMENT_BIT;
    VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, kSide, kSide);
    info.mipLevels = levels;
    info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    image = v.image(info).image;
    name(image, "picture");
    const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}};
    const VkDescriptorSetLayout sets = v.set_layout(bindings);
    set = v.set(sets, bindings);
    v.write(set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, v.view(image, VK_FORMAT_R8G8B8A8_UNORM),
            v.sampler(filter));
    layout = v.layout({sets});
  }
  void name(VkImage of, const char* text) const {
    VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    info.objectType = VK_OBJECT_TYPE_IMAGE;
    info.objectHandle = reinterpret_cast<std::uint64_t>(of);
    info.pObjectName = text;
    canvas.v.proc<PFN_vkSetDebugUtilsObjectNameEXT>("vkSetDebugUtilsObjectNameEXT")(canvas.v.device, &info);
  }
  void upload(std::uint32_t level, std::uint32_t width, std::uint32_t height) {
    const auto buffer = canvas.v.buffer(kSide * kSide * 4);
    for (std::size_t k = 0; k < kSide * kSide; ++k) buffer.set(k, static_cast<std::uint32_t>(0xff000000u + k * 3));
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1};
    region.imageExtent = {width, height, 1};
    canvas.v.run([&](VkCommandBuffer c) {
      vkCmdCopyBufferToImage(c, buffer.buffer, image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    });
  }
  void draw(const std::string& value, const std::function<void(PipelineState&)>& change = {}) {
    PipelineState state;
    state.vertex = covering_vertices();
    state.fragment =
        "#version 450\nlayout(binding = 0) uniform sampler2D t;\nlayout(location = 0) out vec4 o;\n"
        "void main() { vec2 p = gl_FragCoord.xy / 8.0; o = " +
        value + "; }\n";
    state.layout = layout;
    if (change) change(state);
    const VkPipeline pipeline = canvas.pipeline(state);
    canvas.draw([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
      vkCmdDraw(c, 3, 1, 0, 0);
    });
  }

  Canvas canvas;
  VkImage image = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
};

TEST(TexelsProgram, DISABLED_Nearest) {
  Scene scene;
  scene.upload(0, kSide, kSide);
  scene.draw("texture(t, p)");
  for (const std::uint32_t pixel : scene.canvas.pixels()) std::printf("%08x ", pixel);
}
TEST(TexelsProgram, DISABLED_Linear) {
  Scene scene(1, VK_FILTER_LINEAR);
  scene.upload(0, kSide, kSide);
  scene.draw("texture(t, p)");
}
TEST(TexelsProgram, DISABLED_Levels) {
  Scene scene(4);
  for (std::uint32_t level = 0; level < 4; ++level) scene.upload(level, kSide >> level, kSide >> level);
  scene.draw("textureLod(t, p, 1.0)");
}
TEST(TexelsProgram, DISABLED_Gather) {
  Scene scene;
  scene.upload(0, kSide, kSide);
  scene.draw("textureGather(t, p)");
}
TEST(TexelsProgram, DISABLED_Fetch) {
  Scene scene;
  scene.upload(0, kSide, kSide);
  scene.draw("texelFetch(t, ivec2(gl_FragCoord.xy), 0)");
}
TEST(TexelsProgram, DISABLED_Blend) {
  Scene scene;
  scene.upload(0, kSide, kSide);
  scene.draw("texture(t, p)", [](PipelineState& state) {
    VkPipelineColorBlendAttachmentState blend{};
    blend.blendEnable = VK_TRUE;
    blend.srcColorBlendFactor = blend.dstColorBlendFactor = VK_BLEND_FACTOR_ONE;
    blend.srcAlphaBlendFactor = blend.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
    blend.colorWriteMask = 0xf;
    state.blend = {blend};
  });
}
/// 4:2:2 in one plane: an upload, a copy of 4 x 2 texels from (2, 1), and a draw that samples each texel once.
/// `filter`: of luma and of chroma.
void draw_pairs(VkFilter filter) {
  Canvas canvas(kSide, kSide);
  VulkanDevice& v = canvas.v;
  v.stages = VK_SHADER_STAGE_FRAGMENT_BIT;
  constexpr VkFormat kFormat = VK_FORMAT_G8B8G8R8_422_UNORM;
  VkImageCreateInfo info = VulkanDevice::image_info(kFormat, kSide, kSide);
  info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const VkImage image = v.image(info).image;
  const auto buffer = v.buffer(kSide * kSide * 2);
  v.run([&](VkCommandBuffer c) {
    constexpr VkImageSubresourceLayers kColor{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkBufferImageCopy all{0, 0, 0, kColor, {}, {kSide, kSide, 1}}, part{0, 0, 0, kColor, {2, 1, 0}, {4, 2, 1}};
    vkCmdCopyBufferToImage(c, buffer.buffer, image, VK_IMAGE_LAYOUT_GENERAL, 1, &all);
    barrier(c);
    vkCmdCopyImageToBuffer(c, image, VK_IMAGE_LAYOUT_GENERAL, buffer.buffer, 1, &part);
  });
  VkSamplerYcbcrConversionCreateInfo colors{VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO};
  colors.format = kFormat;
  colors.chromaFilter = filter;
  VkSamplerYcbcrConversionInfo conversion{VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO};
  ASSERT_EQ(vkCreateSamplerYcbcrConversion(v.device, &colors, nullptr, &conversion.conversion), VK_SUCCESS);
  v.later([d = v.device, of = conversion.conversion] { vkDestroySamplerYcbcrConversion(d, of, nullptr); });
  VkSamplerCreateInfo samplers{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, &conversion};
  samplers.minFilter = samplers.magFilter = filter;
  samplers.addressModeU = samplers.addressModeV = samplers.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  VkSampler sampler = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateSampler(v.device, &samplers, nullptr, &sampler), VK_SUCCESS);
  v.later([d = v.device, sampler] { vkDestroySampler(d, sampler, nullptr); });
  VkImageViewCreateInfo views{
      VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, &conversion, 0, image, VK_IMAGE_VIEW_TYPE_2D, kFormat};
  views.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  VkImageView view = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateImageView(v.device, &views, nullptr, &view), VK_SUCCESS);
  v.later([d = v.device, view] { vkDestroyImageView(d, view, nullptr); });
  constexpr VkDescriptorType kCombined = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  const VkDescriptorSetLayoutBinding binding{0, kCombined, 1, VK_SHADER_STAGE_FRAGMENT_BIT, &sampler};
  const VkDescriptorSetLayoutCreateInfo sets{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 1,
                                             &binding};
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateDescriptorSetLayout(v.device, &sets, nullptr, &set_layout), VK_SUCCESS);
  v.later([d = v.device, set_layout] { vkDestroyDescriptorSetLayout(d, set_layout, nullptr); });
  const VkDescriptorSet set = v.set(set_layout, {{0, kCombined}});
  v.write(set, 0, kCombined, view, VK_NULL_HANDLE);
  PipelineState state;
  state.vertex = covering_vertices();
  state.fragment =
      "#version 450\nlayout(binding = 0) uniform sampler2D t;\nlayout(location = 0) out vec4 o;\n"
      "void main() { o = texture(t, gl_FragCoord.xy / 8.0); }\n";
  state.layout = v.layout({set_layout});
  const VkPipeline pipeline = canvas.pipeline(state);
  canvas.draw([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, state.layout, 0, 1, &set, 0, nullptr);
    vkCmdDraw(c, 3, 1, 0, 0);
  });
}
TEST(TexelsProgram, DISABLED_Pairs) { draw_pairs(VK_FILTER_NEAREST); }
TEST(TexelsProgram, DISABLED_PairsLinear) { draw_pairs(VK_FILTER_LINEAR); }
/// Three frames of the application, of 1, 2 and 1 submissions, each of which clears the image once; then one of no
/// frame.
TEST(TexelsProgram, DISABLED_Boundaries) {
  VulkanDevice v({"VK_EXT_frame_boundary"});
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, kSide, kSide);
  info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const VkImage image = v.image(info).image;
  const auto clear = [&](const VkFrameBoundaryEXT* frame) {
    const VkCommandBuffer buffer = v.commands();
    v.begin(buffer);
    const VkClearColorValue black{};
    const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdClearColorImage(buffer, image, VK_IMAGE_LAYOUT_GENERAL, &black, 1, &all);
    vkEndCommandBuffer(buffer);
    VkSubmitInfo work{VK_STRUCTURE_TYPE_SUBMIT_INFO, frame};
    work.commandBufferCount = 1;
    work.pCommandBuffers = &buffer;
    vkQueueSubmit(v.queue, 1, &work, VK_NULL_HANDLE);
    vkQueueWaitIdle(v.queue);
  };
  for (const auto [id, end] : {std::pair{700u, true}, {900u, false}, {900u, true}, {701u, true}}) {
    VkFrameBoundaryEXT frame{VK_STRUCTURE_TYPE_FRAME_BOUNDARY_EXT};
    frame.frameID = id;
    frame.flags = end ? VK_FRAME_BOUNDARY_FRAME_END_BIT_EXT : VkFrameBoundaryFlagsEXT{0};
    clear(&frame);
  }
  clear(nullptr);
}
/// The upper half is uploaded, everything is sampled, the left half twice.
TEST(TexelsProgram, DISABLED_Unwritten) {
  Scene scene;
  scene.upload(0, kSide, kSide / 2);
  scene.draw("texture(t, p) + texture(t, vec2(p.x * 0.5, p.y))");
}
TEST(TexelsProgram, DISABLED_Killed) {
  Scene scene;
  scene.upload(0, kSide, kSide);
  std::_Exit(7);
}
/// A storage image that a dispatch writes, and the next one reads.
TEST(TexelsProgram, DISABLED_Storage) {
  VulkanDevice v;
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R32_UINT, kSide, kSide);
  info.usage = VK_IMAGE_USAGE_STORAGE_BIT;
  const VkImage image = v.image(info).image;
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
                                                    {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const VkDescriptorSetLayout sets = v.set_layout(bindings);
  const VkDescriptorSet set = v.set(sets, bindings);
  v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, v.view(image, VK_FORMAT_R32_UINT), VK_NULL_HANDLE);
  v.write(set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, v.buffer(kSide * kSide * 4));
  const VkPipelineLayout layout = v.layout({sets});
  const std::string head =
      "#version 450\nlayout(local_size_x = 8, local_size_y = 8) in;\nlayout(binding = 0, r32ui) uniform uimage2D i;\n"
      "layout(binding = 1) buffer B { uint w[]; };\nvoid main() { ivec2 p = ivec2(gl_LocalInvocationID.xy);\n";
  const VkPipeline store = v.pipeline(head + "imageStore(i, p, uvec4(p.x)); }\n", layout);
  const VkPipeline load = v.pipeline(head + "w[p.y * 8 + p.x] = imageLoad(i, ivec2(p.x, p.y & 3)).x; }\n", layout);
  v.run([&](VkCommandBuffer c) {
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, store);
    vkCmdDispatch(c, 1, 1, 1);
    barrier(c);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, load);
    vkCmdDispatch(c, 1, 1, 1);
  });
}
/// A linear image, of which the host writes five texels, the device clears all, and the host writes two.
TEST(TexelsProgram, DISABLED_HostWrites) {
  VulkanDevice v;
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, kSide, kSide);
  info.tiling = VK_IMAGE_TILING_LINEAR;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const VulkanDevice::Image made = v.image(info);
  void* mapped = nullptr;
  ASSERT_EQ(vkMapMemory(v.device, made.memory, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
  const VkImageSubresource first{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
  VkSubresourceLayout layout{};
  vkGetImageSubresourceLayout(v.device, made.image, &first, &layout);
  const auto put = [&](std::uint32_t x, std::uint32_t y) {
    const std::uint32_t value = 0x01020304;
    std::memcpy(static_cast<std::uint8_t*>(mapped) + layout.offset + y * layout.rowPitch + std::size_t{x} * 4, &value,
                4);
  };
  const auto pixels = v.buffer(kSide * kSide * 4);
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  const auto read = [&] {
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {kSide, kSide, 1};
    v.run([&](VkCommandBuffer c) {
      barrier(c, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_WRITE_BIT);
      vkCmdCopyImageToBuffer(c, made.image, VK_IMAGE_LAYOUT_GENERAL, pixels.buffer, 1, &region);
    });
  };
  for (std::uint32_t x = 0; x < 5; ++x) put(x, 2);
  read();
  v.run([&](VkCommandBuffer c) {
    const VkClearColorValue black{};
    barrier(c);
    vkCmdClearColorImage(c, made.image, VK_IMAGE_LAYOUT_GENERAL, &black, 1, &all);
    barrier(c);
  });
  put(0, 0);
  put(7, 7);
  read();
}

/// The host copies to two rows of a linear image, and writes one texel as a byte of memory.
TEST(TexelsProgram, DISABLED_HostCopies) {
  VulkanDevice v(
      {"VK_EXT_host_image_copy", VK_KHR_COPY_COMMANDS_2_EXTENSION_NAME, VK_KHR_FORMAT_FEATURE_FLAGS_2_EXTENSION_NAME});
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, kSide, kSide);
  info.tiling = VK_IMAGE_TILING_LINEAR;
  info.usage = VK_IMAGE_USAGE_HOST_TRANSFER_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const VulkanDevice::Image made = v.image(info);
  void* mapped = nullptr;
  ASSERT_EQ(vkMapMemory(v.device, made.memory, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
  const std::vector<std::uint32_t> texels(8, 0x01020304);
  const VkMemoryToImageCopy region{VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY, nullptr,   texels.data(), 0, 0,
                                   {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},   {3, 2, 0}, {4, 2, 1}};
  const VkCopyMemoryToImageInfo copy{
      VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO, nullptr, 0, made.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region};
  ASSERT_EQ(v.proc<PFN_vkCopyMemoryToImage>("vkCopyMemoryToImageEXT")(v.device, &copy), VK_SUCCESS);
  const VkImageSubresource first{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
  VkSubresourceLayout layout{};
  vkGetImageSubresourceLayout(v.device, made.image, &first, &layout);
  static_cast<std::uint8_t*>(mapped)[layout.offset] = 9;
  const auto buffer = v.buffer(64);
  for (int times = 0; times < 2; ++times)
    v.run([&](VkCommandBuffer c) { vkCmdFillBuffer(c, buffer.buffer, 0, 64, 1); });
}
/// A linear depth attachment that draws write, twice without a clear.
TEST(TexelsProgram, DISABLED_LinearDepth) {
  Canvas canvas(kSide, kSide, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT);
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_D32_SFLOAT, kSide, kSide);
  info.tiling = VK_IMAGE_TILING_LINEAR;
  info.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  canvas.depth.image = canvas.v.image(info);
  canvas.depth.view = canvas.v.view(canvas.depth.image.image, info.format, VK_IMAGE_VIEW_TYPE_2D,
                                    {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1});
  for (const char* z : {"0.75", "0.5", "0.25"}) {
    PipelineState state;
    state.vertex = covering_vertices(z);
    state.fragment = one_color("vec4(1)");
    state.depth.depthTestEnable = state.depth.depthWriteEnable = VK_TRUE;
    state.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    const VkPipeline pipeline = canvas.pipeline(state);
    canvas.draw(
        [&](VkCommandBuffer c) {
          vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
          vkCmdDraw(c, 3, 1, 0, 0);
        },
        std::string(z) == "0.75");
  }
  (void)canvas.pixels();
}
/// Three draws with tests, in one pass: the left half at depth 0.25, which sets its stencil to 1; everything at 0.5,
/// where the stencil is 0; everything at 0.75, which fails, and adds 1 to the stencil for it. `by_alpha`: an alpha of 1
/// covers all samples.
void draw_with_tests(const char* early, std::size_t targets = 1, VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT,
                     bool by_alpha = false) {
  Canvas canvas(kSide, kSide, std::vector(targets, VK_FORMAT_R8G8B8A8_UNORM), VK_FORMAT_D32_SFLOAT_S8_UINT, samples);
  const auto pipeline = [&](const std::string& vertex, VkStencilOpState stencil) {
    PipelineState state;
    state.vertex = vertex;
    state.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    state.fragment = "#version 450\n" + std::string(early) + "layout(location = 0) out vec4 o[" +
                     std::to_string(targets) + "];\nvoid main() { for (int k = 0; k < " + std::to_string(targets) +
                     "; ++k) o[k] = vec4(1); }\n";
    state.samples.alphaToCoverageEnable = by_alpha ? VK_TRUE : VK_FALSE;
    state.depth.depthTestEnable = state.depth.depthWriteEnable = state.depth.stencilTestEnable = VK_TRUE;
    state.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    stencil.compareMask = stencil.writeMask = 0xff;
    state.depth.front = state.depth.back = stencil;
    return canvas.pipeline(state);
  };
  const auto at = [](const std::string& z, const std::string& right) {
    return "#version 450\nvoid main() { int n = gl_VertexIndex;\n  gl_Position = vec4(n % 2 == 0 ? -1.0 : " + right +
           ", n / 2 == 0 ? -1.0 : 1.0, " + z + ", 1); }\n";
  };
  VkStencilOpState set{}, equal{}, count{};
  set.compareOp = count.compareOp = VK_COMPARE_OP_ALWAYS;
  set.passOp = VK_STENCIL_OP_REPLACE;
  set.reference = 1;
  equal.compareOp = VK_COMPARE_OP_EQUAL;
  count.depthFailOp = VK_STENCIL_OP_INCREMENT_AND_CLAMP;
  const VkPipeline pipelines[] = {pipeline(at("0.25", "0.0"), set), pipeline(at("0.5", "1.0"), equal),
                                  pipeline(at("0.75", "1.0"), count)};
  canvas.draw([&](VkCommandBuffer c) {
    for (const VkPipeline p : pipelines) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, p);
      vkCmdDraw(c, 4, 1, 0, 0);
    }
  });
  (void)canvas.pixels();
}
TEST(TexelsProgram, DISABLED_LateTests) { draw_with_tests(""); }
TEST(TexelsProgram, DISABLED_EarlyTests) { draw_with_tests("layout(early_fragment_tests) in;\n"); }
TEST(TexelsProgram, DISABLED_TestsOfThreeTargets) { draw_with_tests("", 3); }
TEST(TexelsProgram, DISABLED_TestsOfFourSamples) { draw_with_tests("", 3, VK_SAMPLE_COUNT_4_BIT); }
TEST(TexelsProgram, DISABLED_TestsBehindAlpha) { draw_with_tests("", 3, VK_SAMPLE_COUNT_4_BIT, true); }
/// A linear image in the memory of a buffer that the device fills; then the host writes a texel.
TEST(TexelsProgram, DISABLED_SharedMemory) {
  VulkanDevice v;
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, kSide, kSide);
  info.tiling = VK_IMAGE_TILING_LINEAR;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const VulkanDevice::Image made = v.image(info);
  void* mapped = nullptr;
  ASSERT_EQ(vkMapMemory(v.device, made.memory, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
  VkBufferCreateInfo bytes{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  bytes.size = kSide * kSide * 4;
  bytes.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateBuffer(v.device, &bytes, nullptr, &buffer), VK_SUCCESS);
  ASSERT_EQ(vkBindBufferMemory(v.device, buffer, made.memory, 0), VK_SUCCESS);
  v.later([d = v.device, buffer] { vkDestroyBuffer(d, buffer, nullptr); });
  v.run([&](VkCommandBuffer c) { vkCmdFillBuffer(c, buffer, 0, VK_WHOLE_SIZE, 0x77777777); });
  const auto other = v.buffer(64);
  const auto work = [&] { v.run([&](VkCommandBuffer c) { vkCmdFillBuffer(c, other.buffer, 0, 64, 1); }); };
  work();
  static_cast<std::uint8_t*>(mapped)[0] = 9;
  work();
}
/// A linear image in pages of the application, which are gone before the image is.
TEST(TexelsProgram, DISABLED_FreedMemory) {
  VulkanDevice v({VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME});
  constexpr std::size_t kBytes = 1 << 16;
  void* const pages = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  const VkExternalMemoryImageCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, nullptr,
                                                 VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, kSide, kSide);
  info.pNext = &external;
  info.tiling = VK_IMAGE_TILING_LINEAR;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  VkImage image = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateImage(v.device, &info, nullptr, &image), VK_SUCCESS);
  v.later([d = v.device, image] { vkDestroyImage(d, image, nullptr); });
  const VkImportMemoryHostPointerInfoEXT host{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr,
                                              VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, pages};
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &host, kBytes, 0};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  ASSERT_EQ(vkAllocateMemory(v.device, &allocate, nullptr, &memory), VK_SUCCESS);
  ASSERT_EQ(vkBindImageMemory(v.device, image, memory, 0), VK_SUCCESS);
  const auto other = v.buffer(64);
  const auto work = [&] { v.run([&](VkCommandBuffer c) { vkCmdFillBuffer(c, other.buffer, 0, 64, 1); }); };
  static_cast<std::uint8_t*>(pages)[0] = 9;
  work();
  vkFreeMemory(v.device, memory, nullptr);
  ASSERT_EQ(munmap(pages, kBytes), 0);
  work();
}

// --- what their folders say ---

class Texels : public testing::Test {
 protected:
  Outcome start(const std::string& program, const std::string& by = "frame", bool counted = true) {
    const std::string self = fs::read_symlink("/proc/self/exe");
    std::vector<std::string> words{"env", "HEDDLE_TEXELS_BY=" + by};
    if (counted) words.push_back("HEDDLE_TEXELS=" + folder().string());
    words.insert(words.end(), {self, "--gtest_also_run_disabled_tests", "--gtest_filter=TexelsProgram.*" + program});
    return run(words);
  }
  [[nodiscard]] fs::path folder() const { return folder_ / "texels"; }
  /// The summary of a program that ends as it should.
  Json count(const std::string& program, const std::string& by = "frame") {
    const Outcome outcome = start(program, by);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    return Json::parse(read_text(folder() / "texels.json"));
  }
  static const Json& picture(const Json& summary) {
    for (const Json& image : summary["images"])
      if (image["name"] == "picture") return image;
    ADD_FAILURE() << "no image is named";
    return summary["images"][0];
  }
  /// The canvas: what draws write.
  static const Json& target(const Json& summary) {
    for (const Json& image : summary["images"])
      if (image["counts"].contains("drawn")) return image;
    ADD_FAILURE() << "nothing is drawn";
    return summary["images"][0];
  }
  /// The counts of a map's level.
  [[nodiscard]] std::vector<std::uint32_t> map(const Json& image, const std::string& use,
                                               std::uint32_t level = 0) const {
    const auto loaded = image::load_image((folder() / image["maps"][use].get<std::string>()).string());
    EXPECT_TRUE(loaded.ok());
    if (!loaded.ok()) return {};
    const std::vector<std::uint8_t> bytes = image::packed_slice(*loaded, level, 0);
    std::vector<std::uint32_t> counts(bytes.size() / 4);
    std::memcpy(counts.data(), bytes.data(), counts.size() * 4);
    return counts;
  }
  TemporaryFolder folder_;
};

#define HEDDLE_NEED_COUNTS() \
  HEDDLE_NEED_SHADERS();     \
  if (std::getenv("HEDDLE_TEST_CHECKS") != nullptr) GTEST_SKIP() << "checks and counts exclude one another"

const std::vector<std::uint32_t> kOnce(kSide* kSide, 1);

TEST_F(Texels, NearestReadsEachTexelOnce) {
  HEDDLE_NEED_COUNTS();
  const Json summary = count("Nearest");
  const Json& image = picture(summary);
  EXPECT_EQ(image["counts"], (Json{{"sampled", 64}, {"uploaded", 64}}));
  EXPECT_EQ(map(image, "sampled"), kOnce);
  EXPECT_EQ(image["extent"], (Json{kSide, kSide, 1}));
  EXPECT_EQ(image["format"], "R8G8B8A8_UNORM");
  EXPECT_EQ(image["levels_used"], Json::array({0}));
  EXPECT_EQ(image["texels_read"], 64);
  EXPECT_EQ(image["bytes_uploaded"], 256);
  EXPECT_EQ(image["bytes_uploaded_never_read"], 0);
  EXPECT_EQ(image["texels_read_before_written"], 0);
  ASSERT_EQ(image["samplers"].size(), 1u);
  EXPECT_EQ(image["samplers"][0]["samples"], 64);
  EXPECT_EQ(image["samplers"][0]["share"], 1.0);
  // The canvas is cleared, drawn, and copied to a buffer.
  const Json& drawn = target(summary);
  EXPECT_EQ(drawn["counts"], (Json{{"cleared", 64}, {"drawn", 64}, {"copied-from", 64}}));
  EXPECT_EQ(map(drawn, "drawn"), kOnce);
  EXPECT_EQ(drawn["texels_read_before_written"], 0);
}

/// At the center of a texel its right and lower neighbors have weight 0, and count (FC1); at the edge the neighbor is
/// the texel itself.
TEST_F(Texels, LinearReadsFourTaps) {
  HEDDLE_NEED_COUNTS();
  const Json summary = count("Linear");
  const std::vector<std::uint32_t> counts = map(picture(summary), "sampled");
  ASSERT_EQ(counts.size(), kSide * kSide);
  const auto along = [](std::size_t k) { return k == 0 ? 1u : k == kSide - 1 ? 3u : 2u; };
  for (std::size_t y = 0; y < kSide; ++y)
    for (std::size_t x = 0; x < kSide; ++x) EXPECT_EQ(counts[y * kSide + x], along(x) * along(y)) << x << ' ' << y;
  EXPECT_EQ(picture(summary)["counts"]["sampled"], 4 * 64);
}

TEST_F(Texels, GathersReadFourTexels) {
  HEDDLE_NEED_COUNTS();
  const Json summary = count("Gather");
  EXPECT_EQ(picture(summary)["counts"], (Json{{"gathered", 4 * 64}, {"uploaded", 64}}));
  EXPECT_EQ(picture(summary)["texels_read"], 64);
}

TEST_F(Texels, FetchesAreLoads) {
  HEDDLE_NEED_COUNTS();
  const Json summary = count("Fetch");
  EXPECT_EQ(picture(summary)["counts"], (Json{{"loaded", 64}, {"uploaded", 64}}));
  EXPECT_EQ(map(picture(summary), "loaded"), kOnce);
}

const Json* image_of_pairs(const Json& summary) {
  const auto& images = summary["images"];
  const auto found = std::ranges::find_if(images, [](const Json& i) { return i["format"] == "G8B8G8R8_422_UNORM"; });
  return found == images.end() ? nullptr : &*found;
}

/// Of 4:2:2 in one plane texels are those of the image, though two lie in one of the surface. Each pixel reads the luma
/// of its texel, and the chroma of a pair, which is both texels'.
TEST_F(Texels, PairsAreTwoTexels) {
  HEDDLE_NEED_COUNTS();
  const Json summary = count("Pairs");
  const Json* found = image_of_pairs(summary);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ((*found)["counts"], (Json{{"sampled", 64 + 2 * 64}, {"uploaded", 64}, {"copied-from", 8}}));
  EXPECT_EQ((*found)["extent"], (Json{kSide, kSide, 1}));
  EXPECT_EQ((*found)["bytes_uploaded"], 128);
  EXPECT_EQ((*found)["bytes_uploaded_never_read"], 0);
  EXPECT_EQ(map(*found, "sampled"), std::vector<std::uint32_t>(kSide * kSide, 3));
  ASSERT_EQ((*found)["samplers"].size(), 1u);
  EXPECT_EQ((*found)["samplers"][0]["samples"], 64);
  std::vector<std::uint32_t> copied(kSide * kSide);
  for (std::size_t y = 1; y < 3; ++y)
    for (std::size_t x = 2; x < 6; ++x) copied[y * kSide + x] = 1;
  EXPECT_EQ(map(*found, "copied-from"), copied);
}

/// Bilinear, from the middle of each texel: of luma the texel and the next one, in each direction. Of chroma, which
/// lies at the even texels (COSITED_EVEN), pair x / 2 and the next one for column x. What would lie behind the last
/// column or row is that one once more.
TEST_F(Texels, ChromaOfPairsIsFiltered) {
  HEDDLE_NEED_COUNTS();
  const Json summary = count("PairsLinear");
  const Json* found = image_of_pairs(summary);
  ASSERT_NE(found, nullptr);
  constexpr std::size_t kPairs = kSide / 2;
  std::array<std::uint32_t, kSide> luma{}, rows{};
  std::array<std::uint32_t, kPairs> chroma{};
  for (std::size_t at = 0; at < kSide; ++at)
    for (const std::size_t step : {0u, 1u}) {
      ++luma[std::min<std::size_t>(at + step, kSide - 1)];
      ++rows[std::min<std::size_t>(at + step, kSide - 1)];
      ++chroma[std::min<std::size_t>(at / 2 + step, kPairs - 1)];
    }
  std::vector<std::uint32_t> expected;
  for (std::size_t y = 0; y < kSide; ++y)
    for (std::size_t x = 0; x < kSide; ++x) expected.push_back(rows[y] * (luma[x] + chroma[x / 2]));
  EXPECT_EQ(map(*found, "sampled"), expected);
  EXPECT_EQ((*found)["counts"]["sampled"], 64 * 4 + 2 * 64 * 4);
}

/// Level 1 has 4 x 4 texels for 64 pixels. The other levels, 64 + 4 + 1 texels of 4 bytes, are uploaded in vain.
TEST_F(Texels, LevelsThatNobodyReads) {
  HEDDLE_NEED_COUNTS();
  const Json summary = count("Levels");
  const Json& image = picture(summary);
  EXPECT_EQ(map(image, "sampled", 1), std::vector<std::uint32_t>(16, 4));
  EXPECT_EQ(map(image, "sampled", 0), std::vector<std::uint32_t>(64, 0));
  EXPECT_EQ(image["levels_used"], Json::array({1}));
  EXPECT_EQ(image["least_level"], 1);
  EXPECT_EQ(image["greatest_level"], 1);
  EXPECT_EQ(image["bytes_uploaded"], 4 * (64 + 16 + 4 + 1));
  EXPECT_EQ(image["bytes_uploaded_never_read"], 4 * (64 + 4 + 1));
}

TEST_F(Texels, BlendingReadsWhatItWrites) {
  HEDDLE_NEED_COUNTS();
  const Json summary = count("Blend");
  EXPECT_EQ(target(summary)["counts"], (Json{{"cleared", 64}, {"drawn", 64}, {"attachment-read", 64}}));
}

TEST_F(Texels, TexelsReadBeforeAnybodyWroteThem) {
  HEDDLE_NEED_COUNTS();
  const Json summary = count("Unwritten");
  const Json& image = picture(summary);
  EXPECT_EQ(image["texels_read_before_written"], 32);
  // Pixel x of the second sample reads texel x / 2: the left half gets two more.
  const std::vector<std::uint32_t> counts = map(image, "sampled");
  ASSERT_EQ(counts.size(), 64u);
  for (std::size_t k = 0; k < 64; ++k) EXPECT_EQ(counts[k], k % kSide < 4 ? 3u : 1u) << k;
}

/// 64 stores; 64 loads of the upper 4 rows, 2 of each texel. What the second dispatch reads the first has written.
TEST_F(Texels, StorageImages) {
  HEDDLE_NEED_COUNTS();
  const Json summary = count("Storage");
  ASSERT_EQ(summary["images"].size(), 1u);
  const Json& image = summary["images"][0];
  EXPECT_EQ(image["counts"], (Json{{"stored", 64}, {"storage-read", 64}}));
  EXPECT_EQ(image["texels_read"], 32);
  EXPECT_EQ(image["texels_read_before_written"], 0);
  const std::vector<std::uint32_t> counts = map(image, "storage-read");
  ASSERT_EQ(counts.size(), 64u);
  for (std::size_t k = 0; k < 64; ++k) EXPECT_EQ(counts[k], k < 32 ? 2u : 0u) << k;
}

/// What the device has cleared is no write of the host.
TEST_F(Texels, LinearImagesThatTheHostWrites) {
  HEDDLE_NEED_COUNTS();
  const Json summary = count("HostWrites");
  ASSERT_EQ(summary["images"].size(), 1u);
  const Json& image = summary["images"][0];
  EXPECT_EQ(image["counts"], (Json{{"uploaded", 7}, {"cleared", 64}, {"copied-from", 128}}));
  EXPECT_EQ(image["bytes_uploaded"], 28);
  std::vector<std::uint32_t> expected(kSide * kSide);
  for (std::size_t x = 0; x < 5; ++x) expected[2 * kSide + x] = 1;
  expected[0] = expected[63] = 1;
  EXPECT_EQ(map(image, "uploaded"), expected);
}

/// What the host copies is counted once, though the bytes change too; what it writes beside that is counted.
TEST_F(Texels, LinearImagesThatTheHostCopiesTo) {
  HEDDLE_NEED_COUNTS();
  HEDDLE_NEED_NEWER();
  const Json summary = count("HostCopies");
  ASSERT_EQ(summary["images"].size(), 1u);
  EXPECT_EQ(summary["images"][0]["counts"], (Json{{"uploaded", 9}}));
  std::vector<std::uint32_t> expected(kSide * kSide);
  for (std::size_t y = 2; y < 4; ++y)
    for (std::size_t x = 3; x < 7; ++x) expected[y * kSide + x] = 1;
  expected[0] = 1;
  EXPECT_EQ(map(summary["images"][0], "uploaded"), expected);
}

/// What draws write to depth is no write of the host.
TEST_F(Texels, LinearDepthThatDrawsWrite) {
  HEDDLE_NEED_COUNTS();
  const Json summary = count("LinearDepth");
  const Json* depth = nullptr;
  for (const Json& image : summary["images"])
    if (image["format"] == "D32_SFLOAT") depth = &image;
  ASSERT_NE(depth, nullptr);
  // Three draws, of which two load what is there; each tests 64 samples, and passes.
  EXPECT_EQ((*depth)["counts"], (Json{{"cleared", 64}, {"attachment-read", 128 + 192}, {"drawn", 192}}));
}

/// Tests of depth and stencil: what they look at, and what they write. A sample is tested once, however many targets
/// its color goes to; so it is where the reference tells of it, as behind alpha to coverage.
TEST_F(Texels, TestsReadAndWriteDepthAndStencil) {
  HEDDLE_NEED_COUNTS();
  struct Program {
    const char* name;
    std::uint32_t targets, samples;
  };
  for (const auto& [program, targets, samples] :
       {Program{"LateTests", 1, 1}, Program{"EarlyTests", 1, 1}, Program{"TestsOfThreeTargets", 3, 1},
        Program{"TestsOfFourSamples", 3, 4}, Program{"TestsBehindAlpha", 3, 4}}) {
    SCOPED_TRACE(program);
    fs::remove_all(folder());
    const Json summary = count(program);
    const auto halves = [times = samples](std::uint32_t left, std::uint32_t right) {
      std::vector<std::uint32_t> counts;
      for (std::size_t k = 0; k < kSide * kSide; ++k) counts.push_back(times * (k % kSide < kSide / 2 ? left : right));
      return counts;
    };
    std::uint32_t drawn = 0;
    for (const Json& image : summary["images"]) {
      const std::string plane = image.value("plane", "");
      if (plane == "depth") {
        EXPECT_EQ(map(image, "attachment-read"), halves(2, 2));  // on the left not by the second draw
        EXPECT_EQ(map(image, "drawn"), halves(1, 1));
      } else if (plane == "stencil") {
        EXPECT_EQ(map(image, "attachment-read"), halves(3, 2));
        EXPECT_EQ(map(image, "drawn"), halves(2, 1));
      } else if (image["counts"].contains("drawn")) {  // else what a color is resolved to
        EXPECT_EQ(map(image, "drawn"), halves(1, 1));
        ++drawn;
      }
    }
    EXPECT_EQ(drawn, targets);
    EXPECT_EQ(summary["images"].size(), 2 + targets * (samples == 1 ? 1 : 2));
  }
}

/// Nor is what it writes to a buffer in the same memory.
TEST_F(Texels, LinearImagesInTheMemoryOfABuffer) {
  HEDDLE_NEED_COUNTS();
  const Json summary = count("SharedMemory");
  ASSERT_EQ(summary["images"].size(), 1u);
  EXPECT_EQ(summary["images"][0]["counts"], (Json{{"uploaded", 1}}));
}

/// Memory that was freed is not looked at.
TEST_F(Texels, LinearImagesWhoseMemoryIsGone) {
  HEDDLE_NEED_COUNTS();
  const Json summary = count("FreedMemory");
  ASSERT_EQ(summary["images"].size(), 1u);
  EXPECT_EQ(summary["images"][0]["counts"], (Json{{"uploaded", 1}}));
}

/// VK_EXT_frame_boundary: frames are what the application says, by its own numbers; submissions do not divide them.
TEST_F(Texels, ByFramesOfTheApplication) {
  HEDDLE_NEED_COUNTS();
  const Json summary = count("Boundaries");
  EXPECT_EQ(summary["frames_are"], "boundaries");
  std::vector<std::pair<Json, Json>> cleared;  // of each frame: its id, and how many texels were cleared
  for (const Json& frame : summary["frames"])
    for (const Json& image : frame["images"])
      if (image["counts"].contains("cleared"))
        cleared.emplace_back(frame.contains("id") ? frame["id"] : Json(), image["counts"]["cleared"]);
  EXPECT_EQ(cleared, (std::vector<std::pair<Json, Json>>{{700, 64}, {900, 128}, {701, 64}, {Json(), 64}}));
  fs::remove_all(folder());

  const Json by_draw = count("Boundaries", "draw");
  std::vector<Json> ids;
  for (const Json& command : by_draw["commands"]) ids.push_back(command.contains("id") ? command["id"] : Json());
  EXPECT_EQ(ids, (std::vector<Json>{700, 900, 900, 701, Json()}));
}

/// Without swapchains each submission is a frame; by draw each command that touches a texel has counts of its own.
TEST_F(Texels, ByFrameAndByDraw) {
  HEDDLE_NEED_COUNTS();
  const Json by_frame = count("Nearest");
  EXPECT_EQ(by_frame["frames_are"], "submissions");
  std::vector<Json> sampled;
  for (const Json& frame : by_frame["frames"])
    for (const Json& image : frame["images"])
      if (image["counts"].contains("sampled")) sampled.push_back(image);
  ASSERT_EQ(sampled.size(), 1u);
  EXPECT_EQ(sampled[0]["counts"], (Json{{"sampled", 64}}));
  EXPECT_EQ(map(sampled[0], "sampled"), kOnce);
  fs::remove_all(folder());

  const Json by_draw = count("Nearest", "draw");
  EXPECT_FALSE(by_draw.contains("frames"));
  std::vector<std::string> names;
  for (const Json& command : by_draw["commands"]) {
    const std::string name = command["name"];
    names.push_back(name);
    if (name != "vkCmdDraw") continue;
    ASSERT_EQ(command["images"].size(), 2u);
    for (const Json& image : command["images"]) {
      const bool is_picture = image["counts"].contains("sampled");
      EXPECT_EQ(image["counts"], is_picture ? (Json{{"sampled", 64}}) : (Json{{"drawn", 64}}));
    }
  }
  EXPECT_EQ(std::ranges::count(names, "vkCmdDraw"), 1);
  EXPECT_EQ(std::ranges::count_if(names, [](const std::string& n) { return n.starts_with("vkCmdCopyBufferToImage"); }),
            1);
}

/// What a program draws does not depend on whether somebody counts.
TEST_F(Texels, ResultsAreTheSame) {
  HEDDLE_NEED_COUNTS();
  const auto pixels = [](const std::string& out) {
    const std::size_t from = out.find("ff0000");
    return from == std::string::npos ? std::string() : out.substr(from, 9 * kSide * kSide);
  };
  const Outcome plain = start("Nearest", "frame", false), counted = start("Nearest");
  EXPECT_EQ(pixels(plain.out).size(), 9 * kSide * kSide) << plain.out;
  EXPECT_EQ(pixels(plain.out), pixels(counted.out));
}

TEST_F(Texels, NothingIsHalfWritten) {
  HEDDLE_NEED_COUNTS();
  EXPECT_EQ(start("Killed").exit_code, 7);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
  // A folder with files in it stays as it is.
  fs::create_directory(folder());
  write_text(folder() / "mine", "text");
  EXPECT_EQ(start("Fetch").exit_code, 0);
  EXPECT_EQ(read_text(folder() / "mine"), "text");
  EXPECT_FALSE(fs::exists(folder() / "texels.json"));
  EXPECT_TRUE(fs::exists(folder_ / "texels-2" / "texels.json"));
  EXPECT_TRUE(fs::exists(folder_ / "texels-2" / "index.html"));
}

/// The page loads nothing, and its own style is the one that its policy lets in.
TEST_F(Texels, ThePageStandsAlone) {
  HEDDLE_NEED_COUNTS();
  (void)count("Nearest");
  const std::string page = read_text(folder() / "index.html");
  EXPECT_NE(page.find("default-src 'none'; img-src data:; style-src 'sha256-"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("data:image/png;base64,"), std::string::npos);
  if (!have_program("python3")) return;
  const Outcome hash = run({"python3", "-c",
                            "import base64, hashlib, re, sys\npage = open(sys.argv[1]).read()\n"
                            "style = re.search('<style>(.*?)</style>', page, re.S).group(1)\n"
                            "print('sha256-' + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode())\n",
                            (folder() / "index.html").string()});
  ASSERT_EQ(hash.exit_code, 0) << hash.err;
  EXPECT_NE(page.find("style-src '" + hash.out.substr(0, hash.out.size() - 1) + "'"), std::string::npos) << hash.out;
}

}  // namespace
}  // namespace heddle::test
