// SPDX-License-Identifier: MIT
#include "vulkan/execution/shader_runs.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "base/limits.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/objects/memory/buffer.hpp"

namespace heddle::vulkan {
namespace {

constexpr std::uint64_t kNoSet = ~0ull;  ///< the identity of no set
constexpr std::size_t kMaxReports = 64;  ///< of one run

/// Programs on the driver have no flags.
std::string without_flag(std::string text) {
  const std::size_t at = text.find(" (--");
  if (at != std::string::npos && text.ends_with(')')) text.resize(at);
  return text;
}

std::string short_words(isa::ShaderStage stage, const Shader& shader) {
  return std::string(isa::stage_info(stage).name) + " shader '" + shader.name + "'";
}

}  // namespace

std::string words_of(Device& device, isa::ShaderStage stage, const Shader& shader, const BindPoint& point) {
  std::string words = short_words(stage, shader);
  if (const std::string name = device.name_of(reinterpret_cast<std::uint64_t>(point.pipeline)); !name.empty())
    words += " of '" + name + "'";
  return words;
}

ShaderRuns::ShaderRuns(CommandContext& context) : context_(context) {
  auto surface = std::make_shared<image::Surface>();
  surface->type = image::SurfaceType::Null;
  null_surface_ = std::move(surface);
  auto sampler = std::make_shared<image::Sampler>();
  sampler->disable = true;
  null_sampler_ = std::move(sampler);
}

machine::SurfaceResource ShaderRuns::surface_of(Shader::Slot& slot, const BindPoint& point, std::uint32_t k) const {
  Descriptor* d = point.find(slot, k);
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

/// What lies in descriptor buffers for the slots of a shader. Nothing is read twice where no write can have become
/// visible; who looks on is told each time.
void ShaderRuns::read_placed(isa::ShaderStage stage, Shader& shader, const BindPoint& point) const {
  std::array<bool, kMaxSets> reads{};
  bool any = false;
  for (std::size_t s = 0; s < shader.reading.size(); ++s) {
    const PlacedSet* placed = point.sets[s].placed;
    if (placed == nullptr) continue;
    const Shader::Reading now{placed->placed(), context_.visible_writes};
    reads[s] = context_.observers.inputs != nullptr || shader.reading[s] != now;
    shader.reading[s] = now;
    any = any || reads[s];
  }
  if (!any) return;
  const auto read = [&](const Shader::Slot& slot) {
    if (slot.set >= kMaxSets || !reads[slot.set]) return;
    const Bytes bytes =
        point.sets[slot.set].placed->read(context_.device, slot.binding, slot.element, std::max(slot.count, 1u));
    if (context_.observers.inputs) context_.observers.inputs->fetch_descriptors(stage, bytes, slot.count > 1);
  };
  for (const Shader::Slot& slot : shader.surfaces)
    if (slot.kind != shader_interface::ResourceKind::PushConstant) read(slot);
  for (const Shader::Slot& slot : shader.samplers) read(slot);
}

void ShaderRuns::bind(isa::ShaderStage stage, Shader& shader, const BindPoint& point) const {
  machine::Bindings& bindings = shader.bound.bindings;
  const std::lock_guard guard(context_.device.descriptors);
  read_placed(stage, shader, point);
  std::array<bool, kMaxSets> changed{};
  for (std::size_t s = 0; s < shader.standing.size(); ++s) {
    Shader::Standing& standing = shader.standing[s];
    const BoundSet& bound = point.sets[s];
    const std::uint64_t set = bound.set == nullptr ? kNoSet : bound.set->identity;
    const std::uint64_t changes = bound.set == nullptr ? 0 : bound.set->changes;
    changed[s] = standing.set != set || standing.changes != changes || standing.offsets != bound.offsets;
    if (changed[s]) standing = {set, changes, bound.offsets};
  }
  const auto stands = [&](const Shader::Slot& slot) { return slot.set < shader.standing.size() && !changed[slot.set]; };
  for (Shader::Slot& slot : shader.surfaces) {
    if (slot.kind == shader_interface::ResourceKind::PushConstant) {
      std::memcpy(shader.push->data(), context_.push.data(), context_.push.size());
      continue;
    }
    if (stands(slot)) continue;
    if (!slot.bindless) bindings.surfaces[slot.index] = surface_of(slot, point, 0);
    for (std::uint32_t k = 0; slot.bindless && k < slot.count; ++k)
      bindings.bindless_surfaces[slot.index + k] = surface_of(slot, point, k);
  }
  const auto sampler = [&](const Shader::Slot& slot, std::uint32_t k) {
    const Descriptor* d = point.find(slot, k);
    return d != nullptr && d->sampler ? d->sampler : null_sampler_;
  };
  for (const Shader::Slot& slot : shader.samplers) {
    if (stands(slot)) continue;
    if (!slot.bindless) bindings.samplers[slot.index] = sampler(slot, 0);
    for (std::uint32_t k = 0; slot.bindless && k < slot.count; ++k)
      bindings.bindless_samplers[slot.index + k] = sampler(slot, k);
  }
}

machine::Reports ShaderRuns::reports(const isa::Program& program) const {
  return machine::Reports(program, context_.observers.shaders ? machine::CheckMode::Warn : machine::CheckMode::Off,
                          kMaxReports);
}

pipeline::RunContext ShaderRuns::run_context(machine::Reports& reports) const {
  ShaderObserver* const observer = context_.observers.shaders.get();
  return {.reports = reports,
          .budget = *context_.budget,
          .workers = context_.workers,
          .ended_arrive = true,
          .memory_bytes = base::Limits().memory_bytes,
          .watch = observer != nullptr ? &observer->memory() : nullptr,
          .progress = {},
          .lock = {}};
}

void ShaderRuns::print_messages(isa::ShaderStage stage, const Shader& shader) const {
  if (shader.messages == nullptr) return;
  const shader_interface::Messages messages = shader_interface::take_messages(shader.prints, *shader.messages);
  Instance& instance = context_.device.physical.instance;
  for (const std::string& text : messages.texts) {
    (void)instance.report(VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT, "shader-printf", text);
    std::fputs((text.ends_with('\n') ? text : text + "\n").c_str(), stderr);
  }
  if (messages.full)
    instance.message(VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT, "run-messages-full",
                     short_words(stage, shader) + " prints more than fits into " +
                         std::to_string(shader.messages->size()) + " bytes: later messages are missing");
}

void ShaderRuns::lose(const std::string& what, const std::string& how_far, const base::Diagnostics& found) const {
  std::string why = what;
  for (const std::string& label : context_.labels) why += " in '" + label + "'";
  if (const auto limit = context_.budget->hit()) {
    why += ": " + without_flag(limit->message) + "; " + how_far;
    if (limit->id == "limit-seconds") why += " (HEDDLE_TIME_LIMIT is the seconds)";
  } else {
    for (const base::Diagnostic& d : found.all()) why += ": " + without_flag(d.message);
  }
  context_.device.lose(why);
}

}  // namespace heddle::vulkan
