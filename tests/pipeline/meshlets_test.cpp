// SPDX-License-Identifier: MIT
// The groups that tasks ask for, window by window.
// Rules: MSH-1, MSH-7.
#include <gtest/gtest.h>

#include "pipeline/meshlets/group_cursor.hpp"

namespace heddle::pipeline {
namespace {

using Three = std::array<std::uint32_t, 3>;

/// All groups of `tasks`, in windows of at most `most`.
std::vector<GroupEntry> walk(const std::vector<GroupCount>& tasks, std::size_t most) {
  std::vector<GroupEntry> all, window;
  GroupCursor cursor(tasks);
  for (cursor.next(most, window); !window.empty(); cursor.next(most, window)) {
    EXPECT_LE(window.size(), most);
    all.insert(all.end(), window.begin(), window.end());
  }
  return all;
}

// Whatever the window, x runs fastest, then y, then z, and one task follows the other.
TEST(GroupCursor, WindowsDoNotChangeTheOrder_MSH1_MSH7) {
  const std::vector<GroupCount> tasks{{2, 3, 2}, {0, 5, 5}, {4, 1, 1}, {1, 1, 0}, {1, 1, 3}};
  for (const std::size_t most : {1u, 2u, 3u, 5u, 100u}) {
    const std::vector<GroupEntry> all = walk(tasks, most);
    ASSERT_EQ(all.size(), 12u + 4u + 3u) << most;
    for (std::uint32_t i = 0; i < 12; ++i) {
      EXPECT_EQ(all[i].number, (Three{i % 2, i / 2 % 3, i / 6})) << most;
      EXPECT_EQ(all[i].task, 0u);
      EXPECT_EQ(all[i].count, (Three{2, 3, 2}));
    }
    for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(all[12 + i].number, (Three{i, 0, 0})) << most;
    for (std::uint32_t i = 0; i < 3; ++i) {
      EXPECT_EQ(all[16 + i].number, (Three{0, 0, i})) << most;
      EXPECT_EQ(all[16 + i].task, 4u);
    }
  }
}

TEST(GroupCursor, NoTasksHaveNoGroups_MSH1) {
  EXPECT_TRUE(walk({}, 8).empty());
  EXPECT_TRUE(walk({{0, 1, 1}, {1, 0, 1}}, 8).empty());
}

}  // namespace
}  // namespace heddle::pipeline
