// SPDX-License-Identifier: MIT
#include "instructions/jit_message.hpp"

#include <cstddef>

#include <fmt/format.h>

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
  std::optional<std::uint32_t> index;
  if (operand->kind == OperandKind::Immediate && operand->scalar)  // LSC: the binding-table index itself
    index = static_cast<std::uint32_t>(operand->value);
  else if (operand->kind == OperandKind::Surface && operand->id != 4)  // %bss: handles
    index = value_at(known, states.surface(operand->id, operand->element));
  if (slots != nullptr) slots->surface = index;
  return bound(bindings.surfaces, index);
}

image::Sampler* ImageMessage::sampler(const Operand* operand) const {
  if (operand == nullptr) return nullptr;
  const auto index = value_at(known, states.sampler(operand->id, operand->element));
  if (slots != nullptr) slots->sampler = index;
  return bound(bindings.samplers, index);
}

bool emit_prepared(machine::jit::CodegenContext& e) {
  const machine::jit::MessageUse* use = e.function().message;
  return use != nullptr && use->message->emit(e);
}

Value state_argument(machine::jit::CodegenContext& e) {
  using machine::jit::ThreadContext;
  const machine::jit::MessageUse& use = *e.function().message;
  const std::uint64_t slot = use.slot;
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
