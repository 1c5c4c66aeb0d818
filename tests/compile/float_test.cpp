// SPDX-License-Identifier: MIT
// Floating-point operations against C++.
// Rules: SPV-8, SPV-10.

#include "operation_cases.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

struct Setting {
  std::string type;
  unsigned simd;
  isa::Platform platform;
};

class Floats : public ::testing::TestWithParam<Setting> {};
INSTANTIATE_TEST_SUITE_P(
    Types, Floats,
    ::testing::Values(Setting{"f32", 8, isa::Platform::SKL}, Setting{"f32", 16, isa::Platform::SKL},
                      Setting{"f32", 32, isa::Platform::TGLLP}, Setting{"f32", 16, isa::Platform::ICLLP},
                      Setting{"f16", 16, isa::Platform::SKL}, Setting{"f16", 32, isa::Platform::TGLLP},
                      Setting{"f64", 8, isa::Platform::SKL}, Setting{"f64", 16, isa::Platform::SKL}),
    [](const auto& i) {
      return i.param.type + "_simd" + std::to_string(i.param.simd) + "_" +
             std::string(isa::platform_info(i.param.platform).name);
    });

TEST_P(Floats, AreWithinPrecision) {
  const Setting setting = GetParam();
  const std::string& type = setting.type;
  const std::vector<FloatCase> all = float_cases(type);
  const std::vector<Operation> operations = float_operations(type);
  constexpr std::size_t kCount = 1600;
  auto inputs = inputs_of(operations, kCount);
  spirv::CompileOptions options;
  options.simd = setting.simd;
  options.platform = setting.platform;
  options.target_env = "universal1.6";
  const std::vector<Bits> results = run_operations(operations, inputs, kCount, options);
  ASSERT_EQ(results.size(), all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const FloatCase& c = all[k];
    unsigned wrong = 0, checked = 0;
    for (std::size_t i = 0; i < kCount && wrong < 3; ++i) {
      double v[3] = {0, 0, 0};
      for (unsigned p = 0; p < c.inputs; ++p) v[p] = real_of(inputs[{type, p}][i], type);
      checked += c.defined(v) ? 1 : 0;
      if (c.accepts(v, results[k][i], type)) continue;
      ++wrong;
      ADD_FAILURE() << c.name << " of " << v[0] << " " << v[1] << " " << v[2] << " is "
                    << (c.is_bool ? static_cast<double>(results[k][i]) : real_of(results[k][i], type)) << ", not "
                    << c.expected(v);
    }
    EXPECT_GT(checked, 10u) << c.name;
  }
}

}  // namespace
