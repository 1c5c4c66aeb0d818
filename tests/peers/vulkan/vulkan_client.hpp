// SPDX-License-Identifier: MIT
#pragma once
// A small Vulkan client for comparisons with CPU implementations (lavapipe, SwiftShader): compute shaders over sampled
// images, and full-screen draws into color targets. Everything is created for one call and destroyed after it.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::test {

struct PeerImage {
  VkImageViewType view = VK_IMAGE_VIEW_TYPE_2D;
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  std::uint32_t width = 1, height = 1, depth = 1, layers = 1, levels = 1;
  std::vector<std::uint8_t> data;  ///< tightly packed: level after level, layer after layer
  bool depth_aspect = false;
  VkComponentMapping swizzle{};
  std::uint32_t block_bytes = 0;  ///< of 4 x 4 texels; 0: each texel has its own
};

/// GLSL source, or a SPIR-V module; its entry point is main.
struct PeerShader {
  std::string glsl;
  std::vector<std::uint32_t> words;
  PeerShader(std::string source) : glsl(std::move(source)) {}                  // NOLINT: source is a shader
  PeerShader(const char* source) : glsl(source) {}                             // NOLINT
  PeerShader(std::vector<std::uint32_t> module) : words(std::move(module)) {}  // NOLINT
};

/// A descriptor: a combined image sampler when it has an image, a storage buffer when it has a buffer, a sampler when
/// it has neither, unless `type` says another.
struct PeerBinding {
  const PeerImage* image = nullptr;
  VkSamplerCreateInfo sampler{};
  std::vector<std::uint8_t>* buffer = nullptr;  ///< read back after the run
  std::vector<std::uint8_t>* texels = nullptr;  ///< a storage image's, after the run
  std::optional<VkDescriptorType> type{};
  VkFormat texel_format = VK_FORMAT_UNDEFINED;  ///< of a texel buffer
  std::uint32_t set = 0, element = 0;
  std::optional<std::uint32_t> binding{};  ///< default: the index in the list
};

/// The dispatch or draw is done again `passes` times, with everything compiled and in place; how long these took
/// together.
struct PeerTiming {
  unsigned passes = 1;
  double seconds = 0;
};

struct PeerTarget {
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  std::vector<std::uint8_t> texels;  ///< content before (whole, tightly packed); replaced by the content after
};

/// A draw of one full-screen triangle, or of what a vertex shader makes.
struct PeerDraw {
  std::optional<PeerShader> vertex{};  ///< gets vertex numbers only
  std::uint32_t vertices = 3;
  std::uint32_t width = 1, height = 1;
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  std::vector<std::uint8_t> target;  ///< content before (whole, tightly packed); replaced by the content after
  VkPipelineColorBlendAttachmentState blend{};
  float blend_constants[4] = {0, 0, 0, 0};
  bool logic_op_enable = false;
  VkLogicOp logic_op = VK_LOGIC_OP_COPY;
  std::vector<PeerTarget> more;  ///< further targets, from location 1 on
  std::vector<std::uint8_t> push;
  /// Depth test at z = 0 with writing, in a D32 image cleared to 1.
  std::optional<VkCompareOp> depth{};
  /// More than one: the targets are cleared to 0, `format` and `target` give what they resolve to.
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  PeerTiming* timing = nullptr;  ///< each pass is a render pass of its own
};

class VulkanClient {
 public:
  /// What the loader finds, as "DEVICE NAME; DRIVER NAME DRIVER INFORMATION": "llvmpipe (LLVM 15.0.6, 256 bits);
  /// llvmpipe Mesa 22.3.6 (LLVM 15.0.6)". Empty with a reason when there is nothing.
  static std::vector<std::string> devices(std::string& why);
  /// The first device whose text in devices() contains `name` ("llvmpipe", "SwiftShader", "Mesa 25"); nullptr with a
  /// reason when there is none.
  static std::unique_ptr<VulkanClient> create(const std::string& name, std::string& why);
  ~VulkanClient();

  [[nodiscard]] const std::string& device_name() const { return name_; }
  /// Whether a format can be sampled (and filtered) or rendered (and blended) with optimal tiling.
  [[nodiscard]] VkFormatFeatureFlags features(VkFormat format) const;
  [[nodiscard]] VkPhysicalDeviceLimits limits() const;
  /// Whether there may be such a sampler, in shaders of both kinds that store; `cube_array`: of such an image.
  [[nodiscard]] bool can_sample(const VkSamplerCreateInfo& sampler, bool cube_array) const;

  /// Runs `groups` groups of a compute shader. Returns an error text, empty when all went well.
  std::string compute(const PeerShader& shader, std::vector<PeerBinding>& bindings, std::uint32_t groups,
                      const std::vector<std::uint8_t>& push = {}, PeerTiming* timing = nullptr);
  /// Draws with a fragment shader over the whole target.
  std::string draw(const PeerShader& fragment, std::vector<PeerBinding>& bindings, PeerDraw& draw);

 private:
  VulkanClient() = default;
  struct Work;
  struct Targets;
  std::string make_pipeline(Work& work, const PeerDraw& draw, const std::vector<std::uint32_t>& vertex,
                            const std::vector<std::uint32_t>& fragment, VkRenderPass pass, VkPipeline& pipeline);
  std::vector<std::uint32_t> compile(const PeerShader& shader, const std::string& stage, std::string& why);
  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::uint32_t family_ = 0;
  std::string name_;
};

/// The one lavapipe client of this program; nullptr with the reason when there is none. HEDDLE_TEST_VULKAN_DEVICE names
/// another device to compare with: Heddle's own driver.
VulkanClient* lavapipe(std::string& why);
/// What may lie between Heddle and the peer: `theirs`, or nothing where the peer is Heddle's own driver.
double peer_tolerance(double theirs);

/// Sampler state with the given filter, mip mode and address mode on all axes.
VkSamplerCreateInfo peer_sampler(VkFilter filter, VkSamplerMipmapMode mip, VkSamplerAddressMode address);

}  // namespace heddle::test
