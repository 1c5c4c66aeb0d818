#pragma once
// Typed writes in compiled code: SCATTER4_TYPED and LSC's typed stores, by the image unit's lanes.

#include "instructions/jit.hpp"

namespace heddle::instructions {

/// The write of an instruction, when its surface is known and the lanes can store its format.
[[nodiscard]] std::unique_ptr<unit::lanes::PreparedTyped> prepare_typed_write(const machine::Code& code,
                                                                              const machine::jit::Facts& facts,
                                                                              const machine::StateIndex& states,
                                                                              const machine::Bindings& bindings,
                                                                              const machine::Decoded& d);
[[nodiscard]] bool emit_typed_write(machine::jit::Emit& e);

}  // namespace heddle::instructions
