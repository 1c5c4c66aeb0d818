#pragma once
// The registers of one raw message: where its parts lie, and the step that executes it with the message's own width.

#include "instructions/send/message.hpp"
#include "machine/step.hpp"

namespace heddle::instructions::send {

/// One message in execution.
class Payload {
 public:
  /// `step`: the raw instruction's own.
  Payload(machine::Step& step, const Message& message);
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
  machine::Step& step_;
  const Message& message_;
  machine::Operand first_, second_, response_;
  unsigned first_count_, second_count_;
};

/// A step with the message's width: the lanes of the instruction from `shift` on that are enabled (SIMD16 messages of
/// an instruction of 8 lanes have 8 lanes off).
class MessageStep {
 public:
  MessageStep(machine::Step& step, unsigned simd, unsigned shift = 0);
  MessageStep(const MessageStep&) = delete;
  MessageStep& operator=(const MessageStep&) = delete;
  [[nodiscard]] machine::Step& operator*() { return step_; }

 private:
  machine::Decoded decoded_;
  machine::Step step_;
};

/// The surface and sampler that a message names; refused when nothing is bound there.
[[nodiscard]] const image::Surface* message_surface(machine::Step& step, const Message& message);
[[nodiscard]] const image::Sampler* message_sampler(machine::Step& step, const Payload& payload);

void run_sampler(machine::Step& step, const Payload& payload);
void run_render_write(machine::Step& step, const Payload& payload);
void run_data_port(machine::Step& step, const Payload& payload);

}  // namespace heddle::instructions::send
