// SPDX-License-Identifier: MIT
#pragma once
// A texel footprint as plain vISA: resinfo for the sizes, arithmetic on derivatives and the sampler's constants for the
// level. The answers are those of texture/footprint, bit for bit; what that takes is said beside the
// code.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "instructions/sampler/footprint/operands.hpp"
#include "spirv/compile/writer/visa_writer.hpp"

namespace heddle::spirv::compiler {

/// An image and a sampler that lanes ask about.
struct FootprintTarget {
  std::string surface, sampler, record;  ///< "T6", "S0", "T7": the buffer of texture/sampler_record.hpp
  Guard guard;                           ///< which lanes, where there are several
};

struct FootprintOperands {
  instructions::footprint::Shape shape;
  bool integer_texels = false;  ///< V6, FLT-5: NEAREST
  Part granularity, coarse;     ///< coarse: a boolean
  std::array<Part, 3> coordinate, dx, dy, offset;
  Part lod, bias, min_lod;
};

/// Members in the order of the instruction: single (0 or 1), anchor, offset, mask low, mask high, lod, granularity.
/// Lanes of no target get zeros.
[[nodiscard]] std::vector<Part> portable_footprint(VisaWriter& builder, const FootprintOperands& operands,
                                                   std::span<const FootprintTarget> targets);

}  // namespace heddle::spirv::compiler
