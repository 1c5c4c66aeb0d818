// SPDX-License-Identifier: MIT
// What happens to output that cannot be written: nothing is lost in silence, and nothing is saved by halves.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "support/process.hpp"

namespace fs = std::filesystem;
using heddle::test::Outcome;
using ::testing::HasSubstr;

namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();
const std::string kSaxpy = fs::absolute("tests/data/opencl/saxpy/skl.simd16").string();
const std::string kRun = " run " + kSaxpy + ".visaasm --zeinfo " + kSaxpy +
                         ".zeinfo --global 4 --local 4 --arg a=2.0 --arg n=3 -q --buffer 'x=f32:data=[1, 2, 3, 4]"
                         ":save=x.json' --buffer y=f32:4:fill=0.5";

class Output : public ::testing::Test {
 protected:
  heddle::test::TemporaryFolder folder;

  /// A command line of the shell, in which $H is heddle.
  Outcome shell(const std::string& line) const {
    return heddle::test::run({"/bin/sh", "-c", "H='" + kProgram + "'; " + line}, {}, folder.path());
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::recursive_directory_iterator(folder.path()), fs::recursive_directory_iterator()));
  }
  [[nodiscard]] bool exists(const std::string& name) const { return fs::exists(folder / name); }
  [[nodiscard]] std::string text(const std::string& name) const { return heddle::test::read_text(folder / name); }
};

TEST_F(Output, EveryCommandNoticesThatStandardOutputIsFull) {
  const std::string image = "image.pfm";
  heddle::test::write_text(folder / image, "Pf\n2 2\n-1.0\n" + std::string(16, '1'));
  const std::string visa = kSaxpy + ".visaasm";
  const std::vector<std::string> commands = {
      "--help",
      "--version",
      "run --help",
      "explain",
      "explain sample4",
      "explain nothing-like-it sample4",
      "info " + image,
      "info --json " + image,
      "sample " + image + " --uv 0.5,0.5",
      "gather " + image + " --uv 0.5,0.5",
      "unorm " + image + " --uv 0.5,0.5",
      "footprint " + image + " --uv 0.5,0.5",
      "dump " + visa,
      "as " + visa,
      "dis " + visa,
      "val --format json none.visaasm",
  };
  for (const std::string& command : commands) {
    const Outcome good = shell("$H " + command);
    if (good.out.empty()) continue;  // nothing to lose
    const Outcome o = shell("$H " + command + " >/dev/full");
    EXPECT_EQ(o.exit_code, 3) << command;
    EXPECT_THAT(o.err, HasSubstr("No space left on device")) << command;
  }
}

TEST_F(Output, AReaderThatHasSeenEnoughGetsNoMessage) {
  for (const std::string& command : {std::string("explain"), "dis " + kSaxpy + ".isa", std::string("run --help")}) {
    const Outcome o = shell("{ $H " + command + " 2>err; echo $? >code; } | true");
    EXPECT_EQ(o.exit_code, 0) << command;
    EXPECT_EQ(text("err"), "") << command;
    EXPECT_EQ(text("code"), "3\n") << command;
  }
  // Of a run other files may be lost.
  const Outcome o = shell("{ $H" + kRun + ":save=- 2>err; } | true");
  EXPECT_THAT(text("err"), HasSubstr("Broken pipe"));
  EXPECT_FALSE(exists("x.json"));
}

TEST_F(Output, RunsNoticeIt) {
  for (const char* what : {":save=-", " --coverage -", " --summary -", " --trace-file -"}) {
    const Outcome o = shell("$H" + kRun + what + " >/dev/full");
    EXPECT_EQ(o.exit_code, 3) << what;
    EXPECT_THAT(o.err, HasSubstr("standard output")) << what;
    EXPECT_EQ(files(), 0u) << what;
  }
  const Outcome trace = shell("$H" + kRun + " --trace-file /dev/full");
  EXPECT_EQ(trace.exit_code, 3);
  EXPECT_THAT(trace.err, HasSubstr("cannot write '/dev/full'"));
  EXPECT_EQ(files(), 0u);
}

TEST_F(Output, TracesAreFilesLikeOthers) {
  const Outcome none = shell("$H" + kRun + " --trace-file /proc/none/trace");
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("cannot write '/proc/none/trace'"));
  EXPECT_EQ(files(), 0u);
  heddle::test::write_text(folder / "trace", "old");
  EXPECT_EQ(shell("$H" + kRun + " --trace-file trace --buffer z=u8:4").exit_code, 1);  // there is no z
  EXPECT_EQ(text("trace"), "old");
  EXPECT_EQ(shell("$H" + kRun + " --trace-file a/b/trace --coverage c/cover --summary d/s.json").exit_code, 0);
  EXPECT_THAT(text("a/b/trace"), HasSubstr("group 0,0,0"));
  EXPECT_TRUE(exists("c/cover") && exists("d/s.json") && exists("x.json"));
}

TEST_F(Output, AllFilesOrNone) {
  const Outcome o = shell("$H" + kRun + ":save=/proc/x.bin --summary s.json --coverage c --trace-file t");
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_THAT(o.err, HasSubstr("cannot write '/proc/x.bin'"));
  EXPECT_EQ(files(), 0u);
  fs::create_directory(folder / "s.json");
  EXPECT_EQ(shell("$H" + kRun + " --summary s.json").exit_code, 3);
  EXPECT_EQ(files(), 1u);
}

TEST_F(Output, OneFileTakesOneOutput) {
  fs::create_directory(folder / "sub");
  for (const char* what : {":save=x.json", ":save=./sub/../x.json", " --summary x.json", " --coverage x.json",
                           " --trace-file sub/../x.json", " --summary s --coverage ./s"}) {
    const Outcome o = shell("$H" + kRun + what);
    EXPECT_EQ(o.exit_code, 2) << what;
    EXPECT_THAT(o.err, HasSubstr("are the same file")) << what;
    EXPECT_EQ(files(), 1u) << what;
  }
  // Standard output takes them one after the other, devices all that comes.
  const Outcome o = shell("$H" + kRun + ":save=- --buffer x=save=- --summary -");
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_THAT(o.out, ::testing::StartsWith("[1.0, 2.0, 3.0, 4.0]\n[2.5, 4.5, 6.5, 0.5]\n{\"program\""));
  EXPECT_EQ(shell("$H" + kRun + ":save=/dev/null --buffer x=save=/dev/null").exit_code, 0);
}

TEST_F(Output, ALimitOfFileSizesIsAnErrorOfTheFile) {
  const Outcome o = shell("ulimit -f 1; $H" + kRun + " --buffer y=f32:100000:save=big.bin --engine reference");
  EXPECT_EQ(o.signal, 0);
  EXPECT_EQ(o.exit_code, 3) << o.err;
  EXPECT_THAT(o.err, HasSubstr("File too large"));
  EXPECT_EQ(files(), 0u);
  // The cache of kernels is allowed to fail.
  const Outcome cache = shell("export HEDDLE_CACHE_DIR=$PWD/cache; ulimit -f 1; $H" + kRun);
  EXPECT_EQ(cache.exit_code, 0) << cache.err;
  EXPECT_TRUE(exists("x.json"));
}

TEST_F(Output, TheCompilerOfShadersCanBeLimitedToo) {
  if (!heddle::test::have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  std::string shader =
      "#version 450\nlayout(local_size_x=16) in;\nlayout(binding=0) buffer O { uint o[]; };\nvoid main() {\n";
  for (int i = 0; i < 200; ++i) shader += "  o[gl_GlobalInvocationID.x + " + std::to_string(i) + "] = 1u;\n";
  heddle::test::write_text(folder / "a.comp", shader + "}\n");
  const Outcome o = shell("ulimit -f 1; $H run a.comp --global 16 --buffer O=u32:400 -q");
  EXPECT_EQ(o.signal, 0);
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_THAT(o.err, HasSubstr("glslangValidator was ended by signal 25"));
}

}  // namespace
