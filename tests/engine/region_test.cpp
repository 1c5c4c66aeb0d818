// SPDX-License-Identifier: MIT
// Regions, execution masks, predicates, out-of-range accesses (ENC-19).
#include <random>

#include "engine/harness.hpp"

namespace heddle::engine::testing {
namespace {

TEST(Regions, SourceAndDestinationSteps) {
  const unsigned sizes[] = {1, 2, 4, 8, 16, 32};
  std::mt19937 random(40);
  for (int round = 0; round < 300; ++round) {
    const unsigned lanes = sizes[random() % 6];
    constexpr unsigned kV[] = {0, 1, 2, 4, 8, 16, 32}, kW[] = {1, 2, 4, 8, 16}, kH[] = {0, 1, 2, 4}, kD[] = {1, 2, 4};
    const unsigned v = kV[random() % 7], h = kH[random() % 4], d = kD[random() % 3];
    unsigned w = kW[random() % 5];
    while (w > lanes) w /= 2;
    const unsigned start = random() % 4;
    KernelRun run(decl("A", "uw", 2048) + decl("D", "uw", 256) + "mov (M1_NM, " + std::to_string(lanes) + ") D(0,0)<" +
                  std::to_string(d) + "> A(0," + std::to_string(start) + ")<" + std::to_string(v) + ";" +
                  std::to_string(w) + "," + std::to_string(h) + ">\nret (M1, 1)\n");
    ASSERT_TRUE(run.ready());
    std::vector<std::uint16_t> table(2048), expected(256, 0xffff);
    for (unsigned i = 0; i < 2048; ++i) table[i] = static_cast<std::uint16_t>(i);
    run.set("A", table).set("D", expected);
    ASSERT_EQ(run.go(), reference::Outcome::Finished);
    for (unsigned k = 0; k < lanes; ++k) expected[k * d] = static_cast<std::uint16_t>(start + k / w * v + k % w * h);
    EXPECT_EQ(run.get<std::uint16_t>("D", 256), expected) << lanes << " lanes <" << v << ';' << w << ',' << h << '>';
    EXPECT_TRUE(run.diagnostics.empty());
  }
}

TEST(Regions, RowsAreRegisters) {
  for (const isa::Platform platform : {isa::Platform::SKL, isa::Platform::PVC}) {
    const unsigned grf = platform == isa::Platform::SKL ? 32 : 64;
    KernelRun run(decl("A", "ud", 48) + decl("D", "ud", 1) + "mov (M1_NM, 1) D(0,0)<1> A(1,2)<0;1,0>\nret (M1, 1)\n",
                  platform);
    ASSERT_TRUE(run.ready());
    std::vector<std::uint32_t> table(48);
    for (unsigned i = 0; i < 48; ++i) table[i] = i;
    run.set("A", table).go();
    EXPECT_EQ(run.get<std::uint32_t>("D", 1)[0], grf / 4 + 2);
  }
}

TEST(Regions, AliasesShareBytes) {
  KernelRun run(decl("A", "ud", 8) + decl("B", "uw", 4, " alias=<A,4>") +
                "mov (M1, 8) A(0,0)<1> 0x11112222:ud\nmov (M1_NM, 2) B(0,1)<1> 7:uw\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.go();
  EXPECT_EQ(run.get<std::uint32_t>("A", 4),
            (std::vector<std::uint32_t>{0x11112222, 0x00072222, 0x11110007, 0x11112222}));
}

TEST(Regions, OutsideReadsZeroAndWritesNothing) {
  KernelRun run(
      decl("A", "ud", 4) + decl("D", "ud", 8) +
      "mov (M1, 4) A(0,0)<1> 5:ud\nmov (M1, 8) D(0,0)<1> A(0,0)<1;1,0>\nmov (M1, 8) A(0,0)<1> 9:ud\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.go();
  EXPECT_EQ(run.get<std::uint32_t>("D", 8), (std::vector<std::uint32_t>{5, 5, 5, 5, 0, 0, 0, 0}));
  EXPECT_EQ(run.ids(), (std::vector<std::string>{"run-region-bounds", "run-region-bounds"}));
}

TEST(Masks, DisabledLanesKeepTheirValue) {  // EXE-2
  KernelRun run(decl("D", "ud", 16) + decl("E", "ud", 16) +
                ".decl P1 v_type=P num_elts=16\nsetp (M1_NM, 16) P1 0xa5a5:uw\n(P1) mov (M1, 16) D(0,0)<1> 1:ud\n(!P1) "
                "mov (M1_NM, 16) E(0,0)<1> 2:ud\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.start(0xff0f);
  run.set("D", std::vector<std::uint32_t>(16, 0)).set("E", std::vector<std::uint32_t>(16, 0)).go();
  const auto d = run.get<std::uint32_t>("D", 16), e = run.get<std::uint32_t>("E", 16);
  for (unsigned k = 0; k < 16; ++k) {
    EXPECT_EQ(d[k], (0xff0f & 0xa5a5) >> k & 1u);
    EXPECT_EQ(e[k], (~0xa5a5u >> k & 1u) * 2);
  }
}

TEST(Masks, OffsetSelectsMaskAndPredicateBits) {  // EXE-1, EXE-2
  KernelRun run(decl("D", "ud", 8) +
                ".decl P1 v_type=P num_elts=32\nsetp (M1_NM, 32) P1 0x00f00000:ud\n(P1) mov (M5, 8) D(0,0)<1> "
                "1:ud\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.start(0x00cc0000).set("D", std::vector<std::uint32_t>(8, 0)).go();
  EXPECT_EQ(run.get<std::uint32_t>("D", 8), (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 1, 1}));
}

TEST(Masks, AnyAndAll) {  // EXE-2
  const auto result = [](const char* predicate, const char* value) {
    KernelRun run(decl("D", "ud", 8) + ".decl P1 v_type=P num_elts=8\nsetp (M1_NM, 8) P1 " + std::string(value) + "\n" +
                  predicate + " mov (M1, 8) D(0,0)<1> 1:ud\nret (M1, 1)\n");
    run.start().set("D", std::vector<std::uint32_t>(8, 0)).go();
    return run.get<std::uint32_t>("D", 8)[0];
  };
  EXPECT_EQ(result("(P1.any)", "0x10:ud"), 1u);
  EXPECT_EQ(result("(P1.any)", "0x00:ud"), 0u);
  EXPECT_EQ(result("(P1.all)", "0xff:ud"), 1u);
  EXPECT_EQ(result("(P1.all)", "0xfe:ud"), 0u);
  EXPECT_EQ(result("(!P1.all)", "0xfe:ud"), 1u);
  EXPECT_EQ(result("(!P1.any)", "0x10:ud"), 0u);
}

TEST(Masks, UndefinedPredicateBitsAreReported) {
  KernelRun run(
      decl("D", "ud", 8) +
      ".decl P1 v_type=P num_elts=8\nsetp (M1_NM, 4) P1 0xf:ud\n(P1) mov (M1, 8) D(0,0)<1> 1:ud\nret (M1, 1)\n");
  run.go();
  EXPECT_EQ(run.ids(), std::vector<std::string>{"run-undefined-predicate"});
}

TEST(Masks, PredicateLogicKeepsOtherBits) {
  KernelRun run(
      decl("R", "uw", 1) +
      ".decl P1 v_type=P num_elts=16\n.decl P2 v_type=P num_elts=16\nsetp (M1_NM, 16) P1 0xff00:uw\nsetp (M1_NM, 16) "
      "P2 0x0ff0:uw\n"
      "xor (M1, 8) P1 P1 P2\nnot (M3, 8) P2 P2\nand (M3, 8) P1 P1 P2\nmov (M1_NM, 1) R(0,0)<1> P1\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.go();
  EXPECT_EQ(run.get<std::uint16_t>("R", 1)[0], 0xf0f0u);
}

TEST(Masks, SelectChoosesByPredicate) {
  KernelRun run(
      decl("D", "d", 8) +
      ".decl P1 v_type=P num_elts=8\nsetp (M1_NM, 8) P1 0x0f:ud\n(P1) sel (M1, 8) D(0,0)<1> 1:d -1:d\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.start(0x7e).set("D", std::vector<int>(8, 5)).go();
  EXPECT_EQ(run.get<int>("D", 8), (std::vector<int>{5, 1, 1, 1, -1, -1, -1, 5}));
}

TEST(Thread, InputsAndPredefinedVariables) {
  KernelRun run(decl("A", "ud", 4) + decl("D", "ud", 8) +
                ".input A offset=64 size=16\nmov (M1_NM, 1) D(0,0)<1> A(0,1)<0;1,0>\nmov (M1_NM, 1) D(0,1)<1> "
                "%group_id_y(0,0)<0;1,0>\n"
                "mov (M1_NM, 1) D(0,2)<1> %r0(0,6)<0;1,0>\nmov (M1_NM, 1) D(0,3)<1> %ce0(0,0)<0;1,0>\nmov (M1_NM, 1) "
                "D(0,4)<1> %sr0(0,2)<0;1,0>\n"
                "mov (M1_NM, 1) D(0,5)<1> %cr0(0,0)<0;1,0>\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.payload[68] = 9;
  run.payload[24] = 3;
  run.start(0xff);
  run.go();
  EXPECT_EQ(run.get<std::uint32_t>("D", 6), (std::vector<std::uint32_t>{9, 3, 3, 0xff, 0xff, 0xc0}));
  EXPECT_TRUE(run.diagnostics.empty());
}

}  // namespace
}  // namespace heddle::engine::testing
