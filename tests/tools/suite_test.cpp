// SPDX-License-Identifier: MIT
// heddle vulkan --suite: cases of a program that says of itself what it does (tests/tools/fake_deqp.py).
// Rules: suite-key, suite-type, suite-value, suite-missing, suite-list, suite-program, suite-merge.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
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

// Shards of groups, merged, are the files of one run; what does not fit is named.
TEST_F(Suite, ShardsMergedAreOneRun) {
  std::vector<std::string> names;
  for (int i = 0; i < 23; ++i)
    names.push_back((i % 7 == 3   ? "crash_"
                     : i % 5 == 2 ? "skip_"
                     : i % 6 == 1 ? "fail_"
                                  : "pass_") +
                    std::to_string(i));
  cases("cases.txt", names);
  write_text(path("fails.txt"), "dEQP-FAKE.a.fail_1,Fail\n");
  suite("tests_per_group = 4\nbaseline = \"fails.txt\"\n");
  EXPECT_EQ(go("serial", {"--jobs", "1", "--junit", path("serial.xml")}).exit_code, 1);
  std::vector<std::string> merge{"--junit", path("merged.xml")};
  for (const char* index : {"3", "1", "2"}) {  // in any order
    const std::string folder = std::string("part") + index;
    EXPECT_LE(go(folder, {"--shard", std::string(index) + "/3"}).exit_code, 1);
    merge.insert(merge.end(), {"--merge", path(folder)});
  }
  EXPECT_THAT(results("part2"), Not(HasSubstr("a.pass_0,")));
  const Outcome merged = go("merged", merge);
  EXPECT_EQ(merged.exit_code, 1) << merged.err;
  for (const char* file : {"results.csv", "failures.csv"})
    EXPECT_EQ(read_text(path(std::string("merged/") + file)), read_text(path(std::string("serial/") + file))) << file;
  EXPECT_EQ(read_text(path("merged.xml")), read_text(path("serial.xml")));
  EXPECT_THAT(read_text(path("serial.xml")),
              HasSubstr("<testsuite name=\"suite\" tests=\"23\" failures=\"5\" skipped=\"4\">"));
  EXPECT_THAT(read_text(path("serial.xml")),
              HasSubstr("<testcase classname=\"dEQP-FAKE.a\" name=\"crash_3\"><failure message=\"Crash\"/>"));
  EXPECT_THAT(read_text(path("serial.xml")), HasSubstr("name=\"fail_1\"/>")) << "as the baseline expects";
  merge.resize(merge.size() - 2);
  const Outcome missing = go("less", merge);
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("has no result in any folder [suite-merge]"));
  EXPECT_FALSE(fs::exists(path("less/results.csv")));
  merge.insert(merge.end(), {"--merge", path("part3")});
  EXPECT_THAT(go("less", merge).err, HasSubstr("is there twice"));
  write_text(path("part2/results.csv"), "dEQP-FAKE.a.pass_4,Fine\n");
  EXPECT_THAT(go("less", {"--merge", path("part2")}).err, HasSubstr("is no line of results"));
  EXPECT_EQ(go("less", {"--shard", "4/3"}).exit_code, 2);
}

// examples/suite.slurm, with what Slurm sets for the tasks of an array.
TEST_F(Suite, JobsOfAnArrayMergedAreOneRun) {
  cases("cases.txt", {"pass_1", "fail_1", "pass_2", "crash_1", "pass_3"});
  suite("tests_per_group = 1\n");
  EXPECT_EQ(go("serial").exit_code, 1);
  std::vector<std::string> merge;
  const std::string search = fs::path(HEDDLE_PROGRAM).parent_path().string() + ":/usr/bin:/bin";
  for (const char* task : {"1", "2"}) {
    const Outcome o =
        run({"env", "PATH=" + search, "SUITE=" + path("suite.toml"), "RESULTS=" + path("array"),
             std::string("SLURM_ARRAY_TASK_ID=") + task, "SLURM_ARRAY_TASK_COUNT=2", "bash", "examples/suite.slurm"});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    merge.insert(merge.end(), {"--merge", path(std::string("array/") + task)});
  }
  EXPECT_EQ(go("array", merge).exit_code, 1);
  EXPECT_EQ(results("array"), results("serial"));
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

/// The number that a case left.
pid_t process_of(const fs::path& state) { return std::stoi(read_text(state / "process")); }

/// It is gone, or is so but for its parent's question.
bool has_ended(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  return !std::getline(in, text) || text.find(") Z") != std::string::npos;
}

// A program that crashes in cases of its own would do so again and again.
TEST_F(Suite, AProgramThatGetsNowhereIsNotRunAgain) {
  cases("cases.txt", {"pass_1", "stray_1", "pass_2"});
  suite("");
  EXPECT_EQ(go("out").exit_code, 1);
  EXPECT_EQ(results("out"), csv({"pass_1,Pass", "stray_1,Missing", "pass_2,Missing"}));
  EXPECT_TRUE(fs::exists(path("out/c0.r2.log")));
  EXPECT_FALSE(fs::exists(path("out/c0.r3.log")));
}

TEST_F(Suite, AProcessThatStaysDoesNotHoldTheSuite) {
  cases("cases.txt", {"daemon_1", "pass_1"});
  fs::create_directories(path("state"));
  suite("[deqp.env]\nFAKE_STATE = \"" + path("state") + "\"\n");
  const Outcome o = go("out");
  EXPECT_EQ(o.exit_code, 0) << o.out << o.err;
  EXPECT_EQ(results("out"), csv({"daemon_1,Pass", "pass_1,Pass"}));
  EXPECT_EQ(kill(process_of(path("state")), SIGKILL), 0) << "it was there";
}

// A second of a child's time and a second of waiting are neither of them 1.6.
TEST_F(Suite, TheTimeOfACaseIsThatOfAllItsProcesses) {
  cases("cases.txt", {"family_1"});
  suite("timeout = 1.6\n");
  const Outcome o = go("out");
  EXPECT_EQ(o.exit_code, 0) << o.out << o.err;
  EXPECT_EQ(results("out"), csv({"family_1,Pass"}));
}

TEST_F(Suite, WhatCannotStartOrBeWrittenIsSaid) {
  cases("cases.txt", {"pass_1"});
  suite("");
  for (const char* file : {"results.csv.part", "c0.r1.log", "c0.r1.caselist.txt"}) {
    fs::create_directories(path("out") + "/" + file + "/held");
    const Outcome o = go("out");
    EXPECT_EQ(o.exit_code, 3) << file << o.err;
    EXPECT_THAT(o.err, HasSubstr(file));
    EXPECT_THAT(o.err, HasSubstr("[file-write]"));
    fs::remove_all(path("out"));
  }
  write_text(path("deqp"), "#!/no/such/interpreter\n");
  const Outcome o = go("out");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("cannot be run: No such file or directory [suite-program]"));
  EXPECT_EQ(results("out"), csv({"pass_1,Missing"}));
}

// Why all cases are missing; not where that is what the baseline expects.
TEST_F(Suite, AProgramThatBeginsNoCaseIsTold) {
  cases("cases.txt", {"pass_1", "pass_2"});
  suite("");
  for (const auto& [script, how] : {std::pair{"echo no such display; exit 3", "ended with exit code 3"},
                                    {"kill -KILL $$", "was ended by signal 9"}}) {
    write_text(path("deqp"), std::string("#!/bin/sh\n") + script + "\n");
    const Outcome o = go("out");
    EXPECT_EQ(o.exit_code, 1);
    EXPECT_EQ(results("out"), csv({"pass_1,Missing", "pass_2,Missing"}));
    EXPECT_THAT(o.err, HasSubstr(std::string(how) + " and began no case of its list [suite-program]"));
    EXPECT_THAT(o.err, HasSubstr("out/c0.r1.log' has what it wrote"));
  }
  const Outcome expected = go("again", {"--baseline", path("out/failures.csv")});
  EXPECT_EQ(expected.exit_code, 0);
  EXPECT_EQ(expected.err, "");
}

// What has run before a run is ended is in results.csv.part, and its processes end with it.
TEST_F(Suite, ARunThatIsEndedLeavesWhatItHas) {
  cases("cases.txt", {"pass_1", "fail_1", "end_1", "pass_2"});
  fs::create_directories(path("state"));
  suite("tests_per_group = 1\n[deqp.env]\nFAKE_STATE = \"" + path("state") + "\"\n");
  const Outcome o = go("out", {"--jobs", "1"});
  EXPECT_EQ(o.signal, SIGTERM) << o.err;
  EXPECT_EQ(read_text(path("out/results.csv.part")), csv({"pass_1,Pass", "fail_1,Fail"}));
  EXPECT_FALSE(fs::exists(path("out/results.csv")));
  const pid_t left = process_of(path("state"));
  for (int i = 0; i < 3000 && !has_ended(left); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(has_ended(left));
}

TEST_F(Suite, FilesOfOthersAreKept) {
  cases("cases.txt", {"pass_1"});
  suite("");
  fs::create_directories(path("out"));
  const std::vector<std::string> others{"c0.notes.txt", "c0.old.log", "c0.r1.txt",
                                        "c0.r.log",     "c0.r1x.log", "c01.r1.log"};
  for (const std::string& name : others) write_text(path("out/" + name), "mine");
  ASSERT_EQ(go("out").exit_code, 0);
  for (const std::string& name : others) EXPECT_EQ(read_text(path("out/" + name)), "mine");
  for (const char* ending : {"log", "qpa", "caselist.txt"})
    EXPECT_FALSE(fs::exists(path(std::string("out/c0.r1.") + ending)));
  EXPECT_FALSE(fs::exists(path("out/results.csv.part")));
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
  refused("[deqp]\ndeqp = \"./deqp\"\n", "'deqp' is one table [suite-type]");
  refused("\n[[deqp]]\ndeqp = \"./deqp\"\n", "suite.toml:2:1: error: [[deqp]] needs 'caselists', files with a case a");
  refused("[[deqp]]\ncaselists = [\"cases.txt\"]\n", "suite.toml:1:1: error: [[deqp]] needs 'deqp', the program");
  write_text(path("suite.toml"), "[[deqp]]\ndeqp = 3\ncaselists = [\"cases.txt\"]\n");
  EXPECT_THAT(go("out").err, Not(HasSubstr("needs"))) << "one mistake has one message";
  write_text(path("empty.txt"), "# none\n");
  refused("[[deqp]]\ndeqp = \"./deqp\"\ncaselists = [\"empty.txt\"]\n", "its lists are empty, or");
  for (const char* member : {"skips = [\"no\"]", "flakes = [\"no\"]", "baseline = \"no\"", "caselists = [\"no\"]"}) {
    const std::string key = std::string(member).substr(0, std::string(member).find(' '));
    write_text(path("suite.toml"), (key == "caselists" ? "[[deqp]]\ndeqp = \"./deqp\"\n" : part) + member + "\n");
    const Outcome o = go("out");
    EXPECT_EQ(o.exit_code, 3) << member;
    EXPECT_THAT(o.err, HasSubstr("'" + key + "' of '" + path("suite.toml") + "' names it")) << member;
  }
  refused(part + "time_out = 3\n", "suite.toml:4:1: error");
  refused(part + "timeout = \"long\"\n", "[suite-type]");
  refused(part + "tests_per_group = 0\n", "[suite-value]");
  refused(part + "include = [\"a\", \"(\"]\n", "suite.toml:4:17: error: '(' is no regular expression [suite-value]");
  refused(part + "include = [\"nothing\"]\n", "the suite has no case");
  write_text(path("list.txt"), "# fine\nno(\n");
  refused(part + "skips = [\"list.txt\"]\n", "list.txt:2:1: error: 'no(' is no regular expression");
  refused(part + "baseline = \"list.txt\"\n", "list.txt:2:1: error: 'no(' is no expected failure");
  for (const char* seconds : {"0", "-1", "inf", "nan"})
    refused(part + "timeout = " + seconds + "\n",
            "suite.toml:4:11: error: 'timeout' of [[deqp]]: must be a number of seconds above 0");
  write_text(path("long.txt"), "fine\n" + std::string(5000, 'a') + "\n");
  for (const char* list : {"skips", "flakes"})
    refused(part + list + " = [\"long.txt\"]\n", "long.txt:2:1: error: a line has more than 4096 characters");
  refused(part + "baseline = \"long.txt\"\n", "[suite-list]");
  refused("[[deqp]]\ndeqp = \"./deqp\"\ncaselists = [\"long.txt\"]\n", "[suite-list]");
  refused(part + "prefix = \"" + std::string(4090, 'p') + "\"\n", "cases.txt:2:1: error: a line has more than");
  refused(part + "include = [\"" + std::string(5000, 'a') + "\"]\n", "[suite-value]");
  for (const char* program : {"./gone", "no-program-of-path", "."}) {
    write_text(path("suite.toml"), std::string("[[deqp]]\ndeqp = \"") + program + "\"\ncaselists = [\"cases.txt\"]\n");
    const Outcome o = go("out");
    EXPECT_EQ(o.exit_code, 2) << program;
    EXPECT_THAT(o.err, HasSubstr("[suite-program]"));
  }
  write_text(path("suite.toml"), part);
  // No case runs for results that cannot be written.
  const Outcome report = run({HEDDLE_PROGRAM, "vulkan", "--suite", path("suite.toml"), "--output", path("early"),
                              "--junit", path("no/such/folder.xml")});
  EXPECT_EQ(report.exit_code, 3);
  EXPECT_TRUE(fs::is_empty(path("early")));
  EXPECT_EQ(run({HEDDLE_PROGRAM, "vulkan", "--suite", path("suite.toml"), "--output", path("early"), "--junit",
                 path("early/results.xml")})
                .exit_code,
            0);
  const Outcome none =
      run({HEDDLE_PROGRAM, "vulkan", "--suite", path("suite.toml"), "--output", path("empty"), "--shard", "2/2"});
  EXPECT_EQ(none.out, "0 cases\n");
  // A program beside the suite, which is named from its own folder, is not looked for in PATH.
  const std::string program = fs::absolute(HEDDLE_PROGRAM).string();
  EXPECT_EQ(run({program, "vulkan", "--suite", "suite.toml", "--output", "here"}, {}, folder_.path()).exit_code, 0);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "vulkan", "--suite", path("suite.toml"), "vkcube"}).exit_code, 2);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "vulkan", "--suite", path("missing.toml")}).exit_code, 3);
}

}  // namespace
}  // namespace heddle::test
