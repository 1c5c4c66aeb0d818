// SPDX-License-Identifier: MIT
#include "vulkan/pipelines/graphics_pipeline.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <spirv/unified1/spirv.hpp11>

#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/descriptors/pipeline_layout.hpp"
#include "vulkan/pipelines/create_pipelines.hpp"
#include "vulkan/pipelines/graphics_stages.hpp"
#include "vulkan/pipelines/pipeline_binary.hpp"
#include "vulkan/pipelines/pipeline_cache.hpp"
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
      : device_(device),
        cache_(cache),
        info_(info),
        layout_(from_handle(info.layout)),
        given_(given_binaries(info.pNext)),
        flags_(pipeline_flags(info)),
        hit_(cache != nullptr) {}

  VkResult make(std::unique_ptr<Pipeline>& out) {
    out = std::make_unique<Pipeline>();
    out->graphics = std::make_unique<GraphicsPipeline>();
    GraphicsPipeline& made = *out->graphics;
    take_parts(made);
    if (const VkResult result = load_stages(own_, made); result != VK_SUCCESS) return result;
    out->gives_binaries = (flags_ & VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR) != 0;
    if ((flags_ & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR) != 0) return VK_SUCCESS;
    const VkResult result = finish(made);
    out->name = made.stages[first_stage(made)].name;
    return result;
  }
  [[nodiscard]] bool hit() const { return hit_; }

  /// Of the stages as they would be compiled, and of those that libraries have.
  void add_key(base::KeyMaker& key) {
    GraphicsPipeline made;
    take_parts(made);
    for (const StageRow& row : kStageRows) {
      const auto source = own_source(row, own_, made);
      if (source) key.text(key_of(with_layout(*source)));
      if (!source && made.stages[row.stage].loaded) key.text(*made.stages[row.stage].loaded->visa);
    }
  }

  /// Of shader objects.
  VkResult link(const BoundShaders& shaders, std::unique_ptr<Pipeline>& out) {
    out = std::make_unique<Pipeline>();
    out->graphics = std::make_unique<GraphicsPipeline>();
    GraphicsPipeline& made = *out->graphics;
    made.parts = kAllParts;
    made.dynamic = all_dynamic_states();
    for (const StageRow& row : kStageRows)
      if (const ShaderObject* shader = shaders[row.stage]; shader != nullptr && row.part != 0) {
        made.stages[row.stage].loaded = shader->loaded;
        made.stages[row.stage].module = shader->module;
        if (out->name.empty()) out->name = shader->loaded->program->object().name;
      }
    return finish(made);
  }

 private:
  /// Libraries, and the state that is given here.
  void take_parts(GraphicsPipeline& made) {
    const auto* libraries =
        find_in_chain<VkPipelineLibraryCreateInfoKHR>(info_.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    if (libraries != nullptr)
      for (const VkPipeline library : std::span(libraries->pLibraries, libraries->libraryCount))
        if (library != VK_NULL_HANDLE && from_handle(library)->graphics)  // its creation may have failed
          take_library(*from_handle(library)->graphics, made);
    own_ = own_parts(libraries) & ~made.parts;
    take_state(info_, own_, made);
    made.parts |= own_;
  }
  /// What of the pipeline the application gives here, not by libraries.
  [[nodiscard]] PipelineParts own_parts(const VkPipelineLibraryCreateInfoKHR* libraries) const {
    if (const auto* given = find_in_chain<VkGraphicsPipelineLibraryCreateInfoEXT>(
            info_.pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT))
      return given->flags;
    const bool links = libraries != nullptr && libraries->libraryCount != 0;
    return links || (flags_ & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR) != 0 ? 0 : kAllParts;
  }

  static void take_library(const GraphicsPipeline& from, GraphicsPipeline& to) {
    copy_parts(from.state, from.parts, to.state);
    to.ordered |= from.ordered;
    to.dynamic |= from.dynamic;
    to.parts |= from.parts;
    if ((from.parts & kOutputPart) != 0) {
      to.colors = from.colors;
      to.tested = from.tested;
    }
    if ((from.parts & kVertexInputPart) != 0) to.input = from.input;
    for (const isa::ShaderStageInfo& s : isa::kShaderStages)
      if (const GraphicsStage& given = from.stages[s.stage]; given.loaded) {
        to.stages[s.stage].loaded = given.loaded;
        to.stages[s.stage].module = given.module;
      }
    if (from.stages[ShaderStage::Fragment].loaded) {
      to.pixels.per_sample = from.pixels.per_sample;
      to.pixels.sample_shading = from.pixels.sample_shading;
    }
  }

  /// The shaders of the parts that are given here.
  VkResult load_stages(PipelineParts own, GraphicsPipeline& made) {
    for (const StageRow& row : kStageRows) {
      const auto source = own_source(row, own, made);
      if (!source) continue;
      const VkResult result = load(*source, made.stages[row.stage]);
      if (result != VK_SUCCESS) return result;
    }
    return VK_SUCCESS;
  }
  /// A stage of the parts that are given here; nothing: there is none.
  [[nodiscard]] std::optional<StageSource> own_source(const StageRow& row, PipelineParts own,
                                                      const GraphicsPipeline& made) const {
    if (!isa::stage_info(row.stage).compiled || (own & row.part) == 0) return std::nullopt;
    return row.stage == ShaderStage::Fragment ? fragment_source(made) : given_source(row);
  }

  /// What the application gives of a stage; nothing: no such shader.
  [[nodiscard]] std::optional<StageSource> given_source(const StageRow& row) const {
    for (const VkPipelineShaderStageCreateInfo& s : std::span(info_.pStages, info_.stageCount))
      if (s.stage == row.flag) return source_of(s);
    return std::nullopt;
  }

  /// Nothing: no pixels are shaded. A pipeline without a fragment shader has one that does nothing.
  [[nodiscard]] std::optional<StageSource> fragment_source(const GraphicsPipeline& made) const {
    static const std::vector<std::uint32_t> kEmpty = empty_fragment_shader();
    if (!rasterizes(made)) return std::nullopt;
    StageSource source = given_source(kStageRows[ShaderStage::Fragment]).value_or(StageSource{});
    source.stage = ShaderStage::Fragment;
    if (source.entry.empty()) source.entry = "main";
    if (source.words.empty()) source.words = kEmpty;
    source.sample_shading = shades_samples(info_);
    // Where another part or a command says it, the shader is made for both.
    source.alpha_to_coverage = (made.parts & kOutputPart) == 0 || made.state.alpha_to_coverage == VK_TRUE ||
                               has_state(made.dynamic, VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT);
    source.targets = made.colors;
    return source;
  }

  /// Stages that no draw can begin with, or that cannot stand beside each other; null: all is well.
  static const char* why_not_together(const GraphicsPipeline& made) {
    const auto has = [&](ShaderStage stage) { return made.stages[stage].loaded != nullptr; };
    const bool mesh = has(ShaderStage::Mesh);
    if (!mesh && has(ShaderStage::Task)) return "a pipeline has a task shader and no mesh shader behind it";
    if (!mesh && !has(ShaderStage::Vertex))
      return "a pipeline has no vertex or mesh shader: neither its stages, nor its libraries, nor what is bound give "
             "one";
    if (mesh && (has(ShaderStage::Vertex) || has(ShaderStage::TessellationControl) ||
                 has(ShaderStage::TessellationEvaluation) || has(ShaderStage::Geometry)))
      return "a pipeline has a mesh shader beside stages of vertices; it takes their place";
    return nullptr;
  }

  /// Programs of the stages: the pipeline is whole.
  VkResult finish(GraphicsPipeline& made) {
    if (const char* const why = why_not_together(made)) {
      device_.physical.instance.error("vulkan-pipeline", why);
      return VK_ERROR_UNKNOWN;
    }
    made.dynamic_input = has_state(made.dynamic, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT);
    for (const VkDynamicState state :
         {VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT, VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_EXT,
          VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_ENABLE_EXT})
      made.dynamic_samples = made.dynamic_samples || has_state(made.dynamic, state);
    if (rasterizes(made) && !made.stages[ShaderStage::Fragment].loaded) {  // no library has a fragment shader
      const VkResult result = load_stages(kFragmentPart, made);
      if (result != VK_SUCCESS) return result;
    }
    set_records(made);
    for (const StageRow& row : kStageRows) {
      GraphicsStage& stage = made.stages[row.stage];
      if (!stage.loaded || (row.part == kFragmentPart && !rasterizes(made))) continue;
      stage.listed = listed_code(flags_);
      if (const auto done = make_stage(device_, row.stage, made); !done.ok())
        return refuse(row.stage, stage.name, done.diagnostics());
    }
    return VK_SUCCESS;
  }

  VkResult refuse(ShaderStage stage, const std::string& name, const std::vector<base::Diagnostic>& why) {
    device_.physical.instance.error("vulkan-pipeline", std::string(isa::stage_info(stage).name) + " shader '" + name +
                                                           "' is refused: " + text_of(why));
    return VK_ERROR_UNKNOWN;
  }
  [[nodiscard]] StageSource with_layout(StageSource stage) const {
    stage.array_lengths = array_lengths(layout_);
    stage.planes = planes_of(layout_);
    return stage;
  }
  VkResult load(const StageSource& given, GraphicsStage& to) {
    if (const PipelineBinary* binary = given_[given.stage]) {
      hit_ = false;
      to.loaded = binary->loaded;
      return VK_SUCCESS;
    }
    const StageSource stage = with_layout(given);
    const std::string key = cache_ == nullptr ? std::string() : key_of(stage);
    const bool known = cache_ != nullptr && cache_->find(key).has_value();
    hit_ = hit_ && known;
    if (!known && (flags_ & VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT) != 0)
      return VK_PIPELINE_COMPILE_REQUIRED;
    auto loaded = load_stage(stage, key, cache_);
    if (!loaded.ok()) return refuse(stage.stage, stage.entry, loaded.diagnostics());
    to.loaded = std::move(*loaded);
    if (device_.capture) to.module.assign(stage.words.begin(), stage.words.end());
    return VK_SUCCESS;
  }

  Device& device_;
  PipelineCache* cache_;
  const VkGraphicsPipelineCreateInfo& info_;
  const PipelineLayout* layout_;
  const GivenBinaries given_;
  const VkPipelineCreateFlags2 flags_;
  PipelineParts own_ = 0;  ///< that are given here, not by libraries
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

void add_key(Device& device, const VkGraphicsPipelineCreateInfo& info, base::KeyMaker& key) {
  Maker(device, nullptr, info).add_key(key);
}

std::unique_ptr<Pipeline> link_shaders(Device& device, const BoundShaders& shaders) {
  const VkGraphicsPipelineCreateInfo none{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
  std::unique_ptr<Pipeline> made;
  return Maker(device, nullptr, none).link(shaders, made) == VK_SUCCESS ? std::move(made) : nullptr;
}

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateGraphicsPipelines(VkDevice device, VkPipelineCache pipelineCache,
                                                       uint32_t createInfoCount,
                                                       const VkGraphicsPipelineCreateInfo* pCreateInfos,
                                                       const VkAllocationCallbacks*, VkPipeline* pPipelines) {
  return create_pipelines(std::span(pCreateInfos, createInfoCount), pPipelines,
                          [&](const VkGraphicsPipelineCreateInfo& info, VkPipeline* out) {
                            return create_one(*from_handle(device), from_handle(pipelineCache), info, out);
                          });
}

}  // namespace entry
}  // namespace heddle::vulkan
