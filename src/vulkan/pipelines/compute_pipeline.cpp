// SPDX-License-Identifier: MIT
// Pipelines that compute.

#include <chrono>
#include <span>
#include <string>

#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/descriptors/pipeline_layout.hpp"
#include "vulkan/pipelines/create_pipelines.hpp"
#include "vulkan/pipelines/pipeline_binary.hpp"
#include "vulkan/pipelines/pipeline_cache.hpp"
#include "vulkan/pipelines/shader.hpp"

namespace heddle::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

StageSource with_layout(const VkComputePipelineCreateInfo& info) {
  StageSource stage = source_of(info.stage);
  stage.array_lengths = array_lengths(from_handle(info.layout));
  stage.planes = planes_of(from_handle(info.layout));
  return stage;
}

VkResult finish(const VkComputePipelineCreateInfo& info, std::unique_ptr<Pipeline> made, bool hit,
                Clock::time_point begin, VkPipeline* out) {
  made->gives_binaries = (pipeline_flags(info) & VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR) != 0;
  *out = to_handle(made.release());
  give_feedback(info.pNext, hit, begin);
  return VK_SUCCESS;
}

VkResult create_one(Device& device, PipelineCache* cache, const VkComputePipelineCreateInfo& info, VkPipeline* out) {
  const Clock::time_point begin = Clock::now();
  if (const PipelineBinary* binary = given_binaries(info.pNext)[ShaderStage::Compute])
    return finish(info, make_compute_pipeline(device, *binary->loaded, pipeline_flags(info)), false, begin, out);
  const StageSource stage = with_layout(info);
  const std::string key = cache == nullptr ? std::string() : key_of(stage);
  const bool hit = cache != nullptr && cache->find(key).has_value();
  if (!hit && (pipeline_flags(info) & VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT) != 0)
    return VK_PIPELINE_COMPILE_REQUIRED;
  auto made = make_pipeline(device, stage, pipeline_flags(info), key, cache);
  if (!made.ok()) {
    device.physical.instance.error("vulkan-pipeline",
                                   "compute shader '" + stage.entry + "' is refused: " + text_of(made.diagnostics()));
    return VK_ERROR_UNKNOWN;
  }
  if (device.capture) (*made)->module.assign(stage.words.begin(), stage.words.end());
  return finish(info, std::move(*made), hit, begin, out);
}

}  // namespace

void add_key(const VkComputePipelineCreateInfo& info, base::KeyMaker& key) { key.text(key_of(with_layout(info))); }

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice device, VkPipelineCache pipelineCache,
                                                      uint32_t createInfoCount,
                                                      const VkComputePipelineCreateInfo* pCreateInfos,
                                                      const VkAllocationCallbacks*, VkPipeline* pPipelines) {
  return create_pipelines(std::span(pCreateInfos, createInfoCount), pPipelines,
                          [&](const VkComputePipelineCreateInfo& info, VkPipeline* out) {
                            return create_one(*from_handle(device), from_handle(pipelineCache), info, out);
                          });
}

}  // namespace entry
}  // namespace heddle::vulkan
