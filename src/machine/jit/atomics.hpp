// SPDX-License-Identifier: MIT
#pragma once
// Atomic operations of all lanes of a message, for compiled code.

#include <cstdint>

namespace heddle::machine::jit {

/// Lane k of `mask`: the operation (AtomicOp in shape 7:0; kAlone) of shape 15:8 bytes at data + places[k], a multiple
/// of its size. Operands and results are elements of at least 4 bytes; beyond `size` nothing happens and the result is
/// 0.
void run_atomics(std::uint8_t* data, std::uint32_t size, const std::uint32_t* places, const void* first,
                 const void* second, void* old, std::uint32_t mask, std::uint32_t shape);

}  // namespace heddle::machine::jit
