// SPDX-License-Identifier: MIT
#pragma once
// The elements of a form's text template (isa/description.hpp), read in their order.

#include <cstddef>

#include "text/lexical/context.hpp"
#include "text/lexical/numbers.hpp"
#include "text/lexical/symbols.hpp"
#include "text/operands/lsc.hpp"
#include "text/operands/operands.hpp"
#include "text/operands/suffixes.hpp"

namespace heddle::text {

class Elements : ParserPart {
 public:
  Elements(ParseContext& context, Symbols& symbols, Numbers& numbers, Operands& operands, Suffixes& suffixes,
           LscOperands& lsc)
      : ParserPart(context),
        symbols_(symbols),
        numbers_(numbers),
        operands_(operands),
        suffixes_(suffixes),
        lsc_(lsc) {}

  /// All of a form, up to the end of the statement. `skip_header`: the operand of that name is not there.
  bool elements(const isa::InstructionDescription& description, bool skip_header);

 private:
  [[nodiscard]] bool left_out(const isa::Slot& slot, bool skip_header) const;
  bool element(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool literal(const isa::TextElement& e);
  bool slot(const isa::InstructionDescription& description, const isa::TextElement& e);
  void optional_group(const isa::InstructionDescription& description, std::size_t first, std::size_t last);
  bool swapped_state(const isa::InstructionDescription& description, const isa::TextElement& first,
                     const isa::TextElement& second);
  bool origin(isa::Operand& out);
  bool hex(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool hex_pair(const isa::TextElement& e);
  bool name(const isa::TextElement& e);
  bool repeated(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool label_list();
  bool finish_defaults(const isa::InstructionDescription& description);

  Symbols& symbols_;
  Numbers& numbers_;
  Operands& operands_;
  Suffixes& suffixes_;
  LscOperands& lsc_;
};

}  // namespace heddle::text
