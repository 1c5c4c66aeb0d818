// Draws: the vertex program makes a mesh, the fragment program runs over its pixels.

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "machine/report.hpp"
#include "vulkan/execution/executor.hpp"
#include "vulkan/execution/output_state.hpp"
#include "vulkan/objects/device.hpp"

namespace heddle::vulkan {
namespace {

std::optional<pipeline::Topology> topology_of(VkPrimitiveTopology topology) {
  switch (topology) {
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST:
      return pipeline::Topology::TriangleList;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
      return pipeline::Topology::TriangleStrip;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
      return pipeline::Topology::TriangleFan;
    default:
      return std::nullopt;
  }
}

/// What is in both, as x, y, width, height.
std::array<std::int32_t, 4> intersection(const VkRect2D& a, const VkRect2D& b) {
  const auto end = [](std::int32_t offset, std::uint32_t extent) { return std::int64_t{offset} + extent; };
  const std::int64_t left = std::max(a.offset.x, b.offset.x), top = std::max(a.offset.y, b.offset.y),
                     right = std::min(end(a.offset.x, a.extent.width), end(b.offset.x, b.extent.width)),
                     bottom = std::min(end(a.offset.y, a.extent.height), end(b.offset.y, b.extent.height));
  return {static_cast<std::int32_t>(left), static_cast<std::int32_t>(top),
          static_cast<std::int32_t>(std::clamp<std::int64_t>(right - left, 0, INT32_MAX)),
          static_cast<std::int32_t>(std::clamp<std::int64_t>(bottom - top, 0, INT32_MAX))};
}

}  // namespace

void Executor::set_raster_state(GraphicsPipeline& pipeline) const {
  pipeline::RasterState& raster = pipeline.draw.raster;
  raster.width = rendering_.width;
  raster.height = rendering_.height;
  const VkViewport& v = state_.viewports[0];
  raster.viewports[0] = {v.x, v.y, v.width, v.height, v.minDepth, v.maxDepth};
  raster.scissors[0] = intersection(state_.scissors[0], rendering_.area);
  raster.cull = state_.cull == VK_CULL_MODE_NONE        ? pipeline::Cull::None
                : state_.cull == VK_CULL_MODE_FRONT_BIT ? pipeline::Cull::Front
                                                        : pipeline::Cull::Back;
  raster.front_ccw = state_.front_face == VK_FRONT_FACE_COUNTER_CLOCKWISE;
}

/// Binds the attachments; the output merger's state stays the same resource while nothing of it changes.
void Executor::set_targets(GraphicsPipeline& pipeline, std::uint32_t layer) {
  machine::Bindings& bindings = pipeline.fragment.bound.bindings;
  for (const GraphicsPipeline::Fragment::Target& target : pipeline.fragment.targets) {
    ImageView* view = target.location < kMostColors ? rendering_.colors[target.location] : nullptr;
    machine::SurfaceResource to = view != nullptr ? view->layer(layer).color : nullptr;
    bindings.surfaces[target.index] = to ? to : null_surface_;
  }
  machine::PixelState state;
  state.output = output_state(pipeline, state_, rendering_);
  state.samples = pipeline.samples;
  if (rendering_.depth != nullptr) state.depth = rendering_.depth->layer(layer).depth.object();
  if (rendering_.stencil != nullptr) state.stencil = rendering_.stencil->layer(layer).stencil.object();
  const auto& last = pipeline.draw.state;
  if (last && last->output == state.output && last->samples == state.samples && last->depth == state.depth &&
      last->stencil == state.stencil)
    return;
  pipeline.draw.state = std::make_shared<machine::PixelState>(std::move(state));
}

void Executor::draw(pipeline::VertexDraw what) {
  if (graphics_.pipeline == nullptr || !rendering_.active || what.vertices == 0 || what.instances == 0) return;
  GraphicsPipeline& pipeline = *graphics_.pipeline->graphics;
  if (state_.cull == VK_CULL_MODE_FRONT_AND_BACK && state_.discard == VK_FALSE && !pipeline.fragment.program) return;
  const auto topology = topology_of(state_.topology);
  if (!topology) {
    device_.physical.instance.error("vulkan-command", "a draw of points or lines: the driver draws triangles only");
    return;
  }
  what.topology = *topology;
  draw_buffers_.assign(kMostVertexBindings, {});
  for (std::uint32_t i = 0; i < kMostVertexBindings; ++i) {
    draw_buffers_[i] = {.bytes = vertex_buffers_[i], .stride = state_.strides[i]};
    if (i < pipeline.divisors.size()) draw_buffers_[i].divisor = pipeline.divisors[i];
  }
  what.buffers = draw_buffers_;
  if (rendering_.view_mask == 0) return draw_view(pipeline, what, 0);
  for (std::uint32_t left = rendering_.view_mask; left != 0 && !device_.lost; left &= left - 1)
    draw_view(pipeline, what, static_cast<std::uint32_t>(std::countr_zero(left)));
}

void Executor::draw_view(GraphicsPipeline& pipeline, pipeline::VertexDraw& what, std::uint32_t view) {
  pipeline::Counters counters;
  const auto run = [&](const char* stage, Shader& shader, const pipeline::Program& program, const auto& work) {
    machine::Reports reports(program.source(), device_.checks ? machine::CheckMode::Warn : machine::CheckMode::Off, 64);
    pipeline::RunContext context = run_context(reports);
    const bool good = work(context);
    if (device_.checks) log_findings(stage, shader, graphics_, reports);
    const base::Diagnostics found = reports.take();
    if (!good) lose(std::string(stage) + " shader '" + shader.name + "'", found);
    return good;
  };
  GraphicsPipeline::Vertex& vertex = pipeline.vertex;
  bind_resources(vertex, graphics_);
  const bool drawn = run("vertex", vertex, vertex.program->program(), [&](pipeline::RunContext& context) {
    std::span<const pipeline::RecordComponent> from;
    if (pipeline.fragment.program) from = pipeline.fragment.program->plan().from_vertices;
    return vertex.program->run(what, vertex.bound, from, pipeline.draw.mesh, context, counters);
  });
  GraphicsPipeline::Fragment& fragment = pipeline.fragment;
  if (!drawn || !fragment.program || !vertex.positions || state_.discard == VK_TRUE ||
      state_.cull == VK_CULL_MODE_FRONT_AND_BACK)
    return;
  bind_resources(fragment, graphics_);
  set_raster_state(pipeline);
  set_targets(pipeline, view);
  (void)run("fragment", fragment, fragment.program->program(), [&](pipeline::RunContext& context) {
    return fragment.program->run(pipeline.draw, fragment.bound, context, counters);
  });
}

void Executor::run(const commands::Draw& c) {
  draw({.vertices = c.vertexCount,
        .instances = c.instanceCount,
        .first_vertex = c.firstVertex,
        .first_instance = c.firstInstance,
        .buffers = {}});
}

void Executor::run(const commands::DrawIndexed& c) {
  draw({.vertices = c.indexCount,
        .instances = c.instanceCount,
        .first_vertex = c.firstIndex,
        .first_instance = c.firstInstance,
        .vertex_offset = c.vertexOffset,
        .indices = pipeline::IndexBuffer{indices_, index_bytes_, state_.restart == VK_TRUE},
        .buffers = {}});
}

// --- indirect ---

void Executor::draw_indirect(const Command& c, VkBuffer buffer, VkDeviceSize offset, std::uint32_t count,
                             std::uint32_t stride, bool indexed) {
  for (std::uint32_t i = 0; i < count && !device_.lost; ++i) {
    const std::uint64_t at = offset + std::uint64_t{i} * stride;
    const std::size_t size = indexed ? sizeof(VkDrawIndexedIndirectCommand) : sizeof(VkDrawIndirectCommand);
    const std::span<std::uint8_t> bytes = from_handle(buffer)->range(at, size);
    if (bytes.size() != size) {
      device_.physical.instance.error("vulkan-command",
                                      std::string(command_name(c.type)) + ": a draw's numbers lie beyond the buffer");
      return;
    }
    pipeline::VertexDraw what;
    if (indexed) {
      VkDrawIndexedIndirectCommand d;
      std::memcpy(&d, bytes.data(), sizeof d);
      what = {.vertices = d.indexCount,
              .instances = d.instanceCount,
              .first_vertex = d.firstIndex,
              .first_instance = d.firstInstance,
              .vertex_offset = d.vertexOffset,
              .indices = pipeline::IndexBuffer{indices_, index_bytes_, state_.restart == VK_TRUE},
              .buffers = {}};
    } else {
      VkDrawIndirectCommand d;
      std::memcpy(&d, bytes.data(), sizeof d);
      what = {.vertices = d.vertexCount,
              .instances = d.instanceCount,
              .first_vertex = d.firstVertex,
              .first_instance = d.firstInstance,
              .buffers = {}};
    }
    what.draw = i;
    draw(what);
  }
}

std::uint32_t Executor::count_of(VkBuffer buffer, VkDeviceSize offset, std::uint32_t most) const {
  const std::span<std::uint8_t> bytes = from_handle(buffer)->range(offset, 4);
  std::uint32_t count = 0;
  if (bytes.size() == 4) std::memcpy(&count, bytes.data(), 4);
  return std::min(count, most);
}

void Executor::run(const commands::DrawIndirect& c) {
  draw_indirect(c, c.buffer, c.offset, c.drawCount, c.stride, false);
}
void Executor::run(const commands::DrawIndexedIndirect& c) {
  draw_indirect(c, c.buffer, c.offset, c.drawCount, c.stride, true);
}
void Executor::run(const commands::DrawIndirectCount& c) {
  draw_indirect(c, c.buffer, c.offset, count_of(c.countBuffer, c.countBufferOffset, c.maxDrawCount), c.stride, false);
}
void Executor::run(const commands::DrawIndexedIndirectCount& c) {
  draw_indirect(c, c.buffer, c.offset, count_of(c.countBuffer, c.countBufferOffset, c.maxDrawCount), c.stride, true);
}

}  // namespace heddle::vulkan
