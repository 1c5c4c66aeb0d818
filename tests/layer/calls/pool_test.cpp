// SPDX-License-Identifier: MIT
// Descriptor pools: handles that the driver gives again at once, and memory that they share.

#include <gtest/gtest.h>

#include <set>

#include "layer/calls/fake_driver.hpp"

namespace heddle::test {
namespace {

namespace entry = layer::entry;

// Another thread may get the handle before vkDestroyDescriptorPool has come back to the layer.
TEST(LayerPools, AHandleThatComesBackWhileItIsDestroyedIsKept) {
  FakeDriver driver;
  const VkDescriptorSetLayout layout = driver.make_set_layout();
  const VkDescriptorPool pool = driver.make_pool();
  const VkDescriptorSet set = driver.make_set(pool, layout);
  ASSERT_TRUE(driver.kept().sets.contains(set));
  driver.on_destroy = [&] {
    EXPECT_FALSE(driver.kept().pools.contains(pool));
    EXPECT_FALSE(driver.kept().sets.contains(set));
    EXPECT_EQ(driver.make_pool(), pool);
    EXPECT_EQ(driver.make_set(pool, layout), set);
  };
  entry::DestroyDescriptorPool(driver.device(), pool, nullptr);
  EXPECT_TRUE(driver.kept().pools.contains(pool));
  EXPECT_TRUE(driver.kept().sets.contains(set));
  entry::DestroyDescriptorPool(driver.device(), pool, nullptr);
  EXPECT_TRUE(driver.kept().pools.empty());
  EXPECT_TRUE(driver.kept().sets.empty());
}

TEST(LayerPools, ASetThatComesBackWhileItsPoolIsResetIsKept) {
  FakeDriver driver;
  const VkDescriptorSetLayout layout = driver.make_set_layout();
  const VkDescriptorPool pool = driver.make_pool();
  const VkDescriptorSet set = driver.make_set(pool, layout);
  driver.next_pool = 2;
  const VkDescriptorPool other = driver.make_pool();
  driver.on_reset = [&] { EXPECT_EQ(driver.make_set(other, layout), set); };
  EXPECT_EQ(entry::ResetDescriptorPool(driver.device(), pool, 0), VK_SUCCESS);
  ASSERT_TRUE(driver.kept().sets.contains(set));
  EXPECT_EQ(driver.kept().sets.at(set).pool, other);
  EXPECT_TRUE(driver.kept().pools.contains(pool));
}

TEST(LayerPools, ShareOneAllocation) {
  FakeDriver driver;
  const VkDescriptorSetLayout layout = driver.make_set_layout();
  constexpr unsigned kPools = 40;
  for (unsigned turn = 0; turn < 100; ++turn) {  // more slices in all than an allocation has
    std::set<VkDeviceSize> offsets;
    for (unsigned k = 1; k <= kPools; ++k) {
      driver.next_pool = driver.next_set = k;
      const VkDescriptorSet set = driver.make_set(driver.make_pool(), layout);
      const VkDeviceSize offset = driver.kept().sets.at(set).slice.offset;
      EXPECT_EQ(offset % 64, 0u);
      offsets.insert(offset);
    }
    EXPECT_EQ(offsets.size(), kPools) << "each set has its own";
    for (unsigned k = 1; k <= kPools; ++k)
      entry::DestroyDescriptorPool(driver.device(), handle_of<VkDescriptorPool>(k), nullptr);
  }
  EXPECT_EQ(driver.allocations, 1u);
  entry::DestroyDevice(driver.device(), nullptr);
  EXPECT_EQ(driver.memories, 0);
  EXPECT_EQ(driver.buffers, 0);
}

}  // namespace
}  // namespace heddle::test
