// SPDX-License-Identifier: MIT
#include "instructions/jit_known_values.hpp"

namespace heddle::instructions {
namespace {

using isa::OperandKind;
using machine::Decoded;
using machine::Operand;
using machine::jit::KnownValues;

/// The new value of %cr0 where it is a constant combined with a constant by and, or, xor, or moved.
std::optional<std::uint32_t> control_after(const KnownValues& known, const Decoded& d, const Operand* operands,
                                           std::uint32_t control) {
  if (d.destination < 0) return std::nullopt;
  const Operand& to = operands[d.destination];
  if (to.kind != OperandKind::General || to.base != control || to.size != 4 || d.lanes != 1 || !d.no_mask ||
      d.predicate.present() || d.saturate || d.second_destination >= 0)
    return std::nullopt;
  const auto value = [&](int source) -> std::optional<std::uint32_t> {
    if (source < 0) return std::nullopt;
    const Operand& from = operands[source];
    if (from.modifier != isa::Modifier::None || from.size != 4) return std::nullopt;
    if (from.kind == OperandKind::Immediate && from.scalar) return static_cast<std::uint32_t>(from.value);
    if (from.kind == OperandKind::General && from.base == control) return known.control;
    return std::nullopt;
  };
  const auto a = value(d.sources[0]), b = value(d.sources[1]);
  const isa::ValueOperation operation = d.description->traits.operation;
  if (operation == isa::ValueOperation::Move && isa::is_integer(to.type)) return a;
  if (!a || !b) return std::nullopt;
  switch (operation) {
    case isa::ValueOperation::And:
      return *a & *b;
    case isa::ValueOperation::Or:
      return *a | *b;
    case isa::ValueOperation::Xor:
      return *a ^ *b;
    default:
      return std::nullopt;
  }
}

bool writes(const Decoded& d, unsigned operand) {
  const isa::Slot* slot = d.description->slot_of(operand);
  return slot != nullptr && slot->access != isa::Access::Read;
}

void learn_state(KnownValues& known, const machine::StateIndex& states, const Decoded& d, const Operand* operands) {
  const Operand &to = operands[d.destination], &from = operands[d.sources[0]];
  const auto index = [&](const Operand& operand, unsigned k) {
    return operand.source->state == isa::StateClass::Surface ? states.surface(operand.id, operand.element + k)
                                                             : states.sampler(operand.id, operand.element + k);
  };
  if (to.kind != OperandKind::State) return;
  std::array<std::optional<std::uint32_t>, machine::kMaxLanes> values;
  for (unsigned k = 0; k < d.lanes; ++k) {
    if (from.kind == OperandKind::State && index(from, k) < known.states.size())
      values[k] = known.states[index(from, k)];
    else if (from.kind == OperandKind::Immediate && from.scalar)
      values[k] = static_cast<std::uint32_t>(from.value);
  }
  for (unsigned k = 0; k < d.lanes; ++k)
    if (const std::uint32_t at = index(to, k); at < known.states.size()) known.states[at] = values[k];
}

void learn_addresses(KnownValues& known, const machine::PreparedObject& object, const Decoded& d,
                     const Operand* operands) {
  const Operand& to = operands[d.destination];
  constexpr unsigned kElements = machine::Registers::kAddressElements;
  std::optional<std::uint32_t> root;
  bool is_sum =
      d.description->traits.operation == isa::ValueOperation::AddressSum && d.sources[0] >= 0 && d.sources[1] >= 0;
  if (is_sum)
    for (const int source : {d.sources[0], d.sources[1]}) {
      const Operand& from = operands[source];
      if (from.kind != OperandKind::AddressOf) continue;
      const machine::VariablePlacement* place = object.layout.place(from.id);
      root = place != nullptr ? place->root : machine::kNoRoot;
      is_sum = false;
    }
  const bool always = d.no_mask && !d.predicate.present();
  std::array<std::optional<std::uint32_t>, machine::kMaxLanes> roots;
  std::array<std::uint32_t, machine::kMaxLanes> hints{};
  for (unsigned k = 0; k < d.lanes; ++k) {
    roots[k] = root;
    hints[k] = root.value_or(machine::kNoRoot);
    if (!is_sum) continue;
    const Operand& from = operands[d.sources[0]];
    const std::size_t at = std::size_t{from.id} * kElements + from.element + k % from.width;
    if (from.kind != OperandKind::Address || at >= known.address_roots.size()) continue;
    roots[k] = known.address_roots[at];
    hints[k] = known.address_hints[at];
  }
  for (unsigned k = 0; k < d.lanes; ++k) {
    const std::size_t at = std::size_t{to.id} * kElements + to.element + k;
    if (at >= known.address_roots.size()) break;
    if (always || known.address_roots[at] != roots[k]) known.address_roots[at] = always ? roots[k] : std::nullopt;
    known.address_hints[at] = hints[k];
  }
}

}  // namespace

void transfer(KnownValues& known, const machine::PreparedObject& object, const machine::StateIndex& states,
              const Decoded& d) {
  const Operand* operands = object.operands.data() + d.first_operand;
  const machine::VariablePlacement& control = *object.layout.place(machine::predefined::kCr0);
  if (d.writes_control) {
    bool written = false;
    for (unsigned i = 0; i < d.operand_count; ++i)
      written = written || (writes(d, i) && operands[i].root_begin == control.root_begin &&
                            operands[i].root_end == control.root_end);
    if (written) known.control = control_after(known, d, operands, control.begin);
  }
  if (d.destination < 0) return;
  if (d.description->traits.operation == isa::ValueOperation::StateMove && d.sources[0] >= 0)
    learn_state(known, states, d, operands);
  if (operands[d.destination].kind == OperandKind::Address) learn_addresses(known, object, d, operands);
}

bool is_handle(const machine::Operand& operand) {
  constexpr std::uint32_t kBindlessSurface = 4;
  return (operand.kind == isa::OperandKind::Surface && operand.id == kBindlessSurface) ||
         (operand.kind == isa::OperandKind::Sampler && operand.id == isa::kBindlessSampler);
}

}  // namespace heddle::instructions
