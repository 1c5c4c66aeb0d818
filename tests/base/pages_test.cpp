// SPDX-License-Identifier: MIT
#include "base/pages.hpp"
#include "base/pages/page_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

namespace heddle::base {
namespace {

TEST(Pages, BytesAreZeroFromACacheLineOn) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{4096}, (std::size_t{2} << 20) - 1, (std::size_t{7} << 20) + 3}) {
    const auto memory = zero_bytes(size);
    ASSERT_EQ(memory != nullptr, size != 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.get()) % 64, 0u);
    EXPECT_TRUE(std::ranges::all_of(std::span(memory.get(), size), [](std::uint8_t byte) { return byte == 0; }))
        << size;
  }
}

// Bytes at an address make room for others there once they are given up, although somebody keeps them.
TEST(Pages, GivenUpBytesMakeRoomAtTheirAddress) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  auto first = zero_bytes_at(nullptr, kBytes, {});
  ASSERT_NE(first, nullptr);
  std::uint8_t* const at = first.get();
  at[0] = 7;
  EXPECT_EQ(zero_bytes_at(at, kBytes, {}), nullptr);
  give_up_bytes_at(at);
  EXPECT_EQ(zero_bytes_at(at, 2 * kBytes, {}), nullptr) << "of another size";
  auto second = zero_bytes_at(at, kBytes, {});
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second.get(), at);
  EXPECT_EQ(at[0], 0);
  EXPECT_EQ(zero_bytes_at(at, kBytes, {}), nullptr) << "these are not given up";
  first.reset();
  at[kBytes - 1] = 9;  // they are still there
  EXPECT_EQ(at[kBytes - 1], 9);
  second.reset();
  const auto third = zero_bytes_at(at, kBytes, {});
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(third.get(), at);
  EXPECT_EQ(at[kBytes - 1], 0);
}

using MakeShared = std::shared_ptr<std::uint8_t> (*)(std::size_t);
class SharedPages : public testing::TestWithParam<MakeShared> {};

// Pages stand at two addresses, whoever maps them there; without them the range is zeros again.
TEST_P(SharedPages, StandAtSeveralAddresses) {
  constexpr std::size_t kPage = 65536;
  const auto shared = GetParam()(4 * kPage);
  const auto range = reserve_addresses(4 * kPage);
  ASSERT_NE(shared, nullptr);
  ASSERT_NE(range, nullptr);
  shared.get()[2 * kPage] = 7;
  ASSERT_TRUE(show_pages(range.get(), shared.get() + kPage, 2 * kPage));
  ASSERT_TRUE(show_pages(range.get() + 3 * kPage, shared.get() + 2 * kPage, kPage));
  EXPECT_EQ(range.get()[kPage], 7);
  EXPECT_EQ(range.get()[3 * kPage], 7);
  range.get()[kPage] = 9;
  EXPECT_EQ(shared.get()[2 * kPage], 9);
  EXPECT_EQ(range.get()[3 * kPage], 9);
  EXPECT_EQ(range.get()[2 * kPage], 0);
  shared.get()[0] = shared.get()[kPage] = 3;
  clear_shareable_pages(shared.get() + kPage, kPage);
  EXPECT_EQ(range.get()[0], 0) << "they went back to the system";
  EXPECT_EQ(shared.get()[kPage], 0);
  EXPECT_EQ(shared.get()[0], 3);
  ASSERT_TRUE(hide_pages(range.get(), 4 * kPage));
  EXPECT_EQ(range.get()[kPage], 0);
  EXPECT_EQ(shared.get()[2 * kPage], 9);
}

INSTANTIATE_TEST_SUITE_P(By, SharedPages, testing::Values(&shareable_zero_bytes, &zero_bytes_of_a_file));

TEST(Pages, PlacedOnesStandElsewhereToo) {
  constexpr std::size_t kPage = 65536;
  auto first = zero_bytes_at(nullptr, kPage, {.shareable = true});
  const auto range = reserve_addresses(2 * kPage);
  ASSERT_NE(first, nullptr);
  std::uint8_t* const at = first.get();
  ASSERT_TRUE(show_pages(range.get(), at, kPage));
  at[1] = 3;
  EXPECT_EQ(range.get()[1], 3);
  give_up_bytes_at(at);
  const auto second = zero_bytes_at(at, kPage, {.shareable = true});
  ASSERT_EQ(second.get(), at);
  ASSERT_TRUE(show_pages(range.get() + kPage, at, kPage));
  at[1] = 4;
  EXPECT_EQ(range.get()[1], 3) << "the bytes that were given up";
  EXPECT_EQ(range.get()[kPage + 1], 4);
}

}  // namespace
}  // namespace heddle::base
