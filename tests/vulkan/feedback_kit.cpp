// SPDX-License-Identifier: MIT
#include "vulkan/feedback_kit.hpp"

#include <cstdlib>

namespace heddle::test {
namespace {

std::vector<const char*> with_feedback(std::vector<const char*> extensions) {
  extensions.push_back(VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME);
  extensions.push_back(VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME);
  return extensions;
}

/// HEDDLE_TEST_PEER: to see what another driver does.
const char* driver() {
  const char* peer = std::getenv("HEDDLE_TEST_PEER");
  return peer == nullptr ? HEDDLE_VULKAN_MANIFEST : peer;
}

constexpr VkBufferUsageFlags kUsage =
    VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT | VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT;

}  // namespace

std::string numbered_vertices() {
  return "#version 450\nlayout(location = 0) flat out int v;\n"
         "void main() { v = gl_VertexIndex; gl_Position = vec4(v, 0, 0, 1); gl_PointSize = 1; }\n";
}

Feedback::Feedback(std::vector<const char*> more_extensions, std::uint64_t bytes)
    : canvas(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
             with_feedback(std::move(more_extensions)), driver()) {
  VulkanDevice& v = canvas.v;
  for (VulkanDevice::Buffer& buffer : buffers) buffer = v.buffer(bytes, kUsage);
  counters = v.buffer(64, kUsage);
  bind_buffers = v.proc<PFN_vkCmdBindTransformFeedbackBuffersEXT>("vkCmdBindTransformFeedbackBuffersEXT");
  begin = v.proc<PFN_vkCmdBeginTransformFeedbackEXT>("vkCmdBeginTransformFeedbackEXT");
  end = v.proc<PFN_vkCmdEndTransformFeedbackEXT>("vkCmdEndTransformFeedbackEXT");
  draw_byte_count = v.proc<PFN_vkCmdDrawIndirectByteCountEXT>("vkCmdDrawIndirectByteCountEXT");
  begin_query = v.proc<PFN_vkCmdBeginQueryIndexedEXT>("vkCmdBeginQueryIndexedEXT");
  end_query = v.proc<PFN_vkCmdEndQueryIndexedEXT>("vkCmdEndQueryIndexedEXT");
}

void Feedback::bind(VkCommandBuffer c) const {
  std::array<VkBuffer, 4> list{};
  const std::array<VkDeviceSize, 4> offsets{};
  for (std::size_t b = 0; b < list.size(); ++b) list[b] = buffers[b].buffer;
  bind_buffers(c, 0, 4, list.data(), offsets.data(), nullptr);
}

void Feedback::run(VkPipeline pipeline, const Record& record) {
  const std::array<VkBuffer, 4> list{counters.buffer, counters.buffer, counters.buffer, counters.buffer};
  const std::array<VkDeviceSize, 4> places{0, 4, 8, 12};
  canvas.draw([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    bind(c);
    begin(c, 0, 0, nullptr, nullptr);
    record(c);
    end(c, 0, 4, list.data(), places.data());
  });
}

std::vector<std::uint32_t> Feedback::words(std::size_t buffer) const {
  std::vector<std::uint32_t> list;
  for (std::size_t k = 0; k < counters.word(buffer) / 4; ++k) list.push_back(buffers[buffer].word(k));
  return list;
}

std::vector<std::uint32_t> Feedback::draw(const PipelineState& state, std::uint32_t vertices, std::size_t buffer) {
  run(canvas.pipeline(state), [&](VkCommandBuffer c) { vkCmdDraw(c, vertices, 1, 0, 0); });
  return words(buffer);
}

}  // namespace heddle::test
