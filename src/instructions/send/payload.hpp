#pragma once
// The registers of one raw message: where its parts lie, and who executes it.

#include "instructions/send/message.hpp"
#include "instructions/width.hpp"

namespace heddle::instructions::send {

/// One message in execution.
class Payload {
 public:
  /// `step`: the raw instruction's own.
  Payload(machine::ExecutionContext& step, const Message& message);
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
  machine::ExecutionContext& step_;
  const Message& message_;
  machine::Operand first_, second_, response_;
  unsigned first_count_, second_count_;
};

/// The surface and sampler that a message names; refused when nothing is bound there.
[[nodiscard]] const image::Surface* message_surface(machine::ExecutionContext& step, const Message& message);
[[nodiscard]] const image::Sampler* message_sampler(machine::ExecutionContext& step, const Payload& payload);

void run_sampler(machine::ExecutionContext& step, const Payload& payload);
void run_render_cache(machine::ExecutionContext& step, const Payload& payload);
void run_data_port(machine::ExecutionContext& step, const Payload& payload);
/// LSC's own kinds: vectors, strided and two-dimensional blocks, page status.
void run_lsc(machine::ExecutionContext& step, const Payload& payload);

// Shared by the data ports.

/// The memory that a message names; nothing after a refusal.
[[nodiscard]] std::optional<machine::Target> message_target(machine::ExecutionContext& step, const Message& message);
/// Byte addresses of the lanes; `global`: a header's offset is added, in the unit of the others.
[[nodiscard]] machine::Lanes message_addresses(machine::ExecutionContext& step, const Payload& payload, bool global);
[[nodiscard]] inline unsigned address_registers(const machine::ExecutionContext& step, const Message& message) {
  return message.registers(message.address_bytes, step.grf_bytes());
}

}  // namespace heddle::instructions::send
