#pragma once
// Compiled memory messages: the counterpart of memory.hpp. Addresses are compared with the bytes bound to an index;
// what is not bound, or not plain, is left to the reference function while the program runs.

#include "instructions/jit_alu.hpp"

namespace heddle::instructions::jit_memory {

using namespace jit_alu;
using machine::jit::Block;

/// Bytes of the surface operand in the making.
struct Target {
  Value data;  ///< pointer; null at run time: not to be used
  Value size;  ///< I32, at most 2^31
};
[[nodiscard]] bool target_of(Emit& e, const Operand& surface, Target& target);
[[nodiscard]] Target target_of_index(Emit& e, Value index);

/// One message: `components` of `bytes` bytes each, at offsets[k] + c * bytes; their elements in the registers have
/// `element` bytes, and each component starts at the next register.
struct Message {
  Value offsets;  ///< I32 for each lane
  unsigned components = 1;
  unsigned bytes = 4, element = 4;
  bool aligned = true;  ///< addresses are rounded down to multiples of min(bytes, 4)
  bool write = false;
  const Operand* data = nullptr;
};
[[nodiscard]] bool transfer(Emit& e, const Target& target, const Message& message);

/// A contiguous block from a scalar byte offset (I32).
[[nodiscard]] bool transfer_block(Emit& e, const Target& target, Value offset, unsigned bytes, const Operand& data,
                                  bool write);

/// First lane of a scalar operand as an unsigned 32-bit number.
[[nodiscard]] Value scalar(Emit& e, const Operand& operand);

}  // namespace heddle::instructions::jit_memory
