// SPDX-License-Identifier: MIT
#include "instructions/plain.hpp"

#include "instructions/registry.hpp"
#include "machine/numbers/number.hpp"

namespace heddle::instructions {

#define HEDDLE_PLAIN_FAMILIES(X) X(arithmetic) X(compare) X(logic) X(move)
#define HEDDLE_DECLARE_PLAIN(name)    \
  namespace name {                    \
  std::span<const PlainHook> plain(); \
  }
HEDDLE_PLAIN_FAMILIES(HEDDLE_DECLARE_PLAIN)
#undef HEDDLE_DECLARE_PLAIN

const isa::HookTable<PlainChoice>& plain_choices() {
  static const isa::HookTable<PlainChoice> kTable = [] {
    const isa::FamilyHooks<PlainChoice> hooks[] = {
#define HEDDLE_LIST_HOOKS(name) {#name, name::plain()},
        HEDDLE_PLAIN_FAMILIES(HEDDLE_LIST_HOOKS)
#undef HEDDLE_LIST_HOOKS
    };
    return isa::HookTable<PlainChoice>(registry(), hooks);
  }();
  return kTable;
}

namespace {

using isa::OperandKind;
using isa::Type;
using machine::Operand;

bool is_word(Type type) { return type == Type::F || type == Type::D || type == Type::UD; }

std::optional<PlainSource> plain_source(const Operand& operand, unsigned lanes) {
  const bool single = operand.type == Type::F;
  if (operand.modifier != isa::Modifier::None && !single) return std::nullopt;
  if (operand.kind == OperandKind::Immediate) {
    if (!operand.scalar || (!single && (isa::is_float(operand.type) || isa::type_bytes(operand.type) > 4)))
      return std::nullopt;
    const auto bits = static_cast<std::uint32_t>(
        single ? operand.value : static_cast<std::uint64_t>(machine::wide_of(operand.value, operand.type)));
    return PlainSource{bits, PlainSource::Kind::Immediate, operand.modifier};
  }
  if (operand.kind != OperandKind::General || operand.null || !operand.in_bounds || !is_word(operand.type))
    return std::nullopt;
  if (!operand.scalar && !operand.contiguous && lanes != 1) return std::nullopt;
  return PlainSource{operand.base, operand.scalar ? PlainSource::Kind::Scalar : PlainSource::Kind::Vector,
                     operand.modifier};
}

}  // namespace

bool has_plain_lanes(const machine::Decoded& d) {
  const bool predicated = d.predicate.present();
  return (!predicated || (d.predicate.combine() == 0 && !d.description->traits.predicate_written)) && !d.reads_live &&
         !d.writes_control;
}

std::optional<PlainStep> plain_step(const machine::Operands& operands) {
  const machine::Decoded& d = operands.instruction();
  const PlainChoice choice = plain_choices()[*d.description];
  if (choice == nullptr || !has_plain_lanes(d) || d.destination < 0 || d.second_destination >= 0) return std::nullopt;
  const Operand& to = operands.destination();
  PlainStep step(d);
  if (to.kind == OperandKind::Predicate)
    step.to = to.id;
  else if (to.kind == OperandKind::General && !to.null && to.in_bounds && is_word(to.type) &&
           (to.contiguous || d.lanes == 1))
    step.to = to.base;
  else
    return std::nullopt;
  for (unsigned i = 0; i < d.sources.size() && operands.has_source(i); ++i) {
    const auto source = i < step.source.size() ? plain_source(operands.source(i), d.lanes) : std::nullopt;
    if (!source) return std::nullopt;
    step.source[i] = *source;
  }
  return choice(operands, step) && step.run != nullptr ? std::optional(step) : std::nullopt;
}

}  // namespace heddle::instructions
