// SPDX-License-Identifier: MIT
// Atomic operations, barriers, shared memory and what lanes keep of subgroup results, against C++.
// Rules: SPV-19, SPV-20.

#include <algorithm>
#include <climits>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "shader.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

template <typename T>
std::string list_of(const std::vector<T>& values) {
  std::string text;
  for (const T v : values) text += (text.empty() ? "" : ", ") + std::to_string(v);
  return text;
}

class ComputeShaders : public ::testing::TestWithParam<std::pair<isa::Platform, unsigned>> {
 protected:
  static spirv::CompileOptions options() {
    spirv::CompileOptions o;
    o.platform = GetParam().first;
    o.simd = GetParam().second;
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(Widths, ComputeShaders,
                         ::testing::Values(std::pair(isa::Platform::SKL, 8u), std::pair(isa::Platform::SKL, 16u),
                                           std::pair(isa::Platform::SKL, 32u), std::pair(isa::Platform::TGLLP, 16u)));

TEST_P(ComputeShaders, AtomicsOfBuffersAndSharedMemory) {
  constexpr std::size_t kGroups = 3, kCount = 64 * kGroups;
  std::vector<std::int32_t> values(kCount);
  std::mt19937 random(4);
  for (std::int32_t& v : values) v = static_cast<std::int32_t>(random() % 2000) + 1;
  const job::RunResult outcome =
      run_shader(load_shader("compute/atomics.spvasm"),
                 "groups = [3]\n[buffers.\"0.0\"]\ntype = \"i32\"\ndata = [" + list_of(values) +
                     "]\n[buffers.\"0.1\"]\ntype = \"i32\"\ndata = [5, 0, 100000, -1, 0, 0, 0, 0, 0]\nsave = "
                     "\"totals.bin\"\n[buffers.\"0.2\"]\ntype = \"u32\"\ncount = 960\nsave = "
                     "\"old.bin\"\n",
                 options());
  ASSERT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
  const auto totals = output_as<std::int32_t>(outcome, "totals.bin");
  ASSERT_EQ(totals.size(), 9u);
  const auto fold = [&](std::uint32_t start, auto f) {
    for (const std::int32_t v : values) start = f(start, static_cast<std::uint32_t>(v));
    return static_cast<std::int32_t>(start);
  };
  EXPECT_EQ(totals[0], std::accumulate(values.begin(), values.end(), 5));
  EXPECT_EQ(totals[1], *std::max_element(values.begin(), values.end()));
  EXPECT_EQ(totals[2], *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(totals[3], fold(~0u, [](std::uint32_t x, std::uint32_t y) { return x & y; }));
  EXPECT_EQ(totals[4], fold(0, [](std::uint32_t x, std::uint32_t y) { return x | y; }));
  EXPECT_EQ(totals[5], fold(0, [](std::uint32_t x, std::uint32_t y) { return x ^ y; }));
  EXPECT_EQ(totals[6], 77);
  EXPECT_EQ(totals[7], std::count_if(values.begin(), values.end(), [](std::int32_t v) { return (v & 1) != 0; }));
  const auto old = output_as<std::uint32_t>(outcome, "old.bin");
  ASSERT_EQ(old.size(), 5 * kCount);
  for (std::size_t group = 0; group < kGroups; ++group) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(64 * group);
    const std::int32_t sum = std::accumulate(first, first + 64, 0), least = *std::min_element(first, first + 64);
    std::vector<std::uint32_t> tickets;
    unsigned winners[8] = {};
    for (std::size_t n = 0; n < 64; ++n) {
      const std::uint32_t* o = &old[(64 * group + n) * 5];
      const std::int32_t v = values[64 * group + n];
      if ((v & 1) != 0)
        tickets.push_back(o[0]);
      else
        EXPECT_EQ(o[0], 0u);
      EXPECT_EQ(o[1], static_cast<std::uint32_t>(sum));
      EXPECT_EQ(o[4], static_cast<std::uint32_t>(least));
      winners[v % 8] += o[2] == 0 ? 1 : 0;
      // The slot holds the number of an invocation that found it free.
      ASSERT_GE(o[3], 1u);
      ASSERT_LE(o[3], 64u);
      EXPECT_EQ(old[(64 * group + o[3] - 1) * 5 + 2], 0u);
    }
    std::sort(tickets.begin(), tickets.end());
    for (std::size_t k = 0; k < tickets.size(); ++k) EXPECT_EQ(tickets[k], k + 1);
    for (unsigned slot = 0; slot < 8; ++slot)
      EXPECT_EQ(
          winners[slot],
          std::any_of(first, first + 64, [&](std::int32_t v) { return v % 8 == static_cast<int>(slot); }) ? 1u : 0u);
  }
}

TEST_P(ComputeShaders, ScanAcrossSubgroups) {
  std::vector<std::uint32_t> values(128);
  std::iota(values.begin(), values.end(), 3u);
  const job::RunResult outcome =
      run_shader(load_shader("compute/prefix.spvasm"),
                 "groups = [2]\n[buffers.\"0.0\"]\ntype = \"u32\"\ndata = [" + list_of(values) +
                     "]\n[buffers.\"0.1\"]\ntype = \"u32\"\ncount = 384\nsave = \"out.bin\"\n",
                 options());
  ASSERT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
  const auto out = output_as<std::uint32_t>(outcome, "out.bin");
  ASSERT_EQ(out.size(), 384u);
  const unsigned simd = GetParam().second;
  const std::uint32_t all = simd == 32 ? ~0u : (1u << simd) - 1;
  for (std::size_t i = 0; i < 128; ++i) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(i / 64 * 64);
    EXPECT_EQ(out[3 * i], std::accumulate(first, values.begin() + static_cast<std::ptrdiff_t>(i) + 1, 0u)) << i;
    // Lane k leaves in round k + 1 and last saw itself and those above it.
    EXPECT_EQ(out[3 * i + 1], all << (i % simd) & all) << i;
    EXPECT_EQ(out[3 * i + 2], i % simd + 1) << i;
  }
}

TEST_P(ComputeShaders, AtomicsOfBuffersThatDifferFromLaneToLane) {
  std::vector<std::uint32_t> values(96), want(15);
  std::mt19937 random(9);
  for (std::uint32_t& v : values) {
    v = random() % 1000;
    want[v % 3 * 5] += v;
    ++want[v % 3 * 5 + 1 + v / 3 % 4];
  }
  std::string toml = "groups = [3]\n[buffers.\"0.3\"]\ntype = \"u32\"\ndata = [" + list_of(values) + "]\n";
  for (const char* element : {"0", "1", "2"})
    toml += std::string("[buffers.\"0.0[") + element + "]\"]\ntype = \"u32\"\ndata = [0, 0, 0, 0, 0]\nsave = \"c" +
            element + ".bin\"\n";
  const job::RunResult outcome = run_shader(load_shader("compute/arrays.spvasm"), toml, options());
  ASSERT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
  std::vector<std::uint32_t> got;
  for (const char* name : {"c0.bin", "c1.bin", "c2.bin"})
    for (const std::uint32_t v : output_as<std::uint32_t>(outcome, name)) got.push_back(v);
  EXPECT_EQ(got, want);
}

TEST_P(ComputeShaders, AtomicsOfFloats) {
  std::vector<float> values(64);
  std::mt19937 random(6);
  for (float& v : values) v = static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 8;  // sums are exact
  const job::RunResult outcome =
      run_shader(load_shader("compute/float_atomics.spvasm"),
                 "groups = [2]\n[buffers.\"0.0\"]\ntype = \"f32\"\ndata = [" + list_of(values) +
                     "]\n[buffers.\"0.1\"]\ntype = \"f32\"\ndata = [0.5, 0, 0, 0, 0]\nsave = \"out.bin\"\n",
                 options());
  ASSERT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
  const auto half = values.begin() + 32;
  EXPECT_EQ(output_as<float>(outcome, "out.bin"),
            (std::vector<float>{
                std::accumulate(values.begin(), values.end(), 0.5f), *std::min_element(values.begin(), values.end()),
                *std::max_element(values.begin(), values.end()), std::accumulate(values.begin(), half, 0.0f),
                std::accumulate(half, values.end(), 0.0f)}));
}

}  // namespace
