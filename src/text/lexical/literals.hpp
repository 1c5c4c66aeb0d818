// SPDX-License-Identifier: MIT
#pragma once
// Numbers and strings as they are written (TXT-5, TXT-6).

#include <cstdint>
#include <string>

#include "text/lexical/context.hpp"

namespace heddle::text {

struct Number {
  std::int64_t value = 0;
  double real = 0;
  bool is_real = false;  ///< 1.5, 2e+3: `real`
  bool hex = false;      ///< one hexadecimal literal: a bit pattern
  bool literal = false;  ///< one literal, perhaps with a sign
  unsigned digits = 0;   ///< of a hexadecimal literal
  bool cut = false;      ///< a decimal of 2^31 ... 2^32 - 1, which the dialect reads as a negative number
};

class Literals : ParserPart {
 public:
  explicit Literals(ParseContext& context) : ParserPart(context) {}

  /// A decimal, hexadecimal or real literal at the cursor, without sign. TXT-6: decimals are cut to signed 32 bits;
  /// more than 32 bits, or more than 16 hexadecimal digits, are errors here.
  bool literal(Number& out);
  /// "..." with the escapes of TXT-5.
  bool string(std::string& out);
  /// The pool name that a trailing comment // v_name="..." carries for a name that the line itself cannot show.
  [[nodiscard]] std::string display_name(std::string_view name);

 private:
  bool hexadecimal(Number& out, Scanner::Mark start);
  bool real(Number& out, Scanner::Mark start, const char* first);
  bool escape(std::string& out);
};

}  // namespace heddle::text
