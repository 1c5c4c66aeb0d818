// Sampler messages. Header: M0.2 holds texel offsets 11:0, channels that are off 15:12, the channel to gather 17:16 and
// the null-mask enable 23.
#include <algorithm>

#include "instructions/sampler/request.hpp"
#include "instructions/send/payload.hpp"

namespace heddle::instructions::send {

using machine::ExecutionContext;
using machine::Operand;

namespace {

constexpr unsigned kMostParameters = 14;

/// The parameters follow each other, each in registers of its own; trailing ones may be left out (EXE-6).
void read_parameters(ExecutionContext& s, const Payload& payload, texture::LaneRequest& request,
                     std::array<texture::LaneWords, kMostParameters>& words) {
  const Message& m = payload.message();
  const unsigned bytes = m.half_parameters ? 2 : 4, each = m.registers(bytes, s.grf_bytes());
  const unsigned first = payload.header_registers();
  const unsigned given = payload.registers() > first ? (payload.registers() - first) / each : 0;
  const unsigned count = std::min(given, texture::most_operands(*m.operation, m.half_parameters));
  const bool floats =
      m.operation->family == texture::OpFamily::Sample || m.operation->family == texture::OpFamily::Gather4;
  const texture::ParameterList names = texture::operand_parameters(*m.operation, count, m.half_parameters);
  for (unsigned i = 0; i < names.count; ++i) {
    isa::Type type = floats ? isa::Type::F : isa::Type::UD;
    if (bytes == 2) type = floats ? isa::Type::HF : isa::Type::UW;
    const bool texels = names.names[i] == texture::Param::OffU || names.names[i] == texture::Param::OffV;
    if (texels && bytes == 2) type = isa::Type::UW;
    read_parameter(s, payload.from(first + i * each, bytes, type), request.active, words[i]);
    request.set(names.names[i], words[i]);
  }
}

/// Channels by the header; without one, as many as the response has family for.
std::uint8_t channels_of(ExecutionContext& s, const Payload& payload, std::uint32_t control) {
  const Message& m = payload.message();
  if (m.operation->family == texture::OpFamily::Gather4) return 15;  // GA-7
  if (payload.header_registers() != 0) return ~(control >> 12) & 15u;
  const unsigned each = m.registers(m.half_result ? 2 : 4, s.grf_bytes());
  const unsigned fit = m.response / each;
  return static_cast<std::uint8_t>((1u << std::min(fit, 4u)) - 1);
}

void run_operation(ExecutionContext& s, const Payload& payload) {
  const Message& m = payload.message();
  const texture::OpFamily family = m.operation->family;
  const bool samples = family == texture::OpFamily::Sample || family == texture::OpFamily::Gather4;
  texture::LaneRequest request;
  request.op = m.operation->op;
  request.simd = m.simd;
  request.active = s.enabled();
  request.surface = message_surface(s, m);
  if (samples) request.sampler = message_sampler(s, payload);
  if (request.surface == nullptr || (samples && request.sampler == nullptr)) return;
  request.half_parameters = m.half_parameters;
  request.cps_compensation = m.cps_compensation;
  const std::uint32_t control = payload.header_registers() != 0 ? payload.word(0, 2) : 0;
  request.offset = immediate_offsets(control & 0xfffu);
  request.source_channel = static_cast<std::uint8_t>(control >> 16 & 3u);
  request.null_mask = (control >> 23 & 1u) != 0;
  request.channels = channels_of(s, payload, control);
  std::array<texture::LaneWords, kMostParameters> words{};
  read_parameters(s, payload, request, words);
  execute_and_write(s, request, payload.response(m.half_result ? 2 : 4, m.half_result ? isa::Type::HF : isa::Type::F));
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

void run_sampler(ExecutionContext& step, const Payload& payload) {
  const Message& m = payload.message();
  switch (m.kind) {
    case MessageKind::Sample: {
      WidthStep lanes(step, m.simd);
      run_operation(*lanes, payload);
      return;
    }
    case MessageKind::SampleUnorm:
      if (m.header)
        run_unorm(step, payload);
      else
        step.refuse(step.named("desc"), "run-send-message", "a sample_unorm message has a header");
      return;
    default:  // a cache flush: there is nothing to flush
      return;
  }
}

}  // namespace heddle::instructions::send
