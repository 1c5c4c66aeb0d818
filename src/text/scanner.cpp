// SPDX-License-Identifier: MIT
// Rules: TXT-1 to TXT-4, TXT-31.
#include "text/scanner.hpp"

#include <algorithm>
#include <cstring>

namespace heddle::text {
namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && static_cast<unsigned char>(s.front()) <= ' ') s.remove_prefix(1);
  while (!s.empty() && static_cast<unsigned char>(s.back()) <= ' ') s.remove_suffix(1);
  return s;
}

}  // namespace

void Scanner::to_line_end() {
  const void* found = at_ == end_ ? nullptr : std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
  at_ = found == nullptr ? end_ : static_cast<const char*>(found);
}

void Scanner::to_statement_end() {
  while (at_ != end_ && *at_ != '\n') {
    if (*at_ == '/' && (peek(1) == '/' || peek(1) == '*'))
      slow_space();
    else
      ++at_;
  }
}

void Scanner::line_comment() {
  const char* start = at_ + 2;
  to_line_end();
  comment_ = {start, static_cast<std::size_t>(at_ - start)};
  // TXT-31: "// dialect: 12504" or "// dialect: newer" decides for the file.
  if (const std::string_view text = trimmed(comment_); text.starts_with("dialect:")) {
    const std::string_view word = trimmed(text.substr(8));
    if (word == "12504") dialect_ = DialectComment::Igc12504;
    if (word == "newer") dialect_ = DialectComment::Newer;
  }
}

Span Scanner::end_of_text() const {
  if (blank_end_ != at_ || blank_.line_start != line_start_) return here(0);
  return {blank_.line, static_cast<std::uint32_t>(blank_.at - blank_.line_start) + 1, 0};
}

void Scanner::slow_space() {
  const Mark start = mark();
  skip_blank();
  if (at_ == start.at) return;
  blank_ = start;
  blank_end_ = at_;
}

void Scanner::skip_blank() {
  while (at_ != end_) {
    const char c = *at_;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
      ++at_;
    } else if (c == '/' && peek(1) == '/') {
      line_comment();
      return;
    } else if (c == '/' && peek(1) == '*') {
      const Mark open = mark();
      at_ += 2;
      while (at_ != end_ && !(*at_ == '*' && peek(1) == '/')) {
        if (*at_++ != '\n') continue;
        ++line_;
        line_start_ = at_;
      }
      if (at_ == end_) {
        unclosed_ = {open.line, static_cast<std::uint32_t>(open.at - open.line_start) + 1, 2};
        return;
      }
      at_ += 2;
    } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n')) && at_ != begin_ &&
               (at_[-1] == ' ' || at_[-1] == '\t')) {
      at_ += peek(1) == '\n' ? 2 : 3;
      ++line_;
      line_start_ = at_;
    } else {
      return;
    }
  }
}

std::string_view Scanner::glimpse() const {
  const char* p = at_;
  if (p != end_ && (*p == '%' || *p == '.')) ++p;
  while (p != end_ && is_name_char(*p)) ++p;
  if (p == at_ && p != end_) ++p;
  return {at_, std::min<std::size_t>(static_cast<std::size_t>(p - at_), 40)};
}

Span Scanner::span_from(Mark mark) const {
  Span span{mark.line, static_cast<std::uint32_t>(mark.at - mark.line_start) + 1, 0};
  const char* stop = blank_end_ == at_ && blank_.line_start == mark.line_start && blank_.at > mark.at ? blank_.at : at_;
  if (line_ != mark.line) {
    const void* newline = std::memchr(mark.at, '\n', static_cast<std::size_t>(end_ - mark.at));
    if (newline != nullptr) stop = std::min(stop, static_cast<const char*>(newline));
  }
  while (stop > mark.at && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r')) --stop;
  span.length = static_cast<std::uint32_t>(stop - mark.at);
  return span;
}

}  // namespace heddle::text
