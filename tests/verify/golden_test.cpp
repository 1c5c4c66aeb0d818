// SPDX-License-Identifier: MIT
// Lines that Intel's tool assembles pass without an error; those that break a rule all the same are reported.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "support/process.hpp"
#include "verify/harness.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

struct Line {
  std::string platform, text, wanted;
};

std::vector<Line> read_lines(const std::string& name) {
  std::vector<Line> lines;
  std::ifstream in(fs::path(HEDDLE_TEST_DIR) / "data" / "golden" / name);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> columns(1);
    for (const char c : line)
      if (c == '\t')
        columns.emplace_back();
      else
        columns.back() += c;
    if (columns.size() < 2) continue;
    std::string text;
    for (std::size_t i = 0; i < columns[1].size(); ++i) {
      const bool escape = columns[1][i] == '\\' && i + 1 < columns[1].size() && columns[1][i + 1] == 'n';
      text += escape ? '\n' : columns[1][i];
      i += escape ? 1 : 0;
    }
    lines.push_back({columns[0], text, columns.size() > 3 ? columns[3] : ""});
  }
  EXPECT_FALSE(lines.empty()) << name;
  return lines;
}

test::Verdict judge(const Line& line) {
  return test::judge_text(test::program_of(line.text + "\nret (M1, 1)"), test::platform_named(line.platform));
}

TEST(Golden, LinesOfIntelsToolHaveNoErrors) {
  for (const char* name :
       {"arithmetic.txt", "logic.txt", "move.txt", "flow.txt", "memory.txt", "misc.txt", "lsc.txt", "info.txt",
        "sample4.txt", "sample_load.txt", "sample_unorm.txt", "rt_write.txt", "seed-dialect.txt"})
    for (const Line& line : read_lines(name)) {
      const test::Verdict verdict = judge(line);
      EXPECT_TRUE(verdict.parsed && !verdict.diagnostics.has_errors())
          << name << ": " << line.platform << " " << line.text << "\n"
          << test::list(verdict.diagnostics);
    }
}

TEST(Golden, LenientLinesAreReportedWithTheirRules) {
  const std::regex id("visa-[a-z0-9-]+");
  for (const Line& line : read_lines("lenient.txt")) {
    // A null after the destination is read as the paired surface of the newer dialect unless told otherwise (TXT-31).
    const bool paired = line.text.find("V32.0 %null.0") != std::string::npos;
    const Line used{line.platform, paired ? "sample4.R (M1, 8) 0x0:uw S0 T6 V32.0 V34.0 %null.0" : line.text,
                    line.wanted};
    const test::Verdict verdict = judge(used);
    std::map<std::string, std::size_t> wanted;
    for (std::sregex_iterator it(line.wanted.begin(), line.wanted.end(), id), end; it != end; ++it) ++wanted[it->str()];
    for (const auto& [rule, times] : wanted)
      EXPECT_GE(test::count(verdict.diagnostics, rule), times)
          << line.text << "\n"
          << test::list(verdict.diagnostics, "visa-unused-declaration");
    // Nothing else is wrong with them.
    for (const base::Diagnostic& d : verdict.diagnostics.all()) {
      const bool expected = wanted.count(d.id) != 0 || d.severity == base::Severity::Note ||
                            d.id == "visa-uninitialized" || d.id == "visa-rt-last";
      EXPECT_TRUE(expected) << line.text << "\n" << d.id << ": " << d.message;
    }
  }
}

// What Intel's tool refuses and Heddle does not take either has a reason.
TEST(Golden, RefusedLinesAreErrors) {
  std::ifstream in(fs::path(HEDDLE_TEST_DIR) / "data" / "golden" / "tool-rejects.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1), third = line.find('\t', second + 1);
    const Line parts{line.substr(0, first), line.substr(first + 1, second - first - 1), line.substr(third + 1)};
    const test::Verdict verdict = judge(parts);
    if (parts.wanted.starts_with("accept"))
      EXPECT_FALSE(verdict.diagnostics.has_errors()) << parts.text << "\n" << test::list(verdict.diagnostics);
    else
      EXPECT_TRUE(verdict.diagnostics.errors() + verdict.diagnostics.warnings() != 0) << parts.text;
  }
}

TEST(Golden, KernelsOfIntelsCompilerHaveNoErrors) {
  std::size_t kernels = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(HEDDLE_TEST_DIR) / "data" / "opencl")) {
    if (entry.path().extension() != ".visaasm") continue;
    const std::string file = entry.path().filename().string();
    const auto platform = isa::find_platform(file.substr(0, file.find('.')));
    ASSERT_TRUE(platform) << file;
    const std::string source = test::read_text(entry.path());
    const test::Verdict verdict = test::judge_text(source, platform);
    EXPECT_TRUE(verdict.parsed && !verdict.diagnostics.has_errors()) << entry.path() << "\n"
                                                                     << test::list(verdict.diagnostics);
    // Without a platform the same holds, and the kernel's own platform is among those that it fits.
    const test::Verdict any = test::judge_text(source, std::nullopt);
    EXPECT_FALSE(any.diagnostics.has_errors()) << entry.path() << "\n" << test::list(any.diagnostics);
    EXPECT_TRUE(any.fit.platforms.has(*platform)) << entry.path() << ": " << any.fit.platforms.describe();
    ++kernels;
  }
  EXPECT_GE(kernels, 20u);
}

}  // namespace
}  // namespace heddle
