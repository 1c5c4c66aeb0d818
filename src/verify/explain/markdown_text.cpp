// SPDX-License-Identifier: MIT
#include "verify/explain/markdown_text.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace heddle::verify {
namespace {

using Row = std::vector<std::string>;

std::size_t columns_of(std::string_view text) {  // of UTF-8
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::vector<std::string> filled(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > width) lines.push_back(std::exchange(line, {}));
    if (!word.empty()) line.append(line.empty() ? "" : " ").append(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

// Without the marks of code and emphasis; inside of code everything stays.
std::string plain(std::string_view text) {
  std::string result;
  bool code = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`')
      code = !code;
    else if (!code && text.substr(i).starts_with("**"))
      ++i;
    else if (text[i] != '\\' || i + 1 == text.size() ||
             (code ? text[i + 1] != '|' : std::isalnum(static_cast<unsigned char>(text[i + 1]))))
      result += text[i];
  }
  return result;
}

// The cells between the bars; a bar behind a backslash or inside of code is text.
Row cells(std::string_view line) {
  Row row;
  std::string cell;
  bool code = false;
  line.remove_prefix(std::min(line.find('|') + 1, line.size()));
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '`') code = !code;
    if (line[i] == '|' && !code && (i == 0 || line[i - 1] != '\\')) {
      const std::size_t begin = std::min(cell.find_first_not_of(' '), cell.size());
      row.push_back(plain(std::string_view(cell).substr(begin, cell.find_last_not_of(' ') + 1 - begin)));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  return row;
}

bool separator(std::string_view line) { return line.find_first_not_of("|-: ") == std::string_view::npos; }

// Columns as wide as their cells; the widest give way until the table fits.
std::vector<std::size_t> widths_of(const std::vector<Row>& rows, std::size_t width) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  const auto total = [&] {
    std::size_t sum = 0;
    for (const std::size_t w : widths) sum += w + 2;
    return sum;
  };
  while (!widths.empty() && total() > width + 2) {
    std::size_t& widest = *std::max_element(widths.begin(), widths.end());
    if (widest <= 12) break;
    --widest;
  }
  return widths;
}

std::string table(const std::vector<Row>& rows, std::string_view indent, std::size_t width) {
  const std::vector<std::size_t> widths = widths_of(rows, width);
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::vector<std::string>> wrapped;
    std::size_t height = 1;
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      wrapped.push_back(filled(rows[r][i], widths[i]));
      height = std::max(height, wrapped.back().size());
    }
    for (std::size_t l = 0; l < height; ++l) {
      std::string line(indent);
      for (std::size_t i = 0; i < wrapped.size(); ++i) {
        const std::string& part = l < wrapped[i].size() ? wrapped[i][l] : std::string();
        line += part + std::string(widths[i] + 2 - std::min(columns_of(part), widths[i]), ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    if (r != 0) continue;
    text += indent;  // a line under the head
    for (const std::size_t w : widths) text += std::string(w, '-') + "  ";
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

class Renderer {
 public:
  Renderer(std::string_view indent, std::size_t width) : indent_(indent), width_(width) {}

  std::string render(std::string_view markdown) {
    while (!markdown.empty()) {
      const std::size_t end = std::min(markdown.find('\n'), markdown.size());
      line(markdown.substr(0, end));
      markdown.remove_prefix(std::min(end + 1, markdown.size()));
    }
    flush();
    return std::move(text_);
  }

 private:
  void line(std::string_view line) {
    if (line.starts_with("```")) {
      flush();
      fenced_ = !fenced_;
    } else if (fenced_) {
      text_.append(line.empty() ? "" : indent_).append(line.empty() ? "" : "  ").append(line).append("\n");
    } else if (line.empty()) {
      flush();
      if (!text_.empty() && !text_.ends_with("\n\n")) text_ += "\n";
    } else if (line.starts_with("|")) {
      if (rows_.empty()) flush();
      if (!separator(line)) rows_.push_back(cells(line));
    } else {
      const std::size_t depth = std::min(line.find_first_not_of(' '), line.size());
      const std::string_view words = line.substr(depth);
      const bool item = words.starts_with("- ") || words.starts_with("* ") || numbered(words);
      if (item || !rows_.empty()) flush();
      if (item) hang_ = std::string(depth, ' ') + std::string(words.find(' ') + 1, ' ');
      if (item) first_ = std::string(depth, ' ') + std::string(words.substr(0, words.find(' ') + 1));
      words_.append(words_.empty() ? "" : " ").append(item ? words.substr(words.find(' ') + 1) : words);
    }
  }

  static bool numbered(std::string_view words) {
    const std::size_t digits = words.find_first_not_of("0123456789");
    return digits != 0 && digits != std::string_view::npos && words.substr(digits).starts_with(". ");
  }

  void flush() {
    if (!rows_.empty()) text_ += table(rows_, indent_, width_);
    rows_.clear();
    bool begun = false;
    for (const std::string& part : filled(plain(words_), width_ - hang_.size())) {
      text_ += std::string(indent_) + (begun ? hang_ : first_) + part + "\n";
      begun = true;
    }
    words_.clear();
    hang_.clear();
    first_.clear();
  }

  std::string_view indent_;
  std::size_t width_;
  std::string text_, words_, hang_, first_;
  std::vector<Row> rows_;
  bool fenced_ = false;
};

}  // namespace

std::string paragraph(std::string_view text, std::string_view indent, std::size_t width) {
  std::string result;
  for (const std::string& line : filled(text, width)) result += std::string(indent) + line + "\n";
  return result;
}

std::string plain_markdown(std::string_view markdown, std::string_view indent, std::size_t width) {
  return Renderer(indent, width).render(markdown);
}

}  // namespace heddle::verify
