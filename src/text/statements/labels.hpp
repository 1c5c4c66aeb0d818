// SPDX-License-Identifier: MIT
#pragma once
// The labels of the current object: defined, mentioned, numbered, and looked at once the object ends.

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/lexical/context.hpp"
#include "text/lexical/literals.hpp"
#include "text/lexical/symbols.hpp"

namespace heddle::text {

class Labels : ParserPart {
 public:
  Labels(ParseContext& context, Literals& literals, Symbols& symbols);

  void begin_object();
  /// visa-text-label: what was mentioned must be defined, and in the same subroutine (calls excepted).
  void end_object();
  /// NAME: of a line of its own.
  bool definition(std::string_view name, Span span);
  /// .function NAME: a subroutine (opcode 30); the label of the same name right after it is absorbed.
  bool function(Span span);
  /// LABEL x and SUBROUTINE x of the documents (TXT-27).
  bool document_form(bool subroutine, Span span);
  /// Between two statements: whether a label may still be absorbed. `directive`: the statement was one.
  void statement_over(bool label, bool directive);
  /// The index of a label, given at its first mention (ENC-12).
  std::uint32_t mention(std::string_view name, isa::LabelKind kind, Span span);
  /// Of goto, jmp, switchjmp: the label must stay in their subroutine.
  void jump_to(std::uint32_t label, Span span) { uses_.push_back({label, subroutine_, span}); }
  /// The labels of the object in the order of their numbers (TXT-35). What cannot be understood is a comment like
  /// others.
  void list_comment();
  /// Whether a description is the pseudo instruction of a label or of a subroutine.
  [[nodiscard]] bool is_pseudo(const isa::InstructionDescription* description) const {
    return description == label_description_ || description == subroutine_description_;
  }

 private:
  struct LabelState {
    bool listed = false;  ///< by a comment, with its kind
    bool known = false, defined = false;
    std::uint32_t index = 0;
  };
  struct LabelUse {
    std::uint32_t label;
    std::uint32_t subroutine;
    Span span;
  };
  bool last_name(std::string_view& name, Span& name_span);
  bool define(std::string_view name, isa::LabelKind kind, Span name_span, Span span);
  bool append(std::uint32_t index, isa::LabelKind kind, Span name_span, Span span);
  void check_defined();
  void check_uses();
  void listed_labels();

  Literals& literals_;
  Symbols& symbols_;
  const isa::InstructionDescription* label_description_;
  const isa::InstructionDescription* subroutine_description_;
  NameMap<LabelState> labels_;
  std::vector<LabelUse> uses_;
  std::vector<Span> first_mention_;              ///< by label
  std::vector<std::uint32_t> label_subroutine_;  ///< by label, where it is defined
  std::uint32_t subroutine_ = 0;
  std::string_view absorb_;  ///< label that a .function just defined
  bool absorb_fresh_ = false;
};

}  // namespace heddle::text
