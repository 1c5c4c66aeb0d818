// SPDX-License-Identifier: MIT
#pragma once
// Declarations of variables, and inputs (visa 1.2).

#include <cstdint>
#include <optional>
#include <string_view>

#include "text/lexical/context.hpp"
#include "text/lexical/literals.hpp"
#include "text/lexical/numbers.hpp"
#include "text/lexical/symbols.hpp"
#include "text/statements/attributes.hpp"

namespace heddle::text {

class Declarations : ParserPart {
 public:
  Declarations(ParseContext& context, Literals& literals, Symbols& symbols, Numbers& numbers, Attributes& attributes)
      : ParserPart(context), literals_(literals), symbols_(symbols), numbers_(numbers), attributes_(attributes) {}

  /// Behind .decl.
  bool declaration(Span span);
  /// .input V [offset=] [size=]   .implicit_KIND V [offset=] size=   .parameter V size=
  bool input(std::string_view word, Span span);

 private:
  bool room(Span span);
  bool element_count(std::uint32_t& elements);
  bool general_declaration(std::string_view name, Span name_span);
  bool general_type(isa::GeneralVariable& v);
  bool plain_declaration(char kind, std::string_view name, Span name_span);
  bool add_plain(char kind, std::string_view name, Span name_span, isa::PlainVariable v);
  void stand_in(char kind, std::string_view name, Span span);
  bool alignment(isa::GeneralVariable& variable);
  bool alias(isa::GeneralVariable& variable);
  bool implicit_kind(std::string_view word, Span span, unsigned& implicit);
  /// The kind of what a name is, and its bytes; nothing where it cannot be an input.
  [[nodiscard]] std::optional<isa::InputKind> input_kind(const Symbol& symbol, std::uint32_t& size) const;

  Literals& literals_;
  Symbols& symbols_;
  Numbers& numbers_;
  Attributes& attributes_;
};

}  // namespace heddle::text
