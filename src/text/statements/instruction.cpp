// SPDX-License-Identifier: MIT
// Rules: TXT-18, TXT-27 to TXT-30, TXT-35.
#include "text/statements/instruction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <vector>

#include "base/growth.hpp"
#include "instructions/registry.hpp"
#include "text/codes.hpp"
#include "text/comments.hpp"
#include "text/vocabulary.hpp"

namespace heddle::text {
namespace {

using isa::InstructionDescription;
using isa::Operand;
using isa::OperandKind;
using isa::Slot;
using isa::TextElement;
using isa::TextKind;

}  // namespace

void Instructions::unknown_mnemonic(std::string_view word, Span span) {
  if (const std::string_view newer = newer_word(word); !newer.empty()) {
    error("visa-text-newer", span, silent() ? "" : fmt::format("{} of newer tools is not read: {}", word, newer));
    note(
        "it is in the text of Intel's graphics compiler of August 2026, and in no release of 2022 (GenX_IR 1.0.12504)");
    return;
  }
  error("visa-text-mnemonic", span, silent() ? "" : fmt::format("unknown mnemonic {}", shown(word)));
  if (silent()) return;
  if (word == "asin" || word == "acos" || word == "atan") {
    note("the word is reserved, but no tool has an opcode for it");
    return;
  }
  suggest(word, instructions::registry().words());
}

bool Instructions::instruction() {
  const Scanner::Mark start = in_.mark();
  draft_.predicate = {};
  draft_.seed = draft_.document_description = false;
  if (in_.peek() == '(' && !predicate()) return false;
  const Scanner::Mark word_start = in_.mark();
  Mnemonic mnemonic;
  mnemonic.dotted = in_.peek() == '.';
  if (mnemonic.dotted) in_.skip();
  mnemonic.word = in_.name();
  mnemonic.span = in_.span_from(word_start);
  if (mnemonic.word.empty() || mnemonic.word.front() == '%') {
    in_.rewind(word_start);
    return expected("an instruction");
  }
  Descriptions found = descriptions_of(mnemonic.word);
  if (found.empty() && mnemonic.word.size() <= 64) {
    std::string lower(mnemonic.word.size(), '\0');
    std::transform(mnemonic.word.begin(), mnemonic.word.end(), lower.begin(), to_lower);
    draft_.seed = !mnemonic.dotted && lower != mnemonic.word;
    if (draft_.seed && (lower == "label" || lower == "subroutine"))
      return labels_.document_form(lower == "subroutine", mnemonic.span);
    found = find_document_word(mnemonic, lower);
  }
  if (found.empty() || labels_.is_pseudo(found[0])) {
    unknown_mnemonic(mnemonic.word, mnemonic.span);
    return false;
  }
  return choose(found, in_.mark(), start, mnemonic);
}

bool Instructions::predicate() {
  const Scanner::Mark open = in_.mark();
  problems_.set_understood(false);
  if (!operands_.predicate_use(draft_.predicate)) {
    if (!problems_.understood()) return false;
    in_.rewind(open);
    operands_.skip_operand();
  }
  draft_.predicate_span = in_.span_from(open);
  in_.space();
  return true;
}

/// The descriptions of a mnemonic of the documents, in `lower` case.
Instructions::Descriptions Instructions::find_document_word(const Mnemonic& mnemonic, const std::string& lower) {
  std::string upper;
  if (mnemonic.dotted) {
    upper = mnemonic.word;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c); });
  }
  const std::string_view asked = mnemonic.dotted ? upper : lower, known = document_mnemonic(asked);
  draft_.document_description = known != asked || draft_.seed;
  const Descriptions found = descriptions_of(known);
  if (!found.empty() && draft_.document_description) {
    if (draft_.seed)
      remark("visa-text-dialect", mnemonic.span,
             fmt::format("{} is read as {}, in the form of the documents", shown(mnemonic.word), known));
    else
      warn("visa-text-dialect", mnemonic.span,
           fmt::format("{} is the document's mnemonic; it is read as {}", shown(mnemonic.word), known));
  }
  return found;
}

/// Tries the forms that share the mnemonic: first those that the dialect and platform prefer. The one that gets
/// furthest reports.
bool Instructions::choose(Descriptions descriptions, Scanner::Mark after_word, Scanner::Mark start,
                          const Mnemonic& mnemonic) {
  if (descriptions.size() == 1)
    return report_operands(*descriptions[0], attempt(*descriptions[0], after_word)) && commit(*descriptions[0], start);
  const bool xe2 = c_.options.platform && *c_.options.platform >= isa::Platform::XE2;
  const InstructionDescription* best = nullptr;
  const char* best_at = nullptr;
  const std::size_t kept = problems_.list().size();
  for (const bool preferred : {true, false}) {
    for (const InstructionDescription* description : descriptions) {
      if (description->traits.decode_only) continue;
      const bool fits = !(xe2 ? description->traits.before_xe2 : description->traits.from_xe2) &&
                        (c_.newer ? description->in_newer : description->in_12504);
      if (fits != preferred) continue;
      if (!literal_suffixes_match(*description, after_word)) continue;
      bool ok = false, clean = false;
      {
        const Problems::Trial trial(problems_);
        problems_.set_failed(false);
        problems_.forget_furthest();
        ok = attempt(*description, after_word);
        clean = trial.clean();
      }
      problems_.set_failed(false);
      if (ok && clean) return commit(*description, start);
      const char* at = ok ? c_.source.data() + c_.source.size() : problems_.furthest();
      if (best == nullptr || at > best_at) best = description, best_at = at;
    }
  }
  problems_.list().resize(kept);
  if (best == nullptr) return unknown_form(descriptions, after_word, mnemonic);
  return attempt(*best, after_word) && commit(*best, start);
}

/// No form has the suffixes that stand here.
bool Instructions::unknown_form(Descriptions descriptions, Scanner::Mark after_word, const Mnemonic& mnemonic) {
  in_.rewind(after_word);
  const std::string_view tail = in_.peek() == '.' ? in_.glimpse() : std::string_view();
  const std::string whole = std::string(mnemonic.word) + std::string(tail);
  error("visa-text-mnemonic", mnemonic.span, silent() ? "" : fmt::format("unknown mnemonic {}", shown(whole)));
  std::vector<std::string_view> names;
  for (const InstructionDescription* description : descriptions) names.push_back(description->mnemonic);
  suggest(whole, names);
  return false;
}

/// visa-rt-operands: operands that flags ask for are missing at the end of the line, or there are more.
bool Instructions::report_operands(const InstructionDescription& description, bool ok) {
  std::vector<Problem>& list = problems_.list();
  if (ok || list.empty() || list.back().id != "visa-text-syntax") return ok;
  const bool flagged = std::any_of(description.slots.begin(), description.slots.end(),
                                   [](const Slot& s) { return s.condition.slot >= 0; });
  if (!flagged || (!in_.line_over() && !list.back().message.starts_with("expected the end"))) return ok;
  problems_.rename("visa-rt-operands");
  // visa-rt-header: without a flag that brings a raw operand, the one that is missing is the header.
  const int mode = description.slot_index("mode"), last = description.slot_index("a");
  constexpr std::uint64_t kRawFlags = 0x78;
  if (mode < 0 || last < 0 || !in_.line_over() ||
      (draft_.operands[static_cast<std::size_t>(mode)].value & kRawFlags) != 0)
    return ok;
  if (draft_.operands[static_cast<std::size_t>(last - 1)].kind == isa::OperandKind::Raw)
    problems_.rename("visa-rt-header", "the header is missing; write %null.0 for none");
  return ok;
}

/// Rules out forms of which a literal suffix is not there, so that messages speak of the right one.
bool Instructions::literal_suffixes_match(const InstructionDescription& description, Scanner::Mark after_word) {
  in_.rewind(after_word);
  for (const TextElement& e : description.text) {
    if (e.kind != TextKind::Literal || !e.suffix) break;
    if (!in_.looking_at(e.word) &&
        !(draft_.seed && same_word(c_.source.substr(in_.offset(), e.word.size()), e.word, true)))
      return false;
    in_.skip(e.word.size());
    if (is_name_char(in_.peek())) return false;
  }
  return true;
}

bool Instructions::attempt(const InstructionDescription& description, Scanner::Mark after_word) {
  const std::size_t kept = problems_.list().size();
  if (draft_.document_description) {  // TXT-27: the documents have no header; first as if there was one, then without
    const Slot* header = description.slot("header");
    if (header != nullptr && header->null_allowed) {
      in_.rewind(after_word);
      const bool with_header = [&] {
        const Problems::Trial trial(problems_);
        return elements_.elements(description, false) && trial.clean();
      }();
      problems_.set_failed(false);
      in_.rewind(after_word);
      return elements_.elements(description, !with_header);
    }
  }
  in_.rewind(after_word);
  problems_.list().resize(kept);
  return elements_.elements(description, false);
}

std::uint32_t Instructions::intern(std::string_view text) {
  if (std::uint32_t* known = c_.strings.find(text)) return *known - 1;
  c_.string_store.push_back(std::make_unique<std::string>(text));
  c_.object->strings.emplace_back(text);
  const auto index = static_cast<std::uint32_t>(c_.object->strings.size() - 1);
  c_.strings[*c_.string_store.back()] = index + 1;
  return index;
}

/// The form is certain: judge the predicate, then number labels and strings and append the instruction.
bool Instructions::commit(const InstructionDescription& description, Scanner::Mark start) {
  if (draft_.predicate.present()) {
    if (description.has_predicate && description.predicate_newer_only) {
      c_.needs_newer = true;
    } else if (!description.has_predicate && description.traits.accepts_predicate) {
      violation(
          "visa-pred-allowed", draft_.predicate_span,
          silent() ? "" : fmt::format("{} cannot be predicated; the predicate is not encoded", description.mnemonic));
      draft_.predicate = {};
    } else if (!description.has_predicate) {
      return error("visa-pred-allowed", draft_.predicate_span,
                   silent() ? "" : fmt::format("{} cannot be predicated", description.mnemonic));
    }
  }
  if (problems_.failed()) return false;
  if (const InstructionDescription* coded = named_by_comment(description); coded != nullptr)
    return append(*coded, start);
  return append(description, start);
}

/// TXT-35: "// op=HH" behind the instruction says which of the codes with one text is meant.
const InstructionDescription* Instructions::named_by_comment(const InstructionDescription& description) const {
  const std::string_view given = comment_field(in_.comment(), "op");
  std::int32_t code = 0;
  const auto [end, failure] = std::from_chars(given.data(), given.data() + given.size(), code, 16);
  if (failure != std::errc{} || description.selector < 0) return nullptr;
  for (const InstructionDescription* other : descriptions_of(description.word))
    if (other->mnemonic == description.mnemonic && other->selector == code && other->opcode == description.opcode &&
        other->slots.size() == description.slots.size())
      return other;
  return nullptr;
}

/// Labels and strings get their numbers.
void Instructions::number_names(const InstructionDescription& description) {
  for (const InstructionDraft::NameUse& use : draft_.name_uses) {
    Operand& operand = draft_.operands[use.operand];
    const std::string_view name = use.own ? std::string_view(use.text) : use.view;
    if (operand.kind == OperandKind::String) {
      operand.id = intern(name);
      continue;
    }
    const Slot* slot = description.slot_of(use.operand);
    operand.id = labels_.mention(name, slot->label_kind, use.span);
    if (slot->label_kind == isa::LabelKind::Block) labels_.jump_to(operand.id, use.span);
  }
}

bool Instructions::append(const InstructionDescription& description, Scanner::Mark start) {
  const Span span = in_.span_from(start);
  if (!room_for_instruction(span)) return false;
  c_.needs_newer = c_.needs_newer || !description.in_12504;
  number_names(description);
  isa::Instruction i;
  i.description = &description;
  i.exec = draft_.exec;
  i.predicate = draft_.predicate;
  // mov of a predicate is always written with exec 80
  if (description.traits.predicate_copy)
    for (const Operand& o : draft_.operands)
      if (o.kind == OperandKind::Predicate) i.exec.bits = 0x80;
  i.first_operand = static_cast<std::uint32_t>(c_.object->operands.size());
  i.operand_count = static_cast<std::uint16_t>(draft_.operands.size());
  i.length = static_cast<std::uint16_t>(std::min<std::uint32_t>(span.length, 0xffff));
  i.position = {span.line, span.column, offset_of(start)};
  base::make_room(c_.object->operands, draft_.operands.size(), in_.offset(), c_.source.size());
  base::make_room(c_.object->instructions, 1, in_.offset(), c_.source.size());
  c_.object->operands.insert(c_.object->operands.end(), draft_.operands.begin(), draft_.operands.end());
  if (description.count_slot >= 0 && description.slots.size() >= 2 &&
      description.slots[description.slots.size() - 2].newer_only)
    c_.paired.push_back({static_cast<std::uint32_t>(c_.program.objects.size() - 1),
                         static_cast<std::uint32_t>(c_.object->instructions.size())});
  c_.object->instructions.push_back(i);
  return true;
}

}  // namespace heddle::text
