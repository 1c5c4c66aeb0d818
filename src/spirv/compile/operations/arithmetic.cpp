// SPDX-License-Identifier: MIT
// Core arithmetic of SPIR-V, and the table of everything that computes on numbers and booleans.
// Rules: SPV-8, SPV-10.

#include <algorithm>
#include <spirv/unified1/spirv.hpp>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/operations/operations.hpp"
#include "spirv/newer_opcodes.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

namespace {

/// x - y * (x / y rounded). The quotient gets one correction step: x * inv(y) alone would make 41 mod 41 = 41.
Part floating_remainder(VisaWriter& b, const Part& x, const Part& y, Rounding rounding) {
  if (x.type == Type::HF)
    return b.convert(floating_remainder(b, b.convert(x, Type::F), b.convert(y, Type::F), rounding), Type::HF,
                     "remainder");
  Part quotient;
  if (x.type == Type::DF) {
    quotient = b.make("div", Type::DF, {x, y}, "quotient");
  } else {
    const Part inverse = b.make("inv", Type::F, {b.copy(y)}, "inverse");
    const Part first = b.make("mul", Type::F, {x, inverse}, "quotient");
    const Part error = b.make("mad", Type::F, {negated(first), b.copy(y), b.copy(x)}, "error");
    const Part second = b.make("mad", Type::F, {error, inverse, first}, "quotient");
    // Where the correction has no meaning (infinite or NaN) the first quotient stays.
    quotient = b.select(b.compare("eq", second, second, "number"), second, first, "quotient");
  }
  const Part whole = round_to_integer(b, quotient, rounding);
  return b.make("mad", x.type, {negated(whole), y, x}, "remainder");
}

void floating(ShaderContext& t) {
  const Type type = result_scalar(t);
  if (!has_double(t, type)) return;
  const auto source = [&](unsigned k, unsigned i) { return t.values.part(t.operand(k), i); };
  each_scalar(t, [&](unsigned i) -> Part {
    const Part x = source(0, i);
    const Part dst = t.result(type, i);
    switch (t.at->opcode) {
      case spv::OpFNegate:
        t.b.op("mov", dst, {negated(x)});
        return dst;
      case spv::OpFAdd:
        t.b.op("add", dst, {x, source(1, i)});
        return dst;
      case spv::OpFSub:
        t.b.op("add", dst, {x, negated(source(1, i))});
        return dst;
      case spv::OpFMul:
        t.b.op("mul", dst, {x, source(1, i)});
        return dst;
      case spv::OpVectorTimesScalar:
      case spv::OpMatrixTimesScalar:
        t.b.op("mul", dst, {x, source(1, 0)});
        return dst;
      case spv::OpFDiv:
        t.b.op("div", dst, {x, source(1, i)});
        return dst;
      case kFma:
        t.b.op("mad", dst, {x, source(1, i), source(2, i)});
        return dst;
      case spv::OpFRem:
        t.b.move(dst, floating_remainder(t.b, x, source(1, i), Rounding::Zero));
        return dst;
      default:
        t.b.move(dst, floating_remainder(t.b, x, source(1, i), Rounding::Down));
        return dst;
    }
  });
}

/// The remainder takes the divisor's sign.
Part modulo(VisaWriter& b, const Part& x, const Part& y) {
  const Part remainder = b.lanes(x.type, "remainder");
  divide(b, nullptr, &remainder, x, y);
  const Part zero = integer_like(x, 0);
  const Part sign = b.make("xor", x.type, {remainder, y}, "sign");
  const Part differs = logical_and(b, b.compare("ne", remainder, zero), b.compare("lt", sign, zero));
  b.op("add", remainder, {remainder, y}, {differs, false, false});
  return remainder;
}

/// OpMatrixTimesScalar: cooperative matrices may have integers.
void matrix_times_scalar(ShaderContext& t) {
  const Type type = result_scalar(t);
  if (isa::is_float(type)) return floating(t);
  each_scalar(t, [&](unsigned i) {
    const Part dst = t.result(type, i);
    multiply(t.b, dst, t.values.part(t.operand(0), i), t.values.part(t.operand(1)));
    return dst;
  });
}

void integer(ShaderContext& t) {
  const Type type = result_scalar(t);
  each_scalar(t, [&](unsigned i) -> Part {
    const Part x = t.values.part(t.operand(0), i);
    const Part y = t.at->opcode == spv::OpSNegate ? x : t.values.part(t.operand(1), i);
    const Part dst = t.result(type, i);
    switch (t.at->opcode) {
      case spv::OpSNegate:
        negate(t.b, dst, x);
        break;
      case spv::OpIAdd:
        t.b.op("add", dst, {x.as(type), y.as(type)});
        break;
      case spv::OpISub:
        t.b.op("add", dst, {as_signed(x), negated(as_signed(y))});
        break;
      case spv::OpIMul:
        multiply(t.b, dst, x, y);
        break;
      case spv::OpUDiv:
        divide(t.b, &dst, nullptr, as_unsigned(x), as_unsigned(y));
        break;
      case spv::OpSDiv:
        divide(t.b, &dst, nullptr, as_signed(x), as_signed(y));
        break;
      case spv::OpUMod:
        divide(t.b, nullptr, &dst, as_unsigned(x), as_unsigned(y));
        break;
      case spv::OpSRem:
        divide(t.b, nullptr, &dst, as_signed(x), as_signed(y));
        break;
      default:
        t.b.move(dst, modulo(t.b, as_signed(x), as_signed(y)).as(type));
        break;
    }
    return dst;
  });
}

/// Results with two members: sum and carry, difference and borrow, low and high half.
void extended(ShaderContext& t) {
  const std::vector<Part> xs = parts_of(t, t.operand(0)), ys = parts_of(t, t.operand(1));
  std::vector<Part> first, second;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const bool is_signed = t.at->opcode == spv::OpSMulExtended;
    const Part x = is_signed ? as_signed(xs[i]) : as_unsigned(xs[i]),
               y = is_signed ? as_signed(ys[i]) : as_unsigned(ys[i]);
    if (t.at->opcode == spv::OpUMulExtended || is_signed) {
      const auto [low, high] = multiply_extended(t.b, x, y);
      first.push_back(low);
      second.push_back(high);
      continue;
    }
    const bool add = t.at->opcode == spv::OpIAddCarry;
    const Part sum = t.b.lanes(x.type, add ? "sum" : "difference");
    if (add)
      t.b.op("add", sum, {x, y});
    else
      t.b.op("add", sum, {as_signed(x), negated(as_signed(y))});
    const Part over = add ? t.b.compare("lt", sum, x, "carry") : t.b.compare("lt", x, y, "borrow");
    first.push_back(sum);
    second.push_back(t.b.select(over, integer_like(x, 1), integer_like(x, 0), add ? "carry" : "borrow"));
  }
  std::vector<Part> parts = first;
  parts.insert(parts.end(), second.begin(), second.end());
  t.set(std::move(parts));
}

constexpr Op kOps[] = {
    {spv::OpFNegate, floating},
    {spv::OpFAdd, floating},
    {spv::OpFSub, floating},
    {spv::OpFMul, floating},
    {spv::OpFDiv, floating},
    {kFma, floating},
    {spv::OpFRem, floating},
    {spv::OpFMod, floating},
    {spv::OpVectorTimesScalar, floating},
    {spv::OpMatrixTimesScalar, matrix_times_scalar},
    {spv::OpSNegate, integer},
    {spv::OpIAdd, integer},
    {spv::OpISub, integer},
    {spv::OpIMul, integer},
    {spv::OpUDiv, integer},
    {spv::OpSDiv, integer},
    {spv::OpUMod, integer},
    {spv::OpSRem, integer},
    {spv::OpSMod, integer},
    {spv::OpIAddCarry, extended},
    {spv::OpISubBorrow, extended},
    {spv::OpUMulExtended, extended},
    {spv::OpSMulExtended, extended},
    {spv::OpVectorTimesMatrix, translate_matrix},
    {spv::OpMatrixTimesVector, translate_matrix},
    {spv::OpMatrixTimesMatrix, translate_matrix},
    {spv::OpOuterProduct, translate_matrix},
    {spv::OpTranspose, translate_matrix},
    {spv::OpDot, translate_matrix},
    {spv::OpSDot, translate_integer_dot},
    {spv::OpUDot, translate_integer_dot},
    {spv::OpSUDot, translate_integer_dot},
    {spv::OpSDotAccSat, translate_integer_dot},
    {spv::OpUDotAccSat, translate_integer_dot},
    {spv::OpSUDotAccSat, translate_integer_dot},
    {spv::OpShiftLeftLogical, translate_shift},
    {spv::OpShiftRightLogical, translate_shift},
    {spv::OpShiftRightArithmetic, translate_shift},
    {spv::OpNot, translate_bits},
    {spv::OpBitwiseAnd, translate_bits},
    {spv::OpBitwiseOr, translate_bits},
    {spv::OpBitwiseXor, translate_bits},
    {spv::OpBitFieldInsert, translate_bits},
    {spv::OpBitFieldSExtract, translate_bits},
    {spv::OpBitFieldUExtract, translate_bits},
    {spv::OpBitReverse, translate_bits},
    {spv::OpBitCount, translate_bits},
    {spv::OpAny, translate_logic},
    {spv::OpAll, translate_logic},
    {spv::OpLogicalEqual, translate_logic},
    {spv::OpLogicalNotEqual, translate_logic},
    {spv::OpLogicalOr, translate_logic},
    {spv::OpLogicalAnd, translate_logic},
    {spv::OpLogicalNot, translate_logic},
    {spv::OpSelect, translate_select},
    {spv::OpIsNan, translate_comparison},
    {spv::OpIsInf, translate_comparison},
    {spv::OpOrdered, translate_comparison},
    {spv::OpUnordered, translate_comparison},
    {spv::OpIEqual, translate_comparison},
    {spv::OpINotEqual, translate_comparison},
    {spv::OpUGreaterThan, translate_comparison},
    {spv::OpSGreaterThan, translate_comparison},
    {spv::OpUGreaterThanEqual, translate_comparison},
    {spv::OpSGreaterThanEqual, translate_comparison},
    {spv::OpULessThan, translate_comparison},
    {spv::OpSLessThan, translate_comparison},
    {spv::OpULessThanEqual, translate_comparison},
    {spv::OpSLessThanEqual, translate_comparison},
    {spv::OpFOrdEqual, translate_comparison},
    {spv::OpFUnordEqual, translate_comparison},
    {spv::OpFOrdNotEqual, translate_comparison},
    {spv::OpFUnordNotEqual, translate_comparison},
    {spv::OpFOrdLessThan, translate_comparison},
    {spv::OpFUnordLessThan, translate_comparison},
    {spv::OpFOrdGreaterThan, translate_comparison},
    {spv::OpFUnordGreaterThan, translate_comparison},
    {spv::OpFOrdLessThanEqual, translate_comparison},
    {spv::OpFUnordLessThanEqual, translate_comparison},
    {spv::OpFOrdGreaterThanEqual, translate_comparison},
    {spv::OpFUnordGreaterThanEqual, translate_comparison},
};

}  // namespace

std::span<const Op> arithmetic_ops() { return kOps; }

}  // namespace heddle::spirv::compiler
