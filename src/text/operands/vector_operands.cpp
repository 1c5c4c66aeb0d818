// SPDX-License-Identifier: MIT
// Rules: TXT-21 to TXT-23.
#include "text/operands/vector_operands.hpp"

#include <fmt/format.h>

#include <bit>
#include <string>

namespace heddle::text {
namespace {

using isa::Operand;
using isa::OperandKind;
using isa::Slot;

/// What a vector slot takes, for messages.
std::string slot_wish(const Slot& slot) {
  const bool write = slot.access == isa::Access::Write;
  std::string wish;
  const auto add = [&](std::string_view text) { wish += wish.empty() ? "" : " or ", wish += text; };
  if (slot.kinds.has(OperandKind::General))
    add(write ? "a destination like V40(0,0)<1>" : "a source like V40(0,0)<8;8,1>");
  if (slot.kinds.has(OperandKind::Immediate) && !write) add("an immediate like 0x1:ud");
  if (slot.kinds.has(OperandKind::Address)) add("an address like A0(0)<8>");
  if (slot.kinds.has(OperandKind::Predicate)) add("a predicate like P1");
  if (slot.kinds.has(OperandKind::State)) add("a state like S0(0) or T6(0)");
  if (slot.kinds.has(OperandKind::AddressOf)) add("&V40");
  return wish.empty() ? "an operand" : wish;
}

isa::Region region_of(unsigned v, unsigned w, unsigned h) { return {static_cast<std::uint16_t>(v | w << 4 | h << 8)}; }

}  // namespace

bool VectorOperands::at_modifier() const {
  if (in_.peek() != '(') return false;
  for (const std::string_view text : {"(-)", "(~)", "(abs)", "(-abs)"})
    if (in_.looking_at(text)) return true;
  return false;
}

bool VectorOperands::modifier(isa::Modifier& out) {
  if (in_.looking_at("(-)"))
    out = isa::Modifier::Neg, in_.skip(3);
  else if (in_.looking_at("(~)"))
    out = isa::Modifier::Not, in_.skip(3);
  else if (in_.looking_at("(abs)"))
    out = isa::Modifier::Abs, in_.skip(5);
  else
    out = isa::Modifier::NegAbs, in_.skip(6);
  in_.space();
  return true;
}

bool VectorOperands::vector_operand(const Slot& slot, Operand& out) {
  const bool write = slot.access == isa::Access::Write;
  if (at_modifier()) {
    const Scanner::Mark start = in_.mark();
    modifier(out.modifier);
    if (write) return error("visa-modifier", in_.span_from(start), "a destination takes no source modifier");
  }
  const char c = in_.peek();
  if (c == '&') return slot.kinds.has(OperandKind::AddressOf) ? address_of(out) : expected(slot_wish(slot));
  if (c == 'r' && (in_.peek(1) == '[')) return indirect(slot, out);
  if (is_name_start(c) || (c == '%' && !in_.looking_at("%sizeof"))) return named_vector(slot, out);
  if (is_digit(c) || c == '-' || c == '+' || c == '~' || c == '!' || c == '.' || c == '(' || c == '%') {
    if (!slot.kinds.has(OperandKind::Immediate) || write) {
      expected(slot_wish(slot));
      problems_.rename("visa-imm-place");
      return false;
    }
    if (out.modifier != isa::Modifier::None)
      return error("visa-modifier", in_.here(0), "an immediate takes no modifier");
    return immediates_.immediate(out);
  }
  return expected(slot_wish(slot));
}

bool VectorOperands::named_vector(const Slot& slot, Operand& out) {
  const Scanner::Mark start = in_.mark();
  const std::string_view name = in_.name();
  const Symbol* symbol = c_.names.find(name);
  if (symbol == nullptr) return symbols_.undeclared(name, in_.span_from(start), "", SymbolKind::None);
  const auto needs = [&](OperandKind kind) {
    return slot.kinds.has(kind) ||
           symbols_.wrong_kind(name, *symbol, in_.span_from(start), silent() ? "" : slot_wish(slot));
  };
  out.id = symbol->index;
  if (symbol->kind != SymbolKind::General && out.modifier != isa::Modifier::None)
    return error("visa-modifier", in_.span_from(start), "only general variables and indirect operands take modifiers");
  switch (symbol->kind) {
    case SymbolKind::General:
      out.kind = OperandKind::General;
      return needs(OperandKind::General) && general_region(slot, out);
    case SymbolKind::Predicate:
      out.kind = OperandKind::Predicate;
      return needs(OperandKind::Predicate);
    case SymbolKind::Address:
      return needs(OperandKind::Address) && address(out);
    case SymbolKind::Sampler:
    case SymbolKind::Surface:
      return needs(OperandKind::State) && state(symbol->kind, out);
    case SymbolKind::None:
      break;
  }
  return expected(slot_wish(slot));
}

/// (element)<width>
bool VectorOperands::address(Operand& out) {
  out.kind = OperandKind::Address;
  std::int64_t element = 0, width = 0;
  if (!in_.accept('(') || !numbers_.integer(element, Operators::All, 0, 255, "address element"))
    return problems_.failed() ? false : expected("(element)<width> like A0(0)<8>");
  if (!in_.accept(')')) return expected("')'");
  if (!in_.accept('<')) return expected("<width> like A0(0)<8>");
  const Scanner::Mark at = in_.mark();
  if (!numbers_.integer(width, Operators::NoComparison, 0, 0xffffffff, "address width")) return false;
  if (width < 1 || width > 32 || !std::has_single_bit(static_cast<unsigned>(width)))
    return error("visa-region-param", in_.span_from(at),
                 fmt::format("address width {} is not 1, 2, 4, 8, 16 or 32", width));
  if (!in_.accept('>')) return expected("'>'");
  out.row = static_cast<std::uint8_t>(element);
  out.col = static_cast<std::uint8_t>(std::countr_zero(static_cast<unsigned>(width)));
  return true;
}

/// (element) of a sampler or surface.
bool VectorOperands::state(SymbolKind kind, Operand& out) {
  out.kind = OperandKind::State;
  out.state = kind == SymbolKind::Sampler ? isa::StateClass::Sampler : isa::StateClass::Surface;
  std::int64_t element = 0;
  if (!in_.accept('(')) return expected("(element) like T6(0)");
  if (!numbers_.integer(element, Operators::All, 0, 255, "element")) return false;
  out.row = 0;
  out.offset = static_cast<std::int32_t>(element);
  return in_.accept(')') || expected("')'");
}

/// (r,c) and region of a general variable; a destination may leave (r,c) out.
bool VectorOperands::general_region(const Slot& slot, Operand& out) {
  const bool write = slot.access == isa::Access::Write;
  in_.space();
  if (in_.peek() == '.')
    return expected(silent() ? "" : fmt::format("{}; a byte offset belongs to raw operands", slot_wish(slot)));
  if (in_.peek() == '(') {
    in_.skip();
    std::int64_t row = 0, col = 0;
    if (!numbers_.integer(row, Operators::All, 0, 255, "row")) return false;
    if (!in_.accept(',')) return expected("',' between row and column");
    if (!numbers_.integer(col, Operators::All, 0, 255, "column")) return false;
    if (!in_.accept(')')) return expected("')' after row and column");
    out.row = static_cast<std::uint8_t>(row);
    out.col = static_cast<std::uint8_t>(col);
  } else if (!write) {
    return expected("(row,column) of a source like V40(0,0)<8;8,1>");
  }
  return write ? destination_region(out) : source_region(out, false);
}

/// r[A0(k),imm]<region>:type
bool VectorOperands::indirect(const Slot& slot, Operand& out) {
  const Scanner::Mark start = in_.mark();
  if (!slot.kinds.has(OperandKind::Indirect)) return expected(slot_wish(slot));
  in_.skip(2);
  const Symbol* symbol = symbols_.variable(SymbolKind::Address, "an address variable");
  if (symbol == nullptr) return false;
  std::int64_t element = 0, imm = 0;
  if (!in_.accept('(')) return expected("(element) of the address variable");
  if (!numbers_.integer(element, Operators::All, 0, 255, "address element")) return false;
  if (!in_.accept(')')) return expected("')'");
  if (in_.accept(',') && !numbers_.integer(imm, Operators::All, -32768, 32767, "address immediate")) return false;
  if (!in_.accept(']')) return expected("']' after the address");
  out.kind = OperandKind::Indirect;
  out.id = symbol->index;
  out.row = static_cast<std::uint8_t>(element);
  out.offset = static_cast<std::int32_t>(imm);
  if (!(slot.access == isa::Access::Write ? destination_region(out) : source_region(out, true))) return false;
  if (!in_.accept(':')) return expected("':' and the type of an indirect operand");
  const Scanner::Mark at = in_.mark();
  const std::string_view name = in_.word();
  const auto type = isa::find_type(name);
  if (!type)
    return error("visa-text-syntax", in_.span_from(at), silent() ? "" : fmt::format("{} is not a type", shown(name)));
  out.type = *type;
  if (slot.access != isa::Access::Write && out.region.w() < 0 && out.region.v() < 0) {
    // lenient: the tool's parser takes a destination-style region here and encodes it so
    violation("visa-text-region", in_.span_from(start), "destination-style region on an indirect source");
    note("a source region is <v;w,h>, or <w,h> with one address for each row");
  }
  return true;
}

/// A part of a region as the container encodes it: `null` is 0.
bool VectorOperands::region_part(unsigned& code) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  if (in_.looking_at("null") && !is_name_char(in_.peek(4))) {
    in_.skip(4);
    code = 0;
    return true;
  }
  std::int64_t out = 0;
  if (!numbers_.integer(out, Operators::NoComparison, -0x7fffffff, 0x7fffffff, "region part")) return false;
  code = out < 0 ? 15 : isa::Region::encode(static_cast<unsigned>(out));
  if (code != 15) return true;
  problems_.set_understood(true);
  return error("visa-region-param", in_.span_from(start),
               fmt::format("region part {} is not 0, 1, 2, 4, 8, 16 or 32", out));
}

bool VectorOperands::destination_region(Operand& out) {
  unsigned h = 0;
  if (!in_.accept('<')) {
    expected("a destination region like <1>");
    problems_.rename("visa-text-region");
    return false;
  }
  if (!region_part(h)) return false;
  if (in_.accept(';')) {
    error("visa-text-region", in_.here(), "a destination region has one part, the horizontal stride: <1>");
    return false;
  }
  if (out.kind == OperandKind::Indirect && in_.peek() == ',')
    return error("visa-indirect-dst", in_.here(), "an indirect destination has one address and the region <h>");
  if (!in_.accept('>')) return expected("'>' after the region");
  out.region = region_of(0, 0, h);
  return true;
}

bool VectorOperands::source_region(Operand& out, bool is_indirect) {
  unsigned a = 0, b = 0, c = 0;
  const auto bad = [&](std::string_view wanted) {
    expected(wanted);
    problems_.rename("visa-text-region");
    return false;
  };
  if (!in_.accept('<')) return bad("a source region like <8;8,1>");
  const Scanner::Mark start = in_.mark();
  if (!region_part(a)) return false;
  if (in_.accept(';')) {
    if (!region_part(b)) return false;
    if (!in_.accept(',')) return bad("',' and the horizontal stride of the region <v;w,h>");
    if (!region_part(c)) return false;
    out.region = region_of(a, b, c);
  } else if (in_.accept(',')) {
    if (!region_part(b)) return false;
    if (!is_indirect)
      return error("visa-text-region", in_.span_from(start),
                   "a region <w,h> without v belongs to indirect operands; write <v;w,h>");
    out.region = region_of(0, a, b);
  } else {
    if (!is_indirect)
      return error("visa-text-region", in_.span_from(start),
                   "destination-style region on a source; write <v;w,h> like <8;8,1>");
    out.region = region_of(0, 0, a);
  }
  return in_.accept('>') || expected("'>' after the region");
}

/// [offset] or nothing.
bool VectorOperands::address_offset(Operand& out, std::int64_t most) {
  std::int64_t offset = 0;
  if (!in_.accept('[')) return true;
  if (!numbers_.integer(offset, Operators::All, 0, most, "offset")) return false;
  out.offset = static_cast<std::int32_t>(offset);
  return in_.accept(']') || expected("']'");
}

/// &V32  &V32[byteoffset]  &T6  &T6[element]
bool VectorOperands::address_of(Operand& out) {
  in_.skip();
  in_.space();
  const Scanner::Mark start = in_.mark();
  const std::string_view name = in_.name();
  if (name.empty()) return expected("a variable after '&'");
  const Symbol* symbol = c_.names.find(name);
  if (symbol == nullptr) return symbols_.undeclared(name, in_.span_from(start), "a variable", SymbolKind::None);
  out.id = symbol->index;
  switch (symbol->kind) {
    case SymbolKind::General:
      out.kind = OperandKind::AddressOf;
      return address_offset(out, 0x3fff);
    case SymbolKind::Surface:
    case SymbolKind::Sampler:
      out.kind = OperandKind::State;
      out.state = symbol->kind == SymbolKind::Sampler ? isa::StateClass::Sampler : isa::StateClass::Surface;
      return address_offset(out, 0xff);
    default:
      return symbols_.wrong_kind(name, *symbol, in_.span_from(start), "a general variable or a surface");
  }
}

}  // namespace heddle::text
