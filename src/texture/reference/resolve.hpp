// SPDX-License-Identifier: MIT
#pragma once
// What sample and gather4 share: refusals, state resolved once for each operation, and a lane's parameters in the
// rules' terms; what all engines know of the state.

#include <optional>

#include "texture/cube.hpp"
#include "texture/filter.hpp"
#include "texture/request.hpp"
#include "texture/taps.hpp"

namespace heddle::texture::reference {

struct Resolved {
  const Operation* operation = nullptr;
  bool compare = false;  ///< after RED-3
  bool reference_is_zero = false;
  bool packed_index = false, value_index = false;  ///< PKO-2, PKO-3
  TapState taps;
  ValueState values;
  LodState lod;
  std::array<std::uint32_t, 3> base_size{};  ///< of level SurfMinLOD (LOD-4)
  float ratio = 1;                           ///< anisotropy A of the LOD and of the probes; 1 = off
  bool min_anisotropic = false;
};

/// All lanes 0, null mask 1 (RET-7..9).
[[nodiscard]] LaneResult zero_result(image::ValueClass value_class);

/// RET-7..9, SUR-8, NUM-28, GA-2, GA-10, PKO-4, C64: nullopt with the reason in the reports, or for a NULL surface or a
/// disabled sampler without one, when the result is zero_result.
[[nodiscard]] std::optional<Resolved> resolve(const LaneRequest& request, OperationContext& context);

/// One lane's parameters.
struct Lane {
  TapPoint point;
  CubeFace face;              ///< cubes
  Gradients gradients;        ///< of coordinates, or of (s, t); zero when the op takes none
  std::int32_t lane_lod = 0;  ///< lane LOD or lane bias (NUM-73)
  std::int32_t min_lod = 0;   ///< MLOD
  bool has_min_lod = false;
  float ref = 0;
};
[[nodiscard]] Lane read_lane(const Resolved& state, const LaneRequest& request, unsigned lane);

/// LOD-4, LOD-5: the LOD with its biases, S.8; `spread` receives the derivatives' lengths.
[[nodiscard]] std::int32_t lod_of(const Resolved& state, const Lane& lane, Spread& spread);

/// FLT-2, FLT-5, FLT-6: whether the level's taps are those of LINEAR.
[[nodiscard]] bool takes_linear_taps(const Resolved& state, image::Filter filter);
/// The probes of a sample (ANI-1).
[[nodiscard]] ProbeLine probe_line(const Resolved& state, const Lane& lane, const Spread& spread,
                                   const LodChoice& choice, bool linear);
/// What a query of the level of detail answers: S.8 as binary32 (SAM-7, C48).
[[nodiscard]] inline image::Texel lod_texel(const LodChoice& choice) {
  image::Texel texel;
  texel.set(0, static_cast<float>(choice.chosen) / 256.0f);
  texel.set(1, static_cast<float>(choice.unclamped) / 256.0f);
  return texel;
}
/// GA-4: which tap (order i0j0, i1j0, i0j1, i1j1) each returned channel holds: R lower left, G lower right, B upper
/// right, A upper left.
inline constexpr std::array<unsigned, 4> kReturnedTap{2, 3, 1, 0};
/// LOD-10, LOD-11: a gather takes one level, always. LD-10: `unread` of the view's levels.
[[nodiscard]] LodChoice gather_level(const Resolved& state, const Lane& lane, std::uint32_t unread, bool hardware);

/// Tells the observer of every texel of the list, weightless ones included (FC1).
void observe(OperationContext& context, const image::Surface& surface, const LevelTaps& taps, unsigned lane,
             bool all_weighted);

/// What ld_mcs answers for a pixel of a surface that has no MCS: each sample in its own slice (LD-7).
[[nodiscard]] std::uint64_t identity_mcs(std::uint32_t samples);

/// The rounding enables of one set, u, v, r (CRD-3).
[[nodiscard]] inline const std::array<bool, 3>& rounding(const image::Sampler& sampler, bool magnify) {
  return magnify ? sampler.round_mag : sampler.round_min;
}

}  // namespace heddle::texture::reference
