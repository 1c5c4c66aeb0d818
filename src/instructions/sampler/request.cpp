#include "instructions/sampler/request.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "instructions/width.hpp"
#include "texture/destination.hpp"

namespace heddle::instructions {

using isa::OperandKind;
using isa::Type;
using machine::ExecutionContext;
using machine::Operand;

const Operand* operand_of_kind(ExecutionContext& step, OperandKind kind) {
  for (unsigned i = 0; i < step.operand_count(); ++i)
    if (step.operand(i).kind == kind) return &step.operand(i);
  return nullptr;
}

const image::Surface* surface_of(ExecutionContext& step) {
  const Operand* operand = operand_of_kind(step, OperandKind::Surface);
  if (operand != nullptr) return step.surface(*operand);
  step.refuse(nullptr, "visa-surface-kind", "the instruction names no surface");
  return nullptr;
}

const image::Sampler* sampler_of(ExecutionContext& step) {
  const Operand* operand = operand_of_kind(step, OperandKind::Sampler);
  if (operand != nullptr) return step.sampler(*operand);
  step.refuse(nullptr, "visa-sampler-sampler", "the instruction names no sampler");
  return nullptr;
}

void read_parameter(ExecutionContext& step, const Operand& operand, std::uint32_t needed, texture::LaneWords& words) {
  std::array<std::uint64_t, machine::kMaxLanes> bits{};
  const unsigned size = operand.size == 2 ? 2 : 4;
  step.read_raw(operand, 0, size, step.lanes(), bits.data(), needed);
  for (unsigned k = 0; k < step.lanes(); ++k) {
    words[k] = static_cast<std::uint32_t>(bits[k]);
    if (operand.type == Type::HF) words[k] = base::bits_of(base::half_to_float(static_cast<std::uint16_t>(bits[k])));
  }
}

std::array<std::int32_t, 3> immediate_offsets(std::uint32_t aoffimmi) {
  const auto field = [aoffimmi](unsigned shift) {
    return static_cast<std::int32_t>((aoffimmi >> shift & 15u) ^ 8u) - 8;
  };
  return {field(8), field(4), field(0)};
}

void execute_and_write(ExecutionContext& step, const texture::LaneRequest& request, const Operand& destination) {
  texture::OperationContext& context = step.thread().unit_context();
  const texture::LaneResult result = texture::execute(request, context);
  step.pass_on(context);

  texture::Destination to;
  to.simd = request.simd;
  to.active = request.active;
  to.channels = texture::operation(request.op).family == texture::OpFamily::Gather4 ? 15 : request.channels;  // GA-7
  to.element_bytes = destination.size == 2 ? 2 : 4;
  to.grf_bytes = step.grf_bytes();
  to.null_mask = request.null_mask;
  const std::span<std::uint8_t> bytes = step.raw_span(destination);
  if (destination.null) return;
  if (texture::destination_bytes(to) > bytes.size())
    step.check(&destination, "run-raw-bounds",
               fmt::format("the result of {} bytes does not fit the {} bytes of {}", texture::destination_bytes(to),
                           bytes.size(), step.name_of(destination)));
  texture::write_destination(bytes, to, result);
  const auto channels = static_cast<unsigned>(__builtin_popcount(to.channels & 15u));
  for (unsigned c = 0; c < channels; ++c) {
    const unsigned at = texture::channel_offset(to, c);
    for (unsigned k = 0; k < to.simd; ++k)
      if (request.is_active(k)) step.define(destination, at + k * to.element_bytes, to.element_bytes);
  }
  if (to.null_mask) step.define(destination, texture::channel_offset(to, channels), 4);
}

void execute_unorm(ExecutionContext& step, const texture::UnormRequest& request, texture::UnormOutput output,
                   const Operand& to) {
  texture::OperationContext& context = step.thread().unit_context();
  const texture::UnormResult result = texture::sample_unorm(request, context);
  step.pass_on(context);
  if (to.null) return;
  output = texture::effective_output(output, context.sample_unorm_behaviour);
  const std::uint32_t size = texture::unorm_bytes(request.channels, output);
  const std::span<std::uint8_t> bytes = step.raw_span(to);
  if (size > bytes.size())
    step.check(
        &to, "run-raw-bounds",
        fmt::format("the result of {} bytes does not fit the {} bytes of {}", size, bytes.size(), step.name_of(to)));
  texture::write_unorm(bytes, result, request.channels, output, request.order);
  step.define(to, 0, size);
}

void run_sampler_message(ExecutionContext& step, texture::OpFamily family) {
  const texture::Operation* op =
      texture::find_operation(family, static_cast<std::uint8_t>(step.instruction().description->selector));
  if (op == nullptr) {
    step.refuse(nullptr, "visa-sampler-op",
                fmt::format("the texture unit has no operation '{}'", step.instruction().description->mnemonic));
    return;
  }
  texture::LaneRequest request;
  request.op = op->op;
  request.simd = step.lanes();
  request.active = step.enabled();
  request.surface = surface_of(step);
  if (family != texture::OpFamily::Load) request.sampler = sampler_of(step);
  if (request.surface == nullptr || (family != texture::OpFamily::Load && request.sampler == nullptr)) return;

  const auto first = static_cast<unsigned>(step.instruction().description->fixed_slots());
  const unsigned count = step.operand_count() > first ? step.operand_count() - first : 0;
  for (unsigned i = 0; i < count; ++i)
    request.half_parameters = request.half_parameters || step.operand(first + i).size == 2;
  const texture::ParameterList names = texture::operand_parameters(*op, count, request.half_parameters);
  std::array<texture::LaneWords, 14> words{};
  for (unsigned i = 0; i < count && i < names.count; ++i) {
    const Operand& operand = step.operand(first + i);
    if (operand.null) continue;  // reads as 0
    read_parameter(step, operand, request.active, words[i]);
    request.set(names.names[i], words[i]);
  }
  if (const Operand* offsets = step.named("aoffimmi"))
    request.offset = immediate_offsets(static_cast<std::uint32_t>(step.read_scalar(*offsets)));
  request.null_mask = step.integer("null_mask") != 0;
  request.cps_compensation = step.integer("cps") != 0;
  request.channels = static_cast<std::uint8_t>(step.integer("mask"));
  request.source_channel = static_cast<std::uint8_t>(step.integer("channel"));
  execute_and_write(step, request, *step.named("dst"));
}

void run_legacy_message(ExecutionContext& step, texture::OpFamily family) {
  const unsigned simd = step.integer("simd16") != 0 ? 16 : 8;
  const std::uint32_t lanes = step.thread().flow().active() & ((1u << simd) - 1);
  WidthStep wide(step, simd, 0, lanes);
  ExecutionContext& s = *wide;
  texture::LaneRequest request;
  request.op = family == texture::OpFamily::Sample ? texture::Op::Sample : texture::Op::Ld;
  request.simd = simd;
  request.active = s.enabled();
  request.surface = surface_of(s);
  if (family == texture::OpFamily::Sample) request.sampler = sampler_of(s);
  if (request.surface == nullptr || (family == texture::OpFamily::Sample && request.sampler == nullptr)) return;
  constexpr std::pair<std::string_view, texture::Param> kNames[] = {
      {"u", texture::Param::U}, {"v", texture::Param::V}, {"r", texture::Param::R}};
  std::array<texture::LaneWords, 3> words{};
  for (unsigned i = 0; i < words.size(); ++i) {
    const Operand* operand = s.named(kNames[i].first);
    if (operand == nullptr || operand->null) continue;
    read_parameter(s, *operand, request.active, words[i]);
    request.set(kNames[i].second, words[i]);
  }
  request.channels = static_cast<std::uint8_t>(s.integer("mask") & 15u);
  Operand to = *s.named("dst");
  to.size = 4;  // the message returns 32 bits whatever the variable's type
  execute_and_write(s, request, to);
}

}  // namespace heddle::instructions
