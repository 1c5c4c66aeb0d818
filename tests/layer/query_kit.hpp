// SPDX-License-Identifier: MIT
#pragma once
// Devices under the layer, and footprint queries on them: asked by a compute shader, and of Heddle's texture unit.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "texture/footprint.hpp"
#include "vulkan/device.hpp"

namespace heddle::test {

/// Where Mesa's lavapipe is; empty where it is not installed.
[[nodiscard]] std::string lavapipe_manifest();

#define HEDDLE_NEED_LAVAPIPE() \
  if (lavapipe_manifest().empty()) GTEST_SKIP() << "lavapipe is not installed (Debian: mesa-vulkan-drivers)"

/// While it lives, instances have the layer; Heddle's own device is rewritten for, too, if it is to.
class WithLayer {
 public:
  explicit WithLayer(bool force = false);
  ~WithLayer();
  WithLayer(const WithLayer&) = delete;
  WithLayer& operator=(const WithLayer&) = delete;
};

enum class LayerDevice : std::uint8_t { Lavapipe, SwiftShader, Heddle };

/// What a query is written as.
enum class Form : std::uint8_t { Lod, LodOffset, Clamp, Grad, GradClamp };

struct LayerQuery {
  std::array<float, 3> p{};
  float lod = 0;
  std::array<float, 3> dx{};
  float unused = 0;
  std::array<float, 3> dy{};
  float min_lod = 0;
  std::uint32_t granularity = 1, pad[3] = {};
};

/// The fine and the coarse answer.
using AnswerPair = std::array<texture::Footprint, 2>;

inline constexpr std::array<std::int32_t, 3> kTexelOffset{3, -2, 0};

/// One image with some samplers in an array of descriptors.
class QueryKit {
 public:
  struct Image {
    unsigned dim = 2;
    texture::Coordinates3 size{64, 64, 1};
    std::uint32_t levels = 7;
  };
  QueryKit(VulkanDevice& device, const Image& image, std::vector<VkSamplerCreateInfo> samplers, bool immutable = false);

  [[nodiscard]] std::vector<AnswerPair> ask(Form form, std::uint32_t sampler, const std::vector<LayerQuery>& queries);
  /// What Heddle's texture unit says.
  [[nodiscard]] AnswerPair expected(Form form, std::uint32_t sampler, const LayerQuery& query,
                                    const texture::FootprintOptions& options) const;
  [[nodiscard]] VkDescriptorSet set() const { return set_; }
  [[nodiscard]] VkSampler sampler(std::uint32_t index) const { return handles_[index]; }
  [[nodiscard]] VkImageView view() const { return view_; }
  [[nodiscard]] VkDescriptorSetLayout set_layout() const { return set_layout_; }
  /// Queries of another set with the same layout.
  void use(VkDescriptorSet set) { set_ = set; }
  /// For one more set of this layout.
  [[nodiscard]] VkDescriptorSet make_set();

 private:
  [[nodiscard]] std::string shader(Form form) const;
  [[nodiscard]] VkPipeline pipeline(Form form);
  void write_buffers();

  VulkanDevice& d_;
  Image image_;
  std::vector<VkSamplerCreateInfo> samplers_;
  std::vector<VkSampler> handles_;
  VkImageView view_ = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  VulkanDevice::Buffer in_, out_;
};

/// A sampler of these filters that clamps.
[[nodiscard]] VkSamplerCreateInfo sampler_info(VkFilter mag, VkFilter min, VkSamplerMipmapMode mip);

}  // namespace heddle::test
