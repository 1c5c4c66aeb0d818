// SPDX-License-Identifier: MIT
// heddle explain and the generated reference.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "instructions/registry.hpp"
#include "spirv/validate.hpp"
#include "support/process.hpp"
#include "verify/explain/explain.hpp"
#include "verify/rules/rules.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

TEST(Explain, RulesAndInstructionsInWordsAndJson) {
  const auto rule = verify::explain("visa-sample4-channel");
  ASSERT_TRUE(rule);
  EXPECT_NE(rule->find("exactly one of R, G, B, A"), std::string::npos) << *rule;
  const auto instruction = verify::explain("sample4");
  ASSERT_TRUE(instruction);
  for (const char* part : {"aoffimmi", "u v r ai", "6f", "8, 16, 32", "visa-sample4-channel", "3D_SAMPLE4.md"})
    EXPECT_NE(instruction->find(part), std::string::npos) << part << "\n" << *instruction;
  EXPECT_TRUE(verify::explain("SAMPLE4"));
  EXPECT_TRUE(verify::explain("3d_sample4"));
  EXPECT_TRUE(verify::explain("sample_unorm"));
  EXPECT_TRUE(verify::explain("barrier"));
  const auto json = nlohmann::json::parse(*verify::explain("visa-region-span", true));
  EXPECT_EQ(json["id"], "visa-region-span");
  EXPECT_EQ(json["severity"], "warning or error");
  const auto description = nlohmann::json::parse(*verify::explain("resinfo", true));
  EXPECT_EQ(description["opcode"], 0x70);
  EXPECT_EQ(description["operands"][2]["name"], "lod");
}

TEST(Explain, RulesOfTheBook) {
  const auto rule = verify::explain("c9");
  ASSERT_TRUE(rule);
  for (const char* part : {"C9: Floor and range of resinfo sizes", "queries.md",
                           "  Choice: ", "  Reason: ", "  Source: ", "    src/texture/reference/info.cpp"})
    EXPECT_NE(rule->find(part), std::string::npos) << part << "\n" << *rule;
  const auto order = verify::explain("GA-4");
  ASSERT_TRUE(order);
  EXPECT_NE(order->find("\n  result channel  tap       place\n  --------------  --------  -----------\n  R "),
            std::string::npos)
      << *order;
  EXPECT_NE(order->find("    tests/texture/gather_test.cpp"), std::string::npos) << *order;
  const auto json = nlohmann::json::parse(*verify::explain("limit-steps", true));
  EXPECT_EQ(json["id"], "limit-steps");
  EXPECT_EQ(json["page"], "messages");
  EXPECT_FALSE(json["way_out"].get<std::string>().empty());
  EXPECT_FALSE(json["code"].empty());
  EXPECT_NE(verify::explain("pixel-dispatch")->find("PIX-9"), std::string::npos);
}

TEST(Explain, NearMissesAreSuggested) {
  for (const auto& [word, meant] : {std::pair{"visa-sample4-chanel", "visa-sample4-channel"},
                                    {"samlpe4", "sample4"},
                                    {"rt_write3d", "rt_write_3d"}}) {
    const auto unknown = verify::explain(word);
    ASSERT_FALSE(unknown);
    ASSERT_EQ(unknown.diagnostics()[0].id, "explain-unknown");
    ASSERT_FALSE(unknown.diagnostics()[0].notes.empty()) << word;
    EXPECT_NE(unknown.diagnostics()[0].notes[0].message.find(meant), std::string::npos)
        << unknown.diagnostics()[0].notes[0].message;
  }
  // Nothing is near: the way out is the list.
  const auto far = verify::explain("qqqqqqqqqqqqqqqqqq");
  ASSERT_EQ(far.diagnostics()[0].notes.size(), 1u);
  EXPECT_NE(far.diagnostics()[0].notes[0].message.find("without a word it lists the rules"), std::string::npos);
}

TEST(Explain, EverythingCanBeExplained) {
  for (const isa::InstructionDescription& description : instructions::registry().descriptions()) {
    const auto text = verify::explain(description.mnemonic);
    ASSERT_TRUE(text) << description.mnemonic;
    EXPECT_NO_THROW(
        (void)nlohmann::json::parse(verify::explain(description.mnemonic, true)
                                        ->substr(0, verify::explain(description.mnemonic, true)->find('\n'))));
  }
  EXPECT_NO_THROW((void)nlohmann::json::parse(verify::explain_index(true)));
}

TEST(Reference, CommittedPagesAreUpToDate) {
  const fs::path folder = fs::path(HEDDLE_SOURCE_DIR) / "docs";
  std::set<std::string> names;
  for (const verify::ReferencePage& page : verify::reference_pages(spirv::footprint_rules_markdown())) {
    names.insert(fs::path(page.name).filename().string());
    ASSERT_TRUE(fs::exists(folder / page.name)) << page.name << ": run heddle explain --reference docs";
    EXPECT_TRUE(test::read_text(folder / page.name) == page.text)
        << page.name << " is out of date: run heddle explain --reference docs";
  }
  for (const auto& entry : fs::directory_iterator(folder / "reference"))
    EXPECT_TRUE(names.count(entry.path().filename().string()) != 0) << entry.path() << " is no page any more";
}

}  // namespace
}  // namespace heddle
