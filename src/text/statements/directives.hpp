// SPDX-License-Identifier: MIT
#pragma once
// Directives, objects and name scopes (visa 1.2).

#include <string_view>
#include <vector>

#include "text/lexical/context.hpp"
#include "text/lexical/symbols.hpp"
#include "text/statements/attributes.hpp"
#include "text/statements/declarations.hpp"
#include "text/statements/instruction.hpp"
#include "text/statements/labels.hpp"

namespace heddle::text {

class Directives : ParserPart {
 public:
  Directives(ParseContext& context, Symbols& symbols, Labels& labels, Attributes& attributes,
             Declarations& declarations, Instructions& instructions)
      : ParserPart(context),
        symbols_(symbols),
        labels_(labels),
        attributes_(attributes),
        declarations_(declarations),
        instructions_(instructions) {}

  bool directive();
  /// A statement that is no directive: .version should have come before. Once a file.
  void want_version(Span span);
  [[nodiscard]] bool version_seen() const { return version_seen_; }
  /// False, and reported, before .kernel.
  bool need_object(Span span);
  /// { and }, each on a line of its own.
  bool scope(char brace);
  void end_object();

 private:
  bool version(Span span);
  bool object(bool kernel, Span span);
  bool inside_object(std::string_view word, Span span, Scanner::Mark start);
  bool unknown(std::string_view word, Span span);
  void begin_object(isa::ObjectKind kind, Span span);
  void function_fields();

  Symbols& symbols_;
  Labels& labels_;
  Attributes& attributes_;
  Declarations& declarations_;
  Instructions& instructions_;
  bool version_seen_ = false, version_reported_ = false;
  std::vector<Span> scope_spans_;
};

}  // namespace heddle::text
