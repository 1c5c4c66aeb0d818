// SPDX-License-Identifier: MIT
#include "vulkan/sanitizer/shader_checks.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "machine/memory.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/execution/shader_runs.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"
#include "vulkan/sanitizer/check_log.hpp"

namespace heddle::vulkan {
namespace {

using shader_interface::ResourceKind;

/// How shaders read what stands in a slot; 0: it is none of the application's memory.
VkAccessFlags2 reads_of(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::Image:
    case ResourceKind::RectImage:
    case ResourceKind::Plane1:
    case ResourceKind::Plane2:
      return VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
    case ResourceKind::TexelBuffer:
      return VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
    case ResourceKind::UniformBuffer:
      return VK_ACCESS_2_UNIFORM_READ_BIT;
    case ResourceKind::StorageBuffer:
    case ResourceKind::StorageImage:
    case ResourceKind::StorageTexelBuffer:
    case ResourceKind::StorageSamples:
      return VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
    case ResourceKind::InputAttachment:
      return VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
    default:
      return 0;
  }
}

bool is_image(ResourceKind kind) {
  return kind == ResourceKind::Image || kind == ResourceKind::RectImage || kind == ResourceKind::StorageImage ||
         kind == ResourceKind::StorageSamples || kind == ResourceKind::InputAttachment;
}

/// Which of a slot's surfaces goes by this number; nothing: none of them.
std::optional<std::uint32_t> named_by(const Shader::Slot& slot, std::uint32_t surface) {
  const std::uint32_t first = slot.bindless ? slot.index | machine::kByHandle : slot.index;
  return surface - first < std::max(slot.count, 1u) ? std::optional(surface - first) : std::nullopt;
}

/// A slot in words.
std::optional<CheckedResource> resource_of(Device& device, const Shader& shader, const BindPoint& point,
                                           std::uint32_t surface) {
  const auto slot =
      std::ranges::find_if(shader.surfaces, [&](const Shader::Slot& s) { return named_by(s, surface).has_value(); });
  if (slot == shader.surfaces.end()) return std::nullopt;
  const std::uint32_t element = *named_by(*slot, surface);
  CheckedResource resource;
  resource.kind = shader_interface::kind_word(slot->kind);
  std::ranges::replace(resource.kind, '_', ' ');
  resource.name = slot->name;
  resource.set = slot->set;
  resource.binding = slot->binding;
  if (slot->array) resource.element = slot->element + element;
  if (const Descriptor* d = point.find(*slot, element); d != nullptr && d->object != 0)
    resource.object = device.name_of(d->object);
  return resource;
}

}  // namespace

/// The attachments that the pipeline reads in rasterization order (FBO-8).
std::vector<Bytes> ShaderChecks::ordered_attachments() const {
  std::vector<Bytes> found;
  const VkImageAspectFlags ordered = context_.graphics.pipeline->graphics->ordered;
  const auto add = [&](const ImageView* view, VkImageAspectFlags aspect) {
    if (view == nullptr || (ordered & aspect) == 0) return;
    if (const machine::SurfaceResource& s = attachment_of(*view, aspect); s && s->memory)
      found.emplace_back(s->memory->data() + s->base, s->bytes);
  };
  for (const ImageView* view : context_.rendering.colors) add(view, VK_IMAGE_ASPECT_COLOR_BIT);
  add(context_.rendering.depth, VK_IMAGE_ASPECT_DEPTH_BIT);
  add(context_.rendering.stencil, VK_IMAGE_ASPECT_STENCIL_BIT);
  return found;
}

void ShaderChecks::begin_stage(ShaderStage stage, const Shader& shader, const BindPoint& point) {
  watch_->begin_stage({
      .stage = kStageRows[stage].barrier,
      .what = fmt::format("{} shader '{}'", isa::stage_info(stage).name, shader.name),
      .reads =
          [&shader](std::uint32_t surface) {
            for (const Shader::Slot& slot : shader.surfaces)
              if (named_by(slot, surface)) return reads_of(slot.kind);
            return VkAccessFlags2{0};
          },
      .layouts =
          [this, &shader, &point](const image::Surface* surface) {
            std::vector<VkImageLayout> found;
            const std::lock_guard guard(context_.device.descriptors);
            for (const Shader::Slot& slot : shader.surfaces)
              for (std::uint32_t k = 0; is_image(slot.kind) && k < std::max(slot.count, 1u); ++k) {
                const Descriptor* d = point.find(slot, k);
                const bool said =
                    d != nullptr && (d->layout != VK_IMAGE_LAYOUT_UNDEFINED || point.sets[slot.set].placed == nullptr);
                if (said && (d->surface.get() == surface || d->samples.get() == surface)) found.push_back(d->layout);
              }
            return found;
          },
      .ordered = stage == ShaderStage::Fragment ? ordered_attachments() : std::vector<Bytes>(),
  });
}

void ShaderChecks::report(ShaderStage stage, const Shader& shader, const BindPoint& point,
                          const machine::Reports& reports) {
  std::vector<machine::Finding> findings = reports.findings();
  if (findings.empty()) return;
  for (machine::Finding& finding : findings)
    for (const std::string& label : context_.labels) finding.notes.push_back({"in '" + label + "'", {}});
  Device& device = context_.device;
  checks_of(device).log.add(words_of(device, stage, shader, point), std::move(findings),
                            [&](std::uint32_t surface) { return resource_of(device, shader, point, surface); });
}

}  // namespace heddle::vulkan
