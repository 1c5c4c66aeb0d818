// SPDX-License-Identifier: MIT
// Sampler messages. Header: M0.2 holds texel offsets 11:0, channels that are off 15:12, the channel to gather 17:16 and
// the null-mask enable 23.
#include <algorithm>

#include <fmt/format.h>

#include "instructions/sampler/request.hpp"
#include "instructions/send/payload.hpp"

namespace heddle::instructions::send {

using machine::ExecutionContext;
using machine::Operand;

namespace {

using Parameters = std::array<Operand, texture::ParameterList::kMax>;

/// The parameters follow each other, each in registers of its own; trailing ones may be left out (EXE-6). How many of
/// `operands` there are.
unsigned find_parameters(ExecutionContext& s, const Payload& payload, Parameters& operands) {
  const Message& m = payload.message();
  const unsigned bytes = m.half_parameters ? 2 : 4, each = m.registers(bytes, s.grf_bytes());
  const unsigned first = payload.header_registers();
  const unsigned given = payload.registers() > first ? (payload.registers() - first) / each : 0;
  const unsigned most = texture::most_operands(*m.operation, m.half_parameters), count = std::min(given, most);
  if (given > most)
    s.check(s.named("desc"), "run-send-message",
            fmt::format("{} takes at most {} parameters, the payload has registers for {}", m.name, most, given));
  const bool floats =
      m.operation->family == texture::OperationKind::Sample || m.operation->family == texture::OperationKind::Gather4;
  const texture::ParameterList list = texture::operand_parameters(*m.operation, count, m.half_parameters);
  for (unsigned i = 0; i < list.count; ++i) {
    isa::Type type = floats ? isa::Type::F : isa::Type::UD;
    if (bytes == 2) type = floats ? isa::Type::HF : isa::Type::UW;
    const bool texels = list.names[i] == texture::Param::OffU || list.names[i] == texture::Param::OffV;
    if (texels && bytes == 2) type = isa::Type::UW;
    operands[i] = payload.from(first + i * each, bytes, type);
  }
  return list.count;
}

/// Channels by the header; without one, as many as the response has room for.
std::uint8_t channels_of(ExecutionContext& s, const Payload& payload, std::uint32_t control) {
  const Message& m = payload.message();
  if (m.operation->family == texture::OperationKind::Gather4) return 15;  // GA-7
  if (payload.header_registers() != 0) return ~(control >> 12) & 15u;
  const unsigned each = m.registers(m.half_result ? 2 : 4, s.grf_bytes());
  const unsigned fit = m.response / each;
  return static_cast<std::uint8_t>((1u << std::min(fit, 4u)) - 1);
}

void run_operation(ExecutionContext& s, const Payload& payload) {
  const Message& m = payload.message();
  SamplerMessage message;
  texture::LaneRequest& request = message.request;
  request.op = m.operation->op;
  request.simd = m.simd;
  request.surface = message_surface(s, m);
  if (message.has_sampler()) request.sampler = message_sampler(s, payload);
  if (request.surface == nullptr || (message.has_sampler() && request.sampler == nullptr)) return;
  request.half_parameters = m.half_parameters;
  request.cps_compensation = m.cps_compensation;
  const std::uint32_t control = payload.header_registers() != 0 ? payload.word(0, 2) : 0;
  request.offset = immediate_offsets(control & 0xfffu);
  request.source_channel = static_cast<std::uint8_t>(control >> 16 & 3u);
  request.null_mask = (control >> 23 & 1u) != 0;
  request.channels = channels_of(s, payload, control);
  Parameters operands;
  const unsigned count = find_parameters(s, payload, operands);
  const auto named = add_parameters(message, std::span<const Operand>(operands).first(count));
  if (!named.ok()) return;  // find_parameters gives no more than the operation takes
  run_message(s, message, payload.response(m.half_result ? 2 : 4, m.half_result ? isa::Type::HF : isa::Type::F));
}

/// Header, then one register: u, v, their steps in dwords 2 to 5.
void run_unorm(ExecutionContext& s, const Payload& payload) {
  if (!payload.has(2)) return;
  texture::UnormRequest request;
  request.surface = message_surface(s, payload.message());
  request.sampler = message_sampler(s, payload);
  if (request.surface == nullptr || request.sampler == nullptr) return;
  const auto value = [&](unsigned i) { return base::float_from_bits(payload.word(1, i)); };
  request.u = value(2);
  request.v = value(3);
  request.du = value(4);
  request.dv = value(5);
  request.channels = ~(payload.word(0, 2) >> 12) & 15u;
  execute_unorm(s, request, texture::UnormOutput::Full16, payload.response(2, isa::Type::UW));
}

}  // namespace

void run_sampler(ExecutionContext& context, const Payload& payload) {
  const Message& m = payload.message();
  switch (m.kind) {
    case MessageKind::Sample: {
      WidthContext lanes(context, m.simd);
      run_operation(*lanes, payload);
      return;
    }
    case MessageKind::SampleUnorm:
      if (m.header)
        run_unorm(context, payload);
      else
        context.refuse(context.named("desc"), "run-send-message", "a sample_unorm message has a header");
      return;
    default:  // a cache flush: there is nothing to flush
      return;
  }
}

}  // namespace heddle::instructions::send
