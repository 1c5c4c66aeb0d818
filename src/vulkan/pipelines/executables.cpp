// SPDX-License-Identifier: MIT
// VK_KHR_pipeline_executable_properties: what a pipeline's stages were compiled to. An executable is a stage, in the
// order of stages.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "isa/description.hpp"
#include "verify/pressure.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"
#include "vulkan/pipelines/shader.hpp"

namespace heddle::vulkan {
namespace {

struct Executable {
  ShaderStage stage{};
  const pipeline::Program* program = nullptr;
  const std::string* visa = nullptr;
};

std::vector<Executable> executables_of(const Pipeline& pipeline) {
  if (!pipeline.graphics) return {{ShaderStage::Compute, &pipeline.program->program(), pipeline.visa.get()}};
  std::vector<Executable> all;
  for (const isa::ShaderStageInfo& s : isa::kShaderStages)
    if (const auto& loaded = pipeline.graphics->stages[s.stage].loaded; loaded != nullptr)
      all.push_back({s.stage, loaded->program.get(), loaded->visa.get()});
  return all;
}

void put(std::string_view text, char (&to)[VK_MAX_DESCRIPTION_SIZE]) {
  const std::size_t count = std::min<std::size_t>(text.size(), VK_MAX_DESCRIPTION_SIZE - 1);
  std::memcpy(to, text.data(), count);
  to[count] = 0;
}

struct Statistic {
  const char *name, *description;
  std::uint64_t value;
};

/// Of the families that ask the texture unit.
bool asks_sampler(const isa::Instruction& i) {
  constexpr std::string_view kFamilies[] = {"sample", "sample4", "load", "info", "sample_unorm", "footprint"};
  return std::ranges::find(kFamilies, i.description->family) != std::end(kFamilies);
}

std::vector<Statistic> statistics_of(const Executable& e) {
  const isa::Object& kernel = e.program->object();
  std::uint64_t registers = 0;
  for (const isa::GeneralVariable& v : kernel.variables)
    if (v.alias == 0) registers += std::uint64_t{v.elements} * isa::type_bytes(v.type);
  const auto messages = std::ranges::count_if(kernel.instructions, asks_sampler);
  std::vector<Statistic> all = {
      {"Instructions", "vISA instructions of the program", kernel.instructions.size()},
      {"Sampler messages", "Instructions that read textures, or ask for their sizes or footprints",
       static_cast<std::uint64_t>(messages)},
      {"Variable bytes", "Bytes of all variables of a thread", registers},
  };
  const auto pressure = verify::find_pressure(kernel, isa::platform_info(kPlatform).grf_bytes);
  if (pressure.ok())
    all.push_back({"Live bytes", "The greatest number of bytes of variables that hold values at one place",
                   pressure->most().bytes});
  return all;
}

template <typename Out, typename Use>
VkResult for_executable(const VkPipelineExecutableInfoKHR& info, std::uint32_t* count, Out* out, Use&& use) {
  return guarded([&] {
    const std::vector<Executable> all = executables_of(*from_handle(info.pipeline));
    if (info.executableIndex < all.size()) return use(all[info.executableIndex]);
    (void)out;
    *count = 0;
    return VK_SUCCESS;
  });
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineExecutablePropertiesKHR(VkDevice, const VkPipelineInfoKHR* pPipelineInfo,
                                                                  uint32_t* pExecutableCount,
                                                                  VkPipelineExecutablePropertiesKHR* pProperties) {
  return guarded([&] {
    return give_list(executables_of(*from_handle(pPipelineInfo->pipeline)), pExecutableCount, pProperties,
                     [](VkPipelineExecutablePropertiesKHR& to, const Executable& e) {
                       const isa::Object& kernel = e.program->object();
                       to.stages = kStageRows[e.stage].flag;
                       put(fmt::format("{} shader", isa::stage_info(e.stage).name), to.name);
                       put(fmt::format("{} shader '{}' as a vISA kernel", isa::stage_info(e.stage).name, kernel.name),
                           to.description);
                       to.subgroupSize =
                           static_cast<std::uint32_t>(kernel.integer_attribute("SimdSize").value_or(kSubgroupSize));
                     });
  });
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineExecutableStatisticsKHR(VkDevice,
                                                                  const VkPipelineExecutableInfoKHR* pExecutableInfo,
                                                                  uint32_t* pStatisticCount,
                                                                  VkPipelineExecutableStatisticKHR* pStatistics) {
  return for_executable(*pExecutableInfo, pStatisticCount, pStatistics, [&](const Executable& e) {
    return give_list(statistics_of(e), pStatisticCount, pStatistics,
                     [](VkPipelineExecutableStatisticKHR& to, const Statistic& from) {
                       put(from.name, to.name);
                       put(from.description, to.description);
                       to.format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR;
                       to.value.u64 = from.value;
                     });
  });
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineExecutableInternalRepresentationsKHR(
    VkDevice, const VkPipelineExecutableInfoKHR* pExecutableInfo, uint32_t* pInternalRepresentationCount,
    VkPipelineExecutableInternalRepresentationKHR* pInternalRepresentations) {
  return for_executable(
      *pExecutableInfo, pInternalRepresentationCount, pInternalRepresentations, [&](const Executable& e) {
        VkResult cut = VK_SUCCESS;
        const VkResult listed =
            give_list(std::vector{e}, pInternalRepresentationCount, pInternalRepresentations,
                      [&](VkPipelineExecutableInternalRepresentationKHR& to, const Executable& from) {
                        put("vISA", to.name);
                        put("The program as Intel's virtual ISA, which the driver runs", to.description);
                        to.isText = VK_TRUE;
                        const std::size_t size = from.visa->size() + 1;
                        if (to.pData != nullptr) {
                          const std::size_t room = std::min(to.dataSize, size);
                          std::memcpy(to.pData, from.visa->c_str(), room);
                          if (room < size) cut = VK_INCOMPLETE;
                          to.dataSize = room;
                        } else {
                          to.dataSize = size;
                        }
                      });
        return listed == VK_SUCCESS ? cut : listed;
      });
}

}  // namespace entry
}  // namespace heddle::vulkan
