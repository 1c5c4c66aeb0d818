// SPDX-License-Identifier: MIT
#include "base/locks/brief_mutex.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace heddle::base {
namespace {

TEST(BriefMutex, LetsOneThreadIn) {
  BriefMutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int k = 0; k < 10000; ++k) {
        const std::lock_guard guard(mutex);
        ++count;
      }
    });
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(count, 80000);
}

TEST(BriefMutex, IsWaitedForAsleepWhereItIsHeldForLong) {
  std::mutex mutex;
  std::unique_lock held(mutex);
  bool free_at_once = true;
  std::thread waits([&] {
    std::unique_lock lock(mutex, std::defer_lock);
    free_at_once = take_soon(lock);
    EXPECT_TRUE(lock.owns_lock());
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  held.unlock();
  waits.join();
  EXPECT_FALSE(free_at_once);
  std::unique_lock lock(mutex, std::defer_lock);
  EXPECT_TRUE(take_soon(lock));
}

}  // namespace
}  // namespace heddle::base
