#include "base/pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::base {
namespace {

TEST(Pages, BytesAreZeroWhateverTheSize) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{4096}, (std::size_t{2} << 20) - 1, (std::size_t{7} << 20) + 3}) {
    const std::vector<std::uint8_t> memory = zero_bytes(size);
    ASSERT_EQ(memory.size(), size);
    EXPECT_TRUE(std::ranges::all_of(memory, [](std::uint8_t byte) { return byte == 0; })) << size;
  }
}

}  // namespace
}  // namespace heddle::base
