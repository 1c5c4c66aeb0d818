// The operands of an instruction, as the form's template lists them.
// Rules: TXT-18, TXT-27 to TXT-30.
#include <fmt/format.h>

#include <algorithm>

#include "text/codes.hpp"
#include "text/parser.hpp"

namespace heddle::text {
namespace {

using isa::InstructionDescription;
using isa::Operand;
using isa::OperandKind;
using isa::Slot;
using isa::TextElement;
using isa::TextKind;

}  // namespace

/// [ ... ]: taken when all of it is there, else left to the defaults.
void Parser::optional_group(const InstructionDescription& description, std::size_t first, std::size_t last) {
  const Scanner::Mark start = in_.mark();
  if (in_.line_over()) return;
  const bool quiet = quiet_, failed = failed_;
  const std::uint32_t problems = quiet_problems_;
  quiet_ = true;
  bool ok = true;
  for (std::size_t n = first; n <= last && ok; ++n) ok = element(description, description.text[n]);
  quiet_ = quiet;
  failed_ = failed;
  if (ok && quiet_problems_ == problems) return;
  quiet_problems_ = problems;
  in_.rewind(start);
  for (std::size_t n = first; n <= last; ++n)
    if (description.text[n].slot >= 0) work_[static_cast<std::size_t>(description.text[n].slot)] = Operand{};
}

/// TXT-30: S and T are told apart by kind; the other order is the document's.
bool Parser::swapped_state(const InstructionDescription& description, const TextElement& first,
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
    const Symbol* s = names_.find(in_.name());
    return s == nullptr ? SymbolKind::None : s->kind;
  };
  const SymbolKind one = kind_here(), two = kind_here();
  const Span span = in_.span_from(start);
  in_.rewind(start);
  const SymbolKind wanted = a.kind == isa::SlotKind::Sampler ? SymbolKind::Sampler : SymbolKind::Surface;
  const SymbolKind other = a.kind == isa::SlotKind::Sampler ? SymbolKind::Surface : SymbolKind::Sampler;
  if (one != other || two != wanted) return false;
  if (!operand(b, work_[static_cast<std::size_t>(second.slot)]) ||
      !operand(a, work_[static_cast<std::size_t>(first.slot)]))
    return false;
  warn("visa-text-dialect", span, "sampler and surface stand in the document's order");
  note(wanted == SymbolKind::Sampler ? "the tool writes the sampler first" : "the tool writes the surface first");
  return true;
}

/// V(row,column): a general variable without region, encoded as <1;1,0>.
bool Parser::origin(Operand& out) {
  const Scanner::Mark start = in_.mark();
  const Symbol* symbol = variable(SymbolKind::General, "a variable with its origin like V40(0,0)");
  if (symbol == nullptr) return false;
  std::int64_t row = 0, col = 0;
  if (!in_.accept('(')) return expected("(row,column)");
  if (!integer(row, Operators::All, 0, 255, "row")) return false;
  if (!in_.accept(',')) return expected("',' between row and column");
  if (!integer(col, Operators::All, 0, 255, "column")) return false;
  if (!in_.accept(')')) return expected("')'");
  out.kind = OperandKind::General;
  out.id = symbol->index;
  out.row = static_cast<std::uint8_t>(row);
  out.col = static_cast<std::uint8_t>(col);
  out.region = isa::Region::source(1, 1, 0);
  place_operand(out, start);
  return true;
}

bool Parser::element(const InstructionDescription& description, const TextElement& e) {
  in_.space();
  switch (e.kind) {
    case TextKind::Literal:
      if (e.word.size() == 1) return in_.accept(e.word[0]) || expected(silent() ? "" : fmt::format("'{}'", e.word));
      if (!in_.looking_at(e.word)) return expected(silent() ? "" : fmt::format("'{}'", e.word));
      in_.skip(e.word.size());
      return true;
    case TextKind::Exec:
      return exec(exec_);
    case TextKind::Saturation:
      return true;
    case TextKind::SuffixFlag:
    case TextKind::Suffix:
    case TextKind::SuffixHex:
    case TextKind::SuffixFlags:
    case TextKind::SuffixLetters:
    case TextKind::SuffixCache:
    case TextKind::SuffixChannel:
      return suffix(description, e);
    case TextKind::LabelList:
      return label_list(description, e);
    case TextKind::Hex: {
      Operand& out = work_[static_cast<std::size_t>(e.slot)];
      const Scanner::Mark start = in_.mark();
      if (!integer_slot(description.slots[static_cast<std::size_t>(e.slot)], out, Operators::Unary)) return false;
      place_operand(out, start);
      return true;
    }
    case TextKind::Hex64:
      return hex_pair(e);
    case TextKind::Name: {
      Operand& out = work_[static_cast<std::size_t>(e.slot)];
      const Scanner::Mark start = in_.mark();
      name_uses_.push_back({static_cast<std::size_t>(e.slot), {}, {}, {}});
      if (!label_name(name_uses_.back().view)) return false;
      out.kind = OperandKind::String;
      place_operand(out, start);
      return true;
    }
    case TextKind::Origin:
      return origin(work_[static_cast<std::size_t>(e.slot)]);
    case TextKind::LscData:
      return lsc_data(description, e);
    case TextKind::LscQuad:
      return lsc_quad(description, e);
    case TextKind::LscBlock:
      return lsc_block(description, e);
    case TextKind::LscAddress:
      return lsc_address(description, e, false);
    case TextKind::LscStrided:
      return lsc_address(description, e, true);
    case TextKind::LscTyped:
      return lsc_typed(description, e);
    case TextKind::LscSurface:
      return lsc_surface(description, e);
    case TextKind::LscBlockAddress:
      return lsc_block_address(description, e);
    case TextKind::LscBlockPayload:
      return lsc_block_payload(e);
    case TextKind::LscRows:
      return lsc_rows(e);
    case TextKind::LscRowsAddress:
      return lsc_rows_address(e);
    case TextKind::Operand:
      break;
  }
  const Slot& slot = description.slots[static_cast<std::size_t>(e.slot)];
  if (slot.repeated) return repeated(description, e);
  if (e.omit_default && in_.line_over()) return true;
  return operand(slot, work_[static_cast<std::size_t>(e.slot)]);
}

bool Parser::hex_pair(const TextElement& e) {
  const Scanner::Mark start = in_.mark();
  Number n;
  if (!number(n, Operators::Unary)) return false;
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
bool Parser::repeated(const InstructionDescription& description, const TextElement& e) {
  const Slot& slot = description.slots[static_cast<std::size_t>(e.slot)];
  const std::size_t first = work_.size();
  // one more than any row takes: the paired surface of the newer dialect may be among them
  constexpr std::size_t kMax = 18;
  while (!in_.line_over()) {
    if (work_.size() - first >= kMax)
      return error("visa-sampler-param-count", in_.here(),
                   silent() ? "" : fmt::format("{} takes at most 15 parameters", description.mnemonic));
    Operand out;
    if (!operand(slot, out)) return false;
    work_.push_back(out);
  }
  if (work_.size() == first) {
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
bool Parser::label_list(const InstructionDescription&, const TextElement&) {
  if (!in_.accept('(')) return expected("'(' and a list of labels");
  do {
    in_.space();
    const Scanner::Mark start = in_.mark();
    if (name_uses_.size() >= 255)
      return error("visa-switchjmp", in_.here(), "the container holds at most 255 labels here");
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
bool Parser::integer_slot(const Slot& slot, Operand& out, Operators allowed) {
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
  const std::int64_t high =
      slot.is_signed ? (std::int64_t{1} << (slot.bits - 1)) - 1 : static_cast<std::int64_t>(all_ones(slot.bits));
  const std::int64_t low = slot.is_signed ? -high - 1 : 0;
  if (!integer(value, allowed, low, high, slot.name)) return false;
  if (in_.peek() == ':')
    return expected(silent() ? "" : fmt::format("a plain integer without a type for {}", slot.name));
  out.value = static_cast<std::uint64_t>(value);
  return true;
}

/// Slots that the text does not show get their defaults.
bool Parser::finish_defaults(const InstructionDescription& description) {
  bool saturated = false;
  for (std::size_t n = 0; n < description.fixed_slots(); ++n) {
    const Slot& slot = description.slots[n];
    Operand& out = work_[n];
    if (saturate_ && !saturated && slot.kind == isa::SlotKind::Vector && slot.access == isa::Access::Write &&
        out.kind != OperandKind::Absent) {
      out.modifier = isa::Modifier::Sat;
      saturated = true;
    }
    if (out.kind != OperandKind::Absent || slot.newer_only) continue;
    if (slot.condition.slot >= 0 &&
        (work_[static_cast<std::size_t>(slot.condition.slot)].value >> slot.condition.bit & 1u) == 0)
      continue;
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
