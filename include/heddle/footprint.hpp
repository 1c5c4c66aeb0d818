// SPDX-License-Identifier: MIT
#pragma once
// Texel footprints: which texels a sample would read, as GL_NV_shader_texture_footprint and OpImageSampleFootprintNV
// answer it, and maps that collect them. Images of type 2D and 3D.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "heddle/image.hpp"
#include "heddle/sampler.hpp"
#include "heddle/texture.hpp"

namespace heddle {

/// x, y and z (2D: 0) of a group of texels, or of a texel.
using GridPlace = std::array<std::uint32_t, 3>;

struct FootprintRequest {
  std::array<float, 3> coordinate{};  ///< normalized u, v, r
  std::uint32_t granularity = 1;  ///< size of a group (FP-3): 2D 1 (2x2) to 15 (256x256) without 8 to 10, 3D 1, 3, 10
                                  ///< to 14; group_size tells
  bool coarse = false;            ///< the coarser of the two levels that a trilinear filter reads
  float lod = 0;                  ///< counts where there are no gradients
  std::optional<Gradients> gradients;
  /// Levels. The extension has a bias for implicit derivatives alone: here it is refused in FootprintMode::Strict.
  std::optional<float> bias, min_lod;
};

/// FP-21: what happens to requests that the extension's rules refuse. Strict: an error. Lenient: what can be evaluated
/// is, with a warning. Extended: other address modes are evaluated too, without one.
enum class FootprintMode : std::uint8_t { Strict, Lenient, Extended };

struct FootprintOptions {
  FootprintMode mode = FootprintMode::Strict;
  bool conservative = false;        ///< a superset that holds for samplers of less precision too (FP-22)
  Diagnostics* warnings = nullptr;  ///< gets what was assumed
};

/// Bit 8 y + x (2D), or 16 z + 4 y + x (3D), of `mask` stands for one group; docs/rules says which by anchor and
/// offset. `groups` lists them.
struct Footprint {
  bool single_level = false;  ///< one level is read
  GridPlace anchor{}, offset{};
  std::uint64_t mask = 0;
  std::uint32_t lod = 0;          ///< level of the groups
  std::uint32_t granularity = 0;  ///< 0: as requested; else the groups had to be larger
};

/// Texels of a group; nothing where the granularity does not exist. `dimensions`: 2 or 3.
[[nodiscard]] std::optional<GridPlace> group_size(unsigned dimensions, std::uint32_t granularity);

/// Ids: usage-argument, footprint-address-mode, footprint-granularity-value, footprint-undefined-input,
/// footprint-not-encodable, footprint-unnormalized.
Result<Footprint> footprint(const Image& image, const Sampler& sampler, const FootprintRequest& request,
                            const FootprintOptions& options = {});

/// One structure for each part of a footprint that the edge of a repeated image cuts (FP-19). Ids: as footprint.
struct FootprintList {
  bool single_level = false;
  std::vector<Footprint> footprints;  ///< sorted by z, y, x
};
Result<FootprintList> footprint_list(const Image& image, const Sampler& sampler, const FootprintRequest& request,
                                     const FootprintOptions& options = {});

/// The same answer as a list: the groups of the level `lod` that the sample reads, and where asked for, the texels.
struct FootprintTexels {
  bool single_level = false;
  bool border = false;  ///< a border texel is read
  std::uint32_t lod = 0;
  std::uint32_t granularity = 0;                    ///< as requested
  std::vector<std::array<std::int32_t, 3>> groups;  ///< sorted by z, y, x
  std::vector<GridPlace> texels;                    ///< sorted by z, y, x
};
Result<FootprintTexels> footprint_texels(const Image& image, const Sampler& sampler, const FootprintRequest& request,
                                         const FootprintOptions& options = {});

/// Which groups of an image's levels were touched.
class FootprintMap {
 public:
  /// Ids: usage-argument, footprint-granularity-value, limit-memory.
  static Result<FootprintMap> create(const Image& image, std::uint32_t granularity, const Limits& limits = {});
  /// Adds an answer to a request of this map's granularity.
  void insert(const Footprint& footprint);
  void insert_texel(std::uint32_t level, const GridPlace& texel);  ///< nothing happens outside the image
  [[nodiscard]] bool touched(std::uint32_t level, const GridPlace& texel) const;
  [[nodiscard]] std::vector<GridPlace> touched_groups(std::uint32_t level) const;  ///< sorted by z, y, x
  [[nodiscard]] double touched_fraction(std::uint32_t level) const;                ///< of the level's groups, 0 to 1

  struct Impl;  ///< of the library
  explicit FootprintMap(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace heddle
