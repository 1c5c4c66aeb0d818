// SPDX-License-Identifier: MIT
// Containers: every version, both dialects, byte-identical writing, damaged files.
// Rules: ENC-1 to ENC-14.
#include <algorithm>
#include <array>
#include <filesystem>
#include <random>

#include <gtest/gtest.h>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "binary/reader.hpp"
#include "binary/writer.hpp"
#include "instructions/registry.hpp"
#include "isa/description.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

fs::path data(const std::string& name) { return fs::path(HEDDLE_SOURCE_DIR) / "tests/data" / name; }

Bytes load(const fs::path& path) {
  auto bytes = base::read_file(path.string());
  EXPECT_TRUE(bytes.ok()) << path;
  return bytes.ok() ? *bytes : Bytes{};
}

std::optional<isa::Program> read(const Bytes& bytes, base::Diagnostics& diagnostics, binary::ReadOptions options = {}) {
  return binary::read(bytes, "test.isa", options, diagnostics);
}

std::vector<fs::path> samples() {
  std::vector<fs::path> all;
  for (const char* folder : {"golden/containers", "opencl"})
    for (const auto& entry : fs::recursive_directory_iterator(data(folder)))
      if (entry.path().extension() == ".isa") all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

TEST(Container, RealKernelsAreWrittenBackByteForByte) {
  std::size_t count = 0;
  for (const fs::path& path : samples()) {
    const std::string name = path.filename().string();
    if (name.starts_with("versions-3") || name == "versions-4.0.isa" || name.ends_with("paired.isa")) continue;
    SCOPED_TRACE(path.string());
    const Bytes bytes = load(path);
    base::Diagnostics diagnostics;
    const auto program = read(bytes, diagnostics);
    ASSERT_TRUE(program);
    EXPECT_TRUE(diagnostics.empty()) << base::render(diagnostics, {}, false);
    const auto written = binary::write(*program);
    ASSERT_TRUE(written.ok()) << base::render(written.diagnostics()[0], {}, false);
    EXPECT_EQ(*written, bytes);
    ++count;
  }
  EXPECT_GT(count, 40u);
}

/// ENC-1, ENC-9: every version and both dialects hold the same program.
TEST(Container, AllVersionsAreTheSameProgram) {
  const Bytes newest = load(data("golden/containers/versions-4.1.isa"));
  for (const char* version : {"3.5", "3.7", "4.0", "4.1", "4.1-paired"}) {
    SCOPED_TRACE(version);
    base::Diagnostics diagnostics;
    const auto program = read(load(data(std::string("golden/containers/versions-") + version + ".isa")), diagnostics);
    ASSERT_TRUE(program);
    EXPECT_FALSE(diagnostics.has_errors()) << base::render(diagnostics, {}, false);
    EXPECT_EQ(program->dialect == isa::Dialect::Newer, std::string_view(version).ends_with("paired"));
    const auto written = binary::write(*program);
    ASSERT_TRUE(written.ok()) << base::render(written.diagnostics()[0], {}, false);
    EXPECT_EQ(*written, newest);
  }
}

/// ENC-1: 3.4 differs from 3.5 by the width of num_inputs.
TEST(Container, Version34HasOneByteForTheNumberOfInputs) {
  Bytes bytes = load(data("golden/containers/versions-3.5.isa"));
  const auto field = [&](std::size_t at) -> std::uint32_t {
    return bytes[at] | static_cast<std::uint32_t>(bytes[at + 1]) << 8 | static_cast<std::uint32_t>(bytes[at + 2]) << 16;
  };
  const auto shrink = [&](std::size_t at) {
    const std::uint32_t value = field(at) - 3;
    for (unsigned i = 0; i < 3; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  };
  const std::size_t inputs = field(0x12);
  const std::uint32_t count = field(inputs);
  bytes[5] = 4;
  shrink(0xe);                                      // size of the object
  shrink(inputs + 4 + std::size_t{count} * 9 + 4);  // entry
  bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(inputs) + 1,
              bytes.begin() + static_cast<std::ptrdiff_t>(inputs) + 4);
  base::Diagnostics diagnostics;
  const auto program = read(bytes, diagnostics);
  ASSERT_TRUE(program);
  EXPECT_TRUE(diagnostics.empty()) << base::render(diagnostics, {}, false);
  const auto written = binary::write(*program);
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(*written, load(data("golden/containers/versions-4.1.isa")));
}

/// ENC-1: before 3.4 identifiers and the counts of strings and variables have two bytes, texel offsets are a plain uw.
/// ENC-37: the kernel gets a copy of the file-scope variable that one of its aliases names.
TEST(Container, Version32) {
  base::ByteWriter object;
  const auto text = [](base::ByteWriter& out, std::string_view s) {
    for (const char c : s) out.u8(static_cast<unsigned char>(c));
  };
  const auto bytes = [](base::ByteWriter& out, std::initializer_list<unsigned> list) {
    for (const unsigned b : list) out.u8(b);
  };
  constexpr std::string_view kStrings[] = {"k", "first", "second", "Output", "S", "T", "AsmName", "a.c"};
  object.u16(std::size(kStrings));
  for (const std::string_view s : kStrings) text(object, s), object.u8(0);
  object.u16(0);                                                  // name
  object.u16(3);                                                  // variables: name, type and align, elements, alias
  bytes(object, {1, 0, 0x57, 16, 0, 0, 0, 0, 0, 0, 1, 3, 0, 0});  // ... offset, scope, attributes: Output
  bytes(object, {2, 0, 0x50, 8, 0, 32, 0, 32, 0, 0, 0});
  bytes(object, {2, 0, 0x50, 8, 0, 0, 0, 0, 0, 1, 0});
  object.u16(0), object.u16(0), object.u16(0);  // addresses, predicates, labels
  bytes(object, {1, 4, 0, 1, 0, 0});            // sampler
  bytes(object, {1, 5, 0, 1, 0, 0});            // surface
  object.u8(0);                                 // VME
  const std::size_t inputs = object.size();
  bytes(object, {1, 0, 32, 0, 32, 0, 64, 0});  // one input: kind, id, offset, size
  base::ByteWriter code;
  bytes(code, {0x29, 0x03, 0, 0, 0, 32, 0, 1, 0, 0, 2, 0, 33, 0, 0, 0, 0x55, 2});            // mov
  bytes(code, {0x6f, 0x08, 0x03, 0, 0, 2, 0x23, 0x01, 0, 6, 32, 0, 0, 0, 1, 33, 0, 32, 0});  // sample4
  bytes(code, {0x51, 7, 0, 0x7b, 0x01, 33, 0});                                              // FILE, lifetime
  bytes(code, {0x29, 0x03, 0, 0, 0, 32, 0, 0, 0, 0, 2, 0, 12, 0, 0, 0, 0x55, 2});            // mov of r0
  bytes(code, {0x34, 0, 0, 0});                                                              // ret
  object.u32(code.size());
  object.u32(object.size() + 4 + 2 + 2 + 1 + 1);  // entry
  object.u16(1);
  bytes(object, {6, 0, 1, 'x'});
  base::ByteWriter file;
  text(file, "CISA");
  bytes(file, {3, 2, 1, 0, 1, 'k'});
  constexpr std::size_t kHeader = 40;
  file.u32(kHeader), file.u32(object.size() + code.size()), file.u32(kHeader + inputs);
  bytes(file, {0, 0, 0, 0, 0, 1, 0});                     // relocations, Gen binaries, one file-scope variable
  bytes(file, {0, 2, 0, '@', 'g', 0x50, 8, 0, 0, 0, 0});  // ... and no functions
  Bytes container(file.data().begin(), file.data().end());
  ASSERT_EQ(container.size(), kHeader);
  container.insert(container.end(), object.data().begin(), object.data().end());
  container.insert(container.end(), code.data().begin(), code.data().end());

  base::Diagnostics diagnostics;
  const auto program = read(container, diagnostics);
  ASSERT_TRUE(program);
  EXPECT_TRUE(diagnostics.empty()) << base::render(diagnostics, {}, false);
  const isa::Object& k = program->objects.at(0);
  ASSERT_EQ(k.variables.size(), 4u);
  EXPECT_EQ(k.variables[0].name, "@g");
  EXPECT_EQ(k.variables[1].attributes.at(0).name, "Output");
  EXPECT_EQ(k.variables[2].name, "second");
  EXPECT_EQ(k.variables[2].alias, 33u);
  EXPECT_EQ(k.variables[2].alias_offset, 32u);
  EXPECT_EQ(k.variables[3].alias, 32u);
  EXPECT_EQ(k.variables[3].alias_scope, 0u);
  EXPECT_EQ(k.samplers.at(0).name, "S");
  EXPECT_EQ(k.inputs.at(0).id, 33u);
  EXPECT_EQ(k.inputs.at(0).size, 64u);
  ASSERT_NE(k.attribute("OutputAsmPath"), nullptr);
  ASSERT_EQ(k.instructions.size(), 6u);
  EXPECT_EQ(k.operands_of(k.instructions[0])[0].row, 1u);
  EXPECT_EQ(k.operands_of(k.instructions[0])[1].id, 34u);
  const auto sample = k.operands_of(k.instructions[1]);
  EXPECT_EQ(k.instructions[1].description->mnemonic, "sample4");
  const auto offsets = std::ranges::find(sample, isa::OperandKind::Immediate, &isa::Operand::kind);
  ASSERT_NE(offsets, sample.end());
  EXPECT_EQ(offsets->value, 0x123u);
  EXPECT_EQ(offsets->type, isa::Type::UW);
  EXPECT_EQ(sample.back().id, 34u);
  EXPECT_EQ(sample.back().offset, 32);
  EXPECT_EQ(k.strings.at(k.operands_of(k.instructions[2])[0].id), "a.c");
  EXPECT_EQ(k.instructions[3].description->mnemonic, "lifetime.end");
  EXPECT_EQ(k.operands_of(k.instructions[3])[0].id, 34u);
  EXPECT_EQ(k.operands_of(k.instructions[4])[1].id, 7u);  // ENC-38: %r0
}

/// ENC-37: drivers ship kernels without their code, beside the Gen binaries; one message says so.
TEST(Container, CodeThatWasTakenOut) {
  Bytes bytes = load(data("golden/containers/min.isa"));
  const std::size_t code = 0x1d9;
  const std::size_t header_end = 0x20;
  bytes.resize(code);
  bytes.insert(bytes.begin() + 0x1c, 9, 0);  // platform, offset and size of a Gen binary of no bytes
  bytes[0x1b] = 1;
  const auto grow = [&](std::size_t at) { bytes[at] = static_cast<std::uint8_t>(bytes[at] + 9); };
  grow(0xb), grow(0x13);
  bytes[0xf] = static_cast<std::uint8_t>(code - header_end);
  bytes[0x10] = static_cast<std::uint8_t>((code - header_end) >> 8);
  bytes[0x1b0] = 99;  // an input of a variable that was taken out as well
  base::Diagnostics diagnostics;
  (void)read(bytes, diagnostics);
  ASSERT_EQ(diagnostics.errors(), 1u) << base::render(diagnostics, {}, false);
  EXPECT_EQ(diagnostics.all()[0].id, "visa-bin-truncated");
  EXPECT_NE(diagnostics.all()[0].message.find("taken out"), std::string::npos);
}

TEST(Container, NewerDialectIsWrittenWhenAsked) {
  const Bytes paired = load(data("golden/containers/versions-4.1-paired.isa"));
  base::Diagnostics diagnostics;
  const auto program = read(paired, diagnostics);
  ASSERT_TRUE(program);
  const auto written = binary::write(*program, {.dialect = isa::Dialect::Newer});
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(*written, paired);
}

/// ENC-2, ENC-5: the walk through min.isa.
TEST(Container, WalkThroughMin) {
  base::Diagnostics diagnostics;
  const auto program = read(load(data("golden/containers/min.isa")), diagnostics);
  ASSERT_TRUE(program && diagnostics.empty());
  ASSERT_EQ(program->objects.size(), 1u);
  const isa::Object& k = program->objects[0];
  EXPECT_EQ(k.name, "k");
  ASSERT_EQ(k.variables.size(), 3u);
  EXPECT_EQ(k.variables[2].alias, 33u);
  EXPECT_EQ(k.variables[2].alias_offset, 32u);
  EXPECT_EQ(k.variables[1].attributes.at(0).name, "Output");
  EXPECT_EQ(k.integer_attribute("SimdSize"), 8);
  ASSERT_EQ(k.inputs.size(), 2u);
  EXPECT_EQ(k.inputs[1].kind(), isa::InputKind::Surface);
  ASSERT_EQ(k.instructions.size(), 5u);
  EXPECT_EQ(k.instructions[2].description->mnemonic, "resinfo");
  EXPECT_EQ(k.instructions[2].position.offset, 0x1dfu);
  EXPECT_EQ(k.labels.at(1).instruction, 1u);
  EXPECT_TRUE(k.instructions[3].predicate.present());
}

bool reports(const base::Diagnostics& diagnostics, std::string_view id) {
  return std::any_of(diagnostics.all().begin(), diagnostics.all().end(),
                     [&](const base::Diagnostic& d) { return d.id == id; });
}

/// One change of min.isa for each visa-bin rule of the container (ENC-4).
TEST(Container, RulesOfTheContainer) {
  const Bytes good = load(data("golden/containers/min.isa"));
  struct Change {
    const char* id;
    std::size_t at;
    Bytes with;
  };
  const Change changes[] = {
      {"visa-bin-magic", 0, {'X'}},
      {"visa-bin-version", 5, {2}},
      {"visa-bin-version", 4, {3, 1}},
      {"visa-bin-count", 0x20, {0xff, 0xff, 0xff, 0xff}},
      {"visa-bin-count", 0x13b, {0xff, 0xff, 0xff, 0xff}},
      {"visa-bin-overlap", 0xb, {0x10}},
      {"visa-bin-truncated", 0x11, {0xff}},
      {"visa-bin-index", 0x137, {0xff}},
      {"visa-bin-index", 0x1e3, {0x07}},  // surface
      {"visa-bin-index", 0x1e4, {0x23}},  // variable
      {"visa-bin-index", 0x1f2, {0x02}},  // predicate
      {"visa-bin-index", 0x1f4, {0x09}},  // label
      {"visa-bin-opcode", 0x1df, {0x88}},
      {"visa-info-op", 0x1e0, {0x0c}},
      {"visa-bin-reserved", 0x1e1, {0x0b}},  // execution size, bit 3
      {"visa-bin-reserved", 0x1e2, {0x1f}},  // channel mask
      {"visa-bin-reserved", 0x1f3, {0x10}},  // predicate bit 12
      {"visa-bin-reserved", 0x1a6, {0x04}},  // input kind bit 2
      {"visa-bin-entry", 0x1bc, {0xb8}},
      {"visa-bin-entry", 0x13, {0xa3}},
      {"visa-bin-size", 0x1b8, {0x1d}},  // without the last ret
      {"visa-bin-filescope", 0x1c, {0x01}},
      {"visa-bin-vme", 0x1a1, {0x01}},
      {"visa-bin-string-unused", 0x24, {0x01}},
  };
  for (const Change& change : changes) {
    SCOPED_TRACE(std::string(change.id) + " at " + std::to_string(change.at));
    Bytes bytes = good;
    std::copy(change.with.begin(), change.with.end(), bytes.begin() + static_cast<std::ptrdiff_t>(change.at));
    base::Diagnostics diagnostics;
    (void)read(bytes, diagnostics);
    EXPECT_TRUE(reports(diagnostics, change.id)) << base::render(diagnostics, {}, false);
  }
}

/// A declaration takes at least 15 bytes; a file made of the smallest ones is not refused by the check of counts.
TEST(Container, SmallestDeclarations) {
  isa::Program program;
  isa::Object& object = program.objects.emplace_back();
  object.name = "k";
  object.variables.resize(500);
  object.addresses.resize(500);
  object.labels.resize(500);
  object.inputs.resize(500, {.id = 32});
  const auto bytes = binary::write(program);
  ASSERT_TRUE(bytes.ok());
  base::Diagnostics diagnostics;
  ASSERT_TRUE(read(*bytes, diagnostics));
  EXPECT_FALSE(diagnostics.has_errors()) << base::render(diagnostics, {}, false);
}

/// ENC-4: tables of symbols are read over and said to be missing from what is written.
TEST(Container, RelocationsAreNotLostInSilence) {
  Bytes bytes = load(data("golden/containers/min.isa"));
  // Behind name, offset, size and input offset of the only kernel: two counts of 16 bits.
  const std::size_t at = 8 + 2 + (bytes[8] | bytes[9] << 8) + 12;
  ASSERT_EQ(bytes[at] | bytes[at + 1] | bytes[at + 2] | bytes[at + 3], 0);
  const Bytes tables{1, 0, 7, 0, 0, 0, 0, 0};  // one symbol of a variable
  bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin() + static_cast<std::ptrdiff_t>(at + 4));
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), tables.begin(), tables.end());
  for (const std::size_t field : {at - 12, at - 4})  // the object stands four bytes later, and its inputs
    bytes[field] = static_cast<std::uint8_t>(bytes[field] + 4);
  base::Diagnostics diagnostics;
  const auto program = read(bytes, diagnostics);
  ASSERT_TRUE(program);
  EXPECT_FALSE(diagnostics.has_errors()) << base::render(diagnostics, {}, false);
  ASSERT_EQ(diagnostics.all().size(), 1u) << base::render(diagnostics, {}, false);
  EXPECT_EQ(diagnostics.all()[0].id, "visa-bin-relocation");
  EXPECT_EQ(diagnostics.all()[0].place.offset, at);
}

/// The text that such a file would become does not parse: a label defined twice, one that is named and not defined.
TEST(Container, LabelsAreDefinedOnce) {
  isa::Program program;
  isa::Object& object = program.objects.emplace_back();
  object.name = "k";
  object.labels.resize(4);
  for (unsigned n = 0; n < 4; ++n) object.labels[n].name = std::array{"once", "twice", "never", "unused"}[n];
  const auto& rows = instructions::registry().descriptions();
  const auto label = std::ranges::find(rows, "label", &isa::InstructionDescription::mnemonic);
  const auto jump = std::ranges::find(rows, "jmp", &isa::InstructionDescription::mnemonic);
  ASSERT_TRUE(label != rows.end() && jump != rows.end());
  for (const auto& [id, row] : {std::pair{0u, label}, {1u, label}, {1u, label}, {0u, jump}, {2u, jump}, {2u, jump}}) {
    isa::Instruction i;
    i.description = &*row;
    i.operand_count = 1;
    i.first_operand = static_cast<std::uint32_t>(object.operands.size());
    isa::Operand o;
    o.kind = isa::OperandKind::Label;
    o.id = id;
    object.operands.push_back(o);
    object.instructions.push_back(i);
  }
  const auto bytes = binary::write(program);
  ASSERT_TRUE(bytes.ok());
  base::Diagnostics diagnostics;
  (void)read(*bytes, diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 2u) << base::render(diagnostics, {}, false);
  for (const base::Diagnostic& d : diagnostics.all()) EXPECT_EQ(d.id, "visa-text-label");
  EXPECT_NE(diagnostics.all()[0].message.find("twice is defined twice"), std::string::npos);
  EXPECT_NE(diagnostics.all()[1].message.find("never is not defined"), std::string::npos);
}

TEST(Container, LenientTurnsReservedBitsIntoWarnings) {
  Bytes bytes = load(data("golden/containers/min.isa"));
  bytes[0x1e2] = 0x1f;
  base::Diagnostics strict, lenient;
  (void)read(bytes, strict);
  EXPECT_TRUE(strict.has_errors());
  binary::ReadOptions options;
  options.lenient = true;
  ASSERT_TRUE(read(bytes, lenient, options));
  EXPECT_FALSE(lenient.has_errors());
  EXPECT_EQ(lenient.warnings(), 1u);
}

TEST(Container, LimitOfInstructions) {
  binary::ReadOptions options;
  options.limits.instructions = 4;
  base::Diagnostics diagnostics;
  (void)read(load(data("golden/containers/min.isa")), diagnostics, options);
  EXPECT_TRUE(diagnostics.hit_limit());
  EXPECT_EQ(diagnostics.exit_code(), base::ExitCode::Limit);
}

/// What is read without an error is written, and read again as the same bytes.
void check_fixed_point(const Bytes& bytes) {
  base::Diagnostics diagnostics(50);
  const auto program = read(bytes, diagnostics);
  if (!program || diagnostics.has_errors()) return;
  const auto first = binary::write(*program, {.dialect = program->dialect});
  if (!first.ok()) return;
  base::Diagnostics again(50);
  binary::ReadOptions options;
  options.dialect =
      program->dialect == isa::Dialect::Newer ? binary::DialectChoice::Newer : binary::DialectChoice::Igc12504;
  const auto second = read(*first, again, options);
  ASSERT_TRUE(second && !again.has_errors()) << base::render(again, {}, false);
  const auto third = binary::write(*second, {.dialect = program->dialect});
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(*third, *first);
}

bool all_samples() { return std::getenv("HEDDLE_TEST_ALL") != nullptr; }

TEST(Damage, EveryTruncationIsReported) {
  for (const fs::path& path : samples()) {
    SCOPED_TRACE(path.string());
    const Bytes bytes = load(path);
    const std::size_t step = all_samples() || bytes.size() < 1000 ? 1 : bytes.size() / 200 + 1;
    for (std::size_t length = 0; length < bytes.size(); length += step) {
      base::Diagnostics diagnostics(20);
      (void)read(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)), diagnostics);
      EXPECT_TRUE(diagnostics.has_errors()) << length;
    }
  }
}

TEST(Damage, SeededMutantsNeverHurt) {
  constexpr unsigned kSeed = 20240611;
  const std::size_t mutants = all_samples() ? 10000 : 1500;
  std::mt19937 random(kSeed);
  const std::vector<fs::path> files = samples();
  std::vector<Bytes> contents;
  for (const fs::path& path : files) contents.push_back(load(path));
  for (std::size_t i = 0; i < mutants; ++i) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + " mutant " + std::to_string(i));
    Bytes bytes = contents[random() % contents.size()];
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ 1u << random() % 8);
          break;
        case 1:
          bytes[at] = static_cast<std::uint8_t>(random());
          break;
        case 2:
          bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                      bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at + random() % 8, bytes.size())));
          break;
        default:
          bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), random() % 8,
                       static_cast<std::uint8_t>(random()));
          break;
      }
      if (bytes.empty()) bytes.push_back(0);
    }
    check_fixed_point(bytes);
  }
}

/// Every 1-bit and 2-byte change of the code of the smallest containers.
TEST(Damage, EveryBitOfSmallContainers) {
  for (const char* name : {"golden/containers/min.isa", "golden/containers/versions-3.5.isa"}) {
    const Bytes bytes = load(data(name));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        Bytes changed = bytes;
        changed[at] = static_cast<std::uint8_t>(changed[at] ^ 1u << bit);
        check_fixed_point(changed);
      }
      for (const unsigned value : {0xffffu, 0x0000u, 0x8080u}) {
        Bytes changed = bytes;
        for (std::size_t i = at; i < std::min(at + 2, changed.size()); ++i)
          changed[i] = static_cast<std::uint8_t>(value);
        check_fixed_point(changed);
      }
    }
  }
}

/// Many header entries for the same object must not multiply the work.
TEST(Damage, OverlappingObjectsAreReadOnce) {
  const Bytes good = load(data("golden/containers/min.isa"));
  base::ByteWriter out;
  constexpr unsigned kCount = 60000;
  out.bytes("CISA");
  out.u8(4), out.u8(1), out.u16(kCount);
  const std::uint32_t header = 8 + kCount * 20 + 4;
  for (unsigned i = 0; i < kCount; ++i) {
    out.u16(1), out.u8('k');
    out.u32(header), out.u32(474), out.u32(header + 0x182), out.u32(0), out.u8(0);
  }
  out.u32(0);
  out.bytes(std::span(good).subspan(0x20));
  base::Diagnostics diagnostics;
  const auto program = read(out.data(), diagnostics);
  ASSERT_TRUE(program);
  EXPECT_TRUE(reports(diagnostics, "visa-bin-overlap"));
  EXPECT_EQ(program->objects.size(), 1u);
}

}  // namespace
}  // namespace heddle
