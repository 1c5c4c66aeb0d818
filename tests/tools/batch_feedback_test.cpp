// SPDX-License-Identifier: MIT
// heddle batch, operation feedback: the maps of D3D12's sampler feedback. The cells that are expected follow from the
// specification's definitions, by hand.
// Rules: FP-28 to FP-30, FP-34.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/process.hpp"

namespace heddle::test {
namespace {

using nlohmann::json;

json feedback(const std::string& surface, const std::string& members) {
  const Outcome o =
      run({HEDDLE_PROGRAM, "batch"},
          R"({"op":"feedback","surface":{"type":"2d","format":"r8","fill":"00",)" + surface + "}," + members + "}\n");
  return json::parse(o.out);
}

const std::string k16 = R"("width":16,"height":16,"levels":2)";

std::string cells(const json& answer, std::size_t level) { return answer["used"][level]["cells"]; }
std::string min_mip(const json& answer) { return answer["min_mip"]["cells"]; }

TEST(BatchFeedback, TapsOnBothSidesOfASeam) {
  // u = 0 is between texels 15 and 0, v = 0.25 between rows 3 and 4.
  const std::string at = R"("operation":"sample_l","lanes":1,"uv":[[0,0.25]],"params":{"lod":0},"region":[8,8],)";
  const json repeat = feedback(k16, at + R"("sampler":"linear,repeat","why":true)");
  EXPECT_EQ(cells(repeat, 0), "ffff0000") << repeat;
  EXPECT_EQ(cells(repeat, 1), "00");
  EXPECT_EQ(min_mip(repeat), "0000ffff");
  ASSERT_EQ(repeat["why"].size(), 2u);
  EXPECT_EQ(repeat["why"][0]["cell"], json::parse("[0,0]"));
  EXPECT_EQ(repeat["why"][1]["texels"], json::parse("[[15,3,0,1],[15,4,0,1]]"));
  const json clamp = feedback(k16, at + R"("sampler":"linear,clamp")");
  EXPECT_EQ(cells(clamp, 0), "ff000000");
  // Mirrored, -1 is texel 0.
  EXPECT_EQ(cells(feedback(k16, at + R"("sampler":"linear,mirror")"), 0), "ff000000");
}

TEST(BatchFeedback, ForeignLevelsSpreadOverTheFirst) {
  // 15 x 15 with regions of 4: level 1 has 7 x 7 texels. Its texel (5, 0) lies in region 1, [4, 7), which covers the
  // texels 8 to 15 of level 0 and a part of 8.57 / 4: regions 2 and 3.
  const json answer = feedback(R"("width":15,"height":15,"levels":2)",
                               R"("operation":"sample_l","lanes":1,"uv":[[0.786,0.07]],"params":{"lod":1},)"
                               R"("region":[4,4],"sampler":"mip=nearest,clamp")");
  EXPECT_EQ(cells(answer, 1), "00ff0000");
  // Region [0, 4) of the rows covers 0 to 8.57: rows 0 to 2.
  EXPECT_EQ(min_mip(answer), "ffff0101ffff0101ffff0101ffffffff");
}

TEST(BatchFeedback, PointFormMarksTheRegionUnderTheCoordinate) {
  const std::string at = R"("operation":"sample_l","lanes":1,"uv":[[1.75,0.25]],"params":{"lod":1},"region":[8,8],)";
  // Of two levels, the wrapped coordinate 0.75 lies in column 1.
  EXPECT_EQ(min_mip(feedback(k16, at + R"("sampler":"mip=nearest,repeat","form":"point")")), "ff01ffff");
  EXPECT_EQ(min_mip(feedback(k16, at + R"("sampler":"mip=nearest,repeat")")), "01010101");
}

TEST(BatchFeedback, LanesThatAreNotActiveLeaveNothing) {
  const std::string quad =
      R"("uv":[[0.1,0.1],[0.9,0.1],[0.1,0.9],[0.9,0.9]],"sampler":"mip=nearest,clamp","region":[8,8],)";
  // The four lanes lie 0.8 * 16 texels apart: level log2(12.8) is beyond the last, 1.
  EXPECT_EQ(cells(feedback(k16, quad + R"("active":[1,0,0,0])"), 1), "ff");
  EXPECT_EQ(cells(feedback(k16, quad + R"("active":[1,0,0,0])"), 0), "00000000");
  EXPECT_EQ(cells(feedback(k16, quad + R"("active":[0,0,0,0])"), 1), "00");
}

TEST(BatchFeedback, BoundsHaveWhatTheSpecificationLeavesOpen) {
  // In the middle of texel 7 all weight is on it; its neighbor, texel 8 of the next region, has weight 0.
  const json answer = feedback(k16, R"("operation":"sample_l","lanes":1,"uv":[[0.46875,0.03125]],"params":{"lod":0},)"
                                    R"("region":[8,8],"sampler":"linear,clamp","bounds":true)");
  EXPECT_EQ(cells(answer["bounds"]["least"], 0), "ff000000");
  EXPECT_EQ(min_mip(answer["bounds"]["least"]), "00ffffff");
  EXPECT_EQ(answer["bounds"]["rule"], "FP-34");
  const std::string greatest = cells(answer["bounds"]["greatest"], 0);
  EXPECT_TRUE(greatest == "ffff0000" || greatest == "ff000000") << greatest;
  EXPECT_EQ(cells(answer, 0), greatest);
}

TEST(BatchFeedback, AnArrayHasAMapForEachLayer) {
  const std::string array = k16 + R"(,"array":true,"layers":2)";
  const std::string at =
      R"("operation":"sample_l","lanes":1,"uvr":[[0.1,0.1,1]],"params":{"lod":0},"region":[8,8],"sampler":"clamp")";
  EXPECT_EQ(cells(feedback(array, at + R"(,"layer":1)"), 0), "ff000000");
  EXPECT_EQ(cells(feedback(array, at + R"(,"layer":0)"), 0), "00000000");
}

TEST(BatchFeedback, WrongRequestsAreErrors) {
  const auto id = [](const std::string& surface, const std::string& members) {
    const json answer = feedback(surface, members);
    return answer.contains("error") ? answer["error"]["id"].get<std::string>() : "none: " + answer.dump();
  };
  EXPECT_EQ(id(k16, R"("uv":[0,0])"), "batch-missing");
  EXPECT_EQ(id(k16, R"("uv":[0,0],"region":[3,4])"), "footprint-feedback-region");
  EXPECT_EQ(id(k16, R"("uv":[0,0],"region":[16,4])"), "footprint-feedback-region");
  EXPECT_EQ(id(k16, R"("uv":[0,0],"region":[4])"), "batch-value");
  EXPECT_EQ(id(k16, R"("uv":[0,0],"region":[4,4],"operation":"resinfo")"), "batch-value");
  EXPECT_EQ(id(k16, R"("uv":[0,0],"region":[4,4],"form":"round")"), "batch-value");
}

}  // namespace
}  // namespace heddle::test
