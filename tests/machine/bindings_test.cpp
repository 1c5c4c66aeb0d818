// SPDX-License-Identifier: MIT
#include "machine/bindings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace heddle::machine {
namespace {

std::array<std::uint8_t, 4096> bytes;

MemoryRange range_of(std::uint64_t address, std::uint64_t size) { return {address, size, bytes.data(), nullptr, "r"}; }

TEST(AddressMap, RangesComeAndGo) {
  AddressMap map;
  ASSERT_TRUE(map.add(range_of(0x2000, 16)));
  ASSERT_TRUE(map.add(range_of(0x1000, 0x1000)));
  EXPECT_FALSE(map.add(range_of(0x200f, 1)));
  EXPECT_FALSE(map.add(range_of(0xff0, 17)));
  EXPECT_FALSE(map.add(range_of(0x5000, 0)));
  EXPECT_FALSE(map.add(range_of(~std::uint64_t{0}, 2)));
  EXPECT_NE(map.find(0x200f, 1), nullptr);
  EXPECT_EQ(map.find(0x200f, 2), nullptr);
  EXPECT_EQ(map.find(0xfff, 1), nullptr);
  EXPECT_FALSE(map.remove(0x2001));
  EXPECT_TRUE(map.remove(0x2000));
  EXPECT_EQ(map.find(0x2000, 1), nullptr);
  EXPECT_NE(map.find(0x1fff, 1), nullptr);
  EXPECT_TRUE(map.add(range_of(0x2000, 4)));
}

TEST(AddressMap, WhatItLacksIsLookedUpOutside) {
  const auto outer = std::make_shared<SharedAddressMap>();
  AddressMap map;
  map.set_outer(outer);
  ASSERT_TRUE(map.add(range_of(0x1000, 16)));
  EXPECT_EQ(map.find(0x2000, 1), nullptr);
  ASSERT_TRUE(outer->add(range_of(0x2000, 16)));
  ASSERT_NE(map.find(0x2008, 8), nullptr);
  EXPECT_EQ(map.find(0x2008, 8)->address, 0x2000u);
  EXPECT_TRUE(outer->remove(0x2000));
  EXPECT_EQ(map.find(0x2000, 1), nullptr);
}

TEST(AddressMap, ThreadsAddAndFindTogether) {
  SharedAddressMap map;
  ASSERT_TRUE(map.add(range_of(0x10, 16)));
  std::thread other([&] {
    for (std::uint64_t k = 1; k < 1000; ++k) {
      EXPECT_TRUE(map.add(range_of(k * 0x1000, 16)));
      if (k % 2 == 0) EXPECT_TRUE(map.remove(k * 0x1000));
    }
  });
  for (unsigned k = 0; k < 1000; ++k) EXPECT_NE(map.find(0x18, 1), nullptr);
  other.join();
  EXPECT_NE(map.find(0x3000, 1), nullptr);
  EXPECT_EQ(map.find(0x4000, 1), nullptr);
}

TEST(Resource, CopiesAreTheSameAndOthersAreNot) {
  const auto surface = std::make_shared<image::Surface>();
  const SurfaceResource one = surface, copy = one, other = surface;
  EXPECT_EQ(one.identity(), copy.identity());
  EXPECT_NE(one.identity(), other.identity());
  EXPECT_NE(one.identity(), 0u);
  EXPECT_EQ(SurfaceResource().identity(), 0u);
  EXPECT_EQ(SurfaceResource(std::shared_ptr<image::Surface>()).identity(), 0u);
}

}  // namespace
}  // namespace heddle::machine
