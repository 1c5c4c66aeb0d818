// SPDX-License-Identifier: MIT
// Text keeps every bit: what the binary reader accepts is the same bytes again after printing, parsing and writing.
// Rules: TXT-34, ENC-15 to ENC-23.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <random>

#include "base/byte_cursor.hpp"
#include "binary/decode.hpp"
#include "binary/writer.hpp"
#include "instructions/registry.hpp"
#include "support.hpp"
#include "support/random_instructions.hpp"

namespace heddle::text {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string hex(const Bytes& bytes) {
  std::string text;
  for (const std::uint8_t b : bytes) text += fmt::format("{:02x} ", b);
  return text;
}

/// The declarations and labels of the object as text: what stands before the instructions.
struct Frame {
  explicit Frame(const isa::Object& object) {
    isa::Program program;
    program.objects.push_back(object);
    text = print(program);
    for (const isa::Label& label : object.labels)
      if (label.kind != isa::LabelKind::FcCall) text += label.name + ":\n", ++labels;
    lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  std::string text;
  std::size_t lines = 0, labels = 0;
};

class EveryBit : public testing::TestWithParam<isa::Dialect> {
 protected:
  /// Reads the instruction in these bytes into an object that has its declarations; false when the reader refuses it.
  [[nodiscard]] bool decode(const Bytes& bytes, const std::vector<std::string_view>& pool, isa::Object& object) const {
    object.instructions.clear();
    object.operands.clear();
    object.strings.clear();
    const std::string file = "bits";
    binary::CodeContext context{file};
    context.dialect = GetParam();
    context.instruction_limit = 2;
    binary::StringUse strings{pool, {}};
    base::Diagnostics diagnostics;
    const binary::CodeResult result = binary::decode_code(bytes, 0, context, object, strings, diagnostics);
    if (!result.complete || diagnostics.has_errors() || object.instructions.size() != 1) return false;
    // A jump needs a label that is defined, which labels of functions are not.
    const isa::Instruction& instruction = object.instructions[0];
    for (std::size_t n = 0; n < object.operands.size(); ++n) {
      const isa::Operand& o = object.operands[n];
      if (o.kind == isa::OperandKind::Label && object.labels[o.id].kind == isa::LabelKind::FcCall &&
          instruction.description->slot_of(n)->label_kind != isa::LabelKind::FcCall)
        return false;
    }
    return true;
  }

  const isa::Object everything_ = test::object_with_everything();

  /// The same instruction, its labels and strings compared by name. `read`: the object of the second.
  bool same_by_name(const Bytes& a, const std::vector<std::string_view>& a_pool, const Bytes& b,
                    const std::vector<std::string_view>& b_pool, const isa::Object& read) const {
    isa::Object x = everything_, y = everything_;
    y.labels = read.labels;
    if (!decode(a, a_pool, x) || !decode(b, b_pool, y)) return false;
    const isa::Instruction &i = x.instructions[0], &j = y.instructions[0];
    if (i.description != j.description || i.exec != j.exec || i.predicate != j.predicate) return false;
    return std::ranges::equal(x.operands, y.operands, [&](const isa::Operand& o, const isa::Operand& p) {
      if (o.kind != p.kind) return false;
      if (o.kind == isa::OperandKind::Label) return x.labels[o.id].name == y.labels[p.id].name;
      if (o.kind == isa::OperandKind::String) return x.strings[o.id] == y.strings[p.id];
      return o.same(p);
    });
  }
};

/// Random instructions of each row, and each of them with single bits changed.
TEST_P(EveryBit, SurvivesText) {
  const bool newer = GetParam() == isa::Dialect::Newer;
  constexpr unsigned kSeed = 11;
  test::InstructionGenerator generate(kSeed);
  std::mt19937 random(kSeed);
  const Frame frame(everything_);
  std::map<std::string, int> failures;
  const auto fail = [&](std::string_view mnemonic, const std::string& why) {
    if (++failures[std::string(mnemonic)] <= 2) ADD_FAILURE() << mnemonic << " (seed " << kSeed << "): " << why;
  };
  std::size_t compared = 0;
  for (const isa::InstructionDescription& description : instructions::registry().descriptions()) {
    if (!(newer ? description.in_newer : description.in_12504)) continue;
    if (description.mnemonic == "label" || description.mnemonic == "func") continue;
    isa::Program program;
    program.dialect = GetParam();
    isa::Object object = everything_;
    for (int i = 0; i < 8; ++i) test::append(object, description, newer, generate);
    const binary::ObjectEncoder encoder(program, object, {.dialect = GetParam()});
    program.objects.push_back(everything_);
    // Labels and strings are numbered anew: compare what they name.
    const bool by_name = std::ranges::any_of(description.slots, [](const isa::Slot& slot) {
      return slot.kind == isa::SlotKind::Label || slot.kind == isa::SlotKind::String;
    });
    std::vector<Bytes> accepted;
    std::string source = (newer ? "// dialect: newer\n" : "// dialect: 12504\n") + frame.text;
    std::vector<std::string> lines;
    isa::Object decoded = everything_;
    const InstructionPrinter printer(program, decoded);
    for (const isa::Instruction& instruction : object.instructions) {
      base::ByteWriter out;
      base::Diagnostics diagnostics;
      encoder.encode(instruction, out, diagnostics, nullptr);
      ASSERT_FALSE(diagnostics.has_errors()) << show(diagnostics, "");
      const Bytes whole(out.data().begin(), out.data().end());
      for (int change = 0; change < 30; ++change) {
        Bytes bytes = whole;
        if (change != 0) {
          const std::size_t bit = random() % (bytes.size() * 8);
          bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1u << bit % 8);
        }
        if (!decode(bytes, encoder.pool(), decoded)) continue;
        lines.push_back(printer.print(decoded.instructions[0]));
        source += lines.back() + "\n";
        accepted.push_back(bytes);
      }
    }
    base::Diagnostics diagnostics;
    ParseOptions options;
    options.dialect = newer ? DialectChoice::Newer : DialectChoice::Igc12504;
    auto parsed = parse(source, "bits", options, diagnostics);
    if (!parsed) {
      for (const base::Diagnostic& d : diagnostics.all()) {
        const std::size_t line = d.place.line - frame.lines - 2;
        if (d.severity == base::Severity::Error)
          fail(description.mnemonic,
               d.message + ": " + (line < lines.size() ? lines[line] + " = " + hex(accepted[line]) : "?"));
      }
      continue;
    }
    isa::Object& read = parsed->objects[0];
    ASSERT_EQ(read.instructions.size(), frame.labels + accepted.size());
    const binary::ObjectEncoder again(*parsed, read, {.dialect = GetParam()});
    for (std::size_t n = 0; n < accepted.size(); ++n) {
      base::ByteWriter out;
      base::Diagnostics problems;
      again.encode(read.instructions[frame.labels + n], out, problems, nullptr);
      const Bytes bytes(out.data().begin(), out.data().end());
      const bool same =
          by_name ? same_by_name(accepted[n], encoder.pool(), bytes, again.pool(), read) : bytes == accepted[n];
      if (!same || problems.has_errors())
        fail(description.mnemonic, lines[n] + "\n  read    " + hex(accepted[n]) + "\n  written " + hex(bytes));
      ++compared;
    }
  }
  std::string list;
  for (const auto& [name, count] : failures) list += fmt::format("{} {}, ", name, count);
  EXPECT_TRUE(failures.empty()) << list;
  EXPECT_GT(compared, 10000u);
}

INSTANTIATE_TEST_SUITE_P(Dialects, EveryBit, testing::Values(isa::Dialect::Igc12504, isa::Dialect::Newer),
                         [](const auto& info) { return info.param == isa::Dialect::Newer ? "newer" : "igc12504"; });

}  // namespace
}  // namespace heddle::text
