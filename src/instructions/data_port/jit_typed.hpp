#pragma once
// Typed writes and atomics in compiled code: SCATTER4_TYPED, TYPED_ATOMIC and LSC's typed messages.

#include "instructions/sampler/jit_message.hpp"

namespace heddle::instructions {

/// The texels of an instruction, when its surface is known and plain enough.
[[nodiscard]] std::unique_ptr<texture::simd::PreparedTyped> prepare_typed(const ImageMessage& message);
/// Whether that is an atomic operation: no function of the lanes is called.
[[nodiscard]] bool is_typed_atomic(const machine::Decoded& d);
[[nodiscard]] bool emit_typed_write(machine::jit::CodegenContext& e);
/// TYPED_ATOMIC and LSC's.
[[nodiscard]] bool emit_typed_atomic(machine::jit::CodegenContext& e);

}  // namespace heddle::instructions
