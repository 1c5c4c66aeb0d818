// Dispatches: descriptors become what the program's slots are bound to.

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "machine/report.hpp"
#include "vulkan/capture/capture.hpp"
#include "vulkan/checks/shader_trace.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/execution/executor.hpp"

namespace heddle::vulkan {
namespace {

constexpr std::uint64_t kNoSet = ~0ull;  ///< the identity of no set

}  // namespace

Descriptor* Executor::descriptor_of(const Shader::Slot& slot, const BindPoint& point, std::uint32_t k) {
  if (slot.set >= kMaxSets || point.sets[slot.set].set == nullptr) return nullptr;
  DescriptorSet& set = *point.sets[slot.set].set;
  const SetLayout::Binding* binding = set.layout->find(slot.binding);
  if (binding == nullptr || slot.element + k >= binding->count) return nullptr;
  const std::size_t at = std::size_t{binding->first} + slot.element + k;
  return at < set.descriptors.size() ? &set.descriptors[at] : nullptr;
}

machine::SurfaceResource Executor::surface_of(Shader::Slot& slot, const BindPoint& point, std::uint32_t k) const {
  Descriptor* d = descriptor_of(slot, point, k);
  if (d == nullptr) return null_surface_;
  if (slot.kind == shader_interface::ResourceKind::Plane1 || slot.kind == shader_interface::ResourceKind::Plane2) {
    const std::size_t plane = slot.kind == shader_interface::ResourceKind::Plane1 ? 0 : 1;
    return d->planes && (*d->planes)[plane] ? (*d->planes)[plane] : null_surface_;
  }
  const machine::SurfaceResource& found =
      slot.kind == shader_interface::ResourceKind::StorageSamples ? d->samples : ready_surface(*d);
  if (!found) return null_surface_;
  const BoundSet& bound = point.sets[slot.set];
  if (bound.offsets.empty()) return found;
  const SetLayout::Binding& binding = *bound.set->layout->find(slot.binding);
  if (!binding.is_dynamic()) return found;
  const std::uint32_t offset = bound.offsets.at(binding.dynamic + slot.element + k);
  if (offset == 0) return found;
  if (slot.count > 1 || slot.of != found.identity() || slot.offset != offset) {
    slot.of = found.identity();
    slot.offset = offset;
    slot.moved = raw_surface(found->memory, found->base + offset, d->range);
  }
  return slot.moved ? slot.moved : null_surface_;
}

void Executor::bind_resources(Shader& shader, const BindPoint& point) {
  machine::Bindings& bindings = shader.bound.bindings;
  const std::lock_guard guard(device_.descriptors);
  std::array<bool, kMaxSets> changed{};
  for (std::size_t s = 0; s < kMaxSets; ++s) {
    Shader::Standing& standing = shader.standing[s];
    const BoundSet& bound = point.sets[s];
    const std::uint64_t set = bound.set == nullptr ? kNoSet : bound.set->identity;
    const std::uint64_t changes = bound.set == nullptr ? 0 : bound.set->changes;
    changed[s] = standing.set != set || standing.changes != changes || standing.offsets != bound.offsets;
    if (changed[s]) standing = {set, changes, bound.offsets};
  }
  const auto stands = [&](const Shader::Slot& slot) { return slot.set < kMaxSets && !changed[slot.set]; };
  for (Shader::Slot& slot : shader.surfaces) {
    if (slot.kind == shader_interface::ResourceKind::PushConstant) {
      std::memcpy(shader.push->data(), push_.data(), push_.size());
      continue;
    }
    if (stands(slot)) continue;
    if (!slot.bindless) bindings.surfaces[slot.index] = surface_of(slot, point, 0);
    for (std::uint32_t k = 0; slot.bindless && k < slot.count; ++k)
      bindings.bindless_surfaces[slot.index + k] = surface_of(slot, point, k);
  }
  const auto sampler = [&](const Shader::Slot& slot, std::uint32_t k) {
    const Descriptor* d = descriptor_of(slot, point, k);
    return d != nullptr && d->sampler ? d->sampler : null_sampler_;
  };
  for (const Shader::Slot& slot : shader.samplers) {
    if (stands(slot)) continue;
    if (!slot.bindless) bindings.samplers[slot.index] = sampler(slot, 0);
    for (std::uint32_t k = 0; slot.bindless && k < slot.count; ++k)
      bindings.bindless_samplers[slot.index + k] = sampler(slot, k);
  }
}

pipeline::RunContext Executor::run_context(machine::Reports& reports) {
  return {.reports = reports,
          .budget = *budget_,
          .workers = workers_,
          .ended_arrive = true,
          .memory_bytes = base::Limits().memory_bytes,
          .watch = watch_.get(),
          .progress = {},
          .lock = {}};
}

namespace {

/// Programs on the driver have no flags.
std::string without_flag(std::string text) {
  const std::size_t at = text.find(" (--");
  if (at != std::string::npos && text.ends_with(')')) text.resize(at);
  return text;
}

}  // namespace

void Executor::lose(const std::string& what, const std::string& how_far, const base::Diagnostics& found) {
  std::string why = what;
  for (const std::string& label : labels_) why += " in '" + label + "'";
  if (const auto limit = budget_->hit()) {
    why += ": " + without_flag(limit->message) + "; " + how_far;
    if (limit->id == "limit-seconds") why += " (HEDDLE_TIME_LIMIT is the seconds)";
  } else {
    for (const base::Diagnostic& d : found.all()) why += ": " + without_flag(d.message);
  }
  device_.lose(why);
}

std::string Executor::words_of(const char* stage, const Shader& shader, const BindPoint& point) const {
  std::string words = std::string(stage) + " shader '" + shader.name + "'";
  if (const std::string name = device_.name_of(reinterpret_cast<std::uint64_t>(point.pipeline)); !name.empty())
    words += " of '" + name + "'";
  return words;
}

/// A slot in words.
std::optional<CheckedResource> Executor::resource_of(const Shader& shader, const BindPoint& point,
                                                     std::uint32_t surface) {
  const auto slot =
      std::ranges::find_if(shader.surfaces, [&](const Shader::Slot& s) { return s.index == surface && !s.bindless; });
  if (slot == shader.surfaces.end()) return std::nullopt;
  CheckedResource resource;
  resource.kind = shader_interface::kind_word(slot->kind);
  std::ranges::replace(resource.kind, '_', ' ');
  resource.name = slot->name;
  resource.set = slot->set;
  resource.binding = slot->binding;
  if (const Descriptor* d = descriptor_of(*slot, point, 0); d != nullptr && d->object != 0)
    resource.object = device_.name_of(d->object);
  return resource;
}

void Executor::log_findings(const char* stage, const Shader& shader, const BindPoint& point,
                            const machine::Reports& reports) {
  std::vector<machine::Finding> findings = reports.findings();
  if (findings.empty()) return;
  for (machine::Finding& finding : findings)
    for (const std::string& label : labels_) finding.notes.push_back({"in '" + label + "'", {}});
  checks_of(device_).log.add(words_of(stage, shader, point), std::move(findings),
                             [&](std::uint32_t surface) { return resource_of(shader, point, surface); });
}

void Executor::print_messages(const char* stage, const Shader& shader) {
  if (shader.messages == nullptr) return;
  const shader_interface::Messages messages = shader_interface::take_messages(shader.prints, *shader.messages);
  Instance& instance = device_.physical.instance;
  for (const std::string& text : messages.texts) {
    (void)instance.tell(VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT, "shader-printf", text);
    std::fputs((text.ends_with('\n') ? text : text + "\n").c_str(), stderr);
  }
  if (messages.full)
    instance.message(VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT, "run-messages-full",
                     std::string(stage) + " shader '" + shader.name + "' prints more than fits into " +
                         std::to_string(shader.messages->size()) + " bytes: later messages are missing");
}

void Executor::dispatch(std::array<std::uint32_t, 3> groups, std::array<std::uint32_t, 3> base) {
  if (skips_ || compute_.pipeline == nullptr || groups[0] == 0 || groups[1] == 0 || groups[2] == 0) return;
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

  if (device_.capture)
    if (const std::string why = capture_dispatch(*device_.capture, pipeline, grid); !why.empty())
      device_.physical.instance.error("vulkan-capture", why);

  machine::Reports reports(pipeline.program->program().source(),
                           device_.checks ? machine::CheckMode::Warn : machine::CheckMode::Off, 64);
  pipeline::RunContext context = run_context(reports);
  std::unique_ptr<machine::Observer> tracer;
  if (device_.traced)
    tracer = make_tracer(pipeline.program->program().source(), pipeline.program->plan(), grid, *device_.traced);
  context.observer = tracer.get();
  watch_stage(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, "compute", pipeline, compute_);
  pipeline::Counters counters;
  const bool good = pipeline.program->run(grid, pipeline.bound, context, counters);
  if (watch_) watch_->end_stage();
  if (device_.checks) log_findings("compute", pipeline, compute_, reports);
  print_messages("compute", pipeline);
  const base::Diagnostics found = reports.take();
  if (!good)
    lose(words_of("compute", pipeline, compute_),
         std::to_string(counters.groups) + " of " + std::to_string(grid.group_count()) + " groups are done", found);
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
  watch_indirect(words, c.buffer);
  VkDispatchIndirectCommand groups;
  std::memcpy(&groups, words.data(), sizeof groups);
  dispatch({groups.x, groups.y, groups.z});
}

}  // namespace heddle::vulkan
