// SPDX-License-Identifier: MIT
// The driver's rows: what a draw, a small triangle, a descriptor or a pipeline costs, from the call to the end of the
// queue's work.
#include <memory>

#include "quick/quick.hpp"
#include "vulkan/canvas.hpp"
#include "vulkan/pipeline_maker.hpp"
#include "vulkan/shaders.hpp"

namespace heddle::bench {
namespace {

using test::Canvas;
using test::PipelineState;
using test::VulkanDevice;

constexpr std::uint32_t kWidth = 1920, kHeight = 1080;
constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

const char* const kOneColor =
    "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(gl_FragCoord.xy * 0.0005, 0.5, 1.0); }\n";
const char* const kColors =
    "#version 450\nlayout(location = 0) in vec3 color;\nlayout(location = 0) out vec4 c;\n"
    "void main() { c = vec4(color, 1.0); }\n";

struct Driver {
  Driver() : canvas(kWidth, kHeight, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT) {
    VulkanDevice& v = canvas.v;
    const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}};
    const VkDescriptorSetLayout sets = v.set_layout(bindings);
    buffer = v.buffer(4096);
    set = v.set(sets, bindings);
    layout = v.layout({sets}, 16);
    draws = pipeline(kOne, kOneColor, false);
    small = pipeline(kSmall, kOneColor, false);
    shaded = pipeline(kShaded, kColors, true);
    maker = std::make_unique<PipelineMaker>(
        v.device, layout,
        test::compile_compute(
            "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint o[]; };\n"
            "void main() { uint n = gl_GlobalInvocationID.x; o[n] = o[n] * 3u + n; }\n"));
  }

  VkPipeline pipeline(const char* vertex, const char* fragment, bool depth) {
    PipelineState state;
    state.vertex = vertex;
    state.fragment = fragment;
    state.layout = layout;
    state.depth.depthTestEnable = state.depth.depthWriteEnable = depth ? VK_TRUE : VK_FALSE;
    state.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    return canvas.pipeline(state);
  }
  /// Into a frame; `submits`: and drawn.
  void record(VkPipeline bound, bool submits, const std::function<void(VkCommandBuffer)>& work) {
    VulkanDevice& v = canvas.v;
    const VkCommandBuffer c = v.commands();
    v.begin(c);
    canvas.begin(c, true);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, bound);
    work(c);
    canvas.end(c);
    if (submits)
      (void)v.submit(c);
    else
      (void)vkEndCommandBuffer(c);
    vkFreeCommandBuffers(v.device, v.pool, 1, &c);
  }

  Canvas canvas;
  VulkanDevice::Buffer buffer;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline draws = VK_NULL_HANDLE, small = VK_NULL_HANDLE, shaded = VK_NULL_HANDLE;
  std::unique_ptr<PipelineMaker> maker;
};

}  // namespace

void add_driver(std::vector<Item>& list) {
  // One for all rows, made by the first that runs.
  auto driver = std::make_shared<std::unique_ptr<Driver>>();
  const auto add = [&](const char* name, const char* of, std::uint32_t few,
                       const std::function<void(Driver&, std::uint32_t)>& work, bool tiers) {
    Item item{name, of, static_cast<double>(few), 4.0 * few, {}, {}, tiers};
    item.prepare = [driver](bool) -> std::string {
      if (test::compile_compute("#version 450\nvoid main() {}\n").empty())
        return "glslangValidator is not installed or failed";
      if (*driver == nullptr) *driver = std::make_unique<Driver>();
      return {};
    };
    item.run = [driver, few, work](bool large) -> std::string {
      work(**driver, large ? 4 * few : few);
      return {};
    };
    list.push_back(std::move(item));
  };
  const auto draw = [](VkCommandBuffer c, std::uint32_t n) { vkCmdDraw(c, 3, 1, 3 * (n % 10000), 0); };
  add(
      "driver: draw of a triangle behind another", "draw", 1000,
      [draw](Driver& d, std::uint32_t count) {
        d.record(d.draws, true, [&](VkCommandBuffer c) {
          for (std::uint32_t n = 0; n < count; ++n) draw(c, n);
        });
      },
      true);
  add(
      "driver: draw of a triangle behind push constants", "draw", 1000,
      [draw](Driver& d, std::uint32_t count) {
        d.record(d.draws, true, [&](VkCommandBuffer c) {
          for (std::uint32_t n = 0; n < count; ++n) {
            vkCmdPushConstants(c, d.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &n);
            draw(c, n);
          }
        });
      },
      true);
  const auto triangles = [](VkPipeline Driver::* pipeline) {
    return [pipeline](Driver& d, std::uint32_t count) {
      d.record(d.*pipeline, true, [&](VkCommandBuffer c) { vkCmdDraw(c, 3 * count, 1, 0, 0); });
    };
  };
  add("driver: small triangle", "triangle", 10000, triangles(&Driver::small), true);
  add("driver: small triangle, depth test and colors", "triangle", 10000, triangles(&Driver::shaded), true);
  add(
      "driver: recording a draw", "draw", 1000,
      [draw](Driver& d, std::uint32_t count) {
        d.record(d.draws, false, [&](VkCommandBuffer c) {
          for (std::uint32_t n = 0; n < count; ++n) draw(c, n);
        });
      },
      false);
  add(
      "driver: writing a descriptor", "descriptor", 1000,
      [](Driver& d, std::uint32_t count) {
        for (std::uint32_t n = 0; n < count; ++n)
          d.canvas.v.write(d.set, 0, kStorage, d.buffer, std::uint64_t{64} * (n % 16));
      },
      false);
  add(
      "driver: pipeline from a cache", "pipeline", 50,
      [](Driver& d, std::uint32_t count) {
        for (std::uint32_t n = 0; n < count; ++n) d.maker->make();
      },
      false);
}

}  // namespace heddle::bench
