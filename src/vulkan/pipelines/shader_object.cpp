// SPDX-License-Identifier: MIT
#include "vulkan/pipelines/shader_object.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <string>

#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/descriptors/pipeline_layout.hpp"
#include "vulkan/pipelines/code/stage_binary.hpp"
#include "vulkan/pipelines/create_pipelines.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"
#include "vulkan/pipelines/shader.hpp"

namespace heddle::vulkan {
namespace {

class Maker {
 public:
  Maker(Device& device, const VkShaderCreateInfoEXT& info)
      : device_(device), info_(info), stage_(stage_of_flag(info.stage)) {}

  VkResult make(std::unique_ptr<ShaderObject>& out) {
    out = std::make_unique<ShaderObject>();
    out->stage = stage_;
    static std::atomic<std::uint64_t> next = 1;
    out->number = next++;
    const VkResult result = info_.codeType == VK_SHADER_CODE_TYPE_BINARY_EXT ? read(*out) : compile(*out);
    if (result != VK_SUCCESS) return result;
    if (stage_ == isa::ShaderStage::Compute) {
      out->compute = make_compute_pipeline(device_, *out->loaded);
      out->compute->module = out->module;
    }
    return VK_SUCCESS;
  }

 private:
  VkResult read(ShaderObject& to) const {
    if (info_.pCode == nullptr) return VK_INCOMPATIBLE_SHADER_BINARY_EXT;
    const StageBinary binary = read_stage_binary({static_cast<const std::uint8_t*>(info_.pCode), info_.codeSize});
    if (binary.visa == nullptr || binary.stage != stage_) return VK_INCOMPATIBLE_SHADER_BINARY_EXT;
    auto loaded = read_stage(binary.visa);
    if (!loaded.ok() || (*loaded)->interface.stage != stage_) return VK_INCOMPATIBLE_SHADER_BINARY_EXT;
    to.loaded = std::move(*loaded);
    return VK_SUCCESS;
  }

  VkResult compile(ShaderObject& to) const {
    if (!isa::stage_info(stage_).compiled) return refuse("shaders of this stage are not compiled");
    StageSource source;
    source.words = {static_cast<const std::uint32_t*>(info_.pCode), info_.codeSize / 4};
    source.entry = info_.pName != nullptr ? info_.pName : "main";
    source.stage = stage_;
    source.specialization = info_.pSpecializationInfo;
    if (const auto* size = find_in_chain<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
            info_.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO))
      source.simd = size->requiredSubgroupSize;
    source.alpha_to_coverage = stage_ == isa::ShaderStage::Fragment;  // a command may ask for it
    PipelineLayout layout;
    for (const VkDescriptorSetLayout set : std::span(info_.pSetLayouts, info_.setLayoutCount))
      layout.sets.push_back(set == VK_NULL_HANDLE ? std::make_shared<const SetLayout>() : from_handle(set)->layout);
    source.array_lengths = array_lengths(&layout);
    source.planes = planes_of(&layout);
    auto loaded = load_stage(source, {}, nullptr);
    if (!loaded.ok()) return refuse(text_of(loaded.diagnostics()));
    to.loaded = std::move(*loaded);
    if (device_.capture) to.module.assign(source.words.begin(), source.words.end());
    return VK_SUCCESS;
  }

  VkResult refuse(const std::string& why) const {
    device_.physical.instance.error("vulkan-pipeline", std::string(isa::stage_info(stage_).name) + " shader '" +
                                                           (info_.pName != nullptr ? info_.pName : "") +
                                                           "' is refused: " + why);
    return VK_ERROR_UNKNOWN;
  }

  Device& device_;
  const VkShaderCreateInfoEXT& info_;
  const isa::ShaderStage stage_;
};

}  // namespace

std::shared_ptr<ShaderLinks> make_shader_links() { return std::make_shared<ShaderLinks>(); }

Pipeline* ShaderLinks::find(Device& device, const BoundShaders& shaders) {
  std::vector<std::uint64_t> key;
  for (const isa::ShaderStageInfo& s : isa::kShaderStages)
    if (s.stage != isa::ShaderStage::Compute) key.push_back(shaders[s.stage] != nullptr ? shaders[s.stage]->number : 0);
  const std::lock_guard guard(mutex_);
  const auto found = pipelines_.find(key);
  if (found != pipelines_.end()) return found->second.get();
  std::unique_ptr<Pipeline>& made = pipelines_[key];
  made = link_shaders(device, shaders);
  return made.get();
}

void ShaderLinks::forget(const ShaderObject& object) {
  const std::lock_guard guard(mutex_);
  std::erase_if(pipelines_, [&](const auto& entry) { return std::ranges::count(entry.first, object.number) != 0; });
}

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateShadersEXT(VkDevice device, uint32_t createInfoCount,
                                                const VkShaderCreateInfoEXT* pCreateInfos, const VkAllocationCallbacks*,
                                                VkShaderEXT* pShaders) {
  std::fill(pShaders, pShaders + createInfoCount, VkShaderEXT{});
  // The first that can't be made ends it.
  for (std::uint32_t i = 0; i < createInfoCount; ++i) {
    const VkResult result = guarded([&] {
      std::unique_ptr<ShaderObject> made;
      const VkResult one = Maker(*from_handle(device), pCreateInfos[i]).make(made);
      if (one == VK_SUCCESS) pShaders[i] = to_handle(made.release());
      return one;
    });
    if (result != VK_SUCCESS) return result;
  }
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyShaderEXT(VkDevice device, VkShaderEXT shader, const VkAllocationCallbacks*) {
  if (shader == VK_NULL_HANDLE) return;
  from_handle(device)->shader_links->forget(*from_handle(shader));
  destroy(device, from_handle(shader));
}

VKAPI_ATTR VkResult VKAPI_CALL GetShaderBinaryDataEXT(VkDevice, VkShaderEXT shader, size_t* pDataSize, void* pData) {
  return guarded([&] {
    const ShaderObject& object = *from_handle(shader);
    const std::vector<std::uint8_t> data = bytes_of(object.stage, *object.loaded->visa);
    if (pData != nullptr && *pDataSize < data.size()) {  // a part of it is of no use
      *pDataSize = 0;
      return VK_INCOMPLETE;
    }
    if (pData != nullptr) std::memcpy(pData, data.data(), data.size());
    *pDataSize = data.size();
    return VK_SUCCESS;
  });
}

}  // namespace entry
}  // namespace heddle::vulkan
