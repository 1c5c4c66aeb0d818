// SPDX-License-Identifier: MIT
// Intel's finalizer takes what the shaders of the sweep become: forms that real programs use, each in a few types.
// Rules: SPV-13 to SPV-16, SPV-19 to SPV-21, SPV-35.
#include "compile/sweep/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "compile/shader.hpp"
#include "compile/sweep/stages.hpp"
#include "peers/genx/finalizer.hpp"
#include "support/process.hpp"

namespace heddle::test {
namespace {

/// One of so many by default: a shader takes the tool some tenths of a second.
std::size_t step() { return test_all() ? 1 : 17; }

/// The tool of 2022 has dword_atomic for 32 bits only; later ones have it for 16 and 64.
bool is_newer(const std::string& name) {
  return std::ranges::any_of(std::array{"Ofi16", "Ofu16", "Off16", "Ofi64", "Ofu64", "Off64"},
                             [&](const char* type) { return name.find(type) != std::string::npos; });
}

void expect_taken(const std::string& name, const std::string& text, spirv::CompileOptions options, std::size_t number) {
  constexpr isa::Platform kPlatforms[] = {isa::Platform::SKL, isa::Platform::ICLLP, isa::Platform::TGLLP};
  options.platform = kPlatforms[name.find("64") != std::string::npos ? 0 : number % 3];  // SKL has numbers of 64 bits
  const auto module = spirv::assemble(text, name + ".spvasm", options.target_env);
  ASSERT_TRUE(module.ok()) << name;
  EXPECT_EQ(finalizer_problem(*module, options), "") << name << " " << isa::platform_info(options.platform).name;
}

TEST(GenxIr, TakesTheSweep) {
  if (!have_program("GenX_IR")) GTEST_SKIP() << "GenX_IR is not installed (package libigc-tools)";
  std::size_t number = 0, judged = 0;
  for (const auto& family :
       {address_shaders(), pointer_shaders(), atomic_shaders(), subgroup_shaders(), layout_shaders()})
    for (const SweepShader& s : family)
      if (++number % step() == 0 && !is_newer(s.name)) expect_taken(s.name, s.text, s.options, ++judged);
  for (const auto& family : {varying_shaders(), built_in_shaders(), output_shaders(), image_shaders()})
    for (const StageShader& s : family) {
      if (++number % step() != 0) continue;
      expect_taken(s.name + " (fragment)", s.fragment, s.options, ++judged);
      if (!s.vertex.empty()) expect_taken(s.name + " (vertex)", s.vertex, s.options, judged);
    }
  EXPECT_GE(judged, 40u);
}

}  // namespace
}  // namespace heddle::test
