// SPDX-License-Identifier: MIT
// sample_unorm, compiled: the block whatever lanes run (UNO-1, UNO-8), or by the reference where the lanes lack the
// state.
#include <fmt/format.h>

#include "engine/bindings.hpp"
#include "engine/jit_harness.hpp"

namespace heddle::engine::testing {
namespace {

struct Case {
  const char *format, *channels;
  image::Filter filter;
  image::AddressMode mode;
  std::uint32_t left = 0;  ///< instructions that the reference executes
  const char* output = "16-full";
};

void check(const Case& c) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  // The block's corner comes from the payload; lanes that P1 names are not there when the first block is made.
  std::string text = decl("O", "ud", 16) + decl("X", "f", 16) + decl("D", "uw", 128) + decl("E", "uw", 128) +
                     decl("A", "f", 16) +
                     ".input O offset=32 size=64\n.input X offset=96 size=64\n.decl T6 v_type=T num_elts=1\n"
                     ".decl T7 v_type=T num_elts=1\n.decl S0 v_type=S num_elts=1\n.decl P1 v_type=P num_elts=16\n"
                     "cmp.gt (M1, 16) P1 X(0,0)<1;1,0> 0x3f000000:f\n(P1) goto (M1, 16) L\n";
  text += fmt::format("sample_unorm.{}.{} S0 T7 X(0,0)<0;1,0> (-)X(0,1)<0;1,0> 0x3caaaaab:f 0x3d4ccccd:f D.0\nL:\n",
                      c.channels, c.output);
  text += fmt::format("sample_unorm.{}.{} S0 T7 X(0,2)<0;1,0> X(0,3)<0;1,0> X(0,4)<0;1,0> X(0,5)<0;1,0> E.0\n",
                      c.channels, c.output);
  for (unsigned k = 0; k < 8; ++k)
    for (const char* from : {"D", "E"})
      text += fmt::format(
          "mov (M1, 16) A(0,0)<1> {}({},0)<1;1,0>\nscatter4_scaled.R (M1, 16) T6 0x0:ud O.0 A.0\n"
          "add (M1, 16) O(0,0)<1> O(0,0)<1;1,0> 64:ud\n",
          from, k);
  for (const bool keep : {false, true})
    for (const char* cpu : kProcessors) {
      BothEngines both(text + "ret (M1, 1)\n");
      std::mt19937 random(11);
      auto sampler = std::make_shared<image::Sampler>();
      sampler->mag_filter = c.filter;
      sampler->tcx = sampler->tcy = c.mode;
      bind(both.bindings, buffer_of(4096), texture_of(c.format, 48, 20, random), sampler);
      both.keep_registers = keep;
      both.cpu = cpu;
      const float corner[] = {0.13f, 0.4f, -0.7f, 0.9f, 0.031f, 0.002f};
      for (unsigned k = 0; k < 16; ++k) {
        const std::uint32_t offset = 4 * k;
        const float x = k < std::size(corner) ? corner[k] : static_cast<float>(k) / 12.0f;
        std::memcpy(both.payload.data() + 32 + 4 * k, &offset, 4);
        std::memcpy(both.payload.data() + 96 + 4 * k, &x, 4);
      }
      for (const std::uint32_t mask : {0xffffu, 0x8001u, 0x00f0u})
        ASSERT_TRUE(both.agree(16, mask)) << c.format << "." << c.channels << " mask " << mask << " cpu " << cpu;
      EXPECT_EQ(both.counts.called, c.left) << c.format;
    }
}

using image::AddressMode;
using image::Filter;

TEST(JitUnorm, Linear) { check({"R8G8B8A8_UNORM", "RGBA", Filter::Linear, AddressMode::Wrap}); }
TEST(JitUnorm, Nearest) { check({"B8G8R8A8_UNORM", "RGBA", Filter::Nearest, AddressMode::Mirror}); }
TEST(JitUnorm, OneByte) { check({"R8_UNORM", "RA", Filter::Linear, AddressMode::Clamp}); }
TEST(JitUnorm, PlanesLinear) { check({"PLANAR_420_8", "RGBA", Filter::Linear, AddressMode::Wrap}); }
TEST(JitUnorm, PlanesNearest) { check({"PLANAR_420_8", "RGB", Filter::Nearest, AddressMode::Clamp}); }
TEST(JitUnorm, BordersAreTheReferences) { check({"R8G8_UNORM", "RGBA", Filter::Linear, AddressMode::ClampBorder, 2}); }
TEST(JitUnorm, OtherOutputsAreTheReferences) {
  check({"R8G8B8A8_UNORM", "RGBA", Filter::Linear, AddressMode::Wrap, 2, "8-full"});
}

}  // namespace
}  // namespace heddle::engine::testing
