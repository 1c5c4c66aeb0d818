// SPDX-License-Identifier: MIT
#pragma once
// Random requests to a texture unit, in Heddle's words and in Vulkan's: images of all types, samplers of all states,
// operations of all kinds.

#include <cstdint>
#include <string>
#include <vector>

#include "peers/vulkan/vulkan_client.hpp"
#include "texture/request.hpp"

namespace heddle::test {

/// One image, sampler and operation, and many points at which it is asked.
struct RandomRequest {
  image::Surface surface;
  image::Sampler sampler;
  VkSamplerCreateInfo peer{};
  VkSamplerReductionMode reduction = VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE;
  bool depth = false;     ///< a depth image there
  bool fragment = false;  ///< derivatives are those of quads: a draw; else a dispatch
  bool integer = false;   ///< answers are integers
  texture::Op op = texture::Op::SampleL;
  std::uint8_t source_channel = 0;
  std::array<std::int32_t, 3> offset{};
  std::string call;  ///< GLSL, of `t` and the point's numbers

  static constexpr unsigned kNumbers = 12;
  /// For each point: u v r lod, dudx dvdx drdx reference, dudy dvdy drdy layer. Of quads four after four.
  std::vector<float> points;

  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(points.size()) / kNumbers; }
  [[nodiscard]] bool anisotropic() const { return sampler.min_filter == image::Filter::Anisotropic; }
  [[nodiscard]] bool cube() const { return surface.type == image::SurfaceType::Cube; }
  /// For messages.
  [[nodiscard]] std::string text() const;
};

/// `points`: a multiple of 128.
[[nodiscard]] RandomRequest random_request(std::uint64_t seed, unsigned points);

/// Whether the device has everything that the request needs.
[[nodiscard]] bool can_answer(const VulkanClient& vulkan, const RandomRequest& one);
/// The device's answers, four words for each point; empty with the reason where it fails.
[[nodiscard]] std::vector<std::uint32_t> answers_of(VulkanClient& vulkan, const RandomRequest& one, std::string& why);

/// Eight points from `first` on, as Heddle is asked.
class EightPoints {
 public:
  EightPoints(const RandomRequest& one, unsigned first);
  EightPoints(const EightPoints&) = delete;
  EightPoints& operator=(const EightPoints&) = delete;
  texture::LaneRequest request;

 private:
  std::array<texture::LaneWords, texture::kParamCount> words_{};
};

}  // namespace heddle::test
