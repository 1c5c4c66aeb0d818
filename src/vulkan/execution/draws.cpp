// SPDX-License-Identifier: MIT
#include "vulkan/execution/draws.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <type_traits>

#include "machine/report.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/execution/fixed_function/output_state.hpp"
#include "vulkan/execution/fixed_function/raster_state.hpp"
#include "vulkan/execution/queries.hpp"
#include "vulkan/execution/shader_runs.hpp"
#include "vulkan/execution/view_draw.hpp"
#include "vulkan/generated/commands.hpp"
#include "vulkan/objects/images/image_view.hpp"
#include "vulkan/objects/memory/buffer.hpp"
#include "vulkan/pipelines/graphics_stages.hpp"

namespace heddle::vulkan {
namespace {

constexpr std::size_t kMaxJoined = 65536;  ///< draws that run together

pipeline::VertexRange range_of(const commands::Draw& c) { return {c.firstVertex, c.vertexCount, 0}; }
pipeline::VertexRange range_of(const commands::DrawIndexed& c) { return {c.firstIndex, c.indexCount, c.vertexOffset}; }

/// Whether invocations of two draws in one thread might tell: they see each other, or read and write memory. Each
/// chooses its own descriptors, whatever the others' are (spirv/compile/core/descriptors.cpp).
bool sees_draws(const GraphicsStage& stage) {
  using shader_interface::ResourceKind;
  if (!stage.loaded) return false;
  const auto shared = [](const Shader::Slot& slot) {
    switch (slot.kind) {
      case ResourceKind::StorageImage:
      case ResourceKind::StorageTexelBuffer:
      case ResourceKind::StorageBuffer:
      case ResourceKind::StorageSamples:
      case ResourceKind::InputAttachment:
      case ResourceKind::Messages:
        return true;
      default:
        return false;
    }
  };
  return stage.messages != nullptr || std::ranges::any_of(stage.surfaces, shared);
}

/// Whether a vertex shader reads what differs from draw to draw, beside its vertices.
bool reads_draw(const shader_interface::ShaderInterface& interface) {
  using pipeline::SystemValue;
  return interface.sees_lanes || std::ranges::any_of(interface.values, [](const shader_interface::ValueLine& v) {
           return v.value == SystemValue::BaseVertex || v.value == SystemValue::BaseInstance ||
                  v.value == SystemValue::Draw;
         });
}

}  // namespace

/// The output merger's state stays the same resource while nothing of it changes.
void Draws::set_targets(GraphicsPipeline& pipeline) const {
  machine::Bindings& bindings = pipeline.stages[ShaderStage::Fragment].bound.bindings;
  for (const PixelPrograms::Target& target : pipeline.pixels.targets) {
    const ImageView* view = target.location < kMaxColors ? context_.rendering.colors[target.location] : nullptr;
    bindings.surfaces[target.index] =
        view != nullptr && view->attachment.color ? view->attachment.color : shaders_.null_surface();
  }
  pipeline.draw.raster.rates = shading_rates_of(pipeline, context_.state, context_.rendering);
  machine::PixelState state;
  state.shading_rates = pipeline.draw.raster.rates != nullptr;
  state.output = output_state(pipeline, context_.state, context_.rendering,
                              {context_.device.clamps_depths, context_.device.clamps_float_depths});
  state.samples = context_.state.samples;
  if (context_.rendering.depth != nullptr) state.depth = context_.rendering.depth->attachment.depth.object();
  if (context_.rendering.stencil != nullptr) state.stencil = context_.rendering.stencil->attachment.stencil.object();
  const auto& last = pipeline.draw.state;
  if (last && last->output == state.output && last->samples == state.samples && last->depth == state.depth &&
      last->stencil == state.stencil && last->shading_rates == state.shading_rates)
    return;
  pipeline.draw.state = std::make_shared<machine::PixelState>(std::move(state));
}

/// Shader objects are linked by what is bound; the first stage says whether there is anything.
Pipeline* Draws::bound_pipeline() const {
  BindPoint& point = context_.graphics;
  if (point.pipeline == nullptr &&
      (point.shaders[ShaderStage::Vertex] != nullptr || point.shaders[ShaderStage::Mesh] != nullptr))
    point.pipeline = context_.device.shader_links->find(context_.device, point.shaders);
  return point.pipeline;
}

GraphicsPipeline* Draws::begin(bool groups, pipeline::VertexDraw& what) {
  if (context_.skips || !context_.rendering.active || bound_pipeline() == nullptr) return nullptr;
  GraphicsPipeline& pipeline = *context_.graphics.pipeline->graphics;
  if (groups != (pipeline.mesh != nullptr)) {
    context_.error(groups ? "vkCmdDrawMeshTasks...: the pipeline that is bound has no mesh shader"
                          : "vkCmdDraw...: the pipeline that is bound has a mesh shader, which draws no vertices");
    return nullptr;
  }
  if (groups && context_.feedback.active) {
    context_.error("vkCmdDrawMeshTasks...: transform feedback is active, which captures vertices of other stages");
    return nullptr;
  }
  what.provoking_last = context_.state.provoking == VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT;
  what.with_points = context_.state.polygon_mode == VK_POLYGON_MODE_POINT;
  if (pipeline.dynamic_samples && pipeline.stages[ShaderStage::Fragment].loaded)
    set_samples(context_.device, context_.state, pipeline);
  return &pipeline;
}

void Draws::draw(pipeline::VertexDraw what) {
  if (what.all_vertices() == 0) return;
  GraphicsPipeline* const found = begin(false, what);
  if (found == nullptr) return;
  GraphicsPipeline& pipeline = *found;
  what.topology = topology_of(context_.state.topology);
  what.whole = pipeline.geometry != nullptr || pipeline.control != nullptr;
  what.patch_vertices = std::clamp(context_.state.patch_vertices, 1u, pipeline::kMaxPatchVertices);
  if (pipeline.dynamic_input) set_vertex_input(context_.device, context_.input.attributes, pipeline);
  if (context_.prepared != &pipeline) set_buffers((pipeline.dynamic_input ? context_.input : pipeline.input).divisors);
  what.buffers = buffers_;
  if (context_.observers.inputs) context_.observers.inputs->fetch_vertices(pipeline, what);
  draw_views(pipeline, what, std::nullopt);
}

void Draws::draw_groups(const pipeline::GroupCount& groups, std::uint32_t number) {
  if (std::min({groups[0], groups[1], groups[2]}) == 0) return;
  pipeline::VertexDraw what;
  what.draw = number;
  if (GraphicsPipeline* const pipeline = begin(true, what)) draw_views(*pipeline, what, groups);
}

void Draws::draw_views(GraphicsPipeline& pipeline, pipeline::VertexDraw& what,
                       const std::optional<pipeline::GroupCount>& groups) {
  if (context_.observers.passes) context_.observers.passes->draw();
  if (context_.rendering.view_mask == 0) return draw_view(pipeline, what, groups, 0);
  for (std::uint32_t left = context_.rendering.view_mask; left != 0 && !context_.device.lost; left &= left - 1)
    draw_view(pipeline, what, groups, static_cast<std::uint32_t>(std::countr_zero(left)));
}

pipeline::IndexBuffer Draws::indices() const {
  return {context_.buffers.indices, context_.buffers.index_bytes, context_.state.restart == VK_TRUE};
}

void Draws::set_buffers(const std::vector<std::optional<std::uint32_t>>& divisors) {
  buffers_.assign(kMaxVertexBindings, {});
  for (std::uint32_t i = 0; i < kMaxVertexBindings; ++i) {
    buffers_[i] = {.bytes = context_.buffers.vertices[i], .stride = context_.state.strides[i]};
    if (i < divisors.size()) buffers_[i].divisor = divisors[i];
  }
}

void Draws::draw_view(GraphicsPipeline& pipeline, pipeline::VertexDraw& what,
                      const std::optional<pipeline::GroupCount>& groups, std::uint32_t view) {
  const bool rasterized = pipeline.pixels.program && pipeline.records && context_.state.discard == VK_FALSE;
  for (const StageRow& row : kStageRows)
    if (row.part == kVertexPart && pipeline.stages[row.stage].loaded)
      shaders_.bind(row.stage, pipeline.stages[row.stage], context_.graphics);
  if (rasterized) {
    shaders_.bind(ShaderStage::Fragment, pipeline.stages[ShaderStage::Fragment], context_.graphics);
    if (context_.prepared != &pipeline || context_.rendering.view_mask != 0) {
      set_raster_state(context_.state, context_.rendering, view, pipeline.draw.raster);
      set_targets(pipeline);
    }
  }
  context_.prepared = &pipeline;
  what.view = view;
  if (context_.hooks.before_draw) context_.hooks.before_draw(pipeline, {what, groups, rasterized});
  ViewDraw(context_, shaders_, queries_, pipeline, what, groups, rasterized).run();
}

/// Nobody looks at single draws, and shaders can't tell them apart. Fragments of several draws share a thread only
/// where those of several primitives do (FBO-9).
bool Draws::may_join() const {
  if (context_.observers.shaders || context_.hooks.before_draw || context_.feedback.active ||
      context_.rendering.view_mask != 0 || context_.skips || context_.only_transfers)
    return false;
  const Pipeline* const bound = bound_pipeline();
  if (bound == nullptr) return false;
  const GraphicsPipeline& pipeline = *bound->graphics;
  const GraphicsStage& vertex = pipeline.stages[ShaderStage::Vertex];
  return vertex.loaded && !pipeline.control && !pipeline.geometry && pipeline.ordered == 0 && !sees_draws(vertex) &&
         !sees_draws(pipeline.stages[ShaderStage::Fragment]) && !reads_draw(vertex.loaded->interface);
}

template <typename C>
const Command* Draws::join(const C& first) {
  ranges_.clear();
  const Command* last = nullptr;
  for (const Command* c = first.next; c != nullptr && c->type == first.type && ranges_.size() < kMaxJoined;
       c = c->next) {
    const C& other = static_cast<const C&>(*c);
    if (first.instanceCount != 1 || other.instanceCount != 1 || other.firstInstance != first.firstInstance) break;
    if (last == nullptr && !may_join()) return nullptr;
    ranges_.push_back(range_of(other));
    last = c;
  }
  if (last == nullptr) return nullptr;
  const pipeline::VertexRange own = range_of(first);
  pipeline::VertexDraw what{.vertices = own.vertices,
                            .first_vertex = own.first_vertex,
                            .first_instance = first.firstInstance,
                            .vertex_offset = own.vertex_offset,
                            .buffers = {},
                            .others = ranges_};
  if constexpr (std::is_same_v<C, commands::DrawIndexed>) what.indices = indices();
  draw(what);
  return last;
}

const Command* Draws::run_together(const Command& first) {
  if (first.next == nullptr || first.next->type != first.type) return nullptr;
  if (first.type == CommandType::Draw) return join(static_cast<const commands::Draw&>(first));
  if (first.type == CommandType::DrawIndexed) return join(static_cast<const commands::DrawIndexed&>(first));
  return nullptr;
}

void Draws::run(const commands::Draw& c) {
  draw({.vertices = c.vertexCount,
        .instances = c.instanceCount,
        .first_vertex = c.firstVertex,
        .first_instance = c.firstInstance,
        .buffers = {}});
}

void Draws::run(const commands::DrawIndexed& c) {
  draw({.vertices = c.indexCount,
        .instances = c.instanceCount,
        .first_vertex = c.firstIndex,
        .first_instance = c.firstInstance,
        .vertex_offset = c.vertexOffset,
        .indices = indices(),
        .buffers = {}});
}

void Draws::run(const commands::DrawMultiEXT& c) {
  if (c.drawCount > 1 && c.instanceCount == 1 && may_join()) {
    ranges_.clear();
    for (const VkMultiDrawInfoEXT& info : std::span(c.pVertexInfo, c.drawCount))
      ranges_.push_back({info.firstVertex, info.vertexCount, 0});
    return draw({.first_instance = c.firstInstance, .buffers = {}, .others = ranges_});
  }
  for (std::uint32_t i = 0; i < c.drawCount && !context_.device.lost; ++i)
    draw({.vertices = c.pVertexInfo[i].vertexCount,
          .instances = c.instanceCount,
          .first_vertex = c.pVertexInfo[i].firstVertex,
          .first_instance = c.firstInstance,
          .draw = i,
          .buffers = {}});
}

void Draws::run(const commands::DrawMultiIndexedEXT& c) {
  if (c.drawCount > 1 && c.instanceCount == 1 && may_join()) {
    ranges_.clear();
    for (const VkMultiDrawIndexedInfoEXT& info : std::span(c.pIndexInfo, c.drawCount))
      ranges_.push_back(
          {info.firstIndex, info.indexCount, c.pVertexOffset != nullptr ? *c.pVertexOffset : info.vertexOffset});
    return draw({.first_instance = c.firstInstance, .indices = indices(), .buffers = {}, .others = ranges_});
  }
  for (std::uint32_t i = 0; i < c.drawCount && !context_.device.lost; ++i) {
    const VkMultiDrawIndexedInfoEXT& info = c.pIndexInfo[i];
    draw({.vertices = info.indexCount,
          .instances = c.instanceCount,
          .first_vertex = info.firstIndex,
          .first_instance = c.firstInstance,
          .draw = i,
          .vertex_offset = c.pVertexOffset != nullptr ? *c.pVertexOffset : info.vertexOffset,
          .indices = indices(),
          .buffers = {}});
  }
}

// --- indirect ---

void Draws::draw_indirect(const Command& c, VkBuffer buffer, VkDeviceSize offset, std::uint32_t count,
                          std::uint32_t stride, bool indexed) {
  for (std::uint32_t i = 0; i < count && !context_.device.lost; ++i) {
    const std::uint64_t at = offset + std::uint64_t{i} * stride;
    const std::size_t size = indexed ? sizeof(VkDrawIndexedIndirectCommand) : sizeof(VkDrawIndirectCommand);
    const std::span<std::uint8_t> bytes = from_handle(buffer)->range(at, size);
    if (bytes.size() != size) {
      context_.error(std::string(command_name(c.type)) + ": a draw's numbers lie beyond the buffer");
      return;
    }
    if (context_.observers.inputs) context_.observers.inputs->fetch_indirect(*from_handle(buffer), bytes);
    pipeline::VertexDraw what;
    if (indexed) {
      VkDrawIndexedIndirectCommand d;
      std::memcpy(&d, bytes.data(), sizeof d);
      what = {.vertices = d.indexCount,
              .instances = d.instanceCount,
              .first_vertex = d.firstIndex,
              .first_instance = d.firstInstance,
              .vertex_offset = d.vertexOffset,
              .indices = indices(),
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

std::uint32_t Draws::count_of(VkBuffer buffer, VkDeviceSize offset, std::uint32_t most) const {
  const std::span<std::uint8_t> bytes = from_handle(buffer)->range(offset, 4);
  if (context_.observers.inputs) context_.observers.inputs->fetch_indirect(*from_handle(buffer), bytes);
  std::uint32_t count = 0;
  if (bytes.size() == 4) std::memcpy(&count, bytes.data(), 4);
  return std::min(count, most);
}

void Draws::run(const commands::DrawIndirect& c) { draw_indirect(c, c.buffer, c.offset, c.drawCount, c.stride, false); }
void Draws::run(const commands::DrawIndexedIndirect& c) {
  draw_indirect(c, c.buffer, c.offset, c.drawCount, c.stride, true);
}
void Draws::run(const commands::DrawIndirectCount& c) {
  draw_indirect(c, c.buffer, c.offset, count_of(c.countBuffer, c.countBufferOffset, c.maxDrawCount), c.stride, false);
}
void Draws::run(const commands::DrawIndexedIndirectCount& c) {
  draw_indirect(c, c.buffer, c.offset, count_of(c.countBuffer, c.countBufferOffset, c.maxDrawCount), c.stride, true);
}

/// As many vertices as transform feedback wrote.
void Draws::run(const commands::DrawIndirectByteCountEXT& c) {
  const std::span<std::uint8_t> bytes = from_handle(c.counterBuffer)->range(c.counterBufferOffset, 4);
  if (context_.observers.inputs) context_.observers.inputs->fetch_counter(*from_handle(c.counterBuffer), bytes, true);
  std::uint32_t counter = 0;
  if (bytes.size() == 4) std::memcpy(&counter, bytes.data(), 4);
  if (counter < c.counterOffset || c.vertexStride == 0) return;
  draw({.vertices = (counter - c.counterOffset) / c.vertexStride,
        .instances = c.instanceCount,
        .first_instance = c.firstInstance,
        .buffers = {}});
}

// --- groups of task and mesh shaders ---

void Draws::draw_groups_indirect(const Command& c, VkBuffer buffer, VkDeviceSize offset, std::uint32_t count,
                                 std::uint32_t stride) {
  for (std::uint32_t i = 0; i < count && !context_.device.lost; ++i) {
    VkDrawMeshTasksIndirectCommandEXT groups;
    const std::span<std::uint8_t> bytes = from_handle(buffer)->range(offset + std::uint64_t{i} * stride, sizeof groups);
    if (bytes.size() != sizeof groups) {
      context_.error(std::string(command_name(c.type)) + ": a draw's numbers lie beyond the buffer");
      return;
    }
    if (context_.observers.inputs) context_.observers.inputs->fetch_indirect(*from_handle(buffer), bytes);
    std::memcpy(&groups, bytes.data(), sizeof groups);
    draw_groups({groups.groupCountX, groups.groupCountY, groups.groupCountZ}, i);
  }
}

void Draws::run(const commands::DrawMeshTasksEXT& c) { draw_groups({c.groupCountX, c.groupCountY, c.groupCountZ}, 0); }
void Draws::run(const commands::DrawMeshTasksIndirectEXT& c) {
  draw_groups_indirect(c, c.buffer, c.offset, c.drawCount, c.stride);
}
void Draws::run(const commands::DrawMeshTasksIndirectCountEXT& c) {
  draw_groups_indirect(c, c.buffer, c.offset, count_of(c.countBuffer, c.countBufferOffset, c.maxDrawCount), c.stride);
}

}  // namespace heddle::vulkan
