// SPDX-License-Identifier: MIT
// Roots of doubles, on both engines: the square root is exact.

#include <cmath>

#include "operation_cases.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

struct Setting {
  isa::Platform platform;
  unsigned simd;
};

class Doubles : public ::testing::TestWithParam<Setting> {};
INSTANTIATE_TEST_SUITE_P(Platforms, Doubles,
                         ::testing::Values(Setting{isa::Platform::SKL, 8}, Setting{isa::Platform::SKL, 16},
                                           Setting{isa::Platform::PVC, 16}, Setting{isa::Platform::PVC, 32}),
                         [](const auto& i) {
                           return std::string(isa::platform_info(i.param.platform).name) + "_simd" +
                                  std::to_string(i.param.simd);
                         });

double sum_of_squares(const double* x) { return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]; }

TEST_P(Doubles, HaveExactRoots) {
  const std::vector<Operation> operations = {
      {"sqrt", "f64", {"f64"}, "%r = OpExtInst %f64 %std Sqrt %a", ""},
      {"inversesqrt", "f64", {"f64"}, "%r = OpExtInst %f64 %std InverseSqrt %a", ""},
      {"length", "f64", {"v3f64"}, "%r = OpExtInst %f64 %std Length %a", ""},
      {"distance", "f64", {"v3f64", "v3f64"}, "%r = OpExtInst %f64 %std Distance %a %b", ""},
      {"normalize", "v3f64", {"v3f64"}, "%r = OpExtInst %v3f64 %std Normalize %a", ""},
      {"sqrt3", "v3f64", {"v3f64"}, "%r = OpExtInst %v3f64 %std Sqrt %a", ""},
  };
  constexpr std::size_t kCount = 128;
  auto inputs = inputs_of(operations, kCount);
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> range(-8, 8);
  for (std::size_t i = 40; i < kCount; ++i)
    inputs[{"f64", 0}][i] = std::bit_cast<std::uint64_t>(std::exp2(100 * range(random)));
  for (unsigned p = 0; p < 2; ++p)
    for (std::uint64_t& v : inputs[{"v3f64", p}]) v = std::bit_cast<std::uint64_t>(range(random));
  for (const char* engine : {"reference", "fast"}) {
    SCOPED_TRACE(engine);
    spirv::CompileOptions options;
    options.platform = GetParam().platform;
    options.simd = GetParam().simd;
    const std::vector<Bits> results = run_operations(operations, inputs, kCount, options, engine);
    ASSERT_EQ(results.size(), operations.size());
    for (std::size_t i = 0; i < kCount; ++i) {
      const double x = real_of(inputs[{"f64", 0}][i], "f64");
      EXPECT_EQ(ulps(real_of(results[0][i], "f64"), std::sqrt(x), "f64"), 0) << x;
      if (std::isnormal(x) && x > 0) EXPECT_LE(ulps(real_of(results[1][i], "f64"), 1 / std::sqrt(x), "f64"), 1) << x;
      double v[3], d[3];
      for (unsigned c = 0; c < 3; ++c) {
        v[c] = real_of(inputs[{"v3f64", 0}][3 * i + c], "f64");
        d[c] = v[c] - real_of(inputs[{"v3f64", 1}][3 * i + c], "f64");
      }
      EXPECT_EQ(real_of(results[2][i], "f64"), std::sqrt(sum_of_squares(v)));
      EXPECT_EQ(real_of(results[3][i], "f64"), std::sqrt(sum_of_squares(d)));
      for (unsigned c = 0; c < 3; ++c) {
        EXPECT_LE(ulps(real_of(results[4][3 * i + c], "f64"), v[c] / std::sqrt(sum_of_squares(v)), "f64"), 3);
        EXPECT_EQ(ulps(real_of(results[5][3 * i + c], "f64"), std::sqrt(v[c]), "f64"), 0) << v[c];
      }
    }
  }
}

}  // namespace
