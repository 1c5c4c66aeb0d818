// SPDX-License-Identifier: MIT
#include "instructions/jit_message.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "instructions/jit_known_values.hpp"

namespace heddle::instructions {

using isa::OperandKind;
using machine::Operand;
using machine::jit::Value;

namespace {

constexpr machine::jit::VectorType kPointer{machine::jit::Element::Pointer, 0};

std::optional<std::uint32_t> value_at(const machine::jit::KnownValues& known, std::uint32_t at) {
  return at < known.states.size() ? known.states[at] : std::nullopt;
}

template <typename T>
T* bound(const std::vector<machine::Resource<T>>& all, std::optional<std::uint32_t> index) {
  return index && *index < all.size() ? all[*index].get() : nullptr;
}

}  // namespace

image::Surface* ImageMessage::surface(const Operand* operand) const {
  if (operand == nullptr) return nullptr;
  if (any_surface != nullptr) return any_surface;
  if (is_handle(*operand)) {
    if (slots != nullptr) slots->by_handle = true;
    const auto handle = value_at(known, states.surface(operand->id, operand->element));
    const machine::SurfaceResource* named = handle ? bindings.surface_with(*handle) : nullptr;
    return named != nullptr ? named->get() : nullptr;
  }
  std::optional<std::uint32_t> index;
  if (operand->kind == OperandKind::Immediate && operand->scalar)  // LSC: the binding-table index itself
    index = static_cast<std::uint32_t>(operand->value);
  else if (operand->kind == OperandKind::Surface)
    index = value_at(known, states.surface(operand->id, operand->element));
  if (slots != nullptr) slots->surface = index;
  return bound(bindings.surfaces, index);
}

image::Sampler* ImageMessage::sampler(const Operand* operand) const {
  if (operand == nullptr) return nullptr;
  if (any_sampler != nullptr) return any_sampler;
  const auto index = value_at(known, states.sampler(operand->id, operand->element));
  if (is_handle(*operand)) {
    if (slots != nullptr) slots->by_handle = true;
    const machine::SamplerResource* named = index ? bindings.sampler_with(*index) : nullptr;
    return named != nullptr ? named->get() : nullptr;
  }
  if (slots != nullptr) slots->sampler = index;
  return bound(bindings.samplers, index);
}

namespace {

/// The word of the state file of %bss or S31: the handle, then whether it has one.
Value handle_word(machine::jit::CodegenContext& e, const Operand* operand) {
  const std::uint32_t at = operand == nullptr || !is_handle(*operand) ? machine::StateIndex::kNone
                           : operand->kind == OperandKind::Surface
                               ? e.function().states->surface(operand->id, operand->element)
                               : e.function().states->sampler(operand->id, operand->element);
  constexpr machine::jit::VectorType kLong{machine::jit::Element::I64, 0};
  return at == machine::StateIndex::kNone ? e.b().constant(kLong, 0)
                                          : e.b().load(e.function().state_registers, at * 8, kLong, 4);
}

/// The reference function runs where the handles name nothing that the message's code can do.
bool emit_by_handle(machine::jit::CodegenContext& e, const machine::jit::MessageUse& use) {
  machine::jit::Builder& b = e.b();
  const Value call =
      b.call({"heddle_jit_message", kPointer, true},
             std::array{e.function().context, e.number(use.slot), handle_word(e, e.of_kind(OperandKind::Surface)),
                        handle_word(e, e.of_kind(OperandKind::Sampler))});
  const machine::jit::Block found = b.block("found"), other = b.block("other"), done = b.block("done");
  b.branch_unlikely(b.compare(machine::jit::Compare::Eq, call, b.constant(kPointer, 0)), other, found);
  b.at(other);
  e.function().call_reference();
  b.jump(done);
  b.at(found);
  e.function().message_call = call;
  const bool good = use.message->emit(e);
  if (!good) e.function().call_reference();  // nothing has been emitted
  b.jump(done);
  b.at(done);
  return true;
}

/// Whether it is worth asking for a lane: messages of an element that no lane chose have none, nor have parts of a
/// wider instruction where others run.
bool may_have_no_lane(machine::jit::CodegenContext& e, const machine::jit::PreparedMessage& message) {
  return message.needs_lane() && (e.instruction().predicate.present() || e.lanes() < e.function().simd);
}

}  // namespace

bool emit_prepared(machine::jit::CodegenContext& e) {
  const machine::jit::MessageUse* use = e.function().message;
  if (use == nullptr) return false;
  const auto emit = [&] { return use->by_handle ? emit_by_handle(e, *use) : use->message->emit(e); };
  if (!may_have_no_lane(e, *use->message)) return emit();
  machine::jit::Builder& b = e.b();
  const machine::jit::Block send = b.block("send"), none = b.block("none");
  b.branch(b.compare(machine::jit::Compare::Eq, e.enabled_bits(), e.number(0)), none, send);  // EXE-3
  b.at(send);
  if (!emit()) e.function().call_reference();  // nothing has been emitted
  b.jump(none);
  b.at(none);
  return true;
}

Value state_argument(machine::jit::CodegenContext& e) {
  using machine::jit::ThreadContext;
  const machine::jit::MessageUse& use = *e.function().message;
  const std::uint64_t slot = use.slot;
  if (use.by_handle) return e.function().message_call;
  if (use.open) {
    constexpr std::uint64_t kSize = sizeof(machine::jit::MessageCall);
    const Value calls =
        e.b().load_fixed(e.function().context, offsetof(ThreadContext, calls), kPointer, 8, {slot * kSize + kSize});
    return e.b().at_byte(calls, slot * kSize);
  }
  const Value table =
      e.b().load_fixed(e.function().context, offsetof(ThreadContext, images), kPointer, 8, {slot * 8 + 8});
  return e.b().load_fixed(table, static_cast<std::int64_t>(slot * 8), kPointer, 8, {use.message->dynamic_bytes()});
}

Value dynamic_state_of(machine::jit::CodegenContext& e) {
  const machine::jit::MessageUse& use = *e.function().message;
  const Value state = state_argument(e);
  if (!use.open) return state;
  return e.b().load_fixed(state, offsetof(machine::jit::MessageCall, dynamic_state), kPointer, 8,
                          {use.message->dynamic_bytes()});
}

std::vector<Value> store_words(machine::jit::CodegenContext& e, std::span<const InputWords> words,
                               std::string_view name) {
  machine::jit::Builder& b = e.b();
  std::vector<Value> places;
  for (const InputWords& word : words) {
    places.push_back(b.temporary(e.lanes() * 4, 64, fmt::format("{}{}", name, places.size())));
    b.store(places.back(), 0, word.bits, 4);
  }
  return places;
}

void store_inputs(machine::jit::CodegenContext& e, Value inputs, std::span<const InputWords> words,
                  std::string_view name) {
  const std::vector<Value> places = store_words(e, words, name);
  for (std::size_t k = 0; k < words.size(); ++k)
    e.b().store(inputs, static_cast<std::int64_t>(words[k].at), places[k], 8);
}

}  // namespace heddle::instructions
