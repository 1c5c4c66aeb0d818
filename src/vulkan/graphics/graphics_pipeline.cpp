#include "vulkan/graphics/graphics_pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <spirv/unified1/spirv.hpp11>

#include "image/vulkan_formats.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/graphics/graphics_stages.hpp"
#include "vulkan/graphics/render_pass.hpp"
#include "vulkan/objects/descriptors.hpp"
#include "vulkan/objects/device.hpp"

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

void take_vertex_input(const VkGraphicsPipelineCreateInfo& info, GraphicsPipeline& to) {
  if (info.pVertexInputState != nullptr) {
    const VkPipelineVertexInputStateCreateInfo& input = *info.pVertexInputState;
    for (const VkVertexInputBindingDescription& b :
         std::span(input.pVertexBindingDescriptions, input.vertexBindingDescriptionCount)) {
      if (b.binding >= kMostVertexBindings) continue;
      if (to.divisors.size() <= b.binding) to.divisors.resize(b.binding + 1);
      to.state.strides[b.binding] = b.stride;
      if (b.inputRate == VK_VERTEX_INPUT_RATE_INSTANCE) to.divisors[b.binding] = 1;
    }
    if (const auto* list = find_in_chain<VkPipelineVertexInputDivisorStateCreateInfoEXT>(
            input.pNext, VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT))
      for (const VkVertexInputBindingDivisorDescriptionEXT& d :
           std::span(list->pVertexBindingDivisors, list->vertexBindingDivisorCount))
        if (d.binding < to.divisors.size() && to.divisors[d.binding]) to.divisors[d.binding] = d.divisor;
  }
  if (info.pInputAssemblyState != nullptr) {
    to.state.topology = info.pInputAssemblyState->topology;
    to.state.restart = info.pInputAssemblyState->primitiveRestartEnable;
  }
}

/// What extensions add to the rasterizer's state.
void take_chain(const void* chain, GraphicsPipeline& to) {
  if (const auto* clip = find_in_chain<VkPipelineRasterizationDepthClipStateCreateInfoEXT>(
          chain, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT))
    to.depth_clip = clip->depthClipEnable == VK_TRUE;
  if (const auto* provoking = find_in_chain<VkPipelineRasterizationProvokingVertexStateCreateInfoEXT>(
          chain, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT))
    to.provoking_last = provoking->provokingVertexMode == VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT;
  if (const auto* line = find_in_chain<VkPipelineRasterizationLineStateCreateInfoEXT>(
          chain, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT)) {
    to.bresenham = line->lineRasterizationMode == VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT;
    if (line->stippledLineEnable == VK_TRUE) to.stipple.emplace();
    to.state.stipple_factor = line->lineStippleFactor;
    to.state.stipple_pattern = line->lineStipplePattern;
  }
}

bool is_dynamic(const VkGraphicsPipelineCreateInfo& info, VkDynamicState state) {
  const auto* d = info.pDynamicState;
  return d != nullptr && std::find(d->pDynamicStates, d->pDynamicStates + d->dynamicStateCount, state) !=
                             d->pDynamicStates + d->dynamicStateCount;
}

/// Which attachments the pipeline draws to; state of those that it lacks is ignored, and may lie anywhere.
struct Attachments {
  bool color = false, depth_stencil = false;
};
Attachments attachments_of(const VkGraphicsPipelineCreateInfo& info) {
  Attachments has;
  if (info.renderPass != VK_NULL_HANDLE) {
    const RenderPass& pass = *from_handle(info.renderPass);
    if (info.subpass >= pass.subpasses.size()) return has;
    const RenderPass::Subpass& subpass = pass.subpasses[info.subpass];
    has.color = std::ranges::any_of(subpass.colors, [](const auto& reference) { return reference.has_value(); });
    has.depth_stencil = subpass.depth_stencil.has_value();
  } else if (const auto* r = find_in_chain<VkPipelineRenderingCreateInfo>(
                 info.pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO)) {
    has.color = r->colorAttachmentCount != 0;
    has.depth_stencil =
        r->depthAttachmentFormat != VK_FORMAT_UNDEFINED || r->stencilAttachmentFormat != VK_FORMAT_UNDEFINED;
  }
  return has;
}

void take_rasterization(const VkGraphicsPipelineCreateInfo& info, GraphicsPipeline& to) {
  GraphicsState& s = to.state;
  if (const auto* r = info.pRasterizationState; r != nullptr) {
    to.depth_clamp = r->depthClampEnable == VK_TRUE;
    to.depth_clip = !to.depth_clamp;
    take_chain(r->pNext, to);
    to.polygon_mode = r->polygonMode;
    s.discard = r->rasterizerDiscardEnable;
    s.cull = r->cullMode;
    s.front_face = r->frontFace;
    s.depth_bias = r->depthBiasEnable;
    s.bias_constant = r->depthBiasConstantFactor;
    s.bias_clamp = r->depthBiasClamp;
    s.bias_slope = r->depthBiasSlopeFactor;
    s.line_width = r->lineWidth;
  }
}

void take_viewports(const VkGraphicsPipelineCreateInfo& info, GraphicsPipeline& to) {
  GraphicsState& s = to.state;
  const auto given = [&](const void* list, VkDynamicState set, VkDynamicState set_with_count) {
    return list != nullptr && !is_dynamic(info, set) && !is_dynamic(info, set_with_count);
  };
  if (const auto* v = info.pViewportState; v != nullptr) {
    s.viewport_count = std::min(v->viewportCount, kMostViewports);
    s.scissor_count = std::min(v->scissorCount, kMostViewports);
    if (const auto* control = find_in_chain<VkPipelineViewportDepthClipControlCreateInfoEXT>(
            v->pNext, VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT))
      to.negative_one_to_one = control->negativeOneToOne == VK_TRUE;
    if (given(v->pViewports, VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT))
      std::copy_n(v->pViewports, s.viewport_count, s.viewports.begin());
    if (given(v->pScissors, VK_DYNAMIC_STATE_SCISSOR, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT))
      std::copy_n(v->pScissors, s.scissor_count, s.scissors.begin());
  }
}

void take_depth_stencil(const VkPipelineDepthStencilStateCreateInfo* d, GraphicsState& s) {
  if (d == nullptr) return;
  s.depth_test = d->depthTestEnable;
  s.depth_write = d->depthWriteEnable;
  s.depth_compare = d->depthCompareOp;
  s.bounds_test = d->depthBoundsTestEnable;
  s.least_bound = d->minDepthBounds;
  s.greatest_bound = d->maxDepthBounds;
  s.stencil_test = d->stencilTestEnable;
  s.front = d->front;
  s.back = d->back;
}

void take_output(const VkGraphicsPipelineCreateInfo& info, GraphicsPipeline& to) {
  if (const auto* m = info.pMultisampleState; m != nullptr) {
    to.samples = m->rasterizationSamples;
    if (m->pSampleMask != nullptr) to.sample_mask = m->pSampleMask[0];
    to.alpha_to_coverage = m->alphaToCoverageEnable == VK_TRUE;
    to.alpha_to_one = m->alphaToOneEnable == VK_TRUE;
  }
  const Attachments has = attachments_of(info);
  if (has.depth_stencil) take_depth_stencil(info.pDepthStencilState, to.state);
  if (const auto* b = info.pColorBlendState; b != nullptr && has.color) {
    to.state.logic_op_enable = b->logicOpEnable;
    to.state.logic_op = b->logicOp;
    if (b->pAttachments != nullptr)
      std::copy_n(b->pAttachments, std::min(b->attachmentCount, kMostColors), to.state.blend.begin());
    std::copy_n(b->blendConstants, 4, to.state.constants.begin());
  }
}

/// Vulkan's sample shading: from this share of the samples on, each has its own fragment.
bool shades_samples(const VkGraphicsPipelineCreateInfo& info) {
  const auto* m = info.pMultisampleState;
  if (m == nullptr || m->sampleShadingEnable == VK_FALSE) return false;
  return std::ceil(m->minSampleShading * static_cast<float>(m->rasterizationSamples)) > 1;
}

class Maker {
 public:
  Maker(Device& device, PipelineCache* cache, const VkGraphicsPipelineCreateInfo& info)
      : device_(device), cache_(cache), info_(info), layout_(from_handle(info.layout)) {}

  VkResult make(std::unique_ptr<Pipeline>& out) {
    out = std::make_unique<Pipeline>();
    out->graphics = std::make_unique<GraphicsPipeline>();
    GraphicsPipeline& made = *out->graphics;
    made.dynamic = dynamic_states(info_.pDynamicState);
    take_vertex_input(info_, made);
    take_rasterization(info_, made);
    // What follows the rasterizer may lie anywhere where nothing is rasterized.
    rasterizes_ = made.state.discard == VK_FALSE || is_dynamic(info_, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE);
    if (rasterizes_) {
      take_viewports(info_, made);
      take_output(info_, made);
      made.fragment.per_sample = shades_samples(info_);
    }
    const VkPipelineShaderStageCreateInfo* vertex = stage_info(VK_SHADER_STAGE_VERTEX_BIT);
    const VkPipelineShaderStageCreateInfo* fragment = stage_info(VK_SHADER_STAGE_FRAGMENT_BIT);
    if (vertex == nullptr) return VK_ERROR_UNKNOWN;
    out->name = vertex->pName;
    StageVariables outputs;
    VkResult result = add_stage(*vertex, "vertex", made.vertex, [&](const LoadedStage& loaded) {
      auto made_outputs = make_vertex_stage(device_, loaded, info_.pVertexInputState, made.vertex);
      if (made_outputs.ok()) outputs = std::move(*made_outputs);
      return made_outputs.ok() ? base::Result<base::Done>(base::Done{})
                               : base::Result<base::Done>(made_outputs.failure());
    });
    if (result != VK_SUCCESS) return result;
    if (!rasterizes_) return VK_SUCCESS;
    VkPipelineShaderStageCreateInfo none{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    none.stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    none.pName = "main";
    return add_stage(fragment != nullptr ? *fragment : none, "fragment", made.fragment,
                     [&](const LoadedStage& loaded) { return make_fragment_stage(device_, loaded, outputs, made); });
  }
  [[nodiscard]] bool hit() const { return hit_; }

 private:
  [[nodiscard]] const VkPipelineShaderStageCreateInfo* stage_info(VkShaderStageFlagBits which) const {
    for (const VkPipelineShaderStageCreateInfo& s : std::span(info_.pStages, info_.stageCount))
      if (s.stage == which) return &s;
    return nullptr;
  }
  template <typename Take>
  VkResult add_stage(const VkPipelineShaderStageCreateInfo& info, const char* what, Shader& to, const Take& take) {
    static const std::vector<std::uint32_t> kEmpty = empty_fragment_shader();
    ShaderStage stage = stage_of(info);
    if (stage.words.empty()) stage.words = kEmpty;
    stage.simd = kPixelLanes;
    stage.sample_shading = info.stage == VK_SHADER_STAGE_FRAGMENT_BIT && shades_samples(info_);
    stage.array_lengths = array_lengths(layout_);
    const std::string key = cache_ == nullptr ? std::string() : key_of(stage);
    const bool known = cache_ != nullptr && cache_->find(key).has_value();
    hit_ = hit_ && known;
    if (!known && (info_.flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT) != 0)
      return VK_PIPELINE_COMPILE_REQUIRED;
    const auto refuse = [&](const std::vector<base::Diagnostic>& why) {
      device_.physical.instance.error("vulkan-pipeline",
                                      std::string(what) + " shader '" + stage.entry + "' is refused: " + text_of(why));
      return VK_ERROR_UNKNOWN;
    };
    const auto loaded = load_stage(stage, key, cache_);
    if (!loaded.ok()) return refuse(loaded.diagnostics());
    auto taken = take(**loaded);
    if (device_.capture) to.module.assign(stage.words.begin(), stage.words.end());
    return taken.ok() ? VK_SUCCESS : refuse(taken.diagnostics());
  }

  Device& device_;
  PipelineCache* cache_;
  const VkGraphicsPipelineCreateInfo& info_;
  const PipelineLayout* layout_;
  bool hit_ = true, rasterizes_ = true;
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
