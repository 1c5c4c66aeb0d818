// SPDX-License-Identifier: MIT
#include "instructions/sampler/message.hpp"

#include <fmt/format.h>

namespace heddle::instructions {

using machine::Operand;

std::array<std::int32_t, 3> immediate_offsets(std::uint32_t aoffimmi) {
  const auto field = [aoffimmi](unsigned shift) {
    return static_cast<std::int32_t>((aoffimmi >> shift & 15u) ^ 8u) - 8;
  };
  return {field(8), field(4), field(0)};
}

base::Result<base::Done> add_parameters(SamplerMessage& message, std::span<const Operand> operands) {
  const texture::Operation& op = message.operation();
  for (const Operand& operand : operands)
    message.request.half_parameters = message.request.half_parameters || operand.size == 2;
  const bool half = message.request.half_parameters;
  const texture::ParameterList list = texture::operand_parameters(op, static_cast<unsigned>(operands.size()), half);
  if (list.count < operands.size())
    return base::error("visa-sampler-param-count",
                       fmt::format("{} has {} parameters{}, takes at most {}", op.name, operands.size(),
                                   half ? " of 16 bits" : "", texture::most_operands(op, half)));
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (!operands[i].null) message.parameter[message.parameter_count++] = {list.names[i], &operands[i]};
  return base::Done{};
}

base::Result<SamplerMessage> read_message(const machine::Operands& operands, texture::Op op) {
  SamplerMessage message;
  texture::LaneRequest& request = message.request;
  request.op = op;
  request.channels = static_cast<std::uint8_t>(operands.integer("mask") & 15u);
  request.source_channel = static_cast<std::uint8_t>(operands.integer("channel"));
  request.null_mask = operands.integer("null_mask") != 0;
  request.cps_compensation = operands.integer("cps") != 0;
  if (const Operand* offsets = operands.named("aoffimmi")) {
    if (offsets->kind == isa::OperandKind::Immediate)
      request.offset = immediate_offsets(static_cast<std::uint32_t>(offsets->value));
    else
      message.offsets = offsets;
  }
  const isa::InstructionDescription& description = operands.description();
  if (description.fixed_slots() == description.slots.size()) {  // each parameter has a slot of its name
    for (const texture::Param p : message.operation().parameters())
      if (const Operand* operand = operands.named(texture::param_name(p)); operand != nullptr && !operand->null)
        message.parameter[message.parameter_count++] = {p, operand};
    return message;
  }
  const auto done = add_parameters(message, operands.repeated());
  if (!done.ok()) return done.failure();
  return message;
}

}  // namespace heddle::instructions
