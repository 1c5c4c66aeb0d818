// SPDX-License-Identifier: MIT
// Rules: TXT-19, TXT-20, TXT-24.
#include "text/operands/operands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "text/codes.hpp"

namespace heddle::text {
namespace {

using isa::Operand;
using isa::OperandKind;
using isa::Slot;

}  // namespace

/// (M1, 16)  (M3_NM, 8)  (NoMask, 8) = M1_NM  (8) = M1
bool Operands::exec(isa::Exec& out) {
  if (!in_.accept('(')) return expected("an execution size like (M1, 8)");
  in_.space();
  unsigned mask = 0;
  if (is_name_start(in_.peek())) {
    const Scanner::Mark start = in_.mark();
    const std::string_view word = in_.name();
    const bool no_mask = word.ends_with("_NM") || word == "NoMask";
    const std::string_view base = word == "NoMask" ? "M1" : no_mask ? word.substr(0, word.size() - 3) : word;
    if (base.size() != 2 || base[0] != 'M' || base[1] < '1' || base[1] > '8') {
      error("visa-text-syntax", in_.span_from(start),
            silent() ? "" : fmt::format("{} is not an execution mask", shown(word)));
      note("masks are M1 to M8, M1_NM to M8_NM and NoMask");
      return false;
    }
    mask = static_cast<unsigned>(base[1] - '1') | (no_mask ? 8u : 0u);
    if (!in_.accept(',')) return expected("',' and the execution size");
  }
  in_.space();
  const Scanner::Mark start = in_.mark();
  std::int64_t size = 0;
  if (!numbers_.integer(size, Operators::All, 0, 0xffffffff, "execution size")) return false;
  if (size < 1 || size > 32 || !std::has_single_bit(static_cast<unsigned>(size)))
    return error("visa-exec-size", in_.span_from(start),
                 fmt::format("execution size {} is not 1, 2, 4, 8, 16 or 32", size));
  if (!in_.accept(')')) return expected("')' after the execution size");
  out.bits = static_cast<std::uint8_t>(std::countr_zero(static_cast<unsigned>(size)) | mask << 4);
  return true;
}

/// (P1)  (!P1)  (P2.any)  (!P2.all), the parenthesis not read yet.
bool Operands::predicate_use(isa::PredicateUse& out) {
  in_.skip();
  const bool inverse = in_.accept('!');
  const Symbol* symbol = symbols_.variable(SymbolKind::Predicate, "a predicate");
  if (symbol == nullptr) return false;
  unsigned combine = 0;
  if (in_.accept('.')) {
    const Scanner::Mark start = in_.mark();
    const std::string_view word = in_.word();
    combine = word == "any" ? 1u : word == "all" ? 2u : 0u;
    if (combine == 0)
      return error("visa-text-syntax", in_.span_from(start), fmt::format("expected any or all, found {}", shown(word)));
  }
  if (!in_.accept(')')) return expected("')' after the predicate");
  if (symbol->index > 0xfff)
    return error("visa-text-number", in_.here(), "only predicates 1 to 4095 can guard an instruction");
  out.bits = static_cast<std::uint16_t>(symbol->index | combine << 13 | (inverse ? 0x8000u : 0u));
  return true;
}

bool Operands::operand(const Slot& slot, Operand& out) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  problems_.set_understood(false);
  bool ok = by_kind(slot, out, start);
  if (!ok && problems_.understood() && !problems_.quiet()) {  // reported; the rest of the line may have more to report
    in_.rewind(start);
    skip_operand();
    out = {};
    out.kind = slot.kind == isa::SlotKind::Raw ? OperandKind::Raw : OperandKind::General;
    ok = true;
  }
  if (ok) place_operand(out, start);
  return ok;
}

bool Operands::by_kind(const Slot& slot, Operand& out, Scanner::Mark start) {
  switch (slot.kind) {
    case isa::SlotKind::Integer:
    case isa::SlotKind::ChannelMask:
      return integer_slot(slot, out, Operators::Unary);
    case isa::SlotKind::Surface:
      return state_index(out, OperandKind::Surface);
    case isa::SlotKind::Sampler:
      return state_index(out, OperandKind::Sampler);
    case isa::SlotKind::Raw:
      return raw(out, true);
    case isa::SlotKind::Vector:
      return vectors_.vector_operand(slot, out);
    case isa::SlotKind::Label:
      return label(out, start);
    case isa::SlotKind::String:
      return string(out, start);
    case isa::SlotKind::Variable:
      return any_variable(slot, out, start);
  }
  return false;
}

bool Operands::label(Operand& out, Scanner::Mark start) {
  draft_.name_uses.push_back({static_cast<std::size_t>(&out - draft_.operands.data()), {}, {}, {}});
  const bool ok = symbols_.label_name(draft_.name_uses.back().view);
  out.kind = OperandKind::Label;
  if (ok) draft_.name_uses.back().span = in_.span_from(start);
  return ok;
}

bool Operands::string(Operand& out, Scanner::Mark start) {
  if (in_.peek() != '"') return expected("a string");
  draft_.name_uses.push_back({static_cast<std::size_t>(&out - draft_.operands.data()), {}, {}, {}});
  const bool ok = literals_.string(draft_.name_uses.back().text);
  draft_.name_uses.back().own = true;
  out.kind = OperandKind::String;
  if (ok && draft_.name_uses.back().text.find('\0') != std::string::npos)
    return error("visa-text-string", in_.span_from(start), "a string in the container cannot hold a zero byte");
  return ok;
}

bool Operands::any_variable(const Slot& slot, Operand& out, Scanner::Mark start) {
  const std::string_view name = in_.name();
  if (name.empty()) return expected("a variable");
  const Symbol* symbol = c_.names.find(name);
  if (symbol == nullptr) return symbols_.undeclared(name, in_.span_from(start), "a variable", SymbolKind::None);
  const OperandKind kind = symbol->kind == SymbolKind::General     ? OperandKind::General
                           : symbol->kind == SymbolKind::Address   ? OperandKind::Address
                           : symbol->kind == SymbolKind::Predicate ? OperandKind::Predicate
                                                                   : OperandKind::Absent;
  if (!slot.kinds.has(kind))
    return symbols_.wrong_kind(name, *symbol, in_.span_from(start), "another kind of variable");
  out.kind = kind;
  out.id = symbol->index;
  return true;
}

/// To the blank behind an operand whose text is sound but whose meaning is not.
void Operands::skip_operand() {
  int depth = 0;
  for (; !in_.at_end() && in_.peek() != '\n'; in_.skip()) {
    const char c = in_.peek();
    if (c == '(' || c == '[' || c == '<' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '>' || c == '}') --depth;
    if (depth <= 0 && (c == ' ' || c == '\t' || c == '\r' || (c == '/' && (in_.peek(1) == '/' || in_.peek(1) == '*'))))
      return;
  }
}

/// V40.0  V40.(intexp)  %null.0; with `offset_required` false also V40 = V40.0.
bool Operands::raw(Operand& out, bool offset_required) {
  const Symbol* symbol = symbols_.variable(SymbolKind::General, "a raw operand like V40.0");
  if (symbol == nullptr) return false;
  out.kind = OperandKind::Raw;
  out.id = symbol->index;
  if (in_.peek() != '.') {
    const auto& elements = draft_.description->text;
    const bool lsc = std::any_of(elements.begin(), elements.end(),
                                 [](const isa::TextElement& e) { return e.kind >= isa::TextKind::LscData; });
    return !offset_required || lsc || expected("'.' and the byte offset of a raw operand like V40.0");
  }
  in_.skip();
  const Scanner::Mark start = in_.mark();
  std::int64_t offset = 0;
  if (in_.peek() == '(' ? !numbers_.integer(offset, Operators::Unary, 0, 0xffff, "byte offset")
                        : !raw_offset(offset, start))
    return false;
  out.offset = static_cast<std::int32_t>(offset);
  return true;
}

/// Read by hand: "V40.0" must not become a real number of what follows.
bool Operands::raw_offset(std::int64_t& offset, Scanner::Mark start) {
  if (!is_digit(in_.peek())) return expected("the byte offset of a raw operand like V40.0");
  for (; is_digit(in_.peek()); in_.skip()) offset = std::min<std::int64_t>(offset * 10 + (in_.peek() - '0'), 1 << 20);
  if (offset == 0 && (in_.peek() == 'x' || in_.peek() == 'X')) {
    in_.rewind(start);
    Number n;
    if (!literals_.literal(n)) return false;
    offset = n.value;
  }
  if (offset < 0 || offset > 0xffff)
    return error("visa-text-number", in_.span_from(start), "byte offset of a raw operand is not between 0 and 65535");
  return true;
}

/// A name, or the newer form (T6, 0).
bool Operands::state_index(Operand& out, OperandKind kind) {
  const bool surfaces = kind == OperandKind::Surface;
  const std::string_view wanted = surfaces ? "a surface like T6" : "a sampler like S0";
  const bool pair = in_.peek() == '(';
  if (pair && !draft_.description->text_has_exec && in_.peek(1) == 'M')
    return error("visa-text-syntax", in_.here(),
                 silent() ? "" : fmt::format("{} takes no execution size", draft_.description->mnemonic));
  if (pair) {
    in_.skip();
    in_.space();
  }
  const Scanner::Mark start = in_.mark();
  const std::string_view name = in_.name();
  if (name.empty()) return expected(wanted);
  const Symbol* symbol = c_.names.find(name);
  if (symbol == nullptr)
    return symbols_.undeclared(name, in_.span_from(start), wanted,
                               surfaces ? SymbolKind::Surface : SymbolKind::Sampler);
  if (symbol->kind == SymbolKind::General) {  // visa-surface-kind
    symbols_.wrong_kind(name, *symbol, in_.span_from(start), wanted);
    problems_.rename("visa-surface-kind");
    note("surfaces and samplers given by a general variable belong to newer tools and cannot be encoded");
    return false;
  }
  if (symbol->kind != (surfaces ? SymbolKind::Surface : SymbolKind::Sampler))
    return symbols_.wrong_kind(name, *symbol, in_.span_from(start), wanted);
  if (pair) {
    std::int64_t element = 0;
    if (!in_.accept(',')) return expected("',' and an element number");
    in_.space();
    const Scanner::Mark at = in_.mark();
    if (!numbers_.integer(element, Operators::All, 0, 255, "index beside a surface or sampler")) return false;
    if (element != 0) {
      problems_.set_understood(true);
      error("visa-text-number", in_.span_from(at),
            silent() ? "" : fmt::format("the index {} beside {} is not 0", element, shown(name)));
      note("other indices are for platforms whose surfaces and samplers are addresses in general variables");
      return false;
    }
    if (!in_.accept(')')) return expected("')'");
  }
  if (symbol->index > 255)
    return error("visa-decl-state", in_.span_from(start), "only the first 256 surfaces and samplers can be used");
  out.kind = kind;
  out.id = symbol->index;
  return true;
}

bool Operands::integer_slot(const Slot& slot, Operand& out, Operators allowed) {
  out.kind = OperandKind::Integer;
  in_.space();
  const Scanner::Mark start = in_.mark();
  if (slot.codes != nullptr) {
    const std::string_view word = in_.word();
    if (const isa::Code* code = word.empty() ? nullptr : find_code(*slot.codes, word, draft_.seed)) {
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
  if (!numbers_.integer(value, allowed, low, high, slot.name)) return false;
  if (in_.peek() == ':')
    return expected(silent() ? "" : fmt::format("a plain integer without a type for {}", slot.name));
  out.value = static_cast<std::uint64_t>(value);
  return true;
}

}  // namespace heddle::text
