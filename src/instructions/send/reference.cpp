// SPDX-License-Identifier: MIT
// raw_send, raw_sends: descriptors become a message, and the message runs through the functions of the instructions
// that say the same by name.
#include <fmt/format.h>

#include "instructions/reference.hpp"
#include "instructions/send/payload.hpp"

namespace heddle::instructions::send {
namespace {

using machine::ExecutionContext;
using machine::Operand;

std::uint32_t word_of(ExecutionContext& s, std::string_view slot) {
  const Operand* operand = s.named(slot);
  if (operand == nullptr) return 0;
  if (operand->kind == isa::OperandKind::Integer) return static_cast<std::uint32_t>(operand->value);
  return static_cast<std::uint32_t>(s.read_scalar(*operand));
}

/// visa-send-length, of descriptors that are known only now.
void check_lengths(ExecutionContext& s, const Message& m) {
  struct Row {
    std::string_view slot;
    unsigned stated;
  };
  const bool split = s.named("nsrc0") != nullptr;
  const Row rows[] = {
      {split ? "nsrc0" : "nsrc", m.length}, {"nsrc1", split ? m.extended_length : 0}, {"ndst", m.response}};
  for (const Row& row : rows)
    if (row.stated > s.integer(row.slot))
      s.check(s.named("desc"), "visa-send-length",
              fmt::format("{} is {}, the descriptor says {}", row.slot, s.integer(row.slot), row.stated));
}

void execute(ExecutionContext& s) {
  const std::uint32_t extended = word_of(s, "exdesc"), descriptor = word_of(s, "desc");
  const unsigned number = function_number(s.integer("ffid"), extended);
  const isa::Platform platform = s.thread().code().platform;
  const auto count = [&s](std::string_view slot) { return static_cast<unsigned>(s.integer(slot)); };
  const SendLengths sending{count("nsrc0"), count("nsrc1"), count("ndst"), s.lanes()};
  const Message m = decode_message(shared_function(number, platform), extended, descriptor, sending, platform);
  if (m.kind == MessageKind::Refused) {
    s.refuse(s.named("desc"), "run-send-message",
             fmt::format("message '{}' of the {} is not executed: {}", m.name, function_name(m.function), m.refusal));
    return;
  }
  check_lengths(s, m);
  const Payload payload(s, m);
  if (!payload.has(1)) return;
  switch (m.function) {
    case SharedFunction::Sampler:
      run_sampler(s, payload);
      break;
    case SharedFunction::RenderCache:
      run_render_cache(s, payload);
      break;
    default:
      run_data_port(s, payload);
  }
  const bool ends = m.end_of_thread || s.instruction().description->traits.ends_thread;
  if (ends && !s.thread().failed()) s.thread().finish();
}

constexpr ReferenceHook kHooks[] = {{"raw_send", execute},   {"raw_sendc", execute},     {"raw_sends", execute},
                                    {"raw_sendsc", execute}, {"raw_sends_eot", execute}, {"raw_sendsc_eot", execute}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::send
