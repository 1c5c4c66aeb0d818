// SPDX-License-Identifier: MIT
// Shader modules and pipelines. A module with footprints goes down rewritten without knowledge; when a pipeline names
// it, its layout says what is known of the samplers, and a module of the moment takes its place.
#include <algorithm>
#include <span>

#include "layer/chain.hpp"
#include "layer/entry_points.hpp"
#include "layer/settings.hpp"

namespace heddle::layer {
namespace {

std::span<const std::uint32_t> words_of(const VkShaderModuleCreateInfo& info) {
  return {info.pCode, info.pCode == nullptr ? 0 : info.codeSize / 4};
}

/// Rewrites and creates. What cannot be rewritten is VK_ERROR_UNKNOWN, and a message says why.
VkResult create_rewritten(const Device& device, VkShaderModuleCreateInfo info, const RewriteOptions& options,
                          const VkAllocationCallbacks* allocator, VkShaderModule* made) {
  const Rewritten rewritten = rewrite_footprints(words_of(info), options);
  if (!rewritten.message.empty())
    device.instance->report(rewritten.status == Rewritten::Status::Refused
                                ? VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT
                                : VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
                            rewritten.message);
  if (rewritten.status == Rewritten::Status::Refused) return VK_ERROR_UNKNOWN;
  if (rewritten.status == Rewritten::Status::Done) {
    info.codeSize = rewritten.words.size() * 4;
    info.pCode = rewritten.words.data();
  }
  return device.next.CreateShaderModule(device.handle, &info, allocator, made);
}

RewriteOptions options_of(const Device& device) {
  RewriteOptions options;
  options.unknown = device.unknown;
  options.lenient = is_lenient();
  return options;
}

void add_set(std::uint32_t set, const SetLayout& layout, RewriteOptions& options) {
  for (const LayoutBinding& b : layout.samplers) {
    SamplerBinding binding{set, b.binding, b.count, b.constants, std::nullopt};
    if (layout.hidden) binding.first_record = b.first_record;
    options.samplers.push_back(std::move(binding));
  }
  if (layout.hidden) options.buffers.push_back({set, *layout.hidden, layout.records});
}

VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice handle, const VkShaderModuleCreateInfo* info,
                                             const VkAllocationCallbacks* allocator, VkShaderModule* made) {
  const std::shared_ptr<Device> device = find_device(handle);
  if (!device->active || !has_footprints(words_of(*info)))
    return device->next.CreateShaderModule(handle, info, allocator, made);
  return guarded([&] {
    const std::span<const std::uint32_t> words = words_of(*info);
    auto kept = std::make_shared<const Words>(words.begin(), words.end());
    const VkResult result = create_rewritten(*device, *info, options_of(*device), allocator, made);
    if (result != VK_SUCCESS) return result;
    const std::lock_guard lock(device->mutex);
    device->modules[*made] = std::move(kept);
    return result;
  });
}

VKAPI_ATTR void VKAPI_CALL destroy_module(VkDevice handle, VkShaderModule module,
                                          const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> device = find_device(handle);
  {
    const std::lock_guard lock(device->mutex);
    device->modules.erase(module);
  }
  device->next.DestroyShaderModule(handle, module, allocator);
}

// --- pipelines ------------------------------------------------------------------------------------------------------

/// The stages of pipelines that are made at once, with modules of the moment where there are footprints.
class Stages {
 public:
  explicit Stages(Device& device) : device_(device) {}
  ~Stages() {
    for (const VkShaderModule module : modules_) device_.next.DestroyShaderModule(device_.handle, module, nullptr);
  }
  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  VkResult replace(VkPipelineShaderStageCreateInfo& stage, VkPipelineLayout layout) {
    const KeptWords kept = kept_words(stage.module);
    const auto* own = stage.module != VK_NULL_HANDLE ? nullptr
                                                     : find_in_chain<VkShaderModuleCreateInfo>(
                                                           stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    if (kept != nullptr) {
      info.codeSize = kept->size() * 4;
      info.pCode = kept->data();
    } else if (own != nullptr && has_footprints(words_of(*own))) {
      info.codeSize = own->codeSize;
      info.pCode = own->pCode;
      // Where the chain cannot be edited both are there; Vulkan takes the chained one only where there is no handle.
      edits_.push_back(std::make_unique<ChainEdit>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO));
      stage.pNext = edits_.back()->head();
    } else {
      return VK_SUCCESS;
    }
    modules_.push_back(VK_NULL_HANDLE);
    const VkResult result = create_rewritten(device_, info, options_for(layout), nullptr, &modules_.back());
    if (result != VK_SUCCESS) modules_.back() = VK_NULL_HANDLE;
    stage.module = modules_.back();
    return result;
  }

 private:
  KeptWords kept_words(VkShaderModule module) {
    const std::lock_guard lock(device_.mutex);
    const auto found = device_.modules.find(module);
    return found == device_.modules.end() ? nullptr : found->second;
  }

  RewriteOptions options_for(VkPipelineLayout layout) {
    RewriteOptions options = options_of(device_);
    const std::lock_guard lock(device_.mutex);
    const auto found = device_.pipeline_layouts.find(layout);
    if (found == device_.pipeline_layouts.end()) return options;
    for (std::uint32_t set = 0; set < found->second.size(); ++set)
      if (found->second[set] != nullptr) add_set(set, *found->second[set], options);
    return options;
  }

  Device& device_;
  std::vector<VkShaderModule> modules_;
  std::vector<std::unique_ptr<ChainEdit>> edits_;
};

/// Pipelines of any kind that has an array of stages.
template <typename Info, typename Create>
VkResult create_pipelines(Device& device, std::uint32_t count, const Info* infos, VkPipeline* made,
                          const Create& create) {
  return guarded([&] {
    std::vector<Info> copies(infos, infos + count);
    std::vector<std::vector<VkPipelineShaderStageCreateInfo>> all(count);
    Stages stages(device);
    for (std::uint32_t k = 0; k < count; ++k) {
      if (copies[k].pStages == nullptr) continue;
      all[k].assign(copies[k].pStages, copies[k].pStages + copies[k].stageCount);
      for (VkPipelineShaderStageCreateInfo& stage : all[k])
        if (const VkResult result = stages.replace(stage, copies[k].layout); result != VK_SUCCESS) {
          std::fill_n(made, count, VkPipeline{});
          return result;
        }
      copies[k].pStages = all[k].data();
    }
    return create(copies.data());
  });
}

VKAPI_ATTR VkResult VKAPI_CALL create_graphics(VkDevice handle, VkPipelineCache cache, std::uint32_t count,
                                               const VkGraphicsPipelineCreateInfo* infos,
                                               const VkAllocationCallbacks* allocator, VkPipeline* made) {
  const std::shared_ptr<Device> device = find_device(handle);
  if (!device->active) return device->next.CreateGraphicsPipelines(handle, cache, count, infos, allocator, made);
  return create_pipelines(*device, count, infos, made, [&](const VkGraphicsPipelineCreateInfo* copies) {
    return device->next.CreateGraphicsPipelines(handle, cache, count, copies, allocator, made);
  });
}

/// A deferred operation would outlive the stages, so the work is done at once, as Vulkan allows.
VKAPI_ATTR VkResult VKAPI_CALL create_ray_tracing(VkDevice handle, VkDeferredOperationKHR deferred,
                                                  VkPipelineCache cache, std::uint32_t count,
                                                  const VkRayTracingPipelineCreateInfoKHR* infos,
                                                  const VkAllocationCallbacks* allocator, VkPipeline* made) {
  const std::shared_ptr<Device> device = find_device(handle);
  if (!device->active)
    return device->next.CreateRayTracingPipelinesKHR(handle, deferred, cache, count, infos, allocator, made);
  const VkResult result =
      create_pipelines(*device, count, infos, made, [&](const VkRayTracingPipelineCreateInfoKHR* copies) {
        return device->next.CreateRayTracingPipelinesKHR(handle, VK_NULL_HANDLE, cache, count, copies, allocator, made);
      });
  return result == VK_SUCCESS && deferred != VK_NULL_HANDLE ? VK_OPERATION_NOT_DEFERRED_KHR : result;
}

VKAPI_ATTR VkResult VKAPI_CALL create_compute(VkDevice handle, VkPipelineCache cache, std::uint32_t count,
                                              const VkComputePipelineCreateInfo* infos,
                                              const VkAllocationCallbacks* allocator, VkPipeline* made) {
  const std::shared_ptr<Device> device = find_device(handle);
  if (!device->active) return device->next.CreateComputePipelines(handle, cache, count, infos, allocator, made);
  return guarded([&] {
    std::vector<VkComputePipelineCreateInfo> copies(infos, infos + count);
    Stages stages(*device);
    for (VkComputePipelineCreateInfo& copy : copies)
      if (const VkResult result = stages.replace(copy.stage, copy.layout); result != VK_SUCCESS) {
        std::fill_n(made, count, VkPipeline{});
        return result;
      }
    return device->next.CreateComputePipelines(handle, cache, count, copies.data(), allocator, made);
  });
}

}  // namespace

namespace entry {
const PFN_vkCreateShaderModule CreateShaderModule = create_module;
const PFN_vkDestroyShaderModule DestroyShaderModule = destroy_module;
const PFN_vkCreateGraphicsPipelines CreateGraphicsPipelines = create_graphics;
const PFN_vkCreateComputePipelines CreateComputePipelines = create_compute;
const PFN_vkCreateRayTracingPipelinesKHR CreateRayTracingPipelinesKHR = create_ray_tracing;
}  // namespace entry

}  // namespace heddle::layer
