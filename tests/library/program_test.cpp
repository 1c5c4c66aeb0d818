// SPDX-License-Identifier: MIT
// heddle/program.hpp, check.hpp and explain.hpp: text and containers, files, rules, platforms, words; wrong arguments.
#include "heddle/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/check.hpp"
#include "heddle/explain.hpp"
#include "library/ids.hpp"
#include "support/process.hpp"

namespace heddle {
namespace {

using test::id_of;
using testing::Contains;
using testing::HasSubstr;

const std::string kHead = R"(.version 4.1
.kernel "k"
.decl a v_type=G type=bf num_elts=16 align=GRF
.decl b v_type=G type=f num_elts=16 align=GRF
.function "k_main"
k_main:
)";
const std::string kGood = kHead + "    mov (M1, 16) b(0,0)<1> 1.5:f\n    ret (M1_NM, 1)\n";
/// bf exists from XeHP_SDV on.
const std::string kNew =
    kHead + "    mov (M1, 16) b(0,0)<1> 1.5:f\n    mov (M1, 16) a(0,0)<1> b(0,0)<1;1,0>\n    ret (M1_NM, 1)\n";
/// A row outside the variable: a rule, not the text, refuses it.
const std::string kOutside = kHead + "    mov (M1, 16) b(9,0)<1> 1.5:f\n    ret (M1_NM, 1)\n";
const std::string kNoInstruction =
    kHead + "    mvo (M1, 16) b(0,0)<1> 1.5:f\n    mov (M1, 16) b(9,0)<1> 1.5:f\n    ret (M1_NM, 1)\n";

TEST(LibraryProgram, TextToAContainerAndBack) {
  const auto program = Program::parse(kGood, "k.visaasm");
  ASSERT_TRUE(program.ok()) << to_text(program.diagnostics());
  EXPECT_EQ(program->file(), "k.visaasm");
  EXPECT_EQ(program->source(), kGood);
  EXPECT_EQ(program->kernels(), std::vector<std::string>{"k"});
  EXPECT_EQ(program->instructions(), 3u);  // with the label
  EXPECT_TRUE(program->warnings().empty());
  const auto bytes = program->write();
  ASSERT_TRUE(bytes.ok());
  const auto again = Program::read(*bytes, "k.isa");
  ASSERT_TRUE(again.ok()) << to_text(again.diagnostics());
  EXPECT_EQ(again->source(), "");
  EXPECT_EQ(*again->write(), *bytes);
  const auto printed = Program::parse(again->print(), "printed");
  ASSERT_TRUE(printed.ok()) << to_text(printed.diagnostics());
  EXPECT_EQ(*printed->write(), *bytes);
}

TEST(LibraryProgram, FilesByTheirContentAndExtension) {
  const test::TemporaryFolder folder;
  const auto program = Program::parse(kGood, "k.visaasm");
  ASSERT_TRUE(program.ok());
  for (const std::string name : {"k.isa", "k.visaasm"}) {
    const std::string path = (folder / name).string();
    ASSERT_TRUE(program->save(path).ok());
    const auto again = Program::load(path);
    ASSERT_TRUE(again.ok()) << to_text(again.diagnostics());
    EXPECT_EQ(again->source().empty(), name == "k.isa");
    EXPECT_EQ(*again->write(), *program->write());
  }
  EXPECT_EQ(id_of(Program::load((folder / "none").string())), "file-open");
  EXPECT_EQ(id_of(program->save("/nowhere/k.isa")), "file-write");
}

TEST(LibraryProgram, AllErrorsComeWithTheirLines) {
  const test::TemporaryFolder folder;
  test::write_text(folder / "k.visaasm", kNoInstruction + "    mvo (M1, 16) b(0,0)<1> 1.5:f\n");
  const auto program = Program::load((folder / "k.visaasm").string());
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.diagnostics().size(), 2u);
  EXPECT_EQ(program.diagnostics().front().id, "visa-text-mnemonic");
  EXPECT_EQ(program.diagnostics().front().place.line, 7u);
  EXPECT_THAT(to_text(program.diagnostics()), HasSubstr("    mvo (M1, 16) b(0,0)<1> 1.5:f\n"));
}

TEST(LibraryProgram, WrongArguments) {
  ProgramOptions options;
  options.platform = "SKLL";
  EXPECT_EQ(id_of(Program::parse(kGood, "k", options)), "usage-argument");
  EXPECT_EQ(id_of(Program::read({}, "k", options)), "usage-argument");
  EXPECT_THAT(to_text(Program::parse(kGood, "k", options).diagnostics()), HasSubstr("did you mean SKL?"));
  options.platform = "SKL";
  options.limits.input_bytes = 10;
  EXPECT_EQ(id_of(Program::parse(kGood, "k", options)), "limit-input");
  EXPECT_FALSE(Program::read(std::vector<std::uint8_t>{'C', 'I', 'S', 'A', 9, 9}, "k.isa").ok());
  EXPECT_FALSE(Program::read({}, "k.isa").ok());
}

TEST(LibraryProgram, PlatformsHaveNames) {
  EXPECT_THAT(platform_names(), Contains("DG2"));
  EXPECT_EQ(find_platform("skl"), "SKL");
  EXPECT_EQ(find_platform("gen9"), "SKL");
  EXPECT_EQ(find_platform("nine"), std::nullopt);
}

TEST(LibraryCheck, AProgramFitsPlatforms) {
  const auto all = check(*Program::parse(kGood, "k"));
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(all->ok());
  EXPECT_EQ(all->platforms.size(), platform_names().size());
  EXPECT_EQ(all->fits(), "all platforms");
  EXPECT_TRUE(all->mismatches.empty());
  const auto some = check(*Program::parse(kNew, "k"));
  ASSERT_TRUE(some.ok());
  EXPECT_TRUE(some->ok());
  EXPECT_THAT(some->platforms, Contains("PVC"));
  EXPECT_THAT(some->platforms, testing::Not(Contains("SKL")));
  EXPECT_NE(some->fits(), "all platforms");
  ASSERT_FALSE(some->mismatches.empty());
  EXPECT_GE(some->mismatches.front().errors, some->mismatches.front().reasons.size());
}

TEST(LibraryCheck, OnePlatformIsJudgedAlone) {
  EXPECT_TRUE(check(*Program::parse(kNew, "k"), {.platform = "PVC"})->ok());
  const auto old = check(*Program::parse(kNew, "k"), {.platform = "SKL"});
  ASSERT_TRUE(old.ok());
  EXPECT_FALSE(old->ok());
  ASSERT_EQ(old->mismatches.size(), 1u);
  EXPECT_EQ(old->mismatches.front().platform, "SKL");
  EXPECT_THAT(to_text(old->findings), HasSubstr("    mov (M1, 16) a(0,0)<1>"));
  EXPECT_EQ(id_of(check(*Program::parse(kNew, "k"), {.platform = "none"})), "usage-argument");
}

TEST(LibraryCheck, SourcesWithErrorsAreCheckedToo) {
  const auto rules = check_source(kOutside, "k.visaasm");
  ASSERT_TRUE(rules.ok());
  EXPECT_TRUE(rules->checked);
  EXPECT_FALSE(rules->ok());
  const auto unreadable = check_source(kNoInstruction, "k.visaasm");
  ASSERT_TRUE(unreadable.ok());
  EXPECT_FALSE(unreadable->ok());
  EXPECT_EQ(unreadable->findings.front().id, "visa-text-mnemonic");
  const auto bytes = *Program::parse(kGood, "k")->write();
  const auto container = check_source(std::string(bytes.begin(), bytes.end()), "k.isa");
  ASSERT_TRUE(container.ok());
  EXPECT_TRUE(container->ok() && container->checked) << to_text(container->findings);
  const auto cut = check_source(std::string(bytes.begin(), bytes.begin() + 40), "k.isa");
  ASSERT_TRUE(cut.ok());
  EXPECT_FALSE(cut->ok());
  EXPECT_FALSE(cut->checked);
  EXPECT_TRUE(cut->platforms.empty());
  EXPECT_EQ(id_of(check_source(kGood, "k", {.platform = "none"})), "usage-argument");
}

TEST(LibraryExplain, RulesInstructionsAndMessages) {
  EXPECT_THAT(*explain("GA-4"), HasSubstr("GA-4"));
  EXPECT_THAT(*explain("visa-sample4-channel"), HasSubstr("channel"));
  EXPECT_THAT(*explain("sample4"), HasSubstr("sample4"));
  EXPECT_THAT(*explain("0xC:0x02106E07"), HasSubstr("(SKL)"));
  EXPECT_THAT(*explain("15.0x07000000:0x64401500@dg2"), HasSubstr("(DG2)"));
  EXPECT_THAT(*explain("0xC:0x02106E07", true), HasSubstr(R"("kind":"message")"));
  EXPECT_THAT(*explain("0x2106E07"), HasSubstr("0xc:0x2106E07  data cache 1 untyped surface read"));
  EXPECT_THAT(*explain("0x2106E07@SKL", true), HasSubstr(R"("kind":"descriptor")"));
  EXPECT_THAT(*explain(".decl"), HasSubstr("num_elts=N"));
  EXPECT_THAT(*explain("kernel_attr"), HasSubstr("SimdSize=16"));
  EXPECT_THAT(*explain(".input", true), HasSubstr(R"("kind":"directive")"));
  EXPECT_THAT(explain_index(), HasSubstr("visa-region-span"));
  // Each word that is offered has an explanation.
  const std::vector<std::string> words = explain_words();
  EXPECT_GT(words.size(), 500u);
  for (const std::string& word : words) EXPECT_TRUE(explain(word).ok()) << word;
  const auto mistyped = explain(".declx");
  ASSERT_FALSE(mistyped.ok());
  EXPECT_THAT(to_text(mistyped.diagnostics()), HasSubstr("did you mean .decl?"));
  for (const char* word : {"sampel4", "", "0xC:", "0xC:1@nowhere", "x.0xC:1"})
    EXPECT_EQ(id_of(explain(word)), "explain-unknown") << word;
}

}  // namespace
}  // namespace heddle
