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

Value varying_of(machine::jit::CodegenContext& e, std::size_t bytes) {
  constexpr machine::jit::VectorType kPointer{machine::jit::Element::Pointer, 0};
  const std::uint64_t slot = e.frame().image->slot;
  const Value table =
      e.b().load_fixed(e.frame().context, offsetof(machine::jit::ThreadContext, images), kPointer, 8, {slot * 8 + 8});
  return e.b().load_fixed(table, static_cast<std::int64_t>(slot * 8), kPointer, 8, {bytes});
}

}  // namespace heddle::instructions
