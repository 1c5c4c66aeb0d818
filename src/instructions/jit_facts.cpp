#include "instructions/jit_facts.hpp"

namespace heddle::instructions {
namespace {

using isa::OperandKind;
using machine::Decoded;
using machine::Operand;
using machine::jit::Facts;

/// The new value of %cr0 where it is a constant combined with a constant by and, or, xor, or moved.
std::optional<std::uint32_t> control_after(const Facts& facts, const Decoded& d, const Operand* operands,
                                           std::uint32_t control) {
  const Operand& to = operands[d.destination];
  if (d.destination < 0 || to.kind != OperandKind::General || to.base != control || to.size != 4 || d.lanes != 1 ||
      !d.no_mask || d.predicate.present() || d.saturate || d.second_destination >= 0)
    return std::nullopt;
  const auto value = [&](int source) -> std::optional<std::uint32_t> {
    if (source < 0) return std::nullopt;
    const Operand& from = operands[source];
    if (from.modifier != isa::Modifier::None || from.size != 4) return std::nullopt;
    if (from.kind == OperandKind::Immediate && from.scalar) return static_cast<std::uint32_t>(from.value);
    if (from.kind == OperandKind::General && from.base == control) return facts.control;
    return std::nullopt;
  };
  const auto a = value(d.sources[0]), b = value(d.sources[1]);
  const std::string_view name = d.form->mnemonic;
  if (name == "mov" && isa::is_integer(to.type)) return a;
  if (!a || !b) return std::nullopt;
  if (name == "or") return *a | *b;
  if (name == "and") return *a & *b;
  if (name == "xor") return *a ^ *b;
  return std::nullopt;
}

bool writes(const Decoded& d, unsigned operand) {
  const isa::Slot* slot = d.form->slot_of(operand);
  return slot != nullptr && slot->access != isa::Access::Read;
}

void learn_state(Facts& facts, const machine::StateIndex& states, const Decoded& d, const Operand* operands) {
  const Operand &to = operands[d.destination], &from = operands[d.sources[0]];
  const auto index = [&](const Operand& operand, unsigned k) {
    return operand.source->state == isa::StateClass::Surface ? states.surface(operand.id, operand.element + k)
                                                             : states.sampler(operand.id, operand.element + k);
  };
  if (to.kind != OperandKind::State) return;
  std::array<std::optional<std::uint32_t>, machine::kMaxLanes> values;
  for (unsigned k = 0; k < d.lanes; ++k) {
    if (from.kind == OperandKind::State && index(from, k) < facts.states.size())
      values[k] = facts.states[index(from, k)];
    else if (from.kind == OperandKind::Immediate && from.scalar)
      values[k] = static_cast<std::uint32_t>(from.value);
  }
  for (unsigned k = 0; k < d.lanes; ++k)
    if (const std::uint32_t at = index(to, k); at < facts.states.size()) facts.states[at] = values[k];
}

void learn_addresses(Facts& facts, const machine::Prepared& object, const Decoded& d, const Operand* operands) {
  const Operand& to = operands[d.destination];
  constexpr unsigned kElements = machine::Registers::kAddressElements;
  std::optional<std::uint32_t> root;
  bool is_sum = d.form->mnemonic == "addr_add" && d.sources[0] >= 0 && d.sources[1] >= 0;
  if (is_sum)
    for (const int source : {d.sources[0], d.sources[1]}) {
      const Operand& from = operands[source];
      if (from.kind != OperandKind::AddressOf) continue;
      const machine::Place* place = object.layout.place(from.id);
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
    if (from.kind != OperandKind::Address || at >= facts.address_roots.size()) continue;
    roots[k] = facts.address_roots[at];
    hints[k] = facts.address_hints[at];
  }
  for (unsigned k = 0; k < d.lanes; ++k) {
    const std::size_t at = std::size_t{to.id} * kElements + to.element + k;
    if (at >= facts.address_roots.size()) break;
    if (always || facts.address_roots[at] != roots[k]) facts.address_roots[at] = always ? roots[k] : std::nullopt;
    facts.address_hints[at] = hints[k];
  }
}

}  // namespace

void learn(Facts& facts, const machine::Prepared& object, const machine::StateIndex& states, const Decoded& d) {
  const Operand* operands = object.operands.data() + d.first_operand;
  const machine::Place& control = *object.layout.place(machine::predefined::kCr0);
  if (d.writes_control) {
    bool written = false;
    for (unsigned i = 0; i < d.operand_count; ++i)
      written = written || (writes(d, i) && operands[i].root_begin == control.root_begin &&
                            operands[i].root_end == control.root_end);
    if (written) facts.control = control_after(facts, d, operands, control.begin);
  }
  if (d.destination < 0) return;
  if (d.form->mnemonic == "movs" && d.sources[0] >= 0) learn_state(facts, states, d, operands);
  if (operands[d.destination].kind == OperandKind::Address) learn_addresses(facts, object, d, operands);
}

}  // namespace heddle::instructions
