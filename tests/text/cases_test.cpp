// SPDX-License-Identifier: MIT
// Small golden cases: tests/text/cases/*.txt. Each holds accepting and rejecting programs of one rule.
//   --- good|bad [--dialect=newer] [--platform=XE2] [--max-nesting=3] [--judge]: title
//   lines of text; the prologue of cases/prologue.visaasm stands before them unless they start with .version
// A line with a diagnostic ends with //! SEVERITY ID COLUMN+LENGTH: part of its message or notes. Several are separated
// by " //! ". The set of diagnostics must be exactly the one written.
// Rules: TXT-1 to TXT-33.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "support.hpp"

namespace heddle::text {
namespace {

struct Case {
  std::string file, title, body;
  bool good = false;
  ParseOptions options;
};

struct Expected {
  std::string head;  ///< "error visa-text-syntax 3:5+2"
  std::string part;
};

std::vector<Case> read_cases(const std::string& file) {
  std::vector<Case> cases;
  for (const std::string& line : split(read_all(file), '\n')) {
    if (!line.starts_with("--- ")) {
      if (!cases.empty()) cases.back().body += line + "\n";
      continue;
    }
    Case c;
    c.file = file;
    const std::size_t colon = line.find(": ");
    EXPECT_NE(colon, std::string::npos) << file << ": " << line;
    c.title = line.substr(colon + 2);
    for (const std::string& word : split(line.substr(4, colon - 4), ' ')) {
      if (word == "good" || word == "bad")
        c.good = word == "good";
      else if (word == "--dialect=newer")
        c.options.dialect = DialectChoice::Newer;
      else if (word == "--dialect=12504")
        c.options.dialect = DialectChoice::Igc12504;
      else if (word == "--judge")
        c.options.rules_are_errors = true;
      else if (word.starts_with("--platform="))
        c.options.platform = isa::find_platform(word.substr(11));
      else if (word.starts_with("--max-nesting="))
        c.options.limits.nesting = static_cast<std::size_t>(std::atoi(word.c_str() + 14));
      else if (word.starts_with("--max-instructions="))
        c.options.limits.instructions = static_cast<std::uint64_t>(std::atoi(word.c_str() + 19));
      else if (word.starts_with("--max-variables="))
        c.options.limits.variables = static_cast<std::uint64_t>(std::atoi(word.c_str() + 16));
      else
        ADD_FAILURE() << file << ": unknown word " << word;
    }
    cases.push_back(std::move(c));
  }
  return cases;
}

std::string severity(base::Severity s) {
  return s == base::Severity::Error ? "error" : s == base::Severity::Warning ? "warning" : "note";
}

void run_case(const Case& c) {
  SCOPED_TRACE(c.file + ": " + c.title);
  static const std::string kPrologue = read_all(source_dir() + "/tests/text/cases/prologue.visaasm");
  const bool whole = c.body.starts_with(".version") || c.body.starts_with("//whole");
  const std::string source = (whole ? "" : kPrologue) + c.body;
  const auto before = whole ? 0 : std::count(kPrologue.begin(), kPrologue.end(), '\n');

  std::vector<Expected> wanted;
  int number = 0;
  for (const std::string& line : split(c.body, '\n')) {
    ++number;
    for (std::size_t at = line.find("//! "); at != std::string::npos;) {
      const std::size_t next = line.find("//! ", at + 4);
      std::string text = line.substr(at + 4, next == std::string::npos ? next : next - at - 4);
      while (text.ends_with(' ')) text.pop_back();
      const std::size_t colon = text.find(": ");
      const auto words = split(text.substr(0, colon), ' ');
      ASSERT_EQ(words.size(), 3u) << text;
      wanted.push_back({fmt::format("{} {} {}:{}", words[0], words[1], number, words[2]),
                        colon == std::string::npos ? "" : text.substr(colon + 2)});
      at = next;
    }
  }

  base::Diagnostics d;
  const auto program = parse(source, "case", c.options, d);
  EXPECT_EQ(program.has_value(), c.good) << show(d, source);
  std::vector<std::string> found, expected_heads;
  for (const base::Diagnostic& one : d.all())
    found.push_back(fmt::format("{} {} {}:{}+{}", severity(one.severity), one.id,
                                static_cast<long>(one.place.line) - before, one.place.column, one.place.length));
  for (const Expected& e : wanted) expected_heads.push_back(e.head);
  std::sort(found.begin(), found.end());
  std::sort(expected_heads.begin(), expected_heads.end());
  EXPECT_EQ(found, expected_heads) << show(d, source);
  for (const Expected& e : wanted) {
    if (e.part.empty()) continue;
    bool seen = false;
    for (const base::Diagnostic& one : d.all()) {
      std::string all = one.message;
      for (const base::Note& n : one.notes) all += "\n" + n.message;
      seen = seen || all.find(e.part) != std::string::npos;
    }
    EXPECT_TRUE(seen) << "no message says: " << e.part << "\n" << show(d, source);
  }
  if (program) {
    const std::string printed = print(*program);
    base::Diagnostics again;
    ParseOptions options = c.options;
    options.dialect = DialectChoice::Auto;
    const auto second = parse(printed, "printed", options, again);
    ASSERT_TRUE(second.has_value()) << printed << show(again, printed);
    EXPECT_EQ(difference(*program, *second), "") << printed;
    EXPECT_EQ(print(*second), printed);
  }
}

TEST(TextCases, EveryRuleAcceptsAndRejects) {
  const auto files = files_below(source_dir() + "/tests/text/cases", ".txt");
  EXPECT_GE(files.size(), 10u);
  for (const std::string& file : files) {
    bool good = false, bad = false;
    for (const Case& c : read_cases(file)) {
      run_case(c);
      (c.good ? good : bad) = true;
    }
    EXPECT_TRUE(good) << file << " has no accepting case";
    EXPECT_TRUE(bad || file.find("printing") != std::string::npos) << file << " has no rejecting case";
  }
}

}  // namespace
}  // namespace heddle::text
