// SPDX-License-Identifier: MIT
#include "vulkan/sanitizer/input_checks.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "pipeline/vertices/vertex_list.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/objects/memory/buffer.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"
#include "vulkan/pipelines/stage_table.hpp"

namespace heddle::vulkan {
namespace {

constexpr std::uint64_t kPiece = 4096;  ///< vertices between two looks at the clock

Usage of_buffer(VkPipelineStageFlags2 stages, VkAccessFlags2 accesses, const Buffer* buffer) {
  return Usage{stages, accesses}.of("buffer", reinterpret_cast<std::uint64_t>(buffer));
}

/// Elements of a vertex buffer that have all bytes of an attribute; all those of a stride of 0 are one.
std::uint64_t elements_of(const pipeline::VertexBuffer& buffer, std::uint32_t offset, std::uint32_t size) {
  const std::uint64_t needed = std::uint64_t{offset} + size, bytes = buffer.bytes.size();
  if (needed > bytes) return 0;
  return buffer.stride == 0 ? 1 : (bytes - needed) / buffer.stride + 1;
}

}  // namespace

void InputChecks::fetch_indirect(const Buffer& from, Bytes bytes) {
  watch_->fetch(bytes, of_buffer(VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT, &from),
                [] { return "the indirect command"; });
}

void InputChecks::fetch_copy(const Buffer& from, Bytes bytes) {
  watch_->fetch(bytes,
                of_buffer(VK_PIPELINE_STAGE_2_COPY_INDIRECT_BIT_KHR, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT, &from),
                [] { return "a region of the indirect copy"; });
}

void InputChecks::fetch_descriptors(isa::ShaderStage stage, Bytes bytes, bool several) {
  const Usage usage = Usage{kStageRows[stage].barrier, VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT}.of("buffer", 0);
  if (several) return;  // of an array nobody says which elements the shader uses
  watch_->fetch(bytes, usage, [] { return "a descriptor"; });
}

void InputChecks::fetch_condition(const Buffer& from, Bytes bytes) {
  watch_->fetch(bytes,
                of_buffer(VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT,
                          VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT, &from),
                [] { return "the condition of draws"; });
}

void InputChecks::fetch_counter(const Buffer& from, Bytes bytes, bool draws) {
  watch_->fetch(
      bytes,
      of_buffer(draws ? VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT : VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
                VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT, &from),
      [] { return "the counter of transform feedback"; });
}

void InputChecks::write_counter(const Buffer& to, Bytes bytes) {
  watch_->write(bytes, of_buffer(VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
                                 VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT, &to));
}

void InputChecks::capture(const Buffer& to, Bytes bytes) {
  watch_->write(bytes, of_buffer(VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
                                 VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT, &to));
}

/// A step of the budget; draws of many vertices end by the clock.
bool InputChecks::may_go_on() {
  const std::uint64_t step = context_.budget->take(1);
  context_.budget->give_back(step);
  return step != 0 && !context_.device.lost;
}

/// `word`: what counts the elements, "vertex".
void InputChecks::fetch_element(const pipeline::VertexDraw& draw, const FetchedAttribute& a, std::uint64_t element,
                                const char* word) {
  const pipeline::VertexBuffer& buffer = draw.buffers[a.binding];
  watch_->fetch(buffer.bytes.subspan(element * buffer.stride + a.offset, a.size),
                of_buffer(VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT, VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT,
                          from_handle(context_.buffers.bound[a.binding])),
                [&] { return fmt::format("an attribute of {} {} in binding {}", word, element, a.binding); });
}

/// Attributes that advance without indices: the elements from one on, as far as the buffer has them.
void InputChecks::fetch_elements(const pipeline::VertexDraw& draw, const FetchedAttribute& a) {
  const pipeline::VertexBuffer& buffer = draw.buffers[a.binding];
  std::uint64_t first = draw.first_vertex, count = draw.vertices;
  if (buffer.divisor) {
    first = draw.first_instance;
    count = *buffer.divisor == 0 ? 1 : (draw.instances - 1) / *buffer.divisor + 1;
  }
  if (buffer.stride == 0) first = 0;
  const std::uint64_t end = std::min(first + count, elements_of(buffer, a.offset, a.size));
  for (std::uint64_t k = first; k < end; ++k) {
    if ((k - first) % kPiece == 0 && !may_go_on()) return;
    fetch_element(draw, a, k, buffer.divisor ? "instance" : "vertex");
  }
}

/// Attributes of the vertices that the indices name; every instance names the same ones.
void InputChecks::fetch_indexed(pipeline::VertexDraw draw, std::span<const FetchedAttribute> attributes) {
  const std::uint64_t indices = draw.indices->bytes.size() / draw.indices->index_bytes;
  draw.instances = 1;
  draw.vertices = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(draw.vertices, indices - std::min<std::uint64_t>(draw.first_vertex, indices)));
  pipeline::VertexList list;
  list.begin(draw);
  while (may_go_on() && list.next(draw, kPiece, kPiece))
    for (const FetchedAttribute& a : attributes) {
      const pipeline::VertexBuffer& buffer = draw.buffers[a.binding];
      const std::uint64_t elements = elements_of(buffer, a.offset, a.size);
      for (const pipeline::ShadedVertex& v : list.vertices()) {
        const std::uint64_t element = buffer.stride == 0 ? 0 : v.vertex;
        if (element < elements) fetch_element(draw, a, element, "vertex");
      }
    }
}

/// Indices and attributes, as far as buffers have them. What is beyond a submission's time is left out; the draw ends
/// by it.
void InputChecks::fetch_vertices(const GraphicsPipeline& pipeline, const pipeline::VertexDraw& draw) {
  if (draw.indices) {
    const std::uint64_t size = draw.indices->index_bytes, all = draw.indices->bytes.size();
    const std::uint64_t first = std::min(draw.first_vertex * size, all);
    watch_->fetch(draw.indices->bytes.subspan(first, std::min(draw.vertices * size, all - first)),
                  of_buffer(VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT, VK_ACCESS_2_INDEX_READ_BIT,
                            from_handle(context_.buffers.bound_indices)),
                  [] { return "an index of the draw"; });
  }
  std::set<FetchedAttribute> attributes;
  for (const pipeline::VertexFetch& f : pipeline.vertices.program->plan().fetches)
    if (f.buffer < draw.buffers.size())
      attributes.insert({f.buffer, f.offset, image::format_info(f.format)->bytes_per_element()});
  std::vector<FetchedAttribute> indexed;
  for (const FetchedAttribute& a : attributes) {
    if (draw.indices && !draw.buffers[a.binding].divisor)
      indexed.push_back(a);
    else
      fetch_elements(draw, a);
  }
  if (!indexed.empty()) fetch_indexed(draw, indexed);
}

}  // namespace heddle::vulkan
