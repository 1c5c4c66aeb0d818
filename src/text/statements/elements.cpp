// SPDX-License-Identifier: MIT
// Rules: TXT-18, TXT-27 to TXT-30.
#include "text/statements/elements.hpp"

#include <fmt/format.h>

#include <string>

namespace heddle::text {
namespace {

using isa::InstructionDescription;
using isa::Operand;
using isa::OperandKind;
using isa::Slot;
using isa::TextElement;
using isa::TextKind;

}  // namespace

/// Whether the text has no operand for a slot.
bool Elements::left_out(const Slot& slot, bool skip_header) const {
  if (slot.newer_only) return true;  // read as a parameter first; dialect.cpp decides
  if (slot.condition.slot >= 0 &&
      (draft_.operands[static_cast<std::size_t>(slot.condition.slot)].value >> slot.condition.bit & 1u) == 0)
    return true;
  return skip_header && slot.name == "header";
}

bool Elements::elements(const InstructionDescription& description, bool skip_header) {
  draft_.operands.assign(description.fixed_slots(), Operand{});
  draft_.name_uses.clear();
  draft_.description = &description;
  draft_.exec = {description.traits.fixed_exec};
  draft_.saturate = false;
  bool in_suffix = true;
  for (std::size_t n = 0; n < description.text.size(); ++n) {
    const TextElement& e = description.text[n];
    if (in_suffix && !e.suffix) {
      in_suffix = false;
      if (!suffixes_.end_of_suffixes(description)) return false;
    }
    if (e.suffix) {
      if (!suffixes_.suffix(description, e)) return false;
      continue;
    }
    if (e.slot >= 0) {
      const Slot& slot = description.slots[static_cast<std::size_t>(e.slot)];
      if (left_out(slot, skip_header)) continue;
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
  if (in_suffix && !suffixes_.end_of_suffixes(description)) return false;
  return finish_defaults(description) && end_of_statement();
}

/// [ ... ]: taken when all of it is there, else left to the defaults.
void Elements::optional_group(const InstructionDescription& description, std::size_t first, std::size_t last) {
  const Scanner::Mark start = in_.mark();
  if (in_.line_over()) return;
  {
    const Problems::Trial trial(problems_);
    bool ok = true;
    for (std::size_t n = first; n <= last && ok; ++n) ok = element(description, description.text[n]);
    if (ok && trial.clean()) return;
  }
  in_.rewind(start);
  for (std::size_t n = first; n <= last; ++n)
    if (description.text[n].slot >= 0) draft_.operands[static_cast<std::size_t>(description.text[n].slot)] = Operand{};
}

/// TXT-30: S and T are told apart by kind; the other order is the document's.
bool Elements::swapped_state(const InstructionDescription& description, const TextElement& first,
                             const TextElement& second) {
  if (first.kind != TextKind::Operand || second.kind != TextKind::Operand || first.slot < 0 || second.slot < 0)
    return false;
  const Slot& a = description.slots[static_cast<std::size_t>(first.slot)];
  const Slot& b = description.slots[static_cast<std::size_t>(second.slot)];
  const bool state = (a.kind == isa::SlotKind::Sampler && b.kind == isa::SlotKind::Surface) ||
                     (a.kind == isa::SlotKind::Surface && b.kind == isa::SlotKind::Sampler);
  if (!state) return false;
  in_.space();
  const Scanner::Mark start = in_.mark();
  const auto kind_here = [&] {
    in_.space();
    const Symbol* s = c_.names.find(in_.name());
    return s == nullptr ? SymbolKind::None : s->kind;
  };
  const SymbolKind one = kind_here(), two = kind_here();
  const Span span = in_.span_from(start);
  in_.rewind(start);
  const SymbolKind wanted = a.kind == isa::SlotKind::Sampler ? SymbolKind::Sampler : SymbolKind::Surface;
  const SymbolKind other = a.kind == isa::SlotKind::Sampler ? SymbolKind::Surface : SymbolKind::Sampler;
  if (one != other || two != wanted) return false;
  if (!operands_.operand(b, draft_.operands[static_cast<std::size_t>(second.slot)]) ||
      !operands_.operand(a, draft_.operands[static_cast<std::size_t>(first.slot)]))
    return false;
  warn("visa-text-dialect", span, "sampler and surface stand in the document's order");
  note(wanted == SymbolKind::Sampler ? "the tool writes the sampler first" : "the tool writes the surface first");
  return true;
}

/// V(row,column): a general variable without region, encoded as <1;1,0>.
bool Elements::origin(Operand& out) {
  const Scanner::Mark start = in_.mark();
  const Symbol* symbol = symbols_.variable(SymbolKind::General, "a variable with its origin like V40(0,0)");
  if (symbol == nullptr) return false;
  std::int64_t row = 0, col = 0;
  if (!in_.accept('(')) return expected("(row,column)");
  if (!numbers_.integer(row, Operators::All, 0, 255, "row")) return false;
  if (!in_.accept(',')) return expected("',' between row and column");
  if (!numbers_.integer(col, Operators::All, 0, 255, "column")) return false;
  if (!in_.accept(')')) return expected("')'");
  out.kind = OperandKind::General;
  out.id = symbol->index;
  out.row = static_cast<std::uint8_t>(row);
  out.col = static_cast<std::uint8_t>(col);
  out.region = isa::Region::source(1, 1, 0);
  place_operand(out, start);
  return true;
}

bool Elements::literal(const TextElement& e) {
  if (e.word.size() == 1) return in_.accept(e.word[0]) || expected(silent() ? "" : fmt::format("'{}'", e.word));
  if (!in_.looking_at(e.word)) return expected(silent() ? "" : fmt::format("'{}'", e.word));
  in_.skip(e.word.size());
  return true;
}

bool Elements::element(const InstructionDescription& description, const TextElement& e) {
  in_.space();
  switch (e.kind) {
    case TextKind::Literal:
      return literal(e);
    case TextKind::Exec:
      return operands_.exec(draft_.exec);
    case TextKind::Saturation:
      return true;
    case TextKind::SuffixFlag:
    case TextKind::Suffix:
    case TextKind::SuffixHex:
    case TextKind::SuffixFlags:
    case TextKind::SuffixLetters:
    case TextKind::SuffixCache:
    case TextKind::SuffixChannel:
      return suffixes_.suffix(description, e);
    case TextKind::LabelList:
      return label_list();
    case TextKind::Hex:
      return hex(description, e);
    case TextKind::Hex64:
      return hex_pair(e);
    case TextKind::Name:
      return name(e);
    case TextKind::Origin:
      return origin(draft_.operands[static_cast<std::size_t>(e.slot)]);
    case TextKind::LscData:
    case TextKind::LscQuad:
    case TextKind::LscBlock:
    case TextKind::LscAddress:
    case TextKind::LscStrided:
    case TextKind::LscTyped:
    case TextKind::LscSurface:
    case TextKind::LscBlockAddress:
    case TextKind::LscBlockPayload:
    case TextKind::LscRows:
    case TextKind::LscRowsAddress:
      return lsc_.element(description, e);
    case TextKind::Operand:
      return slot(description, e);
  }
  return false;
}

bool Elements::slot(const InstructionDescription& description, const TextElement& e) {
  const Slot& slot = description.slots[static_cast<std::size_t>(e.slot)];
  if (slot.repeated) return repeated(description, e);
  if (e.omit_default && in_.line_over()) return true;
  return operands_.operand(slot, draft_.operands[static_cast<std::size_t>(e.slot)]);
}

bool Elements::hex(const InstructionDescription& description, const TextElement& e) {
  Operand& out = draft_.operands[static_cast<std::size_t>(e.slot)];
  const Scanner::Mark start = in_.mark();
  if (!operands_.integer_slot(description.slots[static_cast<std::size_t>(e.slot)], out, Operators::Unary)) return false;
  place_operand(out, start);
  return true;
}

bool Elements::name(const TextElement& e) {
  Operand& out = draft_.operands[static_cast<std::size_t>(e.slot)];
  const Scanner::Mark start = in_.mark();
  draft_.name_uses.push_back({static_cast<std::size_t>(e.slot), {}, {}, {}});
  if (!symbols_.label_name(draft_.name_uses.back().view)) return false;
  out.kind = OperandKind::String;
  place_operand(out, start);
  return true;
}

bool Elements::hex_pair(const TextElement& e) {
  const Scanner::Mark start = in_.mark();
  Number n;
  if (!numbers_.number(n, Operators::Unary)) return false;
  if (n.is_real) return error("visa-text-number", in_.span_from(start), "expected an integer");
  for (int part = 0; part < 2; ++part) {
    Operand& out = draft_.operands[static_cast<std::size_t>(e.parts[static_cast<std::size_t>(part)])];
    out.kind = OperandKind::Integer;
    out.value = static_cast<std::uint64_t>(n.value) >> (32 * part) & 0xffffffffu;
    place_operand(out, start);
  }
  return true;
}

/// The parameters at the end of a line.
bool Elements::repeated(const InstructionDescription& description, const TextElement& e) {
  const Slot& slot = description.slots[static_cast<std::size_t>(e.slot)];
  const std::size_t first = draft_.operands.size();
  // one more than any row takes: the paired surface of the newer dialect may be among them
  constexpr std::size_t kMax = 18;
  while (!in_.line_over()) {
    if (draft_.operands.size() - first >= kMax)
      return error("visa-sampler-param-count", in_.here(),
                   silent() ? "" : fmt::format("{} takes at most 15 parameters", description.mnemonic));
    Operand out;
    if (!operands_.operand(slot, out)) return false;
    draft_.operands.push_back(out);
  }
  if (draft_.operands.size() == first) {
    error("visa-sampler-param-count", in_.end_of_text(),
          silent() ? "" : fmt::format("{} needs parameters", description.mnemonic));
    if (!silent() && !description.parameters.empty()) {
      std::string list;
      for (const std::string_view p : description.parameters) list += (list.empty() ? "" : " ") + std::string(p);
      note("parameters are " + list);
    }
    return false;
  }
  return true;
}

/// (L0, L1, ...)
bool Elements::label_list() {
  if (!in_.accept('(')) return expected("'(' and a list of labels");
  do {
    in_.space();
    const Scanner::Mark start = in_.mark();
    if (draft_.name_uses.size() >= 255)
      return error("visa-switchjmp", in_.here(), "the container holds at most 255 labels here");
    draft_.name_uses.push_back({draft_.operands.size(), {}, {}, {}});
    if (!symbols_.label_name(draft_.name_uses.back().view)) return false;
    draft_.name_uses.back().span = in_.span_from(start);
    Operand out;
    out.kind = OperandKind::Label;
    place_operand(out, start);
    draft_.operands.push_back(out);
  } while (in_.accept(','));
  return in_.accept(')') || expected("',' or ')'");
}

/// Slots that the text does not show get their defaults.
bool Elements::finish_defaults(const InstructionDescription& description) {
  bool saturated = false;
  for (std::size_t n = 0; n < description.fixed_slots(); ++n) {
    const Slot& slot = description.slots[n];
    Operand& out = draft_.operands[n];
    if (draft_.saturate && !saturated && slot.kind == isa::SlotKind::Vector && slot.access == isa::Access::Write &&
        out.kind != OperandKind::Absent) {
      out.modifier = isa::Modifier::Sat;
      saturated = true;
    }
    if (out.kind != OperandKind::Absent || slot.newer_only) continue;
    if (slot.condition.slot >= 0 &&
        (draft_.operands[static_cast<std::size_t>(slot.condition.slot)].value >> slot.condition.bit & 1u) == 0)
      continue;
    if (slot.copy_of >= 0) {
      out = draft_.operands[static_cast<std::size_t>(slot.copy_of)];
      continue;
    }
    switch (slot.kind) {
      case isa::SlotKind::Integer:
      case isa::SlotKind::ChannelMask:
        out.kind = OperandKind::Integer;
        out.value = static_cast<std::uint64_t>(slot.default_value);
        break;
      case isa::SlotKind::Raw:
        out.kind = OperandKind::Raw;
        break;
      case isa::SlotKind::Vector:
        out.kind = OperandKind::Immediate;
        out.value = static_cast<std::uint64_t>(slot.default_value);
        break;
      default:
        return error("visa-text-syntax", in_.here(0),
                     silent() ? "" : fmt::format("{} of {} is missing", slot.name, description.mnemonic));
    }
  }
  return true;
}

}  // namespace heddle::text
