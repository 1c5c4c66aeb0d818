// SPDX-License-Identifier: MIT
#pragma once
// The registers of one raw message: where its parts lie, and who executes it.

#include "instructions/send/message.hpp"
#include "instructions/width.hpp"

namespace heddle::instructions::send {

/// One message in execution.
class Payload {
 public:
  /// `context`: the raw instruction's own.
  Payload(machine::ExecutionContext& context, const Message& message);
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;

  [[nodiscard]] const Message& message() const { return message_; }
  /// Registers of both payloads together.
  [[nodiscard]] unsigned registers() const { return first_count_ + second_count_; }
  /// Registers before the first parameter.
  [[nodiscard]] unsigned header_registers() const;
  /// The message from a register on, as elements of `bytes` bytes.
  [[nodiscard]] machine::Operand from(unsigned first_register, unsigned bytes = 4,
                                      isa::Type type = isa::Type::UD) const;
  /// The response, of as many registers as the descriptor says.
  [[nodiscard]] machine::Operand response(unsigned bytes = 4, isa::Type type = isa::Type::UD) const;
  /// Dword `index` of a register; `quietly`: 0 when it was never written.
  [[nodiscard]] std::uint32_t word(unsigned first_register, unsigned index, bool quietly = false) const;
  /// False, after a refusal, when the message is shorter than `needed` registers.
  [[nodiscard]] bool has(unsigned needed) const;

 private:
  machine::ExecutionContext& context_;
  const Message& message_;
  machine::Operand first_, second_, response_;
  unsigned first_count_, second_count_;
};

/// The surface and sampler that a message names; refused when nothing is bound there.
[[nodiscard]] const image::Surface* message_surface(machine::ExecutionContext& context, const Message& message);
[[nodiscard]] const image::Sampler* message_sampler(machine::ExecutionContext& context, const Payload& payload);

void run_sampler(machine::ExecutionContext& context, const Payload& payload);
void run_render_cache(machine::ExecutionContext& context, const Payload& payload);
void run_data_port(machine::ExecutionContext& context, const Payload& payload);
/// LSC's own kinds: vectors, strided and two-dimensional blocks, page status.
void run_lsc(machine::ExecutionContext& context, const Payload& payload);

// Shared by the data ports.

/// The memory that a message names; nothing after a refusal.
[[nodiscard]] std::optional<machine::MemoryTarget> message_target(machine::ExecutionContext& context,
                                                                  const Message& message);
/// Byte addresses of the lanes; `global`: a header's offset is added, in the unit of the others.
[[nodiscard]] machine::Lanes message_addresses(machine::ExecutionContext& context, const Payload& payload, bool global);
[[nodiscard]] inline unsigned address_registers(const machine::ExecutionContext& context, const Message& message) {
  return message.registers(message.address_bytes, context.grf_bytes());
}

}  // namespace heddle::instructions::send
