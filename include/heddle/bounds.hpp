// SPDX-License-Identifier: MIT
#pragma once
// What any device may answer: for a sample, a gather or a query the values of each channel that an API allows, with the
// texels behind their ends. docs/rules/bounds.md has the rules (BND-1 to BND-16).

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/texture.hpp"

namespace heddle {

enum class BoundsApi : std::uint8_t { Vulkan, D3d11, WebGpu };

struct BoundsOptions {
  BoundsApi api = BoundsApi::Vulkan;
  /// What the device promises (subTexelPrecisionBits, mipmapPrecisionBits), 1 to 16; 0: the least that the API asks
  /// for.
  unsigned sub_texel_bits = 0, mipmap_bits = 0;
};

/// A texel that an end of an interval is made of.
struct BoundTexel {
  TexelPlace place;     ///< where it is no border
  bool border = false;  ///< the border color
  double weight = 1;
};

/// Values from `low` to `high` are allowed.
struct BoundInterval {
  double low = 0, high = 0;
  std::vector<BoundTexel> low_texels, high_texels;
};

struct ChannelBounds {
  bool anything = false;                 ///< the API leaves the value open
  std::vector<BoundInterval> intervals;  ///< in ascending order; they do not touch
};

/// Where an answer lies (BND-16). Edge: only the roundings of conversion and arithmetic allow it.
enum class BoundsVerdict : std::uint8_t { Inside, Edge, Outside };

class ColorBounds {
 public:
  [[nodiscard]] const ChannelBounds& operator[](unsigned channel) const { return channels_[channel & 3u]; }
  [[nodiscard]] NumberClass number_class() const { return class_; }
  [[nodiscard]] const std::string& rule() const { return rule_; }  ///< that most of the freedom comes from: "BND-5"
  /// `word`: the channel's bits, of the class that the bounds have.
  [[nodiscard]] BoundsVerdict judge(unsigned channel, std::uint32_t word) const;
  /// The worst of the four.
  [[nodiscard]] BoundsVerdict judge(const Color& answer) const;

  struct Impl;  ///< of the library
  explicit ColorBounds(std::shared_ptr<const Impl> impl);

 private:
  std::shared_ptr<const Impl> impl_;
  std::array<ChannelBounds, 4> channels_;
  NumberClass class_ = NumberClass::Float;
  std::string rule_;
};

/// What `sample` may answer. Ids: as gather, and BND-1 for state that no API has.
Result<ColorBounds> sample_bounds(const Image& image, const Sampler& sampler, const Point& at,
                                  const SampleOptions& options = {}, const BoundsOptions& bounds = {});
/// What `gather` may answer. Ids: as sample_bounds.
Result<ColorBounds> gather_bounds(const Image& image, const Sampler& sampler, const Point& at,
                                  const GatherOptions& options = {}, const BoundsOptions& bounds = {});
/// What `query_lod` may answer: [0] the level that is read, [1] the level before it is clamped. Ids: as sample_bounds.
Result<ColorBounds> lod_bounds(const Image& image, const Sampler& sampler, const Gradients& gradients,
                               const BoundsOptions& bounds = {});

}  // namespace heddle
