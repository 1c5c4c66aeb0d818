// SPDX-License-Identifier: MIT
#include "verify/explain/citations.hpp"

#include <algorithm>
#include <utility>

namespace heddle::verify {
namespace {

bool upper(char c) { return c >= 'A' && c <= 'Z'; }
bool small(char c) { return c >= 'a' && c <= 'z'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool word(char c) { return upper(c) || small(c) || digit(c) || c == '_'; }

// The comments, and the strings, of a file; the code between them stays in `code`.
struct Pieces {
  std::string comments, strings, code;
};

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  Pieces split() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      const char before = at_ == 0 ? ' ' : text_[at_ - 1];
      if (rest.starts_with("//"))
        take(pieces_.comments, "\n", 2);
      else if (rest.starts_with("/*"))
        take(pieces_.comments, "*/", 2);
      else if (rest.starts_with("R\"") && !word(before))
        take(pieces_.strings, ")" + std::string(rest.substr(2, rest.find('(') - 2)) + "\"", 2);
      else if (rest[0] == '"' || (rest[0] == '\'' && !word(before)))
        quoted(rest[0]);
      else
        pieces_.code += text_[at_++];
    }
    return std::move(pieces_);
  }

 private:
  void take(std::string& to, const std::string& end, std::size_t skip) {
    const std::size_t found = text_.find(end, at_ + skip);
    const std::size_t stop = found == std::string_view::npos ? text_.size() : found + end.size();
    to.append(text_.substr(at_ + skip, stop - at_ - skip)).append("\n");
    at_ = stop;
  }

  void quoted(char mark) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != mark && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    end = std::min(end, text_.size());
    pieces_.strings.append(text_.substr(at_ + 1, end - at_ - 1)).append("\n");
    at_ = std::min(end + 1, text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Pieces pieces_;
};

std::string comments_behind(std::string_view text, char mark) {
  std::string result;
  bool inside = false;
  for (const char c : text) {
    inside = c != '\n' && (inside || c == mark);
    if (inside || c == '\n') result += c;
  }
  return result;
}

// Reads FAMILY, a hyphen, NUMBER at `at`; moves behind it.
struct Id {
  std::string family;
  bool hyphen = false;
  unsigned number = 0;
};
bool read_number(std::string_view text, std::size_t& at, unsigned& number) {
  std::size_t end = at;
  number = 0;
  for (; end < text.size() && digit(text[end]) && end - at < 4; ++end)
    number = number * 10 + static_cast<unsigned>(text[end] - '0');
  if (end == at || (end < text.size() && word(text[end]))) return false;
  if (end + 1 < text.size() && text[end] == '.' && digit(text[end + 1])) return false;  // V40.0
  at = end;
  return true;
}
bool read_id(std::string_view text, std::size_t& at, Id& id) {
  std::size_t end = at;
  while (end < text.size() && upper(text[end])) ++end;
  if (end == at || end - at > 4) return false;
  id.family = text.substr(at, end - at);
  id.hyphen = end < text.size() && text[end] == '-';
  if (id.hyphen) ++end;
  if (!read_number(text, end, id.number)) return false;
  at = end;
  return true;
}

// Behind an id: " to X-8", "..X-8" or "..8". Gives the last number of the range.
unsigned range_end(std::string_view text, std::size_t& at, const Id& first) {
  for (const std::string_view between : {" to ", "..", "..."}) {
    if (!text.substr(at).starts_with(between)) continue;
    std::size_t end = at + between.size();
    Id last;
    const bool whole = read_id(text, end, last) && last.family == first.family && last.hyphen == first.hyphen;
    if (!whole && (between == " to " || !read_number(text, end, last.number))) continue;
    if (last.number < first.number) continue;
    at = end;
    return last.number;
  }
  return first.number;
}

}  // namespace

bool file_kind(std::string_view path, FileKind& kind) {
  const std::size_t dot = path.rfind('.');
  const std::string_view extension = dot == std::string_view::npos ? "" : path.substr(dot);
  for (const auto& [name, what] : {std::pair{".cpp", FileKind::Code},
                                   {".hpp", FileKind::Code},
                                   {".inc", FileKind::Code},
                                   {".cl", FileKind::Code},
                                   {".frag", FileKind::Code},
                                   {".vert", FileKind::Code},
                                   {".comp", FileKind::Code},
                                   {".visaasm", FileKind::Code},
                                   {".spvasm", FileKind::Assembly},
                                   {".md", FileKind::Document},
                                   {".txt", FileKind::Text},
                                   {".json", FileKind::Text}})
    if (extension == name) {
      kind = what;
      return true;
    }
  return false;
}

CitationScanner::CitationScanner(std::set<std::string> ids) : ids_(std::move(ids)) {
  for (const std::string& id : ids_) {
    const std::size_t end = std::find_if_not(id.begin(), id.end(), upper) - id.begin();
    if (end != 0) (id[end] == '-' ? hyphen_ : bare_).insert(id.substr(0, end));
  }
}

Citations CitationScanner::scan(std::string_view text, FileKind kind) const {
  Citations found;
  if (kind == FileKind::Text || kind == FileKind::Document) {
    scan_prose(text, kind == FileKind::Document, found);
  } else if (kind == FileKind::Assembly) {
    scan_prose(comments_behind(text, ';'), true, found);
  } else {
    const Pieces pieces = Splitter(text).split();
    scan_prose(pieces.comments, true, found);
    scan_prose(pieces.strings, false, found);
    scan_test_names(pieces.code, found);
  }
  return found;
}

void CitationScanner::cite(const std::string& family, bool hyphen, unsigned first, unsigned last,
                           Citations& found) const {
  for (unsigned number = first; number <= last; ++number) {
    const std::string id = family + (hyphen ? "-" : "") + std::to_string(number);
    if (ids_.count(id) != 0)
      found.known.insert(id);
    else if (number == first || number == last)  // inside of a range a family may have gaps
      found.unknown.insert(id);
  }
}

void CitationScanner::scan_prose(std::string_view text, bool bare, Citations& found) const {
  for (std::size_t at = 0; at < text.size();) {
    const char before = at == 0 ? ' ' : text[at - 1];
    std::size_t end = at;
    Id id;
    if (word(before) || before == '-' || !word(text[at])) {
      ++at;
    } else if (upper(text[at]) && read_id(text, end, id)) {
      const unsigned last = range_end(text, end, id);
      // A name that only looks like an id (R32, UTF-8) matters where its family has rules, or could have.
      if (id.hyphen ? id.family.size() > 1 : bare && bare_.count(id.family) != 0)
        cite(id.family, id.hyphen, id.number, last, found);
      at = end;
    } else {
      while (end < text.size() && (word(text[end]) || text[end] == '-')) ++end;
      if (small(text[at])) {
        const std::string id_of_message(text.substr(at, end - at));
        if (ids_.count(id_of_message) != 0) found.known.insert(id_of_message);
      }
      at = upper(text[at]) ? at + 1 : std::max(end, at + 1);
    }
  }
}

void CitationScanner::scan_test_names(std::string_view code, Citations& found) const {
  for (std::size_t at = code.find("TEST"); at != std::string_view::npos; at = code.find("TEST", at + 4)) {
    const std::size_t open = code.find('(', at);
    if (open == std::string_view::npos || open - at > 6) continue;
    const std::string_view names = code.substr(open, code.find(')', open) - open);
    // Where the last id ended; another may follow at once (Om9Om20Title).
    std::size_t last_end = 0;
    for (std::size_t i = 1; i < names.size(); ++i) {
      const char before = names[i - 1];
      if (!upper(names[i]) || (before != '_' && before != ' ' && i != last_end)) continue;
      std::size_t end = i + 1;
      const bool camel = end < names.size() && small(names[end]);
      while (end < names.size() && (camel ? small(names[end]) : upper(names[end]))) ++end;
      Id id;
      id.family = std::string(names.substr(i, end - i));
      std::ranges::transform(id.family, id.family.begin(), [](char c) { return small(c) ? char(c - 'a' + 'A') : c; });
      const std::size_t number = end;
      while (end < names.size() && digit(names[end])) id.number = id.number * 10 + unsigned(names[end++] - '0');
      if (end == number || end - number > 4) continue;
      if (end < names.size() && (small(names[end]) || (!camel && upper(names[end])))) continue;
      last_end = end;
      if (!camel && bare_.count(id.family) != 0) cite(id.family, false, id.number, id.number, found);
      if (hyphen_.count(id.family) != 0) cite(id.family, true, id.number, id.number, found);
    }
  }
}

}  // namespace heddle::verify
