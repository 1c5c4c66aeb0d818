// SPDX-License-Identifier: MIT
// Draws: frames of bench/peers, small triangles, patches, many draws, overdraw with early depth.
#include <chrono>
#include <cstring>
#include <limits>

#include "vulkan/bench_vulkan.hpp"
#include "vulkan/shaders.hpp"

namespace heddle::bench {
namespace {

using test::Canvas;
using test::PipelineState;
using test::VulkanDevice;

constexpr std::uint32_t kWidth = 1920, kHeight = 1080, kTexture = 1024;
constexpr std::uint32_t kTriangles = 1000000, kDraws = 10000, kLayers = 16, kCaptured = 10000000;

/// A triangle over everything; the depth of instance n is that of layer n, from front to back.
const char* const kCovering =
    "#version 450\nvoid main() { vec2 p = vec2(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0);\n"
    "  gl_Position = vec4(p, 0.1 + 0.05 * float(gl_InstanceIndex), 1.0); }\n";
/// A triangle in, the four of its edges' middles out.
const char* const kFour =
    "#version 450\nlayout(triangles) in; layout(triangle_strip, max_vertices = 12) out;\n"
    "layout(location = 0) in vec3 color[]; layout(location = 0) out vec3 c;\n"
    "void vertex(vec4 p, vec3 q) { gl_Position = p; c = q; EmitVertex(); }\n"
    "void main() { vec4 p[6]; vec3 q[6];\n"
    "  for (int k = 0; k < 3; ++k) { int n = (k + 1) % 3; p[k] = gl_in[k].gl_Position; q[k] = color[k];\n"
    "    p[3 + k] = 0.5 * (gl_in[k].gl_Position + gl_in[n].gl_Position); q[3 + k] = 0.5 * (color[k] + color[n]); }\n"
    "  vertex(p[0], q[0]); vertex(p[3], q[3]); vertex(p[5], q[5]); EndPrimitive();\n"
    "  vertex(p[3], q[3]); vertex(p[1], q[1]); vertex(p[4], q[4]); EndPrimitive();\n"
    "  vertex(p[5], q[5]); vertex(p[4], q[4]); vertex(p[2], q[2]); EndPrimitive();\n"
    "  vertex(p[3], q[3]); vertex(p[4], q[4]); vertex(p[5], q[5]); EndPrimitive(); }\n";
/// A particle of a simulation.
const char* const kParticle =
    "#version 450\nlayout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) out vec4 p;\n"
    "void main() { float n = float(gl_VertexIndex); p = vec4(n * 0.5, n + 1.0, 3.0 - n, 1.0); }\n";

/// The extensions of rows that not every driver has.
std::vector<const char*> extensions_of(const Bench& of) {
  std::uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(of.v.physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> list(count);
  vkEnumerateDeviceExtensionProperties(of.v.physical, nullptr, &count, list.data());
  for (const VkExtensionProperties& e : list)
    if (std::strcmp(e.extensionName, VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME) == 0)
      return {VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME};
  return {};
}
bool has(const Bench& of, VkBool32 VkPhysicalDeviceFeatures::* feature) {
  VkPhysicalDeviceFeatures features;
  vkGetPhysicalDeviceFeatures(of.v.physical, &features);
  return features.*feature == VK_TRUE;
}

std::string fragment(const std::string& body) {
  return "#version 450\nlayout(set = 0, binding = 0) uniform sampler2D t;\nlayout(location = 0) out vec4 c0;\n"
         "layout(set = 0, binding = 2) uniform sampler2D near;\n"
         "void main() { vec2 uv = gl_FragCoord.xy * vec2(1.0 / 1920.0, 1.0 / 1080.0);\n" +
         body + "\n}\n";
}

}  // namespace

struct DrawBench {
  explicit DrawBench(const Bench& of)
      : canvas(kWidth, kHeight, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_1_BIT,
               extensions_of(of), of.manifest.c_str()),
        captures(!extensions_of(of).empty()) {
    VulkanDevice& v = canvas.v;
    const auto texture = v.image(VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, kTexture, kTexture));
    const auto texels = v.buffer(std::uint64_t{4} * kTexture * kTexture);
    for (std::uint32_t i = 0; i < kTexture * kTexture; ++i) texels.set(i, i * 2654435761u);
    (void)v.run([&](VkCommandBuffer c) {
      VkBufferImageCopy region{};
      region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
      region.imageExtent = {kTexture, kTexture, 1};
      vkCmdCopyBufferToImage(c, texels.buffer, texture.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    });
    const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                                      {1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kUniforms},
                                                      {2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}};
    const VkDescriptorSetLayout sets = v.set_layout(bindings);
    layout = v.layout({sets});
    set = v.set(sets, bindings);
    for (const auto& [binding, filter] : {std::pair(0u, VK_FILTER_LINEAR), std::pair(2u, VK_FILTER_NEAREST)})
      v.write(set, binding, bindings[0].type, v.view(texture.image, VK_FORMAT_R8G8B8A8_UNORM),
              v.sampler(filter, VK_SAMPLER_ADDRESS_MODE_REPEAT));
    const auto uniforms = v.buffer(std::uint64_t{kUniforms} * 256, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
    for (std::uint32_t k = 0; k < kUniforms; ++k)
      v.write(set, 1, bindings[1].type, uniforms, std::uint64_t{k} * 256, 256, k);
  }
  static constexpr std::uint32_t kUniforms = 8;
  /// Seconds of a frame that `record` draws with the pipeline.
  double run(VkPipeline pipeline, const std::function<void(VkCommandBuffer)>& record, bool clear = true) {
    const VkCommandBuffer c = canvas.v.commands();
    canvas.v.begin(c);
    canvas.begin(c, clear);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
    record(c);
    canvas.end(c);
    const double seconds = seconds_of([&] { (void)canvas.v.submit(c); });
    vkFreeCommandBuffers(canvas.v.device, canvas.v.pool, 1, &c);
    return seconds;
  }

  /// Seconds of making a pipeline of two modules and of drawing one triangle with it.
  double make_and_draw(const std::vector<std::uint32_t>& vertex, const std::vector<std::uint32_t>& fragment_words) {
    VkPipeline made = VK_NULL_HANDLE;
    const double making = seconds_of([&] { made = plain_pipeline(vertex, fragment_words); });
    const double drawing = run(made, [](VkCommandBuffer c) { vkCmdDraw(c, 3, 1, 0, 0); }, false);
    vkDestroyPipeline(canvas.v.device, made, nullptr);
    return making + drawing;
  }
  /// Nothing of it is dynamic.
  VkPipeline plain_pipeline(const std::vector<std::uint32_t>& vertex,
                            const std::vector<std::uint32_t>& fragment_words) {
    const VkShaderModule modules[] = {canvas.v.module(vertex), canvas.v.module(fragment_words)};
    const auto stage = [&](VkShaderStageFlagBits which, VkShaderModule module) {
      return VkPipelineShaderStageCreateInfo{
          VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, which, module, "main", nullptr};
    };
    const VkPipelineShaderStageCreateInfo stages[] = {stage(VK_SHADER_STAGE_VERTEX_BIT, modules[0]),
                                                      stage(VK_SHADER_STAGE_FRAGMENT_BIT, modules[1])};
    const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    const VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                          nullptr, 0, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, VK_FALSE};
    const VkViewport viewport{0, 0, kWidth, kHeight, 0, 1};
    const VkRect2D scissor{{0, 0}, {kWidth, kHeight}};
    const VkPipelineViewportStateCreateInfo view{
        VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, nullptr, 0, 1, &viewport, 1, &scissor};
    const PipelineState plain;
    VkPipelineMultisampleStateCreateInfo samples = plain.samples;
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineColorBlendAttachmentState all{};
    all.colorWriteMask = 15;
    VkPipelineColorBlendStateCreateInfo colors = plain.colors;
    colors.attachmentCount = 1;
    colors.pAttachments = &all;
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    const VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                  nullptr,
                                                  0,
                                                  1,
                                                  &format,
                                                  VK_FORMAT_D32_SFLOAT,
                                                  VK_FORMAT_UNDEFINED};
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
    info.stageCount = 2;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &view;
    info.pRasterizationState = &plain.raster;
    info.pMultisampleState = &samples;
    info.pDepthStencilState = &plain.depth;
    info.pColorBlendState = &colors;
    info.layout = layout;
    VkPipeline made = VK_NULL_HANDLE;
    (void)vkCreateGraphicsPipelines(canvas.v.device, VK_NULL_HANDLE, 1, &info, nullptr, &made);
    for (const VkShaderModule module : modules) vkDestroyShaderModule(canvas.v.device, module, nullptr);
    return made;
  }

  /// The same of vertices that are captured.
  double capture(VkPipeline pipeline, std::uint32_t vertices) {
    if (captured.size == 0)
      captured = canvas.v.buffer(std::uint64_t{16} * vertices, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT);
    const auto bind = canvas.v.proc<PFN_vkCmdBindTransformFeedbackBuffersEXT>("vkCmdBindTransformFeedbackBuffersEXT");
    const auto begin = canvas.v.proc<PFN_vkCmdBeginTransformFeedbackEXT>("vkCmdBeginTransformFeedbackEXT");
    const auto end = canvas.v.proc<PFN_vkCmdEndTransformFeedbackEXT>("vkCmdEndTransformFeedbackEXT");
    return run(pipeline, [&](VkCommandBuffer c) {
      const VkDeviceSize offset = 0;
      bind(c, 0, 1, &captured.buffer, &offset, nullptr);
      begin(c, 0, 0, nullptr, nullptr);
      vkCmdDraw(c, vertices, 1, 0, 0);
      end(c, 0, 0, nullptr, nullptr);
    });
  }

  Canvas canvas;
  const bool captures;
  VulkanDevice::Buffer captured;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
};

void add_draws(std::vector<Item>& items) {
  using Change = std::function<void(PipelineState&)>;
  using Record = std::function<void(VkCommandBuffer)>;
  const auto add = [&](const std::string& name, double count, double wanted, const std::string& vertex,
                       const std::string& body, const Record& record, const Change& change = {}) {
    items.push_back({name, count, 0,
                     [=](Bench& b) {
                       if (!b.draws) b.draws = std::make_shared<DrawBench>(b);
                       VkPipeline& p = b.kept[name];
                       if (p == VK_NULL_HANDLE) {
                         PipelineState state;
                         state.vertex = vertex;
                         state.fragment = fragment(body);
                         state.layout = b.draws->layout;
                         if (change) change(state);
                         p = b.draws->canvas.pipeline(state);
                       }
                       return b.draws->run(p, record);
                     },
                     wanted, count >= kTriangles});
  };
  const Record frame = [](VkCommandBuffer c) { vkCmdDraw(c, 3, 1, 0, 0); };
  const Record layers = [](VkCommandBuffer c) { vkCmdDraw(c, 3, kLayers, 0, 0); };
  const Record many = [](VkCommandBuffer c) { vkCmdDraw(c, 3 * kTriangles, 1, 0, 0); };
  const auto depth = [](PipelineState& s) {
    s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
    s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  };
  constexpr double kPixels = double{kWidth} * kHeight;
  add("frame, no texture: pixel", kPixels, 1, kCovering, "c0 = vec4(uv, 0.5, 1.0);", frame);
  add("frame, bilinear: pixel", kPixels, 1.5, kCovering, "c0 = texture(t, uv);", frame);
  add("frame, nearest: pixel", kPixels, 1, kCovering, "c0 = texture(near, uv);", frame);
  add("frame, nine texels fetched: pixel", kPixels, 1, kCovering,
      "ivec2 p = ivec2(gl_FragCoord.xy); vec4 c = vec4(0.0); for (int y = 0; y < 3; ++y) for (int x = 0; x < 3; ++x) c "
      "+= "
      "texelFetch(t, (p + ivec2(x, y)) & 255, 0); c0 = c / 9.0;",
      frame);
  add("frame, depth test: pixel", kPixels, 1, kCovering, "c0 = texture(t, uv);", frame, depth);
  add("frame, blended: pixel", kPixels, 1.5, kCovering, "c0 = vec4(texture(t, uv).rgb, 0.5);", frame,
      [](PipelineState& s) {
        VkPipelineColorBlendAttachmentState blend{};
        blend.blendEnable = VK_TRUE;
        blend.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
        blend.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
        blend.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
        blend.colorWriteMask = 15;
        s.blend = {blend};
      });
  add("16 layers from front to back, depth test: pixel of a layer", kLayers * kPixels, 1, kCovering,
      "vec4 c = texture(t, uv); for (int i = 0; i < 4; ++i) c = texture(t, c.xy + uv); c0 = c;", layers, depth);
  add("1,000,000 small triangles: triangle", kTriangles, 1, kSmall, "c0 = vec4(uv, 0.5, 1.0);", many);
  add("the same with depth test and colors: triangle", kTriangles, 1, kShaded, "c0 = vec4(color, 1.0);", many,
      [=](PipelineState& s) {
        depth(s);
        s.fragment =
            "#version 450\nlayout(location = 0) in vec3 color;\nlayout(location = 0) out vec4 c0;\n"
            "void main() { c0 = vec4(color, 1.0); }\n";
      });
  constexpr double kMissing = std::numeric_limits<double>::infinity();  // the driver lacks what the row needs
  items.push_back({"250,000 triangles, of each four by a geometry shader: triangle", kTriangles, 0,
                   [](Bench& b) {
                     if (!has(b, &VkPhysicalDeviceFeatures::geometryShader)) return kMissing;
                     if (!b.draws) b.draws = std::make_shared<DrawBench>(b);
                     VkPipeline& p = b.kept["geometry"];
                     if (p == VK_NULL_HANDLE) {
                       PipelineState state;
                       state.vertex = kShaded;
                       state.geometry = kFour;
                       state.fragment =
                           "#version 450\nlayout(location = 0) in vec3 color;\nlayout(location = 0) out vec4 c0;\n"
                           "void main() { c0 = vec4(color, 1.0); }\n";
                       state.layout = b.draws->layout;
                       p = b.draws->canvas.pipeline(state);
                     }
                     return b.draws->run(p, [](VkCommandBuffer c) { vkCmdDraw(c, 3 * kTriangles / 4, 1, 0, 0); });
                   },
                   2, true});
  items.push_back({"transform feedback of 10,000,000 vertices: vertex", kCaptured, 0,
                   [](Bench& b) {
                     if (!b.draws) b.draws = std::make_shared<DrawBench>(b);
                     if (!b.draws->captures) return kMissing;
                     VkPipeline& p = b.kept["capture"];
                     if (p == VK_NULL_HANDLE) {
                       PipelineState state;
                       state.vertex = kParticle;
                       state.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
                       state.raster.rasterizerDiscardEnable = VK_TRUE;
                       state.layout = b.draws->layout;
                       p = b.draws->canvas.pipeline(state);
                     }
                     return b.draws->capture(p, kCaptured);
                   },
                   1.5, true});
  // Drivers keep what they compiled, on disk too: the shader is one that was never there.
  items.push_back(
      {"a new graphics pipeline, to its first triangle", 1, 0,
       [](Bench& b) {
         if (!b.draws) b.draws = std::make_shared<DrawBench>(b);
         static const auto kStart = std::chrono::system_clock::now().time_since_epoch().count();
         const std::string unique = std::to_string(kStart % 100000) + "." + std::to_string(++b.unique);
         return b.draws->make_and_draw(
             test::compile_shader(kShaded, "vert"),
             test::compile_shader("#version 450\nlayout(set = 0, binding = 0) uniform sampler2D t;\n"
                                  "layout(location = 0) in vec3 color;\nlayout(location = 0) out vec4 c0;\n"
                                  "void main() { vec3 n = normalize(color + vec3(0.5, 0.25, " +
                                      unique +
                                      "));\n"
                                      "  vec3 l = normalize(vec3(1.0, 2.0, 3.0) - color);\n"
                                      "  float d = max(dot(n, l), 0.0), s = pow(max(dot(reflect(-l, n), n), 0.0), "
                                      "16.0);\n"
                                      "  c0 = vec4(texture(t, color.xy).rgb * d + s, 1.0); }\n",
                                  "frag"));
       },
       1});
  for (const std::uint32_t level : {8u, 64u}) {
    // About a million vertices, those that triangles of a patch share counted once.
    const std::uint32_t points = (level + 1) * (level + 1), across = level == 8 ? 111 : 15, patches = across * across;
    add(
        "patches of level " + std::to_string(level) + ", lifted by a texture: vertex",
        static_cast<double>(points) * patches, 2, "#version 450\nvoid main() { gl_Position = vec4(0); }\n",
        "c0 = vec4(uv, 0.5, 1.0);", [=](VkCommandBuffer c) { vkCmdDraw(c, patches, 1, 0, 0); },
        [=](PipelineState& s) {
          s.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
          s.patch_vertices = 1;
          const std::string n = std::to_string(level), a = std::to_string(across);
          s.control = "#version 450\nlayout(vertices = 1) out;\nvoid main() { gl_TessLevelOuter = float[4](" + n +
                      ", " + n + ", " + n + ", " + n + "); gl_TessLevelInner = float[2](" + n + ", " + n + "); }\n";
          s.evaluation =
              "#version 450\nlayout(quads) in;\nlayout(set = 0, binding = 0) uniform sampler2D t;\nvoid main() {\n"
              "  vec2 at = (vec2(gl_PrimitiveID % " +
              a + ", gl_PrimitiveID / " + a + ") + gl_TessCoord.xy) / " + a +
              ".0;\n  gl_Position = vec4(at * 2.0 - 1.0, textureLod(t, at, 0.0).r, 1.0); }\n";
        });
    // Drivers without the stages draw something else.
    items.back().measure = [measure = items.back().measure](Bench& b) {
      return has(b, &VkPhysicalDeviceFeatures::tessellationShader) ? measure(b) : kMissing;
    };
  }
  const Record draws = [](VkCommandBuffer c) {
    for (std::uint32_t i = 0; i < kDraws; ++i) vkCmdDraw(c, 3, 1, 3 * i, 0);
  };
  add("10,000 draws of a triangle: draw", kDraws, 1, kOne, "c0 = vec4(uv, 0.5, 1.0);", draws);
  add("10,000 draws of a triangle that choose one of 8 uniform buffers: draw", kDraws, 1, kOne,
      "c0 = vec4(uv, 0.5, 1.0);", draws, [](PipelineState& s) {
        s.fragment =
            "#version 450\nlayout(set = 0, binding = 1) uniform U { vec4 color; } u[8];\n"
            "layout(location = 0) out vec4 c0;\nvoid main() { c0 = u[int(gl_FragCoord.y) & 7].color; }\n";
      });
}

}  // namespace heddle::bench
