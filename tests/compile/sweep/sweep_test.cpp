// SPDX-License-Identifier: MIT
// The sweep on Heddle's machine: each shader is validated, compiled and run, and its buffers hold what they must.
// Rules: SPV-13 to SPV-16, SPV-19 to SPV-21, SPV-35.
#include "compile/sweep/sweep.hpp"

#include <gtest/gtest.h>

#include "compile/sweep/stages.hpp"

namespace heddle::test {
namespace {

class Sweep : public ::testing::TestWithParam<SweepShader> {};

TEST_P(Sweep, GivesWhatItMust) { EXPECT_EQ(problem_of(GetParam()), ""); }

std::string name_of(const ::testing::TestParamInfo<SweepShader>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Addresses, Sweep, ::testing::ValuesIn(address_shaders()), name_of);
INSTANTIATE_TEST_SUITE_P(Pointers, Sweep, ::testing::ValuesIn(pointer_shaders()), name_of);
INSTANTIATE_TEST_SUITE_P(Atomics, Sweep, ::testing::ValuesIn(atomic_shaders()), name_of);
INSTANTIATE_TEST_SUITE_P(Subgroups, Sweep, ::testing::ValuesIn(subgroup_shaders()), name_of);
INSTANTIATE_TEST_SUITE_P(Layouts, Sweep, ::testing::ValuesIn(layout_shaders()), name_of);

class StageSweep : public ::testing::TestWithParam<StageShader> {};

TEST_P(StageSweep, DrawsWhatItMust) { EXPECT_EQ(problem_of(GetParam()), ""); }

std::string name_of_stages(const ::testing::TestParamInfo<StageShader>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Varyings, StageSweep, ::testing::ValuesIn(varying_shaders()), name_of_stages);
INSTANTIATE_TEST_SUITE_P(BuiltIns, StageSweep, ::testing::ValuesIn(built_in_shaders()), name_of_stages);
INSTANTIATE_TEST_SUITE_P(Outputs, StageSweep, ::testing::ValuesIn(output_shaders()), name_of_stages);
INSTANTIATE_TEST_SUITE_P(Images, StageSweep, ::testing::ValuesIn(image_shaders()), name_of_stages);

/// Without its flag a module of such a layout is refused by SPIRV-Tools: arrays of uniform blocks without gaps, and
/// those of vectors of three. (The others follow the relaxed layout, which Vulkan 1.1 allows.)
TEST(SweepLayouts, NeedTheirFlags) {
  unsigned refused = 0;
  for (SweepShader s : layout_shaders()) {
    const bool threes = s.name.find("Storagev3") != std::string::npos || s.name.find("Pushv3") != std::string::npos ||
                        s.name.find("Workgroupv3") != std::string::npos;
    if (!threes && !s.name.starts_with("Uniform") && !s.name.starts_with("ScalarUniform")) continue;
    s.options.layout = {};
    EXPECT_NE(problem_of(s).find("[spirv-val]"), std::string::npos) << s.name;
    ++refused;
  }
  EXPECT_GE(refused, 25u);
}

/// The fast engine gives the same bits.
TEST(SweepEngines, Agree) {
  unsigned number = 0;
  for (const auto& family :
       {address_shaders(), pointer_shaders(), atomic_shaders(), subgroup_shaders(), layout_shaders()})
    for (const SweepShader& s : family)
      if (++number % 23 == 0) EXPECT_EQ(problem_of(s, "fast"), "") << s.name;
  for (const auto& family : {varying_shaders(), built_in_shaders(), output_shaders(), image_shaders()})
    for (StageShader s : family) {
      if (++number % 11 != 0) continue;
      s.engine = "fast";
      EXPECT_EQ(problem_of(s), "") << s.name;
    }
}

}  // namespace
}  // namespace heddle::test
