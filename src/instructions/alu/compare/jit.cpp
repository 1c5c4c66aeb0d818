// SPDX-License-Identifier: MIT
// Comparisons, minimum, maximum, setp, compiled: the same results as reference.cpp.
#include "instructions/alu/jit_lanes.hpp"

namespace heddle::instructions::compare {
namespace {

using namespace jit_alu;
using machine::jit::integer_of;

/// eq ne gt ge lt le
constexpr Compare kSigned[] = {Compare::Eq, Compare::Ne, Compare::Sgt, Compare::Sge, Compare::Slt, Compare::Sle};
constexpr Compare kUnsigned[] = {Compare::Eq, Compare::Ne, Compare::Ugt, Compare::Uge, Compare::Ult, Compare::Ule};
constexpr Compare kFloat[] = {Compare::Foeq, Compare::Fune, Compare::Fogt, Compare::Foge, Compare::Folt, Compare::Fole};

/// Whether one signed 32-bit source is equal to another negated, or that it is not, without wider integers: the least
/// number has no negative of 32 bits.
Value equal_negated(CodegenContext& e, bool equal) {
  using isa::Modifier;
  const Operand &x = e.source(0), &y = e.source(1);
  const bool first = x.modifier == Modifier::Neg && y.modifier == Modifier::None,
             second = x.modifier == Modifier::None && y.modifier == Modifier::Neg;
  std::array<Value, 2> in;
  if (first == second || widest(e, 2) != 4 || !isa::is_signed(x.type) || !isa::is_signed(y.type) ||
      !read_integers<2>(e, 4, in))
    return {};
  const Value least = e.lanes_of(0x80000000u, Element::I32);
  const Compare relation = equal ? Compare::Eq : Compare::Ne;
  return e.b().binary(equal ? Binary::And : Binary::Or, e.b().compare(relation, in[0], in[1]),
                      e.b().compare(equal ? Compare::Ne : Compare::Eq, in[first ? 0 : 1], least));
}

bool cmp(CodegenContext& e) {
  const std::uint64_t relation = e.integer(0);
  if (relation > 5) return false;
  Value result;
  if (is_integer(e)) {
    result = relation < 2 ? equal_negated(e, relation == 0) : Value{};
    Pair p;
    if (!result && !read_pair(e, p)) return false;
    if (!result) result = e.b().compare((p.is_signed ? kSigned : kUnsigned)[relation], p.a, p.b);
  } else {
    std::array<Value, 2> in;
    if (!read_floats<2>(e, in)) return false;
    result = e.b().compare(kFloat[relation], in[0], in[1]);
  }
  const Operand& to = e.destination();
  if (to.kind == isa::OperandKind::Predicate) {
    e.write_predicate(to.id, result);
    return true;
  }
  if (!to.is_register()) return false;
  return e.write_bits(to, e.b().cast(Cast::SExt, result, {integer_of(to.size), e.lanes()}));
}

template <bool Max>
bool extreme(CodegenContext& e) {
  Builder& b = e.b();
  if (!is_integer(e))
    return floats<2>(e, [&](const auto& in) {
      // One condition: LLVM 19 merges two nested choices of the same value wrongly when fabs is involved.
      const Value better = b.compare(Max ? Compare::Fogt : Compare::Folt, in[1], in[0]);
      return b.select(b.binary(Binary::Or, b.compare(Compare::Funo, in[0], in[0]), better), in[1], in[0]);
    });
  Pair p;
  const Operand& to = e.destination();
  if (!to.is_register() || !read_pair(e, p)) return false;
  const Compare relation = p.is_signed ? (Max ? Compare::Sgt : Compare::Slt) : (Max ? Compare::Ugt : Compare::Ult);
  Value result = b.select(b.compare(relation, p.b, p.a), p.b, p.a);
  const bool exact = e.instruction().saturate || isa::is_float(to.type);
  if (exact && !p.is_signed && p.bytes == 8) return false;
  if (p.bytes == 4 && (to.size == 8 || exact))
    result = b.cast(p.is_signed ? Cast::SExt : Cast::ZExt, result, {Element::I64, e.lanes()});
  return exact ? e.write_exact(to, result) : e.write_low(to, result);
}

bool setp(CodegenContext& e) {
  const Operand& from = e.source(0);
  Builder& b = e.b();
  const Value bits = e.read_bits(from);
  if (!bits) return false;
  if (from.scalar) {
    Value word = b.extract(bits, 0);
    if (from.size != 4) word = b.cast(from.size < 4 ? Cast::ZExt : Cast::Trunc, word, {Element::I32, 0});
    e.write_predicate(e.destination().id, b.mask_of_bits(word, e.lanes()), true);
    return true;
  }
  const Value mask = b.cast(Cast::Trunc, bits, {Element::Bool, e.lanes()});
  e.write_predicate(e.destination().id, mask);
  return true;
}

constexpr JitHook kHooks[] = {{"cmp", cmp}, {"min", extreme<false>}, {"max", extreme<true>}, {"setp", setp}};

}  // namespace

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::compare
