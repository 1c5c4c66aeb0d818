// SPDX-License-Identifier: MIT
#pragma once
// Level of detail: LOD-1..13, ANI-1. LODs are signed fixed point with 8 fraction bits (S.8) unless a footprint query
// asks for others.

#include <array>
#include <cstdint>
#include <span>

#include "image/sampler.hpp"
#include "image/surface.hpp"

namespace heddle::texture {

inline constexpr unsigned kLodBits = 8;

/// LOD-1: floor(256 * log2 x), exact [C37].
[[nodiscard]] std::int32_t log2fx(float x);
/// Mantissas (with the bit in front) at which it grows by one, ascending; the first is 1.0's.
[[nodiscard]] std::span<const std::uint32_t, 256> log2_thresholds();

/// Derivatives of the coordinates with respect to the screen, in coordinate units; of (s, t) for cubes.
struct Gradients {
  std::array<float, 3> dx{}, dy{};
};

/// Squared lengths of the two derivatives in texels (LOD-4).
struct Spread {
  float x = 0, y = 0;
  [[nodiscard]] float big() const { return y > x ? y : x; }
  [[nodiscard]] float small() const { return y > x ? x : y; }
  [[nodiscard]] bool x_is_longer() const { return x > y; }
};
/// LOD-4: `size` of level SurfMinLOD; `axes` the surface has; NaN products count as 0.
[[nodiscard]] Spread spread_of(const Gradients& gradients, const std::array<std::uint32_t, 3>& size, unsigned axes,
                               bool non_normalized);

/// LOD-4: log2 of rho, from rho squared, rounded to 1/256.
[[nodiscard]] std::int32_t implicit_lod(float rho_squared);
/// ANI-1: rho squared that the LOD is taken from, with anisotropy `ratio` (1 = off).
[[nodiscard]] float anisotropic_rho(const Spread& spread, float ratio);
/// ANI-1: number of probes, 1..ceil(ratio).
[[nodiscard]] unsigned probe_count(const Spread& spread, float ratio);

/// The state that chooses levels; LODs in S.`bits`.
struct LodState {
  std::int32_t bias = 0;
  std::int32_t min_lod = 0, max_lod = 0;
  std::int32_t base_mip_level = 0;
  std::int32_t resource_min_lod = 0;  ///< ResMinLOD - SurfMinLOD, relative to the view; may be negative
  std::int32_t mip_count = 0;         ///< whole levels: the last one of the view
  bool preclamp = true;
  image::Filter min_filter{}, mag_filter{};
  image::MipFilter mip_filter{};
  image::LodClampMag clamp_mag{};
  unsigned trilinear_quality = 0;
  unsigned bits = kLodBits;
};
[[nodiscard]] LodState lod_state(const image::Surface& surface, const image::Sampler& sampler);

enum class LodBranch : std::uint8_t {
  State,    ///< the sampler's mip filter (LOD-5)
  Nearest,  ///< gather4_l, _b, _i: one level, whatever the mip filter (LOD-11) [C3]
  Base,     ///< gather4, _c, _po, _po_c in hardware behavior (LOD-10) [C2]
};

struct LodChoice {
  std::int32_t chosen = 0;     ///< S.8, as the lod op returns it (SAM-7)
  std::int32_t unclamped = 0;  ///< S.8
  bool magnify = false;        ///< MagMode
  bool out_of_bounds = false;  ///< LOD-8: every tap is TEX-1
  image::Filter filter{};
  unsigned level_count = 1;              ///< levels with a weight
  std::array<std::uint32_t, 2> level{};  ///< relative to SurfMinLOD
  std::uint32_t beta = 0;                ///< weight of level[1] in 1/256 when there are two
};
/// LOD-5..8, LOD-10, LOD-11. `lod` includes all biases.
[[nodiscard]] LodChoice choose_level(const LodState& state, std::int32_t lod, LodBranch branch = LodBranch::State);

}  // namespace heddle::texture
