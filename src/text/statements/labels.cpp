// SPDX-License-Identifier: MIT
// Rules: ENC-12, TXT-16, TXT-17, TXT-27, TXT-35.
#include "text/statements/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "text/comments.hpp"
#include "text/vocabulary.hpp"

namespace heddle::text {
namespace {

isa::Position position(Span span, std::size_t offset) { return {span.line, span.column, offset}; }

}  // namespace

Labels::Labels(ParseContext& context, Literals& literals, Symbols& symbols)
    : ParserPart(context),
      literals_(literals),
      symbols_(symbols),
      label_description_(label_description()),
      subroutine_description_(subroutine_description()) {}

void Labels::begin_object() {
  labels_ = NameMap<LabelState>();
  uses_.clear();
  first_mention_.clear();
  label_subroutine_.clear();
  subroutine_ = 0;
  absorb_ = {};
}

void Labels::end_object() {
  check_defined();
  check_uses();
}

void Labels::check_defined() {
  std::vector<std::string_view> defined;
  for (const isa::Label& l : c_.object->labels)
    if (l.instruction && defined.size() < 5000) defined.push_back(l.name);
  for (std::size_t n = 0; n < c_.object->labels.size(); ++n) {
    const isa::Label& l = c_.object->labels[n];
    const bool mentioned = first_mention_[n].line != 0;
    if (l.instruction || l.kind == isa::LabelKind::FcCall || !mentioned) continue;
    error("visa-text-label", first_mention_[n], silent() ? "" : fmt::format("label {} is not defined", shown(l.name)));
    if (!silent()) suggest(l.name, defined);
    problems_.flush_flood();
  }
}

void Labels::check_uses() {
  for (const LabelUse& use : uses_) {
    const isa::Label& l = c_.object->labels[use.label];
    if (!l.instruction || l.kind != isa::LabelKind::Block || label_subroutine_[use.label] == use.subroutine) continue;
    error("visa-text-label", use.span, silent() ? "" : fmt::format("label {} is in another subroutine", shown(l.name)));
    if (!silent())
      note("defined here", {l.position.line, l.position.column, static_cast<std::uint32_t>(l.name.size())});
    problems_.flush_flood();
  }
}

void Labels::statement_over(bool label, bool directive) {
  if (!label && !(directive && absorb_fresh_)) absorb_ = {};
  absorb_fresh_ = false;
}

/// The name that ends the statement of a directive.
bool Labels::last_name(std::string_view& name, Span& name_span) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  if (!symbols_.label_name(name)) return false;
  name_span = in_.span_from(start);
  return end_of_statement();
}

bool Labels::function(Span span) {
  std::string_view name;
  Span name_span;
  if (!last_name(name, name_span)) return false;
  if (!define(name, isa::LabelKind::Subroutine, name_span, span)) return false;
  absorb_ = name;
  absorb_fresh_ = true;
  return true;
}

bool Labels::document_form(bool subroutine, Span span) {
  std::string_view name;
  Span name_span;
  if (!last_name(name, name_span)) return false;
  remark("visa-text-dialect", span,
         subroutine ? "SUBROUTINE is read as .function" : "LABEL is read as a label definition");
  return define(name, subroutine ? isa::LabelKind::Subroutine : isa::LabelKind::Block, name_span, span);
}

bool Labels::definition(std::string_view name, Span span) {
  if (!absorb_.empty() && absorb_ == name) {
    absorb_ = {};
    return true;
  }
  return define(name, isa::LabelKind::Block, span, span);
}

bool Labels::define(std::string_view name, isa::LabelKind kind, Span name_span, Span span) {
  LabelState& state = labels_[name];
  if (state.defined) {
    if (silent()) return error("visa-text-label", name_span, {});
    error("visa-text-label", name_span, fmt::format("label {} is defined twice", shown(name)));
    const isa::Position& at = c_.object->labels[state.index].position;
    note("first defined here", {at.line, at.column, static_cast<std::uint32_t>(name.size())});
    return false;
  }
  const std::uint32_t index = mention(name, kind, name_span);
  isa::Label& label = c_.object->labels[index];
  if (label.kind != isa::LabelKind::FcCall && !state.listed) label.kind = kind;
  label.position = position(name_span, in_.offset());
  label.instruction = static_cast<std::uint32_t>(c_.object->instructions.size());
  if (const std::string shown_name = literals_.display_name(name); shown_name != name) label.name = shown_name;
  labels_[name].defined = true;
  if (kind == isa::LabelKind::Subroutine) ++subroutine_;
  label_subroutine_[index] = subroutine_;
  return append(index, kind, name_span, span);
}

/// The pseudo instruction.
bool Labels::append(std::uint32_t index, isa::LabelKind kind, Span name_span, Span span) {
  const isa::InstructionDescription* description =
      kind == isa::LabelKind::Subroutine ? subroutine_description_ : label_description_;
  if (!room_for_instruction(span)) return false;
  isa::Instruction i;
  i.description = description;
  i.position = position(span, in_.offset());
  i.length = static_cast<std::uint16_t>(std::min<std::uint32_t>(span.length, 0xffff));
  i.first_operand = static_cast<std::uint32_t>(c_.object->operands.size());
  i.operand_count = 1;
  isa::Operand operand;
  operand.kind = isa::OperandKind::Label;
  operand.id = index;
  operand.at = static_cast<std::uint16_t>(std::min<std::uint32_t>(name_span.column, 0xffff));
  operand.length = static_cast<std::uint16_t>(std::min<std::uint32_t>(name_span.length, 0xffff));
  c_.object->operands.push_back(operand);
  c_.object->instructions.push_back(i);
  return true;
}

std::uint32_t Labels::mention(std::string_view name, isa::LabelKind kind, Span span) {
  LabelState& state = labels_[name];
  if (!state.known) {
    state.known = true;
    state.index = static_cast<std::uint32_t>(c_.object->labels.size());
    isa::Label label;
    label.name = name;
    label.kind = kind == isa::LabelKind::FcCall ? kind : isa::LabelKind::Block;
    c_.object->labels.push_back(std::move(label));
    first_mention_.push_back(span);
    label_subroutine_.push_back(0);
  } else {
    if (first_mention_[state.index].line == 0) first_mention_[state.index] = span;
    if (kind == isa::LabelKind::FcCall) c_.object->labels[state.index].kind = kind;
  }
  return state.index;
}

void Labels::list_comment() {
  if (c_.object == nullptr || !c_.object->labels.empty()) return;
  Scanner outer = in_;
  in_ = Scanner(outer.comment().substr(kLabelsComment.size()));
  {
    const Problems::Trial quietly(problems_);
    listed_labels();
  }
  in_ = outer;
}

void Labels::listed_labels() {
  const auto quoted_name = [&](std::string& name) {
    return in_.peek() == '"' && literals_.string(name) && !name.empty() && name.find('\0') == std::string::npos;
  };
  for (std::string name;;) {
    in_.space();
    if (c_.object->labels.size() >= 0xffff || !quoted_name(name)) break;
    auto kind = isa::LabelKind::Block;
    if (in_.peek() == ':' && is_digit(in_.peek(1))) {
      kind = static_cast<isa::LabelKind>(in_.peek(1) - '0');
      in_.skip(2);
    }
    c_.string_store.push_back(std::make_unique<std::string>(name));
    LabelState& state = labels_[*c_.string_store.back()];
    if (state.known) break;
    const std::uint32_t index = mention(*c_.string_store.back(), isa::LabelKind::Block, {0, 0, 0});
    c_.object->labels[index].kind = kind;
    labels_[*c_.string_store.back()].listed = true;
    if (in_.peek() == '=') {
      in_.skip();
      if (std::string pool; quoted_name(pool)) c_.object->labels[index].name = pool;
    }
  }
}

}  // namespace heddle::text
