// The rows of all rooms: they parse, no two decode the same bytes, and the tables name what they should.
#include "instructions/registry.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Registry, EveryRowParsesAndNoTwoEncodingsOverlap) {
  for (const std::string& error : instructions::registry().errors()) ADD_FAILURE() << error;
}

TEST(Registry, FindsFormsByWord) {
  const isa::Registry& registry = instructions::registry();
  ASSERT_EQ(registry.find("resinfo").size(), 1u);
  const isa::Form& form = *registry.find("resinfo")[0];
  EXPECT_EQ(form.opcode, 0x70);
  EXPECT_EQ(form.selector, 0x0a);
  EXPECT_EQ(form.slot_index("mask"), 0);
  EXPECT_EQ(form.slot_index("dst"), 3);
  EXPECT_TRUE(registry.find("no_such_word").empty());
}

// visa 5.3: the same text means 11h before XE2 and 28h from XE2 on.
TEST(Registry, PackedOffsetsFromXe2) {
  const isa::Registry& registry = instructions::registry();
  EXPECT_EQ(registry.find_mnemonic("sample4_po")->selector, 0x11);
  EXPECT_EQ(registry.find_mnemonic("sample4_po", isa::Platform::DG2)->selector, 0x11);
  EXPECT_EQ(registry.find_mnemonic("sample4_po", isa::Platform::XE2)->selector, 0x28);
}

}  // namespace
}  // namespace heddle
