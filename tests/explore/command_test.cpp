// SPDX-License-Identifier: MIT
// heddle explore on the command line: files, usage, and the server.

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>

#include "explore/pages/report.hpp"
#include "kernels.hpp"
#include "support/process.hpp"

namespace heddle::explore {
namespace {

using heddle::test::TemporaryFolder;

heddle::test::Outcome heddle_explore(std::vector<std::string> words, const TemporaryFolder& folder) {
  words.insert(words.begin(), {std::filesystem::absolute(HEDDLE_PROGRAM).string(), "explore"});
  return heddle::test::run(words, {}, folder.path());
}

void write_job(const TemporaryFolder& folder) {
  heddle::test::write_text(folder / "k.visaasm", test::kKernel);
  heddle::test::write_text(folder / "job.toml", "program = \"k.visaasm\"\n" + test::kJob);
}

TEST(ExploreCommand, WritesAReport) {
  if (!has_page()) GTEST_SKIP() << "built without esbuild";
  const TemporaryFolder folder;
  write_job(folder);
  const auto done = heddle_explore({"job.toml", "--trace", "2,2", "-o", "report.html"}, folder);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_NE(done.err.find("report.html: 1 command,"), std::string::npos) << done.err;
  const std::string html = heddle::test::read_text(folder / "report.html");
  EXPECT_TRUE(html.starts_with("<!doctype html>"));
  EXPECT_NE(html.find("data-name=\"history/0/0/0\""), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "out.png"));
}

TEST(ExploreCommand, AFolderIsItsJobsInOrder) {
  if (!has_page()) GTEST_SKIP() << "built without esbuild";
  const TemporaryFolder folder;
  write_job(folder);
  std::filesystem::copy(folder / "job.toml", folder / "another.toml");
  const auto done = heddle_explore({".", "-o", "report.html"}, folder);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_NE(done.err.find("2 commands"), std::string::npos) << done.err;
}

TEST(ExploreCommand, APixelThatNothingCoversIsSaid) {
  if (!has_page()) GTEST_SKIP() << "built without esbuild";
  const TemporaryFolder folder;
  write_job(folder);
  const auto outside = heddle_explore({"job.toml", "-o", "x.html", "--trace", "4000,1"}, folder);
  EXPECT_EQ(outside.exit_code, 0) << outside.err;
  EXPECT_NE(outside.err.find("no thread ran where --trace asks for [explore-trace]"), std::string::npos) << outside.err;
  for (const std::vector<std::string>& words : {std::vector<std::string>{"job.toml", "-o", "x.html", "--trace", "0,0"},
                                                {"job.toml", "-o", "x.html"},
                                                {"job.toml", "-o", "x.html", "--trace", "4000,1", "-q"}})
    EXPECT_EQ(heddle_explore(words, folder).err.find("explore-trace"), std::string::npos);
}

TEST(ExploreCommand, MistakesAreSaid) {
  if (!has_page()) GTEST_SKIP() << "built without esbuild";
  const TemporaryFolder folder;
  write_job(folder);
  const auto said = [&](const std::vector<std::string>& words, int code, const std::string& part) {
    const auto done = heddle_explore(words, folder);
    EXPECT_EQ(done.exit_code, code) << done.err;
    EXPECT_NE(done.err.find(part), std::string::npos) << done.err;
  };
  said({"job.toml"}, 2, "-o FILE.html or --serve");
  said({"job.toml", "--serve", "-o", "x.html"}, 2, "one of both");
  said({"job.toml", "-o", "x.html", "--open"}, 2, "--open belongs to --serve");
  said({"job.toml", "-o", "x.html", "--trace", "1;2"}, 2, "X,Y or X,Y,WxH is expected");
  said({"job.toml", "-o", "x.html", "--trace", "1,2,0x4"}, 2, "X,Y or X,Y,WxH is expected");
  said({"job.toml", "--serve", "--port", "70000"}, 2, "--port takes");
  said({"nothing.toml", "-o", "x.html"}, 3, "nothing.toml");
  said({"job.toml", "-o", "nowhere/x.html"}, 3, "nowhere/x.html");
  std::filesystem::create_directory(folder / "empty");
  said({"empty", "-o", "x.html"}, 3, "has no job");
  EXPECT_FALSE(std::filesystem::exists(folder / "x.html"));
}

}  // namespace
}  // namespace heddle::explore
