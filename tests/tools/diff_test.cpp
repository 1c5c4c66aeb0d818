// SPDX-License-Identifier: MIT
// heddle diff: two programs instruction by instruction, and their runs (DIF-1, DIF-2).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <nlohmann/json.hpp>

#include "support/process.hpp"

namespace fs = std::filesystem;
using heddle::test::Outcome;
using heddle::test::read_text;
using heddle::test::write_text;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();
const std::string kSaxpy = fs::absolute("tests/data/opencl/saxpy/skl.simd16").string();

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

class Diff : public ::testing::Test {
 protected:
  Diff() : text(read_text(kSaxpy + ".visaasm")) { write_text(folder / "a.visaasm", text); }
  Outcome heddle(std::vector<std::string> words) {
    words.insert(words.begin(), kProgram);
    return heddle::test::run(words, {}, folder.path());
  }
  Outcome diff(const std::string& b, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"diff", "a.visaasm", b};
    words.insert(words.end(), more.begin(), more.end());
    return heddle(words);
  }
  Outcome changed(const std::string& from, const std::string& to, const std::vector<std::string>& more = {}) {
    write_text(folder / "b.visaasm", replaced(text, from, to));
    return diff("b.visaasm", more);
  }
  /// 20 work items of 18, so that the last two leave: y = 2 * 3 + 0.5.
  std::vector<std::string> job() const {
    return {"--zeinfo", kSaxpy + ".zeinfo",
            "--global", "20",
            "--local",  "20",
            "--arg",    "a=2.0",
            "--arg",    "n=18",
            "--buffer", "x=f32:20:fill=3",
            "--buffer", "y=f32:20:fill=0.5:save=y.json"};
  }

  heddle::test::TemporaryFolder folder;
  std::string text;
};

const std::string kShift = "shl (M1, 16) V0049(0,0)<1> V0048(0,0)<1;1,0> 0x2:d";
const std::string kMad = "mad (M1, 16) V0054(0,0)<1> V0034(0,0)<0;1,0> V0052(0,0)<1;1,0> V0054(0,0)<1;1,0>";

TEST_F(Diff, NamesAndNumbersDoNotCount) {
  EXPECT_EQ(diff("a.visaasm").exit_code, 0);
  std::string other = replaced(replaced(text, "V0049", "index"), "V0051", "V0099");
  other = replaced(replaced(other, "_0_004", "finish"), "P1", "P9");
  // Declared in another order, the numbers are others.
  const std::string line = ".decl V0054 v_type=G type=f num_elts=16 align=hword\n";
  const std::size_t at = other.find(line);
  if (at != std::string::npos) {
    other.erase(at, line.size());
    other.insert(other.find(".decl V0045 "), line);
  }
  write_text(folder / "b.visaasm", other);
  Outcome o = diff("b.visaasm");
  EXPECT_EQ(o.exit_code, 0) << o.out << o.err;
  EXPECT_EQ(o.out, "kernel \"saxpy\": no instruction differs, of 20\n");
  EXPECT_EQ(diff("b.visaasm", {"-q"}).out, "");
  // Two that change places everywhere are still names.
  other = replaced(replaced(replaced(text, "V0046", "swap"), "V0048", "V0046"), "swap", "V0048");
  write_text(folder / "b.visaasm", other);
  EXPECT_EQ(diff("b.visaasm").exit_code, 0);
}

TEST_F(Diff, AContainerAgainstItsText) {
  ASSERT_EQ(heddle({"as", "a.visaasm", "-o", "a.isa"}).exit_code, 0);
  const Outcome o = diff("a.isa");
  EXPECT_EQ(o.exit_code, 0) << o.out << o.err;
  write_text(folder / "b.visaasm", replaced(text, "0x2:d", "0x3:d"));
  ASSERT_EQ(heddle({"as", "b.visaasm", "-o", "b.isa"}).exit_code, 0);
  EXPECT_THAT(diff("b.isa").out, HasSubstr("19 the same, 1 changed, 0 only in a, 0 only in b"));
}

TEST_F(Diff, AConstantThatChanged) {
  const Outcome o = changed(kShift, "shl (M1, 16) V0049(0,0)<1> V0048(0,0)<1;1,0> 0x3:d");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.out, AllOf(HasSubstr("--- a.visaasm: kernel \"saxpy\"\n+++ b.visaasm: kernel \"saxpy\"\n"),
                           HasSubstr("-    86        " + kShift +
                                     "\n+          86  shl (M1, 16) V0049(0,0)<1> "
                                     "V0048(0,0)<1;1,0> 0x3:d\n"),
                           HasSubstr("19 the same, 1 changed, 0 only in a, 0 only in b")));
  EXPECT_THAT(o.out, Not(HasSubstr("V0045")));  // four lines above: beyond the context
  EXPECT_THAT(changed(kShift, "shl (M1, 16) V0049(0,0)<1> V0048(0,0)<1;1,0> 0x3:d", {"--context", "9"}).out,
              HasSubstr("V0045"));
}

TEST_F(Diff, AnotherVariableIsNoName) {
  // One use of V0053 becomes V0051: the other uses say who they are.
  const Outcome o =
      changed("gather4_scaled.R (M1, 16) T6 0x0:ud V0053.0", "gather4_scaled.R (M1, 16) T6 0x0:ud V0051.0");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.out, HasSubstr("1 changed, 0 only in a, 0 only in b"));
  // So do inputs: n and a exchanged are other places of the payload.
  EXPECT_EQ(changed("V0035(0,0)<0;1,0>", "V0039(0,0)<0;1,0>").exit_code, 1);
}

TEST_F(Diff, WhatWasInsertedAndWhatMoved) {
  const std::string add = "    add (M1, 16) V0050(0,0)<1> V0049(0,0)<1;1,0> V0044(0,0)<0;1,0>";
  Outcome o = changed("    " + kShift, "    mov (M1, 16) V0046(0,0)<1> 0x7:d\n    " + kShift);
  EXPECT_THAT(o.out, AllOf(HasSubstr("20 the same, 0 changed, 0 only in a, 1 only in b"),
                           HasSubstr("+          86  mov (M1, 16) V0046(0,0)<1> 0x7:d\n")));
  // The movs in front of the first message goes in front of the sum.
  const std::size_t begin = text.find(add);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = text.find('\n', begin) + 1, next = text.find('\n', end) + 1;
  std::string moved = text;
  moved.replace(begin, next - begin, text.substr(end, next - end) + text.substr(begin, end - begin));
  write_text(folder / "b.visaasm", moved);
  o = diff("b.visaasm");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.out, HasSubstr("19 the same, 0 changed, 1 only in a, 1 only in b"));
}

TEST_F(Diff, DeclarationsCount) {
  const Outcome o = changed(".kernel_attr SimdSize=16", ".kernel_attr SimdSize=8");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.out, HasSubstr("! attribute SimdSize: 16; 8\n"));
}

TEST_F(Diff, TheRunFindsTheFirstResultThatDiffers) {
  // The same results.
  Outcome o = changed("V0049", "index", job());
  EXPECT_EQ(o.exit_code, 0) << o.out << o.err;
  EXPECT_THAT(o.out, HasSubstr("both runs: the same results\n"));
  EXPECT_FALSE(fs::exists(folder / "y.json"));  // nothing is written
  // 2 * 3 without 0.5 more.
  o = changed(kMad, "mul (M1, 16) V0054(0,0)<1> V0034(0,0)<0;1,0> V0052(0,0)<1;1,0>", job());
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.out, AllOf(HasSubstr("first result that differs: group 0,0,0 thread 0, lane 0\n"),
                           HasSubstr("a.visaasm:93: mad (M1, 16)"), HasSubstr("= 6.5 (0x40d00000)\n"),
                           HasSubstr("b.visaasm:93: mul (M1, 16)"), HasSubstr("= 6 (0x40c00000)\n"),
                           HasSubstr("output 'y.json' differs")));
  // Lane 0 has index 0, whatever the shift.
  o = changed(kShift, "shl (M1, 16) V0049(0,0)<1> V0048(0,0)<1;1,0> 0x3:d", job());
  EXPECT_THAT(o.out, AllOf(HasSubstr("first result that differs: group 0,0,0 thread 0, lane 1\n"),
                           HasSubstr("0x2:d = 4\n"), HasSubstr("0x3:d = 8\n")));
  // One item more than n leaves: the predicate of item 17, in the second thread.
  o = changed("cmp.lt (M1, 16) P1 V0048(0,0)<1;1,0> V0035", "cmp.le (M1, 16) P1 V0048(0,0)<1;1,0> V0035", job());
  EXPECT_THAT(o.out, AllOf(HasSubstr("first result that differs: group 0,0,0 thread 1, lane 2\n"),
                           HasSubstr(" = false\n"), HasSubstr(" = true\n")));
}

TEST_F(Diff, AJobRunsBoth) {
  write_text(folder / "job.toml",
             "program = \"gone.visaasm\"\nzeinfo = \"" + kSaxpy +
                 ".zeinfo\"\nglobal = [4]\nlocal = [4]\n[args]\na = 2.0\nn = 3\n[buffers.x]\ntype = "
                 "\"f32\"\ndata = [1, 2, 3, 4]\n[buffers.y]\ntype = \"f32\"\ncount = 4\nfill = 0.5\n");
  const Outcome o = changed(kMad, "mad (M1, 16) V0054(0,0)<1> V0034(0,0)<0;1,0> V0052(0,0)<1;1,0> V0052(0,0)<1;1,0>",
                            {"--job", "job.toml"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.out, AllOf(HasSubstr(" = 2.5 (0x40200000)\n"), HasSubstr(" = 3 (0x40400000)\n")));  // 2 * 1 + 0.5, + 1
}

TEST_F(Diff, JsonSaysTheSame) {
  std::vector<std::string> more = job();
  more.insert(more.end(), {"--json", "--pressure"});
  const Outcome o = changed(kMad, "mul (M1, 16) V0054(0,0)<1> V0034(0,0)<0;1,0> V0052(0,0)<1;1,0>", more);
  const auto j = nlohmann::json::parse(o.out);
  EXPECT_EQ(j["same"], false);
  EXPECT_EQ(j["objects"][0]["same"], 19);
  EXPECT_EQ(j["objects"][0]["changes"][0]["kind"], "changed");
  EXPECT_EQ(j["objects"][0]["changes"][0]["a"]["line"], 93);
  EXPECT_EQ(j["run"]["first"]["what"], "value");
  EXPECT_EQ(j["run"]["first"]["lane"], 0);
  EXPECT_EQ(j["run"]["first"]["b"]["value"], "6 (0x40c00000)");
  EXPECT_EQ(j["objects"][0]["pressure_a"]["greatest"], 196);
}

TEST_F(Diff, PressureStandsBesideTheLines) {
  // Behind the second message: n has been compared, so a, the index of y and x's and y's values: 4 + 3 * 64.
  const Outcome o = diff("a.visaasm", {"--pressure"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_THAT(o.out, AllOf(HasSubstr("   196*    196*       92    92  gather4_scaled.R"),
                           HasSubstr("most live bytes: 196 (7 registers of 32 bytes), a.visaasm:92\n")));
  EXPECT_THAT(heddle({"dump", "--pressure", "a.visaasm"}).out, HasSubstr("   196*     92  gather4_scaled.R"));
}

TEST_F(Diff, TroubleIsNoDifference) {
  EXPECT_EQ(diff("gone.visaasm").exit_code, 3);
  write_text(folder / "bad.visaasm", ".version 4.1\n.kernel \"k\"\n    nonsense\n");
  EXPECT_EQ(diff("bad.visaasm").exit_code, 2);
  EXPECT_EQ(heddle({"diff", "a.visaasm"}).exit_code, 2);
  EXPECT_EQ(heddle({"diff", "-", "-"}).exit_code, 2);
  EXPECT_EQ(diff("a.visaasm", {"--global", "4"}).exit_code, 2);  // what it is bound to is missing
  EXPECT_EQ(diff("a.visaasm", {"--entry", "gone"}).exit_code, 2);
}

TEST_F(Diff, FunctionsOfDumps) {
  const fs::path dump = fs::absolute("tests/data/opencl-dump/dump");
  fs::copy(dump, folder / "one");
  fs::copy(dump, folder / "two");
  const std::vector<std::string> run{"diff",      "one",      "two", "--kernel", "second",
                                     "--lenient", "--global", "8",   "--buffer", "o=i32:8"};
  EXPECT_THAT(heddle(run).out,
              AllOf(HasSubstr("function \"fact\": no instruction differs"), HasSubstr("both runs: the same results")));
  // 1 is the factorial of what is below 2; here of what is below 3: the predicate of n = 2 is the first that differs.
  const fs::path file = folder / "two" / "OCL_asmf6c1af8d6f277ad2_simd8_entry_0002_f0.visaasm";
  write_text(file, replaced(read_text(file), "cmp.lt (M1, 8) P1 V0034(0,0)<1;1,0> 0x2:d",
                            "cmp.lt (M1, 8) P1 V0034(0,0)<1;1,0> 0x3:d"));
  const Outcome o = heddle(run);
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.out, AllOf(HasSubstr("first result that differs: group 0,0,0 thread 0, lane 2\n"),
                           HasSubstr("_f0.visaasm:70: cmp.lt (M1, 8) P1 V0034(0,0)<1;1,0> 0x2:d = false\n"),
                           HasSubstr("_f0.visaasm:70: cmp.lt (M1, 8) P1 V0034(0,0)<1;1,0> 0x3:d = true\n")));
}

TEST_F(Diff, ShadersAndOtherKernels) {
  write_text(folder / "two.visaasm", text + "\n.kernel \"other\"\n    ret (M1_NM, 1)\n");
  const Outcome o = diff("two.visaasm");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.out, HasSubstr("only in two.visaasm: kernel \"other\""));
  EXPECT_EQ(diff("two.visaasm", {"--entry", "saxpy"}).exit_code, 0);
  const std::string module = fs::absolute("tests/data/spirv/samename.spvasm").string();
  EXPECT_EQ(heddle({"diff", module, module, "--entry", "main", "--stage", "frag"}).exit_code, 0);
}

}  // namespace
