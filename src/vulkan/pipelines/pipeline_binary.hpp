// SPDX-License-Identifier: MIT
#pragma once
// VK_KHR_pipeline_binary: what a pipeline was made to, as objects that the application stores and makes pipelines of.
// Each is one stage of shaders; a pipeline has those of its stages, in their order.

#include <vulkan/vulkan.h>

#include <memory>
#include <string>

#include "isa/shader_stage.hpp"
#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct LoadedStage;

/// Never changed.
struct PipelineBinary {
  isa::ShaderStage stage{};
  std::shared_ptr<const LoadedStage> loaded;
};
HEDDLE_HANDLE(PipelineBinary, VkPipelineBinaryKHR)

/// Those that a pipeline is to be made of; null: its shaders are compiled.
using GivenBinaries = isa::PerStage<const PipelineBinary*>;
/// `chain`: of a structure that a pipeline is created with.
[[nodiscard]] GivenBinaries given_binaries(const void* chain);

}  // namespace heddle::vulkan
