// SPDX-License-Identifier: MIT
#include "instructions/send/payload.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace heddle::instructions::send {

using machine::ExecutionContext;
using machine::Operand;

namespace {

Operand named_or_null(const ExecutionContext& context, std::string_view slot) {
  const Operand* operand = context.named(slot);
  if (operand != nullptr) return *operand;
  Operand null;
  null.null = true;
  return null;
}

void cut(Operand& operand, unsigned bytes) { operand.root_end = std::min(operand.root_end, operand.base + bytes); }

}  // namespace

Payload::Payload(ExecutionContext& context, const Message& message)
    : context_(context),
      message_(message),
      first_(named_or_null(context, context.named("src0") != nullptr ? "src0" : "src")),
      second_(named_or_null(context, "src1")),
      response_(named_or_null(context, "dst")),
      first_count_(message.length),
      second_count_(second_.null ? 0 : message.extended_length) {
  const unsigned grf = context.grf_bytes();
  cut(first_, first_count_ * grf);
  cut(second_, second_count_ * grf);
  cut(response_, message.response * grf);
}

unsigned Payload::header_registers() const {
  if (!message_.header) return 0;
  return message_.function == SharedFunction::RenderCache ? 2 : 1;
}

Operand Payload::from(unsigned first_register, unsigned bytes, isa::Type type) const {
  const unsigned grf = context_.grf_bytes();
  const bool in_second = first_register >= first_count_ && second_count_ != 0;
  Operand o = in_second ? second_ : first_;
  o.base += (in_second ? first_register - first_count_ : first_register) * grf;
  o.size = static_cast<std::uint8_t>(bytes);
  o.type = type;
  if (!in_second && second_count_ != 0) {
    o.rest = &second_;
    o.rest_at = (first_count_ - first_register) * grf;
  }
  return o;
}

Operand Payload::response(unsigned bytes, isa::Type type) const {
  Operand o = response_;
  o.size = static_cast<std::uint8_t>(bytes);
  o.type = type;
  o.null = o.null || message_.response == 0;
  return o;
}

std::uint32_t Payload::word(unsigned first_register, unsigned index, bool quietly) const {
  std::uint64_t value = 0;
  context_.read_raw(from(first_register), 4 * index, 4, 1, &value, quietly ? 0 : 1);
  return static_cast<std::uint32_t>(value);
}

bool Payload::has(unsigned needed) const {
  if (registers() >= needed) return true;
  context_.refuse(context_.named("desc"), "visa-send-length",
                  fmt::format("the message '{}' needs {} registers and has {}", message_.name, needed, registers()));
  return false;
}

const image::Surface* message_surface(ExecutionContext& context, const Message& message) {
  const bool by_handle = is_lsc(message.function)
                             ? message.space == AddressSpace::Bindless || message.space == AddressSpace::State
                             : message.surface == machine::kBtiBindless;
  if (!by_handle) return context.surface_at(message.surface, context.named("desc"));
  const auto& handles = context.thread().bindings().bindless_surfaces;
  if (const auto found = handles.find(message.surface_handle); found != handles.end()) return found->second.get();
  context.refuse(context.named("exdesc"), "run-binding-missing",
                 fmt::format("no surface has handle {:#x}", message.surface_handle));
  return nullptr;
}

/// M0.3 of a header is the address of the sampler states: the thread's own (R0.3), that of a later group of sixteen, or
/// a bindless sampler's.
const image::Sampler* message_sampler(ExecutionContext& context, const Payload& payload) {
  const machine::Bindings& bindings = context.thread().bindings();
  std::uint64_t index = payload.message().sampler;
  if (payload.header_registers() != 0) {
    constexpr std::uint32_t kPointer = ~0x1fu;
    std::array<std::uint8_t, 16> r0{};
    context.thread().payload(0, r0);
    std::uint32_t own = 0;
    std::memcpy(&own, r0.data() + 12, 4);
    const Operand header = payload.from(0);
    const bool written =
        !header.null && header.base + 16 <= header.root_end && context.registers().defined(header.base + 12, 4);
    const std::uint32_t given = written ? payload.word(0, 3, true) : own;
    if (((given ^ own) & kPointer) != 0) {
      for (const std::uint32_t handle : {given, given & kPointer})
        if (const auto found = bindings.bindless_samplers.find(handle); found != bindings.bindless_samplers.end())
          return found->second.get();
      index += ((given & kPointer) - (own & kPointer)) / 16;  // states of 16 bytes
    }
  }
  if (index < bindings.samplers.size() && bindings.samplers[index] != nullptr) return bindings.samplers[index].get();
  context.refuse(context.named("desc"), "run-binding-missing", fmt::format("no sampler is bound to index {}", index));
  return nullptr;
}

}  // namespace heddle::instructions::send
