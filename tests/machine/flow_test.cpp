// SPDX-License-Identifier: MIT
// Execution mask and control flow.
#include <gtest/gtest.h>

#include "machine/flow.hpp"

namespace heddle::machine {
namespace {

TEST(Flow, ForwardGotoWaitsAtTheLabel) {
  Flow flow;
  flow.start(0xff, 10);
  flow.branch(0x0f, 20);  // lanes 0-3 wait at 20
  EXPECT_EQ(flow.active(), 0xf0u);
  EXPECT_EQ(flow.pc(), 11u);
  while (flow.pc() < 20) {
    flow.arrive();
    EXPECT_EQ(flow.active(), 0xf0u);
    flow.advance();
  }
  flow.arrive();
  EXPECT_EQ(flow.active(), 0xffu);
}

TEST(Flow, WhenAllLanesWaitTheNearestLabelRuns) {
  Flow flow;
  flow.start(0xff, 0);
  flow.branch(0x0f, 30);
  flow.branch(0x30, 20);
  flow.branch(0xc0, 25);  // the last ones go
  flow.arrive();
  EXPECT_EQ(flow.pc(), 20u);
  EXPECT_EQ(flow.active(), 0x30u);
}

TEST(Flow, BackwardGotoLeavesTheOthersBehind) {
  Flow flow;
  flow.start(0xf, 5);
  flow.branch(0x3, 2);  // lanes 0, 1 loop; 2, 3 wait at 6
  EXPECT_EQ(flow.pc(), 2u);
  EXPECT_EQ(flow.active(), 0x3u);
  for (int i = 0; i < 3; ++i) {
    flow.arrive();
    flow.advance();
  }
  flow.arrive();
  EXPECT_EQ(flow.pc(), 5u);
  flow.branch(0x0, 2);
  flow.arrive();
  EXPECT_EQ(flow.pc(), 6u);
  EXPECT_EQ(flow.active(), 0xfu);
}

TEST(Flow, CallRunsOnlyItsLanesAndRestoresTheMask) {
  Flow flow;
  flow.start(0xff, 3);
  ASSERT_TRUE(flow.call(0x0f, 50, false));
  EXPECT_EQ(flow.active(), 0x0fu);
  EXPECT_EQ(flow.pc(), 50u);
  EXPECT_EQ(flow.ret(0x03), Flow::Return::Stays);
  EXPECT_EQ(flow.active(), 0x0cu);
  EXPECT_EQ(flow.ret(0x0c), Flow::Return::Subroutine);
  EXPECT_EQ(flow.pc(), 4u);
  EXPECT_EQ(flow.active(), 0xffu);
}

TEST(Flow, LanesThatWaitInASubroutineKeepItOpen) {
  Flow flow;
  flow.start(0xf, 0);
  ASSERT_TRUE(flow.call(0xf, 40, false));
  flow.branch(0x1, 45);
  EXPECT_EQ(flow.ret(0xe), Flow::Return::Stays);
  flow.arrive();
  EXPECT_EQ(flow.pc(), 45u);
  EXPECT_EQ(flow.active(), 0x1u);
  EXPECT_EQ(flow.ret(0x1), Flow::Return::Subroutine);
  EXPECT_EQ(flow.active(), 0xfu);
}

TEST(Flow, ReturnOutsideASubroutineEndsLanes) {
  Flow flow;
  flow.start(0x3, 0);
  EXPECT_EQ(flow.ret(0x1), Flow::Return::Stays);
  EXPECT_EQ(flow.active(), 0x2u);
  EXPECT_EQ(flow.ret(0x2), Flow::Return::Thread);
}

TEST(Flow, UniformJumpOverWaitingLanesIsSeen) {
  Flow flow;
  flow.start(0x3, 0);
  flow.branch(0x1, 10);
  EXPECT_EQ(flow.overtaken(9), 0u);
  EXPECT_EQ(flow.overtaken(11), 0x1u);
  flow.branch(0x2, 20);
  flow.arrive();
  EXPECT_EQ(flow.pc(), 10u);  // the lanes with the lowest counter run
}

TEST(Flow, DepthIsLimited) {
  Flow flow;
  flow.start(1, 0);
  std::size_t calls = 0;
  while (flow.call(1, 0, false)) ++calls;
  EXPECT_EQ(calls, Flow::kMaxDepth);
}

}  // namespace
}  // namespace heddle::machine
