// SPDX-License-Identifier: MIT
// Float operands: read in the execution type, finished as the control register says.
#include "machine/jit/emit.hpp"

namespace heddle::machine::jit {

using isa::Modifier;
using isa::Type;

Value CodegenContext::flush(Value value) {
  const VectorType type = b_.type(value);
  const bool twice = type.element == Element::F64;
  const VectorType integer{twice ? Element::I64 : Element::I32, type.lanes};
  const Value bits = b_.cast(Cast::Bits, value, integer);
  const Value exponent = b_.binary(Binary::And, bits, b_.constant(integer, twice ? 0x7ff0000000000000u : 0x7f800000u));
  const Value sign = b_.binary(Binary::And, bits, b_.constant(integer, twice ? 0x8000000000000000u : 0x80000000u));
  const Value small = b_.compare(Compare::Eq, exponent, b_.constant(integer, 0));
  return b_.cast(Cast::Bits, b_.select(small, sign, bits), type);
}

Value CodegenContext::canonical(Value value) {
  const VectorType type = b_.type(value);
  return b_.select(b_.compare(Compare::Funo, value, value),
                   b_.constant(type, type.element == Element::F64 ? kNanDouble : kNanSingle), value);
}

Value CodegenContext::saturate_float(Value value) {
  const VectorType type = b_.type(value);
  const Value zero = b_.constant(type, 0),
              one = b_.constant(type, type.element == Element::F64 ? 0x3ff0000000000000u : 0x3f800000u);
  return b_.select(b_.compare(Compare::Fogt, value, zero), b_.select(b_.compare(Compare::Folt, value, one), value, one),
                   zero);
}

Value CodegenContext::half_to_float(Value bits) {
  const unsigned n = b_.type(bits).lanes;
  return b_.cast(Cast::FExt, b_.cast(Cast::Bits, bits, {Element::Half, n}), {Element::F32, n});
}

Value CodegenContext::modified_float(Value value, Modifier modifier) {
  if (modifier == Modifier::Abs || modifier == Modifier::NegAbs) value = b_.unary(Unary::FAbs, value);
  if (modifier == Modifier::Neg || modifier == Modifier::NegAbs) value = b_.unary(Unary::FNeg, value);
  return value;
}

Value CodegenContext::read_float(const Operand& operand, Arithmetic arithmetic) {
  if (!has_modes_ || arithmetic == Arithmetic::Integer) return {};
  const VectorType single{Element::F32, d_.lanes}, twice{Element::F64, d_.lanes};
  const Type type = operand.type;
  if (type != Type::F && type != Type::HF && type != Type::DF) return {};
  if (arithmetic != Arithmetic::Double && type == Type::DF) return {};
  if (arithmetic == Arithmetic::Half && type != Type::HF) return {};
  const Value bits = read_bits(operand);
  if (!bits) return {};
  Value value;
  if (type == Type::DF) {
    value = b_.cast(Cast::Bits, bits, twice);
    if (!modes_.keep_double) value = flush(value);
  } else if (type == Type::F) {
    value = b_.cast(Cast::Bits, bits, single);
    if (!modes_.keep_single) value = flush(value);
  } else {
    Value half = bits;
    if (!modes_.keep_half) {
      const VectorType word{Element::I16, d_.lanes};
      const Value small =
          b_.compare(Compare::Eq, b_.binary(Binary::And, half, b_.constant(word, 0x7c00)), b_.constant(word, 0));
      half = b_.select(small, b_.binary(Binary::And, half, b_.constant(word, 0x8000)), half);
    }
    value = half_to_float(half);
  }
  if (arithmetic == Arithmetic::Double && type != Type::DF) value = b_.cast(Cast::FExt, value, twice);
  return modified_float(value, operand.modifier);
}

bool CodegenContext::takes_float(const Operand& operand) const {
  if (!has_modes_ || !operand.is_register()) return false;
  switch (operand.type) {
    case Type::BF:
    case Type::Bool:
    case Type::V:
    case Type::UV:
    case Type::VF:
      return false;
    case Type::HF:
      return d_.arithmetic != Arithmetic::Double;
    default:
      return d_.arithmetic != Arithmetic::Integer;
  }
}

bool CodegenContext::write_float(const Operand& operand, Value value) {
  if (!takes_float(operand)) return false;
  const unsigned n = d_.lanes;
  value = canonical(value);
  const VectorType half{Element::Half, n}, single{Element::F32, n}, twice{Element::F64, n};
  switch (d_.arithmetic) {
    case Arithmetic::Half: {
      Value bits = b_.cast(Cast::Bits, b_.cast(Cast::FTrunc, value, half), {Element::I16, n});
      if (!modes_.keep_half) {
        const VectorType word{Element::I16, n};
        const Value small =
            b_.compare(Compare::Eq, b_.binary(Binary::And, bits, b_.constant(word, 0x7c00)), b_.constant(word, 0));
        bits = b_.select(small, b_.binary(Binary::And, bits, b_.constant(word, 0x8000)), bits);
      }
      if (operand.type == Type::HF && !d_.saturate) return write_bits(operand, bits);
      value = half_to_float(bits);
      break;
    }
    case Arithmetic::Single:
      if (!modes_.keep_single) value = flush(value);
      break;
    case Arithmetic::Double:
      if (!modes_.keep_double) value = flush(value);
      break;
    case Arithmetic::Integer:
      return false;
  }
  if (d_.saturate && isa::is_float(operand.type)) value = saturate_float(value);
  const bool is_double = d_.arithmetic == Arithmetic::Double;
  switch (operand.type) {
    case Type::DF:
      if (!is_double) value = b_.cast(Cast::FExt, value, twice);
      return write_bits(operand, b_.cast(Cast::Bits, value, {Element::I64, n}));
    case Type::F:
      if (is_double) value = b_.cast(Cast::FTrunc, value, single);
      return write_bits(operand, b_.cast(Cast::Bits, value, {Element::I32, n}));
    case Type::HF:  // NUM-88: a subnormal source becomes zero, as it does by rounding
      return write_bits(operand, b_.cast(Cast::Bits, b_.cast(Cast::FTrunc, value, half), {Element::I16, n}));
    default:  // NUM-80
      return write_bits(operand, b_.cast(isa::is_signed(operand.type) ? Cast::FToS : Cast::FToU, value,
                                         {integer_of(operand.size), n}));
  }
}

}  // namespace heddle::machine::jit
