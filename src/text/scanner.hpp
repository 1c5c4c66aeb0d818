// SPDX-License-Identifier: MIT
#pragma once
// A cursor over .visaasm source. Tokens depend on their place (`V40.0`, `1.5:f`, `.16-full`, `8x8nn`), so the parser
// asks for what it expects instead of receiving a token stream; nothing is copied, every name is a view of the source.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::text {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
[[nodiscard]] constexpr bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }
[[nodiscard]] constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
[[nodiscard]] constexpr int hex_digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/// A stretch of the source on one line.
struct Span {
  std::uint32_t line = 1;
  std::uint32_t column = 1;  ///< 1-based, in bytes
  std::uint32_t length = 0;
};

enum class DialectComment : std::uint8_t { None, Igc12504, Newer };

class Scanner {
 public:
  struct Mark {
    const char* at;
    const char* line_start;
    std::uint32_t line;
  };

  explicit Scanner(std::string_view source)
      : begin_(source.data()), at_(begin_), end_(begin_ + source.size()), line_start_(begin_) {
    if (source.starts_with("\xef\xbb\xbf")) at_ = line_start_ = begin_ + 3;  // a byte order mark of editors
  }

  [[nodiscard]] bool at_end() const { return at_ == end_; }
  [[nodiscard]] std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
  [[nodiscard]] std::uint32_t line() const { return line_; }
  [[nodiscard]] std::uint32_t column() const { return static_cast<std::uint32_t>(at_ - line_start_) + 1; }
  [[nodiscard]] const char* position() const { return at_; }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return static_cast<std::size_t>(end_ - at_) > ahead ? at_[ahead] : '\0';
  }
  [[nodiscard]] bool looking_at(std::string_view text) const {
    return static_cast<std::size_t>(end_ - at_) >= text.size() && std::string_view(at_, text.size()) == text;
  }
  void skip(std::size_t count = 1) {
    at_ += count;
  }  ///< within what peek() or looking_at() has shown; not over a newline

  /// White space, comments and continued lines (white space, backslash, newline); stops at a newline or the end.
  void space() {
    if (at_ != end_ && static_cast<unsigned char>(*at_) > ' ' && *at_ != '/' && *at_ != '\\') return;
    slow_space();
  }
  /// space(), then true when the line is over.
  [[nodiscard]] bool line_over() {
    space();
    return at_ == end_ || *at_ == '\n';
  }
  /// Skips to the end of the line without looking at what is there.
  void to_line_end();
  /// Error recovery: to the newline that ends the statement, comments taken as such.
  void to_statement_end();
  /// Steps over the newline at which line_over() stopped.
  void next_line() {
    if (at_ == end_) return;
    ++at_;
    ++line_;
    line_start_ = at_;
    comment_ = {};
  }
  /// space(), then steps over `c` if it is next.
  bool accept(char c) {
    space();
    if (peek() != c || at_end()) return false;
    ++at_;
    return true;
  }
  /// [A-Za-z_][A-Za-z0-9_]*, also with a leading % (predefined names); empty when there is none. No space() before.
  std::string_view name() {
    const char* start = at_;
    const char* p = at_;
    if (p != end_ && *p == '%') ++p;
    if (p == end_ || !is_name_start(*p)) return {};
    while (p != end_ && is_name_char(*p)) ++p;
    at_ = p;
    return {start, static_cast<std::size_t>(p - start)};
  }
  /// All name characters from here, digits first allowed ("16", "s8", "32x8nn").
  std::string_view word() {
    const char* start = at_;
    while (at_ != end_ && is_name_char(*at_)) ++at_;
    return {start, static_cast<std::size_t>(at_ - start)};
  }
  /// What a message should show of the text here: a word, or one character. Never longer than 40 bytes.
  [[nodiscard]] std::string_view glimpse() const;

  /// Where a message about the end of a statement should point: behind its last token, before blanks and comments.
  [[nodiscard]] Span end_of_text() const;

  /// The text of the // comment that ended this line.
  [[nodiscard]] std::string_view comment() const { return comment_; }
  [[nodiscard]] DialectComment dialect_comment() const { return dialect_; }
  /// Line of a /* that is never closed, or 0.
  [[nodiscard]] Span unclosed_comment() const { return unclosed_; }

  [[nodiscard]] Mark mark() const { return {at_, line_start_, line_}; }
  void rewind(Mark mark) {
    at_ = mark.at;
    line_start_ = mark.line_start;
    line_ = mark.line;
  }
  /// From `mark` to here (to the end of the mark's line when that was left).
  [[nodiscard]] Span span_from(Mark mark) const;
  [[nodiscard]] Span here(std::uint32_t length = 1) const { return {line_, column(), length}; }

 private:
  void slow_space();
  void skip_blank();
  void line_comment();

  const char* begin_;
  const char* at_;
  const char* end_;
  const char* line_start_;
  std::uint32_t line_ = 1;
  Mark blank_{nullptr, nullptr, 0};  ///< where the latest run of blanks and comments began ...
  const char* blank_end_ = nullptr;  ///< ... and ended
  std::string_view comment_;
  DialectComment dialect_ = DialectComment::None;
  Span unclosed_{0, 0, 0};
};

}  // namespace heddle::text
