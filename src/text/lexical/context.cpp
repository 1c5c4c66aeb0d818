// SPDX-License-Identifier: MIT
#include "text/lexical/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace heddle::text {

bool ParserPart::end_of_statement() { return in_.line_over() || expected("the end of the line"); }

bool ParserPart::equals(std::string_view key) {
  in_.space();
  if (!in_.looking_at(key) || is_name_char(in_.peek(key.size()))) return false;
  const Scanner::Mark start = in_.mark();
  in_.skip(key.size());
  if (in_.accept('=')) {
    in_.space();
    return true;
  }
  in_.rewind(start);
  return false;
}

bool ParserPart::room_for_instruction(Span span) {
  if (++c_.instruction_total <= c_.options.limits.instructions) return true;
  error("limit-instructions", span,
        fmt::format("more than {} instructions; --max-instructions raises the limit", c_.options.limits.instructions));
  problems_.mark_limit();
  c_.stopped = true;
  return false;
}

void ParserPart::place_operand(isa::Operand& operand, Scanner::Mark start) const {
  const Span span = in_.span_from(start);
  constexpr std::uint32_t kMax = std::numeric_limits<std::uint16_t>::max();
  operand.at = static_cast<std::uint16_t>(std::min(span.column, kMax));
  operand.length = static_cast<std::uint16_t>(std::min(span.length, kMax));
}

}  // namespace heddle::text
