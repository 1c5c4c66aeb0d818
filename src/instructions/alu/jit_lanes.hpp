// SPDX-License-Identifier: MIT
#pragma once
// Shared shape of the compiled ALU instructions: the counterpart of lanes.hpp.

#include <algorithm>
#include <array>

#include "instructions/jit.hpp"

namespace heddle::instructions::jit_alu {

using machine::Arithmetic;
using machine::Operand;
using machine::jit::Binary;
using machine::jit::Builder;
using machine::jit::Cast;
using machine::jit::CodegenContext;
using machine::jit::Compare;
using machine::jit::Element;
using machine::jit::Unary;
using machine::jit::Value;

[[nodiscard]] inline bool is_integer(const CodegenContext& e) {
  return e.instruction().arithmetic == Arithmetic::Integer;
}

/// Bytes of the widest of the first `count` sources.
[[nodiscard]] inline unsigned widest(const CodegenContext& e, unsigned count) {
  unsigned bytes = 1;
  for (unsigned i = 0; i < count; ++i) bytes = std::max<unsigned>(bytes, e.source(i).size);
  return bytes;
}

/// Sources as integers of `bytes` bytes.
template <unsigned Count>
[[nodiscard]] bool read_integers(CodegenContext& e, unsigned bytes, std::array<Value, Count>& in) {
  for (unsigned i = 0; i < Count; ++i) {
    in[i] = e.read_integer(e.source(i), bytes);
    if (!in[i]) return false;
  }
  return true;
}
template <unsigned Count>
[[nodiscard]] bool read_floats(CodegenContext& e, std::array<Value, Count>& in) {
  for (unsigned i = 0; i < Count; ++i) {
    in[i] = e.read_float(e.source(i));
    if (!in[i]) return false;
  }
  return true;
}

/// `op` on integers whose result is exact in 64 bits for sources of at most `limit` bytes, and whose low bits depend on
/// low bits alone.
template <unsigned Count, typename Op>
[[nodiscard]] bool modular(CodegenContext& e, unsigned limit, Op op) {
  const Operand& to = e.destination();
  std::array<Value, Count> in;
  if (!e.instruction().saturate && !isa::is_float(to.type))
    return read_integers<Count>(e, to.size, in) && e.write_low(to, op(in));
  if (widest(e, Count) > limit) return false;
  return read_integers<Count>(e, 8, in) && e.write_exact(to, op(in));
}

template <unsigned Count, typename Op>
[[nodiscard]] bool floats(CodegenContext& e, Op op) {
  std::array<Value, Count> in;
  if (!e.takes_float(e.destination()) || !read_floats<Count>(e, in)) return false;
  return e.write_float(e.destination(), op(in));
}

/// Binary64 as binary32 rounded to odd: rounding that once more to HF is as rounding once.
[[nodiscard]] inline Value rounded_to_odd(CodegenContext& e, Value twice) {
  Builder& b = e.b();
  const unsigned n = b.type(twice).lanes;
  const machine::jit::VectorType wide{Element::I64, n};
  const Value bits = b.cast(Cast::Bits, twice, wide), dropped = b.constant(wide, 0x1fffffffu);
  // Any dropped bit sets the last one that is kept.
  const Value carried = b.binary(Binary::Add, b.binary(Binary::And, bits, dropped), dropped);
  const Value kept = b.binary(Binary::And, b.binary(Binary::Or, bits, carried), b.constant(wide, ~0x1fffffffull));
  return b.cast(Cast::FTrunc, b.cast(Cast::Bits, kept, {Element::F64, n}), {Element::F32, n});
}

/// Two integer sources in a width and signedness that hold both exactly.
struct Pair {
  Value a, b;
  bool is_signed = true;
  unsigned bytes = 4;
};
[[nodiscard]] inline bool read_pair(CodegenContext& e, Pair& p) {
  const Operand &a = e.source(0), &b = e.source(1);
  const bool plain = a.modifier == isa::Modifier::None && b.modifier == isa::Modifier::None;
  const bool sa = isa::is_signed(a.type), sb = isa::is_signed(b.type);
  const unsigned wide = widest(e, 2);
  p.bytes = wide <= 2 || (wide == 4 && plain && sa == sb) ? 4 : 8;
  p.is_signed = !(plain && sa == sb && !sa && wide == p.bytes);
  if (wide == 8 && (!plain || sa != sb)) {
    // A narrower unsigned source fits a signed 64-bit one.
    const bool fits = plain && (sa || a.size < 8) && (sb || b.size < 8);
    if (!fits) return false;
  }
  p.a = e.read_integer(a, p.bytes);
  p.b = e.read_integer(b, p.bytes);
  return p.a && p.b;
}

}  // namespace heddle::instructions::jit_alu
