// SPDX-License-Identifier: MIT
#pragma once
// Immediates (visa 1.4): stored as the container holds them.

#include "text/lexical/context.hpp"
#include "text/lexical/numbers.hpp"

namespace heddle::text {

class Immediates : ParserPart {
 public:
  Immediates(ParseContext& context, Numbers& numbers) : ParserPart(context), numbers_(numbers) {}

  bool immediate(isa::Operand& out);

 private:
  bool real(const Number& n, isa::Operand& out, Span span);
  bool integer(const Number& n, isa::Operand& out, Span span);

  Numbers& numbers_;
};

}  // namespace heddle::text
