// SPDX-License-Identifier: MIT
#pragma once
// Operands (visa 1.4): each is read into the form that the container encodes.

#include "text/lexical/context.hpp"
#include "text/lexical/literals.hpp"
#include "text/lexical/numbers.hpp"
#include "text/lexical/symbols.hpp"
#include "text/operands/vector_operands.hpp"

namespace heddle::text {

class Operands : ParserPart {
 public:
  Operands(ParseContext& context, Literals& literals, Symbols& symbols, Numbers& numbers, VectorOperands& vectors)
      : ParserPart(context), literals_(literals), symbols_(symbols), numbers_(numbers), vectors_(vectors) {}

  bool exec(isa::Exec& out);
  /// The parenthesis not read yet.
  bool predicate_use(isa::PredicateUse& out);
  /// What a slot takes. An operand whose text is sound but whose meaning is not is reported and stepped over.
  bool operand(const isa::Slot& slot, isa::Operand& out);
  void skip_operand();
  bool raw(isa::Operand& out, bool offset_required);
  /// A plain integer field: the name of a code, or a number of the field's width.
  bool integer_slot(const isa::Slot& slot, isa::Operand& out, Operators allowed);

 private:
  bool by_kind(const isa::Slot& slot, isa::Operand& out, Scanner::Mark start);
  bool label(isa::Operand& out, Scanner::Mark start);
  bool string(isa::Operand& out, Scanner::Mark start);
  bool any_variable(const isa::Slot& slot, isa::Operand& out, Scanner::Mark start);
  bool raw_offset(std::int64_t& offset, Scanner::Mark start);
  bool state_index(isa::Operand& out, isa::OperandKind kind);

  Literals& literals_;
  Symbols& symbols_;
  Numbers& numbers_;
  VectorOperands& vectors_;
};

}  // namespace heddle::text
