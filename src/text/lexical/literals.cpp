// SPDX-License-Identifier: MIT
// Rules: TXT-5, TXT-6, TXT-35.
#include "text/lexical/literals.hpp"

#include <charconv>

#include "text/comments.hpp"

namespace heddle::text {

/// Behind 0x.
bool Literals::hexadecimal(Number& out, Scanner::Mark start) {
  in_.skip(2);
  std::uint64_t value = 0;
  unsigned digits = 0;
  bool over = false;
  for (int d; (d = hex_digit(in_.peek())) >= 0; in_.skip(), ++digits) {
    over = over || (value >> 60) != 0;
    value = value << 4 | static_cast<unsigned>(d);
  }
  if (digits == 0) return expected("hexadecimal digits");
  if (over) return error("visa-text-number", in_.span_from(start), "hexadecimal number needs more than 64 bits");
  out.value = static_cast<std::int64_t>(value);
  out.hex = true;
  out.digits = digits;
  return true;
}

/// From `first` to here.
bool Literals::real(Number& out, Scanner::Mark start, const char* first) {
  const auto [end, failure] = std::from_chars(first, in_.position(), out.real);
  if (failure == std::errc::result_out_of_range)
    return error("visa-text-number", in_.span_from(start),
                 "floating-point number is too large or too small for 64 bits");
  if (failure != std::errc{} || end != in_.position())
    return error("visa-text-number", in_.span_from(start), "not a number");
  out.is_real = true;
  return true;
}

bool Literals::literal(Number& out) {
  const Scanner::Mark start = in_.mark();
  if (in_.peek() == '0' && (in_.peek(1) == 'x' || in_.peek(1) == 'X')) return hexadecimal(out, start);
  std::uint64_t value = 0;
  bool over = false;
  const char* first = in_.position();
  for (; is_digit(in_.peek()); in_.skip()) {
    value = value * 10 + static_cast<unsigned>(in_.peek() - '0');
    if (value > 0xffffffffu) over = true, value = 0xffffffffu;
  }
  const bool digits = in_.position() != first;
  bool real = false;
  if (in_.peek() == '.' &&
      (is_digit(in_.peek(1)) || (digits && (in_.peek(1) == ':' || in_.peek(1) == 'e' || in_.peek(1) == 'E')))) {
    real = true;
    in_.skip();
    while (is_digit(in_.peek())) in_.skip();
  }
  if ((in_.peek() == 'e' || in_.peek() == 'E') && (digits || real)) {
    const bool sign = in_.peek(1) == '+' || in_.peek(1) == '-';
    if (is_digit(in_.peek(sign ? 2 : 1))) {
      real = true;
      in_.skip(sign ? 2 : 1);
      while (is_digit(in_.peek())) in_.skip();
    }
  }
  if (real) return this->real(out, start, first);
  if (!digits) return expected("a number");
  if (over) {
    error("visa-text-number", in_.span_from(start), "decimal number needs more than 32 bits");
    note("write it in hexadecimal: 0x and up to 16 digits");
    return false;
  }
  out.cut = value > 0x7fffffffu;
  out.value = static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  return true;
}

bool Literals::string(std::string& out) {
  const Scanner::Mark start = in_.mark();
  out.clear();
  in_.skip();  // the opening quote
  while (true) {
    if (in_.at_end() || in_.peek() == '\n')
      return error("visa-text-string", in_.span_from(start), "string is not closed before the end of the line");
    const char c = in_.peek();
    if (c == '"') {
      in_.skip();
      return true;
    }
    if (c != '\\') {
      out += c;
      in_.skip();
      continue;
    }
    if (!escape(out)) return false;
  }
}

/// Behind a backslash, which is not read yet.
bool Literals::escape(std::string& out) {
  const Scanner::Mark start = in_.mark();
  in_.skip();
  const char e = in_.peek();
  constexpr std::string_view kLetters = "abefnrtv'\"?\\", kValues = "\a\b\x1b\f\n\r\t\v'\"?\\";
  if (const std::size_t at = kLetters.find(e); at != std::string_view::npos && !in_.at_end()) {
    out += kValues[at];
    in_.skip();
  } else if (e >= '0' && e <= '7') {
    unsigned value = 0;
    for (int digits = 0; digits < 3 && in_.peek() >= '0' && in_.peek() <= '7'; ++digits, in_.skip())
      value = value * 8 + static_cast<unsigned>(in_.peek() - '0');
    if (value > 255) return error("visa-text-string", in_.span_from(start), "octal escape is larger than one byte");
    out += static_cast<char>(value);
  } else if (e == 'x' && hex_digit(in_.peek(1)) >= 0) {
    in_.skip();
    unsigned value = 0;
    for (int digits = 0; digits < 2 && hex_digit(in_.peek()) >= 0; ++digits, in_.skip())
      value = value * 16 + static_cast<unsigned>(hex_digit(in_.peek()));
    out += static_cast<char>(value);
  } else {
    if (!in_.at_end() && e != '\n') in_.skip();
    return error("visa-text-string", in_.span_from(start), "unknown escape in a string");
  }
  return true;
}

std::string Literals::display_name(std::string_view name) {
  const std::string_view given = comment_field(in_.comment(), "v_name");
  if (!given.starts_with('"')) return std::string(name);
  Scanner outer = in_;
  in_ = Scanner(given);
  std::string text;
  const bool ok = [&] {
    const Problems::Trial quietly(problems_);
    return string(text);
  }();
  in_ = outer;
  return ok && !text.empty() && text.find('\0') == std::string::npos ? text : std::string(name);
}

}  // namespace heddle::text
