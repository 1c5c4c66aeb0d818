// SPDX-License-Identifier: MIT
#pragma once
// The fixed functions' state of draws. A pipeline has all of it; what a command may change is in the executor too.

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/raster/state.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/generated/newer.hpp"

namespace heddle::vulkan {

/// Where a pipeline or a command puts the samples of a pixel (RAS-10).
struct SamplePositions {
  std::uint32_t count = 0;
  std::array<pipeline::SamplePosition, kMaxSamples> at{};
};

/// Of a pipeline that says nothing of it: colors are multiplied by alpha, coverages not correlated.
inline constexpr VkColorBlendAdvancedEXT kUsualAdvanced{VK_BLEND_OP_ZERO_EXT, VK_TRUE, VK_TRUE,
                                                        VK_BLEND_OVERLAP_UNCORRELATED_EXT, VK_FALSE};
template <std::size_t kCount>
constexpr std::array<VkColorBlendAdvancedEXT, kCount> usual_advanced() {
  std::array<VkColorBlendAdvancedEXT, kCount> all{};
  all.fill(kUsualAdvanced);
  return all;
}

struct GraphicsState {
  // vertex input
  std::array<std::uint32_t, kMaxVertexBindings> strides{};
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkBool32 restart = VK_FALSE;
  VkProvokingVertexModeEXT provoking = VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT;
  // tessellation
  std::uint32_t patch_vertices = 3;
  VkTessellationDomainOrigin domain_origin = VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT;
  // rasterization
  std::array<VkViewport, kMaxViewports> viewports{};
  std::array<VkRect2D, kMaxViewports> scissors{};
  std::uint32_t viewport_count = 0, scissor_count = 0;
  /// RAS-11. How many there are no command says.
  std::array<VkRect2D, pipeline::DiscardRectangles::kMax> discard_rectangles{};
  std::uint32_t discard_count = pipeline::DiscardRectangles::kMax;
  VkBool32 discard_test = VK_FALSE;
  VkDiscardRectangleModeEXT discard_mode = VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT;
  VkBool32 discard = VK_FALSE;  ///< of all primitives
  std::uint32_t stream = 0;     ///< of vertices, that is rasterized
  VkCullModeFlags cull = VK_CULL_MODE_NONE;
  VkFrontFace front_face = VK_FRONT_FACE_COUNTER_CLOCKWISE;
  VkPolygonMode polygon_mode = VK_POLYGON_MODE_FILL;
  VkBool32 depth_clamp = VK_FALSE;  ///< to the viewport's range, or to the next one
  std::optional<VkDepthClampRangeEXT> clamp_range;
  std::optional<bool> depth_clip;           ///< at the near and the far plane; none: where depths are not clamped
  VkBool32 negative_one_to_one = VK_FALSE;  ///< depths of clip space
  VkLineRasterizationModeEXT line_mode = VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT;
  float line_width = 1;
  VkBool32 stipple = VK_FALSE;
  VkConservativeRasterizationModeEXT conservative = VK_CONSERVATIVE_RASTERIZATION_MODE_DISABLED_EXT;
  std::uint32_t stipple_factor = 1;
  std::uint16_t stipple_pattern = 0xffff;
  VkBool32 depth_bias = VK_FALSE;
  float bias_constant = 0, bias_clamp = 0, bias_slope = 0;
  VkExtent2D fragment_size{1, 1};
  std::array<VkFragmentShadingRateCombinerOpKHR, 2> combiners{};  ///< with primitives, with the attachment
  /// What the constant is a multiple of.
  VkDepthBiasRepresentationEXT bias_unit = VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORMAT_EXT;
  // depth and stencil
  VkBool32 depth_test = VK_FALSE, depth_write = VK_FALSE, bounds_test = VK_FALSE, stencil_test = VK_FALSE;
  VkCompareOp depth_compare = VK_COMPARE_OP_ALWAYS;
  float least_bound = 0, greatest_bound = 1;
  VkStencilOpState front{}, back{};
  // samples
  std::uint32_t samples = 1;
  VkBool32 moves_samples = VK_FALSE;  ///< `positions` are those of the samples, not the standard ones
  SamplePositions positions;
  std::uint32_t sample_mask = ~0u;
  VkBool32 alpha_to_coverage = VK_FALSE, alpha_to_one = VK_FALSE;
  // colors
  VkBool32 logic_op_enable = VK_FALSE;
  VkLogicOp logic_op = VK_LOGIC_OP_COPY;
  std::array<VkPipelineColorBlendAttachmentState, kMaxColors> blend{};
  /// What the operations of VK_EXT_blend_operation_advanced need beside; the operation is in `blend`.
  std::array<VkColorBlendAdvancedEXT, kMaxColors> advanced = usual_advanced<kMaxColors>();
  std::array<float, 4> constants{};
  std::uint32_t written_colors = ~0u;  ///< attachments that are written at all, a bit for each
};

/// What vertices are fetched by, but for the strides.
struct VertexInput {
  struct Attribute {
    std::uint32_t location = 0, binding = 0;
    VkFormat format = VK_FORMAT_UNDEFINED;
    std::uint32_t offset = 0;
    bool operator==(const Attribute&) const = default;
  };
  std::vector<Attribute> attributes;
  std::vector<std::optional<std::uint32_t>> divisors;  ///< of the bindings; none: one element for each vertex
};

/// Parts of a pipeline, which libraries may have one by one.
using PipelineParts = VkGraphicsPipelineLibraryFlagsEXT;
inline constexpr PipelineParts kVertexInputPart = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
                               kVertexPart = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
                               kFragmentPart = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
                               kOutputPart = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT,
                               kAllParts = kVertexInputPart | kVertexPart | kFragmentPart | kOutputPart;

/// Bit i: the i-th row of the table in graphics_state.cpp is set by commands, not by the pipeline.
using DynamicStates = std::uint64_t;

/// Of the list, what belongs to the parts.
[[nodiscard]] DynamicStates dynamic_states(const VkPipelineDynamicStateCreateInfo* info, PipelineParts parts);
/// Every state that a command can set.
[[nodiscard]] DynamicStates all_dynamic_states();
[[nodiscard]] bool has_state(DynamicStates states, VkDynamicState state);
/// What a pipeline that is bound sets: all but what is dynamic.
void copy_static(const GraphicsState& from, DynamicStates dynamic, GraphicsState& to);
/// What a library gives to the pipeline that it becomes part of.
void copy_parts(const GraphicsState& from, PipelineParts parts, GraphicsState& to);

}  // namespace heddle::vulkan
