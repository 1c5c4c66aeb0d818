// SPDX-License-Identifier: MIT
#pragma once
// The names of the current object: declared, read, and looked up.

#include <set>
#include <string_view>

#include "text/lexical/context.hpp"
#include "text/lexical/literals.hpp"

namespace heddle::text {

class Symbols : ParserPart {
 public:
  Symbols(ParseContext& context, Literals& literals) : ParserPart(context), literals_(literals) {}

  /// A new object knows the predefined names.
  void begin_object();
  /// False, and reported, where the name is taken.
  bool declare(std::string_view name, Span span, Symbol symbol);
  /// False, and reported, of keywords.
  bool check_new_name(std::string_view name, Span span);
  /// Reads a name; null after an error.
  const Symbol* variable(SymbolKind wanted, std::string_view wanted_text);
  bool wrong_kind(std::string_view name, const Symbol& symbol, Span span, std::string_view wanted);
  /// `kind`: of the names to suggest; None: any.
  bool undeclared(std::string_view name, Span span, std::string_view wanted, SymbolKind kind);
  /// A label, a function, an attribute: a name, or a string.
  bool label_name(std::string_view& out);

 private:
  [[nodiscard]] isa::Position position_of(const Symbol& symbol) const;
  void suggest_names(std::string_view name, SymbolKind kind);

  Literals& literals_;
  std::set<std::string_view> undeclared_;  ///< that were reported in this object
};

}  // namespace heddle::text
