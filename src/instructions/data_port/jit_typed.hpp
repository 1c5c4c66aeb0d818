// SPDX-License-Identifier: MIT
#pragma once
// Typed messages in compiled code: GATHER4_TYPED, SCATTER4_TYPED, TYPED_ATOMIC and LSC's but its reads.

#include "instructions/jit_message.hpp"

namespace heddle::instructions {

/// The texels of an instruction, when its surface is known and plain enough.
[[nodiscard]] std::unique_ptr<machine::jit::PreparedMessage> prepare_typed(const ImageMessage& message);
/// The same of GATHER4_TYPED.
[[nodiscard]] std::unique_ptr<machine::jit::PreparedMessage> prepare_typed_read(const ImageMessage& message);
[[nodiscard]] bool emit_typed_read(machine::jit::CodegenContext& e);
[[nodiscard]] bool emit_typed_write(machine::jit::CodegenContext& e);
/// TYPED_ATOMIC and LSC's.
[[nodiscard]] bool emit_typed_atomic(machine::jit::CodegenContext& e);

}  // namespace heddle::instructions
