// SPDX-License-Identifier: MIT
// The rows of all families: they parse, no two decode the same bytes, and the tables name what they should.
#include "instructions/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace heddle {
namespace {

TEST(Registry, EveryRowParsesAndNoTwoEncodingsOverlap) {
  for (const std::string& error : instructions::registry().errors()) ADD_FAILURE() << error;
}

TEST(Registry, FindsFormsByWord) {
  const isa::Registry& registry = instructions::registry();
  ASSERT_EQ(registry.find("resinfo").size(), 1u);
  const isa::InstructionDescription& description = *registry.find("resinfo")[0];
  EXPECT_EQ(description.opcode, 0x70);
  EXPECT_EQ(description.selector, 0x0a);
  EXPECT_EQ(description.slot_index("mask"), 0);
  EXPECT_EQ(description.slot_index("dst"), 3);
  EXPECT_TRUE(registry.find("no_such_word").empty());
}

// ENC-30: the same text means 11h before XE2 and 28h from XE2 on.
TEST(Registry, PackedOffsetsFromXe2) {
  const isa::Registry& registry = instructions::registry();
  EXPECT_EQ(registry.find_mnemonic("sample4_po")->selector, 0x11);
  EXPECT_EQ(registry.find_mnemonic("sample4_po", isa::Platform::DG2)->selector, 0x11);
  EXPECT_EQ(registry.find_mnemonic("sample4_po", isa::Platform::XE2)->selector, 0x28);
}

// A process of its own, in which nobody has asked for the registry yet: several threads come at once, and find one.
// Without a thread sanitizer it sees a race only where one does harm.
TEST(RegistryDeathTest, IsMadeOnceWhoeverComesFirst) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // runs the program again, with this test alone
  const auto come_together = [] {
    constexpr unsigned kThreads = 8;
    constexpr std::string_view kWords[] = {"add", "sample_lz", "resinfo", "lsc_load", "media_ld", "barrier"};
    std::vector<const void*> seen[kThreads];
    std::atomic<unsigned> ready{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        for (++ready; ready < kThreads;) std::this_thread::yield();
        const isa::Registry& registry = instructions::registry();
        seen[t].push_back(&registry);
        for (std::size_t n = 0; n < std::size(kWords); ++n) (void)registry.find(kWords[(n + t) % std::size(kWords)]);
        for (const std::string_view word : kWords)
          for (const isa::InstructionDescription* description : registry.find(word)) seen[t].push_back(description);
        seen[t].push_back(registry.descriptions().data());
        if (!registry.errors().empty()) seen[t].clear();
      });
    for (std::thread& t : threads) t.join();
    for (const auto& list : seen)
      if (list != seen[0] || list.size() < std::size(kWords) + 2) std::_Exit(1);
    std::_Exit(0);
  };
  EXPECT_EXIT(come_together(), ::testing::ExitedWithCode(0), "");
}

// Rows are parsed when they are asked for, by whichever thread comes first; nobody sees the difference.
TEST(Registry, FormsAreTheSameInWhateverOrderTheyAreAskedFor) {
  const isa::Registry& all = instructions::registry();
  const std::span<const isa::InstructionDescription> descriptions = all.descriptions();
  const isa::Registry fresh(all.families());
  const auto look = [&](std::size_t first, std::size_t step) {
    for (std::size_t n = 0; n < descriptions.size(); ++n) {
      const isa::InstructionDescription& wanted = descriptions[(first + n * step) % descriptions.size()];
      if (step == 7) (void)fresh.opcode(wanted.opcode, isa::Dialect::Newer);
      const isa::InstructionDescription* found = nullptr;
      for (const isa::InstructionDescription* description : fresh.find(wanted.word))
        if (description->index == wanted.index) found = description;
      ASSERT_NE(found, nullptr) << wanted.mnemonic;
      EXPECT_EQ(found->slots.size(), wanted.slots.size()) << wanted.mnemonic;
      EXPECT_EQ(found->fields.size(), wanted.fields.size()) << wanted.mnemonic;
      EXPECT_EQ(found->text.size(), wanted.text.size()) << wanted.mnemonic;
      EXPECT_EQ(found->selector, wanted.selector) << wanted.mnemonic;
      for (const isa::Dialect dialect : {isa::Dialect::Igc12504, isa::Dialect::Newer})
        EXPECT_EQ(fresh.opcode(wanted.opcode, dialect).mask, all.opcode(wanted.opcode, dialect).mask);
      EXPECT_EQ(found->fc_call_description != nullptr, wanted.fc_call_description != nullptr) << wanted.mnemonic;
    }
  };
  std::vector<std::thread> threads;
  for (const std::size_t step : {1u, 7u, 11u, 13u}) threads.emplace_back([&, step] { look(step * 37, step); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(fresh.errors(), all.errors());
}

TEST(Registry, NumbersOfFamiliesAndMnemonics) {
  const isa::Registry& registry = instructions::registry();
  for (const isa::InstructionDescription& description : registry.descriptions()) {
    const auto exact = registry.numbers_of(description.family, description.mnemonic),
               family = registry.numbers_of(description.family);
    EXPECT_NE(std::ranges::find(exact, description.index), exact.end()) << description.mnemonic;
    EXPECT_NE(std::ranges::find(family, description.index), family.end()) << description.mnemonic;
    for (const std::uint16_t n : exact) EXPECT_EQ(registry.descriptions()[n].mnemonic, description.mnemonic);
    for (const std::uint16_t n : family) EXPECT_EQ(registry.descriptions()[n].family, description.family);
  }
  EXPECT_TRUE(registry.numbers_of("no_such_family").empty());
  EXPECT_TRUE(registry.numbers_of("arithmetic", "no_such_word").empty());
  EXPECT_TRUE(registry.numbers_of("add").empty());
}

/// A mnemonic of one family may be the name of another: its hooks do not reach it.
TEST(HookTable, MnemonicBeforeFamilyAndOnlyItsOwn) {
  const isa::Registry& registry = instructions::registry();
  constexpr isa::Hook<int> kMove[] = {{"sel", 2}, {"move", 1}, {"add", 7}}, kSample[] = {{"sample", 3}};
  const isa::FamilyHooks<int> families[] = {{"move", kMove}, {"sample", kSample}};
  const isa::HookTable<int> table(registry, families);
  EXPECT_EQ(table[*registry.find_mnemonic("sel")], 2);
  EXPECT_EQ(table[*registry.find_mnemonic("mov")], 1);
  EXPECT_EQ(table[*registry.find_mnemonic("add")], 0);
  EXPECT_EQ(table[*registry.find_mnemonic("sample_3d")], 3);
  EXPECT_EQ(table[*registry.find_mnemonic("sample")], 0);  // of the family media
  EXPECT_EQ(table.unknown(), std::vector<std::string_view>{"add"});
}

}  // namespace
}  // namespace heddle
