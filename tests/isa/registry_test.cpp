// The rows of all rooms: they parse, no two decode the same bytes, and the tables name what they should.
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
          for (const isa::Form* form : registry.find(word)) seen[t].push_back(form);
        seen[t].push_back(registry.forms().data());
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
  const std::span<const isa::Form> forms = all.forms();
  const isa::Registry fresh(all.rooms());
  const auto look = [&](std::size_t first, std::size_t step) {
    for (std::size_t n = 0; n < forms.size(); ++n) {
      const isa::Form& wanted = forms[(first + n * step) % forms.size()];
      if (step == 7) (void)fresh.opcode(wanted.opcode, isa::Dialect::Newer);
      const isa::Form* found = nullptr;
      for (const isa::Form* form : fresh.find(wanted.word))
        if (form->index == wanted.index) found = form;
      ASSERT_NE(found, nullptr) << wanted.mnemonic;
      EXPECT_EQ(found->slots.size(), wanted.slots.size()) << wanted.mnemonic;
      EXPECT_EQ(found->fields.size(), wanted.fields.size()) << wanted.mnemonic;
      EXPECT_EQ(found->text.size(), wanted.text.size()) << wanted.mnemonic;
      EXPECT_EQ(found->selector, wanted.selector) << wanted.mnemonic;
      for (const isa::Dialect dialect : {isa::Dialect::Igc12504, isa::Dialect::Newer})
        EXPECT_EQ(fresh.opcode(wanted.opcode, dialect).mask, all.opcode(wanted.opcode, dialect).mask);
      EXPECT_EQ(found->fc_form != nullptr, wanted.fc_form != nullptr) << wanted.mnemonic;
    }
  };
  std::vector<std::thread> threads;
  for (const std::size_t step : {1u, 7u, 11u, 13u}) threads.emplace_back([&, step] { look(step * 37, step); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(fresh.errors(), all.errors());
}

TEST(Registry, NumbersOfRoomsAndMnemonics) {
  const isa::Registry& registry = instructions::registry();
  for (const isa::Form& form : registry.forms()) {
    const auto exact = registry.numbers_of(form.mnemonic, true), room = registry.numbers_of(form.room, false);
    EXPECT_NE(std::ranges::find(exact, form.index), exact.end()) << form.mnemonic;
    EXPECT_NE(std::ranges::find(room, form.index), room.end()) << form.mnemonic;
    for (const std::uint16_t n : exact) EXPECT_EQ(registry.forms()[n].mnemonic, form.mnemonic);
    for (const std::uint16_t n : room) EXPECT_EQ(registry.forms()[n].room, form.room);
  }
  EXPECT_TRUE(registry.numbers_of("no_such_word", true).empty());
  EXPECT_TRUE(registry.numbers_of("add", false).empty());
}

}  // namespace
}  // namespace heddle
