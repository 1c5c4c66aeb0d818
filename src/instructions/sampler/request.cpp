// SPDX-License-Identifier: MIT
#include "instructions/sampler/request.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "instructions/sampler/operation.hpp"
#include "instructions/width.hpp"
#include "machine/memory.hpp"
#include "machine/sanitizer/memory_watch.hpp"
#include "texture/destination.hpp"
#include "texture/request_runner.hpp"

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

void run_message(ExecutionContext& step, SamplerMessage& message, const Operand& destination) {
  texture::LaneRequest& request = message.request;
  request.active = step.enabled();
  std::array<texture::LaneWords, texture::ParameterList::kMax> words{};
  for (unsigned i = 0; i < message.parameter_count; ++i) {
    const SamplerMessage::Parameter& p = message.parameter[i];
    read_parameter(step, *p.operand, request.active, words[i]);
    request.set(p.name, words[i]);
  }
  texture::OperationContext& context = step.thread().unit_context();
  const Operand* bound = step.checking() ? operand_of_kind(step, OperandKind::Surface) : nullptr;
  const texture::LaneResult result = [&] {
    const machine::WatchedTexels watched(step,
                                         bound != nullptr ? machine::surface_number(step, *bound).value_or(0) : 0);
    texture::RequestRunner* const runner = step.thread().request_runner();
    return runner != nullptr ? runner->run(&step.instruction(), request, context) : texture::execute(request, context);
  }();
  step.pass_on(context);

  texture::Destination to;
  to.simd = request.simd;
  to.active = request.active;
  to.channels = message.channels();
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
    if ((request.active & request.lanes()) == request.lanes()) {
      step.define(destination, at, to.simd * to.element_bytes);
      continue;
    }
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
  output = texture::effective_output(output, context.sample_unorm_behavior);
  const std::uint32_t size = texture::unorm_bytes(request.channels, output);
  const std::span<std::uint8_t> bytes = step.raw_span(to);
  if (size > bytes.size())
    step.check(
        &to, "run-raw-bounds",
        fmt::format("the result of {} bytes does not fit the {} bytes of {}", size, bytes.size(), step.name_of(to)));
  texture::write_unorm(bytes, result, request.channels, output, request.order);
  step.define(to, 0, size);
}

namespace {

/// Reads the instruction's message, gives it what is bound, and runs it.
void run_instruction(ExecutionContext& step, texture::Op op, const Operand& destination) {
  auto message = read_message({step.instruction(), &step.operand(0)}, op);
  if (!message.ok()) {
    for (const base::Diagnostic& d : message.diagnostics()) step.refuse(nullptr, d.id, d.message);
    return;
  }
  texture::LaneRequest& request = message->request;
  request.simd = step.lanes();
  request.surface = surface_of(step);
  if (message->has_sampler()) request.sampler = sampler_of(step);
  if (request.surface == nullptr || (message->has_sampler() && request.sampler == nullptr)) return;
  if (message->offsets != nullptr)
    request.offset = immediate_offsets(static_cast<std::uint32_t>(step.read_scalar(*message->offsets)));
  run_message(step, *message, destination);
}

}  // namespace

void run_sampler_message(ExecutionContext& step) {
  run_instruction(step, operation_of(*step.instruction().description)->op, *step.named("dst"));
}

void run_legacy_message(ExecutionContext& step, texture::OperationKind family) {
  const unsigned simd = step.integer("simd16") != 0 ? 16 : 8;
  const std::uint32_t lanes = step.thread().flow().active() & ((1u << simd) - 1);
  WidthContext wide(step, simd, 0, lanes);
  ExecutionContext& s = *wide;
  Operand to = *s.named("dst");
  to.size = 4;  // the message returns 32 bits whatever the variable's type
  run_instruction(s, family == texture::OperationKind::Load ? texture::Op::Ld : texture::Op::Sample, to);
}

}  // namespace heddle::instructions
