#pragma once
// Compiled footprint queries: the image unit's lanes for the view and the sampler that are bound.

#include "instructions/jit.hpp"

namespace heddle::instructions {

/// The query of a heddle_footprint; nullptr when its surface and sampler are not known, or the lanes do not have it.
[[nodiscard]] std::unique_ptr<unit::lanes::PreparedFootprint> prepare_footprint(const machine::Code& code,
                                                                                const machine::jit::Facts& facts,
                                                                                const machine::StateIndex& states,
                                                                                const machine::Bindings& bindings,
                                                                                const machine::Decoded& instruction);

bool emit_footprint(machine::jit::Emit& e);

}  // namespace heddle::instructions
