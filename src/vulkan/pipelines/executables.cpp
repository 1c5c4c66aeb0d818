// SPDX-License-Identifier: MIT
// VK_KHR_pipeline_executable_properties: what a pipeline's stages were compiled to. An executable is a stage, in the
// order of stages. Machine code depends on what is bound, so that there is much of it for one stage, or none yet: told
// is the code that ran most, or what a run would begin with. It is compiled again for whoever asks.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "engine/jit/codegen/compile.hpp"
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
  const Shader* shader = nullptr;
  const std::string* visa = nullptr;
};

std::vector<Executable> executables_of(const Pipeline& pipeline) {
  if (!pipeline.graphics) return {{ShaderStage::Compute, &pipeline.program->program(), &pipeline, pipeline.visa.get()}};
  std::vector<Executable> all;
  for (const isa::ShaderStageInfo& s : isa::kShaderStages)
    if (const GraphicsStage& stage = pipeline.graphics->stages[s.stage]; stage.loaded != nullptr)
      all.push_back({s.stage, stage.loaded->program.get(), &stage, stage.loaded->visa.get()});
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

/// A form of an executable.
struct Representation {
  std::string name, description;
  std::string text;
};

Representation machine_code(const engine::jit::CodeListing& listing) {
  Representation made{"machine code", {}, listing.assembly};
  const char* const tier = listing.tier == engine::jit::Tier::First ? "the first tier" : "the second, optimized tier";
  if (!listing.problem.empty())
    made.description = made.text = "There is none: " + listing.problem;
  else if (listing.bound)
    made.description = fmt::format("Assembly of the code that ran most by now: of {}, for what was bound to it", tier);
  else
    made.description = fmt::format("Assembly of the code of {}; nothing has run yet, so it is for any image", tier);
  return made;
}

/// How much is told of machine code: that there is some; what was listed last; what it is by now.
enum class Code : std::uint8_t { Exists, Last, Now };

std::vector<Representation> representations_of(const Executable& e, Code code) {
  std::vector<Representation> all = {{"vISA", "The program as Intel's virtual ISA, which the driver runs", *e.visa}};
  if (e.shader->listed == nullptr || !engine::jit::has_compiler()) return all;
  all.push_back(code == Code::Exists ? Representation() : machine_code(*e.shader->listed->list(code == Code::Now)));
  return all;
}

/// What there is room for, with a zero at its end; where there is no place for it, its size.
VkResult put(const std::string& text, VkPipelineExecutableInternalRepresentationKHR& to) {
  const std::size_t size = text.size() + 1, room = std::min(to.dataSize, size);
  if (to.pData != nullptr && room != 0) {
    std::memcpy(to.pData, text.data(), room - 1);
    static_cast<char*>(to.pData)[room - 1] = '\0';
  }
  to.dataSize = to.pData != nullptr ? room : size;
  return to.dataSize < size ? VK_INCOMPLETE : VK_SUCCESS;
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
        // Sizes are asked for first; the text that follows is the one that had the size. Machine code is the second
        // form: with less room nothing is told of it. An array of no elements may be anywhere.
        const std::uint32_t room = pInternalRepresentations == nullptr ? 0 : *pInternalRepresentationCount;
        const Code code = room < 2 ? Code::Exists : pInternalRepresentations->pData == nullptr ? Code::Now : Code::Last;
        VkResult cut = VK_SUCCESS;
        const VkResult listed =
            give_list(representations_of(e, code), pInternalRepresentationCount, pInternalRepresentations,
                      [&](VkPipelineExecutableInternalRepresentationKHR& to, const Representation& from) {
                        put(from.name, to.name);
                        put(from.description, to.description);
                        to.isText = VK_TRUE;
                        if (put(from.text, to) != VK_SUCCESS) cut = VK_INCOMPLETE;
                      });
        return listed == VK_SUCCESS ? cut : listed;
      });
}

}  // namespace entry
}  // namespace heddle::vulkan
