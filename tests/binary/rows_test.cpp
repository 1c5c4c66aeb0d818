// SPDX-License-Identifier: MIT
// Every row of every family: random operands survive encoding and decoding, in both dialects.
// Rules: ENC-15 to ENC-23.
#include <gtest/gtest.h>

#include "binary/decode.hpp"
#include "binary/writer.hpp"
#include "instructions/registry.hpp"
#include "support/random_instructions.hpp"

namespace heddle {
namespace {

using isa::Operand;
using isa::OperandKind;
using test::append;
using test::object_with_everything;

class Rows : public testing::TestWithParam<isa::Dialect> {};

TEST_P(Rows, RandomOperandsSurvive) {
  const bool newer = GetParam() == isa::Dialect::Newer;
  constexpr unsigned kSeed = 7;
  test::InstructionGenerator generate(kSeed);
  for (const isa::InstructionDescription& description : instructions::registry().descriptions()) {
    if (!(newer ? description.in_newer : description.in_12504)) continue;
    SCOPED_TRACE(std::string(description.mnemonic) + " seed " + std::to_string(kSeed));
    isa::Program program;
    isa::Object object = object_with_everything();
    for (int i = 0; i < 40; ++i) append(object, description, newer, generate);
    base::Diagnostics diagnostics;
    const binary::ObjectEncoder encoder(program, object, {.dialect = GetParam()});
    base::ByteWriter out;
    for (const isa::Instruction& instruction : object.instructions)
      encoder.encode(instruction, out, diagnostics, nullptr);
    ASSERT_FALSE(diagnostics.has_errors()) << base::render(diagnostics, {}, false);
    isa::Object read = object_with_everything();
    const std::string file = "rows";
    binary::CodeContext context{file};
    context.dialect = GetParam();
    context.instruction_limit = 1000;
    binary::StringUse strings{encoder.pool(), {}};
    read.strings.clear();
    const binary::CodeResult result = binary::decode_code(out.data(), 0, context, read, strings, diagnostics);
    ASSERT_TRUE(result.complete && !diagnostics.has_errors()) << base::render(diagnostics, {}, false);
    ASSERT_EQ(read.instructions.size(), object.instructions.size());
    for (std::size_t i = 0; i < read.instructions.size(); ++i) {
      const isa::Instruction &a = object.instructions[i], &b = read.instructions[i];
      EXPECT_EQ(a.description, b.description) << b.description->mnemonic;
      EXPECT_EQ(a.exec, b.exec);
      EXPECT_EQ(a.predicate, b.predicate);
      const auto x = object.operands_of(a);
      const auto y = read.operands_of(b);
      ASSERT_EQ(x.size(), y.size());
      for (std::size_t k = 0; k < x.size(); ++k) {
        if (x[k].kind == OperandKind::String)
          EXPECT_EQ(object.strings[x[k].id], read.strings[y[k].id]);
        else
          EXPECT_TRUE(x[k].same(y[k])) << "operand " << k;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dialects, Rows, testing::Values(isa::Dialect::Igc12504, isa::Dialect::Newer),
                         [](const auto& info) { return info.param == isa::Dialect::Newer ? "newer" : "igc12504"; });

/// What cannot be encoded is reported.
TEST(Encoding, ReportsWhatDoesNotFit) {
  isa::Program program;
  isa::Object object = object_with_everything();
  test::InstructionGenerator generate(1);
  append(object, *instructions::registry().find_mnemonic("resinfo"), false, generate);
  object.operands[2] = {.kind = OperandKind::Raw, .id = 40, .offset = 70000};
  append(object, *instructions::registry().find_mnemonic("gather"), false, generate);
  object.instructions[1].exec = isa::Exec::make(4);
  append(object, *instructions::registry().find_mnemonic("sample4"), false, generate);
  object.operands[object.instructions[2].first_operand + 6] = {.kind = OperandKind::Raw, .id = 40};
  append(object, *instructions::registry().find_mnemonic("rt_write_3d"), false, generate);
  object.operands[object.instructions[3].first_operand].value ^= 4;
  constexpr std::string_view kIds[] = {"visa-bin-range", "visa-exec-size", "visa-bin-dialect", "visa-rt-operands"};
  const binary::ObjectEncoder encoder(program, object, {});
  for (std::size_t i = 0; i < 4; ++i) {
    base::Diagnostics diagnostics;
    base::ByteWriter out;
    encoder.encode(object.instructions[i], out, diagnostics, nullptr);
    ASSERT_EQ(diagnostics.errors(), 1u) << i;
    EXPECT_EQ(diagnostics.all()[0].id, kIds[i]);
  }
}

/// --dialect document-codes: 0e and 0f the other way round (ENC-29).
TEST(Encoding, DocumentCodes) {
  isa::Object object = object_with_everything();
  const std::vector<std::uint8_t> bytes = {0x6f, 0x0e, 0, 4, 0, 0, 0, 5, 2,    0, 0, 0, 0, 0,
                                           6,    0x20, 0, 0, 0, 0, 0, 1, 0x22, 0, 0, 0, 0, 0};
  const std::string file = "codes";
  for (const bool document : {false, true}) {
    isa::Object read = object;
    base::Diagnostics diagnostics;
    binary::CodeContext context{file};
    context.document_codes = document;
    context.instruction_limit = 10;
    const std::vector<std::string_view> pool;
    binary::StringUse strings{pool, {}};
    ASSERT_TRUE(binary::decode_code(bytes, 0, context, read, strings, diagnostics).complete);
    EXPECT_TRUE(diagnostics.empty());
    EXPECT_EQ(read.instructions.at(0).description->mnemonic, document ? "sample4_i" : "sample4_b");
  }
}

}  // namespace
}  // namespace heddle
