// SPDX-License-Identifier: MIT
// What ocloc dumps, given whole: a folder, a binary, or one text of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "job/opencl/dumps.hpp"
#include "job/opencl/zebin.hpp"
#include "support/process.hpp"

namespace fs = std::filesystem;
using heddle::test::Outcome;
using heddle::test::read_text;
using heddle::test::write_text;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();
const fs::path kDump = fs::absolute("tests/data/opencl-dump/dump");

/// i times 0 + 1 + ... + (n[i] - 1); where that is above 3, the same again with it and n[i] + 1.
constexpr const char* kFirst = "[0.0, 1.0, 36.0, 180.0, 600.0, 1575.0, 3528.0, 7056.0]\n";
constexpr const char* kSecond = "[1, 1, 2, 6, 24, 120, 720, 5040]\n";  // factorials

class OpenclDump : public ::testing::Test {
 protected:
  OpenclDump() {
    fs::copy(kDump, folder / "dump");
    for (const auto& entry : fs::directory_iterator(folder / "dump"))
      if (entry.path().extension() == ".progbin") stem = entry.path().stem().string();
  }
  Outcome heddle(std::vector<std::string> words) {
    words.insert(words.begin(), kProgram);
    return heddle::test::run(words, {}, folder.path());
  }
  Outcome first(const std::string& input, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{
        "run", input, "--global", "8", "--buffer", "n=i32:data=[1,2,3,4,5,6,7,8]", "--buffer", "o=f32:8:save=-", "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return heddle(words);
  }
  Outcome second(const std::string& input, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"run", input, "--lenient", "--global", "8", "--buffer", "o=i32:8:save=-", "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return heddle(words);
  }
  [[nodiscard]] std::string file(const std::string& end) const { return "dump/" + stem + end; }

  heddle::test::TemporaryFolder folder;
  std::string stem;  ///< of the compilation
};

TEST_F(OpenclDump, AFolderIsAProgram) {
  Outcome o = first("dump", {"--kernel", "first"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, kFirst);
  o = second("dump/", {"--entry", "second"});  // its function stands in a file of its own
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, kSecond);
  o = first("dump", {"--kernel", "first", "--summary", "s.json"});
  EXPECT_THAT(read_text(folder / "s.json"), AllOf(HasSubstr("\"platform\": \"SKL\""), HasSubstr("\"simd\": 8")));
}

TEST_F(OpenclDump, ABinaryFindsItsDumps) {
  fs::create_directories(folder / "bin");
  fs::copy(folder / file(".progbin"), folder / "bin" / "k.bin");
  for (const char* name : {"bin/k.bin", "./bin/../bin/k.bin"})
    EXPECT_EQ(second(name, {"--kernel", "second"}).out, kSecond);
  EXPECT_EQ(second(file(".progbin"), {"--kernel", "second"}).out, kSecond);
  // Of another compilation, and of none.
  std::string bytes = read_text(folder / "bin" / "k.bin");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_text(folder / "bin" / "other.bin", bytes);
  Outcome o = second("bin/other.bin");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, AllOf(HasSubstr("[dump-missing]"), HasSubstr("comes from another compilation")));
  fs::remove_all(folder / "dump");
  o = second("bin/k.bin");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, AllOf(HasSubstr("the vISA text that was dumped with it is not found [dump-missing]"),
                           HasSubstr("looked in: bin"), HasSubstr("IGC_ShaderDumpEnable=1")));
}

TEST_F(OpenclDump, OneTextFindsWhatLiesBesideIt) {
  EXPECT_EQ(first(file("_simd8_entry_0001.visaasm")).out, kFirst);
  EXPECT_EQ(second(file("_simd8_entry_0002.visaasm")).out, kSecond);
  // Inputs by their own names: no description is taken, and the run says what is missing.
  const Outcome o = first(file("_simd8_entry_0001.visaasm"), {"--arg", "V0040=1"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("[bind-missing]"));
}

TEST_F(OpenclDump, JobsNameThem) {
  write_text(
      folder / "job.toml",
      "program = \"dump\"\nentry = \"first\"\nglobal = [8]\n[buffers.n]\ntype = \"i32\"\ndata = [1,2,3,4,5,6,7,8]\n"
      "[buffers.o]\ntype = \"f32\"\ncount = 8\nsave = \"-\"\n");
  const Outcome o = heddle({"run", "job.toml", "-q"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, kFirst);
}

TEST_F(OpenclDump, SeveralKernelsAreListed) {
  Outcome o = first("dump");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, AllOf(HasSubstr("'dump' has 2 kernels: --kernel NAME chooses one [dump-kernels]"),
                           HasSubstr("first (SKL, SIMD8, dump/"), HasSubstr("second (SKL, SIMD8, dump/")));
  o = first("dump", {"--kernel", "firts"});
  EXPECT_THAT(o.err, AllOf(HasSubstr("'dump' has no kernel 'firts'"), HasSubstr("did you mean 'first'?")));
  // The same kernels of another compilation.
  for (const auto& entry : fs::directory_iterator(kDump)) {
    std::string name = entry.path().filename().string();
    fs::copy(entry.path(), folder / "dump" / name.replace(0, stem.size(), "OCL_asmffff"));
  }
  o = first("dump", {"--kernel", "first"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, AllOf(HasSubstr("kernel 'first' was compiled 2 times into 'dump'"),
                           HasSubstr("OCL_asmffff.progbin"), HasSubstr("means one of them: heddle run FILE")));
  EXPECT_EQ(first("dump/OCL_asmffff.progbin", {"--kernel", "first"}).out, kFirst);
}

TEST_F(OpenclDump, AFolderWithoutDumpsSaysHowTheyAreMade) {
  fs::create_directories(folder / "empty");
  const Outcome o = first("empty");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, AllOf(HasSubstr("the folder 'empty' has no vISA text (.visaasm) of a kernel [dump-missing]"),
                           HasSubstr("IGC_DumpToCustomDir")));
}

TEST_F(OpenclDump, ThePlatformComesFromTheBinaryOrTheCommandLine) {
  fs::create_directories(folder / "bin");
  fs::rename(folder / file(".progbin"), folder / "bin" / "k.bin");
  Outcome o = first("dump", {"--kernel", "first", "--zeinfo", "bin/k.bin"});  // the command line says it
  EXPECT_EQ(o.out, kFirst) << o.err;
  fs::remove(folder / file("_cmd.txt"));
  o = first("dump", {"--kernel", "first", "--zeinfo", "bin/k.bin"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, AllOf(HasSubstr("nothing says which platform kernel 'first' was compiled for"),
                           HasSubstr("[dump-platform]"), HasSubstr("--platform says it")));
  o = first("dump", {"--kernel", "first", "--zeinfo", "bin/k.bin", "--platform", "SKL"});
  EXPECT_EQ(o.out, kFirst) << o.err;
}

TEST_F(OpenclDump, TheLastTryIsTheOne) {
  // A second try behind one that spilled has a number; its width is that of the binary.
  const std::string text = read_text(folder / file("_simd8_entry_0001.visaasm"));
  fs::remove(folder / file("_simd8_entry_0001.visaasm"));
  write_text(folder / file("_1_simd8_entry_0001.visaasm"), text);
  write_text(folder / file("_simd16_entry_0001.visaasm"),
             ".version 4.1\n.kernel \"first\"\n.kernel_attr SimdSize=16\n    ret (M1, 1)\n");
  write_text(folder / file("_simd8_entry_0001.visaasm"),
             ".version 4.1\n.kernel \"first\"\n.kernel_attr SimdSize=8\n    ret (M1, 1)\n");
  EXPECT_EQ(first("dump", {"--kernel", "first"}).out, kFirst);
}

TEST_F(OpenclDump, FindingsStandInTheFunctionsFile) {
  const fs::path function = folder / file("_simd8_entry_0002_f0.visaasm");
  std::string text = read_text(function);
  const std::string sub = "    cmp.";
  const std::size_t at = text.find(sub);
  ASSERT_NE(at, std::string::npos);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  text.insert(at, "    no_such_instruction (M1, 1) V0034.0\n");
  write_text(function, text);
  for (const char* command : {"run", "val"}) {
    const Outcome o = command == std::string("run") ? second("dump", {"--kernel", "second"}) : heddle({"val", "dump"});
    EXPECT_EQ(o.exit_code, 1);
    EXPECT_THAT(o.err, HasSubstr("_simd8_entry_0002_f0.visaasm:" + std::to_string(line) + ":")) << command;
    EXPECT_THAT(o.err, HasSubstr("    no_such_instruction (M1, 1) V0034.0\n")) << command;
  }
}

TEST_F(OpenclDump, ValChecksEveryKernelForItsPlatform) {
  const Outcome o = heddle({"val", "dump"});
  EXPECT_THAT(o.out, HasSubstr("_simd8_entry_0001.visaasm: "));
  EXPECT_THAT(o.err, Not(HasSubstr("visa-fcall")));  // the function that is called is there
  EXPECT_EQ(heddle({"val", "dump", "--entry", "first"}).exit_code, 0);
}

TEST_F(OpenclDump, TheBinaryNamesItsProductFamily) {
  const auto bytes = heddle::base::read_file((folder / file(".progbin")).string());
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(heddle::job::product_family(*bytes), 0x12u);  // -device 0x12.0x1902.0x9
  // As ocloc's command lines for -device skl, kbl, icllp, tgllp, dg1, dg2 and pvc have them.
  using heddle::job::platform_of_product;
  EXPECT_EQ(platform_of_product(0x13), "SKL");
  EXPECT_EQ(platform_of_product(0x1a), "ICLLP");
  EXPECT_EQ(platform_of_product(0x1d), "TGLLP");
  EXPECT_EQ(platform_of_product(0x4ba), "TGLLP");
  EXPECT_EQ(platform_of_product(0x4f6), "DG2");
  EXPECT_EQ(platform_of_product(0x4f7), "PVC");
  EXPECT_EQ(platform_of_product(0xffff), "");
}

}  // namespace
