// SPDX-License-Identifier: MIT
// GLSL.std.450: functions of single floating-point components, from vISA's math (base 2, sine, cosine, roots) within
// Vulkan's precision.
// Rules: SPV-41.

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "spirv/compile/glsl/glsl.hpp"
namespace heddle::spirv::compiler {

using isa::Type;

// Of 64 bits there is only the exact root, on the platforms that have DF at all.
Real square_root(const Real& x) { return x.apply(x.type() == Type::DF ? "sqrtm" : "sqrt"); }

Real quotient(const Real& x, double divisor) {
  const Real inverse = x.number(1 / divisor), q = x * inverse;
  const Real error = mad(-q, x.number(divisor), x);
  return mad(error, inverse, q);
}

namespace {

/// arc tangent of a ratio in [0, 1]: odd polynomial, Chebyshev interpolation of atan(sqrt z) / sqrt z; 5e-8 relative.
Real arc_tangent_of_ratio(const Real& x) {
  static constexpr double kCoefficients[] = {0.00283406419, -0.0160050299, 0.0425876081,
                                             -0.0749544576, 0.106367543,   -0.142025709,
                                             0.199924842,   -0.333330661,  1.0};
  const Real z = x * x;
  Real sum = x.number(kCoefficients[0]);
  for (std::size_t k = 1; k < std::size(kCoefficients); ++k) sum = mad(z, sum, x.number(kCoefficients[k]));
  return sum * x;
}

/// The value with another number's sign.
Real with_sign(const Real& value, const Real& sign) {
  VisaWriter& b = value.builder();
  const Part bit = b.make("and", Type::UD, {sign.part().as(Type::UD), ud(0x80000000u)}, "sign");
  const Part size = b.make("and", Type::UD, {value.part().as(Type::UD), ud(0x7fffffffu)}, "size");
  return {b, b.make("or", Type::UD, {size, bit}, "signed").as(Type::F)};
}

Real arc_tangent(const Real& y, const Real& x) {
  VisaWriter& b = y.builder();
  const Part ax = abs(x).part(), ay = abs(y).part();
  const Real width{b, ax}, height{b, ay};
  const Part steep = compare(height, "gt", width);
  // Chosen, not by min and max: a NaN stays in the ratio. Equal magnitudes have ratio 1, infinite ones too; two zeros
  // 0.
  Real ratio = choose(steep, width, height) / choose(steep, height, width);
  ratio = choose(compare(width, "eq", height), y.number(1), ratio);
  ratio = choose(compare(width + height, "eq", 0), y.number(0), ratio);
  Real angle = arc_tangent_of_ratio(ratio);
  angle = choose(steep, std::numbers::pi / 2 - angle, angle);
  const Part left = b.compare("lt", x.part().as(Type::D), constant(Type::D, 0), "left");  // -0 too
  angle = choose(left, std::numbers::pi - angle, angle);
  return with_sign(angle, y);
}

Real arc_tangent(const Real& x) {
  // Above 1: pi/2 - atan(1/x).
  const Real size{x.builder(), abs(x).part()};
  const Part steep = compare(size, "gt", 1);
  const Real ratio = choose(steep, size.apply("inv"), size);
  const Real angle = arc_tangent_of_ratio(ratio);
  return with_sign(choose(steep, std::numbers::pi / 2 - angle, angle), x);
}

Real exponential(const Real& x) { return (x * std::numbers::log2e).apply("exp"); }
Real logarithm(const Real& x) { return x.apply("log") * std::numbers::ln2; }
/// sqrt(1 - x * x), without the loss near 1.
Real other_leg(const Real& x) { return square_root((1 - x) * (x + 1)); }

/// Odd functions of |x|, with the sign of x: zeros keep theirs.
Real hyperbolic_sine(const Real& x) {
  const Real size{x.builder(), abs(x).part()};
  return with_sign((exponential(size) - exponential(-size)) * 0.5, x);
}

Real hyperbolic_tangent(const Real& x) {
  // Beyond 10 the result is 1; exp would overflow later. A NaN is not beyond.
  const Real size{x.builder(), abs(x).part()};
  const Real near = choose(compare(size, "gt", 10), x.number(10), size);
  const Real up = exponential(near), down = exponential(-near);
  return with_sign((up - down) / (up + down), x);
}

Real area_tangent(const Real& x) {
  const Real size{x.builder(), abs(x).part()};
  return with_sign(logarithm((size + 1) / (1 - size)) * 0.5, x);
}

Real sign_of(const Real& x) {
  VisaWriter& b = x.builder();
  const Part result = b.copy(real_of(x.type(), 0), "sign");
  b.move(result, real_of(x.type(), 1), {compare(x, "gt", 0), false, false});
  b.move(result, real_of(x.type(), -1), {compare(x, "lt", 0), false, false});
  return {b, result};
}

Real clamped(const Real& x, const Real& low, const Real& high) { return min(max(x, low), high); }

Real smooth_step(const Real& edge0, const Real& edge1, const Real& x) {
  const Real t = clamped((x - edge0) / (edge1 - edge0), x.number(0), x.number(1));
  return t * t * (3 - t * 2.0);
}

/// Computed in the operands' own type: exact there, or one instruction. The others are computed in F when the operands
/// are HF.
bool keeps_half(std::uint32_t number) {
  switch (number) {
    case GLSLstd450FAbs:
    case GLSLstd450FSign:
    case GLSLstd450FMin:
    case GLSLstd450FMax:
    case GLSLstd450NMin:
    case GLSLstd450NMax:
    case GLSLstd450FClamp:
    case GLSLstd450NClamp:
    case GLSLstd450Fma:
    case GLSLstd450Step:
      return true;
    default:
      return false;
  }
}

Real inverse_root(const Real& x) { return x.type() == Type::DF ? square_root(x).apply("inv") : x.apply("rsqrt"); }

/// Angles, trigonometric and hyperbolic functions; v: one or two operands.
Real angle_function(std::uint32_t number, const std::vector<Real>& v) {
  const Real& x = v[0];
  switch (number) {
    case GLSLstd450Radians:
      return x * (std::numbers::pi / 180);
    case GLSLstd450Degrees:
      return x * (180 / std::numbers::pi);
    case GLSLstd450Sin:
      return x.apply("sin");
    case GLSLstd450Cos:
      return x.apply("cos");
    case GLSLstd450Tan:
      return x.apply("sin") / x.apply("cos");
    case GLSLstd450Asin:
      return arc_tangent(x, other_leg(x));
    case GLSLstd450Acos:
      return arc_tangent(other_leg(x), x);
    case GLSLstd450Atan:
      return arc_tangent(x);
    case GLSLstd450Atan2:
      return arc_tangent(x, v[1]);
    case GLSLstd450Sinh:
      return hyperbolic_sine(x);
    case GLSLstd450Cosh:
      return (exponential(x) + exponential(-x)) * 0.5;
    case GLSLstd450Tanh:
      return hyperbolic_tangent(x);
    case GLSLstd450Asinh: {
      const Real size{x.builder(), abs(x).part()};
      return with_sign(logarithm(size + square_root(mad(size, size, x.number(1)))), x);
    }
    case GLSLstd450Acosh:
      return logarithm(x + square_root(x - 1.0) * square_root(x + 1));  // below 1, also below -1, NaN
    default:                                                            // Atanh
      return area_tangent(x);
  }
}

/// v: up to three operands.
Real function(std::uint32_t number, const std::vector<Real>& v) {
  const Real& x = v[0];
  switch (number) {
    case GLSLstd450Round:  // ties either way; to even as most do
    case GLSLstd450RoundEven:
      return round(x, Rounding::Even);
    case GLSLstd450Trunc:
      return round(x, Rounding::Zero);
    case GLSLstd450FAbs:
      return abs(x);
    case GLSLstd450FSign:
      return sign_of(x);
    case GLSLstd450Floor:
      return round(x, Rounding::Down);
    case GLSLstd450Ceil:
      return round(x, Rounding::Up);
    case GLSLstd450Fract:
      return x - round(x, Rounding::Down);
    case GLSLstd450Pow:
      return {x.builder(), x.builder().make("pow", x.type(), {x.source(), v[1].source()})};
    case GLSLstd450Exp:
      return exponential(x);
    case GLSLstd450Log:
      return logarithm(x);
    case GLSLstd450Exp2:
      return x.apply("exp");
    case GLSLstd450Log2:
      return x.apply("log");
    case GLSLstd450Sqrt:
      return square_root(x);
    case GLSLstd450InverseSqrt:
      return inverse_root(x);
    case GLSLstd450FMin:
    case GLSLstd450NMin:
      return min(x, v[1]);
    case GLSLstd450FMax:
    case GLSLstd450NMax:
      return max(x, v[1]);
    case GLSLstd450FClamp:
    case GLSLstd450NClamp:
      return clamped(x, v[1], v[2]);
    case GLSLstd450FMix:
      return x * (1 - v[2]) + v[1] * v[2];
    case GLSLstd450Step:
      return choose(compare(v[1], "lt", x), x.number(0), x.number(1));
    case GLSLstd450SmoothStep:
      return smooth_step(x, v[1], v[2]);
    case GLSLstd450Fma:
      return mad(x, v[1], v[2]);
    default:
      return angle_function(number, v);
  }
}

/// Operands of an elementwise function; 0: it is none.
unsigned operand_count(std::uint32_t number) {
  switch (number) {
    case GLSLstd450Atan2:
    case GLSLstd450Pow:
    case GLSLstd450FMin:
    case GLSLstd450FMax:
    case GLSLstd450NMin:
    case GLSLstd450NMax:
    case GLSLstd450Step:
      return 2;
    case GLSLstd450FClamp:
    case GLSLstd450NClamp:
    case GLSLstd450FMix:
    case GLSLstd450SmoothStep:
    case GLSLstd450Fma:
      return 3;
    case GLSLstd450SAbs:
    case GLSLstd450SSign:
      return 0;
    default:
      return number <= GLSLstd450InverseSqrt && number != 0 ? 1 : 0;
  }
}

}  // namespace

bool glsl_elementwise(ShaderContext& t) {
  const std::uint32_t number = extended_number(t);
  const unsigned count = operand_count(number);
  if (count == 0) return false;
  const Type type = result_scalar(t);
  if (!has_double(t, type)) return true;
  const Type computed = type == Type::HF && !keeps_half(number) ? Type::F : type;
  each_scalar(t, [&](unsigned i) {
    std::vector<Real> operands;
    for (unsigned k = 0; k < count; ++k)
      operands.push_back(Real(t.b, t.values.part(extended_operand(t, k), i)).in(computed));
    const Part value = function(number, operands).in(type).part();
    const Part dst = t.result(type, i);
    t.b.move(dst, value);
    return dst;
  });
  return true;
}

}  // namespace heddle::spirv::compiler
