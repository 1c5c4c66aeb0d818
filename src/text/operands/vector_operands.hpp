// SPDX-License-Identifier: MIT
#pragma once
// Vector operands: general variables with regions, indirect operands, addresses, predicates, states (visa 1.4).

#include <cstdint>

#include "text/lexical/context.hpp"
#include "text/lexical/numbers.hpp"
#include "text/lexical/symbols.hpp"
#include "text/operands/immediates.hpp"

namespace heddle::text {

class VectorOperands : ParserPart {
 public:
  VectorOperands(ParseContext& context, Symbols& symbols, Numbers& numbers, Immediates& immediates)
      : ParserPart(context), symbols_(symbols), numbers_(numbers), immediates_(immediates) {}

  bool vector_operand(const isa::Slot& slot, isa::Operand& out);
  [[nodiscard]] bool at_modifier() const;
  bool source_region(isa::Operand& out, bool indirect);

 private:
  bool modifier(isa::Modifier& out);
  bool named_vector(const isa::Slot& slot, isa::Operand& out);
  bool address(isa::Operand& out);
  bool state(SymbolKind kind, isa::Operand& out);
  bool general_region(const isa::Slot& slot, isa::Operand& out);
  bool indirect(const isa::Slot& slot, isa::Operand& out);
  bool destination_region(isa::Operand& out);
  bool region_part(unsigned& code);
  bool address_of(isa::Operand& out);
  bool address_offset(isa::Operand& out, std::int64_t most);

  Symbols& symbols_;
  Numbers& numbers_;
  Immediates& immediates_;
};

}  // namespace heddle::text
