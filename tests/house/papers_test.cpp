// SPDX-License-Identifier: MIT
// What files say of themselves: the rule line at their top, and the README of their folder.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "base/bits/bits.hpp"
#include "support/process.hpp"
#include "verify/explain/book.hpp"
#include "verify/explain/citations.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = HEDDLE_SOURCE_DIR;

// --- "// Rules: GA-4, C9." ------------------------------------------------------------------------------------------

/// Folder of src/ -> pages of the rule book that its code may follow. A folder that is not listed follows any.
const std::map<std::string, std::set<std::string>> kPages = {
    {"texture",
     {"bounds", "comparison", "coordinates", "filtering", "footprint", "gather", "hardware-state", "lanes-and-results",
      "level-of-detail", "loads", "messages", "numbers", "queries", "sample-unorm", "surfaces", "visa-text"}},
    {"render_target",
     {"framebuffer-operations", "hardware-state", "lanes-and-results", "messages", "numbers", "output-merger",
      "pixel-dispatch", "render-target-write", "shading-rate", "surfaces"}},
    {"image",
     {"hardware-state", "image-files", "messages", "numbers", "surfaces", "vulkan-formats", "comparison", "filtering",
      "coordinates", "sample-unorm", "footprint"}},
    {"text", {"visa-text", "visa-encoding", "numbers", "messages", "render-target-write"}},
    {"binary", {"visa-text", "visa-encoding", "messages"}},
};

std::map<std::string, std::string> page_of_rules() {
  std::map<std::string, std::string> pages;
  for (const verify::BookPage& page : verify::book())
    for (const verify::BookRule& rule : page.rules) pages[rule.id] = page.name;
  return pages;
}

struct RuleLine {
  std::string line;  ///< from "Rules:" on, with the comment lines that go on with it
  std::string rest;  ///< of the file, behind it
};

/// The rule line of a file: in the comment that it begins with.
bool find_rule_line(const std::string& text, RuleLine& found) {
  bool in_line = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (!line.starts_with("//") && !line.starts_with("#pragma once")) {
      found.rest = text.substr(at);
      break;
    }
    const std::size_t start = line.find("Rules: ");
    if (start != std::string::npos) {
      in_line = true;
      found.line = "// " + line.substr(start) + "\n";
    } else if (in_line) {
      found.line += line + "\n";
    }
    at = end + 1;
  }
  return in_line;
}

/// R1, I4, V8, E2: also registers and types, which a comment may name.
bool is_ambiguous(const std::string& id) {
  return id.find('-') == std::string::npos && (id[0] == 'R' || id[0] == 'I' || id[0] == 'V' || id[0] == 'E');
}

std::vector<std::string> problems_of_rule_line(const std::string& path, const std::string& text,
                                               const std::map<std::string, std::string>& pages) {
  std::vector<std::string> problems;
  RuleLine found;
  if (!find_rule_line(text, found)) return problems;
  std::set<std::string> ids;
  for (const auto& [id, page] : pages) ids.insert(id);
  const verify::CitationScanner scanner(ids);
  const auto named = scanner.scan(found.line, verify::FileKind::Code),
             below = scanner.scan(found.rest, verify::FileKind::Code);
  if (named.known.empty()) problems.push_back(path + ": its rule line names no rule");
  for (const std::string& id : named.unknown)
    problems.push_back(path + ": its rule line names " + id + ", which is none");
  for (const std::string& id : below.known) {
    const bool message = id.find('-') != std::string::npos && id[0] >= 'a' && id[0] <= 'z';
    if (named.known.count(id) == 0 && !message && !is_ambiguous(id))
      problems.push_back(path + ": " + id + " is followed below and not named in the rule line");
  }
  const std::string folder = path.substr(4, path.find('/', 4) - 4);
  const auto allowed = kPages.find(folder);
  if (allowed != kPages.end())
    for (const std::string& id : named.known)
      if (allowed->second.count(pages.at(id)) == 0)
        problems.push_back(path + ": " + id + " stands on the page " + pages.at(id) + ", which is not for " + folder +
                           "/");
  return problems;
}

TEST(Papers, RuleLinesThatAreWrongAreFound) {
  const std::map<std::string, std::string> pages = {{"CUB-3", "coordinates"},
                                                    {"FP-9", "footprint"},
                                                    {"C62", "output-merger"},
                                                    {"R1", "messages"},
                                                    {"run-races", "messages"}};
  const auto count = [&](const std::string& text) {
    return problems_of_rule_line("src/texture/x.cpp", text, pages).size();
  };
  EXPECT_EQ(count("// Taps. Rules: FP-9,\n// CUB-3.\n#include <x>\nint a;  // CUB-3, R1\nerror(\"run-races\");\n"), 0u);
  EXPECT_EQ(count("// Rules: FP-9.\nint a;  // CUB-3\n"), 1u);
  EXPECT_EQ(count("// Rules: FP-9, C62.\nint a;\n"), 1u);
  EXPECT_EQ(count("// Rules: FP-7, FP-9.\nint a;\n"), 1u);
  EXPECT_EQ(count("// Rules: this and that.\nint a;\n"), 1u);
  EXPECT_EQ(count("// Taps.\nint a;  // Rules: none here, CUB-3\n"), 0u);
}

TEST(Papers, RuleLinesNameWhatTheFileFollows) {
  const std::map<std::string, std::string> pages = page_of_rules();
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src")) {
    const std::string path = entry.path().lexically_relative(kRoot).generic_string();
    if (!path.ends_with(".cpp") && !path.ends_with(".hpp") && !path.ends_with(".inc")) continue;
    for (const std::string& problem : problems_of_rule_line(path, test::read_text(entry.path()), pages))
      ADD_FAILURE() << problem;
  }
}

// --- READMEs --------------------------------------------------------------------------------------------------------

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Each folder of src/ with more than three files has a README: a heading with the folder's path, some lines on
/// purpose, types and the way of data, and where to start. Its links and paths are checked in paths_test.cpp.
TEST(Papers, EveryFolderHasItsReadme) {
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src")) {
    if (!entry.is_directory()) continue;
    std::size_t files = 0;
    for (const auto& file : fs::directory_iterator(entry.path()))
      if (file.is_regular_file() && file.path().extension() != ".in" && file.path().filename() != "README.md") ++files;
    const std::string folder = entry.path().lexically_relative(kRoot / "src").generic_string();
    const fs::path readme = entry.path() / "README.md";
    if (!fs::exists(readme)) {
      EXPECT_LE(files, 3u) << "src/" << folder << " has " << files << " files and no README.md";
      continue;
    }
    const std::string text = test::read_text(readme);
    EXPECT_TRUE(text.starts_with("# ")) << "src/" << folder << "/README.md has no heading";
    EXPECT_GE(lines_of(text), 6u) << "src/" << folder << "/README.md says too little";
    if (files > 3)
      EXPECT_NE(text.find("Start "), std::string::npos)
          << "src/" << folder << "/README.md does not say where to start reading";
  }
}

// --- versions -------------------------------------------------------------------------------------------------------

TEST(Papers, TheNewestChangesAreThoseOfTheVersionInTheMaking) {
  const std::string cmake = test::read_text(kRoot / "CMakeLists.txt"),
                    changes = test::read_text(kRoot / "CHANGELOG.md");
  std::smatch version, heading;
  ASSERT_TRUE(std::regex_search(cmake, version, std::regex(R"re(project\(heddle VERSION ([0-9.]+))re")));
  ASSERT_TRUE(std::regex_search(changes, heading, std::regex(R"re(\n## ([0-9.]+))re")));
  EXPECT_EQ(version[1], heading[1]);
}

// The number changes in a change that says so (docs/bits.md).
TEST(Papers, TheNewestChangesNameTheNumberOfTheBits) {
  std::string newest = test::read_text(kRoot / "CHANGELOG.md");
  newest.erase(0, newest.find("\n## ") + 1);
  newest.erase(std::min(newest.find("\n## "), newest.size()));
  const std::string number = "bits: " + std::to_string(base::kBits);
  EXPECT_TRUE(std::regex_search(newest, std::regex(number + "(?![0-9])")))
      << "CHANGELOG.md, the newest version: does not say '" << number << "', as src/base/bits/bits.hpp does";
}

// --- lines ----------------------------------------------------------------------------------------------------------

// Sentences of documents fit a line of 160 characters; tables, code and links that are longer by themselves do not.
TEST(Papers, LinesOfDocumentsFit) {
  std::vector<fs::path> documents;
  for (const char* folder : {"docs", "src", "layer", "python", "tests", "debug"})
    if (fs::exists(kRoot / folder))
      for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder))
        if (entry.path().extension() == ".md") documents.push_back(entry.path());
  for (const auto& entry : fs::directory_iterator(kRoot))
    if (entry.path().extension() == ".md") documents.push_back(entry.path());
  for (const fs::path& document : documents) {
    const std::string path = document.lexically_relative(kRoot).generic_string(), text = test::read_text(document);
    if (path.starts_with("docs/reference/") || path == "docs/rules/checks.md") continue;  // generated
    bool code = false;
    int number = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      ++number;
      if (line.starts_with("```")) code = !code;
      const std::size_t characters =
          static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }));
      const bool one_word = line.find(' ', line.find_first_not_of(" -")) == std::string::npos;
      EXPECT_TRUE(code || line.starts_with("|") || one_word || characters <= 160)
          << path << ":" << number << " has " << characters << " characters";
    }
  }
}

}  // namespace
}  // namespace heddle
