#include "vulkan/pipelines/graphics_pipeline.hpp"

#include <algorithm>
#include <span>
#include <spirv/unified1/spirv.hpp11>

#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/descriptors/descriptor_set.hpp"
#include "vulkan/pipelines/graphics_stages.hpp"
#include "vulkan/pipelines/pipeline_state.hpp"

namespace heddle::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

/// `void main() {}` as a fragment shader: what a pipeline without one runs, so that depth is written.
std::vector<std::uint32_t> empty_fragment_shader() {
  const auto op = [](spv::Op code, std::uint32_t words) { return static_cast<std::uint32_t>(code) | words << 16; };
  constexpr std::uint32_t kVoid = 1, kFunction = 2, kMain = 3, kLabel = 4, kBound = 5;
  constexpr std::uint32_t kName[] = {0x6e69616d, 0};  // "main"
  return {spv::MagicNumber,
          0x00010000,
          0,
          kBound,
          0,
          op(spv::Op::OpCapability, 2),
          static_cast<std::uint32_t>(spv::Capability::Shader),
          op(spv::Op::OpMemoryModel, 3),
          static_cast<std::uint32_t>(spv::AddressingModel::Logical),
          static_cast<std::uint32_t>(spv::MemoryModel::GLSL450),
          op(spv::Op::OpEntryPoint, 5),
          static_cast<std::uint32_t>(spv::ExecutionModel::Fragment),
          kMain,
          kName[0],
          kName[1],
          op(spv::Op::OpExecutionMode, 3),
          kMain,
          static_cast<std::uint32_t>(spv::ExecutionMode::OriginUpperLeft),
          op(spv::Op::OpTypeVoid, 2),
          kVoid,
          op(spv::Op::OpTypeFunction, 3),
          kFunction,
          kVoid,
          op(spv::Op::OpFunction, 5),
          kVoid,
          kMain,
          0,
          kFunction,
          op(spv::Op::OpLabel, 2),
          kLabel,
          op(spv::Op::OpReturn, 1),
          op(spv::Op::OpFunctionEnd, 1)};
}

class Maker {
 public:
  Maker(Device& device, PipelineCache* cache, const VkGraphicsPipelineCreateInfo& info)
      : device_(device), cache_(cache), info_(info), layout_(from_handle(info.layout)), hit_(cache != nullptr) {}

  VkResult make(std::unique_ptr<Pipeline>& out) {
    out = std::make_unique<Pipeline>();
    out->graphics = std::make_unique<GraphicsPipeline>();
    GraphicsPipeline& made = *out->graphics;
    const auto* libraries =
        find_in_chain<VkPipelineLibraryCreateInfoKHR>(info_.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    if (libraries != nullptr)
      for (const VkPipeline library : std::span(libraries->pLibraries, libraries->libraryCount))
        if (library != VK_NULL_HANDLE && from_handle(library)->graphics)  // its creation may have failed
          take_library(*from_handle(library)->graphics, made);
    const PipelineParts own = own_parts(libraries) & ~made.parts;
    take_state(info_, own, made);
    made.parts |= own;
    if (const VkResult result = load_stages(own, made); result != VK_SUCCESS) return result;
    if ((info_.flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) != 0) return VK_SUCCESS;
    if (made.vertex.loaded == nullptr) {
      device_.physical.instance.error("vulkan-pipeline",
                                      "a pipeline has no vertex shader: neither its stages nor its libraries give one");
      return VK_ERROR_UNKNOWN;
    }
    const VkResult result = finish(made);
    out->name = made.vertex.name;
    return result;
  }
  [[nodiscard]] bool hit() const { return hit_; }

 private:
  /// What of the pipeline the application gives here, not by libraries.
  [[nodiscard]] PipelineParts own_parts(const VkPipelineLibraryCreateInfoKHR* libraries) const {
    if (const auto* given = find_in_chain<VkGraphicsPipelineLibraryCreateInfoEXT>(
            info_.pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT))
      return given->flags;
    const bool links = libraries != nullptr && libraries->libraryCount != 0;
    return links || (info_.flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) != 0 ? 0 : kAllParts;
  }

  static void take_library(const GraphicsPipeline& from, GraphicsPipeline& to) {
    copy_parts(from.state, from.parts, to.state);
    to.ordered |= from.ordered;
    to.dynamic |= from.dynamic;
    to.parts |= from.parts;
    if ((from.parts & kOutputPart) != 0) to.colors = from.colors;
    if ((from.parts & kVertexInputPart) != 0) to.input = from.input;
    if (from.vertex.loaded) {
      to.vertex.loaded = from.vertex.loaded;
      to.vertex.module = from.vertex.module;
    }
    if (from.fragment.loaded) {
      to.fragment.loaded = from.fragment.loaded;
      to.fragment.module = from.fragment.module;
      to.fragment.per_sample = from.fragment.per_sample;
    }
  }

  /// The shaders of the parts that are given here.
  VkResult load_stages(PipelineParts own, GraphicsPipeline& made) {
    if ((own & kVertexPart) != 0)
      if (const auto* vertex = stage_info(VK_SHADER_STAGE_VERTEX_BIT)) {
        const VkResult result = load(*vertex, "vertex", made.vertex, made.vertex.loaded);
        if (result != VK_SUCCESS) return result;
      }
    if ((own & kFragmentPart) == 0 || !rasterizes(made)) return VK_SUCCESS;
    VkPipelineShaderStageCreateInfo none{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    none.stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    none.pName = "main";
    const auto* fragment = stage_info(VK_SHADER_STAGE_FRAGMENT_BIT);
    // Where another part or a command says it, the shader is made for both.
    const bool to_coverage = (made.parts & kOutputPart) == 0 || made.state.alpha_to_coverage == VK_TRUE ||
                             has_state(made.dynamic, VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT);
    return load(fragment != nullptr ? *fragment : none, "fragment", made.fragment, made.fragment.loaded, to_coverage,
                made.colors);
  }

  /// Programs of the stages: the pipeline is whole.
  VkResult finish(GraphicsPipeline& made) {
    made.dynamic_input = has_state(made.dynamic, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT);
    for (const VkDynamicState state :
         {VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT, VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_EXT,
          VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_ENABLE_EXT})
      made.dynamic_samples = made.dynamic_samples || has_state(made.dynamic, state);
    const auto vertex = make_vertex_stage(device_, made);
    if (!vertex.ok()) return refuse("vertex", made.vertex.name, vertex.diagnostics());
    if (!rasterizes(made)) return VK_SUCCESS;
    if (!made.fragment.loaded) {  // no library has a fragment shader
      const VkResult result = load_stages(kFragmentPart, made);
      if (result != VK_SUCCESS) return result;
    }
    const auto fragment = make_fragment_stage(device_, made);
    return fragment.ok() ? VK_SUCCESS : refuse("fragment", made.fragment.name, fragment.diagnostics());
  }

  [[nodiscard]] const VkPipelineShaderStageCreateInfo* stage_info(VkShaderStageFlagBits which) const {
    for (const VkPipelineShaderStageCreateInfo& s : std::span(info_.pStages, info_.stageCount))
      if (s.stage == which) return &s;
    return nullptr;
  }
  VkResult refuse(const char* what, const std::string& name, const std::vector<base::Diagnostic>& why) {
    device_.physical.instance.error("vulkan-pipeline",
                                    std::string(what) + " shader '" + name + "' is refused: " + text_of(why));
    return VK_ERROR_UNKNOWN;
  }
  VkResult load(const VkPipelineShaderStageCreateInfo& info, const char* what, Shader& shader,
                std::shared_ptr<const LoadedStage>& to, bool alpha_to_coverage = false, std::uint32_t targets = ~0u) {
    static const std::vector<std::uint32_t> kEmpty = empty_fragment_shader();
    ShaderStage stage = stage_of(info);
    if (stage.words.empty()) stage.words = kEmpty;
    stage.simd = kPixelLanes;
    stage.sample_shading = info.stage == VK_SHADER_STAGE_FRAGMENT_BIT && shades_samples(info_);
    stage.alpha_to_coverage = alpha_to_coverage;
    stage.targets = targets;
    stage.array_lengths = array_lengths(layout_);
    stage.planes = planes_of(layout_);
    const std::string key = cache_ == nullptr ? std::string() : key_of(stage);
    const bool known = cache_ != nullptr && cache_->find(key).has_value();
    hit_ = hit_ && known;
    if (!known && (info_.flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT) != 0)
      return VK_PIPELINE_COMPILE_REQUIRED;
    auto loaded = load_stage(stage, key, cache_);
    if (!loaded.ok()) return refuse(what, stage.entry, loaded.diagnostics());
    to = std::move(*loaded);
    if (device_.capture) shader.module.assign(stage.words.begin(), stage.words.end());
    return VK_SUCCESS;
  }

  Device& device_;
  PipelineCache* cache_;
  const VkGraphicsPipelineCreateInfo& info_;
  const PipelineLayout* layout_;
  bool hit_;
};

VkResult create_one(Device& device, PipelineCache* cache, const VkGraphicsPipelineCreateInfo& info, VkPipeline* out) {
  const Clock::time_point begin = Clock::now();
  Maker maker(device, cache, info);
  std::unique_ptr<Pipeline> made;
  const VkResult result = maker.make(made);
  if (result != VK_SUCCESS) return result;
  *out = to_handle(made.release());
  give_feedback(info.pNext, maker.hit(), begin);
  return VK_SUCCESS;
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateGraphicsPipelines(VkDevice device, VkPipelineCache pipelineCache,
                                                       uint32_t createInfoCount,
                                                       const VkGraphicsPipelineCreateInfo* pCreateInfos,
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

}  // namespace entry
}  // namespace heddle::vulkan
