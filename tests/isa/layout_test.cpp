// SPDX-License-Identifier: MIT
// The two small languages of a row: what they make of a good row, and that a bad one is named.
#include <gtest/gtest.h>

#include "isa/description.hpp"
#include "isa/layout.hpp"

namespace heddle::isa {
namespace {

const InstructionDescription* only(const Registry& registry) {
  return registry.descriptions().empty() ? nullptr : &registry.descriptions()[0];
}

TEST(Layout, SlotsFieldsAndAttributes) {
  static constexpr InstructionEntry kRows[] = {
      {0x01, "demo",
       "ub(7-4:kind{unorm},3-0:M) E P offset:v/ud,f@PVC dst:W*exec.mask extra:R^?kind.1 deep:d~7 # rest:R*exec...",
       "{.mask}{.kind} {E} [{offset}] {dst} {extra} {rest}", "", "sat mod exec=8,16 params=1-4", "SKL-ICLLP|PVC+", "",
       "", "u v"}};
  static constexpr Family kFamilies[] = {{"demo", "", kRows}};
  const Registry registry(kFamilies);
  for (const std::string& error : registry.errors()) ADD_FAILURE() << error;
  const InstructionDescription& description = *only(registry);
  ASSERT_EQ(description.slots.size(), 7u);
  EXPECT_EQ(description.slots[0].codes->name, "unorm");
  EXPECT_EQ(description.slots[1].kind, SlotKind::ChannelMask);
  EXPECT_TRUE(description.slots[2].scalar);
  EXPECT_TRUE(description.slots[2].types_on(Platform::SKL) == TypeSet{Type::UD});
  EXPECT_TRUE((description.slots[2].types_on(Platform::PVC) == TypeSet{Type::UD, Type::F}));
  EXPECT_EQ(description.slots[3].access, Access::Write);
  EXPECT_EQ(description.slots[3].extent.kind, Extent::Kind::ExecMask);
  EXPECT_EQ(description.slots[3].extent.slot, 1);
  EXPECT_TRUE(description.slots[4].null_allowed);
  EXPECT_EQ(description.slots[4].condition.slot, 0);
  EXPECT_EQ(description.slots[4].condition.bit, 1);
  EXPECT_TRUE(description.slots[5].is_signed);
  EXPECT_EQ(description.slots[5].default_value, 7);
  EXPECT_TRUE(description.slots[6].repeated);
  EXPECT_EQ(description.count_slot, 6);
  EXPECT_EQ(description.slot_of(9), &description.slots[6]);
  EXPECT_EQ(description.fixed_slots(), 6u);
  EXPECT_EQ(description.traits.exec_sizes, 8u | 16u);
  EXPECT_EQ(description.traits.min_params, 1);
  EXPECT_EQ(description.parameters.size(), 2u);
  EXPECT_TRUE(description.platforms ==
              (PlatformSet::range(Platform::SKL, Platform::ICLLP) | PlatformSet::from(Platform::PVC)));
  ASSERT_EQ(description.text.size(), 7u);
  EXPECT_TRUE(description.text[1].suffix);
  EXPECT_FALSE(description.text[2].suffix);
  EXPECT_TRUE(description.text[3].optional);
}

TEST(Layout, DefaultTemplate) {
  static constexpr InstructionEntry kRows[] = {{0x01, "demo.part", "E P D s s", "", "f", "sat", "", "", ""}};
  static constexpr Family kFamilies[] = {{"demo", "", kRows}};
  const Registry registry(kFamilies);
  const InstructionDescription& description = *only(registry);
  EXPECT_EQ(description.word, "demo");
  EXPECT_EQ(description.template_text, "{.sat} {E} {dst} {src0} {src1}");
  ASSERT_EQ(description.text.size(), 6u);
  EXPECT_EQ(description.text[0].word, ".part");
  EXPECT_EQ(description.text[1].kind, TextKind::Saturation);
}

TEST(Layout, TraitsOfRowAndFamily) {
  static constexpr InstructionEntry kRows[] = {
      {0x01, "demo", "E D s", "", "f",
       "satf exec=8,16 oprule=visa-info-op flow=goto operation=xor types=free signs=same typerule=visa-rt-type", "", "",
       ""},
      {0x02, "rest", "E", "", "", "barrier=namedwait lifetime=end typewarning=dst:visa-movs", "", "", "", "", "",
       "why"}};
  static constexpr Family kFamilies[] = {
      {"demo", "", kRows, "lanewise typerule=dst:visa-setp typerule=visa-sad", "all"}};
  const Registry registry(kFamilies);
  for (const std::string& error : registry.errors()) ADD_FAILURE() << error;
  const InstructionDescription &demo = registry.descriptions()[0], &rest = registry.descriptions()[1];
  EXPECT_EQ(demo.traits.saturate, Saturate::Float);
  EXPECT_EQ(demo.traits.op_rule, "visa-info-op");
  EXPECT_EQ(demo.traits.flow, FlowKind::Goto);
  EXPECT_EQ(demo.traits.operation, ValueOperation::Xor);
  EXPECT_EQ(demo.traits.type_mix, TypeMix::Free);
  EXPECT_EQ(demo.traits.signs, Signs::Same);
  ASSERT_EQ(demo.traits.type_rules.size(), 3u);  // the row's own first
  EXPECT_EQ(demo.traits.type_rules[0].id, "visa-rt-type");
  EXPECT_EQ(demo.traits.type_rules[1].slot, "dst");
  EXPECT_TRUE(demo.traits.lane_wise && rest.traits.lane_wise);
  EXPECT_FALSE(demo.traits.private_effects || demo.traits.any_memory);
  EXPECT_EQ(demo.refused, "all");
  EXPECT_EQ(rest.refused, "why");
  EXPECT_EQ(rest.traits.flow, FlowKind::Barrier);
  EXPECT_EQ(rest.traits.barrier, BarrierKind::NamedWait);
  EXPECT_EQ(rest.traits.lifetime, Lifetime::End);
  EXPECT_EQ(rest.traits.type_rules[0].severity, base::Severity::Warning);
  for (const char* traits : {"flow=none", "flow", "typerule=", "typerule=dst:", "exec=64", "params=3", "sat=1"}) {
    const InstructionEntry rows[] = {{0x01, "demo", "E", "", "", traits, "", "", ""}};
    const Family families[] = {{"demo", "", rows}};
    EXPECT_FALSE(Registry(families).errors().empty()) << traits;
  }
}

TEST(Layout, BadRowsAreNamed) {
  constexpr const char* kLayouts[] = {"E nonsense", "R",      "x:R*exec.none",  "x:R?none.1", "x:ub{none}",
                                      "x:R/zz",     "ub=xyz", "x:R y:R... z:R", "x:R x:R",    "ub(9"};
  for (const char* layout : kLayouts) {
    const InstructionEntry rows[] = {{0x01, "demo", layout, "", "", "", "", "", ""}};
    const Family families[] = {{"demo", "", rows}};
    EXPECT_FALSE(Registry(families).errors().empty()) << layout;
  }
  for (const InstructionEntry& row : {InstructionEntry{0x01, "demo", "E", "{none}", "", "", "", "", ""},
                                      InstructionEntry{0x01, "demo", "E x:R", "{x:wrong}", "", "", "", "", ""},
                                      InstructionEntry{0x01, "demo", "E", "", "", "wrong", "", "", ""},
                                      InstructionEntry{0x01, "demo", "E", "", "", "", "NOPE+", "", ""}}) {
    const InstructionEntry rows[] = {row};
    const Family families[] = {{"demo", "", rows}};
    EXPECT_FALSE(Registry(families).errors().empty()) << row.text << row.traits << row.platforms;
  }
}

TEST(Layout, OverlappingEncodingsAreNamed) {
  static constexpr InstructionEntry kRows[] = {{0x01, "a", "ub=00 E", "", "", "", "", "", ""},
                                               {0x01, "b", "ub=00 E", "", "", "", "", "", ""}};
  static constexpr Family kFamilies[] = {{"demo", "", kRows}};
  EXPECT_FALSE(Registry(kFamilies).errors().empty());
}

}  // namespace
}  // namespace heddle::isa
