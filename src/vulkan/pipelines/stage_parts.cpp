// SPDX-License-Identifier: MIT
#include "vulkan/pipelines/stage_parts.hpp"

#include <algorithm>

namespace heddle::vulkan {

namespace {

constexpr std::uint32_t kMinPayload = 128;

}  // namespace

std::uint32_t payload_bytes(const isa::Object& kernel) {
  std::uint32_t end = kMinPayload;
  for (const isa::Input& input : kernel.inputs) end = std::max(end, input.offset + input.size);
  return end;
}

std::uint32_t offset_of(const isa::Object& kernel, std::uint32_t variable) {
  const auto found = std::ranges::find_if(kernel.inputs, [&](const isa::Input& input) {
    return input.kind() == isa::InputKind::General && input.id == variable;
  });
  return found->offset;  // the reader of the interface has seen to it that there is one
}

const shader_interface::ShaderInterface& before(ShaderStage stage, const GraphicsPipeline& pipeline) {
  const GraphicsStage* last = nullptr;
  for (const StageRow& row : kStageRows)
    if (const GraphicsStage& s = pipeline.stages[row.stage]; row.part == kVertexPart && row.stage < stage && s.loaded)
      last = &s;
  return last->loaded->interface;  // a pipeline without a vertex or mesh stage is refused before
}

std::uint32_t index_of(const Shader& shader, std::uint32_t variable) {
  const auto found = shader.bound.bindings.surface_variables.find(variable);
  return found == shader.bound.bindings.surface_variables.end() || found->second.empty() ? 0 : found->second.front();
}

pipeline::OwnSurface own_surface(const Shader& shader, const shader_interface::SurfaceLine& line) {
  if (line.bindless()) return {.handle = line.variable - shader_interface::kFirstHandle};
  return {.slot = index_of(shader, line.variable)};
}

}  // namespace heddle::vulkan
