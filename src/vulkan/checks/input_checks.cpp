// What draws and dispatches fetch before their shaders run, for the sanitizer: indices, attributes, indirect commands.
// Rules: run-memory-unwritten, run-barrier-missing.

#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>

#include "pipeline/vertices/vertex_list.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/execution/executor.hpp"

namespace heddle::vulkan {
namespace {

constexpr std::uint64_t kPiece = 4096;  ///< vertices between two looks at the clock

Usage of_buffer(VkPipelineStageFlags2 stages, VkAccessFlags2 accesses, VkBuffer buffer) {
  return Usage{stages, accesses}.of("buffer", reinterpret_cast<std::uint64_t>(from_handle(buffer)));
}

/// Elements of a vertex buffer that have all bytes of an attribute; all those of a stride of 0 are one.
std::uint64_t elements_of(const pipeline::VertexBuffer& buffer, std::uint32_t offset, std::uint32_t size) {
  const std::uint64_t needed = std::uint64_t{offset} + size, bytes = buffer.bytes.size();
  if (needed > bytes) return 0;
  return buffer.stride == 0 ? 1 : (bytes - needed) / buffer.stride + 1;
}

}  // namespace

void Executor::watch_indirect(std::span<const std::uint8_t> bytes, VkBuffer buffer) {
  if (!watch_) return;
  watch_->fetch(bytes, of_buffer(VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT, buffer),
                [] { return "the indirect command"; });
}

void Executor::watch_condition(std::span<const std::uint8_t> bytes, VkBuffer buffer) {
  if (!watch_) return;
  watch_->fetch(bytes,
                of_buffer(VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT,
                          VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT, buffer),
                [] { return "the condition of draws"; });
}

/// A step of the budget; draws of many vertices end by the clock.
bool Executor::may_go_on() {
  const std::uint64_t step = budget_->take(1);
  budget_->give_back(step);
  return step != 0 && !device_.lost;
}

/// `word`: what counts the elements, "vertex".
void Executor::watch_element(const pipeline::VertexDraw& what, const FetchedAttribute& a, std::uint64_t element,
                             const char* word) {
  const pipeline::VertexBuffer& buffer = what.buffers[a.binding];
  watch_->fetch(buffer.bytes.subspan(element * buffer.stride + a.offset, a.size),
                of_buffer(VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT, VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT,
                          bound_buffers_[a.binding]),
                [&] { return fmt::format("an attribute of {} {} in binding {}", word, element, a.binding); });
}

/// Attributes that advance without indices: the elements from one on, as far as the buffer has them.
void Executor::watch_elements(const pipeline::VertexDraw& what, const FetchedAttribute& a) {
  const pipeline::VertexBuffer& buffer = what.buffers[a.binding];
  std::uint64_t first = what.first_vertex, count = what.vertices;
  if (buffer.divisor) {
    first = what.first_instance;
    count = *buffer.divisor == 0 ? 1 : (what.instances - 1) / *buffer.divisor + 1;
  }
  if (buffer.stride == 0) first = 0;
  const std::uint64_t end = std::min(first + count, elements_of(buffer, a.offset, a.size));
  for (std::uint64_t k = first; k < end; ++k) {
    if ((k - first) % kPiece == 0 && !may_go_on()) return;
    watch_element(what, a, k, buffer.divisor ? "instance" : "vertex");
  }
}

/// Attributes of the vertices that the indices name; every instance names the same ones.
void Executor::watch_indexed(pipeline::VertexDraw what, std::span<const FetchedAttribute> attributes) {
  const std::uint64_t indices = what.indices->bytes.size() / what.indices->index_bytes;
  what.instances = 1;
  what.vertices = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(what.vertices, indices - std::min<std::uint64_t>(what.first_vertex, indices)));
  pipeline::VertexList list;
  list.begin(what);
  while (may_go_on() && list.next(what, kPiece, kPiece))
    for (const FetchedAttribute& a : attributes) {
      const pipeline::VertexBuffer& buffer = what.buffers[a.binding];
      const std::uint64_t elements = elements_of(buffer, a.offset, a.size);
      for (const pipeline::ShadedVertex& v : list.vertices()) {
        const std::uint64_t element = buffer.stride == 0 ? 0 : v.vertex;
        if (element < elements) watch_element(what, a, element, "vertex");
      }
    }
}

/// Indices and attributes, as far as buffers have them. What is beyond a submission's time is left out; the draw ends
/// by it.
void Executor::watch_inputs(const VertexPrograms& vertices, const pipeline::VertexDraw& what) {
  if (what.indices) {
    const std::uint64_t size = what.indices->index_bytes, all = what.indices->bytes.size();
    const std::uint64_t first = std::min(what.first_vertex * size, all);
    watch_->fetch(what.indices->bytes.subspan(first, std::min(what.vertices * size, all - first)),
                  of_buffer(VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT, VK_ACCESS_2_INDEX_READ_BIT, index_buffer_),
                  [] { return "an index of the draw"; });
  }
  std::set<FetchedAttribute> attributes;
  for (const pipeline::VertexFetch& f : vertices.program->plan().fetches)
    if (f.buffer < what.buffers.size())
      attributes.insert({f.buffer, f.offset, image::format_info(f.format)->bytes_per_element()});
  std::vector<FetchedAttribute> indexed;
  for (const FetchedAttribute& a : attributes) {
    if (what.indices && !what.buffers[a.binding].divisor)
      indexed.push_back(a);
    else
      watch_elements(what, a);
  }
  if (!indexed.empty()) watch_indexed(what, indexed);
}

}  // namespace heddle::vulkan
