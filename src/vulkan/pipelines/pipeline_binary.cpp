// SPDX-License-Identifier: MIT
#include "vulkan/pipelines/pipeline_binary.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "base/disk_cache.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/device/properties/identity.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/pipelines/code/stage_binary.hpp"
#include "vulkan/pipelines/create_pipelines.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"
#include "vulkan/pipelines/shader.hpp"

namespace heddle::vulkan {
namespace {

void put(std::string_view key, VkPipelineBinaryKeyKHR& to) {
  to.keySize = static_cast<std::uint32_t>(std::min<std::size_t>(key.size(), VK_MAX_PIPELINE_BINARY_KEY_SIZE_KHR));
  std::memcpy(to.key, key.data(), to.keySize);
}

std::string key_of(const PipelineBinary& binary) { return name_of(binary.stage, *binary.loaded->visa); }

/// What stands in a list of binaries that are to be made; null where it cannot be.
using Made = std::unique_ptr<PipelineBinary>;

Made made_of(const VkPipelineBinaryKeyKHR& key, const VkPipelineBinaryDataKHR& data) {
  if (data.pData == nullptr) return nullptr;
  const StageBinary read = read_stage_binary({static_cast<const std::uint8_t*>(data.pData), data.dataSize});
  if (read.visa == nullptr) return nullptr;
  const std::string name = name_of(read.stage, *read.visa);
  if (key.keySize != name.size() || std::memcmp(key.key, name.data(), name.size()) != 0) return nullptr;
  auto loaded = read_stage(read.visa);
  if (!loaded.ok() || (*loaded)->interface.stage != read.stage) return nullptr;
  return std::make_unique<PipelineBinary>(PipelineBinary{read.stage, std::move(*loaded)});
}

std::uint32_t count_of(const VkPipelineBinaryKeysAndDataKHR& from) { return from.binaryCount; }

std::vector<Made> made_of(const VkPipelineBinaryKeysAndDataKHR& from) {
  std::vector<Made> all;
  for (std::uint32_t i = 0; i < from.binaryCount; ++i)
    all.push_back(made_of(from.pPipelineBinaryKeys[i], from.pPipelineBinaryData[i]));
  return all;
}

std::uint32_t count_of(const Pipeline& pipeline) {
  if (!pipeline.graphics) return 1;
  return static_cast<std::uint32_t>(std::ranges::count_if(isa::kShaderStages, [&](const isa::ShaderStageInfo& s) {
    return pipeline.graphics->stages[s.stage].loaded != nullptr;
  }));
}

std::vector<Made> made_of(const Pipeline& pipeline) {
  std::vector<Made> all;
  const auto add = [&](isa::ShaderStage stage, std::shared_ptr<const LoadedStage> loaded) {
    all.push_back(std::make_unique<PipelineBinary>(PipelineBinary{stage, std::move(loaded)}));
  };
  if (pipeline.graphics) {
    for (const isa::ShaderStageInfo& s : isa::kShaderStages)
      if (const auto& loaded = pipeline.graphics->stages[s.stage].loaded; loaded != nullptr) add(s.stage, loaded);
  } else if (auto loaded = read_stage(pipeline.visa); loaded.ok()) {
    add(isa::ShaderStage::Compute, std::move(*loaded));
  }
  return all;
}

/// Hands out as many as there is room for; where they are only counted, none is made. The result is that of the first
/// that could not be made.
template <typename From>
VkResult give(const From& from, VkPipelineBinaryHandlesInfoKHR& to) {
  if (to.pPipelineBinaries == nullptr) {
    to.pipelineBinaryCount = count_of(from);
    return VK_SUCCESS;
  }
  std::vector<Made> made = made_of(from);
  const auto there = static_cast<std::uint32_t>(made.size());
  to.pipelineBinaryCount = std::min(to.pipelineBinaryCount, there);
  bool failed = false;
  for (std::uint32_t i = 0; i < to.pipelineBinaryCount; ++i) {
    failed = failed || made[i] == nullptr;
    to.pPipelineBinaries[i] = to_handle(made[i].release());
  }
  if (failed) return VK_ERROR_INITIALIZATION_FAILED;
  return to.pipelineBinaryCount < there ? VK_INCOMPLETE : VK_SUCCESS;
}

VkResult refuse(Device& device, const char* why) {
  device.physical.instance.error("vulkan-pipeline", why);
  return VK_ERROR_INITIALIZATION_FAILED;
}

VkResult create(Device& device, const VkPipelineBinaryCreateInfoKHR& info, VkPipelineBinaryHandlesInfoKHR& to) {
  if (info.pKeysAndDataInfo != nullptr) return give(*info.pKeysAndDataInfo, to);
  if (info.pipeline != VK_NULL_HANDLE) {
    const Pipeline& pipeline = *from_handle(info.pipeline);
    if (pipeline.gives_binaries) return give(pipeline, to);
    to.pipelineBinaryCount = 0;
    return refuse(device,
                  "a pipeline gives no binaries: it was made without VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR, or its "
                  "captured data was released");
  }
  to.pipelineBinaryCount = 0;
  return VK_PIPELINE_BINARY_MISSING_KHR;  // the driver itself keeps none
}

}  // namespace

GivenBinaries given_binaries(const void* chain) {
  GivenBinaries given{};
  const auto* info = find_in_chain<VkPipelineBinaryInfoKHR>(chain, VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR);
  if (info == nullptr) return given;
  for (const VkPipelineBinaryKHR handle : std::span(info->pPipelineBinaries, info->binaryCount))
    if (handle != VK_NULL_HANDLE) given[from_handle(handle)->stage] = from_handle(handle);
  return given;
}

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineBinariesKHR(VkDevice device,
                                                         const VkPipelineBinaryCreateInfoKHR* pCreateInfo,
                                                         const VkAllocationCallbacks*,
                                                         VkPipelineBinaryHandlesInfoKHR* pBinaries) {
  if (pBinaries->pPipelineBinaries != nullptr)
    std::fill_n(pBinaries->pPipelineBinaries, pBinaries->pipelineBinaryCount, VkPipelineBinaryKHR{});
  return guarded([&] { return create(*from_handle(device), *pCreateInfo, *pBinaries); });
}

VKAPI_ATTR void VKAPI_CALL DestroyPipelineBinaryKHR(VkDevice device, VkPipelineBinaryKHR pipelineBinary,
                                                    const VkAllocationCallbacks*) {
  destroy(device, from_handle(pipelineBinary));
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineKeyKHR(VkDevice device, const VkPipelineCreateInfoKHR* pPipelineCreateInfo,
                                                 VkPipelineBinaryKeyKHR* pPipelineKey) {
  return guarded([&] {
    base::KeyMaker key;
    key.text("vulkan pipeline");
    key.value(build_uuid());
    const void* chain = pPipelineCreateInfo != nullptr ? pPipelineCreateInfo->pNext : nullptr;
    if (const auto* compute =
            find_in_chain<VkComputePipelineCreateInfo>(chain, VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO))
      add_key(*compute, key);
    else if (const auto* graphics =
                 find_in_chain<VkGraphicsPipelineCreateInfo>(chain, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO))
      add_key(*from_handle(device), *graphics, key);
    put(key.hex(), *pPipelineKey);
    return VK_SUCCESS;
  });
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineBinaryDataKHR(VkDevice, const VkPipelineBinaryDataInfoKHR* pInfo,
                                                        VkPipelineBinaryKeyKHR* pPipelineBinaryKey,
                                                        size_t* pPipelineBinaryDataSize, void* pPipelineBinaryData) {
  return guarded([&] {
    const PipelineBinary& binary = *from_handle(pInfo->pipelineBinary);
    const std::vector<std::uint8_t> data = bytes_of(binary.stage, *binary.loaded->visa);
    const std::size_t room = *pPipelineBinaryDataSize;
    *pPipelineBinaryDataSize = data.size();
    if (pPipelineBinaryData != nullptr && room < data.size()) return VK_ERROR_NOT_ENOUGH_SPACE_KHR;
    if (pPipelineBinaryData != nullptr) std::memcpy(pPipelineBinaryData, data.data(), data.size());
    put(key_of(binary), *pPipelineBinaryKey);
    return VK_SUCCESS;
  });
}

VKAPI_ATTR VkResult VKAPI_CALL ReleaseCapturedPipelineDataKHR(VkDevice,
                                                              const VkReleaseCapturedPipelineDataInfoKHR* pInfo,
                                                              const VkAllocationCallbacks*) {
  from_handle(pInfo->pipeline)->gives_binaries = false;
  return VK_SUCCESS;
}

}  // namespace entry
}  // namespace heddle::vulkan
