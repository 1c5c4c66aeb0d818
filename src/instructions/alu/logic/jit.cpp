// SPDX-License-Identifier: MIT
// Bits and shifts, compiled: the same results as reference.cpp.
#include "instructions/alu/jit_lanes.hpp"

namespace heddle::instructions::logic {
namespace {

using namespace jit_alu;
using machine::jit::integer_of;

bool on_predicates(const CodegenContext& e) { return e.destination().kind == isa::OperandKind::Predicate; }

template <Binary Op>
bool bitwise(CodegenContext& e) {
  if (on_predicates(e)) {
    const Value result = e.b().binary(Op, e.predicate(e.source(0).id), e.predicate(e.source(1).id));
    e.write_predicate(e.destination().id, result);
    return true;
  }
  if (e.instruction().saturate) return false;
  return modular<2>(e, 0, [&](const auto& in) { return e.b().binary(Op, in[0], in[1]); });
}

bool bit_not(CodegenContext& e) {
  if (on_predicates(e)) {
    const Value result = e.b().binary(Binary::Xor, e.predicate(e.source(0).id), e.lanes_of(1, Element::Bool));
    e.write_predicate(e.destination().id, result);
    return true;
  }
  return modular<1>(e, 0, [&](const auto& in) {
    return e.b().binary(Binary::Xor, in[0], e.b().constant(e.b().type(in[0]), ~std::uint64_t{0}));
  });
}

bool plain_destination(const CodegenContext& e) {
  return !e.instruction().saturate && e.destination().is_register() && isa::is_integer(e.destination().type);
}

Value count_of(CodegenContext& e, unsigned bytes) {
  const Value count = e.read_integer(e.source(1), bytes);
  if (!count) return {};
  return e.b().binary(Binary::And, count, e.lanes_of(e.destination().size == 8 ? 63 : 31, integer_of(bytes)));
}

bool shl(CodegenContext& e) {
  if (!plain_destination(e)) return false;
  const unsigned bytes = e.destination().size == 8 ? 8 : 4;
  const Value a = e.read_integer(e.source(0), bytes), n = count_of(e, bytes);
  return a && n && e.write_low(e.destination(), e.b().binary(Binary::Shl, a, n));
}

/// The value shifted has the width of the widest source, at least a word.
bool shr(CodegenContext& e) {
  if (!plain_destination(e)) return false;
  const unsigned own = std::max(widest(e, 2), 2u), bytes = std::max({4u, own, unsigned{e.destination().size}});
  Value a = e.read_integer(e.source(0), own);
  const Value n = count_of(e, bytes);
  if (!a || !n) return false;
  if (own < bytes) a = e.b().cast(Cast::ZExt, a, {integer_of(bytes), e.lanes()});
  return e.write_low(e.destination(), e.b().binary(Binary::LShr, a, n));
}

bool asr(CodegenContext& e) {
  if (!plain_destination(e)) return false;
  const Operand& from = e.source(0);
  const bool plain = from.modifier == isa::Modifier::None;
  unsigned bytes = std::max({4u, unsigned{from.size}, unsigned{e.destination().size}});
  if (!plain && from.size == bytes) bytes = 8;
  if (!plain && from.size == 8) return false;
  const Value a = e.read_integer(from, bytes), n = count_of(e, bytes);
  if (!a || !n) return false;
  const bool logical = plain && !isa::is_signed(from.type);
  return e.write_low(e.destination(), e.b().binary(logical ? Binary::LShr : Binary::AShr, a, n));
}

template <bool Left>
bool rotate(CodegenContext& e) {
  const Operand& from = e.source(0);
  const Value x = e.read_bits(from), counts = e.read_bits(e.source(1));
  if (!x || !counts || e.destination().size > from.size || !e.destination().is_register()) return false;
  Builder& b = e.b();
  const machine::jit::VectorType type = b.type(x);
  const unsigned bits = 8u * from.size;
  Value n = counts;
  if (e.source(1).size != from.size) n = b.cast(e.source(1).size < from.size ? Cast::ZExt : Cast::Trunc, counts, type);
  const Value mask = b.constant(type, bits - 1);
  const Value forth = b.binary(Binary::And, n, mask),
              back = b.binary(Binary::And, b.binary(Binary::Sub, b.constant(type, 0), n), mask);
  const Value up = b.binary(Binary::Shl, x, Left ? forth : back), down = b.binary(Binary::LShr, x, Left ? back : forth);
  return e.write_low(e.destination(), b.binary(Binary::Or, up, down));
}

/// The source as a dword (zero-extended, without modifiers); the result goes to a dword destination.
template <typename Op>
bool on_dwords(CodegenContext& e, Op op) {
  if (e.destination().size != 4 || e.source(0).size > 4 || e.destination().kind == isa::OperandKind::Address)
    return false;
  Value x = e.read_bits(e.source(0));
  if (!x) return false;
  const machine::jit::VectorType dword{Element::I32, e.lanes()};
  if (e.source(0).size < 4) x = e.b().cast(Cast::ZExt, x, dword);
  return e.write_bits(e.destination(), op(x));
}

Value none_if_zero(CodegenContext& e, Value x, Value count) {
  return e.b().select(e.b().compare(Compare::Eq, x, e.lanes_of(0, Element::I32)), e.lanes_of(0xffffffffu, Element::I32),
                      count);
}

bool cbit(CodegenContext& e) {
  return on_dwords(e, [&](Value x) { return e.b().unary(Unary::Popcount, x); });
}
bool lzd(CodegenContext& e) {
  return on_dwords(e, [&](Value x) { return e.b().unary(Unary::LeadingZeros, x); });
}
bool fbl(CodegenContext& e) {
  return on_dwords(e, [&](Value x) { return none_if_zero(e, x, e.b().unary(Unary::TrailingZeros, x)); });
}
bool fbh(CodegenContext& e) {
  if (e.source(0).size != 4) return false;
  return on_dwords(e, [&](Value x) {
    if (isa::is_signed(e.source(0).type))
      x = e.b().binary(Binary::Xor, x, e.b().binary(Binary::AShr, x, e.lanes_of(31, Element::I32)));
    return none_if_zero(e, x, e.b().unary(Unary::LeadingZeros, x));
  });
}
bool bfrev(CodegenContext& e) {
  return on_dwords(e, [&](Value x) { return e.b().unary(Unary::ReverseBits, x); });
}

bool dword_sources(CodegenContext& e, std::span<Value> out) {
  if (e.destination().size != 4 || !e.destination().is_register()) return false;
  for (unsigned i = 0; i < out.size(); ++i) {
    if (e.source(i).size != 4) return false;
    out[i] = e.read_bits(e.source(i));
    if (!out[i]) return false;
  }
  return true;
}

bool bfe(CodegenContext& e) {
  std::array<Value, 3> in;
  if (!dword_sources(e, in)) return false;
  Builder& b = e.b();
  const auto k = [&](std::uint64_t value) { return e.lanes_of(value, Element::I32); };
  const Value w = b.binary(Binary::And, in[0], k(31)), o = b.binary(Binary::And, in[1], k(31)), x = in[2];
  const Binary down = isa::is_signed(e.destination().type) ? Binary::AShr : Binary::LShr;
  // Shift counts stay below 32; where they would not, the other result is chosen.
  const Value left = b.binary(Binary::And, b.binary(Binary::Sub, k(32), b.binary(Binary::Add, w, o)), k(31));
  const Value right = b.binary(Binary::And, b.binary(Binary::Sub, k(32), w), k(31));
  const Value inner = b.binary(down, b.binary(Binary::Shl, x, left), right);
  const Value at_top = b.compare(Compare::Uge, b.binary(Binary::Add, w, o), k(32));
  const Value field = b.select(at_top, b.binary(down, x, o), inner);
  return e.write_bits(e.destination(), b.select(b.compare(Compare::Eq, w, k(0)), k(0), field));
}

bool bfi(CodegenContext& e) {
  std::array<Value, 4> in;
  if (!dword_sources(e, in)) return false;
  Builder& b = e.b();
  const auto k = [&](std::uint64_t value) { return e.lanes_of(value, Element::I32); };
  const Value w = b.binary(Binary::And, in[0], k(31)), o = b.binary(Binary::And, in[1], k(31));
  const Value mask = b.binary(Binary::Shl, b.binary(Binary::Sub, b.binary(Binary::Shl, k(1), w), k(1)), o);
  const Value inserted = b.binary(Binary::And, b.binary(Binary::Shl, in[2], o), mask);
  const Value kept = b.binary(Binary::And, in[3], b.binary(Binary::Xor, mask, k(0xffffffffu)));
  return e.write_bits(e.destination(), b.binary(Binary::Or, inserted, kept));
}

bool bfn(CodegenContext& e) {
  if (!plain_destination(e)) return false;
  const auto table = static_cast<unsigned>(e.integer(0));
  return modular<3>(e, 0, [&](const auto& in) {
    Builder& b = e.b();
    const machine::jit::VectorType type = b.type(in[0]);
    const Value ones = b.constant(type, ~std::uint64_t{0});
    Value out = b.constant(type, 0);
    for (unsigned i = 0; i < 8; ++i) {
      if ((table >> i & 1u) == 0) continue;
      Value term = ones;
      for (unsigned s = 0; s < 3; ++s)
        term = b.binary(Binary::And, term, (i >> s & 1u) != 0 ? in[s] : b.binary(Binary::Xor, in[s], ones));
      out = b.binary(Binary::Or, out, term);
    }
    return out;
  });
}

constexpr JitHook kHooks[] = {
    {"lzd", lzd},
    {"and", bitwise<Binary::And>},
    {"or", bitwise<Binary::Or>},
    {"xor", bitwise<Binary::Xor>},
    {"not", bit_not},
    {"shl", shl},
    {"shr", shr},
    {"asr", asr},
    {"cbit", cbit},
    {"fbl", fbl},
    {"fbh", fbh},
    {"bfe", bfe},
    {"bfi", bfi},
    {"bfrev", bfrev},
    {"rol", rotate<true>},
    {"ror", rotate<false>},
    {"bfn", bfn},
};

}  // namespace

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::logic
