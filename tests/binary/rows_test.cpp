// Every row of every family: random operands survive encoding and decoding, in both dialects.
// Rules: ENC-15 to ENC-23.
#include <random>

#include <gtest/gtest.h>

#include "binary/decode.hpp"
#include "binary/writer.hpp"
#include "instructions/registry.hpp"

namespace heddle {
namespace {

using isa::Operand;
using isa::OperandKind;

isa::Object object_with_everything() {
  isa::Object object;
  object.name = "k";
  constexpr isa::Type kTypes[] = {isa::Type::F,  isa::Type::UD, isa::Type::UW,
                                  isa::Type::HF, isa::Type::UQ, isa::Type::UB};
  for (unsigned i = 0; i < 300; ++i)
    object.variables.push_back({.name = "V" + std::to_string(i), .type = kTypes[i % 6], .elements = 4096});
  for (unsigned i = 0; i < 40; ++i) {
    const auto name = [&](const char* prefix) {
      return isa::PlainVariable{.name = prefix + std::to_string(i), .elements = 16};
    };
    object.addresses.push_back(name("A"));
    object.predicates.push_back(name("P"));
    object.samplers.push_back(name("S"));
    object.surfaces.push_back(name("T"));
    object.labels.push_back(
        {.name = "L" + std::to_string(i), .kind = i % 4 == 3 ? isa::LabelKind::FcCall : isa::LabelKind::Block});
    object.strings.push_back("text" + std::to_string(i));
  }
  return object;
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  std::uint64_t integer(const isa::Slot& slot) {
    if (slot.is_signed)
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(random_())));
    std::uint64_t value = random_();
    if (slot.bits < 32)
      value &= (std::uint64_t{1} << slot.bits) - 1;
    else
      value &= 0xffffffffu;
    if (slot.valid_bits != ~std::uint64_t{0}) return value & slot.valid_bits;
    if (slot.codes == nullptr) return value;
    return slot.codes->codes[below(static_cast<unsigned>(slot.codes->codes.size()))].code;
  }

  Operand operand(const isa::Slot& slot, const isa::InstructionDescription& description) {
    Operand o;
    switch (slot.kind) {
      case isa::SlotKind::Integer:
      case isa::SlotKind::ChannelMask:
        o.kind = OperandKind::Integer;
        o.value = integer(slot);
        return o;
      case isa::SlotKind::Raw:
        o.kind = OperandKind::Raw;
        o.id = below(4) == 0 && !slot.newer_only ? 0 : 32 + below(300);
        o.offset = o.id == 0 ? 0 : static_cast<std::int32_t>(below(65536));
        return o;
      case isa::SlotKind::Surface:
        o.kind = OperandKind::Surface;
        o.id = below(46);
        return o;
      case isa::SlotKind::Sampler:
        o.kind = OperandKind::Sampler;
        o.id = below(40);
        return o;
      case isa::SlotKind::Label:
        o.kind = OperandKind::Label;
        o.id = 4 * below(10) + (slot.label_kind == isa::LabelKind::FcCall ? 3 : below(3));
        return o;
      case isa::SlotKind::String:
        o.kind = OperandKind::String;
        o.id = below(40);
        return o;
      case isa::SlotKind::Variable:
        for (const OperandKind kind : {OperandKind::General, OperandKind::Address, OperandKind::Predicate})
          if (slot.kinds.has(kind)) o.kind = kind;
        o.id = o.kind == OperandKind::General ? 32 + below(300) : 1 + below(39);
        return o;
      case isa::SlotKind::Vector:
        return vector(slot, description);
    }
    return o;
  }

 private:
  isa::Region region() { return {static_cast<std::uint16_t>(below(8) | below(8) << 4 | below(8) << 8)}; }
  Operand vector(const isa::Slot& slot, const isa::InstructionDescription&) {
    constexpr OperandKind kKinds[] = {OperandKind::General,  OperandKind::Address, OperandKind::Predicate,
                                      OperandKind::Indirect, OperandKind::State,   OperandKind::Immediate,
                                      OperandKind::AddressOf};
    Operand o;
    do o.kind = kKinds[below(7)];
    while (!slot.kinds.has(o.kind) || (o.kind == OperandKind::AddressOf && !slot.decodes_address_of));
    if (o.kind != OperandKind::AddressOf) o.modifier = static_cast<isa::Modifier>(below(6));
    switch (o.kind) {
      case OperandKind::General:
        o.id = 32 + below(300);
        o.row = static_cast<std::uint8_t>(random_());
        o.col = static_cast<std::uint8_t>(random_());
        o.region = region();
        if (slot.decodes_address_of) o.region = isa::Region::source(8, 8, 1);
        break;
      case OperandKind::Address:
        o.id = below(40);
        o.row = static_cast<std::uint8_t>(below(16));
        o.col = static_cast<std::uint8_t>(below(6));
        break;
      case OperandKind::Predicate:
        o.id = 1 + below(40);
        break;
      case OperandKind::Indirect:
        o.id = below(40);
        o.row = static_cast<std::uint8_t>(below(16));
        o.offset = static_cast<std::int16_t>(random_());
        o.type = static_cast<isa::Type>(below(16));
        o.region = region();
        break;
      case OperandKind::State:
        o.state = static_cast<isa::StateClass>(below(2));
        o.id = below(40);
        o.offset = static_cast<std::int32_t>(below(256));
        break;
      case OperandKind::Immediate: {
        o.type = static_cast<isa::Type>(below(16));
        const bool wide = o.type == isa::Type::DF || o.type == isa::Type::Q || o.type == isa::Type::UQ;
        o.value = wide ? std::uint64_t{random_()} << 32 | random_() : random_();
        break;
      }
      case OperandKind::AddressOf:
        o.id = 32 + below(300);
        o.offset = static_cast<std::int32_t>(8 * below(255 * 4));
        break;
      default:
        break;
    }
    return o;
  }
  std::mt19937 random_;
};

/// A random instruction of a form, appended to the object.
void append(isa::Object& object, const isa::InstructionDescription& description, bool newer, Generator& generate) {
  isa::Instruction instruction;
  instruction.description = &description;
  instruction.first_operand = static_cast<std::uint32_t>(object.operands.size());
  const bool gather = std::any_of(description.fields.begin(), description.fields.end(),
                                  [](const isa::Field& f) { return f.kind == isa::FieldKind::ExecGather; });
  instruction.exec.bits = description.traits.fixed_exec;
  if (description.has_exec) {
    constexpr std::uint8_t kGather[] = {3, 4, 0};
    instruction.exec.bits =
        static_cast<std::uint8_t>((gather ? kGather[generate.below(3)] : generate.below(6)) | generate.below(16) << 4);
  }
  if (description.has_predicate && (newer || !description.predicate_newer_only) && generate.below(2) != 0)
    instruction.predicate.bits =
        static_cast<std::uint16_t>((1 + generate.below(40)) | generate.below(3) << 13 | generate.below(2) << 15);
  for (const isa::Slot& slot : description.slots) {
    if (slot.repeated) {
      for (unsigned n = generate.below(9); n > 0; --n) object.operands.push_back(generate.operand(slot, description));
      continue;
    }
    Operand o;
    const Operand* first = object.operands.data() + instruction.first_operand;
    const bool there = slot.condition.slot < 0 || (first[slot.condition.slot].value >> slot.condition.bit & 1u) != 0;
    if (there && (newer || !slot.newer_only)) o = generate.operand(slot, description);
    object.operands.push_back(o);
  }
  instruction.operand_count = static_cast<std::uint16_t>(object.operands.size() - instruction.first_operand);
  object.instructions.push_back(instruction);
}

class Rows : public testing::TestWithParam<isa::Dialect> {};

TEST_P(Rows, RandomOperandsSurvive) {
  const bool newer = GetParam() == isa::Dialect::Newer;
  constexpr unsigned kSeed = 7;
  Generator generate(kSeed);
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
  Generator generate(1);
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
