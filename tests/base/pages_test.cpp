// SPDX-License-Identifier: MIT
#include "base/pages.hpp"

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

}  // namespace
}  // namespace heddle::base
