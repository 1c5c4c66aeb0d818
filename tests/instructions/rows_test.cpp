// The rows of all families against the opcode tables: nothing is missing, nothing is there that should be
// reserved.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "instructions/registry.hpp"
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

TEST(Rows, ParameterListsFitTheirBounds) {
  for (const isa::InstructionDescription& description : registry().descriptions()) {
    if (description.parameters.empty()) continue;
    // load_2dms_w has a longer list in its 16-bit form (four mcs parameters).
    const std::size_t longest = description.parameters.size() + (description.mnemonic == "load_2dms_w"      ? 2u
                                                                 : description.mnemonic == "sample4_po_i_c" ? 1u
                                                                                                            : 0u);
    EXPECT_EQ(description.traits.max_params, longest) << description.mnemonic;
    EXPECT_LE(description.traits.min_params, description.traits.max_params) << description.mnemonic;
  }
}

/// The rows of sampler messages and the texture unit's table of operations name the same parameters in the same order
/// (SAM-1, LD-1, GA-2).
TEST(Rows, SamplerMessagesAgreeWithTheTextureUnit) {
  unsigned messages = 0;
  for (const isa::InstructionDescription& description : registry().descriptions()) {
    if (description.opcode < 0x6d || description.opcode > 0x6f) continue;
    const auto family = description.opcode == 0x6d   ? texture::OpFamily::Sample
                        : description.opcode == 0x6e ? texture::OpFamily::Load
                                                     : texture::OpFamily::Gather4;
    const texture::Operation* op = texture::find_operation(family, static_cast<std::uint8_t>(description.selector));
    ASSERT_NE(op, nullptr) << description.mnemonic;
    const auto count = static_cast<unsigned>(description.parameters.size());
    const texture::ParameterList list = texture::operand_parameters(*op, count);
    ASSERT_EQ(list.count, count) << description.mnemonic;
    for (unsigned i = 0; i < count; ++i)
      EXPECT_EQ(description.parameters[i], texture::param_name(list.names[i])) << description.mnemonic << " " << i;
    EXPECT_EQ(description.traits.max_params, std::max(texture::most_operands(*op), texture::most_operands(*op, true)))
        << description.mnemonic;
    ++messages;
  }
  EXPECT_EQ(messages, 48u);
}

/// SAM-1: the array index of sample_po_b_c and sample_po_l_c is their sixth parameter.
TEST(Rows, PackedComparingSamplesTakeAnArrayIndex) {
  for (const std::string_view name : {"sample_po_b_c", "sample_po_l_c"}) {
    const texture::Operation& op = *texture::find_operation(name);
    const texture::ParameterList list = texture::operand_parameters(op, 6);
    ASSERT_EQ(list.count, 6u) << name;
    EXPECT_EQ(list.names[5], texture::Param::Ai) << name;
    EXPECT_EQ(texture::operand_parameters(op, 5).count, 5u) << name;  // it may be left out
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

}  // namespace
}  // namespace heddle
