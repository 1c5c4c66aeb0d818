// SPDX-License-Identifier: MIT
// heddle judge: recorded answers beside what the texts allow. Expected ends by hand: a line of two texels, 0 and 1.
// Rules: BND-16.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/process.hpp"

namespace heddle::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// The weight at u = 0.375 is 1/4 exactly; at 0.4 it is 0.3, 4/16 to 5/16 in 16 steps.
const std::string kDefinition =
    R"({"define":{"surface":"line","type":"2d","format":"R32_FLOAT","width":2,"height":1,"data":[["000000000000803f"]]}})"
    "\n";
const std::string kRequest =
    R"({"id":1,"op":"sample_lz","surface":"line","sampler":"linear","uv":[[0.375,0.5],[0.4,0.5]],"channels":"R"})"
    "\n";
std::string answer(const std::string& red) { return R"({"id":1,"channels":{"R":)" + red + "}}\n"; }

struct Judged {
  Outcome outcome;
  json report;
};

Judged judge(const std::string& lines, const std::vector<std::string>& flags = {}) {
  const TemporaryFolder folder;
  write_text(folder.path() / "all.jsonl", lines);
  std::vector<std::string> words{HEDDLE_PROGRAM, "judge", (folder.path() / "all.jsonl").string(), "--format", "json"};
  words.insert(words.end(), flags.begin(), flags.end());
  Judged j{run(words), {}};
  if (!j.outcome.out.empty() && j.outcome.out[0] == '{') j.report = json::parse(j.outcome.out);
  return j;
}

TEST(Judge, AnswersAloneAskForTheirRequests) {
  const Judged alone = judge(answer("[0.25,0.3]"));
  EXPECT_EQ(alone.outcome.exit_code, 1);
  EXPECT_THAT(alone.outcome.out, HasSubstr("--requests names a file of them"));
  const Judged other = judge(kDefinition + kRequest + R"({"id":7,"channels":{"R":[0,0]}})" + "\n");
  EXPECT_THAT(other.outcome.out, HasSubstr("no request has its id"));
}

TEST(Judge, TellsInsideFromOutside) {
  const Judged inside = judge(kDefinition + kRequest + answer("[0.25,0.3]"));
  EXPECT_EQ(inside.outcome.exit_code, 0) << inside.outcome.err;
  EXPECT_EQ(inside.report["inside"], 2);
  EXPECT_EQ(inside.report["outside"], 0);
  const Judged outside = judge(kDefinition + kRequest + answer("[0.25,0.33]"));
  EXPECT_EQ(outside.outcome.exit_code, 1);
  EXPECT_EQ(outside.report["inside"], 1);
  EXPECT_EQ(outside.report["outside"], 1);
  ASSERT_EQ(outside.report["findings"].size(), 1u);
  const json& finding = outside.report["findings"][0];
  EXPECT_EQ(finding["lane"], 1);
  EXPECT_EQ(finding["channel"], "R");
  EXPECT_EQ(finding["rule"], "BND-5");
  EXPECT_EQ(finding["line"], 3);
  EXPECT_EQ(outside.report["rules"]["BND-5"]["outside"], 1);
}

TEST(Judge, DevicesPromiseMore) {
  // With 8 bits the weight of 0.3 is 76/256 or 77/256: 0.297 or 0.301; 0.3125 is too much.
  const std::string lines = kDefinition + kRequest + answer("[0.25,0.3125]");
  EXPECT_EQ(judge(lines).outcome.exit_code, 0);
  EXPECT_EQ(judge(lines, {"--sub-texel-bits", "8"}).outcome.exit_code, 1);
  EXPECT_EQ(judge(lines, {"--api", "d3d11"}).outcome.exit_code, 1);
}

TEST(Judge, ReadsEveryFormOfResults) {
  // 0.25 and 0.3125 as bits and as base64.
  EXPECT_EQ(judge(kDefinition + kRequest + answer(R"(["3e800000","3ea00000"])")).report["inside"], 2);
  EXPECT_EQ(judge(kDefinition + kRequest + answer(R"("AACAPgAAoD4=")")).report["inside"], 2);
  EXPECT_EQ(judge(kDefinition + kRequest + answer(R"(["3e800000",null])")).report["outside"], 1);
}

TEST(Judge, TheEdgeIsListedOnDemand) {
  // A blend of floats may be off by 2^-16: 0.25 + 2^-17.
  const std::string lines = kDefinition + kRequest + answer("[0.25000763,0.3]");
  EXPECT_EQ(judge(lines).report["edge"], 1);
  EXPECT_TRUE(judge(lines).report["findings"].empty());
  EXPECT_EQ(judge(lines).outcome.exit_code, 0);
  EXPECT_EQ(judge(lines, {"--edges"}).report["findings"][0]["verdict"], "edge");
}

TEST(Judge, SaysWhatItDidNotJudge) {
  const Judged strange = judge(kDefinition + kRequest + R"({"id":7,"channels":{"R":[0,0]}})" + "\n");
  EXPECT_EQ(strange.outcome.exit_code, 1);
  EXPECT_EQ(strange.report["not_judged"], 1);
  EXPECT_EQ(strange.report["skipped"][0]["reason"], "no request has its id");
  EXPECT_EQ(judge(kDefinition + kRequest + answer("[0.25]")).report["skipped"][0]["reason"],
            "channel R has 1 values for 2 lanes");
  const Judged error = judge(kDefinition + kRequest + R"({"id":1,"error":{"id":"x","message":"lost"}})" + "\n");
  EXPECT_EQ(error.report["skipped"][0]["reason"], "the answer is an error: lost");
}

TEST(Judge, NamesMeanWhatTheyMeantForTheRequest) {
  // The line becomes another one after the first request: texels 1 and 1, then the answers come.
  const std::string again =
      R"({"define":{"surface":"line","type":"2d","format":"R32_FLOAT","width":2,"height":1,"data":[["0000803f0000803f"]]}})"
      "\n";
  const std::string second =
      R"({"id":2,"op":"sample_lz","surface":"line","sampler":"linear","uv":[[0.375,0.5],[0.4,0.5]],"channels":"R"})"
      "\n";
  const std::string to_second = R"({"id":2,"channels":{"R":[1,1]}})"
                                "\n";
  const Judged j = judge(kDefinition + kRequest + again + second + answer("[0.25,0.3]") + to_second);
  EXPECT_EQ(j.outcome.exit_code, 0) << j.outcome.out << j.outcome.err;
  EXPECT_EQ(j.report["inside"], 4);
  // And what the later line allows is wrong for the first.
  EXPECT_EQ(judge(kDefinition + kRequest + again + second + answer("[1,1]") + to_second).report["outside"], 2);
}

TEST(Judge, DerivativesThatAreNoNumbersOpenTheLevel) {
  const std::string sample =
      R"({"id":1,"op":"sample_d","surface":"line","sampler":"linear","uv":[[0.25,0.5]],"channels":"R",)"
      R"("params":{"dudx":["0x7fc00000"],"dudy":["0x7fc00000"],"dvdx":["0x7fc00000"],"dvdy":["0x7fc00000"]}})"
      "\n";
  const Judged one = judge(kDefinition + sample + answer("[0]"));
  EXPECT_EQ(one.outcome.exit_code, 0) << one.outcome.err;
  EXPECT_EQ(one.report["inside"], 1);
  EXPECT_EQ(judge(kDefinition + sample + answer("[7]")).report["outside"], 1);  // one level: no texel has 7
  // A neighbor's u that is no number; its own lane is open, even where the answer has no value.
  const std::string quad = R"({"id":1,"op":"sample","surface":"line","sampler":"linear","channels":"R","lanes":4,)"
                           R"("params":{"u":[0.25,"0x7fc00000",0.25,0.25],"v":0.5}})"
                           "\n";
  EXPECT_EQ(judge(kDefinition + quad + answer("[0,7,0,0]")).report["inside"], 4);
  const Judged missing = judge(kDefinition + quad + answer("[0,null,0,0]"));
  EXPECT_EQ(missing.outcome.exit_code, 1);
  ASSERT_EQ(missing.report["findings"].size(), 1u);
  EXPECT_EQ(missing.report["findings"][0]["value"], "no value");
  EXPECT_TRUE(missing.report["findings"][0]["low"].is_null());
}

TEST(Judge, RequestsWithoutAnswersAreCounted) {
  const TemporaryFolder folder;
  const std::string second = R"({"id":2,"op":"resinfo","surface":"line","lanes":1})"
                             "\n";
  write_text(folder.path() / "requests.jsonl", kDefinition + kRequest + second);
  const auto judged = [&](const std::string& answers) {
    write_text(folder.path() / "answers.jsonl", answers);
    return run({HEDDLE_PROGRAM, "judge", (folder.path() / "answers.jsonl").string(), "--requests",
                (folder.path() / "requests.jsonl").string()});
  };
  EXPECT_EQ(judged("").exit_code, 1);
  EXPECT_THAT(judged("").out, HasSubstr("2 requests have no answer"));
  EXPECT_EQ(judged(answer("[0.25,0.3]")).exit_code, 1);
  EXPECT_THAT(judged(answer("[0.25,0.3]")).out, HasSubstr("1 request has no answer"));
  // An answer of the same id twice answers one request.
  EXPECT_THAT(judged(answer("[0.25,0.3]") + answer("[0.25,0.3]")).out, HasSubstr("1 request has no answer"));
  write_text(folder.path() / "requests.jsonl", kDefinition);
  EXPECT_THAT(judged(answer("[0.25,0.3]")).out, HasSubstr("not judged: the file of --requests has no request"));
  EXPECT_EQ(judge(kDefinition + kRequest).report["unanswered"], 1);
  EXPECT_EQ(judge(kDefinition + kRequest + answer("[0.25,0.3]")).report["unanswered"], 0);
}

TEST(Judge, WrongLinesAreNamed) {
  const TemporaryFolder folder;
  write_text(folder.path() / "requests.jsonl", kDefinition + "{\"channels\":{}}\n");
  write_text(folder.path() / "answers.jsonl", answer("[0.25,0.3]"));
  const Outcome o = run({HEDDLE_PROGRAM, "judge", (folder.path() / "answers.jsonl").string(), "--requests",
                         (folder.path() / "requests.jsonl").string()});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("requests.jsonl:2:1: error: a line of the requests has 'op' or 'define' [judge-line]"));
  const Outcome wrong = run({HEDDLE_PROGRAM, "judge", "-"}, R"({"define":{"surface":"x","type":"4d"}})");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("[judge-define]"));
  EXPECT_EQ(run({HEDDLE_PROGRAM, "judge", "no-such-file"}).exit_code, 3);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "judge", "-", "--mipmap-bits", "17"}).exit_code, 2);
}

TEST(Judge, LavapipesRecordIsInside) {
  const Outcome o = run({HEDDLE_PROGRAM, "judge", "examples/python/records/lavapipe.jsonl", "--requests",
                         "examples/python/records/requests.jsonl", "--sub-texel-bits", "8"});
  EXPECT_EQ(o.exit_code, 0) << o.out << o.err;
  EXPECT_THAT(o.out, HasSubstr("60 answers: "));
  EXPECT_THAT(o.out, HasSubstr(" 0 outside; 0 answers not judged"));
}

}  // namespace
}  // namespace heddle::test
