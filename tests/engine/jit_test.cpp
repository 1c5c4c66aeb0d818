// SPDX-License-Identifier: MIT
// The fast engine against the reference engine, one kernel at a time.
#include <random>

#include <fmt/format.h>

#include "engine/jit_harness.hpp"
#include "support/processor_time.hpp"

namespace heddle::engine::testing {
namespace {

TEST(Jit, ArithmeticOfAllLanes) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
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

// SPV-20: code is ordered where other groups look on, in every tier.
TEST(Jit, FencesOfBuffersAreKept) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  struct Case {
    const char* line;
    isa::Platform platform;
    bool ordered;
  };
  for (const Case& c : {Case{"fence_global.E", isa::Platform::SKL, true},
                        {"fence_sw", isa::Platform::SKL, false},
                        {"fence_local.E", isa::Platform::ICLLP, false},
                        {"lsc_fence.ugm.none.tile", isa::Platform::DG2, true},
                        {"lsc_fence.slm.none.group", isa::Platform::DG2, false}}) {
    SCOPED_TRACE(c.line);
    const std::string add = "add (M1, 16) X(0,0)<1> X(0,0)<1;1,0> X(0,3)<0;1,0>\n";
    BothEngines both(decl("X", "ud", 16) + ".input X offset=32 size=64\n" + add + c.line + "\n" + add + "ret (M1, 1)\n",
                     c.platform);
    both.list = true;
    EXPECT_TRUE(both.agree(16, 0xffff));
    EXPECT_EQ(both.listing.find("fence acq_rel") != std::string::npos, c.ordered);
#if defined(__aarch64__)
    EXPECT_EQ(both.assembly.find("dmb\tish") != std::string::npos, c.ordered);
#endif
  }
}

#if defined(__aarch64__)
// Tests that compile for each processor (kProcessors) do it once here.
TEST(JitProcessors, OfArm64AreOne) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  std::string assembly[2];
  for (const bool named : {false, true}) {
    BothEngines both(decl("X", "f", 16) + decl("Y", "f", 16) +
                     ".input X offset=32 size=64\nmad (M1, 16) Y(0,0)<1> X(0,0)<1;1,0> 0.75:f X(0,0)<0;1,0>\n"
                     "sin (M1, 16) Y(0,0)<1> Y(0,0)<1;1,0>\nret (M1, 1)\n");
    both.cpu = named ? "generic" : "";
    both.list = true;
    EXPECT_TRUE(both.agree(16, 0xffff));
    assembly[named] = both.assembly;
  }
  EXPECT_FALSE(assembly[0].empty());
  EXPECT_EQ(assembly[0], assembly[1]);
  EXPECT_FALSE(jit::processor_problem("cortex-a72").empty());
}
#endif

// NUM-90: a minimum, a maximum and a saturation of numbers and NaNs, quiet and signaling, with constants. Machines have
// instructions that are nearly the same.
TEST(Jit, NansMeetConstants) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  std::string text = decl("X", "f", 16) + ".input X offset=32 size=64\n", code;
  for (const std::string_view op : {"min", "max"})
    for (const std::string_view constant : {"0x3f800000:f", "0x0:f", "0xc0000000:f", "0x7fa00000:f", "0x7fc00000:f"})
      for (const std::string_view saturated : {"", ".sat"}) {
        const std::string to = fmt::format("R{}", text.size());
        text += decl(to, "f", 16);
        code += fmt::format("{}{} (M1, 16) {}(0,0)<1> X(0,0)<1;1,0> {}\n", op, saturated, to, constant);
      }
  BothEngines both(text + decl("S", "f", 16) + code + "mov.sat (M1, 16) S(0,0)<1> X(0,0)<1;1,0>\nret (M1, 1)\n");
  constexpr std::uint32_t kValues[16] = {0x7f800001, 0xff800001, 0x7fa5a5a5, 0xffbfffff, 0x7fc00000, 0xffc12345,
                                         0x7f800000, 0xff800000, 0,          0x80000000, 1,          0x80000001,
                                         0x3f000000, 0x3f800000, 0x40000000, 0xc0400000};
  std::memcpy(both.payload.data() + 32, kValues, sizeof kValues);
  EXPECT_TRUE(both.agree(16, 0xffff));
  EXPECT_EQ(both.counts.called, 0u);
}

// Functions with very many blocks are compiled by other passes of LLVM.
TEST(Jit, ManyBranches) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  std::string text = decl("A", "f", 16) + decl("B", "f", 16) + decl("C", "d", 16) + decl("D", "ud", 16) +
                     ".decl P1 v_type=P num_elts=16\n.input A offset=32 size=64\n.input B offset=96 size=64\n"
                     ".input C offset=160 size=64\n.input D offset=224 size=64\n";
  constexpr const char* kBodies[] = {
      "mad (M1, 16) A(0,0)<1> A(0,0)<1;1,0> 0.75:f B(0,0)<1;1,0>\n", "sin (M1, 16) B(0,0)<1> A(0,0)<1;1,0>\n",
      "mul (M1, 16) C(0,0)<1> C(0,0)<1;1,0> 77:d\nmov (M1, 16) A(0,0)<1> C(0,0)<1;1,0>\n",
      "inv (M1, 16) B(0,0)<1> B(0,0)<1;1,0>\nxor (M1, 16) D(0,0)<1> D(0,0)<1;1,0> C(0,0)<1;1,0>\n"};
  for (unsigned k = 0; k < 900; ++k)
    text += fmt::format(
        "cmp.lt (M1, 16) P1 D(0,0)<1;1,0> {}:ud\n(P1) goto (M1, 16) L{}\n{}L{}:\n"
        "add (M1, 16) D(0,0)<1> D(0,0)<1;1,0> 0x{:x}:ud\n",
        k * 4766431u, k, kBodies[k % 4], k, k * 2654435761u & 0xffffffffu);
  BothEngines both(text + "ret (M1, 1)\n");
  for (std::size_t at = 32; at + 4 <= 288; at += 4) {
    const float number = static_cast<float>(at) * 0.37f - 20.0f;
    std::uint32_t word = static_cast<std::uint32_t>(at) * 0x9e3779b9u;
    if (at < 160) std::memcpy(&word, &number, 4);
    std::memcpy(both.payload.data() + at, &word, 4);
  }
  EXPECT_TRUE(both.agree(16, 0xffff));
  EXPECT_TRUE(both.agree(16, 0x5a3c));
}

// The second tier would take minutes for 7000 blocks: the first runs them, whichever is wanted.
TEST(Jit, ThousandsOfBranchesRunInTheFirstTier) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  std::string text = decl("D", "ud", 16) + ".decl P1 v_type=P num_elts=16\n.input D offset=32 size=64\n";
  for (unsigned k = 0; k < 3500; ++k)
    text += fmt::format(
        "cmp.lt (M1, 16) P1 D(0,0)<1;1,0> {}:ud\n(P1) goto (M1, 16) L{}\n"
        "add (M1, 16) D(0,0)<1> D(0,0)<1;1,0> 7:ud\nL{}:\n",
        k, k, k);
  BothEngines both(text + "ret (M1, 1)\n");
  for (std::uint32_t k = 0; k < 16; ++k) both.payload[32 + 4 * k + 1] = static_cast<std::uint8_t>(k);
  const double before = test::processor_seconds();
  EXPECT_TRUE(both.agree(16, 0xffff));
  EXPECT_LT(test::processor_seconds() - before, 120 * test::kSlowness);
}

TEST(Budget, TimeThatDoesNotCount) {
  base::Limits limits;
  limits.seconds = 0;
  reference::Budget late(limits), extended(limits);
  const auto now = std::chrono::steady_clock::now();
  extended.exclude(now, now + std::chrono::hours(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(late.take(1), 0u);
  ASSERT_TRUE(late.hit());
  EXPECT_EQ(late.hit()->id, "limit-seconds");
  EXPECT_EQ(extended.take(1), 1u);
  EXPECT_FALSE(extended.hit());
}

// Threads that waited for the same thing all say so.
TEST(Budget, TimeIsLeftOutOnce) {
  base::Limits limits;
  limits.seconds = -5400;
  reference::Budget budget(limits);
  const auto now = std::chrono::steady_clock::now();
  using std::chrono::minutes;
  for (int thread = 0; thread < 4; ++thread) budget.exclude(now, now + minutes(60));
  EXPECT_EQ(budget.take(1), 0u);
  budget.exclude(now + minutes(30), now + minutes(120));
  EXPECT_EQ(budget.take(1), 1u);
}

TEST(Jit, RegionsOfAllShapes) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  BothEngines both(decl("X", "ud", 32) + decl("Y", "ud", 64) + decl("W", "uw", 64, " alias=<X,0>") +
                   ".input X offset=32 size=128\n"
                   "mov (M1, 8) Y(0,0)<2> X(0,0)<8;4,2>\nmov (M1, 16) Y(2,0)<1> W(0,1)<16;8,2>\n"
                   "mov (M1, 4) Y(4,0)<4> X(1,0)<0;4,1>\nmov (M1, 8) Y(6,0)<1> W(0,0)<2;1,0>\nret (M1, 1)\n");
  for (unsigned i = 0; i < 128; ++i) both.payload[32 + i] = static_cast<std::uint8_t>(i * 37);
  EXPECT_TRUE(both.agree(16, 0xffff));
  EXPECT_TRUE(both.agree(16, 0x00f7));
  EXPECT_EQ(both.counts.called, 0u);
}

/// NUM-98: plain numbers, and all that leave the common path: huge angles, zeros, subnormals, infinities, NaN.
TEST(Jit, FunctionsOfAllNumbers) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  constexpr std::uint32_t kOdd[] = {0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x3f800000, 0xbf800000,
                                    0x7f800000, 0xff800000, 0x7fc00001, 0xffa00000, 0x7f7fffff, 0xff7fffff,
                                    0x56ffffff, 0x57000000, 0xd7000001, 0x00800000};
  for (const char* type : {"f", "hf"}) {
    const bool half = std::string(type) == "hf";
    std::string body = decl("X", type, 16) + decl("Y", type, 16) +
                       fmt::format(".input X offset=32 size={0}\n.input Y offset=96 size={0}\n", half ? 32 : 64);
    const char* const one[] = {"exp", "log", "sin", "cos", "rsqrt", "sqrt", "inv"};
    std::string code;
    for (const char* name : one) {
      body += decl(fmt::format("R_{}", name), type, 16);
      code += fmt::format("{0} (M1, 16) R_{0}(0,0)<1> X(0,0)<1;1,0>\n", name);
    }
    body += decl("R_pow", type, 16) + decl("R_div", type, 16) + decl("R_mad", type, 16);
    code +=
        "pow (M1, 16) R_pow(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>\n"
        "div (M1, 16) R_div(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>\n"
        "mad (M1, 16) R_mad(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0> X(0,0)<0;1,0>\n";
    for (const char* control : {"0x4c0", "0x0"}) {  // subnormals kept, flushed
      BothEngines both(body + fmt::format("mov (M1_NM, 1) %cr0(0,0)<1> {}:ud\n", control) + code + "ret (M1, 1)\n");
      std::mt19937 random(98);
      for (int round = 0; round < 300; ++round) {
        for (unsigned i = 0; i < 32; ++i) {
          std::uint32_t bits = static_cast<std::uint32_t>(random());
          if (!half && round % 3 == 0) bits = (bits & 0x80ffffffu) | 0x3f000000u;
          if (!half && random() % 8 == 0 && round % 3 != 0) bits = kOdd[random() % std::size(kOdd)];
          std::memcpy(both.payload.data() + 32 + 4 * i, &bits, 4);
        }
        ASSERT_TRUE(both.agree(16, round % 2 == 0 ? 0xffff : 0x1234)) << type << ' ' << control << ' ' << round;
      }
      EXPECT_EQ(both.counts.called, 0u) << type;
    }
  }
}

}  // namespace
}  // namespace heddle::engine::testing
