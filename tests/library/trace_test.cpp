// SPDX-License-Identifier: MIT
// heddle/trace.hpp: lines of instructions, their filters, counts, the listing, pictures of texels; wrong arguments.
#include "heddle/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "library/ids.hpp"
#include "library/programs.hpp"

namespace heddle {
namespace {

using test::id_of;
using testing::HasSubstr;

class LibraryTrace : public testing::Test {
 protected:
  Program program = *Program::parse(test::kNegative, "negative.visaasm");
  Image source = *Image::create({.width = 8, .height = 8});
  Image result = *Image::create({.width = 8, .height = 8});
  std::vector<std::string> lines;

  TraceOptions lines_only() {
    TraceOptions options;
    options.write = [this](const std::string& line) { lines.push_back(line); };
    return options;
  }
  Result<RunReport> watch(Trace& trace) const {
    RunOptions options;
    options.trace = &trace;
    heddle::Run run(program, options);
    run.bind("T6", source).bind("T7", result).bind("S0", Sampler());
    Drawing d;
    d.targets = {"T7"};
    d.inputs = {{"u", "uv.x"}, {"v", "uv.y"}};
    return run.draw(d);
  }
};

TEST_F(LibraryTrace, ALineForEachInstruction) {
  Trace trace(lines_only());
  const auto report = watch(trace);
  ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
  EXPECT_EQ(report->engine, Engine::Reference);
  EXPECT_GE(lines.size(), report->instructions);
  EXPECT_THAT(lines.front(), HasSubstr("sample_lz.RGBA"));
  for (const std::string& line : lines) EXPECT_EQ(line.back(), '\n');
  EXPECT_EQ(trace.listing(), "");
  EXPECT_TRUE(trace.counts().empty());
}

TEST_F(LibraryTrace, FiltersLeaveLinesOut) {
  TraceOptions options = lines_only();
  options.lines = {15, 15};
  Trace by_line(options);
  ASSERT_TRUE(watch(by_line).ok());
  ASSERT_FALSE(lines.empty());
  for (const std::string& line : lines) EXPECT_THAT(line, HasSubstr("sample_lz"));
  const std::size_t all = lines.size();
  lines.clear();
  options.thread = 1000;
  Trace nowhere(options);
  ASSERT_TRUE(watch(nowhere).ok());
  EXPECT_TRUE(lines.empty());
  options.thread.reset();
  options.lane = 3;
  Trace by_lane(options);
  ASSERT_TRUE(watch(by_lane).ok());
  EXPECT_LE(lines.size(), all);
  EXPECT_FALSE(lines.empty());
}

TEST_F(LibraryTrace, CountsAndListing) {
  TraceOptions options;
  options.coverage = true;
  Trace trace(options);
  const auto report = watch(trace);
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(trace.listing(), HasSubstr("rt_write_3d"));
  const auto counts = trace.counts();
  ASSERT_FALSE(counts.empty());
  EXPECT_EQ(counts.front().first, "add");
  EXPECT_EQ(counts.front().second, 3 * 4u);  // 64 pixels are four threads of 16 lanes
  ASSERT_TRUE(watch(trace).ok());            // another run begins anew
  EXPECT_EQ(trace.counts(), counts);
}

TEST_F(LibraryTrace, PicturesOfTexels) {
  TraceOptions options;
  options.texels = true;
  Trace trace(options);
  const auto report = watch(trace);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->texels_read, 64u);
  EXPECT_EQ(report->texels_written, 64u);
  const auto read = trace.texels("T6"), written = trace.texels("T7");
  ASSERT_TRUE(read.ok() && written.ok());
  EXPECT_EQ(read->width(), 8u);
  EXPECT_GT(read->texel({.x = 7, .y = 7})[0], 0.0f);
  EXPECT_EQ(read->texel({.x = 7, .y = 7})[1], 0.0f);
  EXPECT_GT(written->texel({})[1], 0.0f);
}

TEST_F(LibraryTrace, WrongArguments) {
  Trace fresh;
  EXPECT_EQ(id_of(fresh.texels("T6")), "usage-argument");
  TraceOptions options;
  options.texels = true;
  Trace trace(options);
  ASSERT_TRUE(watch(trace).ok());
  EXPECT_EQ(id_of(trace.texels("T8")), "usage-argument");
  EXPECT_EQ(id_of(trace.texels("T6", 1)), "usage-argument");
  EXPECT_EQ(id_of(trace.texels("T6", 0, 1)), "usage-argument");
}

}  // namespace
}  // namespace heddle
