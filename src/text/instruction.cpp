// One instruction: the interpreter of a form's text template (isa/description.hpp). It knows kinds of elements, no
// opcode.
// Rules: TXT-18, TXT-27 to TXT-30, TXT-35.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/growth.hpp"
#include "instructions/registry.hpp"
#include "text/codes.hpp"
#include "text/comments.hpp"
#include "text/parser.hpp"
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

bool Parser::room_for_instruction(Span span) {
  if (++instruction_total_ <= options_.limits.instructions) return true;
  error("limit-instructions", span,
        fmt::format("more than {} instructions; --max-instructions raises the limit", options_.limits.instructions));
  problems_.back().limit = true;
  stopped_ = true;
  return false;
}

void Parser::unknown_mnemonic(std::string_view word, Span span) {
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

/// A statement that starts with a mnemonic, perhaps after a predicate. TXT-27: upper case is the seeds' dialect.
bool Parser::instruction(Span) {
  const Scanner::Mark start = in_.mark();
  predicate_ = {};
  seed_ = document_description_ = false;
  if (in_.peek() == '(') {
    const Scanner::Mark open = in_.mark();
    understood_ = false;
    if (!predicate_use(predicate_)) {
      if (!understood_) return false;
      in_.rewind(open);
      skip_operand();
    }
    predicate_span_ = in_.span_from(open);
    in_.space();
  }
  const Scanner::Mark word_start = in_.mark();
  const bool dotted = in_.peek() == '.';  // .file, .loc
  if (dotted) in_.skip();
  std::string_view word = in_.name();
  const Span word_span = in_.span_from(word_start);
  if (word.empty() || word.front() == '%') {
    in_.rewind(word_start);
    return expected("an instruction");
  }
  std::span<const InstructionDescription* const> found = descriptions_of(word);
  std::string lower;
  if (found.empty() && word.size() <= 64) {
    lower.resize(word.size());
    std::transform(word.begin(), word.end(), lower.begin(), to_lower);
    seed_ = !dotted && lower != word;
    if (dotted)
      std::transform(word.begin(), word.end(), lower.begin(),
                     [](char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c); });
    if (seed_ && (lower == "label" || lower == "subroutine")) return document_label(lower == "subroutine", word_span);
    const std::string_view known = document_mnemonic(lower);
    document_description_ = known != lower || seed_;
    found = descriptions_of(known);
    if (!found.empty() && document_description_) {
      if (seed_)
        remark("visa-text-dialect", word_span,
               fmt::format("{} is read as {}, in the form of the documents", shown(word), known));
      else
        warn("visa-text-dialect", word_span,
             fmt::format("{} is the document's mnemonic; it is read as {}", shown(word), known));
    }
  }
  if (found.empty() || found[0] == label_description_ || found[0] == subroutine_description_) {
    unknown_mnemonic(word, word_span);
    return false;
  }
  return choose(found, in_.mark(), start, word, word_span);
}

/// Tries the forms that share the mnemonic: first those that the dialect and platform prefer. The one that gets
/// furthest reports.
bool Parser::choose(std::span<const InstructionDescription* const> descriptions, Scanner::Mark after_word,
                    Scanner::Mark start, std::string_view word, Span word_span) {
  if (descriptions.size() == 1)
    return report_operands(*descriptions[0], attempt(*descriptions[0], after_word)) && commit(*descriptions[0], start);
  const bool xe2 = options_.platform && *options_.platform >= isa::Platform::XE2;
  const InstructionDescription* best = nullptr;
  const char* best_at = nullptr;
  const std::size_t kept = problems_.size();
  for (const bool preferred : {true, false}) {
    for (const InstructionDescription* description : descriptions) {
      if (description->traits.decode_only) continue;
      const bool fits = !(xe2 ? description->traits.before_xe2 : description->traits.from_xe2) &&
                        (newer_ ? description->in_newer : description->in_12504);
      if (fits != preferred) continue;
      if (!literal_suffixes_match(*description, after_word)) continue;
      quiet_ = true;
      failed_ = false;
      quiet_problems_ = 0;
      furthest_ = nullptr;
      const bool ok = attempt(*description, after_word);
      quiet_ = false;
      failed_ = false;
      if (ok && quiet_problems_ == 0) return commit(*description, start);
      const char* at = ok ? source_.data() + source_.size() : furthest_;
      if (best == nullptr || at > best_at) best = description, best_at = at;
    }
  }
  problems_.resize(kept);
  if (best == nullptr) {
    in_.rewind(after_word);
    const std::string_view tail = in_.peek() == '.' ? in_.glimpse() : std::string_view();
    error("visa-text-mnemonic", word_span,
          silent() ? "" : fmt::format("unknown mnemonic {}", shown(std::string(word) + std::string(tail))));
    std::vector<std::string_view> names;
    for (const InstructionDescription* description : descriptions) names.push_back(description->mnemonic);
    suggest(std::string(word) + std::string(tail), names);
    return false;
  }
  return attempt(*best, after_word) && commit(*best, start);
}

/// visa-rt-operands: operands that flags ask for are missing at the end of the line, or there are more.
bool Parser::report_operands(const InstructionDescription& description, bool ok) {
  if (ok || problems_.empty() || problems_.back().id != "visa-text-syntax") return ok;
  const bool flagged = std::any_of(description.slots.begin(), description.slots.end(),
                                   [](const Slot& s) { return s.condition.slot >= 0; });
  if (!flagged || (!in_.line_over() && !problems_.back().message.starts_with("expected the end"))) return ok;
  problems_.back().id = "visa-rt-operands";
  // visa-rt-header: without a flag that brings a raw operand, the one that is missing is the header.
  const int mode = description.slot_index("mode"), last = description.slot_index("a");
  constexpr std::uint64_t kRawFlags = 0x78;
  if (mode < 0 || last < 0 || !in_.line_over() || (work_[static_cast<std::size_t>(mode)].value & kRawFlags) != 0)
    return ok;
  const auto& b = work_[static_cast<std::size_t>(last - 1)];
  if (b.kind == isa::OperandKind::Raw)
    problems_.back().id = "visa-rt-header", problems_.back().message = "the header is missing; write %null.0 for none";
  return ok;
}

/// Rules out forms of which a literal suffix is not there, so that messages speak of the right one.
bool Parser::literal_suffixes_match(const InstructionDescription& description, Scanner::Mark after_word) {
  in_.rewind(after_word);
  for (const TextElement& e : description.text) {
    if (e.kind != TextKind::Literal || !e.suffix) break;
    if (!in_.looking_at(e.word) && !(seed_ && same_word(source_.substr(in_.offset(), e.word.size()), e.word, true)))
      return false;
    in_.skip(e.word.size());
    if (is_name_char(in_.peek())) return false;
  }
  return true;
}

bool Parser::attempt(const InstructionDescription& description, Scanner::Mark after_word) {
  const std::size_t kept = problems_.size();
  if (document_description_) {  // TXT-27: the documents have no header; first as if there was one, then without
    const Slot* header = description.slot("header");
    if (header != nullptr && header->null_allowed) {
      const bool quiet = quiet_;
      const std::uint32_t before = quiet_problems_;
      quiet_ = true;
      quiet_problems_ = 0;
      in_.rewind(after_word);
      const bool ok = elements(description, false);
      const std::uint32_t problems = quiet_problems_;
      quiet_ = quiet;
      failed_ = false;
      quiet_problems_ = before;
      in_.rewind(after_word);
      const bool with_header = ok && problems == 0;
      return elements(description, !with_header);
    }
  }
  in_.rewind(after_word);
  problems_.resize(kept);
  return elements(description, false);
}

bool Parser::elements(const InstructionDescription& description, bool skip_header) {
  work_.assign(description.fixed_slots(), Operand{});
  name_uses_.clear();
  attempt_description_ = &description;
  exec_ = {description.traits.fixed_exec};
  saturate_ = false;
  bool in_suffix = true;
  for (std::size_t n = 0; n < description.text.size(); ++n) {
    const TextElement& e = description.text[n];
    if (in_suffix && !e.suffix) {
      in_suffix = false;
      if (!end_of_suffixes(description)) return false;
    }
    if (e.suffix) {
      if (!suffix(description, e)) return false;
      continue;
    }
    if (e.slot >= 0) {
      const Slot& slot = description.slots[static_cast<std::size_t>(e.slot)];
      if (slot.newer_only) continue;  // read as a parameter first; dialect.cpp decides
      if (slot.condition.slot >= 0 &&
          (work_[static_cast<std::size_t>(slot.condition.slot)].value >> slot.condition.bit & 1u) == 0)
        continue;
      if (skip_header && slot.name == "header") continue;
      if (n + 1 < description.text.size() && swapped_state(description, e, description.text[n + 1])) {
        ++n;
        continue;
      }
    }
    if (e.group == 0) {
      if (!element(description, e)) return false;
      continue;
    }
    std::size_t last = n;
    while (last + 1 < description.text.size() && description.text[last + 1].group == e.group) ++last;
    optional_group(description, n, last);
    n = last;
  }
  if (in_suffix && !end_of_suffixes(description)) return false;
  return finish_defaults(description) && end_of_statement();
}

std::uint32_t Parser::intern(std::string_view text) {
  if (std::uint32_t* known = strings_.find(text)) return *known - 1;
  string_store_.push_back(std::make_unique<std::string>(text));
  object_->strings.emplace_back(text);
  const auto index = static_cast<std::uint32_t>(object_->strings.size() - 1);
  strings_[*string_store_.back()] = index + 1;
  return index;
}

/// The form is certain: judge the predicate, then number labels and strings and append the instruction.
bool Parser::commit(const InstructionDescription& description, Scanner::Mark start) {
  if (predicate_.present()) {
    if (description.has_predicate && description.predicate_newer_only) {
      needs_newer_ = true;
    } else if (!description.has_predicate && description.traits.accepts_predicate) {
      judge("visa-pred-allowed", predicate_span_,
            silent() ? "" : fmt::format("{} cannot be predicated; the predicate is not encoded", description.mnemonic));
      predicate_ = {};
    } else if (!description.has_predicate) {
      return error("visa-pred-allowed", predicate_span_,
                   silent() ? "" : fmt::format("{} cannot be predicated", description.mnemonic));
    }
  }
  if (failed_) return false;
  if (const InstructionDescription* coded = named_by_comment(description); coded != nullptr)
    return append(*coded, start);
  return append(description, start);
}

/// TXT-35: "// op=HH" behind the instruction says which of the codes with one text is meant.
const InstructionDescription* Parser::named_by_comment(const InstructionDescription& description) const {
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

bool Parser::append(const InstructionDescription& description, Scanner::Mark start) {
  const Span span = in_.span_from(start);
  if (!room_for_instruction(span)) return false;
  needs_newer_ = needs_newer_ || !description.in_12504;
  for (const NameUse& use : name_uses_) {
    Operand& operand = work_[use.operand];
    const std::string_view name = use.own ? std::string_view(use.text) : use.view;
    if (operand.kind == OperandKind::String) {
      operand.id = intern(name);
      continue;
    }
    const Slot* slot = description.slot_of(use.operand);
    operand.id = mention_label(name, slot->label_kind, use.span);
    if (slot->label_kind == isa::LabelKind::Block) uses_.push_back({operand.id, subroutine_, use.span});
  }
  isa::Instruction i;
  i.description = &description;
  i.exec = exec_;
  i.predicate = predicate_;
  // mov of a predicate is always written with exec 80
  if (description.traits.predicate_copy)
    for (const Operand& o : work_)
      if (o.kind == OperandKind::Predicate) i.exec.bits = 0x80;
  i.first_operand = static_cast<std::uint32_t>(object_->operands.size());
  i.operand_count = static_cast<std::uint16_t>(work_.size());
  i.length = static_cast<std::uint16_t>(std::min<std::uint32_t>(span.length, 0xffff));
  i.position = {span.line, span.column, static_cast<std::uint64_t>(start.at - source_.data())};
  base::make_room(object_->operands, work_.size(), in_.offset(), source_.size());
  base::make_room(object_->instructions, 1, in_.offset(), source_.size());
  object_->operands.insert(object_->operands.end(), work_.begin(), work_.end());
  if (description.count_slot >= 0 && description.slots.size() >= 2 &&
      description.slots[description.slots.size() - 2].newer_only)
    paired_.push_back({static_cast<std::uint32_t>(program_.objects.size() - 1),
                       static_cast<std::uint32_t>(object_->instructions.size())});
  object_->instructions.push_back(i);
  return true;
}

}  // namespace heddle::text
