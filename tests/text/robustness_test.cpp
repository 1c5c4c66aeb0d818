// SPDX-License-Identifier: MIT
// Damaged and hostile text: no crash, no hang, memory in proportion to the input; always an answer.
#include <gtest/gtest.h>

#include <random>

#include "support.hpp"
#include "support/processor_time.hpp"

namespace heddle::text {
namespace {

constexpr unsigned kSeed = 20240611;

/// Parses; what parses must print and parse again as the same text.
void survive(const std::string& source) {
  base::Diagnostics d(20);
  const auto program = parse(source, "mutant", {}, d);
  EXPECT_NE(program.has_value(), d.has_errors()) << source;
  if (!program) return;
  const std::string printed = print(*program);
  base::Diagnostics again(20);
  const auto second = parse(printed, "printed", {}, again);
  ASSERT_TRUE(second.has_value()) << source << "\n" << printed << show(again, printed);
  EXPECT_EQ(print(*second), printed);
}

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  for (const char* file :
       {"info.txt", "sample_unorm.txt", "sample4.txt", "rt_write.txt", "sample_load.txt", "move.txt", "flow.txt",
        "memory.txt", "lsc.txt", "misc.txt", "seed-dialect.txt", "lenient.txt", "footprint.txt"})
    for (const GoldenLine& g : golden_lines(file)) all.push_back(g.text);
  return all;
}

// To repeat: ./build/dev/tests/test_text --gtest_filter='TextRobustness.Mutants'; the seed is fixed.
TEST(TextRobustness, Mutants) {
  std::mt19937 random(kSeed);
  const std::vector<std::string> lines = seeds();
  constexpr std::string_view kSpice = "()<>[]{}.,:;%&\"\\+-*/!~?0123456789xVPATSr \t\n#@$";
  for (int round = 0; round < 10000; ++round) {
    std::string text = lines[random() % lines.size()];
    for (unsigned edits = 1 + random() % 4; edits > 0 && !text.empty(); --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 6) {
        case 0:
          text.erase(at, 1 + random() % 4);
          break;
        case 1:
          text.insert(at, 1, kSpice[random() % kSpice.size()]);
          break;
        case 2:
          text[at] = kSpice[random() % kSpice.size()];
          break;
        case 3:
          text[at] = static_cast<char>(random());
          break;
        case 4:
          text = text.substr(0, at) + lines[random() % lines.size()].substr(0, random() % 40);
          break;
        case 5:
          text.insert(at, text.substr(random() % text.size(), random() % 20));
          break;
      }
    }
    SCOPED_TRACE("round " + std::to_string(round));
    survive(golden_program(text));
    if (HasFatalFailure()) return;
  }
}

TEST(TextRobustness, EveryTruncationOfAFile) {
  const std::string whole = read_all(data_dir() + "/golden/containers/min.visaasm");
  for (std::size_t length = 0; length < whole.size(); ++length) survive(whole.substr(0, length));
}

TEST(TextRobustness, RandomBytes) {
  std::mt19937 random(kSeed + 1);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (unsigned n = random() % 2000; n > 0; --n) text += static_cast<char>(random());
    survive(text);
    survive(".version 4.1\n.kernel k\n" + text);
  }
}

double seconds_to_parse(const std::string& source, base::Diagnostics& d, const ParseOptions& options = {}) {
  const double start = test::processor_seconds();
  (void)parse(source, "big", options, d);
  return test::processor_seconds() - start;
}

const std::string kHead =
    ".version 4.1\n.kernel k\n.decl V32 v_type=G type=ud num_elts=64 align=GRF\n.decl T6 v_type=T num_elts=1\n";

TEST(TextRobustness, HostileSizes) {
  const std::string many(std::size_t{8} << 20, 'a');
  const auto repeat = [](std::string_view what, std::size_t count) {
    std::string all;
    all.reserve(what.size() * count);
    for (std::size_t n = 0; n < count; ++n) all += what;
    return all;
  };
  const std::pair<const char*, std::string> kCases[] = {
      {"one long word", kHead + many},
      {"one long string", kHead + "FILE \"" + many + "\""},
      {"one long comment", kHead + "// " + many},
      {"an open comment", kHead + "/* " + many},
      {"one long number", kHead + "mov (M1, 1) V32(0,0)<1> 1" + repeat("0", 1 << 22) + ":ud"},
      {"a long fraction", kHead + "mov (M1, 1) V32(0,0)<1> 1." + repeat("0", 1 << 22) + ":f"},
      {"parentheses", kHead + "mov (M1, 1) V32(0,0)<1> " + repeat("(", 10'000'000)},
      {"closed parentheses",
       kHead + "mov (M1, 1) V32(0,0)<1> " + repeat("(", 1 << 20) + "1" + repeat(")", 1 << 20) + ":ud"},
      {"signs", kHead + "mov (M1, 1) V32(0,0)<1> " + repeat("-", 1 << 20) + "1:ud"},
      {"a long sum", kHead + "mov (M1, 1) V32(0,0)<1> 1" + repeat("+1", 1 << 20) + ":ud"},
      {"choices", kHead + "mov (M1, 1) V32(0,0)<1> " + repeat("1?1:", 1 << 20) + "1:ud"},
      {"scopes", kHead + repeat("{\n", 1 << 20)},
      {"closing braces", kHead + repeat("}\n", 1 << 20)},
      {"parameters", kHead + "sample4.R (M1, 8) 0x0:uw S31 T6 V32.0 " + repeat("V32.0 ", 1 << 20)},
      {"labels of a switch", kHead + "switchjmp (M1, 1) 0x0:ud (" + repeat("L,", 1 << 20) + "L)\nL:\n"},
      {"wrong lines", kHead + repeat("nothing here\n", 1 << 18)},
      {"undeclared names", kHead + repeat("mov (M1, 1) W(0,0)<1> W(0,0)<0;1,0>\n", 1 << 16)},
      {"kernels", ".version 4.1\n" + repeat(".kernel k\nyield\n", 1 << 15)},
      {"flags", kHead + "rt_write_3d." + repeat("<A>", 1 << 18) + " (M1, 8) T6 V32.0 V32.0 V32.0 V32.0 V32.0 V32.0"},
      {"attributes", kHead + ".decl V33 v_type=G type=ud num_elts=8 attrs={" + repeat("Output,", 1 << 18) + "Output}"},
      {"zero bytes", kHead + std::string(1 << 20, '\0')},
  };
  for (const auto& [name, source] : kCases) {
    SCOPED_TRACE(name);
    base::Diagnostics d;
    const double seconds = seconds_to_parse(source, d);
    EXPECT_LT(seconds,
              20 * test::kSlowness);  // linear: a few hundredths; the family is for sanitizers and busy machines
    std::size_t longest = 0;
    for (const base::Diagnostic& one : d.all()) longest = std::max(longest, one.message.size());
    EXPECT_LT(longest, 1000u);
  }
}

TEST(TextRobustness, LimitsNameTheirFlagAndExitWithFour) {
  ParseOptions o;
  o.limits.nesting = 10;
  base::Diagnostics d;
  (void)parse(kHead + "mov (M1, 1) V32(0,0)<1> " + std::string(11, '(') + "1" + std::string(11, ')') + ":ud\n", "deep",
              o, d);
  EXPECT_EQ(d.exit_code(), base::ExitCode::Limit);
  EXPECT_NE(show(d, "").find("--max-nesting"), std::string::npos);
  o.limits.nesting = std::size_t{1} << 40;
  std::string deep =
      kHead + "mov (M1, 1) V32(0,0)<1> " + std::string(1 << 20, '(') + "1" + std::string(1 << 20, ')') + ":ud\n";
  base::Diagnostics raised;
  EXPECT_TRUE(parse(deep, "deep", o, raised).has_value()) << show(raised, "");
}

TEST(TextRobustness, CostIsLinear) {
  const auto program = [](std::size_t count) {
    std::string s = kHead;
    for (std::size_t n = 0; n < count; ++n) s += "    mov (M1, 16) V32(0,0)<1> V32(2,0)<8;8,1>\n";
    return s;
  };
  base::Diagnostics d;
  const std::string small = program(20'000), large = program(200'000);
  double best_small = 1e9, best_large = 1e9;
  for (int n = 0; n < 3; ++n) {
    best_small = std::min(best_small, seconds_to_parse(small, d));
    best_large = std::min(best_large, seconds_to_parse(large, d));
  }
  EXPECT_FALSE(d.has_errors());
  EXPECT_LT(best_large, best_small * 30);  // 10 times the lines
}

}  // namespace
}  // namespace heddle::text
