// SPDX-License-Identifier: MIT
// The rule book against the program: every page has the form, every id that is cited exists, every rule is followed by
// code and covered by a test, as far as the exceptions at the end do not say why not.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/process.hpp"
#include "verify/explain/book.hpp"
#include "verify/explain/citations.hpp"
#include "verify/rules/rules.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using namespace verify;

const fs::path kRoot = HEDDLE_SOURCE_DIR;

std::set<std::string> book_ids() {
  std::set<std::string> ids;
  for (const BookPage& page : book())
    for (const BookRule& rule : page.rules) ids.insert(rule.id);
  return ids;
}

// Path -> what the file cites.
std::map<std::string, Citations> cited_below(const std::string& folder) {
  const CitationScanner scanner(book_ids());
  std::map<std::string, Citations> files;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    const std::string path = entry.path().lexically_relative(kRoot).generic_string();
    FileKind kind{};
    if (!entry.is_regular_file() || !file_kind(path, kind) || path.starts_with("tests/house/book_")) continue;
    files[path] = scanner.scan(test::read_text(entry.path()), kind);
  }
  return files;
}

std::set<std::string> known_below(const std::string& folder) {
  std::set<std::string> ids;
  for (const auto& [path, citations] : cited_below(folder)) ids.insert(citations.known.begin(), citations.known.end());
  return ids;
}

std::string joined(const std::set<std::string>& ids) {
  std::string text;
  for (const std::string& id : ids) text += id + " ";
  return text;
}

TEST(Book, EveryPageHasTheForm) {
  std::vector<std::string> problems;
  std::map<std::string, std::string> page_of;
  std::size_t pages = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / "docs/rules")) {
    const std::string name = entry.path().stem().string();
    if (name == "README" || name == "checks") continue;
    ++pages;
    for (const BookRule& rule : parse_book_page(name, test::read_text(entry.path()), problems).rules) {
      const auto [place, first] = page_of.emplace(rule.id, name);
      EXPECT_TRUE(first) << rule.id << " stands on " << place->second << " and on " << name;
    }
  }
  for (const std::string& problem : problems) ADD_FAILURE() << problem;
  EXPECT_EQ(book().size(), pages) << "the program was built from other pages";
}

TEST(Book, AnIncompleteRuleIsReported) {
  std::vector<std::string> problems;
  const BookPage page = parse_book_page("x",
                                        "# X\n\n## S\n\n### X-1: One\nText.\n\nSource: none.\n\n### X-2: Two\nText.\n\n"
                                        "Choice: this.\n\n### X-3\nText.\n",
                                        problems);
  ASSERT_EQ(page.rules.size(), 3u);
  EXPECT_EQ(page.rules[0].part("Source"), "none.");
  EXPECT_EQ(page.rules[0].section, "S");
  const auto reported = [&](const std::string& what) {
    return std::any_of(problems.begin(), problems.end(),
                       [&](const std::string& p) { return p.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(reported("X-2: has no `Source:`"));
  EXPECT_TRUE(reported("X-2: has only one of"));
  EXPECT_TRUE(reported("X-3: the heading is not"));
}

TEST(Book, TheScannerFindsCitations) {
  const CitationScanner scanner({"GA-1", "GA-2", "GA-3", "C9", "OM-1", "OM-3", "R8", "V4", "file-open"});
  const auto known = [&](std::string_view text, FileKind kind) { return joined(scanner.scan(text, kind).known); };
  EXPECT_EQ(known("// GA-1 to GA-3 [C9]", FileKind::Code), "C9 GA-1 GA-2 GA-3 ");
  EXPECT_EQ(known("/* GA-1..2 */ int C9; auto x = \"V4 GA-3\";", FileKind::Code), "GA-1 GA-2 GA-3 ");
  EXPECT_EQ(known("TEST(Gather, Order_GA2_C9) {}", FileKind::Code), "C9 GA-2 ");
  EXPECT_EQ(known("TEST_P(Gather, C9_OfGA1_GA3) {}", FileKind::Code), "C9 GA-3 ");
  EXPECT_EQ(known("TEST(OutputMerger, Om1Om3Order) {} TEST(Formats, R8G8) {} TEST(C9, Om2x)", FileKind::Code),
            "OM-1 OM-3 ");
  EXPECT_EQ(known("error(\"file-open\", 1'000); // V4.0, XGA-1", FileKind::Code), "file-open ");
  EXPECT_EQ(joined(scanner.scan("// GA-4", FileKind::Code).unknown), "GA-4 ");
}

TEST(Book, CitedIdsExist) {
  // Words of the form of an id that are none.
  const std::set<std::string> words = {"AVX-512", "CRC-32", "SHA-256", "UTF-8"};
  for (const char* folder : {"src", "layer", "tests", "docs"})
    for (const auto& [path, citations] : cited_below(folder))
      for (const std::string& id : citations.unknown) {
        // In a comment R0, I32, V40 are a register or a type.
        const bool name = id[0] == 'R' || id[0] == 'I' || id[0] == 'V';
        if (words.count(id) == 0 && (!name || id.find('-') != std::string::npos))
          ADD_FAILURE() << path << " cites " << id << ", which is not in docs/rules";
      }
}

TEST(Book, DiagnosticsAreExplained) {
  const std::set<std::string> ids = book_ids();
  const std::regex call(R"re(\b(?:error|warning|note|Failure|fail|warn)\(\s*"([a-z0-9]+(?:-[a-z0-9]+)+)")re");
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src")) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
    const std::string text = test::read_text(entry.path());
    for (std::sregex_iterator i(text.begin(), text.end(), call), end; i != end; ++i) {
      const std::string id = (*i)[1];
      EXPECT_TRUE(ids.count(id) != 0 || id.starts_with("spirv-footprint-") || find_rule(id) != nullptr ||
                  find_rule("visa-" + id) != nullptr)
          << entry.path() << " reports " << id << ", which neither docs/rules nor the catalogs explain";
    }
  }
}

// Ids that need no citation, and why.
struct Exceptions {
  const char* reason;
  std::set<std::string> ids;
};
#include "house/book_exceptions.inc"

void expect_cited(const std::string& folder, const std::vector<Exceptions>& exceptions) {
  const std::set<std::string> known = known_below(folder);
  std::set<std::string> excepted;
  for (const Exceptions& group : exceptions) excepted.insert(group.ids.begin(), group.ids.end());
  for (const std::string& id : book_ids())
    EXPECT_TRUE(known.count(id) != 0 || excepted.count(id) != 0)
        << id << " is cited by no file below " << folder << ": add the id to a comment where it is followed or tested";
  for (const std::string& id : excepted)
    EXPECT_TRUE(known.count(id) == 0) << id << " is cited below " << folder << " now: remove the exception";
}

TEST(Book, EveryRuleIsCitedByCode) { expect_cited("src", kNoCode); }
TEST(Book, EveryRuleIsCitedByATest) { expect_cited("tests", kNoTest); }

}  // namespace
}  // namespace heddle
