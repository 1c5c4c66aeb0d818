// SPDX-License-Identifier: MIT
#pragma once
// What the prepared messages have in common: how they find out what is bound, and how their calls are emitted.

#include "instructions/jit.hpp"
#include "machine/pixels.hpp"

namespace heddle::instructions {

/// A message while it is found out what code it gets: its operands, and what is bound to the surface and the sampler
/// that it names, as far as that is known.
struct ImageMessage {
  const machine::Code& code;
  const machine::jit::KnownValues& known;  ///< before it
  const machine::StateIndex& states;
  const machine::Bindings& bindings;
  const machine::PixelState* pixels = nullptr;  ///< of a pixel dispatch
  const machine::Decoded& instruction;
  machine::jit::MessageSlots* slots = nullptr;  ///< gets the slots that are looked at
  image::Surface* any_surface = nullptr;        ///< in place of what is bound
  image::Sampler* any_sampler = nullptr;

  [[nodiscard]] machine::Operands operands() const {
    return {instruction, code.objects.front().operands.data() + instruction.first_operand};
  }
  /// What is bound where the operand says; nullptr where that is nothing or not known, or there is no operand.
  [[nodiscard]] image::Surface* surface(const machine::Operand* operand) const;
  [[nodiscard]] image::Sampler* sampler(const machine::Operand* operand) const;
};

/// The emitter of messages that are nothing but a prepared one; gives up where nothing is prepared.
[[nodiscard]] bool emit_prepared(machine::jit::CodegenContext& e);

/// The message's dynamic state.
[[nodiscard]] machine::jit::Value dynamic_state_of(machine::jit::CodegenContext& e);

/// The first argument of the message's function: that state, or where the code finds what to call.
[[nodiscard]] machine::jit::Value state_argument(machine::jit::CodegenContext& e);

/// A value for each lane, and where the kernel's inputs point to it.
struct InputWords {
  std::size_t at = 0;
  machine::jit::Value bits;
};
/// Stores the words; gives where. `name` tells the words of one instruction apart.
[[nodiscard]] std::vector<machine::jit::Value> store_words(machine::jit::CodegenContext& e,
                                                           std::span<const InputWords> words, std::string_view name);
/// Stores the words, and pointers to them in `inputs`.
void store_inputs(machine::jit::CodegenContext& e, machine::jit::Value inputs, std::span<const InputWords> words,
                  std::string_view name);

template <typename State>
[[nodiscard]] std::span<const std::uint8_t> bytes_of(const State& state) {
  return {reinterpret_cast<const std::uint8_t*>(&state), sizeof state};
}

}  // namespace heddle::instructions
