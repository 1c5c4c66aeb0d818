// SPDX-License-Identifier: MIT
#include "verify/explain/book.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

namespace heddle::verify {
namespace {

constexpr std::string_view kLabels[] = {"Choice", "Reason", "Way out", "Source"};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

void trim(std::string& text) {
  text.erase(text.find_last_not_of('\n') + 1);
  text.erase(0, std::min(text.find_first_not_of('\n'), text.size()));
}

bool is_id(std::string_view id) {
  return !id.empty() && std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isalnum(c) || c == '-'; });
}

class PageReader {
 public:
  PageReader(std::string_view name, std::vector<std::string>& problems) : problems_(problems) { page_.name = name; }

  BookPage read(std::string_view markdown) {
    while (!markdown.empty()) add(take_line(markdown));
    end_rule();
    if (page_.title.empty()) problem("has no title");
    if (fenced_) problem("has a code block without an end");
    trim(page_.intro);
    return std::move(page_);
  }

 private:
  void problem(std::string_view what) {
    problems_.push_back(page_.name + ".md" + (rule_.id.empty() ? "" : ", " + rule_.id) + ": " + std::string(what));
  }

  void add(std::string_view line) {
    if (line.starts_with("```")) fenced_ = !fenced_;
    const bool heading = !fenced_ && line.starts_with("#");
    if (heading && line.starts_with("# ")) {
      if (!page_.title.empty()) problem("has two titles");
      page_.title = line.substr(2);
    } else if (heading && line.starts_with("## ")) {
      end_rule();
      section_ = line.substr(3);
    } else if (heading && line.starts_with("### ")) {
      end_rule();
      begin_rule(line.substr(4));
    } else if (rule_.id.empty()) {
      if (section_.empty()) page_.intro.append(line).append("\n");
    } else {
      add_to_rule(line);
    }
    blank_ = line.empty();
  }

  void begin_rule(std::string_view heading) {
    const std::size_t colon = heading.find(": ");
    rule_.id = heading.substr(0, colon);
    if (colon == std::string_view::npos || !is_id(rule_.id)) return problem("the heading is not `### ID: title`");
    rule_.title = heading.substr(colon + 2);
    rule_.section = section_;
    rule_.parts.push_back({});
  }

  void add_to_rule(std::string_view line) {
    if (!fenced_ && rule_.parts.size() != 0)
      for (const std::string_view label : kLabels) {
        if (!line.starts_with(label) || !line.substr(label.size()).starts_with(":")) continue;
        if (!blank_) problem("`" + std::string(label) + ":` does not begin a paragraph");
        if (!rule_.part(label).empty()) problem("`" + std::string(label) + ":` stands twice");
        rule_.parts.push_back({label, {}});
        line.remove_prefix(std::min(label.size() + 2, line.size()));
        break;
      }
    if (!rule_.parts.empty()) rule_.parts.back().text.append(line).append("\n");
  }

  void end_rule() {
    if (rule_.id.empty()) return;
    for (BookPart& part : rule_.parts) trim(part.text);
    if (rule_.part("").empty()) problem("says nothing");
    if (rule_.part("Source").empty()) problem("has no `Source:`");
    if (rule_.part("Choice").empty() != rule_.part("Reason").empty()) problem("has only one of `Choice:`, `Reason:`");
    if (!rule_.parts.empty() && rule_.parts.back().label != "Source") problem("`Source:` is not its last paragraph");
    page_.rules.push_back(std::exchange(rule_, {}));
  }

  std::vector<std::string>& problems_;
  BookPage page_;
  BookRule rule_;
  std::string section_;
  bool fenced_ = false, blank_ = true;
};

}  // namespace

std::string_view BookRule::part(std::string_view label) const {
  for (const BookPart& part : parts)
    if (part.label == label) return part.text;
  return {};
}

BookPage parse_book_page(std::string_view name, std::string_view markdown, std::vector<std::string>& problems) {
  return PageReader(name, problems).read(markdown);
}

const std::vector<BookPage>& book() {
  static const std::vector<BookPage> pages = [] {
    std::vector<BookPage> all;
    std::vector<std::string> problems;  // a test looks at them
    for (const EmbeddedPage& page : embedded_pages()) {
      std::string markdown;
      for (const std::string_view part : page.parts) markdown += part;
      all.push_back(parse_book_page(page.name, markdown, problems));
    }
    return all;
  }();
  return pages;
}

BookEntry find_book_rule(std::string_view id) {
  static const std::map<std::string, BookEntry> entries = [] {
    std::map<std::string, BookEntry> all;
    for (const BookPage& page : book())
      for (const BookRule& rule : page.rules) all[lower(rule.id)] = {&page, &rule, nullptr};
    for (const EmbeddedCitation& citation : embedded_citations())
      if (const auto found = all.find(lower(citation.id)); found != all.end()) found->second.citations = &citation;
    return all;
  }();
  const auto found = entries.find(lower(id));
  return found == entries.end() ? BookEntry{} : found->second;
}

}  // namespace heddle::verify
