// SPDX-License-Identifier: MIT
#pragma once
// Texel footprints: what OpImageSampleFootprintNV returns, from the sampler's own tap list (FP-1 to FP-20).

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/result.hpp"
#include "image/sampler.hpp"
#include "image/surface.hpp"
#include "texture/lod.hpp"

namespace heddle::texture {

using Coordinates3 = std::array<std::uint32_t, 3>;
using Group = std::array<std::int32_t, 3>;  ///< group coordinates; 2D: z = 0

// --- granularity (FP-3) ---

/// Texels of a group, nullopt where the value is reserved for the dimension. `dim` is 2 or 3.
[[nodiscard]] std::optional<Coordinates3> granularity_size(unsigned dim, std::uint32_t granularity);
/// The valid value at or above `granularity`, else the largest one (FC11, lenient).
[[nodiscard]] std::uint32_t nearest_granularity(unsigned dim, std::uint32_t granularity);
/// W: groups of a set per axis, 8 in 2D and 4 in 3D.
[[nodiscard]] constexpr std::uint32_t set_width(unsigned dim) { return dim == 3 ? 4 : 8; }

// --- what is asked ---

struct FootprintView {
  unsigned dim = 2;
  Coordinates3 size{1, 1, 1};  ///< of the view's first level
  std::uint32_t levels = 1;
  std::uint32_t base_level = 0;  ///< of the image, for `absolute_lod`
};
[[nodiscard]] FootprintView footprint_view(const image::Surface& surface);

/// An API sampler. Modes and filters are those of the texture unit under Vulkan's names: repeat = wrap, clamp_to_edge =
/// clamp ...
struct FootprintSampler {
  bool mag_linear = true, min_linear = true;
  image::MipFilter mip = image::MipFilter::Linear;
  double bias = 0, min_lod = 0, max_lod = 1000;
  double max_anisotropy = 0;  ///< <= 1: off
  std::array<image::AddressMode, 3> address{image::AddressMode::Clamp, image::AddressMode::Clamp,
                                            image::AddressMode::Clamp};
  bool unnormalized = false;
};
[[nodiscard]] FootprintSampler footprint_sampler(const image::Sampler& sampler);

enum class FootprintOperand : std::uint8_t { Derivatives, Lod, Grad };

struct FootprintQuery {
  std::array<float, 3> coordinate{};
  std::uint32_t granularity = 1;
  bool coarse = false;
  FootprintOperand operand = FootprintOperand::Lod;
  float lod = 0;
  Gradients gradients;  ///< operand Grad, or the quad's derivatives
  std::optional<float> bias, min_lod;
  std::array<std::int32_t, 3> offset{};  ///< ConstOffset, Offset: lenient only (FP-21)
};

enum class FootprintMode : std::uint8_t { Strict, Lenient, Extended };

struct FootprintOptions {
  FootprintMode mode = FootprintMode::Strict;
  unsigned sub_texel_bits = 8;  ///< b, 1..16
  unsigned mipmap_bits = 8;     ///< m, 1..16
  double max_lod_bias = 15;
  bool weighted_only = false;  ///< FC1: drop texels of weight 0
  bool absolute_lod = false;   ///< FC7: `lod` relative to the image
  bool conservative = false;   ///< FP-22: for predicting a foreign sampler
  double pad_texels = -1;      ///< default 2^-b
  double pad_lod = -1;         ///< default 2^-m
};

// --- what is answered ---

struct Footprint {
  bool single = false;
  Coordinates3 anchor{}, offset{};
  std::uint64_t mask = 0;  ///< low word first in `mask.x`
  std::uint32_t lod = 0;
  std::uint32_t granularity = 0;  ///< 0 = as requested
  bool operator==(const Footprint&) const = default;
};

struct FootprintList {
  bool single = false;
  std::vector<Footprint> footprints;  ///< one for each seam cell, in order z, y, x (FP-19)
};

struct FootprintSet {
  bool single = false;
  bool border = false;  ///< a border texel was read
  std::uint32_t lod = 0;
  std::uint32_t granularity = 0;     ///< as requested
  std::vector<Group> groups;         ///< sorted by z, y, x; never coarsened
  std::vector<Coordinates3> texels;  ///< sorted by z, y, x; only when asked for
};

/// Errors have the ids of messages.md: footprint-address-mode, footprint-granularity-value, footprint-undefined-input,
/// footprint-not-encodable, footprint-unnormalized, spirv-footprint-operands, spirv-footprint-dim; the result of a
/// program is then all zero. In lenient and extended mode what can be evaluated is, and `warnings` (may be null) says
/// so.
[[nodiscard]] base::Result<Footprint> footprint(const FootprintView& view, const FootprintSampler& sampler,
                                                const FootprintQuery& query, const FootprintOptions& options = {},
                                                base::Diagnostics* warnings = nullptr);
[[nodiscard]] base::Result<FootprintList> footprint_list(const FootprintView& view, const FootprintSampler& sampler,
                                                         const FootprintQuery& query,
                                                         const FootprintOptions& options = {},
                                                         base::Diagnostics* warnings = nullptr);
[[nodiscard]] base::Result<FootprintSet> footprint_set(const FootprintView& view, const FootprintSampler& sampler,
                                                       const FootprintQuery& query,
                                                       const FootprintOptions& options = {}, bool with_texels = false,
                                                       base::Diagnostics* warnings = nullptr);

// --- encoding (FP-11 to FP-13) ---

/// Encodes texels; nullopt when no granularity holds them. `single` and `lod` stay 0.
[[nodiscard]] std::optional<Footprint> encode(std::span<const Coordinates3> texels, unsigned dim,
                                              std::uint32_t requested);
/// The groups of a structure, in bit order. Toroidal answers give negative coordinates: add the level's number of
/// groups (FP-20).
[[nodiscard]] std::vector<Group> decode(const Footprint& footprint, unsigned dim);

/// One aligned set of 64 groups: its coordinates and the bits of the structure that belong to it.
struct SetMask {
  Group set{};
  std::uint64_t mask = 0;
};
struct SplitMasks {
  std::array<SetMask, 8> parts{};
  unsigned count = 0;
  [[nodiscard]] std::span<const SetMask> all() const { return {parts.data(), count}; }
};
/// The split for aggregation: parts without bits are left out.
[[nodiscard]] SplitMasks split(const Footprint& footprint, unsigned dim);

}  // namespace heddle::texture
