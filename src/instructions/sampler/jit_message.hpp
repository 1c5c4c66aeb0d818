#pragma once
// An image message while it is found out what code it gets: its operands, and what is bound to the surface and the
// sampler that it names, as far as that is known.

#include "instructions/jit.hpp"

namespace heddle::instructions {

struct ImageMessage {
  const machine::Code& code;
  const machine::jit::KnownValues& known;  ///< before it
  const machine::StateIndex& states;
  const machine::Bindings& bindings;
  const machine::Decoded& instruction;

  [[nodiscard]] machine::Operands operands() const {
    return {instruction, code.objects.front().operands.data() + instruction.first_operand};
  }
  /// What is bound where the operand says; nullptr where that is nothing or not known, or there is no operand.
  [[nodiscard]] image::Surface* surface(const machine::Operand* operand) const;
  [[nodiscard]] image::Sampler* sampler(const machine::Operand* operand) const;
};

/// What the lanes' functions read of the message's state while they run: `bytes` bytes.
[[nodiscard]] machine::jit::Value varying_of(machine::jit::CodegenContext& e, std::size_t bytes);

}  // namespace heddle::instructions
