// SPDX-License-Identifier: MIT
// HEDDLE_CAPTURE of draws: what a job leaves is what the next one begins with, bit for bit.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "support/process.hpp"
#include "vulkan/canvas.hpp"
#include "vulkan/descriptor_kit.hpp"

namespace heddle::test {
namespace {

/// A canvas whose draws are captured.
struct Captured {
  explicit Captured(std::vector<VkFormat> formats = {VK_FORMAT_R8G8B8A8_UNORM}, VkFormat depth = VK_FORMAT_UNDEFINED,
                    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT, std::vector<const char*> extensions = {}) {
    setenv("HEDDLE_CAPTURE", (folder / "jobs").string().c_str(), 1);
    canvas.emplace(40, 24, std::move(formats), depth, samples, std::move(extensions));
    unsetenv("HEDDLE_CAPTURE");
  }
  /// Draws so often that there are `jobs` jobs, and one more; then runs each with both engines.
  void repeat(std::uint32_t jobs, const std::function<void(VkCommandBuffer)>& record) {
    canvas->draw(record);
    for (int more = 0; more < 100 && !std::filesystem::exists(job(jobs + 1)); ++more) canvas->draw(record, false);
    ASSERT_TRUE(std::filesystem::exists(job(jobs + 1))) << "draws are not captured";
    for (std::uint32_t n = 1; n <= jobs; ++n)
      for (const char* engine : {"fast", "reference"}) same(n, engine);
  }
  [[nodiscard]] std::filesystem::path job(std::uint32_t n) const { return folder / "jobs" / (number(n) + ".toml"); }

  TemporaryFolder folder;
  std::optional<Canvas> canvas;

 private:
  static std::string number(std::uint32_t n) {
    const std::string digits = std::to_string(n);
    return std::string(6 - digits.size(), '0') + digits;
  }
  void same(std::uint32_t n, const char* engine) const {
    SCOPED_TRACE("job " + std::to_string(n) + ", " + engine);
    const Outcome outcome = run({HEDDLE_PROGRAM, "run", job(n).string(), "--engine", engine});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err << text_of(job(n));
    bool changed = false, found = false;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "jobs")) {
      std::string name = entry.path().filename();
      if (!name.starts_with(number(n)) || !name.ends_with(".out.bin")) continue;
      found = true;
      const std::vector<std::uint8_t> after = read_bytes(entry.path());
      name.erase(name.size() - 8, 4);
      changed = changed || after != read_bytes(folder / "jobs" / name);
      name.replace(0, 6, number(n + 1));
      const std::vector<std::uint8_t> next = read_bytes(folder / "jobs" / name);
      EXPECT_TRUE(after == next) << name << " has " << next.size() << " bytes, the job left " << after.size();
    }
    EXPECT_TRUE(found && (changed || n > 1)) << "the job changes nothing";
  }
  static std::string text_of(const std::filesystem::path& file) {
    const std::vector<std::uint8_t> bytes = read_bytes(file);
    return {bytes.begin(), bytes.end()};
  }
};

TEST(VulkanCaptureDraw, ATriangle) {
  HEDDLE_NEED_SHADERS();
  Captured t;
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(gl_FragCoord.xy / 64.0, gl_FragCoord.z, 1)");
  s.scissor = VkRect2D{{3, 4}, {20, 10}};
  const VkPipeline pipeline = t.canvas->pipeline(s);
  t.repeat(1, [&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(c, 3, 1, 0, 0);
  });
}

// Copies whose regions stand in memory, too: what is known of them before they run.
TEST(VulkanCaptureDraw, IndirectCopiesBetweenDrawsAreNoted) {
  HEDDLE_NEED_NEWER();
  HEDDLE_NEED_SHADERS();
  Captured t({VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
             {"VK_KHR_copy_memory_indirect", VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME});
  Canvas& canvas = *t.canvas;
  const auto copy = canvas.v.proc<PFN_vkCmdCopyMemoryIndirectKHR>("vkCmdCopyMemoryIndirectKHR");
  const auto to_image = canvas.v.proc<PFN_vkCmdCopyMemoryToImageIndirectKHR>("vkCmdCopyMemoryToImageIndirectKHR");
  const AddressedBuffer regions = addressed_buffer(canvas.v, 256), bytes = addressed_buffer(canvas.v, 256);
  const VkCopyMemoryIndirectCommandKHR two[] = {{bytes.address, bytes.address + 64, 8},
                                                {bytes.address, bytes.address + 128, 8}};
  const VkImageSubresourceLayers first{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  const VkCopyMemoryToImageIndirectCommandKHR texel{bytes.address, 0, 0, first, {}, {1, 1, 1}};
  std::memcpy(regions.bytes, two, sizeof two);
  std::memcpy(regions.bytes + 64, &texel, sizeof texel);
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(1)");
  const VkPipeline pipeline = canvas.pipeline(s);
  ASSERT_EQ(canvas.v.run([&](VkCommandBuffer c) {
    VkCopyMemoryIndirectInfoKHR memory{VK_STRUCTURE_TYPE_COPY_MEMORY_INDIRECT_INFO_KHR};
    memory.copyCount = 2;
    memory.copyAddressRange = {regions.address, sizeof two, sizeof two[0]};
    copy(c, &memory);
    VkCopyMemoryToImageIndirectInfoKHR image{VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INDIRECT_INFO_KHR};
    image.copyCount = 1;
    image.copyAddressRange = {regions.address + 64, sizeof texel, sizeof texel};
    image.dstImage = canvas.colors[0].image.image;
    image.dstImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    image.pImageSubresources = &first;
    to_image(c, &image);
    canvas.begin(c, true);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(c, 3, 1, 0, 0);
    canvas.end(c);
  }),
            VK_SUCCESS);
  const std::string text = read_text(t.job(1));
  EXPECT_NE(text.find("# before: copy 2 regions between addresses in memory\n"
                      "# before: copy addresses in memory to image (40x24)\n# before: pass begins, 40x24\n"),
            std::string::npos)
      << text;
}

// The explorer lists passes and transfers between the draws: comments of the job behind them, and a file at the end.
TEST(VulkanCaptureDraw, PassesAndTransfersBetweenDrawsAreNoted) {
  HEDDLE_NEED_SHADERS();
  Captured t({VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT);
  Canvas& canvas = *t.canvas;
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(1)");
  const VkPipeline pipeline = canvas.pipeline(s);
  const auto buffer = canvas.v.buffer(64);
  ASSERT_EQ(canvas.v.run([&](VkCommandBuffer c) {
    vkCmdFillBuffer(c, buffer.buffer, 0, 64, 7);
    canvas.begin(c, true);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(c, 3, 1, 0, 0);
    canvas.end(c);
  }),
            VK_SUCCESS);
  const auto text = [&](const std::filesystem::path& file) { return read_text(file); };
  EXPECT_NE(text(t.job(1)).find("# before: fill buffer\n# before: pass begins, 40x24\n"), std::string::npos)
      << text(t.job(1));
  EXPECT_EQ(text(t.folder / "jobs" / "behind.txt"), "pass ends\n");
}

TEST(VulkanCaptureDraw, AGeometryShader) {
  HEDDLE_NEED_SHADERS();
  Captured captured;
  PipelineState s;
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.layout = captured.canvas->v.layout({}, 16);
  s.vertex =
      "#version 450\nlayout(location = 0) flat out int v;\n"
      "void main() { v = gl_VertexIndex; gl_Position = vec4(v * 0.5 - 0.75, 0, 0.5, 1); }\n";
  s.geometry =
      "#version 450\nlayout(points) in; layout(triangle_strip, max_vertices = 4) out;\n"
      "layout(push_constant) uniform Push { vec4 color; } push;\n"
      "layout(location = 0) flat in int v[]; layout(location = 0) out vec4 c;\n"
      "void main() { for (int k = 0; k < 4; ++k) { c = push.color * v[0] * 0.3;\n"
      "  gl_Position = gl_in[0].gl_Position + vec4((k & 1) * 0.3, (k >> 1) * 0.6, 0, 0); EmitVertex(); } }\n";
  s.fragment =
      "#version 450\nlayout(location = 0) in vec4 c;\nlayout(location = 0) out vec4 o;\nvoid main() { o = c; }\n";
  const VkPipeline pipeline = captured.canvas->pipeline(s);
  captured.repeat(1, [&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    const float color[4] = {1, 0.5f, 0.25f, 1};
    vkCmdPushConstants(b, s.layout, VK_SHADER_STAGE_ALL_GRAPHICS, 0, sizeof color, color);
    vkCmdDraw(b, 4, 1, 0, 0);
  });
}

// TES-9: the origin of the domain is part of the job.
TEST(VulkanCaptureDraw, Patches) {
  HEDDLE_NEED_SHADERS();
  Captured captured;
  PipelineState s;
  s.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
  s.patch_vertices = 4;
  s.domain_origin = VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT;
  s.raster.cullMode = VK_CULL_MODE_BACK_BIT;
  s.raster.frontFace = VK_FRONT_FACE_CLOCKWISE;
  s.vertex =
      "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex % 2 * 1.5 - 0.75, gl_VertexIndex / 2 - 0.5, 0.5, "
      "1); }\n";
  s.control =
      "#version 450\nlayout(vertices = 4) out;\nlayout(location = 0) patch out float bright;\n"
      "void main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position; bright = 0.75;\n"
      "  for (int i = 0; i < 4; ++i) gl_TessLevelOuter[i] = 3; gl_TessLevelInner[0] = gl_TessLevelInner[1] = 5; }\n";
  s.evaluation =
      "#version 450\nlayout(quads, fractional_odd_spacing, ccw) in;\nlayout(location = 0) patch in float bright;\n"
      "layout(location = 0) out vec4 c;\nvoid main() { vec2 uv = gl_TessCoord.xy; c = vec4(uv, bright, 1);\n"
      "  gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, uv.x),\n"
      "                    mix(gl_in[2].gl_Position, gl_in[3].gl_Position, uv.x), uv.y); }\n";
  s.fragment =
      "#version 450\nlayout(location = 0) in vec4 c;\nlayout(location = 0) out vec4 o;\nvoid main() { o = c; }\n";
  const VkPipeline pipeline = captured.canvas->pipeline(s);
  captured.repeat(1, [&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(b, 4, 1, 0, 0);
  });
}

TEST(VulkanCaptureDraw, GroupsOfTasksAndMeshes) {
  HEDDLE_NEED_SHADERS();
  Captured captured({VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
                    {VK_EXT_MESH_SHADER_EXTENSION_NAME, VK_KHR_SPIRV_1_4_EXTENSION_NAME,
                     VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME});
  PipelineState s;
  const std::string head =
      "#version 460\n#extension GL_EXT_mesh_shader : require\nlayout(local_size_x = 4) in;\n"
      "struct Payload { uint first; };\ntaskPayloadSharedEXT Payload payload;\n";
  s.task = head + "void main() { payload.first = gl_WorkGroupID.x * 2u; EmitMeshTasksEXT(2, 1, 1); }\n";
  s.mesh = head +
           "layout(triangles, max_vertices = 4, max_primitives = 2) out;\n"
           "layout(location = 0) out vec2 uv[];\nlayout(location = 1) perprimitiveEXT flat out uint number[];\n"
           "void main() { SetMeshOutputsEXT(4, 2);\n"
           "  uint i = gl_LocalInvocationIndex, at = payload.first + gl_WorkGroupID.x;\n"
           "  uv[i] = vec2(i & 1u, i >> 1u);\n"
           "  gl_MeshVerticesEXT[i].gl_Position = vec4((float(at) + uv[i].x) / 3.0 - 1.0, uv[i].y - 0.5, 0.5, 1);\n"
           "  if (i < 2u) { number[i] = at * 2u + i;\n"
           "    gl_PrimitiveTriangleIndicesEXT[i] = i == 0u ? uvec3(0, 1, 2) : uvec3(2, 1, 3); } }\n";
  s.fragment =
      "#version 450\n#extension GL_EXT_mesh_shader : require\nlayout(location = 0) in vec2 uv;\n"
      "layout(location = 1) perprimitiveEXT flat in uint number;\nlayout(location = 0) out vec4 o;\n"
      "void main() { o = vec4(uv, number / 12.0, 1); }\n";
  const VkPipeline pipeline = captured.canvas->pipeline(s);
  const auto draw_groups = captured.canvas->v.proc<PFN_vkCmdDrawMeshTasksEXT>("vkCmdDrawMeshTasksEXT");
  captured.repeat(1, [&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    draw_groups(b, 3, 1, 1);
  });
}

// What a shader writes to attachments that the pipeline does not have goes nowhere (SPV-33).
TEST(VulkanCaptureDraw, OutputsWithoutAnAttachment) {
  HEDDLE_NEED_SHADERS();
  for (const bool libraries : {false, true}) {
    SCOPED_TRACE(libraries);
    if (libraries && std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) break;  // the layer itself ends there
    Captured t({VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT);
    PipelineState s;
    s.vertex = covering_vertices();
    s.fragment = "#version 450\n";
    std::string body;
    for (const char* n : {"0", "1", "2", "3", "4", "5", "6", "7"}) {
      s.fragment += std::string("layout(location = ") + n + ") out vec4 o" + n + ";\n";
      body += std::string("o") + n + " = vec4(gl_FragCoord.xy / 64.0, 0." + n + ", 1); ";
    }
    s.fragment += "void main() { " + body + "}\n";
    s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
    s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    s.libraries = libraries;
    const VkPipeline pipeline = t.canvas->pipeline(s);
    t.repeat(1, [&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(c, 3, 1, 0, 0);
    });
    const std::vector<std::uint8_t> bytes = read_bytes(t.job(1));
    const std::string job(bytes.begin(), bytes.end());
    // A library of the shader alone is made for all attachments.
    EXPECT_EQ(job.find("targets = [\"attachment.0\"]") != std::string::npos, !libraries) << job;
    const std::uint32_t pixel = t.canvas->pixels()[4 * 40 + 8];
    EXPECT_EQ(pixel & 0xffffff, 34u | 18u << 8);  // 8.5 and 4.5 of 64
  }
}

// Vertex buffers of several formats and rates, indices of 16 bits with restarts, depth, culling, blending.
TEST(VulkanCaptureDraw, IndicesInstancesDepthAndBlending) {
  HEDDLE_NEED_SHADERS();
  Captured t({VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT}, VK_FORMAT_D24_UNORM_S8_UINT,
             VK_SAMPLE_COUNT_1_BIT, {VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME});
  Canvas& canvas = *t.canvas;
  const auto places = canvas.v.buffer(16 * 12), colors = canvas.v.buffer(4 * 4), indices = canvas.v.buffer(64);
  std::uint32_t random = 5;
  for (std::uint32_t i = 0; i < 16; ++i) {
    const float at[2] = {static_cast<float>((random = random * 1664525 + 1013904223) >> 8) * 0x1p-23f - 1,
                         static_cast<float>((random = random * 1664525 + 1013904223) >> 8) * 0x1p-23f - 1};
    std::memcpy(places.bytes + 12 * i, at, 8);
    places.set(3 * i + 2, random);
  }
  for (std::uint32_t i = 0; i < 4; ++i) colors.set(i, 0x8040c020u + i * 0x20301050u);
  const std::uint16_t list[] = {0, 1, 2, 3, 4, 5, 0xffff, 6, 7, 8, 9, 0xffff, 10, 11, 12};
  std::memcpy(indices.bytes, list, sizeof list);
  PipelineState s;
  s.vertex =
      "#version 450\nlayout(location = 0) in vec2 p;\nlayout(location = 2) in vec4 q;\nlayout(location = 5) in vec4 "
      "c;\n"
      "layout(location = 1) out vec4 color;\nlayout(location = 3) flat out int n;\n"
      "void main() { gl_Position = vec4(p + 0.1 * float(gl_InstanceIndex), abs(q.z), 1); color = c; n = "
      "gl_VertexIndex; "
      "}\n";
  s.fragment =
      "#version 450\nlayout(location = 1) in vec4 color;\nlayout(location = 3) flat in int n;\n"
      "layout(location = 0) out vec4 a;\nlayout(location = 1) out vec4 b;\n"
      "void main() { a = color; b = vec4(float(n), gl_FragCoord.z, 1, gl_FrontFacing ? 1 : 0); }\n";
  s.bindings = {{1, 12, VK_VERTEX_INPUT_RATE_VERTEX}, {3, 4, VK_VERTEX_INPUT_RATE_INSTANCE}};
  s.divisors = {{3, 2}};
  s.attributes = {
      {0, 1, VK_FORMAT_R32G32_SFLOAT, 0}, {2, 1, VK_FORMAT_R8G8B8A8_SNORM, 8}, {5, 3, VK_FORMAT_R8G8B8A8_UNORM, 0}};
  s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  s.restart = VK_TRUE;
  s.raster.cullMode = VK_CULL_MODE_BACK_BIT;
  s.raster.depthBiasEnable = VK_TRUE;
  s.raster.depthBiasConstantFactor = 3;
  s.raster.depthBiasSlopeFactor = 0.5f;
  s.depth.depthTestEnable = s.depth.depthWriteEnable = s.depth.stencilTestEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
  s.depth.front = {VK_STENCIL_OP_INVERT,
                   VK_STENCIL_OP_INCREMENT_AND_WRAP,
                   VK_STENCIL_OP_DECREMENT_AND_CLAMP,
                   VK_COMPARE_OP_NOT_EQUAL,
                   0x7f,
                   0x3f,
                   5};
  s.depth.back = s.depth.front;
  VkPipelineColorBlendAttachmentState blend{};
  blend.blendEnable = VK_TRUE;
  blend.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
  blend.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR;
  blend.colorBlendOp = VK_BLEND_OP_REVERSE_SUBTRACT;
  blend.srcAlphaBlendFactor = VK_BLEND_FACTOR_CONSTANT_ALPHA;
  blend.colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
  s.blend = {blend};
  const float constants[] = {0.3f, 0.7f, 0.2f, 0.6f};
  std::ranges::copy(constants, s.colors.blendConstants);
  const VkPipeline pipeline = canvas.pipeline(s);
  t.repeat(2, [&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    const VkDeviceSize none = 0;
    vkCmdBindVertexBuffers(c, 1, 1, &places.buffer, &none);
    vkCmdBindVertexBuffers(c, 3, 1, &colors.buffer, &none);
    vkCmdBindIndexBuffer(c, indices.buffer, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(c, 14, 3, 1, 1, 1);
  });
}

// Several samples, alpha to coverage, a mask, an input of qualifier sample, depths of clip space from -1 to 1, clamped.
TEST(VulkanCaptureDraw, Samples) {
  HEDDLE_NEED_SHADERS();
  Captured t({VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_4_BIT,
             {VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME});
  PipelineState s;
  s.vertex =
      "#version 450\nlayout(location = 0) out vec4 v;\nvoid main() { float i = float(gl_VertexIndex);\n"
      "  gl_Position = vec4(sin(i * 2.1), cos(i * 1.7), i * 0.4 - 0.9, 1); v = vec4(i, 1, 0.5, i * 0.2); }\n";
  s.fragment =
      "#version 450\nlayout(location = 0) sample in vec4 v;\nlayout(location = 0) out vec4 o;\n"
      "void main() { o = vec4(v.rgb * 0.3, v.a + 0.3); }\n";
  s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
  const VkSampleMask mask = 0xb;
  s.samples.pSampleMask = &mask;
  s.samples.alphaToCoverageEnable = VK_TRUE;
  s.raster.depthClampEnable = VK_TRUE;
  s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
  s.viewport = VkViewport{0, 24, 40, -24, 0.2f, 0.7f};
  const VkPipelineViewportDepthClipControlCreateInfoEXT control{
      VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT, nullptr, VK_TRUE};
  s.viewport_chain = &control;
  const VkPipeline pipeline = t.canvas->pipeline(s);
  t.repeat(1, [&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(c, 5, 1, 0, 0);
  });
}

// Textures, uniform blocks, push constants of two stages, a buffer that fragments add to.
TEST(VulkanCaptureDraw, DescriptorsOfBothStages) {
  HEDDLE_NEED_SHADERS();
  Captured t;
  Canvas& canvas = *t.canvas;
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                                    {1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER},
                                                    {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const auto set_layout = canvas.v.set_layout(bindings);
  const auto set = canvas.v.set(set_layout, bindings);
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_SRGB, 16, 8);
  info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.mipLevels = 3;
  const auto image = canvas.v.image(info);
  const auto texels = canvas.v.buffer(16 * 8 * 4), block = canvas.v.buffer(64), counts = canvas.v.buffer(256);
  std::uint32_t random = 9;
  for (std::uint32_t i = 0; i < 128; ++i) texels.set(i, random = random * 1664525 + 1013904223);
  const float values[4] = {0.5f, 0.25f, 2.0f, 1.0f};
  std::memcpy(block.bytes, values, 16);
  ASSERT_EQ(canvas.v.run([&](VkCommandBuffer c) {
    for (std::uint32_t level = 0; level < 3; ++level) {
      const VkBufferImageCopy region{
          0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1}, {}, {16u >> level, 8u >> level, 1}};
      vkCmdCopyBufferToImage(c, texels.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    }
  }),
            VK_SUCCESS);
  canvas.v.write(set, 0, bindings[0].type, canvas.v.view(image.image, VK_FORMAT_R8G8B8A8_SRGB),
                 canvas.v.sampler(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT));
  canvas.v.write(set, 1, bindings[1].type, block);
  canvas.v.write(set, 2, bindings[2].type, counts);
  PipelineState s;
  s.layout = canvas.v.layout({set_layout}, 32);
  s.vertex =
      "#version 450\nlayout(push_constant) uniform P { vec4 a; } p;\nlayout(binding = 1) uniform U { vec4 u; };\n"
      "layout(location = 0) out vec2 uv;\nvoid main() { vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);\n"
      "  uv = at * u.xy * 3.0; gl_Position = vec4(at * 2.0 - p.a.xy, 0, 1.0 + at.x * u.z); }\n";
  s.fragment =
      "#version 450\nlayout(push_constant) uniform P { vec4 a, b; } p;\nlayout(binding = 0) uniform sampler2D t;\n"
      "layout(binding = 2) buffer C { uint n[]; };\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 "
      "o;\n"
      "void main() { o = texture(t, uv) * p.b; atomicAdd(n[uint(gl_FragCoord.x)], 1u); }\n";
  s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  const VkPipeline pipeline = canvas.pipeline(s);
  t.repeat(1, [&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
    const float push[8] = {0.8f, 0.9f, 0, 0, 0.5f, 1, 0.25f, 1};
    vkCmdPushConstants(c, s.layout, VK_SHADER_STAGE_ALL_GRAPHICS, 0, sizeof push, push);
    vkCmdDraw(c, 4, 1, 0, 0);
  });
}

// Lines of several kinds, polygons as lines and points, points, several viewports.
TEST(VulkanCaptureDraw, LinesPointsAndViewports) {
  HEDDLE_NEED_SHADERS();
  const std::string vertices =
      "#version 450\n#extension GL_ARB_shader_viewport_layer_array : require\nvoid main() {\n"
      "  float i = float(gl_VertexIndex); gl_PointSize = 1.0 + i;\n  gl_ViewportIndex = gl_VertexIndex / 3 % 2;\n"
      "  gl_Position = vec4(sin(i * 2.3), cos(i * 1.3), 0.5, 1); }\n";
  for (int kind = 0; kind < 7; ++kind) {
    SCOPED_TRACE(kind);
    Captured t({VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
               {VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME, VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME,
                VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME, VK_EXT_CONSERVATIVE_RASTERIZATION_EXTENSION_NAME});
    t.canvas->v.expects_messages = kind == 1;  // validation wants geometry shaders for lists with adjacency
    PipelineState s;
    s.vertex = vertices;
    s.fragment = one_color(kind == 2 ? "vec4(gl_PointCoord, 1, 1)" : "vec4(gl_FragCoord.xy / 40.0, 0, 1)");
    s.viewports = {{0, 0, 40, 24, 0, 1}, {10.5f, 2.25f, 20, 20, 0, 1}};
    VkPipelineRasterizationLineStateCreateInfoEXT line{
        VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT};
    line.lineRasterizationMode = kind == 0   ? VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT
                                 : kind == 5 ? VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT
                                             : VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT;
    VkPipelineRasterizationConservativeStateCreateInfoEXT conservative{
        VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT};
    conservative.conservativeRasterizationMode = VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT;
    if (kind == 6) line.pNext = &conservative;
    line.stippledLineEnable = VK_TRUE;
    line.lineStippleFactor = 2;
    line.lineStipplePattern = 0x5f37;
    s.raster.pNext = &line;
    s.raster.lineWidth = kind == 1 ? 3.5f : 1;
    constexpr VkPrimitiveTopology kTopologies[] = {
        VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,   VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY,
        VK_PRIMITIVE_TOPOLOGY_POINT_LIST,   VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
        VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,
        VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    s.topology = kTopologies[kind];
    if (kind == 3) s.raster.polygonMode = VK_POLYGON_MODE_LINE;
    if (kind == 4) s.raster.polygonMode = VK_POLYGON_MODE_POINT;
    const VkPipeline pipeline = t.canvas->pipeline(s);
    t.repeat(1, [&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(c, 10, 1, 1, 0);
    });
  }
}

// An indirect draw knows its number; without a fragment shader depth alone is written.
TEST(VulkanCaptureDraw, IndirectDrawsAndDepthAlone) {
  HEDDLE_NEED_SHADERS();
  Captured t({}, VK_FORMAT_D16_UNORM, VK_SAMPLE_COUNT_1_BIT, {VK_KHR_SHADER_DRAW_PARAMETERS_EXTENSION_NAME});
  PipelineState s;
  s.vertex =
      "#version 460\nvoid main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0.5 "
      "- 0.1 * float(gl_DrawID) - 0.01 * float(gl_BaseInstance), 1); }\n";
  s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  const VkPipeline pipeline = t.canvas->pipeline(s);
  const auto draws = t.canvas->v.buffer(64);
  const VkDrawIndirectCommand list[] = {{3, 1, 0, 2}, {3, 1, 0, 4}};
  std::memcpy(draws.bytes, list, sizeof list);
  t.repeat(3, [&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDrawIndirect(c, draws.buffer, 0, 2, sizeof list[0]);
  });
}

// RAS-10: positions of samples are nothing that job files have.
TEST(VulkanCaptureDraw, SaysThatSamplesAreElsewhere) {
  HEDDLE_NEED_SHADERS();
  Captured t({VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_2_BIT,
             {VK_EXT_SAMPLE_LOCATIONS_EXTENSION_NAME});
  Canvas& canvas = *t.canvas;
  canvas.v.expects_messages = true;
  const VkSampleLocationEXT positions[] = {{0, 0}, {0.5f, 0.5f}};
  VkPipelineSampleLocationsStateCreateInfoEXT moved{
      VK_STRUCTURE_TYPE_PIPELINE_SAMPLE_LOCATIONS_STATE_CREATE_INFO_EXT,
      nullptr,
      VK_TRUE,
      {VK_STRUCTURE_TYPE_SAMPLE_LOCATIONS_INFO_EXT, nullptr, VK_SAMPLE_COUNT_2_BIT, {1, 1}, 2, positions}};
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(1)");
  s.samples.pNext = &moved;
  const VkPipeline pipeline = canvas.pipeline(s);
  canvas.draw([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(c, 3, 1, 0, 0);
  });
  ASSERT_EQ(canvas.v.messages.size(), 1u) << canvas.v.messages.front();
  EXPECT_EQ(canvas.v.messages[0],
            "vulkan-capture: a draw of 'main' is not written: job files have the standard positions of samples only");
  EXPECT_EQ(canvas.pixels()[0], 0xffffffffu);
}

// RAS-11: a test without rectangles keeps all pixels, or none.
TEST(VulkanCaptureDraw, DiscardsWithoutRectangles) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  for (const auto mode : {VK_DISCARD_RECTANGLE_MODE_EXCLUSIVE_EXT, VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT}) {
    Captured t({VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
               {VK_EXT_DISCARD_RECTANGLES_EXTENSION_NAME});
    const VkPipelineDiscardRectangleStateCreateInfoEXT none{
        VK_STRUCTURE_TYPE_PIPELINE_DISCARD_RECTANGLE_STATE_CREATE_INFO_EXT, nullptr, 0, mode, 0, nullptr};
    PipelineState s;
    s.vertex = covering_vertices();
    s.fragment = one_color("vec4(0, 1, 0, 1)");
    const VkPipeline green = t.canvas->pipeline(s);
    s.fragment = one_color("vec4(1, 0, 0, 1)");
    s.chain = &none;
    s.dynamic = {VK_DYNAMIC_STATE_DISCARD_RECTANGLE_ENABLE_EXT};
    const VkPipeline red = t.canvas->pipeline(s);
    const auto enable = t.canvas->v.proc<PFN_vkCmdSetDiscardRectangleEnableEXT>("vkCmdSetDiscardRectangleEnableEXT");
    t.repeat(2, [&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, green);
      vkCmdDraw(c, 3, 1, 0, 0);
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, red);
      enable(c, VK_TRUE);
      vkCmdDraw(c, 3, 1, 0, 0);
    });
    EXPECT_EQ(t.canvas->pixels()[0], mode == VK_DISCARD_RECTANGLE_MODE_EXCLUSIVE_EXT ? 0xff0000ffu : 0xff00ff00u);
  }
}

// vulkan-capture: a draw that a job file can't say is named, and drawn all the same.
TEST(VulkanCaptureDraw, SaysWhatItCannotWrite) {
  HEDDLE_NEED_SHADERS();
  for (const bool discards : {true, false}) {
    Captured t({VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED,
               discards ? VK_SAMPLE_COUNT_1_BIT : VK_SAMPLE_COUNT_4_BIT);
    Canvas& canvas = *t.canvas;
    canvas.v.expects_messages = true;
    PipelineState s;
    s.vertex = covering_vertices();
    s.fragment = one_color("vec4(1)");
    s.raster.rasterizerDiscardEnable = discards ? VK_TRUE : VK_FALSE;
    s.samples.sampleShadingEnable = discards ? VK_FALSE : VK_TRUE;
    s.samples.minSampleShading = 1;
    const VkPipeline pipeline = canvas.pipeline(s);
    canvas.draw([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(c, 3, 1, 0, 0);
    });
    ASSERT_EQ(canvas.v.messages.size(), 1u) << canvas.v.messages.front();
    EXPECT_EQ(canvas.v.messages[0],
              discards ? "vulkan-capture: a draw of 'main' is not written: job files have no draws without pixels"
                       : "vulkan-capture: a draw of 'main' is not written: job files have no sample shading for "
                         "shaders that do not ask for it");
    EXPECT_FALSE(std::filesystem::exists(t.job(1)));
    EXPECT_EQ(canvas.pixels()[0], discards ? 0 : 0xffffffffu);
  }
}

}  // namespace
}  // namespace heddle::test
