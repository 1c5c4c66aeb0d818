// SPDX-License-Identifier: MIT
#pragma once
// What the makers of stages share: places of inputs and outputs in registers, records and binding tables.

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "pipeline/primitives/record_link.hpp"
#include "shader_interface/interface.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"
#include "vulkan/pipelines/shader.hpp"

namespace heddle::vulkan {

using StageVariables = std::vector<shader_interface::StageVariable>;

/// Bytes of the registers that a thread of the kernel starts with.
[[nodiscard]] std::uint32_t payload_bytes(const isa::Object& kernel);
/// Where a variable lies in them that the interface describes.
[[nodiscard]] std::uint32_t offset_of(const isa::Object& kernel, std::uint32_t variable);
/// The place of a surface variable in the binding table.
[[nodiscard]] std::uint32_t index_of(const Shader& shader, std::uint32_t variable);
/// Where a surface stands that the pipeline itself makes.
[[nodiscard]] pipeline::OwnSurface own_surface(const Shader& shader, const shader_interface::SurfaceLine& line);

/// The interface of the last stage before `stage` that the pipeline has.
[[nodiscard]] const shader_interface::ShaderInterface& before(ShaderStage stage, const GraphicsPipeline& pipeline);

// --- tessellation_stages.cpp ---
[[nodiscard]] base::Result<base::Done> make_control_stage(Device& device, GraphicsPipeline& to);
[[nodiscard]] base::Result<base::Done> make_evaluation_stage(Device& device, GraphicsPipeline& to);

// --- mesh_stages.cpp ---
[[nodiscard]] base::Result<base::Done> make_task_stage(Device& device, GraphicsPipeline& to);
[[nodiscard]] base::Result<base::Done> make_mesh_stage(Device& device, GraphicsPipeline& to);

}  // namespace heddle::vulkan
