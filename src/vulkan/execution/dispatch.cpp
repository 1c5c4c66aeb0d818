// Dispatches: descriptors become what the program's slots are bound to.

#include <algorithm>
#include <cstring>

#include "machine/report.hpp"
#include "vulkan/execution/executor.hpp"
#include "vulkan/objects/device.hpp"

namespace heddle::vulkan {

const Descriptor* Executor::descriptor_of(const Shader::Slot& slot, const BindPoint& point) {
  if (slot.set >= kMostSets || point.sets[slot.set].set == nullptr) return nullptr;
  const DescriptorSet& set = *point.sets[slot.set].set;
  const SetLayout::Binding* binding = set.layout->find(slot.binding);
  if (binding == nullptr || slot.element >= binding->count) return nullptr;
  return &set.descriptors[binding->first + slot.element];
}

machine::SurfaceResource Executor::surface_of(Shader::Slot& slot, const BindPoint& point) const {
  const Descriptor* d = descriptor_of(slot, point);
  if (d == nullptr) return null_surface_;
  const machine::SurfaceResource& found =
      slot.kind == shader_interface::ResourceKind::StorageSamples ? d->samples : d->surface;
  if (!found) return null_surface_;
  const BoundSet& bound = point.sets[slot.set];
  if (bound.offsets.empty()) return found;
  const SetLayout::Binding& binding = *bound.set->layout->find(slot.binding);
  if (!binding.is_dynamic()) return found;
  const std::uint32_t offset = bound.offsets.at(binding.dynamic + slot.element);
  if (offset == 0) return found;
  if (slot.of != found.identity() || slot.offset != offset) {
    slot.of = found.identity();
    slot.offset = offset;
    slot.moved = raw_surface(found->memory, found->base + offset, d->range);
  }
  return slot.moved ? slot.moved : null_surface_;
}

void Executor::bind_resources(Shader& shader, const BindPoint& point) {
  machine::Bindings& bindings = shader.bound.bindings;
  for (Shader::Slot& slot : shader.surfaces) {
    if (slot.kind == shader_interface::ResourceKind::PushConstant) {
      std::memcpy(shader.push->data(), push_.data(), push_.size());
      continue;
    }
    machine::SurfaceResource& to =
        slot.bindless ? bindings.bindless_surfaces[slot.index] : bindings.surfaces[slot.index];
    to = surface_of(slot, point);
  }
  for (const Shader::Slot& slot : shader.samplers) {
    const Descriptor* d = descriptor_of(slot, point);
    machine::SamplerResource& to =
        slot.bindless ? bindings.bindless_samplers[slot.index] : bindings.samplers[slot.index];
    to = d != nullptr && d->sampler ? d->sampler : null_sampler_;
  }
}

pipeline::RunContext Executor::run_context(machine::Reports& reports) {
  return {.reports = reports,
          .budget = *budget_,
          .workers = workers_,
          .memory_bytes = base::Limits().memory_bytes,
          .progress = {},
          .lock = {}};
}

void Executor::lose(const std::string& what, const base::Diagnostics& found) {
  std::string why = what;
  for (const std::string& label : labels_) why += " in '" + label + "'";
  if (const auto limit = budget_->hit())
    why += ": " + limit->message + " (HEDDLE_TIME_LIMIT)";
  else
    for (const base::Diagnostic& d : found.all()) why += ": " + d.message;
  device_.lose(why);
}

void Executor::dispatch(std::array<std::uint32_t, 3> groups, std::array<std::uint32_t, 3> base) {
  if (compute_.pipeline == nullptr || groups[0] == 0 || groups[1] == 0 || groups[2] == 0) return;
  Pipeline& pipeline = *compute_.pipeline;
  bind_resources(pipeline, compute_);
  pipeline::Grid grid;
  grid.dimensions = 3;
  grid.local = pipeline.local;
  grid.groups = groups;
  grid.base = base;
  for (std::size_t d = 0; d < 3; ++d)
    grid.global[d] =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{groups[d]} * pipeline.local[d], UINT32_MAX));

  machine::Reports reports(pipeline.program->program().source(),
                           device_.checks ? machine::CheckMode::Warn : machine::CheckMode::Off, 64);
  pipeline::RunContext context = run_context(reports);
  pipeline::Counters counters;
  const bool good = pipeline.program->run(grid, pipeline.bound, context, counters);
  const base::Diagnostics found = reports.take();
  if (device_.checks) device_.report("compute", pipeline.name, found);
  if (!good) lose("compute shader '" + pipeline.name + "'", found);
  if (!active_.empty())
    count_invocations(std::uint64_t{groups[0]} * groups[1] * groups[2] * pipeline.local[0] * pipeline.local[1] *
                      pipeline.local[2]);
}

void Executor::run(const commands::Dispatch& c) { dispatch({c.groupCountX, c.groupCountY, c.groupCountZ}); }
void Executor::run(const commands::DispatchBase& c) {
  dispatch({c.groupCountX, c.groupCountY, c.groupCountZ}, {c.baseGroupX, c.baseGroupY, c.baseGroupZ});
}
void Executor::run(const commands::DispatchIndirect& c) {
  const std::span<std::uint8_t> words = from_handle(c.buffer)->range(c.offset, sizeof(VkDispatchIndirectCommand));
  if (words.empty()) return;
  VkDispatchIndirectCommand groups;
  std::memcpy(&groups, words.data(), sizeof groups);
  dispatch({groups.x, groups.y, groups.z});
}

}  // namespace heddle::vulkan
