// SPDX-License-Identifier: MIT
// heddle run from outside: jobs, flags, outputs, exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <nlohmann/json.hpp>

#include "image/files/files.hpp"
#include "support/process.hpp"

namespace fs = std::filesystem;
using heddle::test::Outcome;
using ::testing::HasSubstr;

namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();
const std::string kSaxpy = fs::absolute("tests/data/opencl/saxpy/skl.simd16").string();

Outcome heddle(std::vector<std::string> words, const fs::path& folder = {}) {
  words.insert(words.begin(), {kProgram, "run"});
  return heddle::test::run(words, {}, folder);
}

std::string saxpy_job() {
  return "program = \"" + kSaxpy + ".visaasm\"\nzeinfo = \"" + kSaxpy +
         ".zeinfo\"\nglobal = [4]\nlocal = [4]\n[args]\na = 2.0\nn = 3\n[buffers.x]\ntype = \"f32\"\ndata = [1, 2, 3, "
         "4]\n"
         "[buffers.y]\ntype = \"f32\"\ncount = 4\nfill = 0.5\nsave = \"y.json\"\n";
}

class Run : public ::testing::Test {
 protected:
  heddle::test::TemporaryFolder folder;
};

TEST_F(Run, JobFileWithOutputBesideIt) {
  heddle::test::write_text(folder / "job.toml", saxpy_job());
  const Outcome o = heddle({(folder / "job.toml").string(), "--summary", (folder / "s.json").string()});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(heddle::test::read_text(folder / "y.json"), "[2.5, 4.5, 6.5, 0.5]\n");
  const auto summary = nlohmann::json::parse(heddle::test::read_text(folder / "s.json"));
  EXPECT_EQ(summary["kernel"], "saxpy");
  EXPECT_EQ(summary["simd"], 16);
  EXPECT_EQ(summary["groups"], 1);
  EXPECT_TRUE(summary["reports"].empty());
}

TEST_F(Run, FlagsAloneAndFlagsOverAFile) {
  const Outcome o =
      heddle({kSaxpy + ".isa", "--zeinfo", kSaxpy + ".zeinfo", "--global", "4", "--local", "4", "--arg", "a=2.0",
              "--arg", "n=3", "--buffer", "x=f32:data=[1, 2, 3, 4]", "--buffer", "y=f32:4:fill=0.5:save=-", "-q"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, "[2.5, 4.5, 6.5, 0.5]\n");
  heddle::test::write_text(folder / "job.toml", saxpy_job());
  const Outcome p = heddle({(folder / "job.toml").string(), "--arg", "a=10.0", "--buffer", "y=save=-", "-q"});
  EXPECT_EQ(p.exit_code, 0) << p.err;
  EXPECT_EQ(p.out, "[10.5, 20.5, 30.5, 0.5]\n");
}

TEST_F(Run, NothingIsSavedWhenTheRunFails) {
  heddle::test::write_text(folder / "y.json", "old");
  heddle::test::write_text(folder / "job.toml", saxpy_job() + "[buffers.z]\ncount = 1\n");
  const Outcome o = heddle({(folder / "job.toml").string()});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("kernel 'saxpy' has nothing named 'z' [bind-unknown]"));
  EXPECT_EQ(heddle::test::read_text(folder / "y.json"), "old");
  heddle::test::write_text(folder / "job.toml", saxpy_job());
  const Outcome limit = heddle({(folder / "job.toml").string(), "--max-steps", "5"});
  EXPECT_EQ(limit.exit_code, 4);
  EXPECT_THAT(limit.err, HasSubstr("--max-steps"));
  EXPECT_EQ(heddle::test::read_text(folder / "y.json"), "old");
}

TEST_F(Run, ErrorsOfAJobShowTheLine) {
  heddle::test::write_text(folder / "job.toml", "program = \"k.visaasm\"\nglobl = [4]\n");
  const Outcome o = heddle({(folder / "job.toml").string()});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("job.toml:2:1: error: unknown key 'globl'"));
  EXPECT_THAT(o.err, HasSubstr("globl = [4]"));
  EXPECT_THAT(o.err, HasSubstr("did you mean 'global'?"));
}

TEST_F(Run, ExitCodes) {
  EXPECT_EQ(heddle({(folder / "none.toml").string()}).exit_code, 3);
  EXPECT_EQ(heddle({(folder / "none.visaasm").string(), "--global", "8"}).exit_code, 3);
  EXPECT_EQ(heddle({kSaxpy + ".visaasm", "--surface", "T6"}).exit_code, 2);
  EXPECT_EQ(heddle({kSaxpy + ".visaasm", "--global", "axb"}).exit_code, 2);
  EXPECT_EQ(heddle({}).exit_code, 2);
  heddle::test::write_text(folder / "job.toml", saxpy_job() + "\n");
  EXPECT_EQ(heddle({(folder / "job.toml").string(), "--buffer", "y=save=/proc/none/y.bin"}).exit_code, 3);
}

TEST_F(Run, TraceCoverageAndCounts) {
  heddle::test::write_text(folder / "job.toml", saxpy_job());
  const Outcome o = heddle({(folder / "job.toml").string(), "--trace-file", (folder / "trace.txt").string(),
                            "--trace-lane", "2", "--coverage", (folder / "cover.txt").string(), "--counts", "-q"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  const std::string trace = heddle::test::read_text(folder / "trace.txt"),
                    cover = heddle::test::read_text(folder / "cover.txt");
  EXPECT_THAT(trace, HasSubstr("group 0,0,0 thread 0 line 93 lanes 00000007: mad (M1, 16)"));
  EXPECT_THAT(trace, HasSubstr("= 6.5"));
  EXPECT_THAT(cover, HasSubstr("         1            3 |     mad (M1, 16)"));
  EXPECT_THAT(o.err, HasSubstr("  gather4_scaled  message\n"));
  EXPECT_THAT(o.err, HasSubstr("  mad\n"));
}

TEST_F(Run, RawMessagesAreExplained) {
  const std::string kernel =
      ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=ud num_elts=16 align=GRF\n.decl V33 v_type=G type=ud "
      "num_elts=16 align=GRF\n.decl T6 v_type=T num_elts=1\n.kernel_attr Target=\"cm\"\n"
      "mov (M1, 8) V32(0,0)<1> 0x0:ud\n";
  heddle::test::write_text(folder / "m.visaasm",
                           kernel +
                               "raw_send (M1, 8) 0xC 1 1 0x02106E00:ud V32.0 V33.0\n"
                               "raw_send (M1, 8) 0x3 1 0 0x02000004:ud V32.0 %null.0\nret (M1, 1)\n");
  heddle::test::write_text(
      folder / "m.toml", "program = \"m.visaasm\"\nglobal = [1]\n[buffers.T6]\ntype = \"i32\"\ncount = 16\nfill = 3\n");
  const Outcome o = heddle({(folder / "m.toml").string(), "--trace-file", (folder / "trace.txt").string(), "-q"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(heddle::test::read_text(folder / "trace.txt"),
              HasSubstr("[data cache 1 untyped surface read SIMD8, surface 0, channels x, "));
  EXPECT_THAT(o.err, HasSubstr("message 'barrier' of the message gateway is not executed"));
  EXPECT_THAT(o.err, HasSubstr("run-send-message"));
}

TEST_F(Run, ProcessorsAndMachineCode) {
  heddle::test::write_text(folder / "job.toml", saxpy_job());
  const std::string job = (folder / "job.toml").string(), listing = (folder / "k.s").string();
  Outcome o = heddle({job, "--cpu", "pentium9"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, HasSubstr("--cpu pentium9: "));
  // No processor has both SSE4a and AMX.
  EXPECT_TRUE(heddle({job, "--cpu", "znver4"}).exit_code == 2 ||
              heddle({job, "--cpu", "sapphirerapids"}).exit_code == 2);
  o = heddle({job, "--assembly", listing, "--engine", "reference"});
  EXPECT_EQ(o.exit_code, 2) << o.err;
  EXPECT_FALSE(fs::exists(listing));
  o = heddle({job, "--assembly", listing});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  if (o.err.find("fast engine,") == std::string::npos) GTEST_SKIP() << "no compiler in this build";
  EXPECT_THAT(heddle::test::read_text(listing), HasSubstr("heddle_kernel:"));
}

TEST_F(Run, ExampleWithTexelPicture) {
  // The target of one run is the texture of the next.
  const std::string wall = (folder / "wall.png").string();
  const Outcome first = heddle({"examples/first.visaasm", "--surface", "T6=rgba8:64x64:fill=[0.9, 0.5, 0.2, 1.0]",
                                "--sampler", "S0=nearest,repeat", "--target", "T7=" + wall + ":rgba8:128x128",
                                "--input", "u=uv.x", "--input", "v=uv.y", "-q"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  const Outcome p =
      heddle({"examples/first.toml", "--surface", "T6=" + wall, "--surface", "T7=size=[64, 64]", "--target",
              "T7=" + (folder / "first.png").string(), "--texels", "T6=" + (folder / "touched.png").string(), "-q"});
  EXPECT_EQ(p.exit_code, 0) << p.err;
  EXPECT_GT(fs::file_size(folder / "first.png"), 500u);
  EXPECT_GT(fs::file_size(folder / "touched.png"), 500u);
}

constexpr const char* kGatherKernel =
    ".version 4.1\n.kernel \"g\"\n.kernel_attr Target=\"3d\"\n.kernel_attr SimdSize=16\n"
    ".decl u v_type=G type=f num_elts=16 align=GRF\n.decl v v_type=G type=f num_elts=16 align=GRF\n"
    ".decl taps v_type=G type=f num_elts=64 align=GRF\n.decl S0 v_type=S num_elts=1\n.decl T6 v_type=T num_elts=1\n"
    ".decl T7 v_type=T num_elts=1\n.input u offset=64 size=64\n.input v offset=128 size=64\n"
    "sample4.R (M1, 16) 0x0:uw S0 T6 taps.0 u.0 v.0\n"
    "rt_write_3d.<LRTW> (M1, 16) T7 %null.0 taps.0 taps.64 taps.128 taps.192\nret (M1_NM, 1)\n";

TEST_F(Run, ObserversShowMessagesPixelsAndRegisters) {
  heddle::test::write_text(folder / "g.visaasm", kGatherKernel);
  const std::string target = "T7=" + (folder / "g.bin").string() + ":r32f:4x2";
  const std::string kernel = (folder / "g.visaasm").string();
  const std::vector<std::string> bindings{kernel,
                                          "--surface",
                                          "T6=r32f:2x2:data=[[\"0000803f000000400000404000008040\"]]",
                                          "--sampler",
                                          "S0=nearest,clamp_to_edge",
                                          "--target",
                                          target,
                                          "--input",
                                          "u=uv.x",
                                          "--input",
                                          "v=uv.y",
                                          "-q"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> words = bindings;
    words.insert(words.end(), more.begin(), more.end());
    return heddle(words);
  };
  // Lower left, lower right, upper right, upper left of the texels 1 2 / 3 4, for eight pixels in two blocks: the left
  // column of pixels lies left of the first texel's center, the lower row on the lower texels' centers.
  Outcome o = with({"--trace-file", "-", "--trace-lines", "13"});
  EXPECT_THAT(o.out,
              HasSubstr("taps.0 u.0 v.0 = taps.0: 3 3 3 3 3 4 3 4; taps.64: 3 4 3 4 4 4 4 4; taps.128: 1 2 3 4 2 2 "
                        "4 4; taps.192: 1 1 3 3 1 2 3 4\n"))
      << o.out << o.err;
  o = with({"--trace-file", "-", "--trace-lines", "13", "--trace-pixel", "3,1"});
  EXPECT_THAT(o.out, HasSubstr("= taps.0: 4; taps.64: 4; taps.128: 4; taps.192: 4\n")) << o.out << o.err;
  o = with({"--trace-file", "-", "--trace-pixel", "30,1"});
  EXPECT_EQ(o.out, "");
  EXPECT_THAT(o.err, HasSubstr("the trace is empty"));
  o = with({"--dump-registers", "end"});
  EXPECT_THAT(o.out, HasSubstr("at the end:\n  u f: 0.125 0.375 0.125 0.375 0.625 0.875 0.625 0.875")) << o.out;
  EXPECT_THAT(o.out, HasSubstr("    [48] 1 1 3 3 1 2 3 4 ? ? ? ? ? ? ? ?\n"));
  o = with({"--dump-registers", "13"});
  EXPECT_THAT(o.out, HasSubstr("after line 13:\n"));
  EXPECT_EQ(with({"--dump-registers", "begin"}).exit_code, 2);
  o = with({"--format", "json"});
  EXPECT_THAT(o.out, HasSubstr("{\"program\": ")) << o.out;
  EXPECT_THAT(o.out, HasSubstr("\"instructions\": "));
  EXPECT_THAT(o.out, ::testing::Not(HasSubstr("\n\n")));  // one object a line
}

TEST_F(Run, TexelSheetsHaveAllLevelsAndCounts) {
  heddle::test::write_text(folder / "g.visaasm", kGatherKernel);
  const std::string png = (folder / "t.png").string();
  const auto with = [&](const std::string& words) {
    return heddle({(folder / "g.visaasm").string(), "--surface", "T6=r32f:8x4:levels=3", "--sampler",
                   "S0=nearest,repeat", "--target", "T7=" + (folder / "g.bin").string() + ":r32f:4x2", "--input",
                   "u=uv.x", "--input", "v=uv.y", "-q", "--texels", "T6=" + png + words});
  };
  Outcome o = with("");
  EXPECT_EQ(o.exit_code, 0) << o.err;
  const auto all = heddle::image::load_image(png);
  ASSERT_TRUE(all.ok());
  o = with(":level=0");
  const auto one = heddle::image::load_image(png);
  ASSERT_TRUE(one.ok());
  EXPECT_GT(all->width, one->width);  // the columns of levels 1 and 2
  o = with(":level=2");
  EXPECT_EQ(o.exit_code, 0);  // drawn, although nothing touched it
  o = with(":level=x");
  EXPECT_EQ(o.exit_code, 2);
  o = with(":level=7");
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, HasSubstr("'T6' has the levels 0 to 2")) << o.err;
}

}  // namespace
