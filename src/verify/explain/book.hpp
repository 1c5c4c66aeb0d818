// SPDX-License-Identifier: MIT
#pragma once
// The rule book (docs/rules): its pages as they were when the program was built, read into rules, and where the sources
// cite each rule. docs/rules/README.md describes the form.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::verify {

/// A paragraph or more under one label, as Markdown.
struct BookPart {
  std::string_view label;  ///< "" (what holds), "Choice", "Reason", "Way out", "Source"
  std::string text;        ///< without the label
};

struct BookRule {
  std::string id;       ///< as the book writes it
  std::string title;    ///< "Order of the four values"
  std::string section;  ///< "The four texels", may be empty
  std::vector<BookPart> parts;
  /// The text under a label, "" where it is missing.
  [[nodiscard]] std::string_view part(std::string_view label) const;
};

struct BookPage {
  std::string name;   ///< "gather" for docs/rules/gather.md
  std::string title;  ///< "Gather"
  std::string intro;
  std::vector<BookRule> rules;
};

/// Reads one page. What breaks the form is added to `problems`, one sentence each.
[[nodiscard]] BookPage parse_book_page(std::string_view name, std::string_view markdown,
                                       std::vector<std::string>& problems);

/// A page as it was embedded.
struct EmbeddedPage {
  std::string_view name;
  std::span<const std::string_view> parts;  ///< of its text, one behind the other
};
/// Files that cite a rule, relative to the repository, one a line.
struct EmbeddedCitation {
  std::string_view id;
  std::string_view sources;  ///< below src/
  std::string_view tests;    ///< below tests/
};
// Both are written by embed/embed_book.cpp when the program is built.
[[nodiscard]] std::span<const EmbeddedPage> embedded_pages();
[[nodiscard]] std::span<const EmbeddedCitation> embedded_citations();

/// All pages, in the order of docs/rules/README.md as far as it names them.
[[nodiscard]] const std::vector<BookPage>& book();

struct BookEntry {
  const BookPage* page = nullptr;
  const BookRule* rule = nullptr;
  const EmbeddedCitation* citations = nullptr;  ///< nullptr: no file cites the rule
};
/// The rule with this id in any letter case; entry.rule is nullptr where there is none.
[[nodiscard]] BookEntry find_book_rule(std::string_view id);

}  // namespace heddle::verify
