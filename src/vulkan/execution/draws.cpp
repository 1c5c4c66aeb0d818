// Draws: the vertex program makes a mesh, the fragment program runs over its pixels.

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <span>

#include "machine/report.hpp"
#include "vulkan/capture/capture.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/execution/executor.hpp"
#include "vulkan/execution/output_state.hpp"
#include "vulkan/objects/sync/query_pool.hpp"
#include "vulkan/pipelines/graphics_stages.hpp"

namespace heddle::vulkan {
namespace {

pipeline::Topology topology_of(VkPrimitiveTopology topology) {
  using pipeline::Topology;
  switch (topology) {
    case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
      return Topology::PointList;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
      return Topology::LineList;
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
      return Topology::LineStrip;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
      return Topology::TriangleStrip;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
      return Topology::TriangleFan;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
      return Topology::LineListAdjacency;
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
      return Topology::LineStripAdjacency;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY:
      return Topology::TriangleListAdjacency;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY:
      return Topology::TriangleStripAdjacency;
    default:
      return Topology::TriangleList;
  }
}

pipeline::Cull cull_of(VkCullModeFlags cull) {
  switch (cull) {
    case VK_CULL_MODE_FRONT_BIT:
      return pipeline::Cull::Front;
    case VK_CULL_MODE_BACK_BIT:
      return pipeline::Cull::Back;
    case VK_CULL_MODE_FRONT_AND_BACK:
      return pipeline::Cull::FrontAndBack;
    default:
      return pipeline::Cull::None;
  }
}

pipeline::Conservative conservative_of(VkConservativeRasterizationModeEXT mode) {
  switch (mode) {
    case VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT:
      return pipeline::Conservative::Over;
    case VK_CONSERVATIVE_RASTERIZATION_MODE_UNDERESTIMATE_EXT:
      return pipeline::Conservative::Under;
    default:
      return pipeline::Conservative::Off;
  }
}

pipeline::LineMode line_mode_of(VkLineRasterizationModeEXT mode) {
  switch (mode) {
    case VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT:
      return pipeline::LineMode::Bresenham;
    case VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT:
      return pipeline::LineMode::Smooth;
    default:
      return pipeline::LineMode::Rectangular;
  }
}

/// Bits of a fixed-point depth; 0: it is binary32, or there is none.
unsigned depth_bits(const ImageView* depth) {
  if (depth == nullptr || !depth->attachment.depth) return 0;
  const image::FormatInfo& format = depth->attachment.depth->info();
  return format.channels[0].type == image::ChannelType::Float ? 0 : format.channels[0].bits;
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

void Executor::set_raster_state(GraphicsPipeline& pipeline, std::uint32_t view) const {
  pipeline::RasterState& raster = pipeline.draw.raster;
  raster.width = rendering_.width;
  raster.height = rendering_.height;
  raster.viewport_count = std::max(1u, state_.viewport_count);
  for (std::uint32_t i = 0; i < raster.viewport_count; ++i) {
    const VkViewport& v = state_.viewports[i];
    raster.viewports[i] = {v.x, v.y, v.width, v.height, v.minDepth, v.maxDepth};
    raster.scissors[i] = intersection(state_.scissors[i], rendering_.area);
  }
  raster.view = raster.layer = view;
  raster.layers = std::max(rendering_.layers, view + 1);
  raster.sample_mask = state_.sample_mask;
  raster.depth_clip = state_.depth_clip.value_or(state_.depth_clamp == VK_FALSE);
  raster.negative_one_to_one = state_.negative_one_to_one == VK_TRUE;
  raster.polygon_mode = state_.polygon_mode == VK_POLYGON_MODE_LINE    ? pipeline::PolygonMode::Line
                        : state_.polygon_mode == VK_POLYGON_MODE_POINT ? pipeline::PolygonMode::Point
                                                                       : pipeline::PolygonMode::Fill;
  raster.conservative = conservative_of(state_.conservative);
  raster.cull = cull_of(state_.cull);
  raster.front_ccw = state_.front_face == VK_FRONT_FACE_COUNTER_CLOCKWISE;
  raster.depth_bias.reset();
  if (state_.depth_bias == VK_TRUE)
    raster.depth_bias = {state_.bias_constant, state_.bias_slope, state_.bias_clamp, depth_bits(rendering_.depth)};
  raster.line_mode = line_mode_of(state_.line_mode);
  raster.line_width = state_.line_width;
  raster.line_stipple.reset();
  if (state_.stipple == VK_TRUE) raster.line_stipple = {std::max(1u, state_.stipple_factor), state_.stipple_pattern};
}

/// Binds the attachments; the output merger's state stays the same resource while nothing of it changes.
void Executor::set_targets(GraphicsPipeline& pipeline) {
  machine::Bindings& bindings = pipeline.stages[ShaderStage::Fragment].bound.bindings;
  for (const PixelPrograms::Target& target : pipeline.pixels.targets) {
    const ImageView* view = target.location < kMaxColors ? rendering_.colors[target.location] : nullptr;
    bindings.surfaces[target.index] =
        view != nullptr && view->attachment.color ? view->attachment.color : null_surface_;
  }
  machine::PixelState state;
  state.output = output_state(pipeline, state_, rendering_);
  state.samples = state_.samples;
  if (rendering_.depth != nullptr) state.depth = rendering_.depth->attachment.depth.object();
  if (rendering_.stencil != nullptr) state.stencil = rendering_.stencil->attachment.stencil.object();
  const auto& last = pipeline.draw.state;
  if (last && last->output == state.output && last->samples == state.samples && last->depth == state.depth &&
      last->stencil == state.stencil)
    return;
  pipeline.draw.state = std::make_shared<machine::PixelState>(std::move(state));
}

void Executor::draw(pipeline::VertexDraw what) {
  if (skips_ || graphics_.pipeline == nullptr || !rendering_.active || what.vertices == 0 || what.instances == 0)
    return;
  GraphicsPipeline& pipeline = *graphics_.pipeline->graphics;
  what.topology = topology_of(state_.topology);
  what.provoking_last = state_.provoking == VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT;
  what.with_points = state_.polygon_mode == VK_POLYGON_MODE_POINT;
  if (pipeline.dynamic_input) set_vertex_input(device_, input_.attributes, pipeline);
  if (pipeline.dynamic_samples && pipeline.stages[ShaderStage::Fragment].loaded) set_samples(device_, state_, pipeline);
  if (prepared_ != &pipeline) set_buffers((pipeline.dynamic_input ? input_ : pipeline.input).divisors);
  what.buffers = draw_buffers_;
  if (watch_) {
    watch_inputs(pipeline.vertices, what);
    watch_drawn();
  }
  if (rendering_.view_mask == 0) return draw_view(pipeline, what, 0);
  for (std::uint32_t left = rendering_.view_mask; left != 0 && !device_.lost; left &= left - 1)
    draw_view(pipeline, what, static_cast<std::uint32_t>(std::countr_zero(left)));
}

void Executor::set_buffers(const std::vector<std::optional<std::uint32_t>>& divisors) {
  draw_buffers_.assign(kMaxVertexBindings, {});
  for (std::uint32_t i = 0; i < kMaxVertexBindings; ++i) {
    draw_buffers_[i] = {.bytes = vertex_buffers_[i], .stride = state_.strides[i]};
    if (i < divisors.size()) draw_buffers_[i].divisor = divisors[i];
  }
}

void Executor::draw_view(GraphicsPipeline& pipeline, pipeline::VertexDraw& what, std::uint32_t view) {
  GraphicsStage& vertex = pipeline.stages[ShaderStage::Vertex];
  GraphicsStage& fragment = pipeline.stages[ShaderStage::Fragment];
  const pipeline::VertexProgram& program = *pipeline.vertices.program;
  const bool rasterized = pipeline.pixels.program && pipeline.vertices.positions && state_.discard == VK_FALSE;
  bind_resources(vertex, graphics_);
  std::span<const pipeline::RecordComponent> from;
  if (rasterized) {
    from = pipeline.pixels.program->plan().from_vertices;
    bind_resources(fragment, graphics_);
    if (prepared_ != &pipeline || rendering_.view_mask != 0) {
      set_raster_state(pipeline, view);
      set_targets(pipeline);
    }
  }
  prepared_ = &pipeline;
  what.view = view;
  if (device_.capture) capture(pipeline, what, rasterized);
  pipeline::Counters counters;
  machine::Reports reports(program.program().source(),
                           device_.checks ? machine::CheckMode::Warn : machine::CheckMode::Off, 64);
  pipeline::RunContext context = run_context(reports);
  const auto watch_vertices = [&] { watch_stage(VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, "vertex", vertex, graphics_); };
  watch_vertices();
  std::uint64_t drawn = 0;  // vertices
  const auto how_far = [&] {
    return std::to_string(drawn) + " of " + std::to_string(std::uint64_t{what.vertices} * what.instances) +
           " vertices are drawn";
  };
  const bool good = program.run_pieces(what, vertex.bound, from, pipeline.draw.mesh, context, counters, [&] {
    if (rasterized && !draw_pixels(pipeline, counters, how_far)) return false;
    drawn = counters.input_vertices;
    watch_vertices();
    return true;
  });
  if (watch_) watch_->end_stage();
  if (device_.checks) log_findings("vertex", vertex, graphics_, reports);
  print_messages("vertex", vertex);
  print_messages("fragment", fragment);
  const base::Diagnostics found = reports.take();
  if (!good && !device_.lost) lose(words_of("vertex", vertex, graphics_), how_far(), found);
  count(counters);
}

void Executor::capture(const GraphicsPipeline& pipeline, const pipeline::VertexDraw& what, bool rasterized) {
  const std::string why = rasterized ? capture_draw(*device_.capture, pipeline, what)
                                     : "a draw of '" + pipeline.stages[ShaderStage::Vertex].name +
                                           "' is not written: job files have no draws without pixels";
  if (!why.empty()) device_.physical.instance.error("vulkan-capture", why);
}

/// The pixels of a piece of the vertices.
bool Executor::draw_pixels(GraphicsPipeline& pipeline, pipeline::Counters& counters,
                           const std::function<std::string()>& how_far) {
  GraphicsStage& fragment = pipeline.stages[ShaderStage::Fragment];
  const pipeline::PixelProgram& program = *pipeline.pixels.program;
  watch_stage(VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, "fragment", fragment, graphics_);
  machine::Reports reports(program.program().source(),
                           device_.checks ? machine::CheckMode::Warn : machine::CheckMode::Off, 64);
  pipeline::RunContext context = run_context(reports);
  context.count_samples =
      std::ranges::any_of(active_, [](const Active& a) { return a.pool->type == VK_QUERY_TYPE_OCCLUSION; });
  context.may_skip = !device_.checks && std::ranges::none_of(active_, [](const Active& a) {
    return a.pool->type == VK_QUERY_TYPE_PIPELINE_STATISTICS;
  });
  pipeline.draw.tiles = &tiles_;
  const bool good = program.run(pipeline.draw, fragment.bound, context, counters);
  if (device_.checks) log_findings("fragment", fragment, graphics_, reports);
  const base::Diagnostics found = reports.take();
  if (!good)
    lose(words_of("fragment", fragment, graphics_),
         std::to_string(counters.fragment_invocations) + " fragments have begun, " + how_far(), found);
  return good;
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

void Executor::run(const commands::DrawMultiEXT& c) {
  for (std::uint32_t i = 0; i < c.drawCount && !device_.lost; ++i)
    draw({.vertices = c.pVertexInfo[i].vertexCount,
          .instances = c.instanceCount,
          .first_vertex = c.pVertexInfo[i].firstVertex,
          .first_instance = c.firstInstance,
          .draw = i,
          .buffers = {}});
}

void Executor::run(const commands::DrawMultiIndexedEXT& c) {
  for (std::uint32_t i = 0; i < c.drawCount && !device_.lost; ++i) {
    const VkMultiDrawIndexedInfoEXT& info = c.pIndexInfo[i];
    draw({.vertices = info.indexCount,
          .instances = c.instanceCount,
          .first_vertex = info.firstIndex,
          .first_instance = c.firstInstance,
          .draw = i,
          .vertex_offset = c.pVertexOffset != nullptr ? *c.pVertexOffset : info.vertexOffset,
          .indices = pipeline::IndexBuffer{indices_, index_bytes_, state_.restart == VK_TRUE},
          .buffers = {}});
  }
}

void Executor::run(const commands::BeginConditionalRenderingEXT& c) {
  const VkConditionalRenderingBeginInfoEXT& info = *c.pConditionalRenderingBegin;
  const std::span<std::uint8_t> bytes = from_handle(info.buffer)->range(info.offset, 4);
  watch_condition(bytes, c.pConditionalRenderingBegin->buffer);
  std::uint32_t value = 0;
  if (bytes.size() == 4) std::memcpy(&value, bytes.data(), 4);
  const bool inverted = (info.flags & VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT) != 0;
  skips_ = (value == 0) != inverted;
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
    watch_indirect(bytes, buffer);
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

std::uint32_t Executor::count_of(VkBuffer buffer, VkDeviceSize offset, std::uint32_t most) {
  const std::span<std::uint8_t> bytes = from_handle(buffer)->range(offset, 4);
  watch_indirect(bytes, buffer);
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
