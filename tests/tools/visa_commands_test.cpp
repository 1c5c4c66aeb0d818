// SPDX-License-Identifier: MIT
// heddle as, dis and dump from outside: streams, exit codes, messages.
#include <gtest/gtest.h>

#include "support/process.hpp"

namespace heddle {
namespace {

using test::Outcome;

Outcome heddle(std::vector<std::string> words, const std::string& input = {}) {
  words.insert(words.begin(), HEDDLE_PROGRAM);
  return test::run(words, input);
}

const std::string kKernel =
    ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=ud num_elts=32 align=GRF\n.decl T6 v_type=T num_elts=1\n\n"
    "    resinfo.RGBA (M1, 8) T6 V32.0 V32.0\n    ret (M1, 1)\n";

TEST(VisaCommands, TextToBinaryAndBackThroughStandardStreams) {
  const Outcome as = heddle({"as", "-", "-o", "-"}, kKernel);
  ASSERT_EQ(as.exit_code, 0) << as.err;
  EXPECT_EQ(as.err, "");
  EXPECT_TRUE(as.out.starts_with("CISA"));
  const Outcome dis = heddle({"dis", "-"}, as.out);
  EXPECT_EQ(dis.exit_code, 0) << dis.err;
  EXPECT_EQ(dis.out, kKernel);
}

TEST(VisaCommands, FilesAreWrittenWholeOrNotAtAll) {
  const test::TemporaryFolder folder;
  const std::string good = (folder / "good.visaasm").string(), bad = (folder / "bad.visaasm").string(),
                    out = (folder / "out.isa").string();
  test::write_text(good, kKernel);
  test::write_text(bad, kKernel + "nonsense\n");
  const Outcome fails = heddle({"as", bad, "-o", out});
  EXPECT_EQ(fails.exit_code, 1);
  EXPECT_NE(fails.err.find(bad + ":8:1: error: unknown mnemonic 'nonsense' [visa-text-mnemonic]"), std::string::npos)
      << fails.err;
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(heddle({"as", good, "-o", out}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(out));
  EXPECT_EQ(heddle({"as", good, "-o", (folder / "no such folder/out.isa").string()}).exit_code, 3);
  EXPECT_EQ(heddle({"as", (folder / "nothing").string(), "-o", out}).exit_code, 3);
}

TEST(VisaCommands, ExitCodes) {
  EXPECT_EQ(heddle({"as"}).exit_code, 2);
  const Outcome platform = heddle({"as", "-", "--platform", "SLK"}, kKernel);
  EXPECT_EQ(platform.exit_code, 2);
  EXPECT_NE(platform.err.find("did you mean SKL?"), std::string::npos) << platform.err;
  const Outcome limit = heddle({"as", "-", "--max-instructions", "1"}, kKernel);
  EXPECT_EQ(limit.exit_code, 4);
  EXPECT_NE(limit.err.find("--max-instructions"), std::string::npos) << limit.err;
  const Outcome damaged = heddle({"dis", "-"}, "CISA\x04");
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_NE(damaged.err.find("visa-bin-truncated"), std::string::npos) << damaged.err;
}

TEST(VisaCommands, QuietKeepsErrorsOnly) {
  const std::string noted = kKernel + "    RESINFO (8) T6 V32.0 V32.0\n";
  EXPECT_NE(heddle({"as", "-"}, noted).err.find("visa-text-dialect"), std::string::npos);
  EXPECT_EQ(heddle({"as", "-", "-q"}, noted).err, "");
}

TEST(VisaCommands, DumpNamesEveryByte) {
  const Outcome dump = heddle({"dump", "--encoding", "-"}, kKernel);
  ASSERT_EQ(dump.exit_code, 0) << dump.err;
  EXPECT_NE(dump.out.find("000000  resinfo.RGBA (M1, 8) T6 V32.0 V32.0\n"), std::string::npos) << dump.out;
  for (const char* field : {"opcode", "sub-op", "exec", "mask", "surface", "lod", "dst"})
    EXPECT_NE(dump.out.find(std::string("  ") + field), std::string::npos) << field << "\n" << dump.out;
  EXPECT_NE(dump.out.find("0f "), std::string::npos);
  EXPECT_NE(dump.out.find("000011  ret (M1, 1)\n"), std::string::npos) << dump.out;
}

TEST(VisaCommands, DumpExplainsRawMessages) {
  const Outcome dump = heddle({"dump", "--encoding", "-"},
                              ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=ud num_elts=64 align=GRF\n"
                              "raw_send (M1, 8) 0xC 1 1 0x02106E07:ud V32.0 V32.32\nret (M1, 1)\n");
  ASSERT_EQ(dump.exit_code, 0) << dump.err;
  EXPECT_NE(dump.out.find("message: data cache 1 untyped surface read SIMD8, surface 7, channels x"), std::string::npos)
      << dump.out;
}

TEST(VisaCommands, ExplainsRawMessages) {
  const Outcome one = heddle({"explain", "0xC:0x02106E07"});
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_EQ(one.out,
            "0xC:0x02106E07 (SKL)\n  data cache 1 untyped surface read SIMD8, surface 7, channels x, 1 register sent, "
            "1 returned\n");
  const Outcome other = heddle({"explain", "15.0x07000000:0x64401500@dg2"});
  EXPECT_NE(
      other.out.find("untyped global memory (LSC) load, 32 bits, 2 for each address, 32-bit addresses, surface 7, "),
      std::string::npos)
      << other.out;
  EXPECT_EQ(heddle({"explain", "0xC:"}).exit_code, 1);
  EXPECT_EQ(heddle({"explain", "0xC:1@nowhere"}).exit_code, 1);
}

TEST(VisaCommands, DialectOptionAndComment) {
  const std::string paired =
      ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=f num_elts=64 align=GRF\n.decl T6 v_type=T num_elts=1\n\n"
      "    sample4.R (M1, 8) 0x0:uw S31 T6 V32.0 %null.0 V32.0 V32.0\n    ret (M1, 1)\n";
  const Outcome automatic = heddle({"dis", "-"}, paired);
  EXPECT_NE(automatic.out.find("V32.0 V32.0 V32.0\n"), std::string::npos) << automatic.out;
  EXPECT_NE(automatic.err.find("visa-text-paired-surface"), std::string::npos);
  const Outcome old = heddle({"dis", "-", "--dialect", "12504"}, paired);
  EXPECT_NE(old.out.find("// dialect: 12504\n"), std::string::npos) << old.out;
  EXPECT_NE(old.out.find("V32.0 %null.0 V32.0 V32.0\n"), std::string::npos) << old.out;
  EXPECT_EQ(heddle({"dis", "-"}, old.out).out, old.out);
}

}  // namespace
}  // namespace heddle
