// SPDX-License-Identifier: MIT
// Records of accesses: what is remembered of them, and the memory that they take.
// Rules: run-race, run-race-unwatched.

#include "machine/races.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::machine {
namespace {

struct Groups {
  explicit Groups(std::uint64_t most_bytes) : races(most_bytes) {
    for (GroupOrder& order : orders) order.number = races.enter({static_cast<std::uint32_t>(&order - orders), 0, 0});
  }
  std::optional<Conflict> touch(unsigned group, unsigned lane, std::size_t byte, AccessKind kind, unsigned bytes = 4) {
    Access access;
    access.kind = kind;
    access.lanes_apart = true;
    access.record.group = orders[group].number;
    access.record.thread = 3;
    access.record.lane = static_cast<std::uint8_t>(lane);
    access.record.site = 17;
    access.record.epoch = orders[group].epoch;
    access.record.order = 5;
    return races.touch(memory.data() + byte, bytes, access, orders[group]);
  }
  RaceDetector races;
  GroupOrder orders[2];
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(1 << 20);
};

TEST(Races, TheOtherAccessIsRemembered) {
  Groups t(RaceDetector::kMaxBytes);
  EXPECT_FALSE(t.touch(0, 31, 4000, AccessKind::Write));
  EXPECT_FALSE(t.touch(0, 31, 4000, AccessKind::Read));
  EXPECT_FALSE(t.touch(1, 0, 4004, AccessKind::Write));
  const auto found = t.touch(1, 0, 4000, AccessKind::Read);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, AccessKind::Write);
  EXPECT_EQ(found->other.group, t.orders[0].number);
  EXPECT_EQ(t.races.group_id(found->other.group), (std::array<std::uint32_t, 3>{0, 0, 0}));
  EXPECT_EQ(found->other.thread, 3);
  EXPECT_EQ(found->other.lane, 31);
  EXPECT_EQ(found->other.site, 17u);
  EXPECT_EQ(found->other.order, 5u);
}

TEST(Races, BytesOfAWordAreApart) {
  Groups t(RaceDetector::kMaxBytes);
  EXPECT_FALSE(t.touch(0, 0, 8, AccessKind::Write, 1));
  EXPECT_FALSE(t.touch(1, 0, 9, AccessKind::Write, 1));
  EXPECT_TRUE(t.touch(0, 1, 9, AccessKind::Read, 1));
}

TEST(Races, TwoReadersAreRemembered) {
  Groups t(RaceDetector::kMaxBytes);
  EXPECT_FALSE(t.touch(0, 0, 0, AccessKind::Read));
  EXPECT_FALSE(t.touch(0, 1, 0, AccessKind::Read));
  EXPECT_TRUE(t.touch(0, 1, 0, AccessKind::Write)) << "lane 0 has read it";
}

TEST(Races, MemoryIsBoundAndItIsSaidOnce) {
  constexpr std::uint64_t kBound = 256 << 10;
  Groups t(kBound);
  for (std::size_t byte = 0; byte < t.memory.size(); byte += 4) (void)t.touch(0, 0, byte, AccessKind::Write);
  EXPECT_LE(t.races.bytes(), kBound);
  EXPECT_TRUE(t.races.says_full());
  EXPECT_FALSE(t.races.says_full());
  EXPECT_TRUE(t.touch(1, 0, 0, AccessKind::Write)) << "what was watched still is";
  EXPECT_FALSE(t.touch(1, 0, t.memory.size() - 4, AccessKind::Write));
  Groups wide(RaceDetector::kMaxBytes);
  for (std::size_t byte = 0; byte < wide.memory.size(); byte += 4) (void)wide.touch(0, 0, byte, AccessKind::Write);
  EXPECT_FALSE(wide.races.says_full());
  EXPECT_LT(wide.races.bytes(), 4 * wide.memory.size()) << "12 bytes of records for 4 of memory, and one chunk";
}

}  // namespace
}  // namespace heddle::machine
