// SPDX-License-Identifier: MIT
// heddle vulkan --suite: cases of a program that says of itself what it does (tests/tools/fake_deqp.py).
// Rules: suite-key, suite-type, suite-value, suite-missing, suite-list, suite-program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/process.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class Suite : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(fs::path(HEDDLE_PROGRAM).parent_path() / ".." / ".." / "lib" / "heddle_icd.json"))
      GTEST_SKIP() << "this build has no Vulkan driver";
    fs::copy_file(fs::path(HEDDLE_TEST_DIR) / "tools" / "fake_deqp.py", folder_ / "deqp");
    fs::permissions(folder_ / "deqp", fs::perms::owner_all);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// A list of cases; "crash_1": dEQP-FAKE.a.crash_1.
  void cases(const std::string& file, const std::vector<std::string>& names) const {
    std::string text = "# a list\n";
    for (const std::string& name : names) text += "dEQP-FAKE.a." + name + "\n";
    write_text(path(file), text);
  }
  /// A suite of one part, with more members.
  void suite(const std::string& members) const {
    write_text(path("suite.toml"), "[[deqp]]\ndeqp = \"./deqp\"\ncaselists = [\"cases.txt\"]\n" + members);
  }
  [[nodiscard]] Outcome go(const std::string& output, const std::vector<std::string>& flags = {}) const {
    std::vector<std::string> words{HEDDLE_PROGRAM, "vulkan", "--suite", path("suite.toml"), "--output", path(output)};
    words.insert(words.end(), flags.begin(), flags.end());
    return run(words);
  }
  [[nodiscard]] std::string results(const std::string& output) const {
    return read_text(path(output + "/results.csv"));
  }
  /// What results.csv should be: "pass_1,Pass" lines without the names' beginnings.
  [[nodiscard]] static std::string csv(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += "dEQP-FAKE.a." + line + "\n";
    return text;
  }
  TemporaryFolder folder_;
};

TEST_F(Suite, EachCaseHasWhatBecameOfIt) {
  cases("cases.txt", {"pass_1", "fail_1", "skip_1", "crash_1", "pass_2", "warn_1", "crash_2", "crash_3", "lost_1",
                      "absent_1", "pass_3"});
  suite("");
  const Outcome o = go("out");
  EXPECT_EQ(o.exit_code, 1) << o.err;
  EXPECT_EQ(results("out"),
            csv({"pass_1,Pass", "fail_1,Fail", "skip_1,Skip", "crash_1,Crash", "pass_2,Pass", "warn_1,Warn",
                 "crash_2,Crash", "crash_3,Crash", "lost_1,Crash", "absent_1,Missing", "pass_3,Pass"}));
  EXPECT_EQ(read_text(path("out/failures.csv")), csv({"fail_1,Fail", "crash_1,Crash", "crash_2,Crash", "crash_3,Crash",
                                                      "lost_1,Crash", "absent_1,Missing"}));
  EXPECT_THAT(o.out, HasSubstr("11 cases: 4 Crash, 1 Fail, 1 Missing, 3 Pass, 1 Skip, 1 Warn"));
  // Four processes: three died. Their logs are kept.
  EXPECT_THAT(read_text(path("out/c0.r2.caselist.txt")), HasSubstr("pass_2\n"));
  EXPECT_THAT(read_text(path("out/c0.r2.caselist.txt")), Not(HasSubstr("crash_1")));
  EXPECT_THAT(read_text(path("out/c0.r1.log")), HasSubstr("Image mismatch"));
  EXPECT_TRUE(fs::exists(path("out/c0.r4.qpa")));
  EXPECT_FALSE(fs::exists(path("out/c0.r5.log")));
}

// One that waits for good and one that computes for good; what stands behind them runs.
TEST_F(Suite, CasesWithoutAnEndAreKilled) {
  cases("cases.txt", {"pass_1", "hang_1", "pass_2", "spin_1", "pass_3"});
  suite("timeout = 1.5\n");
  const Outcome o = go("out", {"--jobs", "1"});
  EXPECT_EQ(o.exit_code, 1) << o.err;
  EXPECT_EQ(results("out"), csv({"pass_1,Pass", "hang_1,Timeout", "pass_2,Pass", "spin_1,Timeout", "pass_3,Pass"}));
}

TEST_F(Suite, BaselineFlakesAndSkips) {
  cases("cases.txt",
        {"pass_1", "fail_1", "fail_2", "crash_1", "fail_3", "pass_2", "fail_4", "skip_1", "pass_9", "fail_9"});
  write_text(path("fails.txt"),
             "# known\ndEQP-FAKE.a.fail_1,Fail\n\ndEQP-FAKE.a.crash_1,Crash\ndEQP-FAKE.a.pass_2,Fail\n"
             "dEQP-FAKE.a.fail_4,Crash\ndEQP-FAKE.a.skip_1,Fail\n");
  write_text(path("flakes.txt"), "fail_[23]$\n");
  write_text(path("skips.txt"), "# later\n.*_9\n");
  suite("baseline = \"fails.txt\"\nflakes = [\"flakes.txt\"]\nskips = [\"skips.txt\"]\n");
  const Outcome o = go("out");
  EXPECT_EQ(o.exit_code, 1) << o.err;
  EXPECT_EQ(results("out"), csv({"pass_1,Pass", "fail_1,ExpectedFail", "fail_2,KnownFlake", "crash_1,ExpectedFail",
                                 "fail_3,KnownFlake", "pass_2,UnexpectedImprovement(Pass)",
                                 "fail_4,UnexpectedImprovement(Fail)", "skip_1,UnexpectedImprovement(Skip)"}));
  // What a run writes is the next one's baseline; files may come by flags.
  cases("cases.txt", {"pass_1", "fail_1", "crash_1"});
  suite("");
  EXPECT_EQ(go("first").exit_code, 1);
  const Outcome second = go("second", {"--baseline", path("first/failures.csv")});
  EXPECT_EQ(second.exit_code, 0) << second.out << second.err;
  EXPECT_EQ(results("second"), csv({"pass_1,Pass", "fail_1,ExpectedFail", "crash_1,ExpectedFail"}));
  EXPECT_EQ(read_text(path("second/failures.csv")), "");
  write_text(path("all.txt"), "fail|crash\n");
  EXPECT_EQ(go("third", {"--skips", path("all.txt")}).exit_code, 0);
  EXPECT_EQ(results("third"), csv({"pass_1,Pass"}));
}

TEST_F(Suite, AFailureThatDoesNotComeAgainIsAFlake) {
  cases("cases.txt", {"flaky_1", "pass_1", "fail_1"});
  fs::create_directories(path("state"));
  suite("[deqp.env]\nFAKE_STATE = \"" + path("state") + "\"\n");
  EXPECT_EQ(go("out").exit_code, 1);
  EXPECT_EQ(results("out"), csv({"flaky_1,Flake", "pass_1,Pass", "fail_1,Fail"}));
  EXPECT_EQ(read_text(path("out/failures.csv")), csv({"fail_1,Fail"}));
}

// The same bytes from one process at a time and from several, in groups of few cases.
TEST_F(Suite, JobsChangeNothing) {
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i)
    names.push_back((i % 11 == 5  ? "crash_"
                     : i % 7 == 3 ? "fail_"
                     : i % 5 == 2 ? "skip_"
                                  : "pass_") +
                    std::to_string(i));
  cases("cases.txt", names);
  suite("tests_per_group = 7\n");
  EXPECT_EQ(go("serial", {"--jobs", "1"}).exit_code, 1);
  EXPECT_EQ(go("parallel", {"--jobs", "4"}).exit_code, 1);
  EXPECT_EQ(results("parallel"), results("serial"));
  EXPECT_EQ(read_text(path("parallel/failures.csv")), read_text(path("serial/failures.csv")));
  std::string wanted;
  for (int i = 0; i < 60; ++i)
    wanted += "dEQP-FAKE.a." + names[static_cast<std::size_t>(i)] +
              (i % 11 == 5  ? ",Crash\n"
               : i % 7 == 3 ? ",Fail\n"
               : i % 5 == 2 ? ",Skip\n"
                            : ",Pass\n");
  EXPECT_EQ(results("serial"), wanted);
}

TEST_F(Suite, PartsPrefixesAndFractions) {
  cases("cases.txt", {"pass_0", "pass_1", "pass_2", "pass_3", "pass_4", "env_1"});
  write_text(path("suite.toml"),
             "[[deqp]]\ndeqp = \"./deqp\"\ncaselists = [\"cases.txt\"]\nfraction = 2\ninclude = [\"pass\"]\n"
             "[[deqp]]\ndeqp = \"./deqp\"\ncaselists = [\"cases.txt\"]\nprefix = \"set-\"\ninclude = [\"env\"]\n"
             "env = { FAKE_WORD = \"x\" }\n");
  EXPECT_EQ(go("out").exit_code, 0);
  EXPECT_EQ(results("out"), csv({"pass_0,Pass", "pass_2,Pass", "pass_4,Pass"}) + "set-dEQP-FAKE.a.env_1,Pass\n");
}

TEST_F(Suite, MistakesAreSaid) {
  cases("cases.txt", {"pass_1"});
  const auto refused = [&](const std::string& text, const std::string& what) {
    write_text(path("suite.toml"), text);
    const Outcome o = go("out");
    EXPECT_EQ(o.exit_code, 1) << text;
    EXPECT_THAT(o.err, HasSubstr(what));
    EXPECT_FALSE(fs::exists(path("out/results.csv")));
  };
  const std::string part = "[[deqp]]\ndeqp = \"./deqp\"\ncaselists = [\"cases.txt\"]\n";
  refused("", "[suite-missing]");
  refused("[[deqp]]\ndeqp = \"./deqp\"\n", "[suite-missing]");
  refused(part + "time_out = 3\n", "suite.toml:4:1: error");
  refused(part + "timeout = \"long\"\n", "[suite-type]");
  refused(part + "tests_per_group = 0\n", "[suite-value]");
  refused(part + "include = [\"(\"]\n", "[suite-value]");
  refused(part + "include = [\"nothing\"]\n", "the suite has no case");
  write_text(path("list.txt"), "# fine\nno(\n");
  refused(part + "skips = [\"list.txt\"]\n", "list.txt:2:1: error: 'no(' is no regular expression");
  refused(part + "baseline = \"list.txt\"\n", "list.txt:2:1: error: 'no(' is no expected failure");
  refused("[[deqp]]\ndeqp = \"./gone\"\ncaselists = [\"cases.txt\"]\n", "[suite-program]");
  write_text(path("suite.toml"), part);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "vulkan", "--suite", path("suite.toml"), "vkcube"}).exit_code, 2);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "vulkan", "--suite", path("missing.toml")}).exit_code, 3);
}

}  // namespace
}  // namespace heddle::test
