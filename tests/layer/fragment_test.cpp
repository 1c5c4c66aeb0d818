// SPDX-License-Identifier: MIT
// Queries whose level comes from derivatives: the device's own OpImageQueryLod chooses it.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "layer/query_kit.hpp"
#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kEdge = 16, kTexels = 256;

struct Implicit {
  const char* function;
  float lod;  ///< of the derivatives
  VkSamplerMipmapMode mip;
  float sampler_bias = 0, bias = 0, min_lod = -1;
};

std::string shader(const Implicit& c) {
  const auto call = [&](const char* coarse) {
    const std::string clamp = c.min_lod >= 0 ? "3.5, " : "", bias = c.bias != 0 ? ", 1.0" : "";
    return std::string(c.function) + "(s, p, " + clamp + "3, " + coarse + ", f" + bias + ")";
  };
  const auto answer = [&](int k, const char* coarse) {
    const std::string at = "answers[4 * i + " + std::to_string(2 * k);
    return "  single = " + call(coarse) + ";\n  " + at + "] = uvec4(f.anchor, f.offset);\n  " + at +
           " + 1] = uvec4(f.mask, f.lod << 8 | f.granularity, uint(single));\n";
  };
  return "#version 450\n#extension GL_NV_shader_texture_footprint : require\n#extension GL_ARB_sparse_texture_clamp : "
         "enable\nlayout(location = 0) out vec4 color;\n"
         "layout(binding = 0) uniform sampler2D s;\nlayout(std430, binding = 1) buffer Out { uvec4 answers[]; };\n"
         "layout(push_constant) uniform Push { float scale; };\nvoid main() {\n"
         "  uint i = uint(gl_FragCoord.y) * 16u + uint(gl_FragCoord.x);\n  vec2 p = gl_FragCoord.xy * scale;\n"
         "  bool single;\n  gl_TextureFootprint2DNV f;\n" +
         answer(0, "false") + answer(1, "true") + "  color = vec4(1.0);\n}\n";
}

void check(Canvas& canvas, const Implicit& c) {
  VulkanDevice& v = canvas.v;
  VkSamplerCreateInfo info = sampler_info(VK_FILTER_LINEAR, VK_FILTER_LINEAR, c.mip);
  info.mipLodBias = c.sampler_bias;
  VkImageCreateInfo image = VulkanDevice::image_info(VK_FORMAT_R8_UNORM, kTexels, kTexels);
  image.mipLevels = 9;
  QueryKit kit(v, {2, {kTexels, kTexels, 1}, 9}, {info});
  const VulkanDevice::Buffer out = v.buffer(kEdge * kEdge * 64);
  v.write(kit.set(), 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
  PipelineState state;
  state.vertex = covering_vertices();
  state.fragment = shader(c);
  state.layout = v.layout({kit.set_layout()}, 4);
  const VkPipeline pipeline = canvas.pipeline(state);
  const float scale = std::exp2(c.lod) / kTexels;
  const VkDescriptorSet set = kit.set();
  canvas.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, state.layout, 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(b, state.layout, v.stages, 0, 4, &scale);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  texture::FootprintSampler sampler;
  sampler.mip = c.mip == VK_SAMPLER_MIPMAP_MODE_LINEAR ? image::MipFilter::Linear : image::MipFilter::Nearest;
  sampler.bias = c.sampler_bias;
  for (std::uint32_t at = 0; at < kEdge * kEdge; ++at)
    for (const std::uint32_t coarse : {0u, 1u}) {
      texture::FootprintQuery q;
      q.operand = texture::FootprintOperand::Derivatives;
      q.coordinate = {(static_cast<float>(at % kEdge) + 0.5f) * scale, (static_cast<float>(at / kEdge) + 0.5f) * scale,
                      0};
      q.gradients.dx = {scale, 0, 0};
      q.gradients.dy = {0, scale, 0};
      q.granularity = 3;
      q.coarse = coarse != 0;
      if (c.bias != 0) q.bias = c.bias;
      if (c.min_lod >= 0) q.min_lod = c.min_lod;
      const auto e = texture::footprint({2, {kTexels, kTexels, 1}, 9}, sampler, q);
      ASSERT_TRUE(e.ok());
      const std::size_t word = 16 * at + 8 * coarse;
      texture::Footprint found;
      found.single = out.word(word + 7) != 0;
      found.anchor = {out.word(word), out.word(word + 1), 0};
      found.offset = {out.word(word + 2), out.word(word + 3), 0};
      found.mask = out.word(word + 4) | std::uint64_t{out.word(word + 5)} << 32;
      found.lod = out.word(word + 6) >> 8;
      found.granularity = out.word(word + 6) & 255u;
      ASSERT_EQ(found, *e) << "pixel " << at << ", coarse " << coarse << ", lod " << c.lod << ": level " << found.lod
                           << " for " << e->lod << ", mask " << std::hex << found.mask << " for " << e->mask;
    }
}

void check_all(const std::string& manifest) {
  Canvas canvas(kEdge, kEdge, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
                {VK_NV_SHADER_IMAGE_FOOTPRINT_EXTENSION_NAME}, manifest.c_str());
  constexpr auto kTrilinear = VK_SAMPLER_MIPMAP_MODE_LINEAR, kNearest = VK_SAMPLER_MIPMAP_MODE_NEAREST;
  const char* const plain = "textureFootprintNV";
  for (const Implicit& c :
       {Implicit{plain, 1.5f, kTrilinear}, Implicit{plain, -0.5f, kTrilinear}, Implicit{plain, 2.25f, kNearest},
        Implicit{plain, 0.5f, kTrilinear, 2.0f}, Implicit{plain, 1.5f, kTrilinear, 0, 1.0f}})
    check(canvas, c);
  // V5: MinLod needs a feature that lavapipe lacks; the layer does without, validation does not.
  VkPhysicalDeviceFeatures features;
  vkGetPhysicalDeviceFeatures(canvas.v.physical, &features);
  if (features.shaderResourceMinLod != VK_FALSE || std::getenv("HEDDLE_TEST_VALIDATION") == nullptr)
    check(canvas, {"textureFootprintClampNV", 1.5f, kTrilinear, 0, 0, 3.5f});
}

TEST(LayerInFragments, LevelsAreTheDevicesOwn_R22) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_LAVAPIPE();
  const WithLayer layer;
  check_all(lavapipe_manifest());
}

TEST(LayerInFragments, LevelsAreHeddlesOwn_R22) {
  HEDDLE_NEED_SHADERS();
  const WithLayer layer(true);
  check_all(HEDDLE_VULKAN_MANIFEST);
}

}  // namespace
}  // namespace heddle::test
