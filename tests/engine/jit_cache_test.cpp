// SPDX-License-Identifier: MIT
// Machine code that was kept: damaged files.

#include "engine/jit/cache/loader.hpp"
#include "engine/jit_harness.hpp"
#include "support/process.hpp"

namespace heddle::engine::testing {
namespace {

std::vector<std::uint8_t> some_bytes(std::size_t n, unsigned seed) {
  std::vector<std::uint8_t> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + seed);
  return bytes;
}

TEST(LoadedCode, DamagedMachineCodeIsRefused) {
  std::string error;
  EXPECT_EQ(jit::LoadedCode::load({}, error), nullptr);
  EXPECT_FALSE(error.empty());
  const std::vector<std::uint8_t> noise = some_bytes(5000, 3);
  EXPECT_EQ(jit::LoadedCode::load(noise, error), nullptr);
}

}  // namespace
}  // namespace heddle::engine::testing
