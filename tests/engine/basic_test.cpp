// SPDX-License-Identifier: MIT
// Whole kernels on the reference engine.
#include "engine/harness.hpp"

namespace heddle::engine::testing {
namespace {

using reference::Outcome;
using ::testing::Test;

TEST(Engine, MovesAddsAndEnds) {
  KernelRun run(decl("V32", "d", 8) + decl("V33", "d", 8) +
                "add (M1, 8) V33(0,0)<1> V32(0,0)<8;8,1> 5:d\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.set<int>("V32", {0, 1, 2, 3, 4, 5, 6, -7});
  EXPECT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.get<int>("V33", 8), (std::vector<int>{5, 6, 7, 8, 9, 10, 11, -2}));
  EXPECT_TRUE(run.diagnostics.empty());
}

TEST(Engine, ReportsReadsOfNeverWrittenRegisters) {
  KernelRun run(decl("V32", "d", 8) + decl("V33", "d", 8) +
                "mov (M1, 4) V32(0,0)<1> 1:d\nadd (M1, 8) V33(0,0)<1> V32(0,0)<8;8,1> 5:d\nret (M1, 1)\n");
  run.go();
  ASSERT_EQ(run.ids(), std::vector<std::string>{"run-undefined-register"});
  EXPECT_EQ(run.diagnostics.all()[0].place.line, 6u);
  EXPECT_NE(run.diagnostics.all()[0].message.find("lane 4"), std::string::npos) << run.diagnostics.all()[0].message;
}

TEST(Engine, ObserversAreAskedOnceWhatTheyWant) {
  struct Watcher final : machine::Observer {
    explicit Watcher(bool wants) : wants_(wants) {}
    void instruction(const machine::Thread&, const machine::Decoded&, std::uint32_t) override { ++instructions; }
    [[nodiscard]] bool wants_instructions() const override { return ++asked, wants_; }
    bool wants_;
    mutable int asked = 0;
    int instructions = 0;
  };
  for (const bool wants : {false, true}) {
    Watcher watcher(wants);
    KernelRun run(decl("V32", "d", 8) + "mov (M1, 8) V32(0,0)<1> 1:d\nmov (M1, 8) V32(0,0)<1> 2:d\nret (M1, 1)\n");
    ASSERT_TRUE(run.ready());
    run.setup.observer = &watcher;
    EXPECT_EQ(run.go(), Outcome::Finished);
    EXPECT_EQ(watcher.instructions, wants ? 3 : 0);
    EXPECT_EQ(watcher.asked, 1);
  }
}

TEST(Engine, CheckModes) {
  const std::string body =
      decl("V32", "d", 8) + decl("V33", "d", 8) + "mov (M1, 8) V33(0,0)<1> V32(0,0)<8;8,1>\nret (M1, 1)\n";
  KernelRun off(body, isa::Platform::SKL, machine::CheckMode::Off),
      error(body, isa::Platform::SKL, machine::CheckMode::Error);
  EXPECT_EQ(off.go(), Outcome::Finished);
  EXPECT_TRUE(off.diagnostics.empty());
  EXPECT_EQ(error.go(), Outcome::Failed);
  EXPECT_TRUE(error.diagnostics.has_errors());
}

TEST(Engine, LoopsOfDivergentLanes) {
  // Lane k counts to k + 1.
  KernelRun run(decl("V32", "d", 8) + decl("V33", "d", 8) + ".decl P1 v_type=P num_elts=8\n" +
                "mov (M1, 8) V33(0,0)<1> 0:d\nL0:\nadd (M1, 8) V33(0,0)<1> V33(0,0)<8;8,1> 1:d\ncmp.lt (M1, 8) P1 "
                "V33(0,0)<8;8,1> V32(0,0)<8;8,1>\n"
                "(P1) goto (M1, 8) L0\nadd (M1, 8) V33(0,0)<1> V33(0,0)<8;8,1> 100:d\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.set<int>("V32", {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.get<int>("V33", 8), (std::vector<int>{101, 102, 103, 104, 105, 106, 107, 108}));
  EXPECT_EQ(run.thread().steps(), 1u + 8 * 3 + 2);
}

TEST(Engine, EndlessLoopHitsTheStepLimit) {
  KernelRun run("L0:\ngoto (M1, 1) L0\nret (M1, 1)\n");
  run.limits.steps = 100000;
  EXPECT_EQ(run.go(), Outcome::Limit);
}

TEST(Engine, SubroutineRunsCalledLanesOnly) {
  KernelRun run(
      decl("V32", "d", 8) +
      ".decl P1 v_type=P num_elts=8\nmov (M1, 8) V32(0,0)<1> 0:d\nsetp (M1_NM, 8) P1 0x0f:ud\n(P1) call (M1, 8) sub\n"
      "add (M1, 8) V32(0,0)<1> V32(0,0)<8;8,1> 1:d\nret (M1, 1)\n.function \"sub\"\nsub:\nadd (M1, 8) V32(0,0)<1> "
      "V32(0,0)<8;8,1> 10:d\nret (M1, 8)\n");
  ASSERT_TRUE(run.ready());
  EXPECT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.get<int>("V32", 8), (std::vector<int>{11, 11, 11, 11, 1, 1, 1, 1}));
}

TEST(Engine, IndirectRegions) {
  KernelRun run(
      decl("V32", "d", 16) + decl("V33", "d", 8) + decl("V34", "uw", 8) + ".decl A0 v_type=A num_elts=8\n" +
      "addr_add (M1, 8) A0(0)<8> &V32 V34(0,0)<8;8,1>\nmov (M1, 8) V33(0,0)<1> r[A0(0),0]<1,0>:d\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  std::vector<int> table;
  for (int i = 0; i < 16; ++i) table.push_back(100 + i);
  run.set("V32", table).set<std::uint16_t>("V34", {0, 60, 4, 56, 8, 52, 12, 48});
  EXPECT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.get<int>("V33", 8), (std::vector<int>{100, 115, 101, 114, 102, 113, 103, 112}));
  EXPECT_TRUE(run.diagnostics.empty());
}

TEST(Engine, IndirectOutOfRangeIsReported) {
  KernelRun run(decl("V32", "d", 16) + decl("V33", "d", 8) + ".decl A0 v_type=A num_elts=8\n" +
                "addr_add (M1, 1) A0(0)<1> &V32 60:uw\nmov (M1, 8) V32(0,0)<1> 1:d\nmov (M1, 8) V32(1,0)<1> 1:d\nmov "
                "(M1, 2) V33(0,0)<1> r[A0(0),0]<2;2,1>:d\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.go();
  EXPECT_EQ(run.ids(), std::vector<std::string>{"run-region-bounds"});
}

}  // namespace
}  // namespace heddle::engine::testing
