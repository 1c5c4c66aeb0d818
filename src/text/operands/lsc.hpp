// SPDX-License-Identifier: MIT
#pragma once
// Data shapes and addresses of LSC messages (TXT-26). Each composite element names the slots that it fills
// (TextElement::parts).

#include <cstdint>
#include <string_view>

#include "text/lexical/context.hpp"
#include "text/lexical/literals.hpp"
#include "text/lexical/numbers.hpp"
#include "text/lexical/symbols.hpp"
#include "text/operands/immediates.hpp"
#include "text/operands/operands.hpp"
#include "text/operands/vector_operands.hpp"

namespace heddle::text {

/// The parts that read operands, for those who read several kinds.
struct OperandParts {
  Literals& literals;
  Symbols& symbols;
  Numbers& numbers;
  Immediates& immediates;
  VectorOperands& vectors;
  Operands& operands;
};

class LscOperands : ParserPart {
 public:
  LscOperands(ParseContext& context, const OperandParts& parts)
      : ParserPart(context),
        literals_(parts.literals),
        symbols_(parts.symbols),
        numbers_(parts.numbers),
        immediates_(parts.immediates),
        vectors_(parts.vectors),
        operands_(parts.operands) {}

  /// One of the elements TextKind::LscData and up.
  bool element(const isa::InstructionDescription& description, const isa::TextElement& e);

 private:
  bool data(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool quad(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool block(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool address(const isa::InstructionDescription& description, const isa::TextElement& e, bool strided);
  bool typed(const isa::TextElement& e);
  bool block_address(const isa::TextElement& e);
  bool block_payload(const isa::TextElement& e);
  bool rows(const isa::TextElement& e);
  bool rows_address(const isa::TextElement& e);
  bool origin(const isa::TextElement& e, std::size_t coordinate, std::size_t offset, bool& given);
  bool model(const isa::TextElement& e, int type_part, int surface_part, int index_part, bool required);
  bool model_name(const isa::TextElement& e, int type_part, std::uint64_t& code);
  bool address_size(isa::Operand& out);
  bool raw(isa::Operand& out);
  bool vector(isa::Operand& out, bool wide = false);
  bool scalar_number(isa::Operand& out, bool wide, Scanner::Mark start);
  bool element_size(const isa::InstructionDescription& description, const isa::TextElement& e, std::string_view& rest,
                    Scanner::Mark start);
  bool offset(const isa::TextElement& e, std::size_t part);
  bool at_offset();
  bool pitch(const isa::InstructionDescription& description);
  void set_part(const isa::TextElement& e, std::size_t part, isa::Operand value, Scanner::Mark start);

  Literals& literals_;
  Symbols& symbols_;
  Numbers& numbers_;
  Immediates& immediates_;
  VectorOperands& vectors_;
  Operands& operands_;
};

}  // namespace heddle::text
