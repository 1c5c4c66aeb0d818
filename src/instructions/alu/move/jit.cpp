// SPDX-License-Identifier: MIT
// Moves, conversions, addresses, state, compiled: the same results as reference.cpp.
#include "instructions/alu/jit_lanes.hpp"

namespace heddle::instructions::move {
namespace {

using namespace jit_alu;
using isa::Modifier;
using isa::OperandKind;
using isa::Type;
using machine::jit::integer_of;

bool is_plain_float(Type type) { return type == Type::F || type == Type::HF || type == Type::DF; }

Value from_float(CodegenContext& e, const Operand& from, const Operand& to) {
  Builder& b = e.b();
  const unsigned n = e.lanes();
  const bool saturate = e.instruction().saturate && isa::is_float(to.type);
  Value bits = e.read_bits(from);
  if (!bits || to.type == Type::Bool) return {};
  if (from.modifier != Modifier::None) {
    const machine::jit::VectorType type = b.type(bits);
    const Value sign = b.constant(type, std::uint64_t{1} << (8 * from.size - 1));
    if (from.modifier != Modifier::Neg)
      bits = b.binary(Binary::And, bits, b.binary(Binary::Xor, sign, b.constant(type, ~std::uint64_t{0})));
    if (from.modifier != Modifier::Abs) bits = b.binary(Binary::Xor, bits, sign);
  }
  if (from.type == to.type && !saturate) return bits;
  if (!e.has_modes() || !is_plain_float(from.type)) return {};
  const machine::jit::VectorType single{Element::F32, n}, twice{Element::F64, n}, half{Element::Half, n};
  Value value = b.cast(Cast::Bits, bits, from.type == Type::DF ? twice : from.type == Type::F ? single : half);
  if (from.type == Type::HF) value = b.cast(Cast::FExt, value, single);
  if (saturate) value = e.saturate_float(value);
  switch (to.type) {
    case Type::F:
      if (from.type == Type::DF) value = b.cast(Cast::FTrunc, value, single);
      return b.cast(Cast::Bits, value, {Element::I32, n});
    case Type::DF:
      if (from.type != Type::DF) value = b.cast(Cast::FExt, value, twice);
      return b.cast(Cast::Bits, value, {Element::I64, n});
    case Type::HF:
      if (from.type == Type::DF) value = rounded_to_odd(e, value);
      return b.cast(Cast::Bits, b.cast(Cast::FTrunc, value, half), {Element::I16, n});
    case Type::BF:
      return {};
    default:  // NUM-80
      return b.cast(isa::is_signed(to.type) ? Cast::FToS : Cast::FToU, value, {integer_of(to.size), n});
  }
}

Value from_integer(CodegenContext& e, const Operand& from, const Operand& to) {
  Builder& b = e.b();
  const unsigned n = e.lanes();
  if (to.type == Type::Bool || !isa::is_integer(from.type)) return {};
  const bool plain = from.modifier == Modifier::None, saturate = e.instruction().saturate;
  if (!isa::is_float(to.type) && !saturate) return e.read_integer(from, to.size);
  if (from.size == 8 && !plain) return {};
  if (!isa::is_float(to.type)) {
    if (from.size == 8 && !isa::is_signed(from.type)) return {};
    const Value exact = e.read_integer(from, 8);
    const Value clamped = exact ? e.clamp_integer(exact, to.type) : Value{};
    return clamped ? b.cast(Cast::Trunc, clamped, {integer_of(to.size), n}) : Value{};
  }
  if (!e.has_modes() || saturate || !is_plain_float(to.type)) return {};
  const bool wide = from.size == 8 || !plain;
  const bool is_unsigned = plain && !isa::is_signed(from.type) && from.size >= 4;
  const Value exact = e.read_integer(from, wide ? 8 : 4);
  if (!exact) return {};
  const Cast kind = is_unsigned ? Cast::UToF : Cast::SToF;
  if (to.type == Type::DF) return b.cast(Cast::Bits, b.cast(kind, exact, {Element::F64, n}), {Element::I64, n});
  const Value single = b.cast(kind, exact, {Element::F32, n});
  if (to.type == Type::F) return b.cast(Cast::Bits, single, {Element::I32, n});
  // Integers that F cannot hold overflow HF anyway.
  return b.cast(Cast::Bits, b.cast(Cast::FTrunc, single, {Element::Half, n}), {Element::I16, n});
}

/// Bits of the destination's elements.
Value move_lanes(CodegenContext& e, const Operand& from, const Operand& to) {
  return isa::is_float(from.type) ? from_float(e, from, to) : from_integer(e, from, to);
}

bool move_predicate(CodegenContext& e) {
  const Operand &predicate = e.source(0), &to = e.destination();
  const auto& predicates = e.function().object->object->predicates;
  const unsigned elements = predicate.id - 1 < predicates.size() ? predicates[predicate.id - 1].elements : 32;
  Value bits = e.whole_predicate(predicate.id);
  if (!bits || !to.is_register()) return false;
  if (elements < 32) bits = e.b().binary(Binary::And, bits, e.number((1u << elements) - 1));
  if (to.size != 4) bits = e.b().cast(to.size < 4 ? Cast::Trunc : Cast::ZExt, bits, {integer_of(to.size), 0});
  return e.write_bits(to, e.b().splat(bits, e.lanes()));
}

bool mov(CodegenContext& e) {
  const Operand &from = e.source(0), &to = e.destination();
  if (from.kind == OperandKind::Predicate) return move_predicate(e);
  if (!to.is_register() && to.kind != OperandKind::Address) return false;
  const Value bits = move_lanes(e, from, to);
  return bits && e.write_bits(to, bits);
}

bool sel(CodegenContext& e) {
  const Operand& to = e.destination();
  if (!to.is_register()) return false;
  const Value chosen = e.predicated();
  const Value a = move_lanes(e, e.source(0), to), b = move_lanes(e, e.source(1), to);
  if (!a || !b) return false;
  e.select_sources_by_predicate();
  return e.write_bits(to, e.b().select(chosen, a, b));
}

bool addr_add(CodegenContext& e) {
  Builder& b = e.b();
  const unsigned n = e.lanes();
  const Operand &to = e.destination(), &base = e.source(0), &step = e.source(1);
  if (to.kind != OperandKind::Address) return false;
  const machine::jit::VectorType word{Element::I16, n}, wide{Element::I64, n};
  Value root = b.constant(wide, std::uint64_t{machine::kNoRoot} << 32);
  const auto address_of = [&](const Operand& operand) {
    const machine::VariablePlacement* place = e.function().object->layout.place(operand.id);
    root = b.constant(wide, std::uint64_t{place != nullptr ? place->root : machine::kNoRoot} << 32);
    return b.constant(word, operand.base & 0xffffu);
  };
  Value start, add;
  if (base.kind == OperandKind::AddressOf) {
    start = address_of(base);
  } else if (base.kind == OperandKind::Address) {
    const Value words = e.read_address_words(base.id, base.element, base.width);
    if (!words) return false;
    std::array<int, machine::kMaxLanes> lanes{};
    for (unsigned k = 0; k < n; ++k) lanes[k] = static_cast<int>(k % base.width);
    const Value all = e.pick(words, std::span(lanes).first(n));
    start = b.cast(Cast::Trunc, all, word);
    root = b.binary(Binary::And, all, b.constant(wide, 0xffffffff00000000u));
  } else {
    start = e.read_bits(base);
    if (start && b.type(start) != word) start = b.cast(base.size < 2 ? Cast::ZExt : Cast::Trunc, start, word);
  }
  if (step.kind == OperandKind::AddressOf)
    add = address_of(step);
  else if (step.kind == OperandKind::Address)
    add = e.read_bits(step);
  else
    add = e.read_integer(step, 2);
  const Value old = e.read_address_words(to.id, to.element, n);
  if (!start || !add || !old) return false;
  Value words = b.cast(Cast::ZExt, b.binary(Binary::Add, start, add), wide);
  words = b.binary(Binary::Or, b.binary(Binary::Or, words, b.constant(wide, 0x10000u)), root);
  e.write_address_words(to.id, to.element, e.always() ? words : b.select(e.enabled(), words, old));
  return true;
}

/// State registers: value in 31:0, defined in bit 32. The masks do not count.
bool movs(CodegenContext& e) {
  Builder& b = e.b();
  e.set_lane_wise(false);
  const Operand &to = e.destination(), &from = e.source(0);
  const auto state = [&](const Operand& operand, unsigned k) {
    return operand.source->state == isa::StateClass::Surface
               ? e.function().states->surface(operand.id, operand.element + k)
               : e.function().states->sampler(operand.id, operand.element + k);
  };
  constexpr machine::jit::VectorType kRegister{Element::I64, 0};
  const unsigned n = e.lanes();
  for (unsigned k = 0; k < n; ++k) {
    if (from.kind == OperandKind::State && state(from, k) == machine::StateIndex::kNone) return false;
    if (to.kind == OperandKind::State && state(to, k) == machine::StateIndex::kNone) return false;
  }
  const auto load = [&](unsigned k) { return b.load(e.function().state_registers, state(from, k) * 8, kRegister, 4); };
  if (to.kind == OperandKind::State) {
    Value bits;
    if (from.kind != OperandKind::State) {
      bits = e.read_bits(from);
      if (!bits || from.size > 4) return false;
    }
    std::array<Value, machine::kMaxLanes> words;
    for (unsigned k = 0; k < n; ++k) {
      if (from.kind == OperandKind::State) {
        words[k] = load(k);
      } else {
        words[k] = b.cast(Cast::ZExt, b.extract(bits, k), kRegister);
        words[k] = b.binary(Binary::Or, words[k], b.constant(kRegister, std::uint64_t{1} << 32));
      }
    }
    for (unsigned k = 0; k < n; ++k) b.store(e.function().state_registers, state(to, k) * 8, words[k], 4);
    return true;
  }
  if (from.kind != OperandKind::State || !to.is_register()) return false;
  Value bits = b.constant({Element::I64, n}, 0);
  for (unsigned k = 0; k < n; ++k)
    bits = b.insert(bits, b.binary(Binary::And, load(k), b.constant(kRegister, 0xffffffffu)), k);
  return e.write_low(to, bits);
}

constexpr JitHook kHooks[] = {{"mov", mov}, {"sel", sel}, {"addr_add", addr_add}, {"movs", movs}};

}  // namespace

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::move
