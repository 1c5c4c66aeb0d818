// Structured control flow, variables and calls: what a shader computes against the same computed in C++.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "shader.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

class Widths : public ::testing::TestWithParam<unsigned> {
 protected:
  spirv::CompileOptions options() const {
    spirv::CompileOptions o;
    o.simd = GetParam();
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(Simd, Widths, ::testing::Values(8u, 16u, 32u));

TEST_P(Widths, LoopsWithBranchesOverVectors) {
  const spirv::Module module = load_shader("flow/rotate.spvasm");
  std::vector<float> in(4 * 48), expected;
  std::iota(in.begin(), in.end(), -40.0f);
  for (std::size_t i = 0; i < 48; ++i) {
    float v[4] = {in[4 * i], in[4 * i + 1], in[4 * i + 2], in[4 * i + 3]};
    for (int k = 0; k < 3; ++k) {
      const float w[4] = {v[0], v[1], v[2], v[3]};
      for (int c = 0; c < 4; ++c) v[c] = w[0] > 2.0f ? w[(c + 1) % 4] : w[(c + 3) % 4];
    }
    expected.insert(expected.end(), v, v + 4);
  }
  std::string data;
  for (const float f : in) data += (data.empty() ? "" : ", ") + std::to_string(f);
  const dispatch::Outcome outcome =
      run_shader(module,
                 "groups = [3]\n[buffers.\"0.0\"]\ntype = \"f32\"\ndata = [" + data +
                     "]\n[buffers.\"0.1\"]\ntype = \"f32\"\ncount = 192\nsave = \"out.bin\"\n",
                 options());
  ASSERT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
  EXPECT_EQ(output_as<float>(outcome, "out.bin"), expected);
}

}  // namespace
