// SPDX-License-Identifier: MIT
#pragma once
// One instruction: the forms that share its mnemonic are tried, the right one is appended. It knows kinds of elements,
// no opcode.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "text/lexical/context.hpp"
#include "text/operands/operands.hpp"
#include "text/statements/elements.hpp"
#include "text/statements/labels.hpp"

namespace heddle::text {

class Instructions : ParserPart {
 public:
  Instructions(ParseContext& context, Operands& operands, Elements& elements, Labels& labels)
      : ParserPart(context), operands_(operands), elements_(elements), labels_(labels) {}

  /// A statement that starts with a mnemonic, perhaps after a predicate. TXT-27: upper case is the seeds' dialect.
  bool instruction();

 private:
  using Descriptions = std::span<const isa::InstructionDescription* const>;
  /// The word as it stands in the source.
  struct Mnemonic {
    std::string_view word;
    Span span;
    bool dotted = false;  ///< .file, .loc
  };
  bool predicate();
  [[nodiscard]] Descriptions find_document_word(const Mnemonic& mnemonic, const std::string& lower);
  bool choose(Descriptions descriptions, Scanner::Mark after_word, Scanner::Mark start, const Mnemonic& mnemonic);
  bool unknown_form(Descriptions descriptions, Scanner::Mark after_word, const Mnemonic& mnemonic);
  bool literal_suffixes_match(const isa::InstructionDescription& description, Scanner::Mark after_word);
  bool report_operands(const isa::InstructionDescription& description, bool ok);
  bool attempt(const isa::InstructionDescription& description, Scanner::Mark after_word);
  bool commit(const isa::InstructionDescription& description, Scanner::Mark start);
  [[nodiscard]] const isa::InstructionDescription* named_by_comment(
      const isa::InstructionDescription& description) const;
  bool append(const isa::InstructionDescription& description, Scanner::Mark start);
  void number_names(const isa::InstructionDescription& description);
  void unknown_mnemonic(std::string_view word, Span span);
  std::uint32_t intern(std::string_view text);

  Operands& operands_;
  Elements& elements_;
  Labels& labels_;
};

}  // namespace heddle::text
