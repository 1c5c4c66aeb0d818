#include "vulkan/pipelines/pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>

#include "base/diagnostic.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/device/limits.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/descriptors/descriptor_set.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"
#include "vulkan/pipelines/shader.hpp"

namespace heddle::vulkan {

using Clock = std::chrono::steady_clock;

Pipeline::Pipeline() = default;
Pipeline::~Pipeline() = default;

std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> array_lengths(const PipelineLayout* layout) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> lengths;
  if (layout == nullptr) return lengths;
  for (std::uint32_t set = 0; set < layout->sets.size(); ++set)
    if (layout->sets[set])
      for (const auto& [number, binding] : layout->sets[set]->bindings)
        if (binding.count > 1) lengths[{set, number}] = binding.count;
  return lengths;
}

std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<spirv::SampledPlanes>> planes_of(
    const PipelineLayout* layout) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<spirv::SampledPlanes>> planes;
  if (layout == nullptr) return planes;
  for (std::uint32_t set = 0; set < layout->sets.size(); ++set)
    if (layout->sets[set])
      for (const auto& [number, binding] : layout->sets[set]->bindings)
        if (!binding.planes.empty()) planes[{set, number}] = binding.planes;
  return planes;
}

std::string text_of(const std::vector<base::Diagnostic>& list) {
  std::string text;
  for (const base::Diagnostic& d : list) {
    if (!text.empty()) text += "; ";
    text += d.message + " [" + d.id + "]";
  }
  return text;
}

void give_feedback(const void* chain, bool hit, Clock::time_point begin) {
  const auto* feedback = find_in_chain<VkPipelineCreationFeedbackCreateInfo>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
  if (feedback == nullptr) return;
  VkPipelineCreationFeedback value{VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT, 0};
  if (hit) value.flags |= VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
  value.duration = static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now() - begin).count());
  *feedback->pPipelineCreationFeedback = value;
  for (std::uint32_t i = 0; i < feedback->pipelineStageCreationFeedbackCount; ++i)
    feedback->pPipelineStageCreationFeedbacks[i] = value;
}

namespace {

VkResult create_one(Device& device, PipelineCache* cache, const VkComputePipelineCreateInfo& info, VkPipeline* out) {
  const Clock::time_point begin = Clock::now();
  StageSource stage = source_of(info.stage);
  if (const auto* size = find_in_chain<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
          info.stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO))
    stage.simd = size->requiredSubgroupSize;
  stage.array_lengths = array_lengths(from_handle(info.layout));
  stage.planes = planes_of(from_handle(info.layout));
  const std::string key = cache == nullptr ? std::string() : key_of(stage);
  const bool hit = cache != nullptr && cache->find(key).has_value();
  if (!hit && (info.flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT) != 0)
    return VK_PIPELINE_COMPILE_REQUIRED;
  auto made = make_pipeline(device, stage, key, cache);
  if (!made.ok()) {
    device.physical.instance.error("vulkan-pipeline",
                                   "compute shader '" + stage.entry + "' is refused: " + text_of(made.diagnostics()));
    return VK_ERROR_UNKNOWN;
  }
  if (device.capture) (*made)->module.assign(stage.words.begin(), stage.words.end());
  *out = to_handle(std::move(*made).release());
  give_feedback(info.pNext, hit, begin);
  return VK_SUCCESS;
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateShaderModule(VkDevice, const VkShaderModuleCreateInfo* pCreateInfo,
                                                  const VkAllocationCallbacks*, VkShaderModule* pShaderModule) {
  return guarded([&] {
    auto module = std::make_unique<ShaderModule>();
    module->words.assign(pCreateInfo->pCode, pCreateInfo->pCode + pCreateInfo->codeSize / 4);
    *pShaderModule = to_handle(module.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyShaderModule(VkDevice device, VkShaderModule shaderModule,
                                               const VkAllocationCallbacks*) {
  destroy(device, from_handle(shaderModule));
}

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice device, VkPipelineCache pipelineCache,
                                                      uint32_t createInfoCount,
                                                      const VkComputePipelineCreateInfo* pCreateInfos,
                                                      const VkAllocationCallbacks*, VkPipeline* pPipelines) {
  VkResult result = VK_SUCCESS;
  std::fill(pPipelines, pPipelines + createInfoCount, VkPipeline{});
  for (std::uint32_t i = 0; i < createInfoCount; ++i) {
    const VkResult one = guarded(
        [&] { return create_one(*from_handle(device), from_handle(pipelineCache), pCreateInfos[i], pPipelines + i); });
    if (one == VK_SUCCESS) continue;
    if (result == VK_SUCCESS || one < 0) result = one;
    if ((pCreateInfos[i].flags & VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT) != 0) break;
  }
  return result;
}
VKAPI_ATTR void VKAPI_CALL DestroyPipeline(VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks*) {
  destroy(device, from_handle(pipeline));
}

}  // namespace entry
}  // namespace heddle::vulkan
