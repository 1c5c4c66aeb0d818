#include "instructions/sampler/jit_message.hpp"

#include <cstddef>

namespace heddle::instructions {

using isa::OperandKind;
using machine::Operand;
using machine::jit::Value;

namespace {

std::optional<std::uint32_t> value_at(const machine::jit::KnownValues& known, std::uint32_t at) {
  return at < known.states.size() ? known.states[at] : std::nullopt;
}

template <typename T>
T* bound(const std::vector<std::shared_ptr<T>>& all, std::optional<std::uint32_t> index) {
  return index && *index < all.size() ? all[*index].get() : nullptr;
}

}  // namespace

image::Surface* ImageMessage::surface(const Operand* operand) const {
  if (operand == nullptr) return nullptr;
  if (operand->kind == OperandKind::Immediate && operand->scalar)  // LSC: the binding-table index itself
    return bound(bindings.surfaces, static_cast<std::uint32_t>(operand->value));
  if (operand->kind != OperandKind::Surface || operand->id == 4) return nullptr;  // %bss: handles
  return bound(bindings.surfaces, value_at(known, states.surface(operand->id, operand->element)));
}

image::Sampler* ImageMessage::sampler(const Operand* operand) const {
  if (operand == nullptr) return nullptr;
  return bound(bindings.samplers, value_at(known, states.sampler(operand->id, operand->element)));
}

bool emit_prepared(machine::jit::CodegenContext& e) {
  const machine::jit::MessageUse* use = e.frame().message;
  return use != nullptr && use->message->emit(e);
}

Value dynamic_state_of(machine::jit::CodegenContext& e) {
  constexpr machine::jit::VectorType kPointer{machine::jit::Element::Pointer, 0};
  const machine::jit::MessageUse& use = *e.frame().message;
  const std::uint64_t slot = use.slot;
  const Value table =
      e.b().load_fixed(e.frame().context, offsetof(machine::jit::ThreadContext, images), kPointer, 8, {slot * 8 + 8});
  return e.b().load_fixed(table, static_cast<std::int64_t>(slot * 8), kPointer, 8, {use.message->dynamic_bytes()});
}

void store_inputs(machine::jit::CodegenContext& e, Value inputs, std::span<const InputWords> words,
                  std::string_view name) {
  machine::jit::Builder& b = e.b();
  for (const InputWords& word : words) {
    const Value storage = b.storage(e.lanes() * 4, 64, name);
    b.store(storage, 0, word.bits, 4);
    b.store(inputs, static_cast<std::int64_t>(word.at), storage, 8);
  }
}

}  // namespace heddle::instructions
