// SPDX-License-Identifier: MIT
#pragma once
// The vector functions of the texture unit and of render targets that were compiled into the program: the first tier's
// code calls them.

#include "machine/jit/context.hpp"
#include "machine/jit/prepared_message.hpp"

namespace heddle::engine::jit {

/// What code that knows no state finds for a message, whose state it points to; nothing for null. `apart`: of its
/// apart_function().
[[nodiscard]] machine::jit::MessageCall call_of(const machine::jit::PreparedMessage* message, bool apart = false);

}  // namespace heddle::engine::jit
