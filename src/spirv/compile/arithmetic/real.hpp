// SPDX-License-Identifier: MIT
#pragma once
// Floating-point expressions: each operator writes one vISA instruction and gives its result.

#include <string_view>

#include "spirv/compile/arithmetic/scalar.hpp"

namespace heddle::spirv::compiler {

class Real {
 public:
  Real(VisaWriter& builder, const Part& part, isa::Modifier m = isa::Modifier::None)
      : b_(&builder), part_(part), modifier_(m) {}

  [[nodiscard]] VisaWriter& builder() const { return *b_; }
  [[nodiscard]] isa::Type type() const { return part_.type; }
  [[nodiscard]] Source source() const { return {part_, modifier_}; }
  /// The value in one place: a modifier is carried out.
  [[nodiscard]] Part part() const {
    return modifier_ == isa::Modifier::None ? part_ : b_->make("mov", type(), {source()});
  }
  /// A number of this one's type.
  [[nodiscard]] Real number(double value) const { return {*b_, real_of(type(), value)}; }

  [[nodiscard]] Real operator-() const {
    using enum isa::Modifier;
    return {*b_, part_, modifier_ == Neg ? None : modifier_ == Abs ? NegAbs : modifier_ == NegAbs ? Abs : Neg};
  }
  [[nodiscard]] friend Real abs(const Real& x) { return {*x.b_, x.part_, isa::Modifier::Abs}; }
  [[nodiscard]] friend Real operator+(const Real& x, const Real& y) { return x.make("add", {x.source(), y.source()}); }
  [[nodiscard]] friend Real operator-(const Real& x, const Real& y) { return x + -y; }
  [[nodiscard]] friend Real operator*(const Real& x, const Real& y) { return x.make("mul", {x.source(), y.source()}); }
  [[nodiscard]] friend Real operator/(const Real& x, const Real& y) { return x.make("div", {x.source(), y.source()}); }
  [[nodiscard]] friend Real operator+(const Real& x, double y) { return x + x.number(y); }
  [[nodiscard]] friend Real operator-(const Real& x, double y) { return x + x.number(-y); }
  [[nodiscard]] friend Real operator*(const Real& x, double y) { return x * x.number(y); }
  [[nodiscard]] friend Real operator-(double x, const Real& y) { return y.number(x) - y; }
  /// x * y + z, rounded once.
  [[nodiscard]] friend Real mad(const Real& x, const Real& y, const Real& z) {
    return x.make("mad", {x.source(), y.source(), z.source()});
  }
  [[nodiscard]] friend Real min(const Real& x, const Real& y) { return x.make("min", {x.source(), y.source()}); }
  [[nodiscard]] friend Real max(const Real& x, const Real& y) { return x.make("max", {x.source(), y.source()}); }
  /// One operand: inv sqrt rsqrt exp log sin cos.
  [[nodiscard]] Real apply(std::string_view op) const { return make(op, {source()}); }
  [[nodiscard]] friend Real round(const Real& x, Rounding rounding) {
    return {*x.b_, round_to_integer(*x.b_, x.part(), rounding)};
  }
  /// Predicate: condition eq ne gt ge lt le.
  [[nodiscard]] friend Part compare(const Real& x, std::string_view condition, const Real& y) {
    return x.b_->compare(condition, x.source(), y.source());
  }
  [[nodiscard]] friend Part compare(const Real& x, std::string_view condition, double y) {
    return compare(x, condition, x.number(y));
  }
  /// condition ? x : y.
  [[nodiscard]] friend Real choose(const Part& condition, const Real& x, const Real& y) {
    return {*x.b_, x.b_->select(condition, x.part(), y.part())};
  }
  [[nodiscard]] Real in(isa::Type t) const { return t == type() ? *this : Real(*b_, convert_number(*b_, part(), t)); }

 private:
  [[nodiscard]] Real make(std::string_view op, std::initializer_list<Source> sources) const {
    return {*b_, b_->make(op, type(), sources)};
  }

  VisaWriter* b_;
  Part part_;
  isa::Modifier modifier_;
};

}  // namespace heddle::spirv::compiler
