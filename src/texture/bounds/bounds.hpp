// SPDX-License-Identifier: MIT
#pragma once
// What a device may answer (BND): for a sample, a gather, a comparison, a query or a load the values of each channel
// that an API's texts allow.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "texture/bounds/value_set.hpp"
#include "texture/request.hpp"

namespace heddle::texture::bounds {

/// BND-1: whose texts decide.
enum class Api : std::uint8_t { Vulkan, D3d11, WebGpu };
/// "vulkan", "d3d11", "webgpu"; nullopt for other words.
[[nodiscard]] std::optional<Api> find_api(std::string_view word);
[[nodiscard]] std::string_view name_of(Api api);

struct Options {
  Api api = Api::Vulkan;
  /// What the device promises (subTexelPrecisionBits, mipmapPrecisionBits), 1 to 16; 0: the least that the API asks
  /// for.
  unsigned sub_texel_bits = 0, mipmap_bits = 0;
  bool why = false;  ///< collect the texels behind the bounds
};

/// What one lane may answer.
struct LaneBounds {
  bool active = false;
  std::string_view rule;  ///< that the freedom, or the lack of it, comes from
  ChannelSets channels;   ///< R, G, B, A after the channel selects
};

struct Bounds {
  image::ValueClass value_class = image::ValueClass::Float;
  std::vector<LaneBounds> lanes;  ///< `simd` of them
};

/// Refusals go to the context's reports, as `execute` has them, and BND-1 for state that no API has: nothing then.
[[nodiscard]] std::optional<Bounds> find_bounds(const LaneRequest& request, const Options& options,
                                                OperationContext& context);

/// BND-16: where an answer lies.
enum class Verdict : std::uint8_t {
  Inside,
  Edge,  ///< only the roundings of conversion and arithmetic allow it
  Outside,
};
[[nodiscard]] std::string_view name_of(Verdict verdict);
/// `word`: the channel's bits, of the class that the bounds have.
[[nodiscard]] Verdict judge(const ValueSet& allowed, std::uint32_t word, image::ValueClass value_class);

}  // namespace heddle::texture::bounds
