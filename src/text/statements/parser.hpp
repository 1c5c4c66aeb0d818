// SPDX-License-Identifier: MIT
#pragma once
// Internal to the folder: one reading of a file. Statements are read line by line; an error ends its line and the next
// line goes on.

#include <optional>
#include <string>
#include <string_view>

#include "text/lexical/context.hpp"
#include "text/lexical/literals.hpp"
#include "text/lexical/numbers.hpp"
#include "text/lexical/symbols.hpp"
#include "text/operands/immediates.hpp"
#include "text/operands/lsc.hpp"
#include "text/operands/operands.hpp"
#include "text/operands/suffixes.hpp"
#include "text/operands/vector_operands.hpp"
#include "text/statements/attributes.hpp"
#include "text/statements/declarations.hpp"
#include "text/statements/dialect.hpp"
#include "text/statements/directives.hpp"
#include "text/statements/elements.hpp"
#include "text/statements/instruction.hpp"
#include "text/statements/labels.hpp"

namespace heddle::text {

class Parser {
 public:
  Parser(std::string_view source, std::string file, const ParseOptions& options, base::Diagnostics& diagnostics);
  /// Reads the file. When another dialect turns out to be right, returns nothing and names it in other_dialect().
  std::optional<isa::Program> run();
  [[nodiscard]] std::optional<DialectChoice> other_dialect() const { return other_dialect_; }

 private:
  void statement();
  bool labeled_or_instruction(bool& is_label);
  [[nodiscard]] std::string_view label_ahead(Scanner::Mark start);

  ParseContext c_;
  // The parts, each with those that it uses before it.
  Literals literals_;
  Symbols symbols_;
  Numbers numbers_;
  Immediates immediates_;
  VectorOperands vectors_;
  Operands operands_;
  Suffixes suffixes_;
  LscOperands lsc_;
  Elements elements_;
  Labels labels_;
  Instructions instructions_;
  Attributes attributes_;
  Declarations declarations_;
  Directives directives_;
  Dialect dialect_;
  std::optional<DialectChoice> other_dialect_;
};

}  // namespace heddle::text
