// The fast engine against the reference engine, one kernel at a time.
#include "engine/jit_harness.hpp"

namespace heddle::engine::testing {
namespace {

TEST(Jit, ArithmeticOfAllLanes) {
  BothEngines both(
      decl("X", "f", 16) + decl("Y", "f", 16) + decl("I", "d", 16) +
      ".input X offset=32 size=64\n.decl P1 v_type=P num_elts=16\n"
      "mad (M1, 16) Y(0,0)<1> X(0,0)<1;1,0> 0x3f000000:f X(0,0)<0;1,0>\n"
      "cmp.lt (M1, 16) P1 X(0,0)<1;1,0> Y(0,0)<1;1,0>\n"
      "(P1) mov (M1, 16) I(0,0)<1> Y(0,0)<1;1,0>\n(!P1) add (M1, 16) I(0,0)<1> I(0,0)<1;1,0> 7:d\nret (M1, 1)\n");
  for (unsigned i = 0; i < 16; ++i) {
    const float x = static_cast<float>(i) * 1.75f - 9;
    std::memcpy(both.payload.data() + 32 + 4 * i, &x, 4);
  }
  EXPECT_TRUE(both.agree(16, 0xffff));
  EXPECT_TRUE(both.agree(16, 0x1234));
  EXPECT_EQ(both.counts.called, 0u);
}

TEST(Jit, RegionsOfAllShapes) {
  BothEngines both(decl("X", "ud", 32) + decl("Y", "ud", 64) + decl("W", "uw", 64, " alias=<X,0>") +
                   ".input X offset=32 size=128\n"
                   "mov (M1, 8) Y(0,0)<2> X(0,0)<8;4,2>\nmov (M1, 16) Y(2,0)<1> W(0,1)<16;8,2>\n"
                   "mov (M1, 4) Y(4,0)<4> X(1,0)<0;4,1>\nmov (M1, 8) Y(6,0)<1> W(0,0)<2;1,0>\nret (M1, 1)\n");
  for (unsigned i = 0; i < 128; ++i) both.payload[32 + i] = static_cast<std::uint8_t>(i * 37);
  EXPECT_TRUE(both.agree(16, 0xffff));
  EXPECT_TRUE(both.agree(16, 0x00f7));
  EXPECT_EQ(both.counts.called, 0u);
}

}  // namespace
}  // namespace heddle::engine::testing
