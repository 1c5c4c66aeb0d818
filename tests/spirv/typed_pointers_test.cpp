// SPDX-License-Identifier: MIT
// Which modules are looked at for pointers without a type. Rules: SPV-54.
#include "spirv/typed_pointers.hpp"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kShader = 1, kUntypedPointers = 4473;

Words capability(std::uint32_t number) { return {2u << 16 | 17u, number}; }

Words module_of(const std::vector<Words>& instructions) {
  Words words = {0x07230203, 0x00010400, 0, 10, 0};
  for (const Words& i : instructions) words.insert(words.end(), i.begin(), i.end());
  return words;
}

// Capabilities come first in a module, so that one without this costs no more than the few that it has.
TEST(TypedPointers, ModulesAreReadAsFarAsTheirCapabilities_SPV54) {
  const Words model = {3u << 16 | 14u, 0, 1};
  EXPECT_FALSE(
      spirv::with_typed_pointers(module_of({capability(kShader), capability(kUntypedPointers), model})).words.empty());
  EXPECT_TRUE(spirv::with_typed_pointers(module_of({capability(kShader), model})).words.empty());
  EXPECT_TRUE(
      spirv::with_typed_pointers(module_of({capability(kShader), model, capability(kUntypedPointers)})).words.empty());
}

}  // namespace
