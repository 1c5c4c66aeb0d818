// SPDX-License-Identifier: MIT
#pragma once
// Vectors in compiled code as machine/numbers/math_functions.hpp wants them.

#include "instructions/alu/jit_lanes.hpp"
#include "machine/numbers/math_functions.hpp"

namespace heddle::instructions::jit_alu {

/// The lanes of one instruction.
class LaneMath {
 public:
  template <Element E>
  struct Lanes {
    Builder* b;
    Value value;
    Lanes with(Binary op, Lanes other) const { return {b, b->binary(op, value, other.value)}; }
    static constexpr bool kFloat = E == Element::F32 || E == Element::F64;
    friend Lanes operator+(Lanes x, Lanes y) { return x.with(kFloat ? Binary::FAdd : Binary::Add, y); }
    friend Lanes operator-(Lanes x, Lanes y) { return x.with(kFloat ? Binary::FSub : Binary::Sub, y); }
    friend Lanes operator*(Lanes x, Lanes y)
      requires(kFloat)
    {
      return x.with(Binary::FMul, y);
    }
    friend Lanes operator/(Lanes x, Lanes y)
      requires(kFloat)
    {
      return x.with(Binary::FDiv, y);
    }
    friend Lanes operator^(Lanes x, Lanes y)
      requires(!kFloat)
    {
      return x.with(Binary::Xor, y);
    }
    friend Lanes operator|(Lanes x, Lanes y)
      requires(!kFloat)
    {
      return x.with(Binary::Or, y);
    }
    friend Lanes operator<<(Lanes x, unsigned by)
      requires(!kFloat)
    {
      return x.with(Binary::Shl, x.same(by));
    }
    friend Lanes operator>>(Lanes x, unsigned by)
      requires(!kFloat)
    {
      return x.with(Binary::LShr, x.same(by));
    }
    Lanes same(std::uint64_t bits) const { return {b, b->constant(b->type(value), bits)}; }
  };
  using F = Lanes<Element::F32>;
  using D = Lanes<Element::F64>;
  using U = Lanes<Element::I32>;
  using L = Lanes<Element::I64>;
  using B = Lanes<Element::Bool>;
  using R = F;

  explicit LaneMath(CodegenContext& e) : e_(e), b_(&e.b()) {}

  F given(Value value) const { return {b_, value}; }
  F single(float x) const { return same<Element::F32>(__builtin_bit_cast(std::uint32_t, x)); }
  D number(double x) const { return same<Element::F64>(__builtin_bit_cast(std::uint64_t, x)); }
  U word32(std::uint32_t x) const { return same<Element::I32>(x); }
  L word(std::uint64_t x) const { return same<Element::I64>(x); }
  D widen(F x) const { return cast<Element::F64>(Cast::FExt, x.value); }
  R constant(float x) const { return single(x); }
  R result(D x) const { return cast<Element::F32>(Cast::FTrunc, x.value); }
  U bits(F x) const { return cast<Element::I32>(Cast::Bits, x.value); }
  L bits(D x) const { return cast<Element::I64>(Cast::Bits, x.value); }
  F single_of(U x) const { return cast<Element::F32>(Cast::Bits, x.value); }
  D number_of(L x) const { return cast<Element::F64>(Cast::Bits, x.value); }
  D fma(D a, D b, D c) const { return {b_, b_->fma(a.value, b.value, c.value)}; }
  D square_root(D x) const { return {b_, b_->unary(machine::jit::Unary::Sqrt, x.value)}; }
  F magnitude(F x) const { return {b_, b_->unary(machine::jit::Unary::FAbs, x.value)}; }
  F clamp(F x, float least, float most) const { return clamped(x, single(least), single(most)); }
  D clamp(D x, float least, float most) const { return clamped(x, number(double{least}), number(double{most})); }
  R select(B where, R a, R b) const { return {b_, b_->select(where.value, a.value, b.value)}; }
  B less(F a, F b) const { return compare(Compare::Folt, a, b); }
  B not_less(F a, F b) const { return {b_, b_->binary(Binary::Xor, less(a, b).value, truth().value)}; }
  B reaches(F a, F b) const { return compare(Compare::Foge, a, b); }
  B equal(F a, F b) const { return compare(Compare::Foeq, a, b); }
  B not_below(U a, U b) const { return compare(Compare::Uge, a, b); }
  B both(B a, B b) const { return a.with(Binary::And, b); }
  B either(B a, B b) const { return a.with(Binary::Or, b); }

  /// Lanes that are not enabled never make it happen; whether they are is asked late, which is quicker.
  template <typename Make>
  R rarely(B where, R usual, Make make) const {
    const Value any = b_->bits_of_mask(where.value), none = e_.number(0);
    const Value result = b_->storage(4 * e_.lanes(), 4, "result");
    const machine::jit::Block rare = b_->block("rare"), next = b_->block("usual");
    b_->store(result, 0, usual.value, 4);
    b_->branch_unlikely(b_->compare(Compare::Ne, any, none), rare, next);
    b_->at(rare);
    if (!e_.always()) {
      const machine::jit::Block enabled = b_->block("enabled");
      b_->branch(b_->compare(Compare::Ne, b_->binary(Binary::And, any, e_.enabled_bits()), none), enabled, next);
      b_->at(enabled);
    }
    b_->store(result, 0, make().value, 4);
    b_->jump(next);
    b_->at(next);
    return {b_, b_->load(result, 0, {Element::F32, e_.lanes()}, 4)};
  }

  R each(machine::math::Function function, F x) const { return each(function, x, x); }
  R each(machine::math::Function function, F x, F y) const {
    const Value in = b_->storage(8 * e_.lanes(), 4, "sources"), out = b_->storage(4 * e_.lanes(), 4, "results");
    // The functions ignore the payload of NaN: an arithmetic operation, however void, says so.
    b_->store(in, 0, b_->fma(x.value, single(1).value, single(-0.0f).value), 4);
    b_->store(in, 4 * e_.lanes(), b_->fma(y.value, single(1).value, single(-0.0f).value), 4);
    const std::array arguments{e_.number(static_cast<std::uint32_t>(function)), e_.number(e_.lanes()), in, out};
    b_->call({"heddle_jit_math", {}, false, false}, arguments);
    return {b_, b_->load(out, 0, {Element::F32, e_.lanes()}, 4)};
  }

 private:
  template <Element E>
  Lanes<E> same(std::uint64_t bits) const {
    return {b_, b_->constant({E, e_.lanes()}, bits)};
  }
  template <Element E>
  Lanes<E> cast(Cast kind, Value value) const {
    return {b_, b_->cast(kind, value, {E, e_.lanes()})};
  }
  template <Element E>
  B compare(Compare relation, Lanes<E> a, Lanes<E> b) const {
    return {b_, b_->compare(relation, a.value, b.value)};
  }
  B truth() const { return same<Element::Bool>(1); }
  /// NaN stays.
  template <Element E>
  Lanes<E> clamped(Lanes<E> x, Lanes<E> least, Lanes<E> most) const {
    x.value = b_->select(compare(Compare::Folt, x, least).value, least.value, x.value);
    x.value = b_->select(compare(Compare::Fogt, x, most).value, most.value, x.value);
    return x;
  }

  CodegenContext& e_;
  Builder* b_;
};

}  // namespace heddle::instructions::jit_alu
