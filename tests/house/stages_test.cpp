// SPDX-License-Identifier: MIT
// A stage of primitives costs the places that docs/architecture.md lists under "Add a stage", and no others.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "support/process.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = HEDDLE_SOURCE_DIR;

/// The numbered points of the section.
std::vector<std::string> points() {
  const std::string page = test::read_text(kRoot / "docs/architecture.md");
  const std::size_t begin = page.find("## Add a stage\n"), end = page.find("\n## ", begin + 1);
  std::vector<std::string> list;
  std::size_t at = begin;
  for (int number = 1;; ++number) {
    at = page.find("\n" + std::to_string(number) + ". ", at);
    if (at == std::string::npos || at > end) return list;
    const std::size_t next = std::min(page.find("\n" + std::to_string(number + 1) + ". ", at + 1), end);
    list.push_back(page.substr(at, next - at));
  }
}

/// Files and folders below src that the points name by their whole paths.
std::vector<std::string> places(const std::vector<std::string>& points) {
  const std::regex path(
      R"re(`((?:isa|spirv|shader_interface|pipeline|vulkan|library|job|tools|explore)/[a-z_/.]*)`)re");
  std::vector<std::string> found;
  for (const std::string& point : points)
    for (std::sregex_iterator i(point.begin(), point.end(), path), end; i != end; ++i) found.push_back((*i)[1]);
  return found;
}

TEST(Stages, ANewOneTakesFewerThanTwelvePlaces) {
  EXPECT_EQ(points().size(), 11u);
  for (const std::string& place : places(points())) EXPECT_TRUE(fs::exists(kRoot / "src" / place)) << place;
}

TEST(Stages, FilesThatNameAStageOfPrimitivesAreAmongThem) {
  const std::vector<std::string> known = places(points());
  const std::regex stage("ShaderStage::(Geometry|TessellationControl|TessellationEvaluation|Task|Mesh)\\b");
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src")) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cpp" && extension != ".hpp") continue;
    if (!std::regex_search(test::read_text(entry.path()), stage)) continue;
    ++files;
    const std::string path = entry.path().lexically_relative(kRoot / "src").generic_string();
    EXPECT_TRUE(std::ranges::any_of(known, [&](const std::string& place) { return path.starts_with(place); })) << path;
  }
  EXPECT_GT(files, 20u);
}

}  // namespace
}  // namespace heddle
