// SPDX-License-Identifier: MIT
// What heddle run says about wrong jobs and flags: where, what, and the exit code.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "image/files/files.hpp"
#include "support/process.hpp"

namespace fs = std::filesystem;
using heddle::test::Outcome;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();
const std::string kFirst = fs::absolute("examples/first.visaasm").string();
const std::string kSaxpy = fs::absolute("tests/data/opencl/saxpy/skl.simd16").string();

class RunMessages : public ::testing::Test {
 protected:
  heddle::test::TemporaryFolder folder;

  Outcome heddle(std::vector<std::string> words) const {
    words.insert(words.begin(), {kProgram, "run"});
    return heddle::test::run(words, {}, folder.path());
  }
  /// A job that lacks nothing but `rest`.
  Outcome job(const std::string& rest, std::vector<std::string> words = {}) const {
    heddle::test::write_text(folder / "job.toml", "program = \"" + kFirst + "\"\n" + rest);
    words.insert(words.begin(), "job.toml");
    return heddle(words);
  }
  Outcome saxpy(std::vector<std::string> more) const {
    std::vector<std::string> words = {kSaxpy + ".visaasm",
                                      "--zeinfo",
                                      kSaxpy + ".zeinfo",
                                      "--global",
                                      "4",
                                      "--local",
                                      "4",
                                      "--arg",
                                      "a=2.0",
                                      "--arg",
                                      "n=3",
                                      "--buffer",
                                      "x=f32:data=[1, 2, 3, 4]",
                                      "--buffer",
                                      "y=f32:4:save=y.json",
                                      "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return heddle(words);
  }
};

TEST_F(RunMessages, StateOfImagesIsReportedAtTheImage) {
  Outcome o =
      job("[pixels]\ntargets = [\"T7\"]\n[images.T6]\nformat = \"YCRCB_NORMAL\"\nsize = [17, 4]\n"
          "[images.T7]\nformat = \"R8G8B8A8_UNORM\"\nsize = [70000, 4]\n");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("job.toml:4:9: error: T6: YCRCB_NORMAL needs an even width, not 17 [HW-46]"));
  EXPECT_THAT(o.err, HasSubstr("job.toml:9:8: error: T7: "));
  EXPECT_THAT(o.err, HasSubstr("[surface-size]"));
  o =
      job("[pixels]\ntargets = [\"T7\"]\n[images.T6]\nformat = \"R8_UNORM\"\nsize = [64, 64]\n"
          "[images.T7]\nformat = \"R8G8B8A8_UNORM\"\nsize = [16, 16]\n",
          {"--max-surface", "4000"});
  EXPECT_EQ(o.exit_code, 4);
  EXPECT_THAT(o.err, HasSubstr("job.toml:6:8: error: T6: needs"));
  o = job("[images.T7]\nformat = \"A8P8_UNORM_PALETTE0\"\nsize = [4, 4]\n");
  EXPECT_THAT(o.err, HasSubstr("job.toml:2:9: error: T7: texels of A8P8_UNORM_PALETTE0 can't be read [NUM-28]"));
}

TEST_F(RunMessages, WhatAFileLacksIsSaid) {
  heddle::image::Surface surface;
  ASSERT_TRUE(heddle::image::allocate(surface).ok());
  const auto png = heddle::image::encode_image(surface, heddle::image::FileKind::Png);
  ASSERT_TRUE(png.ok());
  heddle::test::write_bytes(folder / "cut.png", {png->begin(), png->end() - 12});  // without IEND
  const std::string rest =
      "[pixels]\ntargets = [\"T7\"]\n[pixels.inputs]\nu = \"uv.x\"\nv = \"uv.y\"\n[images.T6]\nfile = \"cut.png\"\n"
      "[images.T7]\nformat = \"R8G8B8A8_UNORM\"\nsize = [16, 16]\n[samplers.S0]\nfilter = \"nearest\"\n";
  const Outcome o = job(rest);
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("warning: the file ends before the chunk IEND [png-data]"));
  EXPECT_EQ(job(rest, {"-q"}).err, "");
}

TEST_F(RunMessages, NumbersThatDoNotFitAreReportedWhereTheyStand) {
  Outcome o =
      job("[buffers.O]\ntype = \"u8\"\ndata = [1, 2, 256]\n[buffers.P]\ntype = \"u8\"\ncount = 4\nfill = 1.5\n"
          "[images.T7]\nformat = \"R8_UINT\"\nsize = [4, 4]\nfill = [1, -1]\n[pixels]\ntargets = [\"T7\"]\n");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("job.toml:4:15: error: 'data' of [buffers.O]: "));
  EXPECT_THAT(o.err, HasSubstr("job.toml:8:8: error: 'fill' of [buffers.P]: "));
  EXPECT_THAT(o.err, HasSubstr("job.toml:12:12: error: 'fill' of [images.T7]: "));
}

TEST_F(RunMessages, OneMistakeIsOneError) {
  Outcome o = job("[images.z]\nformat = \"R8G8_UNROM\"\nsize = [4, 4]\n");
  EXPECT_THAT(o.err, HasSubstr("R8G8_UNORM"));
  EXPECT_THAT(o.err, Not(HasSubstr("lacks 'format'")));
  o = job("[buffers]\nQ = 3\n[images]\nR = 4\n");
  EXPECT_THAT(o.err, HasSubstr("[buffers.Q] must be a table"));
  EXPECT_THAT(o.err, HasSubstr("[images.R] must be a table"));
  EXPECT_THAT(o.err, Not(HasSubstr("lacks")));
  o = job("[buffers.O]\ntype = \"u8\"\ncount = -1\nfill = 2\n");
  EXPECT_THAT(o.err, Not(HasSubstr("lacks")));
}

TEST_F(RunMessages, WrongFlagsAreUsageErrorsThatNameTheFlag) {
  const std::vector<std::vector<std::string>> wrong = {{"--threads", "0"},
                                                       {"--simd", "7"},
                                                       {"--max-seconds", "-1"},
                                                       {"--platform", "FOO"},
                                                       {"--global", "-1"},
                                                       {"--cpu", "foo"},
                                                       {"--sampler", "S0=foo"},
                                                       {"--global", "99999999999"},
                                                       {"--trace-lines", "5-2", "--trace"},
                                                       {"--buffer", "O=u32:99999999999999"},
                                                       {"--buffer", "y=save="},
                                                       {"--buffer", "O=u32:99999999999999999999999999"}};
  for (const std::vector<std::string>& words : wrong) {
    const Outcome o = saxpy(words);
    EXPECT_EQ(o.exit_code, 2) << words[0] << ' ' << words[1] << '\n' << o.err;
    EXPECT_THAT(o.err, HasSubstr(words[0])) << words[1];
  }
  EXPECT_THAT(saxpy({"--buffer", "O=u32:99999999999999"}).err,
              HasSubstr("'count' of [buffers.O]: the number must lie between 0 and 1099511627776"));
  EXPECT_FALSE(fs::exists(folder / "y.json"));
}

TEST_F(RunMessages, AnEmptyTraceIsSaid) {
  const Outcome o = saxpy({"--trace-file", "t", "--trace-group", "5,0,0"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_THAT(o.err, HasSubstr("note: the trace is empty"));
}

TEST_F(RunMessages, PicturesOfTexelsNeedAnImage) {
  const auto run = [&](const std::string& picture, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {
        kFirst,     "--texels",           picture,   "--surface", "T6=rgba8:8x8", "--sampler", "S0=nearest,repeat",
        "--target", "T7=t.png:rgba8:8x8", "--input", "u=uv.x",    "--input",      "v=uv.y",    "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return heddle(words);
  };
  Outcome o = run("T9=p.png");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("command line, --texels: error: the job has no image 'T9' [bind-unknown]"));
  EXPECT_FALSE(fs::exists(folder / "t.png"));
  o = run("B=p.png", {"--buffer", "B=u8:4"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("'B' is no image"));
  o = run("T6=p.xyz");
  EXPECT_EQ(o.exit_code, 2);
  o = run("T6=p.png");
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_TRUE(fs::exists(folder / "p.png") && fs::exists(folder / "t.png"));
}

TEST_F(RunMessages, MemoryOfVariablesIsSaidInBytes) {
  const Outcome o = saxpy({"--max-memory", "100"});
  EXPECT_EQ(o.exit_code, 4);
  EXPECT_THAT(o.err, HasSubstr("(100 bytes; --max-memory)"));
}

TEST_F(RunMessages, WhatHasNoEndIsNotRead) {
  const Outcome o = heddle({kSaxpy + ".visaasm", "--zeinfo", kSaxpy + ".zeinfo", "--global", "4", "--arg", "a=0",
                            "--arg", "n=4", "--buffer", "x=/dev/zero", "--buffer", "y=f32:4"});
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_THAT(o.err, HasSubstr("cannot read '/dev/zero': a device has no end"));
  // A pipe is read to its end.
  const Outcome p = heddle::test::run(
      {"/bin/sh", "-c",
       "printf 'aaaabbbbccccdddd' | " + kProgram + " run " + kSaxpy + ".visaasm --zeinfo " + kSaxpy +
           ".zeinfo --global 4 --arg a=0 --arg n=4 --buffer x=/dev/stdin:save=x.bin --buffer y=f32:4 -q"},
      {}, folder.path());
  EXPECT_EQ(p.exit_code, 0) << p.err;
  EXPECT_EQ(heddle::test::read_text(folder / "x.bin"), "aaaabbbbccccdddd");
}

}  // namespace
