// SPDX-License-Identifier: MIT
// Bits and shifts of whole words: the same as reference.cpp beside it.
#include "instructions/alu/words.hpp"

namespace heddle::instructions::logic {
namespace {

using namespace alu;

using Word = std::uint32_t;
using And = decltype([](Word a, Word b) { return a & b; });
using Or = decltype([](Word a, Word b) { return a | b; });
using Xor = decltype([](Word a, Word b) { return a ^ b; });
using Not = decltype([](Word a) { return ~a; });
using Left = decltype([](Word a, Word n) { return a << (n & 31u); });
using Right = decltype([](Word a, Word n) { return a >> (n & 31u); });
using SignedRight = decltype([](std::int32_t a, std::int32_t n) { return a >> (n & 31); });

template <unsigned Sources, typename Op>
bool bits(const machine::Operands& o, PlainStep& step) {
  return o.destination().kind == isa::OperandKind::General && integer<Sources, Op>(o, step);
}

/// The value shifted has the width of the widest source, which must be a word.
bool right(const machine::Operands& o, PlainStep& step) {
  return std::max(o.source(0).size, o.source(1).size) == 4 && bits<2, Right>(o, step);
}

/// A value without a sign gets none.
bool signed_right(const machine::Operands& o, PlainStep& step) {
  if (!isa::is_signed(o.source(0).type)) return bits<2, Right>(o, step);
  return o.destination().kind == isa::OperandKind::General && is_integer(o) &&
         choose<OfWords<std::int32_t, 2, SignedRight>>(o, step);
}

constexpr PlainHook kHooks[] = {
    {"and", bits<2, And>},  {"or", bits<2, Or>}, {"xor", bits<2, Xor>}, {"not", bits<1, Not>},
    {"shl", bits<2, Left>}, {"shr", right},      {"asr", signed_right},
};

}  // namespace

std::span<const PlainHook> plain() { return kHooks; }

}  // namespace heddle::instructions::logic
