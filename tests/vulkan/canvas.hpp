// SPDX-License-Identifier: MIT
#pragma once
// A canvas for tests of draws: attachments, pipelines, and the texels that draws leave.

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vulkan/device.hpp"

namespace heddle::test {

/// A pipeline's state with plain defaults; a test changes what it is about.
struct PipelineState {
  std::string vertex, fragment;               ///< GLSL; no fragment shader where that is empty
  std::string geometry;                       ///< the same
  std::vector<std::uint32_t> fragment_words;  ///< a module in place of the fragment shader's GLSL
  std::uint32_t subgroup_size = 0;            ///< of all stages; 0: the driver's own
  const void* chain = nullptr;                ///< of the pipeline, behind what says where it draws
  std::string control, evaluation;            ///< of patches; no such stages where they are empty
  std::uint32_t patch_vertices = 3;
  std::string task, mesh;  ///< in place of the vertex shader; no such stages where they are empty
  std::optional<VkTessellationDomainOrigin> domain_origin;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::vector<VkVertexInputBindingDescription> bindings;
  std::vector<VkVertexInputAttributeDescription> attributes;
  std::vector<VkVertexInputBindingDivisorDescriptionEXT> divisors;
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkBool32 restart = VK_FALSE;
  std::optional<VkViewport> viewport;  ///< none: the whole canvas
  std::vector<VkViewport> viewports;   ///< several, with as many scissors
  const void* viewport_chain = nullptr;
  std::uint32_t view_mask = 0;
  std::optional<VkRect2D> scissor;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  std::vector<VkPipelineColorBlendAttachmentState> blend;  ///< none: all channels are written
  VkPipelineColorBlendStateCreateInfo colors{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  std::vector<VkDynamicState> dynamic;
  VkRenderPass pass = VK_NULL_HANDLE;  ///< none: dynamic rendering to the canvas
  std::uint32_t subpass = 0;
  bool libraries = false;  ///< the pipeline is linked of one library for each part
  VkPipelineCreateFlags flags = 0;
  std::function<void(VkPipelineRenderingCreateInfo&)> rendering;  ///< changes what is said of the attachments
  PipelineState() { raster.lineWidth = 1; }
};

class Canvas {
 public:
  struct Attachment {
    VkFormat format = VK_FORMAT_UNDEFINED;
    VulkanDevice::Image image;
    VkImageView view = VK_NULL_HANDLE;
  };
  explicit Canvas(std::uint32_t width, std::uint32_t height, std::vector<VkFormat> formats = {VK_FORMAT_R8G8B8A8_UNORM},
                  VkFormat depth_format = VK_FORMAT_UNDEFINED,
                  VkSampleCountFlagBits sample_count = VK_SAMPLE_COUNT_1_BIT,
                  std::vector<const char*> more_extensions = {}, const char* manifest = HEDDLE_VULKAN_MANIFEST);

  VulkanDevice v;
  std::uint32_t width, height;
  VkSampleCountFlagBits count;
  std::vector<Attachment> colors;
  std::vector<Attachment> resolved;  ///< of several samples: one for each color
  Attachment depth;
  const void* rendering_chain = nullptr;           ///< behind the structure that begins rendering
  VkPipelineLayout plain_layout = VK_NULL_HANDLE;  ///< without sets and constants

  Attachment attachment(VkFormat format, VkSampleCountFlagBits samples, VkImageUsageFlags more_usage = 0,
                        std::uint32_t layers = 1);
  VkPipeline pipeline(const PipelineState& state);
  /// A library for each part of the pipeline that `info` says.
  std::vector<VkPipeline> libraries(const VkGraphicsPipelineCreateInfo& info);
  /// Clears to zeros and depth 1, stencil 0, then runs `record` inside dynamic rendering, resolving where there is more
  /// than one sample.
  void draw(const std::function<void(VkCommandBuffer)>& record, bool clear = true);
  void begin(VkCommandBuffer commands, bool clear, VkRenderingFlags flags = 0);
  void end(VkCommandBuffer commands) const { end_rendering_(commands); }
  /// Texels of an attachment, tight rows; the depth or the stencil aspect of those formats.
  std::vector<std::uint8_t> read(const Attachment& from, std::uint32_t texel_bytes = 4, VkImageAspectFlags aspect = 0,
                                 std::uint32_t layer = 0);
  /// Of the first color (resolved), as red | green << 8 ...
  std::vector<std::uint32_t> pixels(std::size_t number = 0);

 private:
  PFN_vkCmdBeginRenderingKHR begin_rendering_;
  PFN_vkCmdEndRenderingKHR end_rendering_;
};

/// A vertex shader whose triangle covers everything at depth `z`.
[[nodiscard]] std::string covering_vertices(const std::string& z = "0.5");
/// A fragment shader of one color.
[[nodiscard]] std::string one_color(const std::string& color);

}  // namespace heddle::test
