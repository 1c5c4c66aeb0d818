// SPDX-License-Identifier: MIT
// Structured control flow, variables and calls: what a shader computes against the same computed in C++.
// Rules: SPV-5 to SPV-7; SPV-32: the shaders take their group's size from WorkgroupSize.
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
  const job::RunResult outcome =
      run_shader(module,
                 "groups = [3]\n[buffers.\"0.0\"]\ntype = \"f32\"\ndata = [" + data +
                     "]\n[buffers.\"0.1\"]\ntype = \"f32\"\ncount = 192\nsave = \"out.bin\"\n",
                 options());
  ASSERT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
  EXPECT_EQ(output_as<float>(outcome, "out.bin"), expected);
}

std::string list_of(const std::vector<std::uint32_t>& values) {
  std::string text;
  for (const std::uint32_t v : values) text += (text.empty() ? "" : ", ") + std::to_string(v);
  return text;
}

std::uint32_t collatz(std::uint32_t n, std::uint32_t& steps) {
  for (;;) {
    if (n == 1) return steps;
    if (steps > 50) return 1000 + steps;
    ++steps;
    n = (n & 1) == 0 ? n >> 1 : 3 * n + 1;
  }
}

std::uint32_t classify(std::uint32_t x) {
  std::uint32_t r = 0;
  switch (x % 7) {
    case 0:
      r += 1;
      [[fallthrough]];
    case 1:
      r += 10;
      break;
    default:
      r += 100;
      [[fallthrough]];
    case 3:
      r += 1000;
      break;
    case 4:
      if (x > 40) {
        r = 5;
        break;
      }
      return 6;
    case 5:
      for (std::uint32_t k = 0; k < x && k != 9; ++k) r += k;
      break;
  }
  return r + 7;
}

/// Early returns out of loops, continue, break, fall through in a switch whose default is in the middle, do-while,
/// inout parameters; as glslang writes it and as spirv-opt -O does (phis).
TEST_P(Widths, SwitchesReturnsAndLoopsDiverge) {
  std::vector<std::uint32_t> in, expected;
  for (std::uint32_t i = 0; i < 96; ++i) in.push_back(1 + i * 7 % 97);
  for (const std::uint32_t x : in) {
    std::uint32_t steps = 0, n = 0;
    const std::uint32_t c = collatz(x, steps), r = classify(x);
    do {
      n += r & 3;
      if (n > 20) break;
      ++n;
    } while (n < x);
    expected.insert(expected.end(), {c, steps, r, n});
  }
  for (const char* file : {"flow/switch.spvasm", "flow/switch_optimized.spvasm"}) {
    const job::RunResult outcome =
        run_shader(load_shader(file),
                   "groups = [3]\n[buffers.\"0.0\"]\ntype = \"u32\"\ndata = [" + list_of(in) +
                       "]\n[buffers.\"0.1\"]\ntype = \"u32\"\ncount = 384\nsave = \"out.bin\"\n",
                   options());
    ASSERT_TRUE(outcome.succeeded) << file << messages(outcome.diagnostics);
    EXPECT_EQ(output_as<std::uint32_t>(outcome, "out.bin"), expected) << file;
  }
}

}  // namespace
