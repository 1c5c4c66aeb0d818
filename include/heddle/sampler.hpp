// SPDX-License-Identifier: MIT
#pragma once
// Samplers: how coordinates and levels become texels and weights.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "heddle/result.hpp"

namespace heddle {

enum class Filter : std::uint8_t { Nearest, Linear, Anisotropic };
enum class MipFilter : std::uint8_t { None, Nearest, Linear };
enum class AddressMode : std::uint8_t { Repeat, MirroredRepeat, ClampToEdge, ClampToBorder, MirrorClampToEdge };
/// Comparison "reference OP texel".
enum class CompareOp : std::uint8_t { Never, Less, Equal, LessOrEqual, Greater, NotEqual, GreaterOrEqual, Always };
enum class Reduction : std::uint8_t { WeightedAverage, Min, Max };

struct SamplerOptions {
  Filter min = Filter::Nearest, mag = Filter::Nearest;
  MipFilter mip = MipFilter::None;
  std::array<AddressMode, 3> address{AddressMode::ClampToEdge, AddressMode::ClampToEdge,
                                     AddressMode::ClampToEdge};  ///< of u, v and r
  std::array<float, 4> border{};                                 ///< R, G, B, A for ClampToBorder
  float lod_bias = 0;                ///< levels, kept in steps of 1/256 from -16 to 15.99 (NUM-73)
  float min_lod = 0, max_lod = 14;   ///< levels, kept in steps of 1/256 from 0 to 15.99 (NUM-73)
  unsigned max_anisotropy = 2;       ///< 2, 4, ... 16; counts for Filter::Anisotropic
  std::optional<CompareOp> compare;  ///< of comparing operations
  Reduction reduction = Reduction::WeightedAverage;
  bool unnormalized = false;  ///< coordinates are texels
  bool seamless_cube = true;  ///< cubes: a filter reads texels of the faces beside its own (CUB-4)
};

class Sampler {
 public:
  /// The nearest texel, clamped to the edge.
  Sampler();
  /// Id: sampler-value.
  static Result<Sampler> create(const SamplerOptions& options);
  /// Words separated by commas: a filter (nearest, linear, anisotropic), `trilinear`, an address mode for all axes
  /// (repeat, mirrored_repeat, clamp_to_edge, clamp_to_border, mirror_clamp_to_edge, or the hardware's words), and
  /// NAME=VALUE for each sampler member of docs/job-file.md, arrays separated by colons:
  /// "linear,repeat,mip=linear,max_anisotropy=16,border=0:0:0:1,compare_op=less". Ids: sampler-word, sampler-key,
  /// sampler-type, sampler-value.
  static Result<Sampler> parse(std::string_view words);

  /// Coordinates are texels, not parts of the image.
  [[nodiscard]] bool unnormalized() const;

  struct Impl;  ///< of the library
  explicit Sampler(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  [[nodiscard]] const Impl* impl() const { return impl_.get(); }

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace heddle
