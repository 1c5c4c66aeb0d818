// SPDX-License-Identifier: MIT
#include "vulkan/execution/dispatches.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include "pipeline/compute/compute.hpp"
#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/execution/queries.hpp"
#include "vulkan/execution/shader_runs.hpp"
#include "vulkan/generated/commands.hpp"
#include "vulkan/objects/memory/buffer.hpp"
#include "vulkan/pipelines/stage_table.hpp"

namespace heddle::vulkan {

void Dispatches::dispatch(std::array<std::uint32_t, 3> groups, std::array<std::uint32_t, 3> base) {
  const BindPoint& point = context_.compute;
  if (context_.skips || point.pipeline == nullptr || groups[0] == 0 || groups[1] == 0 || groups[2] == 0) return;
  Pipeline& pipeline = *point.pipeline;
  shaders_.bind(ShaderStage::Compute, pipeline, point);
  pipeline::Grid grid;
  grid.dimensions = 3;
  grid.local = pipeline.local;
  grid.groups = groups;
  grid.base = base;
  for (std::size_t d = 0; d < 3; ++d)
    grid.global[d] =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{groups[d]} * pipeline.local[d], UINT32_MAX));
  if (context_.hooks.before_dispatch) context_.hooks.before_dispatch(pipeline, grid);

  machine::Reports reports = shaders_.reports(pipeline.program->program().source());
  pipeline::RunContext run = shaders_.run_context(reports);
  std::unique_ptr<machine::Observer> tracer;
  if (context_.hooks.trace_dispatch) tracer = context_.hooks.trace_dispatch(pipeline, grid);
  run.observer = tracer.get();
  ShaderObserver* const observer = context_.observers.shaders.get();
  if (observer != nullptr) observer->begin_stage(ShaderStage::Compute, pipeline, point);
  pipeline::Counters counters;
  const bool good = pipeline.program->run(grid, pipeline.bound, run, counters);
  if (observer != nullptr) {
    observer->end_stage();
    observer->report(ShaderStage::Compute, pipeline, point, reports);
  }
  shaders_.print_messages(ShaderStage::Compute, pipeline);
  const base::Diagnostics found = reports.take();
  if (!good)
    shaders_.lose(words_of(context_.device, ShaderStage::Compute, pipeline, point),
                  std::to_string(counters.groups) + " of " + std::to_string(grid.group_count()) + " groups are done",
                  found);
  queries_.count_dispatch(counters, std::uint64_t{groups[0]} * groups[1] * groups[2] * pipeline.local[0] *
                                        pipeline.local[1] * pipeline.local[2]);
}

void Dispatches::run(const commands::Dispatch& c) { dispatch({c.groupCountX, c.groupCountY, c.groupCountZ}); }
void Dispatches::run(const commands::DispatchBase& c) {
  dispatch({c.groupCountX, c.groupCountY, c.groupCountZ}, {c.baseGroupX, c.baseGroupY, c.baseGroupZ});
}
void Dispatches::run(const commands::DispatchIndirect& c) {
  const Buffer& buffer = *from_handle(c.buffer);
  const std::span<std::uint8_t> words = buffer.range(c.offset, sizeof(VkDispatchIndirectCommand));
  if (words.empty()) return;
  if (context_.observers.inputs) context_.observers.inputs->fetch_indirect(buffer, words);
  VkDispatchIndirectCommand groups;
  std::memcpy(&groups, words.data(), sizeof groups);
  dispatch({groups.x, groups.y, groups.z});
}

}  // namespace heddle::vulkan
