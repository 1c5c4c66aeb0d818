// SPDX-License-Identifier: MIT
// Draws of task and mesh groups.
// Rules: MSH-2, MSH-7, MSH-8.
#include <string>

#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/execution/shader_runs.hpp"
#include "vulkan/execution/view_draw.hpp"

namespace heddle::vulkan {

/// The first stage of the draw runs in `run`.
bool ViewDraw::run_tasks(pipeline::RunContext& run) {
  const pipeline::GroupDraw draw{what_.draw, what_.view};
  if (!pipeline_.task) return run_mesh({.tasks = std::span(&*groups_, 1), .draw = draw}, run);
  return pipeline_.task->run(*groups_, draw, pipeline_.stages[ShaderStage::Task].bound, run, counters_,
                             [&](const pipeline::TaskStream& tasks) {
                               const bool drawn = run_mesh(tasks);
                               begin_stage(ShaderStage::Task);
                               return drawn;
                             });
}

/// Behind a task stage.
bool ViewDraw::run_mesh(const pipeline::TaskStream& tasks) {
  machine::Reports reports = shaders_.reports(pipeline_.mesh->program().source());
  pipeline::RunContext run = shaders_.run_context(reports);
  begin_stage(ShaderStage::Mesh);
  const bool good = run_mesh(tasks, run);
  if (ShaderObserver* const observer = context_.observers.shaders.get())
    observer->report(ShaderStage::Mesh, pipeline_.stages[ShaderStage::Mesh], context_.graphics, reports);
  if (!good) lose(ShaderStage::Mesh, how_far(), reports);
  return good;
}

bool ViewDraw::run_mesh(const pipeline::TaskStream& tasks, pipeline::RunContext& run) {
  return pipeline_.mesh->run(tasks, pipeline_.stages[ShaderStage::Mesh].bound, run, counters_,
                             [&](const pipeline::PrimitiveStream& made) {
                               const bool drawn = finish(made);
                               begin_stage(ShaderStage::Mesh);
                               return drawn;
                             });
}

}  // namespace heddle::vulkan
