// SPDX-License-Identifier: MIT
// Halves: every one of them, and whether the machine code takes vectors of them.
#include "engine/bindings.hpp"
#include "engine/jit_harness.hpp"

namespace heddle::engine::testing {
namespace {

/// `code` makes R, 16 halves, of H, which is each half in turn.
void check(const std::string& code) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  const std::string text = decl("O", "ud", 16) + decl("W", "ud", 16) + decl("H", "hf", 16) + decl("R", "hf", 16) +
                           decl("F", "f", 16) +
                           ".decl B v_type=G type=uw num_elts=16 alias=<R, 0>\n"
                           ".input O offset=32 size=64\n.input H offset=96 size=32\n"
                           ".decl T6 v_type=T num_elts=1\n.decl P1 v_type=P num_elts=16\n" +
                           code +
                           "mov (M1, 16) W(0,0)<1> B(0,0)<1;1,0>\nscatter4_scaled.R (M1, 16) T6 0x0:ud O.0 W.0\n"
                           "ret (M1, 1)\n";
  for (const char* cpu : kProcessors) {
    BothEngines both(text);
    std::mt19937 random(3);
    bind(both.bindings, buffer_of(64), texture_of("R8G8B8A8_UNORM", 4, 4, random), std::make_shared<image::Sampler>());
    both.keep_registers = false;
    both.cpu = cpu;
    both.list = true;
    for (std::uint32_t k = 0; k < 16; ++k) {
      const std::uint32_t offset = 4 * k;
      std::memcpy(both.payload.data() + 32 + 4 * k, &offset, 4);
    }
    for (std::uint32_t first = 0; first < 65536; first += 16) {
      for (std::uint32_t k = 0; k < 16; ++k) {
        const auto half = static_cast<std::uint16_t>(first + k);
        std::memcpy(both.payload.data() + 96 + 2 * k, &half, 2);
      }
      ASSERT_TRUE(both.agree(16, 0xffff)) << code << "halves from " << first << " cpu " << cpu;
    }
    EXPECT_EQ(both.counts.called, 0u) << code;
    for (const char* by_lane : {"ucomiss", "vcmpss", "vroundss", "vrndscaless"})
      EXPECT_EQ(both.assembly.find(by_lane), std::string::npos) << code << cpu << ' ' << by_lane;
  }
}

TEST(JitHalf, AreClampedAsVectors) {
  check(
      "mov (M1, 16) F(0,0)<1> H(0,0)<1;1,0>\nmov.sat (M1, 16) F(0,0)<1> F(0,0)<1;1,0>\n"
      "mov (M1, 16) R(0,0)<1> F(0,0)<1;1,0>\n");
}

TEST(JitHalf, AreComparedAsVectors) {
  check(
      "cmp.lt (M1, 16) P1 H(0,0)<1;1,0> 0x3c00:hf\nmov (M1, 16) R(0,0)<1> 0x1234:hf\n"
      "(P1) mov (M1, 16) R(0,0)<1> H(0,0)<1;1,0>\n");
}

TEST(JitHalf, AreRoundedAsVectors) {
  for (const char* how : {"rndd", "rndu", "rnde", "rndz"})
    check(std::string(how) + " (M1, 16) R(0,0)<1> H(0,0)<1;1,0>\n");
}

}  // namespace
}  // namespace heddle::engine::testing
