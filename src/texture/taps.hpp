// SPDX-License-Identifier: MIT
#pragma once
// The tap list: which texels of a level an operation reads at one lane, and with which weights. The filter, gather4,
// the footprint and the recording of touched texels all consume this one list.

#include <array>
#include <cstdint>

#include "image/sampler.hpp"
#include "image/surface.hpp"
#include "texture/coordinates.hpp"
#include "texture/lod.hpp"

namespace heddle::texture {

enum class TapKind : std::uint8_t {
  Texel,
  Border,  ///< the border color (ADR-4, ADR-9)
  Half,    ///< mean of the texel at the clamped position and the border color (ADR-6, ADR-8)
  Corner,  ///< mean of the three texels around a cube's corner (CUB-5): LevelTaps::corner
};

struct TexelPosition {
  std::uint32_t slice = 0, x = 0, y = 0;  ///< stored 2D slice, or z of a 3D level
  bool border = false;                    ///< the texel belongs to a disabled cube face (ADR-9)
};

struct Tap {
  TexelPosition at;                         ///< Corner: the own face's texel at the clamped position
  std::array<std::int32_t, 3> unwrapped{};  ///< i, j, k before the address mode
  TapKind kind = TapKind::Texel;
  bool weighted = true;  ///< weight inside the level is not 0 (C26)
};

inline constexpr unsigned kMaxProbes = 16;
inline constexpr unsigned kMaxProbeTaps = 8;

struct Probe {
  std::array<std::uint32_t, 3> weight{};  ///< of the second tap in u, v, r; units of 2^-bits
  std::array<Tap, kMaxProbeTaps> tap;     ///< order i0j0k0, i1j0k0, i0j1k0, i1j1k0, i0j0k1 ... (RED-1)
};

/// The taps of one level.
struct LevelTaps {
  std::uint32_t level = 0;              ///< absolute
  std::array<std::uint32_t, 3> size{};  ///< of the level; quilts: of the whole image
  unsigned axes = 2;
  bool linear = false;
  unsigned probes = 1;
  unsigned taps_per_probe = 1;  ///< 1, or 2^axes
  std::array<Probe, kMaxProbes> probe;
  std::array<TexelPosition, 3> corner{};  ///< own face, i outside, j outside (CUB-5)
};

/// What of surface and sampler decides the taps; resolved once for each operation.
struct TapState {
  const image::Surface* surface = nullptr;
  std::array<image::AddressMode, 3> mode{};
  std::array<bool, 2> seam{};  ///< cube: taps outside go to the adjoining face (CUB-4), u and v
  unsigned axes = 2;
  bool cube = false, quilted = false;
  bool non_normalized = false;
  unsigned bits = kSubTexelBits;
};
[[nodiscard]] TapState tap_state(const image::Surface& surface, const image::Sampler& sampler);

/// Where one lane looks. Cubes: u, v are (s, t) of `face`.
struct TapPoint {
  std::array<float, 3> coordinate{};
  std::uint32_t face = 0;
  std::uint32_t index = 0;               ///< array index, clamped (SUR-3)
  std::array<std::int32_t, 3> offset{};  ///< texel offsets (CRD-4)
};

/// Anisotropic probes: `count` 1 means the point itself.
struct ProbeLine {
  unsigned count = 1;
  std::array<float, 2> gradient{};  ///< of the coordinates along the longer axis, not scaled (ANI-1)
};

/// The size of an absolute level as coordinates see it: SUR-1, SUR-5.
[[nodiscard]] std::array<std::uint32_t, 3> sampled_size(const image::Surface& surface, std::uint32_t level);

/// Builds the taps of one level: CRD-1..4, ADR, CUB-3..5, ANI-1, SUR-3, SUR-5, SUR-10. `round`: the rounding enables of
/// the axes (CRD-3).
void build_taps(const TapState& state, const TapPoint& point, std::uint32_t level, bool linear,
                const std::array<bool, 3>& round, const ProbeLine& line, LevelTaps& out);

/// ANI-1: factor that keeps the probes within 2N texels of the level.
[[nodiscard]] float probe_scale(const ProbeLine& line, const std::array<std::uint32_t, 3>& size, bool non_normalized);

/// Calls `visit(tap, position)` for every texel of the surface that the list names; border colors are left out.
template <typename Visit>
void for_each_texel(const LevelTaps& taps, Visit&& visit) {
  for (unsigned p = 0; p < taps.probes; ++p)
    for (unsigned t = 0; t < taps.taps_per_probe; ++t) {
      const Tap& tap = taps.probe[p].tap[t];
      if (tap.kind == TapKind::Corner) {
        for (const auto& at : taps.corner)
          if (!at.border) visit(tap, at);
      } else if (tap.kind != TapKind::Border && !tap.at.border) {
        visit(tap, tap.at);
      }
    }
}

}  // namespace heddle::texture
