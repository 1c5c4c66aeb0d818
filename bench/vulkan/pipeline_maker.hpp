// SPDX-License-Identifier: MIT
#pragma once
// Compute pipelines that bench_vulkan and bench_quick make, again and again, of one module.

#include <cstdint>
#include <vector>

#include <vulkan/vulkan.h>

namespace heddle::bench {

class PipelineMaker {
 public:
  PipelineMaker(VkDevice device, VkPipelineLayout layout, const std::vector<std::uint32_t>& words)
      : device_(device), layout_(layout) {
    const VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size() * 4,
                                        words.data()};
    (void)vkCreateShaderModule(device_, &code, nullptr, &module_);
    const VkPipelineCacheCreateInfo caches{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    (void)vkCreatePipelineCache(device_, &caches, nullptr, &cache_);
  }
  ~PipelineMaker() {
    vkDestroyPipelineCache(device_, cache_, nullptr);
    vkDestroyShaderModule(device_, module_, nullptr);
  }
  PipelineMaker(const PipelineMaker&) = delete;
  PipelineMaker& operator=(const PipelineMaker&) = delete;

  /// Makes one by the cache, and destroys it.
  void make(const VkSpecializationInfo* constants = nullptr) const {
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  nullptr,
                  0,
                  VK_SHADER_STAGE_COMPUTE_BIT,
                  module_,
                  "main",
                  constants};
    info.layout = layout_;
    VkPipeline made = VK_NULL_HANDLE;
    (void)vkCreateComputePipelines(device_, cache_, 1, &info, nullptr, &made);
    vkDestroyPipeline(device_, made, nullptr);
  }

 private:
  VkDevice device_;
  VkPipelineLayout layout_;
  VkShaderModule module_ = VK_NULL_HANDLE;
  VkPipelineCache cache_ = VK_NULL_HANDLE;
};

}  // namespace heddle::bench
