// SPDX-License-Identifier: MIT
#pragma once
// The enumerations of the texture unit's operations. No includes but <cstddef> and <cstdint>: the vector functions,
// which are compiled to bitcode, share them.

#include <cstddef>
#include <cstdint>

namespace heddle::texture {

// clang-format off
enum class Op : std::uint8_t {
  // 3D_SAMPLE (section 9)
  Sample, SampleB, SampleL, SampleC, SampleD, SampleBC, SampleLC, Lod, SampleKillpix, SampleDC, SampleLz, SampleCLz,
  SampleDCMlod, SampleMlod, SampleCMlod,
  SamplePo, SamplePoB, SamplePoL, SamplePoC, SamplePoD, SamplePoLC, SamplePoLz, SamplePoCLz, SamplePoBC, SamplePoDC,
  // 3D_LOAD (section 10)
  Ld, LdLz, LdL, Ld2dmsW, LdMcs,
  // 3D_SAMPLE4 (section 11)
  Gather4, Gather4L, Gather4B, Gather4I, Gather4C, Gather4Po, Gather4PoC, Gather4IC, Gather4LC,
  Gather4PoPacked, Gather4PoL, Gather4PoB, Gather4PoI, Gather4PoCPacked, Gather4PoIC, Gather4PoLC,
  // INFO (section 12)
  Resinfo, Sampleinfo,
};
// clang-format on

enum class OperationKind : std::uint8_t { Sample, Load, Gather4, Info };

// clang-format off
/// What a parameter operand means, by the names of the tables. Packed operands: PKO-1.
enum class Param : std::uint8_t {
  U, V, R, Ai, Bias, Lod, Ref, DuDx, DuDy, DvDx, DvDy, DrDx, DrDy, Mlod, MlodR,
  OffU, OffV, OffUv, OffUvr, OffUvIndex, OffUvrIndex, LodOffUv, LodOffUvr, BiasOffUv, BiasOffUvr,
  Si, McsL, McsH, Mcs0, Mcs1, Mcs2, Mcs3,
};
// clang-format on
inline constexpr std::size_t kParamCount = static_cast<std::size_t>(Param::Mcs3) + 1;

/// Where the LOD of LOD-5 comes from.
enum class LodSource : std::uint8_t {
  None,      ///< loads and info
  Base,      ///< LOD-10: the gather4 forms without a LOD
  Zero,      ///< 0, then the steps of LOD-5
  Implicit,  ///< quad derivatives + bias
  Bias,      ///< quad derivatives + bias + lane bias
  Gradient,  ///< given gradients + bias
  Lane,      ///< bias + lane LOD
};

/// What a filter makes of its taps: their weighted mean, or the extreme one (RED-1).
enum class FilterReduction : std::uint8_t { Weighted, Minimum, Maximum };

}  // namespace heddle::texture
