// SPDX-License-Identifier: MIT
#include "image/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace heddle::image {
namespace {

TEST(Memory, IsZeroAndGrowsWithZeros) {
  Memory memory(100);
  EXPECT_TRUE(std::ranges::all_of(memory, [](std::uint8_t byte) { return byte == 0; }));
  memory[99] = 7;
  memory.resize(200);
  EXPECT_EQ(memory.size(), 200u);
  EXPECT_EQ(memory[99], 7);
  EXPECT_EQ(memory[199], 0);
  memory.resize(0);
  EXPECT_EQ(memory.size(), 0u);
}

TEST(Memory, MayBeSomebodyElses) {
  std::array<std::uint8_t, 4> bytes{1, 2, 3, 4};
  const Memory memory(nullptr, bytes);
  memory[1] = 9;
  EXPECT_EQ(bytes[1], 9);
  const auto owner = std::make_shared<int>(0);
  {
    const Memory kept(owner, bytes);
    EXPECT_EQ(owner.use_count(), 2);
    EXPECT_EQ(kept, memory);
  }
  EXPECT_EQ(owner.use_count(), 1);
}

TEST(Memory, CopiesHaveBytesOfTheirOwn) {
  const Memory memory{1, 2, 3};
  const Memory copy = memory;
  copy[0] = 5;
  EXPECT_EQ(memory[0], 1);
  EXPECT_EQ(copy.copy(), (std::vector<std::uint8_t>{5, 2, 3}));
  EXPECT_NE(copy, memory);
}

}  // namespace
}  // namespace heddle::image
