// SPDX-License-Identifier: MIT
#pragma once
// Integer expressions, and numbers that must fit (TXT-5 to TXT-7).

#include <cstdint>
#include <optional>
#include <string_view>

#include "text/lexical/context.hpp"
#include "text/lexical/literals.hpp"
#include "text/lexical/symbols.hpp"

namespace heddle::text {

/// Which operators an integer expression may have outside parentheses (TXT-7).
enum class Operators : std::uint8_t {
  All,
  NoComparison,  ///< inside <...>: no < >
  Unary,         ///< a plain integer field between blanks: no binary operator
};

class Numbers : ParserPart {
 public:
  Numbers(ParseContext& context, Literals& literals, Symbols& symbols)
      : ParserPart(context), literals_(literals), symbols_(symbols) {}

  bool number(Number& out, Operators allowed);
  /// An integer between `low` and `high`.
  bool integer(std::int64_t& out, Operators allowed, std::int64_t low, std::int64_t high, std::string_view what);

 private:
  class Expression;
  bool size_of(std::int64_t& out);
  bool expression(Number& out, Operators allowed, std::optional<std::int64_t> first);

  Literals& literals_;
  Symbols& symbols_;
};

}  // namespace heddle::text
