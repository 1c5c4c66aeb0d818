// SPDX-License-Identifier: MIT
#pragma once
// Footprint queries over SIMD lanes: footprint() with the same answers, prepared once for a view and a sampler.

#include <array>
#include <memory>

#include "texture/footprint.hpp"
#include "texture/simd/footprint_state.hpp"
#include "texture/simd/prepared.hpp"

namespace heddle::texture::simd {

/// Which operands the lanes have.
struct FootprintShape {
  FootprintOperand operand = FootprintOperand::Derivatives;
  bool bias = false, min_lod = false, offset = false;
};

struct PreparedFootprint {
  FootprintStaticState static_state;
  FootprintDynamicState dynamic_state;  ///< dynamic_state.owner is this object: bind() after copying
  FootprintView view;
  FootprintSampler sampler;
  FootprintOptions options;
  void bind() { dynamic_state.owner = this; }
};

/// Fast states: every address mode clamps, no anisotropy, default precision, nothing that strict mode refuses; others
/// and lanes with NaN, infinities, offsets or reserved granularities go to the fallback.
[[nodiscard]] std::unique_ptr<PreparedFootprint> prepare_footprint(const FootprintView& view,
                                                                   const FootprintSampler& sampler,
                                                                   const FootprintShape& shape,
                                                                   const FootprintOptions& options);
[[nodiscard]] inline bool is_fast(const PreparedFootprint& prepared) { return prepared.static_state.fast != 0; }

/// The fallback of footprint_state.hpp: footprint() for each lane, all zero where it refuses. `thread` is a
/// base::Diagnostics* that receives errors and warnings, or null.
void query_reference(const FootprintDynamicState* dynamic_state, const FootprintInputs* inputs, std::uint32_t width,
                     std::uint32_t mask, std::uint32_t* out, void* thread);

/// `width` 8, 16 or 32 queries; `out` as footprint_state.hpp says.
void query_footprints(const PreparedFootprint& prepared, const FootprintInputs& inputs, unsigned width,
                      std::uint32_t mask, std::uint32_t* out, base::Diagnostics* diagnostics, InstructionSet target);

}  // namespace heddle::texture::simd
