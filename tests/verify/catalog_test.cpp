// SPDX-License-Identifier: MIT
// The catalog: complete, and its examples do what they say.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "instructions/registry.hpp"
#include "verify/harness.hpp"
#include "verify/rules/rules.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

template <typename Fn>
void for_each_rule(Fn fn) {
  for (unsigned area = 0; area < verify::kAreaCount; ++area)
    for (const verify::Rule& rule : verify::rules(static_cast<verify::Area>(area))) fn(rule);
}

TEST(Catalog, EveryRuleIsCompleteAndUnique) {
  std::set<std::string_view> seen;
  for_each_rule([&](const verify::Rule& rule) {
    EXPECT_TRUE(seen.insert(rule.id).second) << rule.id;
    EXPECT_EQ(verify::find_rule(rule.id), &rule);
    EXPECT_FALSE(rule.statement.empty()) << rule.id;
    EXPECT_FALSE(rule.source.empty()) << rule.id;
    EXPECT_FALSE(rule.accepted.empty()) << rule.id;
    EXPECT_FALSE(rule.rejected.empty()) << rule.id;
    EXPECT_TRUE(rule.platform.empty() || isa::find_platform(rule.platform)) << rule.id;
  });
  EXPECT_GT(seen.size(), 140u);
  EXPECT_EQ(verify::find_rule("visa-nothing"), nullptr);
}

// What a rule concerns decides on which pages it stands.
TEST(Catalog, RulesConcernFamiliesAndMnemonicsThatExist) {
  std::set<std::string_view> words;
  for (const isa::InstructionDescription& description : instructions::registry().descriptions())
    words.insert({description.family, description.mnemonic});
  for_each_rule([&](const verify::Rule& rule) {
    std::istringstream concerns{std::string(rule.concerns)};
    for (std::string word; concerns >> word;) EXPECT_TRUE(words.contains(word)) << rule.id << ": " << word;
  });
}

// An id that is reported and not in the catalog could not be explained.
TEST(Catalog, EveryReportedIdIsThere) {
  // In a string of its own, or in the traits of a row or a family: oprule=ID, typerule=ID, typerule=SLOT:ID.
  const std::regex id(R"re((?:"|rule=|typewarning=|:)(visa-[a-z0-9-]*[a-z0-9])(?=["\s]))re");
  std::set<std::string> reported;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(HEDDLE_SOURCE_DIR) / "src")) {
    if (entry.path().extension() != ".cpp" || entry.path().filename().string().starts_with("rules_")) continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);)
      for (std::sregex_iterator it(line.begin(), line.end(), id), end; it != end; ++it) {
        reported.insert((*it)[1]);
        EXPECT_NE(verify::find_rule((*it)[1].str()), nullptr) << entry.path() << ": " << (*it)[1];
      }
  }
  for_each_rule([&](const verify::Rule& rule) {
    EXPECT_TRUE(reported.count(std::string(rule.id)) != 0) << rule.id << " is never reported";
  });
}

bool is_text(std::string_view example) { return !example.starts_with("bytes:"); }

TEST(Catalog, ExamplesDoWhatTheySay) {
  for_each_rule([&](const verify::Rule& rule) {
    if (rule.area == verify::Area::Container) return;  // bytes and words
    SCOPED_TRACE(std::string(rule.id));
    const auto platform = test::platform_named(rule.platform.empty() ? "SKL" : rule.platform);
    const std::size_t before = test::count(test::judge_text(test::program_of(""), platform).diagnostics, rule.id);
    const bool whole = rule.accepted.starts_with(".version");
    if (is_text(rule.accepted)) {
      const test::Verdict verdict = test::judge_text(test::program_of(rule.accepted), platform);
      EXPECT_LE(test::count(verdict.diagnostics, rule.id), whole || rule.id == "visa-flow-scalar" ? 1u : before)
          << test::list(verdict.diagnostics);
      EXPECT_FALSE(verdict.diagnostics.has_errors()) << test::list(verdict.diagnostics);
    }
    if (!is_text(rule.rejected)) return;
    std::string source = test::program_of(rule.rejected);
    if (rule.id == "visa-flow-end") source.resize(source.rfind("ret ("));
    const test::Verdict verdict = test::judge_text(source, platform);
    bool found = false;
    for (const base::Diagnostic& d : verdict.diagnostics.all()) {
      if (d.id != rule.id) continue;
      found = true;
      EXPECT_TRUE(d.severity == rule.severity || d.severity == rule.milder) << d.message;
      EXPECT_EQ(d.place.kind, base::Place::Kind::Text);
      EXPECT_NE(d.place.line, 0u);
    }
    EXPECT_TRUE(found) << test::list(verdict.diagnostics, "visa-unused-declaration");
  });
}

}  // namespace
}  // namespace heddle
