// SPDX-License-Identifier: MIT
// heddle val and heddle explain from the command line.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/process.hpp"

namespace heddle {
namespace {

constexpr const char* kGood =
    ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=ud num_elts=16 align=GRF\n.decl T6 v_type=T num_elts=1\n"
    "mov (M1, 16) V32(0,0)<1> 0x0:ud\nresinfo.R (M1, 16) T6 V32.0 V32.0\nret (M1_NM, 1)\n";

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

TEST(Val, AGoodKernelAndThePlatformsThatItFits) {
  const test::Outcome any = test::run({HEDDLE_PROGRAM, "val", "-"}, kGood);
  EXPECT_EQ(any.exit_code, 0) << any.err;
  EXPECT_EQ(any.out, "<stdin>: fits all platforms\n");
  EXPECT_EQ(any.err, "");
  const test::Outcome one = test::run({HEDDLE_PROGRAM, "val", "--platform", "tgl", "-"}, kGood);
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_EQ(one.out, "<stdin>: valid for TGLLP\n");
  EXPECT_EQ(test::run({HEDDLE_PROGRAM, "val", "-q", "-"}, kGood).out, "");
}

TEST(Val, TheKernelThatIsNamedIsThere) {
  EXPECT_EQ(test::run({HEDDLE_PROGRAM, "val", "--entry", "k", "-"}, kGood).exit_code, 0);
  const test::Outcome other = test::run({HEDDLE_PROGRAM, "val", "--entry", "nothing", "-"}, kGood);
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.err.find("the program has no kernel 'nothing' [job-value]"), std::string::npos) << other.err;
  EXPECT_NE(other.err.find("note: it has: k"), std::string::npos) << other.err;
}

TEST(Val, OneMissingDeclarationIsOneErrorAndVersionsExist) {
  const std::string uses =
      "mov (M1, 16) V40(0,0)<1> 0x1:ud\nmov (M1, 16) V40(0,0)<1> 0x2:ud\nadd (M1, 16) V32(0,0)<1> V40(0,0)<1;1,0> "
      "V41(0,0)<1;1,0>\nmov (M1, 16) V41(0,0)<1> 0x2:ud\n";
  const test::Outcome o = test::run({HEDDLE_PROGRAM, "val", "-"}, with(kGood, "ret", uses + "ret"));
  EXPECT_EQ(o.exit_code, 1);
  std::size_t errors = 0;
  for (std::size_t at = o.err.find("error:"); at != std::string::npos; at = o.err.find("error:", at + 1)) ++errors;
  EXPECT_EQ(errors, 2u) << o.err;  // V40 and V41
  // Of surfaces, which a file may have none of, the way to have one.
  const test::Outcome none = test::run({HEDDLE_PROGRAM, "val", "-"}, with(kGood, ".decl T6 v_type=T num_elts=1\n", ""));
  EXPECT_NE(none.err.find("note: '.decl T6 v_type=T num_elts=1' declares it"), std::string::npos) << none.err;
  EXPECT_EQ(none.err.find("did you mean"), std::string::npos) << none.err;
  for (const auto& [version, good] :
       {std::pair{"3.2", true}, std::pair{"4.2", true}, std::pair{"9.9", false}, std::pair{"2.9", false}}) {
    const test::Outcome v = test::run({HEDDLE_PROGRAM, "val", "-"}, with(kGood, "4.1", version));
    EXPECT_EQ(v.exit_code, good ? 0 : 1) << version;
    if (!good)
      EXPECT_NE(v.err.find(std::string("<stdin>:1:10: error: there is no vISA ") + version), std::string::npos)
          << v.err;
  }
}

TEST(Val, AllErrorsWithPlaceCaretAndSource) {
  const std::string bad =
      with(with(kGood, "0x0:ud", "0x0:v"), "resinfo.R (M1, 16) T6 V32.0 V32.0", "resinfo.RG (M2, 16) T6 V32.0 V32.0");
  const test::Outcome text = test::run({HEDDLE_PROGRAM, "val", "--platform", "SKL", "-"}, bad);
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_NE(text.err.find("<stdin>:6:30: error: V32.0 needs 128 bytes, 64 are there [visa-raw-bounds]"),
            std::string::npos)
      << text.err;
  EXPECT_NE(
      text.err.find("<stdin>:6:1: error: mask offset 4 is no multiple of the execution size 16 [visa-mask-align]"),
      std::string::npos)
      << text.err;
  EXPECT_NE(text.err.find("                               ^~~~~"), std::string::npos) << text.err;
  EXPECT_NE(text.err.find("note: rule: "), std::string::npos);
  const test::Outcome json = test::run({HEDDLE_PROGRAM, "val", "--platform", "SKL", "--format", "json", "-"}, bad);
  EXPECT_EQ(json.exit_code, 1);
  const std::vector<nlohmann::json> lines = json_lines(json.out);
  ASSERT_EQ(lines.size(), 3u) << json.out;
  EXPECT_EQ(lines[0]["id"], "visa-mask-align");
  EXPECT_EQ(lines[0]["line"], 6);
  EXPECT_EQ(lines[1]["id"], "visa-raw-bounds");
  EXPECT_EQ(lines[1]["column"], 30);
  EXPECT_EQ(lines[2]["fits"], nlohmann::json::array());
}

TEST(Val, BinariesAreReportedByOffset) {
  const test::TemporaryFolder folder;
  test::write_text(folder / "k.visaasm", kGood);
  ASSERT_EQ(
      test::run({HEDDLE_PROGRAM, "as", (folder / "k.visaasm").string(), "-o", (folder / "k.isa").string()}).exit_code,
      0);
  EXPECT_EQ(test::run({HEDDLE_PROGRAM, "val", (folder / "k.isa").string()}).exit_code, 0);
  std::vector<std::uint8_t> bytes = test::read_bytes(folder / "k.isa");
  const std::size_t resinfo = bytes.size() - 4 - 17;
  ASSERT_EQ(bytes[resinfo], 0x70);
  bytes[resinfo + 3] = 0;  // no channel
  test::write_bytes(folder / "bad.isa", bytes);
  const test::Outcome outcome = test::run({HEDDLE_PROGRAM, "val", (folder / "bad.isa").string()});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("[visa-info-mask]"), std::string::npos) << outcome.err;
  bytes.resize(bytes.size() - 5);
  test::write_bytes(folder / "short.isa", bytes);
  const test::Outcome cut = test::run({HEDDLE_PROGRAM, "val", (folder / "short.isa").string()});
  EXPECT_EQ(cut.exit_code, 1);
  EXPECT_NE(cut.err.find("[visa-bin-truncated]"), std::string::npos) << cut.err;
}

TEST(Val, ExitCodes) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(test::run({HEDDLE_PROGRAM, "val", (folder / "none.isa").string()}).exit_code, 3);
  EXPECT_EQ(test::run({HEDDLE_PROGRAM, "val", "--platform", "sky", "-"}, kGood).exit_code, 2);
  EXPECT_NE(test::run({HEDDLE_PROGRAM, "val", "--platform", "DG3", "-"}, kGood).err.find("did you mean DG2?"),
            std::string::npos);
  EXPECT_EQ(test::run({HEDDLE_PROGRAM, "val", "--max-instructions", "2", "-"}, kGood).exit_code, 4);
  const std::string warned = with(kGood, "mov (M1, 16) V32(0,0)<1> 0x0:ud\n", "");
  EXPECT_EQ(test::run({HEDDLE_PROGRAM, "val", "-"}, warned).exit_code, 0);
  EXPECT_EQ(test::run({HEDDLE_PROGRAM, "val", "--warnings-as-errors", "-"}, warned).exit_code, 1);
}

TEST(Explain, RuleInstructionAndNearMiss) {
  const test::Outcome rule = test::run({HEDDLE_PROGRAM, "explain", "visa-sample4-channel"});
  EXPECT_EQ(rule.exit_code, 0);
  EXPECT_NE(rule.out.find("exactly one of R, G, B, A"), std::string::npos);
  EXPECT_EQ(test::run({HEDDLE_PROGRAM, "explain", "sample4"}).exit_code, 0);
  const test::Outcome unknown = test::run({HEDDLE_PROGRAM, "explain", "sampel4"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_NE(unknown.err.find("did you mean sample4?"), std::string::npos) << unknown.err;
  EXPECT_NE(test::run({HEDDLE_PROGRAM, "explain"}).out.find("visa-region-span"), std::string::npos);
}

TEST(Explain, TheGeneratedPagesAreWrittenIntoAFolder) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(test::run({HEDDLE_PROGRAM, "explain", "--reference", (folder / "docs").string()}).exit_code, 0);
  for (const char* page : {"reference/index.md", "reference/sample4.md", "rules/checks.md"})
    EXPECT_EQ(test::read_text(folder.path() / "docs" / page),
              test::read_text(std::string(HEDDLE_SOURCE_DIR "/docs/") + page))
        << page;
}

}  // namespace
}  // namespace heddle
