// SPDX-License-Identifier: MIT
// Floating-point operations and GLSL.std.450's functions: exact where SPIR-V or IEEE 754 says so, else within Vulkan's
// precision.

#include <algorithm>
#include <cmath>
#include <limits>

#include "operation_cases.hpp"

namespace heddle::test {
namespace {

using Values = const double*;

FloatCase function(
    const std::string& name, unsigned inputs, std::function<double(Values v)> expected, double ulp, double absolute = 0,
    std::function<bool(Values v)> defined = [](Values) { return true; }, bool all_types = true) {
  static constexpr const char* kOperands[] = {"", " %a", " %a %b", " %a %b %c"};
  return {name,
          "%r = OpExtInst %T %std " + name + kOperands[inputs],
          inputs,
          std::move(expected),
          ulp,
          absolute,
          std::move(defined),
          all_types};
}

FloatCase comparison(const std::string& name, std::function<double(Values v)> expected) {
  return {name, "%r = Op" + name + " %bool %a %b", 2, std::move(expected), 0, 0, [](Values) { return true; }, true,
          true};
}

bool finite(Values v) { return std::isfinite(v[0]); }
bool finite2(Values v) { return std::isfinite(v[0]) && std::isfinite(v[1]); }
bool finite3(Values v) { return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]); }
bool moderate(Values v) { return std::abs(v[0]) <= 1e5; }
bool number2(Values v) { return !std::isnan(v[0]) && !std::isnan(v[1]); }
bool number3(Values v) { return number2(v) && !std::isnan(v[2]); }
bool normal(double x) { return std::isfinite(x) && std::abs(x) >= 0x1p-126 && std::abs(x) <= 0x1p126; }
bool unordered(Values v) { return std::isnan(v[0]) || std::isnan(v[1]); }

std::vector<FloatCase> cases() {
  using std::abs;
  const double pi = 3.14159265358979323846;
  std::vector<FloatCase> list = {
      {"FAdd", "%r = OpFAdd %T %a %b", 2, [](Values v) { return v[0] + v[1]; }, 0.501},
      {"FSub", "%r = OpFSub %T %a %b", 2, [](Values v) { return v[0] - v[1]; }, 0.501},
      {"FMul", "%r = OpFMul %T %a %b", 2, [](Values v) { return v[0] * v[1]; }, 0.501},
      {"FNegate", "%r = OpFNegate %T %a", 1, [](Values v) { return -v[0]; }},
      {"FDiv", "%r = OpFDiv %T %a %b", 2, [](Values v) { return v[0] / v[1]; }, 2.5, 0,
       [](Values v) { return std::isfinite(v[0]) && normal(v[1]) && (v[0] == 0 || normal(v[0] / v[1])); }},
      {"FRem", "%r = OpFRem %T %a %b", 2, [](Values v) { return std::fmod(v[0], v[1]); }, 2, 1e-3,
       [](Values v) {
         return normal(v[1]) && std::isfinite(v[0]) && abs(v[0] / v[1]) < 1000 && (v[0] == 0 || normal(v[0] / v[1]));
       }},
      {"FMod", "%r = OpFMod %T %a %b", 2, [](Values v) { return v[0] - v[1] * std::floor(v[0] / v[1]); }, 2, 1e-3,
       [](Values v) {
         return normal(v[1]) && std::isfinite(v[0]) && abs(v[0] / v[1]) < 1000 && (v[0] == 0 || normal(v[0] / v[1]));
       }},
      // Where the quotient overflows, so does the rest: to infinity, never to NaN.
      {"FMod_far", "%r = OpFMod %T %a %b", 2,
       [](Values v) {
         const double quotient = v[0] / v[1];
         return abs(quotient) >= 0x1p129 ? -std::copysign(INFINITY, v[0]) : v[0] - v[1] * std::floor(quotient);
       },
       2, 1e-3,
       [](Values v) {
         const double quotient = abs(v[0] / v[1]);
         return normal(v[1]) && std::isfinite(v[0]) &&
                (quotient >= 0x1p129 || (quotient < 1000 && (v[0] == 0 || normal(quotient))));
       },
       false},
      {"FMod_self", "%r = OpFMod %T %a %a", 1, [](Values) { return 0.0; }, 0, 0, [](Values v) { return normal(v[0]); }},
      comparison("FOrdEqual", [](Values v) { return v[0] == v[1]; }),
      comparison("FOrdNotEqual", [](Values v) { return v[0] < v[1] || v[0] > v[1]; }),
      comparison("FOrdLessThan", [](Values v) { return v[0] < v[1]; }),
      comparison("FOrdGreaterThan", [](Values v) { return v[0] > v[1]; }),
      comparison("FOrdLessThanEqual", [](Values v) { return v[0] <= v[1]; }),
      comparison("FOrdGreaterThanEqual", [](Values v) { return v[0] >= v[1]; }),
      comparison("FUnordEqual", [](Values v) { return unordered(v) || v[0] == v[1]; }),
      comparison("FUnordNotEqual", [](Values v) { return unordered(v) || v[0] != v[1]; }),
      comparison("FUnordLessThan", [](Values v) { return unordered(v) || v[0] < v[1]; }),
      comparison("FUnordGreaterThan", [](Values v) { return unordered(v) || v[0] > v[1]; }),
      comparison("FUnordLessThanEqual", [](Values v) { return unordered(v) || v[0] <= v[1]; }),
      comparison("FUnordGreaterThanEqual", [](Values v) { return unordered(v) || v[0] >= v[1]; }),
      {"IsNan", "%r = OpIsNan %bool %a", 1, [](Values v) { return std::isnan(v[0]); }, 0, 0,
       [](Values) { return true; }, true, true},
      {"IsInf", "%r = OpIsInf %bool %a", 1, [](Values v) { return std::isinf(v[0]); }, 0, 0,
       [](Values) { return true; }, true, true},
      function(
          "RoundEven", 1, [](Values v) { return std::nearbyint(v[0]); }, 0),
      function(
          "Trunc", 1, [](Values v) { return std::trunc(v[0]); }, 0),
      function(
          "Floor", 1, [](Values v) { return std::floor(v[0]); }, 0),
      function(
          "Ceil", 1, [](Values v) { return std::ceil(v[0]); }, 0),
      function(
          "Fract", 1, [](Values v) { return v[0] - std::floor(v[0]); }, 0.501, 0, finite),
      function(
          "FAbs", 1, [](Values v) { return abs(v[0]); }, 0),
      function(
          "FSign", 1, [](Values v) { return v[0] > 0   ? 1.0
                                            : v[0] < 0 ? -1.0
                                                       : 0.0; }, 0),
      function(
          "FMin", 2, [](Values v) { return std::fmin(v[0], v[1]); }, 0, 0, number2),
      function(
          "FMax", 2, [](Values v) { return std::fmax(v[0], v[1]); }, 0, 0, number2),
      function(
          "NMin", 2, [](Values v) { return std::fmin(v[0], v[1]); }, 0),
      function(
          "NMax", 2, [](Values v) { return std::fmax(v[0], v[1]); }, 0),
      function(
          "FClamp", 3, [](Values v) { return std::fmin(std::fmax(v[0], v[1]), v[2]); }, 0, 0,
          [](Values v) { return number3(v) && v[1] <= v[2]; }),
      function(
          "Step", 2, [](Values v) { return v[1] < v[0] ? 0.0 : 1.0; }, 0),
      function(
          "Sqrt", 1, [](Values v) { return std::sqrt(v[0]); }, 2, 0, [](Values v) { return v[0] >= 0; }),
      function(
          "InverseSqrt", 1, [](Values v) { return 1 / std::sqrt(v[0]); }, 2, 0,
          [](Values v) { return normal(v[0]) && v[0] > 0; }),
      function(
          "FMix", 3, [](Values v) { return v[0] * (1 - v[2]) + v[1] * v[2]; }, 3, 0.02,
          [](Values v) { return finite3(v) && abs(v[0]) < 1e3 && abs(v[1]) < 1e3 && abs(v[2]) < 10; }),
      function(
          "SmoothStep", 3,
          [](Values v) {
            const double t = std::clamp((v[2] - v[0]) / (v[1] - v[0]), 0.0, 1.0);
            return t * t * (3 - 2 * t);
          },
          4, 1e-2,
          [](Values v) {
            return finite3(v) && v[0] < v[1] - 1e-2 * (abs(v[0]) + abs(v[1])) && normal(v[1] - v[0]) &&
                   abs(v[2]) < 1e30;
          }),
      function(
          "Radians", 1, [=](Values v) { return v[0] * pi / 180; }, 2, 0, finite, false),
      function(
          "Degrees", 1, [=](Values v) { return v[0] * 180 / pi; }, 2, 0, finite, false),
  };
  const std::vector<FloatCase> narrow = {
      function(
          "Sin", 1, [](Values v) { return std::sin(v[0]); }, 0, 0x1p-11, moderate, false),
      function(
          "Cos", 1, [](Values v) { return std::cos(v[0]); }, 0, 0x1p-11, moderate, false),
      function(
          "Tan", 1, [](Values v) { return std::tan(v[0]); }, 8, 1e-4,
          [](Values v) { return moderate(v) && abs(std::cos(v[0])) > 1e-3; }, false),
      function(
          "Asin", 1, [](Values v) { return std::asin(v[0]); }, 16, 0, [](Values v) { return abs(v[0]) <= 1; }, false),
      function(
          "Acos", 1, [](Values v) { return std::acos(v[0]); }, 16, 1e-6, [](Values v) { return abs(v[0]) <= 1; },
          false),
      function(
          "Atan", 1, [](Values v) { return std::atan(v[0]); }, 8, 0, [](Values v) { return !std::isnan(v[0]); }, false),
      function(
          "Atan2", 2, [](Values v) { return std::atan2(v[0], v[1]); }, 8, 0,
          [](Values v) { return number2(v) && !(abs(v[0]) > 0x1p126 || abs(v[1]) > 0x1p126); }, false),
      function(
          "Sinh", 1, [](Values v) { return std::sinh(v[0]); }, 64, 4e-7, [](Values v) { return abs(v[0]) < 80; },
          false),
      function(
          "Cosh", 1, [](Values v) { return std::cosh(v[0]); }, 64, 0, [](Values v) { return abs(v[0]) < 80; }, false),
      function(
          "Tanh", 1, [](Values v) { return std::tanh(v[0]); }, 16, 1e-6, [](Values v) { return !std::isnan(v[0]); },
          false),
      function(
          "Asinh", 1, [](Values v) { return std::asinh(v[0]); }, 16, 1e-6, [](Values v) { return abs(v[0]) < 1e18; },
          false),
      function(
          "Acosh", 1, [](Values v) { return std::acosh(v[0]); }, 16, 1e-6,
          [](Values v) { return v[0] >= 1 && v[0] < 1e18; }, false),
      function(
          "Atanh", 1, [](Values v) { return std::atanh(v[0]); }, 16, 1e-6, [](Values v) { return abs(v[0]) < 1; },
          false),
      function(
          "Pow", 2, [](Values v) { return std::pow(v[0], v[1]); }, 16, 0,
          [](Values v) { return v[0] > 1e-10 && finite2(v) && abs(v[1]) < 100 && normal(std::pow(v[0], v[1])); },
          false),
      function(
          "Exp", 1, [](Values v) { return std::exp(v[0]); }, 180, 0, [](Values v) { return abs(v[0]) < 80; }, false),
      function(
          "Log", 1, [](Values v) { return std::log(v[0]); }, 3, 0x1p-21,
          [](Values v) { return v[0] > 0 && normal(v[0]); }, false),
      function(
          "Exp2", 1, [](Values v) { return std::exp2(v[0]); }, 3, 0, [](Values v) { return abs(v[0]) < 120; }, false),
      function(
          "Log2", 1, [](Values v) { return std::log2(v[0]); }, 3, 0x1p-21,
          [](Values v) { return v[0] > 0 && normal(v[0]); }, false),
  };
  list.insert(list.end(), narrow.begin(), narrow.end());
  // Fma: rounded once.
  list.push_back(function("Fma", 3, [](Values v) { return std::fma(v[0], v[1], v[2]); }, 0.51, 0, finite3));
  // Frexp, Modf, Ldexp.
  list.push_back({"significand", "%_s = OpExtInst %_S %std FrexpStruct %a\n%r = OpCompositeExtract %T %_s 0", 1,
                  [](Values v) {
                    int e;
                    return std::frexp(v[0], &e);
                  },
                  0, 0, finite});
  list.push_back(
      {"exponent",
       "%_s = OpExtInst %_S %std FrexpStruct %a\n%_e = OpCompositeExtract %i32 %_s 1\n%r = OpConvertSToF %T %_e", 1,
       [](Values v) {
         int e = 0;
         std::frexp(v[0], &e);
         return static_cast<double>(e);
       },
       0, 0, finite});
  list.push_back({"fraction", "%_s = OpExtInst %_M %std ModfStruct %a\n%r = OpCompositeExtract %T %_s 0", 1,
                  [](Values v) { return v[0] - std::trunc(v[0]); }, 0, 0, finite});
  list.push_back({"whole", "%_s = OpExtInst %_M %std ModfStruct %a\n%r = OpCompositeExtract %T %_s 1", 1,
                  [](Values v) { return std::trunc(v[0]); }, 0, 0, finite});
  list.push_back({"ldexp", "%_e = OpConvertFToS %i32 %b\n%r = OpExtInst %T %std Ldexp %a %_e", 2,
                  [](Values v) { return std::ldexp(v[0], static_cast<int>(v[1])); }, 0.501, 0,
                  [](Values v) { return std::isfinite(v[0]) && abs(v[1]) < 120; }});
  // From the largest number to zero.
  list.push_back({"ldexp far down",
                  "%_e = OpConvertFToS %i32 %b\n%_f = OpIMul %i32 %_e %_e\n%_g = OpSNegate %i32 %_f\n"
                  "%r = OpExtInst %T %std Ldexp %a %_g",
                  2,
                  [](Values v) {
                    const int e = static_cast<int>(v[1]);
                    return std::ldexp(v[0], -e * e);
                  },
                  0.501, 0, [](Values v) { return std::isfinite(v[0]) && abs(v[1]) < 200; }});
  return list;
}

std::string with_type(std::string text, const std::string& type) {
  for (std::size_t at = text.find("%T"); at != std::string::npos; at = text.find("%T", at + 1))
    text.replace(at, 2, "%" + type);
  return text;
}

}  // namespace

std::vector<FloatCase> float_cases(const std::string& type) {
  std::vector<FloatCase> all;
  for (FloatCase& c : cases())
    if (c.all_types || type != "f64") all.push_back(std::move(c));
  return all;
}

bool FloatCase::accepts(const double* v, std::uint64_t result, const std::string& type) const {
  const bool half = type == "f16";
  if (!defined(v)) return true;
  const double want = expected(v), got = is_bool ? static_cast<double>(result) : real_of(result, type);
  if (half && std::abs(want) > 60000) return true;
  if (type == "f32" && std::abs(want) < 0x1p-126 && ulp > 0.6 && std::abs(got - want) <= 0x1p-126) return true;
  const double slack = ulp + (half && ulp > 0 ? 1 : 0);
  return ulps(got, want, is_bool ? "f64" : type) <= slack || std::abs(got - want) <= absolute * (half ? 16 : 1);
}

std::vector<Operation> float_operations(const std::string& type) {
  std::vector<Operation> operations;
  for (const FloatCase& c : float_cases(type)) {
    Operation o{c.name, c.is_bool ? "bool" : type, std::vector<std::string>(c.inputs, type), with_type(c.body, type),
                ""};
    if (o.body.find("%_S") != std::string::npos) o.globals = with_type("%_S = OpTypeStruct %T %i32\n", type);
    if (o.body.find("%_M") != std::string::npos) o.globals = with_type("%_M = OpTypeStruct %T %T\n", type);
    operations.push_back(std::move(o));
  }
  return operations;
}

}  // namespace heddle::test
