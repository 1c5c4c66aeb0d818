// SPDX-License-Identifier: MIT
#pragma once
// The tessellator: from the levels of a patch to points of its domain and the primitives between them, in fixed-point
// arithmetic (TES-1 to TES-10).

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::pipeline {

enum class TessellationDomain : std::uint8_t { Triangles, Quads, Isolines };
enum class TessellationSpacing : std::uint8_t { Equal, FractionalEven, FractionalOdd };

/// What the shaders and the pipeline say of all patches.
struct TessellationState {
  TessellationDomain domain = TessellationDomain::Triangles;
  TessellationSpacing spacing = TessellationSpacing::Equal;
  bool points = false;    ///< a point for each vertex, in place of lines and triangles
  bool reversed = false;  ///< triangles are clockwise where u points to the right and v up (TES-9)
};

/// The corners of a primitive that is made: 1, 2 or 3.
[[nodiscard]] std::uint32_t corners_of(const TessellationState& state);

/// Levels as a shader writes them.
struct PatchLevels {
  std::array<float, 4> outer{};
  std::array<float, 2> inner{};
};

/// How many outer and inner levels count.
[[nodiscard]] std::uint32_t outer_count(TessellationDomain domain);
[[nodiscard]] std::uint32_t inner_count(TessellationDomain domain);

inline constexpr std::uint32_t kDomainOne = 1u << 16;  ///< 1 in fixed point

/// What counts of the levels, in units of 1/65536 (TES-1 to TES-3). Patches with the same ones are divided alike.
struct EffectiveLevels {
  std::array<std::uint32_t, 4> outer{};
  std::array<std::uint32_t, 2> inner{};
  bool culled = false;  ///< nothing is made of the patch
  friend bool operator==(const EffectiveLevels&, const EffectiveLevels&) = default;
};
[[nodiscard]] EffectiveLevels effective_levels(const TessellationState& state, const PatchLevels& levels);

/// In units of 1/65536; of triangles the third coordinate is what is left of 1.
struct DomainPoint {
  std::uint32_t u = 0, v = 0;
  friend bool operator==(const DomainPoint&, const DomainPoint&) = default;
};

struct DomainMesh {
  std::vector<DomainPoint> points;     ///< each is there once
  std::vector<std::uint32_t> indices;  ///< corners_of() for each primitive
};

/// Divides the domain; what `to` had is gone. Points and primitives come in the order of TES-10.
void tessellate(const TessellationState& state, const EffectiveLevels& levels, DomainMesh& to);

}  // namespace heddle::pipeline
