// SPDX-License-Identifier: MIT
// Intel's finalizer takes footprints as plain vISA: every shader of the corpus with `--portable`.
#include <gtest/gtest.h>

#include <filesystem>

#include "peers/genx/finalizer.hpp"
#include "support/process.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

TEST(GenxIr, TakesPortableFootprints) {
  if (!have_program("GenX_IR")) GTEST_SKIP() << "GenX_IR is not installed (package libigc-tools)";
  unsigned shaders = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(HEDDLE_TEST_DIR) / "data" / "footprint" / "glsl")) {
    if (entry.path().extension() != ".spv") continue;
    ++shaders;
    for (const isa::Platform platform : {isa::Platform::SKL, isa::Platform::ICLLP, isa::Platform::TGLLP}) {
      const unsigned simd = shaders % 3 == 0   ? 8
                            : shaders % 3 == 1 ? 16
                                               : 32;  // the tool's time grows with the program
      const auto module = spirv::read_binary(read_bytes(entry.path()), entry.path().string());
      ASSERT_TRUE(module.ok()) << entry.path();
      spirv::CompileOptions options;
      options.platform = platform;
      options.simd = simd;
      options.portable = options.lenient = true;
      EXPECT_EQ(finalizer_problem(*module, options), "")
          << entry.path().filename() << " " << isa::platform_info(platform).name << " SIMD" << simd;
    }
  }
  EXPECT_GE(shaders, 12u);
}

}  // namespace
}  // namespace heddle::test
