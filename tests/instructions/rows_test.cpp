// SPDX-License-Identifier: MIT
// The rows of all families against the opcode tables: nothing is missing, nothing is there that should be
// reserved.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "instructions/checks.hpp"
#include "instructions/jit.hpp"
#include "instructions/plain.hpp"
#include "instructions/reference.hpp"
#include "instructions/registry.hpp"
#include "instructions/sampler/operation.hpp"
#include "texture/operations.hpp"

namespace heddle {
namespace {

const isa::Registry& registry() { return instructions::registry(); }

/// 3f, which is reserved too, is Heddle's own heddle_footprint.
TEST(Rows, ReservedOpcodesAndNoOthersAreFree) {
  const std::set<unsigned> reserved = {0x00, 0x3b, 0x3d, 0x3e, 0x53, 0x58, 0x5e, 0x61, 0x62, 0x63,
                                       0x64, 0x65, 0x66, 0x76, 0x77, 0x88, 0x8c, 0x8d, 0x8e, 0x8f};
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    const bool used = registry().opcode(static_cast<std::uint8_t>(opcode), isa::Dialect::Igc12504).used();
    EXPECT_EQ(used, opcode <= 0x9c && !reserved.contains(opcode)) << std::hex << opcode;
    EXPECT_EQ(registry().opcode(static_cast<std::uint8_t>(opcode), isa::Dialect::Newer).used(), used)
        << std::hex << opcode;
  }
}

/// Sub-op codes of the image instructions (ENC-24, ENC-28).
TEST(Rows, SubOpsOfTheImageInstructions) {
  const auto codes = [](unsigned opcode) {
    std::set<int> all;
    for (const isa::InstructionDescription& description : registry().descriptions())
      if (description.opcode == opcode) all.insert(description.selector);
    return all;
  };
  EXPECT_EQ(codes(0x70), (std::set<int>{0x0a, 0x0b}));
  EXPECT_EQ(codes(0x6f), (std::set<int>{0x08, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x15, 0x17, 0x28, 0x2d, 0x2e, 0x2f,
                                        0x30, 0x35, 0x37}));
  EXPECT_EQ(codes(0x6e), (std::set<int>{0x07, 0x1a, 0x1b, 0x1c, 0x1d}));
  EXPECT_EQ(codes(0x6d),
            (std::set<int>{0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x09, 0x0c, 0x11, 0x12, 0x13, 0x14, 0x18,
                           0x19, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x34, 0x38, 0x39, 0x3a, 0x3b}));
  EXPECT_EQ(codes(0x4e), (std::set<int>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(codes(0x4d), (std::set<int>{8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24}));
}

/// A row whose instruction is a message to the texture unit takes from its table what depends on the operation: code,
/// parameters in order, their number, platforms (SAM-1, LD-1, GA-2, INF-1). The numbers here are worked out by hand.
TEST(Rows, SamplerMessagesAreMadeFromTheTableOfOperations) {  // E6, E17: types and order of the parameters
  struct Expected {
    std::string_view mnemonic, parameters;
    int selector;
    unsigned least, most;
    std::string_view platforms;
  };
  constexpr Expected kExpected[] = {
      {"sample_3d", "u v r ai", 0x00, 1, 4, "all"},
      {"sample_d_c", "ref u dudx dudy v dvdx dvdy r drdx drdy ai", 0x14, 4, 11, "all"},
      {"sample_lz", "u v r ai", 0x18, 1, 4, "SKL and later"},
      {"sample_po_c", "ref u v offuv_r r ai", 0x23, 2, 6, "XE2 and later"},
      {"sample_po_b_c", "ref bias_offuvr u v r ai", 0x3a, 3, 6, "XE2 and later"},
      {"sample_po_l_c", "ref lod_offuv u v r ai", 0x26, 3, 6, "XE2 and later"},
      {"load_3d", "u v lod r", 0x07, 1, 4, "all"},
      {"load_2dms_w", "si mcsl mcsh u v r lod", 0x1c, 4, 9, "SKL and later"},
      {"sample4", "u v r ai", 0x08, 1, 4, "all"},
      {"sample4_b", "bias u v r ai", 0x0e, 2, 5, "XE2 and later"},
      {"sample4_po", "u v offu offv r", 0x11, 4, 5, "before XeHP_SDV"},
      {"sample4_po_i_c", "ref u v offuv_r", 0x35, 3, 5, "XE2 and later"},
      {"resinfo", "", 0x0a, 0, 255, "all"},
      {"sampleinfo", "", 0x0b, 0, 255, "all"},
  };
  for (const Expected& e : kExpected) {
    SCOPED_TRACE(std::string(e.mnemonic));
    const isa::InstructionDescription* description = registry().find_mnemonic(e.mnemonic, isa::Platform::SKL);
    ASSERT_NE(description, nullptr);
    std::string parameters;
    for (const std::string_view p : description->parameters)
      parameters += (parameters.empty() ? "" : " ") + std::string(p);
    EXPECT_EQ(parameters, e.parameters);
    EXPECT_EQ(description->selector, e.selector);
    EXPECT_EQ(description->traits.min_params, e.least);
    EXPECT_EQ(description->traits.max_params, e.most);
    EXPECT_EQ(description->platforms.describe(), e.platforms);
    ASSERT_NE(instructions::operation_of(*description), nullptr);
  }
  EXPECT_EQ(registry().find_mnemonic("sample4_b")->traits.document_code, 0x0f);  // E1
  EXPECT_EQ(registry().find_mnemonic("sample4_i")->traits.document_code, 0x0e);
}

/// Every operation of the texture unit has an instruction, and every code of its opcodes an operation.
TEST(Rows, EveryOperationHasAnInstruction) {
  std::set<texture::Op> operations;
  unsigned messages = 0;
  for (const isa::InstructionDescription& description : registry().descriptions()) {
    const texture::Operation* op = instructions::operation_of(description);
    EXPECT_EQ(op != nullptr, description.opcode >= 0x6d && description.opcode <= 0x70) << description.mnemonic;
    if (op == nullptr) continue;
    ++messages;
    operations.insert(op->op);
    EXPECT_EQ(texture::find_operation(op->family, static_cast<std::uint8_t>(description.selector)), op)
        << description.mnemonic;
  }
  EXPECT_EQ(operations.size(), texture::kOpCount);
  EXPECT_EQ(messages, texture::kOpCount + 2);  // two operations have a second code
}

/// SAM-1: the array index of sample_po_b_c and sample_po_l_c is their sixth parameter.
TEST(Rows, PackedComparingSamplesTakeAnArrayIndex) {
  for (const std::string_view name : {"sample_po_b_c", "sample_po_l_c"}) {
    const texture::Operation& op = *texture::find_operation(name);
    const texture::ParameterList list = texture::operand_parameters(op, 6);
    ASSERT_EQ(list.count, 6u) << name;
    EXPECT_EQ(list.names[5], texture::Param::Ai) << name;
    EXPECT_EQ(texture::operand_parameters(op, 5).count, 5u) << name;  // it may be left out
    EXPECT_EQ(texture::operand_parameters(op, 7).count, 6u) << name;  // there is no seventh
  }
}

/// A parser that finds a mnemonic finds one form of each dialect and kind of operand; forms with the same text differ
/// in something it sees.
TEST(Rows, EveryMnemonicIsFound) {
  for (const isa::InstructionDescription& description : registry().descriptions()) {
    if (description.traits.decode_only) continue;
    const isa::InstructionDescription* found = registry().find_mnemonic(
        description.mnemonic, description.traits.from_xe2 ? isa::Platform::XE2 : isa::Platform::SKL);
    ASSERT_NE(found, nullptr) << description.mnemonic;
    EXPECT_EQ(found->mnemonic, description.mnemonic);
    EXPECT_FALSE(description.summary.empty()) << description.mnemonic;
  }
}

/// Every slot can come from text or has a default: the template names it, or it is hidden and harmless.
TEST(Rows, SlotsOutsideTheTextHaveDefaults) {
  for (const isa::InstructionDescription& description : registry().descriptions()) {
    std::set<int> named;
    for (const isa::TextElement& element : description.text) {
      named.insert(element.slot);
      named.insert(element.parts.begin(), element.parts.end());
    }
    for (std::size_t i = 0; i < description.slots.size(); ++i) {
      const isa::Slot& slot = description.slots[i];
      if (named.contains(static_cast<int>(i)) || slot.newer_only) continue;
      EXPECT_TRUE(slot.kind == isa::SlotKind::Integer || slot.kind == isa::SlotKind::Vector || slot.null_allowed)
          << description.mnemonic << ": " << slot.name;
    }
  }
}

TEST(Rows, PlatformsOfSomeRows) {
  const auto on = [](std::string_view mnemonic) { return registry().find_mnemonic(mnemonic)->platforms.describe(); };
  EXPECT_EQ(on("add"), "all");
  EXPECT_EQ(on("lrp"), "before ICLLP");
  EXPECT_EQ(on("rol"), "ICLLP and later");
  EXPECT_EQ(on("vme_idm"), "SKL to ICLLP");
  EXPECT_FALSE(registry().find_mnemonic("switchjmp")->platforms.has(isa::Platform::TGLLP));
}

TEST(Rows, EveryHookNamesARow) {
  EXPECT_TRUE(instructions::own_checks().unknown().empty());
  EXPECT_TRUE(instructions::reference_functions().unknown().empty());
  EXPECT_TRUE(instructions::emitters().unknown().empty());
  EXPECT_TRUE(instructions::plain_choices().unknown().empty());
}

}  // namespace
}  // namespace heddle
