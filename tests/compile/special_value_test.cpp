// SPDX-License-Identifier: MIT
// GLSL.std.450 at zeros, infinities, NaN and outside of its domains: signs, and NaN where the C library has it.
// Rules: SPV-41.

#include "operation_run.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

using Values = const double*;

struct Case {
  std::string name;
  unsigned inputs;
  std::function<double(Values v)> expected;
  bool doubles = false;  ///< of 64 bits too
  std::string body;      ///< T stands for the type
};

Case function(const std::string& name, unsigned inputs, std::function<double(Values v)> expected,
              bool doubles = false) {
  return {name, inputs, std::move(expected), doubles,
          "%r = OpExtInst %T %std " + name + std::string(" %a %b").substr(0, 3 * inputs)};
}

/// Part `index` of a structure.
Case part_of(const std::string& name, const std::string& structure, unsigned index,
             std::function<double(Values v)> expected) {
  return {name + " " + std::to_string(index), 1, std::move(expected), true,
          "%_s = OpExtInst %" + structure + " %std " + name + " %a\n%r = OpCompositeExtract %T %_s " +
              std::to_string(index)};
}

std::vector<Case> cases() {
  const auto fraction = [](Values v) {
    double whole;
    return std::modf(v[0], &whole);
  };
  return {
      function(
          "Trunc", 1, [](Values v) { return std::trunc(v[0]); }, true),
      function(
          "Floor", 1, [](Values v) { return std::floor(v[0]); }, true),
      function(
          "Ceil", 1, [](Values v) { return std::ceil(v[0]); }, true),
      function(
          "Round", 1, [](Values v) { return std::nearbyint(v[0]); }, true),
      function(
          "RoundEven", 1, [](Values v) { return std::nearbyint(v[0]); }, true),
      function(
          "Fract", 1, [](Values v) { return v[0] - std::floor(v[0]); }, true),
      function(
          "FAbs", 1, [](Values v) { return std::fabs(v[0]); }, true),
      {"FNegate", 1, [](Values v) { return -v[0]; }, true, "%r = OpFNegate %T %a"},
      part_of("ModfStruct", "_M", 0, fraction),
      part_of("ModfStruct", "_M", 1, [](Values v) { return std::trunc(v[0]); }),
      part_of("FrexpStruct", "_S", 0,
              [](Values v) {
                int exponent;
                return std::frexp(v[0], &exponent);
              }),
      function(
          "Sqrt", 1, [](Values v) { return std::sqrt(v[0]); }, true),
      function(
          "InverseSqrt", 1, [](Values v) { return 1 / std::sqrt(v[0]); }, true),
      function("Sin", 1, [](Values v) { return std::sin(v[0]); }),
      function("Cos", 1, [](Values v) { return std::cos(v[0]); }),
      function("Tan", 1, [](Values v) { return std::tan(v[0]); }),
      function("Asin", 1, [](Values v) { return std::asin(v[0]); }),
      function("Acos", 1, [](Values v) { return std::acos(v[0]); }),
      function("Atan", 1, [](Values v) { return std::atan(v[0]); }),
      function("Sinh", 1, [](Values v) { return std::sinh(v[0]); }),
      function("Cosh", 1, [](Values v) { return std::cosh(v[0]); }),
      function("Tanh", 1, [](Values v) { return std::tanh(v[0]); }),
      function("Asinh", 1, [](Values v) { return std::asinh(v[0]); }),
      function("Acosh", 1, [](Values v) { return std::acosh(v[0]); }),
      function("Atanh", 1, [](Values v) { return std::atanh(v[0]); }),
      function("Exp", 1, [](Values v) { return std::exp(v[0]); }),
      function("Exp2", 1, [](Values v) { return std::exp2(v[0]); }),
      function("Log", 1, [](Values v) { return std::log(v[0]); }),
      function("Log2", 1, [](Values v) { return std::log2(v[0]); }),
      function("Atan2", 2, [](Values v) { return std::atan2(v[0], v[1]); }),
      function("Pow", 2, [](Values v) { return std::pow(v[0], v[1]); }),
      function(
          "NMin", 2, [](Values v) { return std::isnan(v[0]) || v[1] < v[0] ? v[1] : v[0]; }, true),
      function(
          "NMax", 2, [](Values v) { return std::isnan(v[0]) || v[1] > v[0] ? v[1] : v[0]; }, true),
  };
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

std::uint64_t bits_of_real(double x, const std::string& type) {
  if (type == "f64") return std::bit_cast<std::uint64_t>(x);
  if (type == "f32") return bits_of(static_cast<float>(x));
  // What stands below is exact in binary16.
  if (std::isnan(x)) return 0x7e00;
  const std::uint64_t sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isinf(x)) return sign | 0x7c00;
  if (x == 0) return sign;
  int exponent;
  const double significand = std::frexp(std::fabs(x), &exponent);
  return sign | static_cast<std::uint64_t>(exponent + 14) << 10 |
         (static_cast<std::uint64_t>(significand * 2048) & 0x3ffu);
}

/// NaN, an infinity, a zero or neither, and the sign: what a result must have in common with the exact one.
std::string kind_of(double x, const std::string& type) {
  const double most = type == "f16" ? 65520 : type == "f32" ? 0x1.ffffffp127 : INFINITY;
  const double least = type == "f16" ? 0x1p-25 : type == "f32" ? 0x1p-150 : 0;
  if (std::isnan(x)) return "NaN";
  const std::string sign = std::signbit(x) ? "-" : "+";
  return sign + (std::fabs(x) >= most ? "infinity" : std::fabs(x) <= least ? "0" : "number");
}

class SpecialValues : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Types, SpecialValues, ::testing::Values("f16", "f32", "f64"),
                         [](const auto& i) { return std::string(i.param); });

TEST_P(SpecialValues, KeepSignsAndNaN_SPV41) {
  const std::string type = GetParam();
  const std::vector<double> values = {0.0, -0.0, 0.25,    -0.25,    0.5,      -0.5,      0.75, -0.75,
                                      1.0, -1.0, 1.125,   -1.125,   1.5,      -1.5,      2.0,  -2.0,
                                      3.5, -3.5, 60000.0, -60000.0, INFINITY, -INFINITY, NAN};
  std::vector<Case> all;
  for (Case& c : cases())
    if (c.doubles || type != "f64") all.push_back(std::move(c));
  std::vector<Operation> operations;
  for (const Case& c : all) {
    Operation o{c.name, type, std::vector<std::string>(c.inputs, type), replaced(c.body, "%T", "%" + type), ""};
    if (c.body.find("%_M") != std::string::npos) o.globals = "%_M = OpTypeStruct %" + type + " %" + type + "\n";
    if (c.body.find("%_S") != std::string::npos) o.globals = "%_S = OpTypeStruct %" + type + " %i32\n";
    operations.push_back(std::move(o));
  }
  constexpr std::size_t kCount = 544;  // all pairs
  std::map<std::pair<std::string, unsigned>, Bits> inputs;
  for (std::size_t i = 0; i < kCount; ++i) {
    inputs[{type, 0}].push_back(bits_of_real(values[i % values.size()], type));
    inputs[{type, 1}].push_back(bits_of_real(values[i / values.size() % values.size()], type));
  }
  for (const char* engine : {"reference", "first", "second"}) {
    SCOPED_TRACE(engine);
    spirv::CompileOptions options;
    options.target_env = "universal1.6";
    const std::vector<Bits> results = run_operations(operations, inputs, kCount, options, engine);
    ASSERT_EQ(results.size(), all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      unsigned wrong = 0;
      for (std::size_t i = 0; i < kCount && wrong < 3; ++i) {
        const double v[] = {real_of(inputs[{type, 0}][i], type), real_of(inputs[{type, 1}][i], type)};
        const double got = real_of(results[k][i], type), want = all[k].expected(v);
        if (kind_of(got, type) == kind_of(want, type)) continue;
        ++wrong;
        ADD_FAILURE() << all[k].name << " of " << v[0] << " " << v[1] << " is " << got << ", not " << want;
      }
    }
  }
}

}  // namespace
