// Dispatches: descriptors become what the program's slots are bound to.

#include <algorithm>
#include <cstring>

#include "machine/report.hpp"
#include "vulkan/execution/executor.hpp"
#include "vulkan/objects/device.hpp"

namespace heddle::vulkan {

const Descriptor* Executor::descriptor_of(const Pipeline::Slot& slot) const {
  if (slot.set >= kMostSets || sets_[slot.set].set == nullptr) return nullptr;
  const DescriptorSet& set = *sets_[slot.set].set;
  const SetLayout::Binding* binding = set.layout->find(slot.binding);
  if (binding == nullptr || slot.element >= binding->count) return nullptr;
  return &set.descriptors[binding->first + slot.element];
}

machine::SurfaceResource Executor::surface_of(Pipeline::Slot& slot) const {
  const Descriptor* d = descriptor_of(slot);
  if (d == nullptr) return null_surface_;
  const machine::SurfaceResource& found =
      slot.kind == shader_interface::ResourceKind::StorageSamples ? d->samples : d->surface;
  if (!found) return null_surface_;
  const BoundSet& bound = sets_[slot.set];
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

void Executor::bind_resources(Pipeline& pipeline) {
  machine::Bindings& bindings = pipeline.bound.bindings;
  for (Pipeline::Slot& slot : pipeline.surfaces) {
    if (slot.kind == shader_interface::ResourceKind::PushConstant) {
      std::memcpy(pipeline.push->data(), push_.data(), push_.size());
      continue;
    }
    machine::SurfaceResource& to =
        slot.bindless ? bindings.bindless_surfaces[slot.index] : bindings.surfaces[slot.index];
    to = surface_of(slot);
  }
  for (const Pipeline::Slot& slot : pipeline.samplers) {
    const Descriptor* d = descriptor_of(slot);
    machine::SamplerResource& to =
        slot.bindless ? bindings.bindless_samplers[slot.index] : bindings.samplers[slot.index];
    to = d != nullptr && d->sampler ? d->sampler : null_sampler_;
  }
}

/// A slot in words.
std::optional<CheckedResource> Executor::resource_of(const Pipeline& pipeline, std::uint32_t surface) const {
  const auto slot = std::ranges::find_if(pipeline.surfaces,
                                         [&](const Pipeline::Slot& s) { return s.index == surface && !s.bindless; });
  if (slot == pipeline.surfaces.end()) return std::nullopt;
  CheckedResource resource;
  resource.kind = shader_interface::kind_word(slot->kind);
  std::ranges::replace(resource.kind, '_', ' ');
  resource.name = slot->name;
  resource.set = slot->set;
  resource.binding = slot->binding;
  if (const Descriptor* d = descriptor_of(*slot); d != nullptr && d->object != 0)
    resource.object = device_.name_of(d->object);
  return resource;
}

void Executor::log_findings(const Pipeline& pipeline, const machine::Reports& reports) {
  std::vector<machine::Finding> findings = reports.findings();
  if (findings.empty()) return;
  std::string shader = "compute shader '" + pipeline.name + "'";
  if (const std::string name = device_.name_of(reinterpret_cast<std::uint64_t>(&pipeline)); !name.empty())
    shader += " of '" + name + "'";
  for (machine::Finding& finding : findings)
    for (const std::string& label : labels_) finding.notes.push_back({"in '" + label + "'", {}});
  device_.check_log.add(shader, std::move(findings),
                        [&](std::uint32_t surface) { return resource_of(pipeline, surface); });
}

void Executor::dispatch(std::array<std::uint32_t, 3> groups, std::array<std::uint32_t, 3> base) {
  if (pipeline_ == nullptr || groups[0] == 0 || groups[1] == 0 || groups[2] == 0) return;
  Pipeline& pipeline = *pipeline_;
  bind_resources(pipeline);
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
  pipeline::RunContext context{.reports = reports, .budget = *budget_};
  context.workers = workers_;
  context.memory_bytes = base::Limits().memory_bytes;
  std::unique_ptr<machine::Observer> tracer;
  if (device_.traced)
    tracer = make_tracer(pipeline.program->program().source(), pipeline.program->plan(), grid, *device_.traced);
  context.observer = tracer.get();
  pipeline::Counters counters;
  const bool good = pipeline.program->run(grid, pipeline.bound, context, counters);
  if (device_.checks) log_findings(pipeline, reports);
  const base::Diagnostics found = reports.take();
  if (good) return;
  std::string why = "compute shader '" + pipeline.name + "'";
  for (const std::string& label : labels_) why += " in '" + label + "'";
  if (const auto limit = budget_->hit())
    why += ": " + limit->message + " (HEDDLE_TIME_LIMIT)";
  else
    for (const base::Diagnostic& d : found.all()) why += ": " + d.message;
  device_.lose(why);
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
