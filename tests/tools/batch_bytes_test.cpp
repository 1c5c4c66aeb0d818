// SPDX-License-Identifier: MIT
// heddle batch, operation footprint_bytes: lines and pages by hand, of each tiling. A line has 64 bytes, a page 4096.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/process.hpp"

namespace heddle::test {
namespace {

using nlohmann::json;

const std::string k128 = R"({"type":"2d","format":"rgba8","width":128,"height":128})";

json bytes_of(const std::string& surface, const std::string& members) {
  const Outcome o =
      run({HEDDLE_PROGRAM, "batch"}, R"({"op":"footprint_bytes","surface":)" + surface + "," + members + "}\n");
  return json::parse(o.out);
}
std::string problem(const json& answer) {
  return answer.contains("error") ? answer["error"]["id"].get<std::string>() : "none: " + answer.dump();
}

// Four texels of a column: rows of 512 bytes lie in lines of their own, and a line of a tiled surface has 4 x 4 texels.
TEST(BatchBytes, AColumn) {
  const json answer = bytes_of(k128, R"("texels":[[0,0,5,0],[0,0,5,1],[0,0,5,2],[0,0,5,3]])");
  EXPECT_EQ(answer["bytes"], 16);
  ASSERT_EQ(answer["tilings"].size(), 4u);
  for (const auto& [name, tiling] : answer["tilings"].items()) {
    EXPECT_EQ(tiling["lines"], name == "linear" ? 4 : 1) << name;
    EXPECT_EQ(tiling["pages"], 1) << name;
    EXPECT_EQ(tiling["surface_bytes"], 65536) << name;
  }
}

// A row of 128 texels: 512 bytes are 8 lines. Tiled, a line has 4 of its texels; a page of tile Y or tile 4 is 32 x 32
// texels, one of tile 64, which is 128 x 128 texels of 16 pages, is 32 x 32 as well.
TEST(BatchBytes, ARow) {
  std::string texels;
  for (int x = 0; x < 128; ++x) texels += (x != 0 ? "," : "") + ("[0,0," + std::to_string(x) + ",0]");
  const json tilings = bytes_of(k128, R"("texels":[)" + texels + "]")["tilings"];
  EXPECT_EQ(tilings["linear"]["lines"], 8);
  EXPECT_EQ(tilings["linear"]["pages"], 1);
  for (const char* name : {"y", "tile4", "tile64"}) {
    EXPECT_EQ(tilings[name]["lines"], 32) << name;
    EXPECT_EQ(tilings[name]["pages"], 4) << name;
  }
}

TEST(BatchBytes, TexelsThatAreNone) {
  EXPECT_EQ(problem(bytes_of(k128, R"("texels":[[0,0,128,0]])")), "footprint-query");
  EXPECT_EQ(problem(bytes_of(k128, R"("texels":[[9,0,0,0]])")), "footprint-query");
  EXPECT_EQ(problem(bytes_of(k128, R"("texels":[[-1,0,0,0]])")), "batch-value");
  EXPECT_EQ(problem(bytes_of(k128, R"("texels":[[0,0,0,-5]])")), "batch-value");
  EXPECT_EQ(problem(bytes_of(k128, R"("texels":[[0,0,0]])")), "batch-value");
  EXPECT_EQ(problem(bytes_of(k128, R"("texels":"all")")), "batch-type");
}

}  // namespace
}  // namespace heddle::test
