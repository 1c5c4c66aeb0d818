// SPDX-License-Identifier: MIT
// The golden lines and real kernels: text to program, program to canonical text, and back without a difference.
// Rules: TXT-34, TXT-35.
#include <gmock/gmock.h>

#include "binary/reader.hpp"
#include "binary/writer.hpp"
#include "support.hpp"

namespace heddle::text {
namespace {

constexpr const char* kFiles[] = {"info.txt",        "sample_unorm.txt", "sample4.txt", "rt_write.txt",
                                  "sample_load.txt", "arithmetic.txt",   "logic.txt",   "move.txt",
                                  "flow.txt",        "memory.txt",       "lsc.txt",     "misc.txt",
                                  "lenient.txt",     "footprint.txt"};

ParseOptions options_for(const GoldenLine& g) {
  ParseOptions o;
  o.platform = g.platform;
  o.dialect = DialectChoice::Igc12504;
  return o;
}

TEST(TextGolden, EveryLineSurvivesPrinting) {
  for (const char* file : kFiles)
    for (const GoldenLine& g : golden_lines(file)) {
      SCOPED_TRACE(g.file + ":" + std::to_string(g.line) + " " + g.text);
      const auto first = must_parse(golden_program(g.text), options_for(g));
      if (!first) continue;
      const std::string printed = print(*first);
      ParseOptions again;  // the printer says the dialect where it matters
      again.platform = g.platform;
      const auto second = must_parse(printed, again);
      if (!second) continue;
      EXPECT_EQ(difference(*first, *second), "") << printed;
      EXPECT_EQ(print(*second), printed);
    }
}

/// The instruction lines of a printed program, without the final return.
std::string body_of(const std::string& printed) {
  std::string body = printed.substr(printed.find("\n\n") + 2);
  body = body.substr(0, body.rfind("    ret (M1, 1)\n"));
  std::string out;
  for (std::string line : split(body, '\n')) {
    while (line.starts_with(' ')) line.erase(0, 1);
    if (!line.empty()) out += (out.empty() ? "" : "\n") + line;
  }
  return out;
}

TEST(TextGolden, SeedDialectPrintsCanonically) {
  for (const GoldenLine& g : golden_lines("seed-dialect.txt")) {
    SCOPED_TRACE(g.text);
    ParseOptions o;
    o.platform = g.platform;
    base::Diagnostics d;
    const std::string source = golden_program(g.text);
    const auto program = parse(source, "seed", o, d);
    ASSERT_TRUE(program.has_value()) << show(d, source);
    EXPECT_EQ(body_of(print(*program)), g.columns[0]);
    EXPECT_EQ(d.warnings(), 0u) << show(d, source);  // upper case alone is a note
  }
}

TEST(TextGolden, NewerDialectDropsNullPairedSurfaces) {
  for (const GoldenLine& g : golden_lines("newer-dialect.txt"))
    for (const DialectChoice choice : {DialectChoice::Auto, DialectChoice::Newer}) {
      SCOPED_TRACE(g.text);
      ParseOptions o;
      o.platform = g.platform;
      o.dialect = choice;
      base::Diagnostics d;
      const std::string source = golden_program(g.text);
      const auto program = parse(source, "newer", o, d);
      ASSERT_TRUE(program.has_value()) << show(d, source);
      EXPECT_EQ(program->dialect, isa::Dialect::Igc12504);
      EXPECT_EQ(body_of(print(*program)), g.columns[0]);
      ASSERT_EQ(d.all().size(), 1u) << show(d, source);
      EXPECT_EQ(d.all()[0].id, "visa-text-paired-surface");
    }
}

// TXT-38, TXT-39, ENC-39: read, printed, and through a container.
TEST(TextGolden, LoadsAndStoresOfLaterReleases) {
  for (const GoldenLine& g : golden_lines("newer-lsc.txt")) {
    SCOPED_TRACE(g.text);
    ParseOptions o;
    o.platform = g.platform;
    base::Diagnostics d;
    const auto program = parse(golden_program(g.text), "newer", o, d);
    ASSERT_TRUE(program.has_value()) << show(d, golden_program(g.text));
    EXPECT_EQ(d.warnings(), 0u);
    EXPECT_EQ(body_of(print(*program)), g.columns[0]);
    const auto again = parse(golden_program(g.columns[0]), "canonical", o, d);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(body_of(print(*again)), g.columns[0]);
    const auto bytes = binary::write(*program, {program->dialect, g.platform});
    ASSERT_TRUE(bytes.ok()) << bytes.diagnostics()[0].message;
    binary::ReadOptions read;
    read.platform = g.platform;
    const auto back = binary::read(*bytes, "newer.isa", read, d);
    ASSERT_TRUE(back.has_value() && !d.has_errors()) << show(d, {});
    EXPECT_EQ(body_of(print(*back)), g.columns[0]);
  }
}

TEST(TextGolden, WhatTheToolRefusesIsTakenOrDiagnosed) {
  for (const GoldenLine& g : golden_lines("tool-rejects.txt")) {
    SCOPED_TRACE(g.text);
    const std::string& wanted = g.columns[1];
    ParseOptions o;
    o.platform = g.platform;
    base::Diagnostics d;
    const std::string source = golden_program(g.text);
    const auto program = parse(source, "rejects", o, d);
    if (wanted.starts_with("accept")) {
      EXPECT_TRUE(program.has_value()) << show(d, source);
    }
    if (wanted.starts_with("reject (")) {
      EXPECT_FALSE(program.has_value());
    }
    for (const char* id : {"visa-info-mask", "visa-text-dialect"})
      if (wanted.find(id) != std::string::npos) {
        EXPECT_NE(show(d, source).find(id), std::string::npos) << show(d, source);
      }
  }
}

TEST(TextGolden, RealKernelsSurvivePrinting) {
  const auto files = files_below(data_dir() + "/opencl", ".visaasm");
  EXPECT_GE(files.size(), 50u);
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const auto first = must_parse(read_all(file));
    if (!first) continue;
    const std::string printed = print(*first);
    const auto second = must_parse(printed);
    if (!second) continue;
    EXPECT_EQ(difference(*first, *second), "");
    EXPECT_EQ(print(*second), printed);
  }
}

TEST(TextGolden, LineEndsOfWindowsAndNoneAtTheEndOfTheFile) {
  const std::string source = read_all(data_dir() + "/opencl/saxpy/skl.simd16.visaasm");
  std::string windows;
  for (const char c : source) windows += c == '\n' ? "\r\n" : std::string(1, c);
  while (windows.ends_with('\n') || windows.ends_with('\r')) windows.pop_back();
  const auto a = must_parse(source), b = must_parse(windows);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(difference(*a, *b), "");
}

TEST(TextGolden, EveryOperandKnowsItsPlace) {
  const std::string source = golden_program("  (P1) sample4.R (M1, 16) 0x0:uw S0 T6 V32.0 V34.0 V35.0");
  ParseOptions options;
  options.dialect = DialectChoice::Igc12504;
  const auto program = must_parse(source, options);
  ASSERT_TRUE(program.has_value());
  const isa::Object& object = program->objects[0];
  const isa::Instruction& i = object.instructions[0];
  const std::string line = "  (P1) sample4.R (M1, 16) 0x0:uw S0 T6 V32.0 V34.0 V35.0";
  EXPECT_EQ(i.position.column, 3u);
  EXPECT_EQ(i.length, line.size() - 2);
  EXPECT_EQ(source.substr(i.position.offset, i.length), line.substr(2));
  std::vector<std::string> seen;
  for (const isa::Operand& o : object.operands_of(i))
    if (o.kind != isa::OperandKind::Absent && o.at != 0) seen.push_back(line.substr(o.at - 1u, o.length));
  EXPECT_THAT(seen, ::testing::ElementsAre(".R", "0x0:uw", "S0", "T6", "V32.0", "V34.0", "V35.0"));
}

/// The compiler's dump prints canonically but for comments, blank lines and the label that repeats a .function.
TEST(TextGolden, RealKernelsPrintAsTheCompilerDumpsThem) {
  const auto lines = [](const std::string& text) {
    std::vector<std::string> kept;
    for (std::string line : split(text, '\n')) {
      line = line.substr(0, line.find("//"));
      while (line.ends_with(' ')) line.pop_back();
      for (std::size_t at; (at = line.find(")  ")) != std::string::npos;) line.erase(at + 1, 1);
      for (std::size_t at; !line.starts_with("    ") && (at = line.find("  ")) != std::string::npos;) line.erase(at, 1);
      for (std::size_t at; (at = line.find("  ", 4)) != std::string::npos;) line.erase(at, 1);
      if (line.empty()) continue;
      if (line.ends_with(':') && !kept.empty() &&
          kept.back() == ".function \"" + line.substr(0, line.size() - 1) + "\"")
        continue;
      kept.push_back(line);
    }
    return kept;
  };
  for (const std::string& file : files_below(data_dir() + "/opencl", ".visaasm")) {
    SCOPED_TRACE(file);
    const std::string source = read_all(file);
    const auto program = must_parse(source);
    if (!program) continue;
    const auto wanted = lines(source), got = lines(print(*program));
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t n = 0; n < got.size(); ++n) ASSERT_EQ(got[n], wanted[n]);
  }
}

}  // namespace
}  // namespace heddle::text
