// One instruction: the interpreter of a form's text template (isa/description.hpp). It knows kinds of elements, no opcode.
#include <fmt/format.h>

#include <algorithm>

#include "instructions/registry.hpp"
#include "text/parser.hpp"
#include "text/vocabulary.hpp"

namespace heddle::text {
namespace {

using isa::Form;
using isa::Operand;
using isa::OperandKind;
using isa::Slot;
using isa::TextElement;
using isa::TextKind;

bool same_word(std::string_view a, std::string_view b, bool any_case) {
  return a == b || (any_case && a.size() == b.size() &&
                    std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return to_lower(x) == to_lower(y); }));
}

const isa::Code* find_code(const isa::CodeTable& table, std::string_view word, bool any_case) {
  if (const isa::Code* exact = table.find(word)) return exact;
  if (!any_case) return nullptr;
  for (const isa::Code& c : table.codes)
    if (same_word(c.name, word, true)) return &c;
  return nullptr;
}

std::string code_list(const isa::CodeTable& table) {
  std::string list;
  for (const isa::Code& c : table.codes)
    if (!c.alias && !c.name.empty()) list += (list.empty() ? "" : ", ") + std::string(c.name);
  return list;
}

std::uint64_t all_ones(unsigned bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

}  // namespace

bool Parser::room_for_instruction(Span span) {
  if (++instruction_total_ <= options_.limits.instructions) return true;
  error("limit-instructions", span, fmt::format("more than {} instructions; --max-instructions raises the limit", options_.limits.instructions));
  problems_.back().limit = true;
  stopped_ = true;
  return false;
}

void Parser::unknown_mnemonic(std::string_view word, Span span) {
  error("visa-text-mnemonic", span, silent() ? "" : fmt::format("unknown mnemonic {}", shown(word)));
  if (silent()) return;
  if (word == "asin" || word == "acos" || word == "atan") {
    note("the word is reserved, but no tool has an opcode for it");
    return;
  }
  suggest(word, instructions::registry().words());
}

/// A statement that starts with a mnemonic, perhaps after a predicate. visa 2.1: upper case is the seeds' dialect.
bool Parser::instruction(Span) {
  const Scanner::Mark start = in_.mark();
  predicate_ = {};
  seed_ = document_form_ = false;
  if (in_.peek() == '(') {
    const Scanner::Mark open = in_.mark();
    if (!predicate_use(predicate_)) return false;
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
  const std::span<const Form* const>* found = forms_.find(word);
  std::string lower;
  if (found == nullptr && word.size() <= 64) {
    lower.resize(word.size());
    std::transform(word.begin(), word.end(), lower.begin(), to_lower);
    seed_ = !dotted && lower != word;
    if (dotted) std::transform(word.begin(), word.end(), lower.begin(), [](char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c); });
    if (seed_ && (lower == "label" || lower == "subroutine")) return document_label(lower == "subroutine", word_span);
    const std::string_view known = document_mnemonic(lower);
    document_form_ = known != lower || seed_;
    found = forms_.find(known);
    if (found != nullptr && document_form_) {
      if (seed_) remark("visa-text-dialect", word_span, fmt::format("{} is read as {}, in the form of the documents", shown(word), known));
      else warn("visa-text-dialect", word_span, fmt::format("{} is the document's mnemonic; it is read as {}", shown(word), known));
    }
  }
  if (found == nullptr || (*found)[0] == label_form_ || (*found)[0] == subroutine_form_) {
    unknown_mnemonic(word, word_span);
    return false;
  }
  return choose(*found, in_.mark(), start, word, word_span);
}

/// Tries the forms that share the mnemonic: first those that the dialect and platform prefer. The one that gets furthest reports.
bool Parser::choose(std::span<const Form* const> forms, Scanner::Mark after_word, Scanner::Mark start, std::string_view word, Span word_span) {
  if (forms.size() == 1) return report_operands(*forms[0], attempt(*forms[0], after_word)) && commit(*forms[0], start);
  const bool xe2 = options_.platform && *options_.platform >= isa::Platform::XE2;
  const Form* best = nullptr;
  const char* best_at = nullptr;
  const std::size_t kept = problems_.size();
  for (const bool preferred : {true, false}) {
    for (const Form* form : forms) {
      if (form->traits.decode_only) continue;
      const bool fits = !(xe2 ? form->traits.before_xe2 : form->traits.from_xe2) && (newer_ ? form->in_newer : form->in_12504);
      if (fits != preferred) continue;
      if (!literal_suffixes_match(*form, after_word)) continue;
      quiet_ = true;
      failed_ = false;
      quiet_problems_ = 0;
      furthest_ = nullptr;
      const bool ok = attempt(*form, after_word);
      quiet_ = false;
      failed_ = false;
      if (ok && quiet_problems_ == 0) return commit(*form, start);
      const char* at = ok ? source_.data() + source_.size() : furthest_;
      if (best == nullptr || at > best_at) best = form, best_at = at;
    }
  }
  problems_.resize(kept);
  if (best == nullptr) {
    in_.rewind(after_word);
    const std::string_view tail = in_.peek() == '.' ? in_.glimpse() : std::string_view();
    error("visa-text-mnemonic", word_span, silent() ? "" : fmt::format("unknown mnemonic {}", shown(std::string(word) + std::string(tail))));
    std::vector<std::string_view> names;
    for (const Form* form : forms) names.push_back(form->mnemonic);
    suggest(std::string(word) + std::string(tail), names);
    return false;
  }
  return attempt(*best, after_word) && commit(*best, start);
}

/// visa-rt-operands: operands that flags ask for are missing at the end of the line, or there are more.
bool Parser::report_operands(const Form& form, bool ok) {
  if (ok || problems_.empty() || problems_.back().id != "visa-text-syntax") return ok;
  const bool flagged = std::any_of(form.slots.begin(), form.slots.end(), [](const Slot& s) { return s.condition.slot >= 0; });
  if (flagged && (in_.line_over() || problems_.back().message.starts_with("expected the end"))) problems_.back().id = "visa-rt-operands";
  return ok;
}

/// Rules out forms of which a literal suffix is not there, so that messages speak of the right one.
bool Parser::literal_suffixes_match(const Form& form, Scanner::Mark after_word) {
  in_.rewind(after_word);
  for (const TextElement& e : form.text) {
    if (e.kind != TextKind::Literal || !e.suffix) break;
    if (!in_.looking_at(e.word) && !(seed_ && same_word(source_.substr(in_.offset(), e.word.size()), e.word, true))) return false;
    in_.skip(e.word.size());
    if (is_name_char(in_.peek())) return false;
  }
  return true;
}

bool Parser::attempt(const Form& form, Scanner::Mark after_word) {
  const std::size_t kept = problems_.size();
  if (document_form_) {  // visa 2.1: the documents have no header; first as if there was one, then without
    const Slot* header = form.slot("header");
    if (header != nullptr && header->null_allowed) {
      const bool quiet = quiet_;
      const std::uint32_t before = quiet_problems_;
      quiet_ = true;
      quiet_problems_ = 0;
      in_.rewind(after_word);
      const bool ok = elements(form, false);
      const std::uint32_t problems = quiet_problems_;
      quiet_ = quiet;
      failed_ = false;
      quiet_problems_ = before;
      in_.rewind(after_word);
      const bool with_header = ok && problems == 0;
      return elements(form, !with_header);
    }
  }
  in_.rewind(after_word);
  problems_.resize(kept);
  return elements(form, false);
}

bool Parser::elements(const Form& form, bool skip_header) {
  work_.assign(form.fixed_slots(), Operand{});
  name_uses_.clear();
  attempt_form_ = &form;
  exec_ = {form.traits.fixed_exec};
  saturate_ = false;
  bool in_suffix = true;
  for (std::size_t n = 0; n < form.text.size(); ++n) {
    const TextElement& e = form.text[n];
    if (in_suffix && !e.suffix) {
      in_suffix = false;
      if (!end_of_suffixes(form)) return false;
    }
    if (e.suffix) {
      if (!suffix(form, e)) return false;
      continue;
    }
    if (e.slot >= 0) {
      const Slot& slot = form.slots[static_cast<std::size_t>(e.slot)];
      if (slot.newer_only) continue;  // read as a parameter first; dialect.cpp decides
      if (slot.condition.slot >= 0 && (work_[static_cast<std::size_t>(slot.condition.slot)].value >> slot.condition.bit & 1u) == 0) continue;
      if (skip_header && slot.name == "header") continue;
      if (n + 1 < form.text.size() && swapped_state(form, e, form.text[n + 1])) {
        ++n;
        continue;
      }
    }
    if (e.group == 0) {
      if (!element(form, e)) return false;
      continue;
    }
    std::size_t last = n;
    while (last + 1 < form.text.size() && form.text[last + 1].group == e.group) ++last;
    optional_group(form, n, last);
    n = last;
  }
  if (in_suffix && !end_of_suffixes(form)) return false;
  return finish_defaults(form) && end_of_statement();
}

/// [ ... ]: taken when all of it is there, else left to the defaults.
void Parser::optional_group(const Form& form, std::size_t first, std::size_t last) {
  const Scanner::Mark start = in_.mark();
  if (in_.line_over()) return;
  const bool quiet = quiet_, failed = failed_;
  const std::uint32_t problems = quiet_problems_;
  quiet_ = true;
  bool ok = true;
  for (std::size_t n = first; n <= last && ok; ++n) ok = element(form, form.text[n]);
  quiet_ = quiet;
  failed_ = failed;
  if (ok && quiet_problems_ == problems) return;
  quiet_problems_ = problems;
  in_.rewind(start);
  for (std::size_t n = first; n <= last; ++n)
    if (form.text[n].slot >= 0) work_[static_cast<std::size_t>(form.text[n].slot)] = Operand{};
}

/// visa 6 row 6: S and T are told apart by kind; the other order is the document's.
bool Parser::swapped_state(const Form& form, const TextElement& first, const TextElement& second) {
  if (first.kind != TextKind::Operand || second.kind != TextKind::Operand || first.slot < 0 || second.slot < 0) return false;
  const Slot& a = form.slots[static_cast<std::size_t>(first.slot)];
  const Slot& b = form.slots[static_cast<std::size_t>(second.slot)];
  const bool state = (a.kind == isa::SlotKind::Sampler && b.kind == isa::SlotKind::Surface) ||
                     (a.kind == isa::SlotKind::Surface && b.kind == isa::SlotKind::Sampler);
  if (!state) return false;
  in_.space();
  const Scanner::Mark start = in_.mark();
  const auto kind_here = [&] {
    in_.space();
    const Symbol* s = names_.find(in_.name());
    return s == nullptr ? SymbolKind::None : s->kind;
  };
  const SymbolKind one = kind_here(), two = kind_here();
  const Span span = in_.span_from(start);
  in_.rewind(start);
  const SymbolKind wanted = a.kind == isa::SlotKind::Sampler ? SymbolKind::Sampler : SymbolKind::Surface;
  const SymbolKind other = a.kind == isa::SlotKind::Sampler ? SymbolKind::Surface : SymbolKind::Sampler;
  if (one != other || two != wanted) return false;
  if (!operand(b, work_[static_cast<std::size_t>(second.slot)]) || !operand(a, work_[static_cast<std::size_t>(first.slot)])) return false;
  warn("visa-text-dialect", span, "sampler and surface stand in the document's order");
  note(wanted == SymbolKind::Sampler ? "the tool writes the sampler first" : "the tool writes the surface first");
  return true;
}

/// After the suffixes of the template: nothing of the mnemonic may be left.
bool Parser::end_of_suffixes(const Form& form) {
  const char c = in_.peek();
  if (c != '.' && !is_name_char(c)) return true;
  const Scanner::Mark start = in_.mark();
  if (c == '.') in_.skip();
  while (is_name_char(in_.peek()) || in_.peek() == '-') in_.skip();
  const Span span = in_.span_from(start);
  const std::string_view text = source_.substr(static_cast<std::size_t>(start.at - source_.data()), span.length);
  in_.rewind(start);
  if (c != '.') return expected("a blank after the mnemonic");
  if (same_word(text, ".sat", seed_))  // visa 6 row 39
    return error("visa-saturation", span, silent() ? "" : fmt::format("{} takes no .sat", form.mnemonic));
  if (silent()) return error("visa-text-mnemonic", span, {});
  error("visa-text-mnemonic", span, fmt::format("unknown suffix {} of {}", shown(text), form.mnemonic));
  std::vector<std::string> words;
  for (const TextElement& e : form.text) {
    if (!e.suffix || e.slot < 0) continue;
    const Slot& slot = form.slots[static_cast<std::size_t>(e.slot)];
    if (e.kind == TextKind::SuffixFlag) words.push_back("." + std::string(e.word));
    if (e.kind == TextKind::Suffix && slot.codes != nullptr)
      for (const isa::Code& code : slot.codes->codes)
        if (!code.name.empty()) words.push_back("." + std::string(code.name));
  }
  suggest(text, std::vector<std::string_view>(words.begin(), words.end()));
  return false;
}

bool Parser::suffix(const Form& form, const TextElement& e) {
  const Scanner::Mark start = in_.mark();
  const auto here_is = [&](std::string_view word) {  // "." and the word, nothing longer
    return in_.peek() == '.' && in_.peek(1) != '\0' && same_word(source_.substr(in_.offset() + 1, word.size()), word, seed_) &&
           !is_name_char(in_.peek(word.size() + 1));
  };
  if (e.kind == TextKind::Literal) {
    if (!here_is(e.word.substr(1))) return expected(silent() ? "" : fmt::format("'{}'", e.word));
    in_.skip(e.word.size());
    return true;
  }
  if (e.kind == TextKind::Saturation) {
    if (here_is("sat")) {
      in_.skip(4);
      saturate_ = true;
    }
    return true;
  }
  const Slot& slot = form.slots[static_cast<std::size_t>(e.slot)];
  Operand& out = work_[static_cast<std::size_t>(e.slot)];
  const auto done = [&](std::uint64_t value) {
    out.kind = OperandKind::Integer;
    out.value = value;
    place_operand(out, start);
    return true;
  };
  const auto missing = [&](std::string_view what) {
    return e.optional || expected(silent() ? "" : fmt::format("{} of {}", what, form.mnemonic));
  };
  switch (e.kind) {
    case TextKind::SuffixFlag:
      if (!here_is(e.word)) return missing(e.word);
      in_.skip(e.word.size() + 1);
      return done(1);
    case TextKind::SuffixHex: {
      if (in_.peek() != '.' || (in_.peek(1) != 'x' && in_.peek(1) != 'X')) return missing("'.x' and the two hexadecimal digits");
      in_.skip(2);
      std::uint64_t value = 0;
      unsigned digits = 0;
      for (; hex_digit(in_.peek()) >= 0 && digits < 9; in_.skip(), ++digits) value = value * 16 + static_cast<unsigned>(hex_digit(in_.peek()));
      if (digits == 0 || is_name_char(in_.peek())) return expected("hexadecimal digits");
      if (value > all_ones(slot.bits)) return error("visa-text-number", in_.span_from(start), fmt::format("0x{:x} needs more than {} bits", value, slot.bits));
      return done(value);
    }
    case TextKind::SuffixFlags: {
      if (in_.peek() != '.' || in_.peek(1) != '<') return missing("flags");
      in_.skip();
      std::uint64_t value = 0;
      return rt_flags(slot, value) && done(value);
    }
    case TextKind::SuffixLetters: {
      if (in_.peek() != '.') return missing("options");
      in_.skip();
      std::uint64_t value = 0;
      while (is_name_char(in_.peek())) {
        const isa::Code* longest = nullptr;
        for (const isa::Code& c : slot.codes->codes)
          if (!c.name.empty() && same_word(source_.substr(in_.offset(), c.name.size()), c.name, seed_) &&
              (longest == nullptr || c.name.size() > longest->name.size()))
            longest = &c;
        if (longest == nullptr) {
          error("visa-text-mnemonic", in_.here(), silent() ? "" : fmt::format("unknown option {} of {}", shown(in_.glimpse()), form.mnemonic));
          note(silent() ? "" : "options are " + code_list(*slot.codes));
          return false;
        }
        value |= longest->code;
        in_.skip(longest->name.size());
      }
      return done(value);
    }
    case TextKind::SuffixChannel: {
      constexpr std::string_view kChannels = "RGBA";
      const std::size_t channel = in_.peek() == '.' ? kChannels.find(static_cast<char>(in_.peek(1) & ~0x20)) : std::string_view::npos;
      if (channel != std::string_view::npos && in_.peek(1) != '\0' && !is_name_char(in_.peek(2))) {
        in_.skip(2);
        return done(channel);
      }
      if (in_.peek() == '.') in_.skip();
      in_.word();
      return error("visa-sample4-channel", in_.span_from(start), silent() ? "" : fmt::format("{} takes exactly one channel: .R, .G, .B or .A", form.mnemonic));
    }
    case TextKind::Suffix: break;
    default: return error("visa-text-syntax", in_.here(0), "this form has no text");
  }
  if (slot.kind == isa::SlotKind::ChannelMask) return mask_suffix(form, slot, out, start);
  if (in_.peek() != '.') return missing(slot.codes != nullptr && !silent() ? fmt::format("'.' and one of {}", code_list(*slot.codes)) : "'.' and a number");
  in_.skip();
  const char* first = in_.position();
  while (is_name_char(in_.peek()) || (in_.peek() == '-' && slot.codes != nullptr)) in_.skip();
  const std::string_view word(first, static_cast<std::size_t>(in_.position() - first));
  if (slot.codes != nullptr) {
    if (const isa::Code* code = find_code(*slot.codes, word, seed_); code != nullptr && !word.empty()) return done(code->code);
    if (e.optional) {
      in_.rewind(start);
      return true;
    }
    if (silent()) return error("visa-text-mnemonic", in_.span_from(start), {});
    error("visa-text-mnemonic", in_.span_from(start), fmt::format("unknown suffix {} of {}", shown("." + std::string(word.substr(0, 40))), form.mnemonic));
    note("it is one of " + code_list(*slot.codes));
    std::vector<std::string_view> names;
    for (const isa::Code& c : slot.codes->codes) names.push_back(c.name);
    suggest(word, names);
    return false;
  }
  std::uint64_t value = 0;
  for (const char c : word) {
    if (!is_digit(c)) {
      if (e.optional) {
        in_.rewind(start);
        return true;
      }
      return error("visa-text-mnemonic", in_.span_from(start), silent() ? "" : fmt::format("suffix {} of {} is not a number", shown(word), form.mnemonic));
    }
    value = std::min<std::uint64_t>(value * 10 + static_cast<unsigned>(c - '0'), std::uint64_t{1} << 40);
  }
  if (word.empty()) return expected("a number");
  if (value > all_ones(slot.bits)) return error("visa-text-number", in_.span_from(start), fmt::format("{} does not fit {} bits", shown(word), slot.bits));
  // raw_sendsc.n0.n1.nd: an optional number in front is there only when one more number follows than the others need
  if (e.optional && !another_number_follows(form, e)) {
    in_.rewind(start);
    return true;
  }
  return done(value);
}

/// After an optional number: as many numbers must follow as the template still wants.
bool Parser::another_number_follows(const Form& form, const TextElement& e) {
  std::size_t wanted = 0;
  for (const TextElement* t = &e + 1; t != form.text.data() + form.text.size() && t->suffix; ++t) wanted += t->kind == TextKind::Suffix;
  std::size_t found = 0;
  const Scanner::Mark start = in_.mark();
  while (in_.peek() == '.' && is_digit(in_.peek(1))) {
    in_.skip();
    in_.word();
    ++found;
  }
  in_.rewind(start);
  return found >= wanted;
}

/// .RGBA in any case. visa 5.1: a missing mask of an instruction that has a default means that, with a warning.
bool Parser::mask_suffix(const Form& form, const Slot& slot, Operand& out, Scanner::Mark start) {
  std::uint64_t mask = 0;
  if (in_.peek() == '.') {
    in_.skip();
    while (is_name_char(in_.peek())) {
      constexpr std::string_view kChannels = "RGBA";
      const std::size_t channel = kChannels.find(static_cast<char>(in_.peek() & ~0x20));
      if (channel == std::string_view::npos || (mask >> channel & 1u) != 0) {
        in_.word();
        error("visa-text-mnemonic", in_.span_from(start), silent() ? "" : fmt::format("{} takes a channel mask of R, G, B and A", form.mnemonic));
        return false;
      }
      mask |= std::uint64_t{1} << channel;
      in_.skip();
    }
    if (mask == 0) return expected("channels of R, G, B and A");
  } else if (slot.default_value != 0) {
    mask = static_cast<std::uint64_t>(slot.default_value);
    if (!seed_) {
      warn("visa-info-mask", in_.here(0), silent() ? "" : fmt::format("{} without a channel mask is read as {}.RGBA", form.mnemonic, form.mnemonic));
      note("the tool requires the mask; the document has none");
    }
  } else {
    return expected(silent() ? "" : fmt::format("'.' and a channel mask after {}", form.mnemonic));
  }
  out.kind = OperandKind::Integer;
  out.value = mask;
  place_operand(out, start);
  return true;
}

/// <RTI><A>...: letters exactly so (visa 5.4). An unknown flag is lost in the encoding, as in the tool: an error when judging.
bool Parser::rt_flags(const Slot& slot, std::uint64_t& out) {
  while (in_.peek() == '<') {
    const Scanner::Mark start = in_.mark();
    in_.skip();
    const std::string_view word = in_.word();
    if (in_.peek() != '>') return expected("'>' after a flag");
    in_.skip();
    const isa::Code* code = slot.codes->find(word);
    const bool repeated = code != nullptr && (out & code->code) != 0;
    if (code != nullptr) out |= code->code;
    if (code != nullptr && !repeated) continue;
    const Span span = in_.span_from(start);
    const std::string message = silent() ? "" : repeated ? fmt::format("flag {} is repeated", shown(word)) : fmt::format("unknown flag {}; it is ignored", shown(word));
    judge("visa-rt-flag", span, message);
    if (!silent() && !repeated) note("flags are " + code_list(*slot.codes));
  }
  return true;
}

/// What can be encoded but is against a rule that the encoding does not show.
void Parser::judge(std::string_view id, Span span, std::string message) {
  if (quiet_) return;  // does not tell forms apart
  problems_.push_back({options_.judge ? base::Severity::Error : base::Severity::Warning, id, span, std::move(message), {}, false, options_.judge});
}

bool Parser::element(const Form& form, const TextElement& e) {
  in_.space();
  switch (e.kind) {
    case TextKind::Literal:
      if (e.word.size() == 1) return in_.accept(e.word[0]) || expected(silent() ? "" : fmt::format("'{}'", e.word));
      if (!in_.looking_at(e.word)) return expected(silent() ? "" : fmt::format("'{}'", e.word));
      in_.skip(e.word.size());
      return true;
    case TextKind::Exec: return exec(exec_);
    case TextKind::Saturation: return true;
    case TextKind::SuffixFlag: case TextKind::Suffix: case TextKind::SuffixHex: case TextKind::SuffixFlags: case TextKind::SuffixLetters:
    case TextKind::SuffixChannel: return suffix(form, e);
    case TextKind::LabelList: return label_list(form, e);
    case TextKind::Hex: {
      Operand& out = work_[static_cast<std::size_t>(e.slot)];
      const Scanner::Mark start = in_.mark();
      if (!integer_slot(form.slots[static_cast<std::size_t>(e.slot)], out, Reach::Unary)) return false;
      place_operand(out, start);
      return true;
    }
    case TextKind::Hex64: return hex_pair(e);
    case TextKind::Name: {
      Operand& out = work_[static_cast<std::size_t>(e.slot)];
      const Scanner::Mark start = in_.mark();
      name_uses_.push_back({static_cast<std::size_t>(e.slot), {}, {}, {}});
      if (!label_name(name_uses_.back().view)) return false;
      out.kind = OperandKind::String;
      place_operand(out, start);
      return true;
    }
    case TextKind::Origin: {
      Operand& out = work_[static_cast<std::size_t>(e.slot)];
      const Scanner::Mark start = in_.mark();
      const Symbol* symbol = variable(SymbolKind::General, "a variable with its origin like V40(0,0)");
      if (symbol == nullptr) return false;
      std::int64_t row = 0, col = 0;
      if (!in_.accept('(')) return expected("(row,column)");
      if (!integer(row, Reach::Full, 0, 255, "row")) return false;
      if (!in_.accept(',')) return expected("',' between row and column");
      if (!integer(col, Reach::Full, 0, 255, "column")) return false;
      if (!in_.accept(')')) return expected("')'");
      out.kind = OperandKind::General;
      out.id = symbol->index;
      out.row = static_cast<std::uint8_t>(row);
      out.col = static_cast<std::uint8_t>(col);
      out.region = isa::Region::source(1, 1, 0);
      place_operand(out, start);
      return true;
    }
    case TextKind::LscData: return lsc_data(form, e);
    case TextKind::LscQuad: return lsc_quad(form, e);
    case TextKind::LscBlock: return lsc_block(form, e);
    case TextKind::LscAddress: return lsc_address(form, e, false);
    case TextKind::LscStrided: return lsc_address(form, e, true);
    case TextKind::LscTyped: return lsc_typed(form, e);
    case TextKind::LscSurface: return lsc_surface(form, e);
    case TextKind::LscBlockAddress: return lsc_block_address(form, e);
    case TextKind::Operand: break;
  }
  const Slot& slot = form.slots[static_cast<std::size_t>(e.slot)];
  if (slot.repeated) return repeated(form, e);
  return operand(slot, work_[static_cast<std::size_t>(e.slot)]);
}

bool Parser::hex_pair(const TextElement& e) {
  const Scanner::Mark start = in_.mark();
  Number n;
  if (!number(n, Reach::Unary)) return false;
  if (n.is_real) return error("visa-text-number", in_.span_from(start), "expected an integer");
  for (int part = 0; part < 2; ++part) {
    Operand& out = work_[static_cast<std::size_t>(e.parts[static_cast<std::size_t>(part)])];
    out.kind = OperandKind::Integer;
    out.value = static_cast<std::uint64_t>(n.value) >> (32 * part) & 0xffffffffu;
    place_operand(out, start);
  }
  return true;
}

/// The parameters at the end of a line.
bool Parser::repeated(const Form& form, const TextElement& e) {
  const Slot& slot = form.slots[static_cast<std::size_t>(e.slot)];
  const std::size_t first = work_.size();
  // one more than the container's readers take: the paired surface of the newer dialect may be among them
  constexpr std::size_t kMost = 16;
  while (!in_.line_over()) {
    if (work_.size() - first >= kMost)
      return error("visa-sampler-param-count", in_.here(), silent() ? "" : fmt::format("{} takes at most 15 parameters", form.mnemonic));
    Operand out;
    if (!operand(slot, out)) return false;
    work_.push_back(out);
  }
  if (work_.size() == first) {
    error("visa-sampler-param-count", in_.end_of_text(), silent() ? "" : fmt::format("{} needs parameters", form.mnemonic));
    if (!silent() && !form.parameters.empty()) {
      std::string list;
      for (const std::string_view p : form.parameters) list += (list.empty() ? "" : " ") + std::string(p);
      note("parameters are " + list);
    }
    return false;
  }
  return true;
}

/// (L0, L1, ...)
bool Parser::label_list(const Form&, const TextElement&) {
  if (!in_.accept('(')) return expected("'(' and a list of labels");
  do {
    in_.space();
    const Scanner::Mark start = in_.mark();
    if (name_uses_.size() >= 255) return error("visa-switchjmp", in_.here(), "the container holds at most 255 labels here");
    name_uses_.push_back({work_.size(), {}, {}, {}});
    if (!label_name(name_uses_.back().view)) return false;
    name_uses_.back().span = in_.span_from(start);
    Operand out;
    out.kind = OperandKind::Label;
    place_operand(out, start);
    work_.push_back(out);
  } while (in_.accept(','));
  return in_.accept(')') || expected("',' or ')'");
}

/// A plain integer field: the name of a code, or a number of the field's width.
bool Parser::integer_slot(const Slot& slot, Operand& out, Reach reach) {
  out.kind = OperandKind::Integer;
  in_.space();
  const Scanner::Mark start = in_.mark();
  if (slot.codes != nullptr) {
    const std::string_view word = in_.word();
    if (const isa::Code* code = word.empty() ? nullptr : find_code(*slot.codes, word, seed_)) {
      out.value = code->code;
      return true;
    }
    in_.rewind(start);
    if (silent()) return error("visa-text-syntax", in_.here(0), {});
    return expected(fmt::format("one of {}", code_list(*slot.codes)));
  }
  std::int64_t value = 0;
  const std::int64_t high = slot.is_signed ? (std::int64_t{1} << (slot.bits - 1)) - 1 : static_cast<std::int64_t>(all_ones(slot.bits));
  const std::int64_t low = slot.is_signed ? -high - 1 : 0;
  if (!integer(value, reach, low, high, slot.name)) return false;
  if (in_.peek() == ':') return expected(silent() ? "" : fmt::format("a plain integer without a type for {}", slot.name));
  out.value = static_cast<std::uint64_t>(value);
  return true;
}

/// Slots that the text does not show get their defaults.
bool Parser::finish_defaults(const Form& form) {
  bool saturated = false;
  for (std::size_t n = 0; n < form.fixed_slots(); ++n) {
    const Slot& slot = form.slots[n];
    Operand& out = work_[n];
    if (saturate_ && !saturated && slot.kind == isa::SlotKind::Vector && slot.access == isa::Access::Write && out.kind != OperandKind::Absent) {
      out.modifier = isa::Modifier::Sat;
      saturated = true;
    }
    if (out.kind != OperandKind::Absent || slot.newer_only) continue;
    if (slot.condition.slot >= 0 && (work_[static_cast<std::size_t>(slot.condition.slot)].value >> slot.condition.bit & 1u) == 0) continue;
    if (slot.copy_of >= 0) {
      out = work_[static_cast<std::size_t>(slot.copy_of)];
      continue;
    }
    switch (slot.kind) {
      case isa::SlotKind::Integer:
      case isa::SlotKind::ChannelMask:
        out.kind = OperandKind::Integer;
        out.value = static_cast<std::uint64_t>(slot.default_value);
        break;
      case isa::SlotKind::Raw: out.kind = OperandKind::Raw; break;
      case isa::SlotKind::Vector:
        out.kind = OperandKind::Immediate;
        out.value = static_cast<std::uint64_t>(slot.default_value);
        break;
      default: return error("visa-text-syntax", in_.here(0), silent() ? "" : fmt::format("{} of {} is missing", slot.name, form.mnemonic));
    }
  }
  return true;
}

std::uint32_t Parser::intern(std::string_view text) {
  if (std::uint32_t* known = strings_.find(text)) return *known - 1;
  string_store_.push_back(std::make_unique<std::string>(text));
  object_->strings.emplace_back(text);
  const auto index = static_cast<std::uint32_t>(object_->strings.size() - 1);
  strings_[*string_store_.back()] = index + 1;
  return index;
}

/// The form is certain: number labels and strings, and append the instruction.
bool Parser::commit(const Form& form, Scanner::Mark start) {
  if (predicate_.present()) {
    if (form.has_predicate && form.predicate_newer_only) {
      needs_newer_ = true;
    } else if (!form.has_predicate && form.traits.accepts_predicate) {
      judge("visa-pred-allowed", predicate_span_, silent() ? "" : fmt::format("{} cannot be predicated; the predicate is not encoded", form.mnemonic));
      predicate_ = {};
    } else if (!form.has_predicate) {
      return error("visa-pred-allowed", predicate_span_, silent() ? "" : fmt::format("{} cannot be predicated", form.mnemonic));
    }
  }
  if (failed_) return false;
  const Span span = in_.span_from(start);
  if (!room_for_instruction(span)) return false;
  needs_newer_ = needs_newer_ || !form.in_12504;
  for (const NameUse& use : name_uses_) {
    Operand& operand = work_[use.operand];
    const std::string_view name = use.own ? std::string_view(use.text) : use.view;
    if (operand.kind == OperandKind::String) {
      operand.id = intern(name);
      continue;
    }
    const Slot* slot = form.slot_of(use.operand);
    operand.id = mention_label(name, slot->label_kind, use.span);
    if (slot->label_kind == isa::LabelKind::Block) uses_.push_back({operand.id, subroutine_, use.span});
  }
  isa::Instruction i;
  i.form = &form;
  i.exec = exec_;
  i.predicate = predicate_;
  // visa 7.1: mov of a predicate is always written with exec 80
  if (form.traits.predicate_copy)
    for (const Operand& o : work_)
      if (o.kind == OperandKind::Predicate) i.exec.bits = 0x80;
  i.first_operand = static_cast<std::uint32_t>(object_->operands.size());
  i.operand_count = static_cast<std::uint16_t>(work_.size());
  i.length = static_cast<std::uint16_t>(std::min<std::uint32_t>(span.length, 0xffff));
  i.position = {span.line, span.column, static_cast<std::uint64_t>(start.at - source_.data())};
  object_->operands.insert(object_->operands.end(), work_.begin(), work_.end());
  if (form.count_slot >= 0 && form.slots.size() >= 2 && form.slots[form.slots.size() - 2].newer_only)
    paired_.push_back({static_cast<std::uint32_t>(program_.objects.size() - 1), static_cast<std::uint32_t>(object_->instructions.size())});
  object_->instructions.push_back(i);
  return true;
}

}  // namespace heddle::text
