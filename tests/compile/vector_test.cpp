// SPDX-License-Identifier: MIT
// Vectors, matrices, GLSL.std.450's geometry and packing against C++.
// Rules: SPV-2.

#include "base/half.hpp"
#include "operation_cases.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

class Simd : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Widths, Simd, ::testing::Values(8u, 16u, 32u));

TEST_P(Simd, VectorsAndMatricesEqualCpp) {
  const std::vector<VectorCase> all = vector_cases();
  const std::vector<Operation> operations = vector_operations();
  constexpr std::size_t kCount = 96;
  auto inputs = inputs_of(operations, kCount);
  std::mt19937 random(5);
  std::uniform_real_distribution<float> range(-8, 8);
  for (auto& [key, list] : inputs)
    for (std::uint64_t& v : list) v = bits_of(range(random));
  spirv::CompileOptions options;
  options.simd = GetParam();
  const std::vector<Bits> results = run_operations(operations, inputs, kCount, options);
  ASSERT_EQ(results.size(), all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    unsigned wrong = 0;
    for (std::size_t i = 0; i < kCount && wrong < 2; ++i) {
      std::vector<RealVector> v;
      for (unsigned p = 0; p < operations[k].inputs.size(); ++p) {
        const unsigned n = components_of(operations[k].inputs[p]);
        RealVector x;
        for (unsigned c = 0; c < n; ++c) x.push_back(float_of(inputs[{operations[k].inputs[p], p}][i * n + c]));
        v.push_back(x);
      }
      const RealVector want = all[k].expected(v);
      for (std::size_t c = 0; c < want.size(); ++c) {
        const double got = float_of(results[k][i * want.size() + c]);
        if (std::isnan(want[c]) || std::abs(got - want[c]) <= all[k].absolute) continue;
        ++wrong;
        ADD_FAILURE() << operations[k].name << " component " << c << " is " << got << ", not " << want[c];
      }
    }
  }
}

std::uint32_t packed(const double* v, unsigned n, unsigned bits, bool is_signed) {
  std::uint32_t word = 0;
  for (unsigned k = 0; k < n; ++k) {
    const double scale = (1u << (is_signed ? bits - 1 : bits)) - 1;
    const float x = std::min(std::max(static_cast<float>(v[k]), is_signed ? -1.0f : 0.0f), 1.0f);
    const auto field = static_cast<std::int32_t>(std::nearbyint(x * static_cast<float>(scale)));
    word |= (static_cast<std::uint32_t>(field) & ((1u << bits) - 1)) << (k * bits);
  }
  return word;
}

TEST_P(Simd, PackingEqualsCpp) {
  const std::vector<Operation> operations = pack_operations();
  constexpr std::size_t kCount = 320;
  auto inputs = inputs_of(operations, kCount);
  spirv::CompileOptions options;
  options.simd = GetParam();
  const std::vector<Bits> results = run_operations(operations, inputs, kCount, options);
  ASSERT_EQ(results.size(), operations.size());
  for (std::size_t i = 0; i < kCount; ++i) {
    double v4[4], v2[2];
    bool number = true;
    for (unsigned c = 0; c < 4; ++c) number = !std::isnan(v4[c] = float_of(inputs[{"v4f32", 0}][i * 4 + c])) && number;
    for (unsigned c = 0; c < 2; ++c) number = !std::isnan(v2[c] = float_of(inputs[{"v2f32", 0}][i * 2 + c])) && number;
    const auto word = static_cast<std::uint32_t>(inputs[{"u32", 0}][i]);
    if (number) {
      EXPECT_EQ(results[0][i], packed(v4, 4, 8, true));
      EXPECT_EQ(results[1][i], packed(v4, 4, 8, false));
      EXPECT_EQ(results[2][i], packed(v2, 2, 16, true));
      EXPECT_EQ(results[3][i], packed(v2, 2, 16, false));
      if (std::abs(v2[0]) >= 0x1p-126 && std::abs(v2[1]) >= 0x1p-126) {
        EXPECT_EQ(results[4][i], base::float_to_half(static_cast<float>(v2[0])) |
                                     static_cast<std::uint32_t>(base::float_to_half(static_cast<float>(v2[1]))) << 16);
      }
    }
    for (unsigned c = 0; c < 4; ++c) {
      EXPECT_EQ(float_of(results[5][i * 4 + c]),
                std::max(static_cast<float>(static_cast<std::int8_t>(word >> (8 * c))) / 127.0f, -1.0f));
      EXPECT_EQ(float_of(results[6][i * 4 + c]), static_cast<float>(word >> (8 * c) & 255) / 255.0f);
    }
    for (unsigned c = 0; c < 2; ++c) {
      EXPECT_EQ(float_of(results[7][i * 2 + c]),
                std::max(static_cast<float>(static_cast<std::int16_t>(word >> (16 * c))) / 32767.0f, -1.0f));
      EXPECT_EQ(float_of(results[8][i * 2 + c]), static_cast<float>(word >> (16 * c) & 65535) / 65535.0f);
      const float half = base::half_to_float(static_cast<std::uint16_t>(word >> (16 * c)));
      if (!std::isnan(half)) {
        EXPECT_EQ(float_of(results[9][i * 2 + c]), half);
      }
    }
    const auto bit = [](std::int32_t x) { return static_cast<std::uint32_t>(x); };
    EXPECT_EQ(results[10][i], word == 0 ? ~0u : bit(std::countr_zero(word)));
    EXPECT_EQ(results[11][i], word == 0 ? ~0u : bit(31 - std::countl_zero(word)));
    const std::uint32_t flipped = static_cast<std::int32_t>(word) < 0 ? ~word : word;
    EXPECT_EQ(results[12][i], flipped == 0 ? ~0u : bit(31 - std::countl_zero(flipped)));
    const auto other = static_cast<std::uint32_t>(inputs[{"u32", 1}][i]),
               sum = static_cast<std::uint32_t>(inputs[{"u32", 2}][i]);
    std::int64_t dots[3] = {0, 0, 0};
    for (unsigned c = 0; c < 4; ++c) {
      dots[0] += static_cast<std::int8_t>(word >> (8 * c)) * static_cast<std::int8_t>(other >> (8 * c));
      dots[1] += (word >> (8 * c) & 255) * (other >> (8 * c) & 255);
      dots[2] += static_cast<std::int8_t>(word >> (8 * c)) * static_cast<std::int32_t>(other >> (8 * c) & 255);
    }
    EXPECT_EQ(results[13][i], bit(static_cast<std::int32_t>(dots[0])));
    EXPECT_EQ(results[14][i], static_cast<std::uint32_t>(dots[1]));
    EXPECT_EQ(results[15][i], bit(static_cast<std::int32_t>(dots[2])));
    EXPECT_EQ(results[16][i], bit(static_cast<std::int32_t>(std::clamp<std::int64_t>(
                                  dots[0] + static_cast<std::int32_t>(sum), INT32_MIN, INT32_MAX))));
    EXPECT_EQ(results[17][i], static_cast<std::uint32_t>(std::min<std::int64_t>(dots[1] + sum, UINT32_MAX)));
    if (HasFailure()) break;
  }
}

}  // namespace
