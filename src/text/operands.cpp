// Operands (visa 1.4): each is read into the form that the container encodes.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/half.hpp"
#include "text/parser.hpp"

namespace heddle::text {
namespace {

using isa::Operand;
using isa::OperandKind;
using isa::Slot;
using isa::Type;

std::string_view kind_name(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::None: return "nothing";
    case SymbolKind::General: return "a general variable";
    case SymbolKind::Address: return "an address variable";
    case SymbolKind::Predicate: return "a predicate";
    case SymbolKind::Sampler: return "a sampler";
    case SymbolKind::Surface: return "a surface";
  }
  return "nothing";
}

/// What a vector slot takes, for messages.
std::string slot_wish(const Slot& slot) {
  const bool write = slot.access == isa::Access::Write;
  std::string wish;
  const auto add = [&](std::string_view text) { wish += wish.empty() ? "" : " or ", wish += text; };
  if (slot.kinds.has(OperandKind::General)) add(write ? "a destination like V40(0,0)<1>" : "a source like V40(0,0)<8;8,1>");
  if (slot.kinds.has(OperandKind::Immediate) && !write) add("an immediate like 0x1:ud");
  if (slot.kinds.has(OperandKind::Address)) add("an address like A0(0)<8>");
  if (slot.kinds.has(OperandKind::Predicate)) add("a predicate like P1");
  if (slot.kinds.has(OperandKind::State)) add("a state like S0(0) or T6(0)");
  if (slot.kinds.has(OperandKind::AddressOf)) add("&V40");
  return wish.empty() ? "an operand" : wish;
}

}  // namespace

void Parser::place_operand(Operand& operand, Scanner::Mark start) {
  const Span span = in_.span_from(start);
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint16_t>::max();
  operand.at = static_cast<std::uint16_t>(std::min(span.column, kMost));
  operand.length = static_cast<std::uint16_t>(std::min(span.length, kMost));
}

bool Parser::undeclared(std::string_view name, Span span, std::string_view wanted, SymbolKind kind) {
  if (silent()) return error("visa-text-declared", span, {});
  error("visa-text-declared", span, wanted.empty() ? fmt::format("{} is not declared", shown(name)) : fmt::format("{} is not declared; expected {}", shown(name), wanted));
  std::vector<std::string_view> known;
  if (names_.entries().size() <= 5000)
    for (const bool predefined : {false, true})
      for (const auto& e : names_.entries())
        if (e.value.predefined == predefined && e.value.kind != SymbolKind::None && (kind == SymbolKind::None || e.value.kind == kind))
          known.push_back(e.name);
  suggest(name, known);
  return false;
}

bool Parser::wrong_kind(std::string_view name, const Symbol& symbol, Span span, std::string_view wanted) {
  if (silent()) return error("visa-text-declared", span, {});
  error("visa-text-declared", span, fmt::format("{} is {}; expected {}", shown(name), kind_name(symbol.kind), wanted));
  if (symbol.predefined || object_ == nullptr) return false;
  const isa::Position* at = nullptr;
  switch (symbol.kind) {
    case SymbolKind::General: at = &object_->variables[symbol.index - isa::kFirstVariable].position; break;
    case SymbolKind::Address: at = &object_->addresses[symbol.index].position; break;
    case SymbolKind::Predicate: at = &object_->predicates[symbol.index - 1].position; break;
    case SymbolKind::Sampler: at = &object_->samplers[symbol.index].position; break;
    case SymbolKind::Surface: at = &object_->surfaces[symbol.index - isa::kFirstSurface].position; break;
    case SymbolKind::None: break;
  }
  if (at != nullptr) note("declared here", {at->line, at->column, static_cast<std::uint32_t>(name.size())});
  return false;
}

const Symbol* Parser::variable(SymbolKind wanted, std::string_view wanted_text) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  const std::string_view name = in_.name();
  if (name.empty()) {
    expected(wanted_text);
    return nullptr;
  }
  const Symbol* symbol = names_.find(name);
  if (symbol == nullptr) {
    undeclared(name, in_.span_from(start), wanted_text, wanted);
    return nullptr;
  }
  if (symbol->kind == wanted) return symbol;
  wrong_kind(name, *symbol, in_.span_from(start), wanted_text);
  return nullptr;
}

/// (M1, 16)  (M3_NM, 8)  (NoMask, 8) = M1_NM  (8) = M1
bool Parser::exec(isa::Exec& out) {
  if (!in_.accept('(')) return expected("an execution size like (M1, 8)");
  in_.space();
  unsigned mask = 0;
  if (is_name_start(in_.peek())) {
    const Scanner::Mark start = in_.mark();
    const std::string_view word = in_.name();
    const bool no_mask = word.ends_with("_NM") || word == "NoMask";
    const std::string_view base = word == "NoMask" ? "M1" : no_mask ? word.substr(0, word.size() - 3) : word;
    if (base.size() != 2 || base[0] != 'M' || base[1] < '1' || base[1] > '8') {
      error("visa-text-syntax", in_.span_from(start), silent() ? "" : fmt::format("{} is not an execution mask", shown(word)));
      note("masks are M1 to M8, M1_NM to M8_NM and NoMask");
      return false;
    }
    mask = static_cast<unsigned>(base[1] - '1') | (no_mask ? 8u : 0u);
    if (!in_.accept(',')) return expected("',' and the execution size");
  }
  in_.space();
  const Scanner::Mark start = in_.mark();
  std::int64_t size = 0;
  if (!integer(size, Reach::Full, 0, 0xffffffff, "execution size")) return false;
  if (size < 1 || size > 32 || !std::has_single_bit(static_cast<unsigned>(size)))
    return error("visa-exec-size", in_.span_from(start), fmt::format("execution size {} is not 1, 2, 4, 8, 16 or 32", size));
  if (!in_.accept(')')) return expected("')' after the execution size");
  out.bits = static_cast<std::uint8_t>(std::countr_zero(static_cast<unsigned>(size)) | mask << 4);
  return true;
}

/// (P1)  (!P1)  (P2.any)  (!P2.all), the parenthesis not read yet.
bool Parser::predicate_use(isa::PredicateUse& out) {
  in_.skip();
  const bool inverse = in_.accept('!');
  const Symbol* symbol = variable(SymbolKind::Predicate, "a predicate");
  if (symbol == nullptr) return false;
  unsigned combine = 0;
  if (in_.accept('.')) {
    const Scanner::Mark start = in_.mark();
    const std::string_view word = in_.word();
    combine = word == "any" ? 1u : word == "all" ? 2u : 0u;
    if (combine == 0) return error("visa-text-syntax", in_.span_from(start), fmt::format("expected any or all, found {}", shown(word)));
  }
  if (!in_.accept(')')) return expected("')' after the predicate");
  if (symbol->index > 0xfff)
    return error("visa-text-number", in_.here(), "only predicates 1 to 4095 can guard an instruction");
  out.bits = static_cast<std::uint16_t>(symbol->index | combine << 13 | (inverse ? 0x8000u : 0u));
  return true;
}

bool Parser::at_modifier() const {
  if (in_.peek() != '(') return false;
  for (const std::string_view text : {"(-)", "(~)", "(abs)", "(-abs)"})
    if (in_.looking_at(text)) return true;
  return false;
}

bool Parser::modifier(isa::Modifier& out) {
  if (in_.looking_at("(-)")) out = isa::Modifier::Neg, in_.skip(3);
  else if (in_.looking_at("(~)")) out = isa::Modifier::Not, in_.skip(3);
  else if (in_.looking_at("(abs)")) out = isa::Modifier::Abs, in_.skip(5);
  else out = isa::Modifier::NegAbs, in_.skip(6);
  in_.space();
  return true;
}

bool Parser::operand(const Slot& slot, Operand& out) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  bool ok = false;
  switch (slot.kind) {
    case isa::SlotKind::Integer:
    case isa::SlotKind::ChannelMask: ok = integer_slot(slot, out, Reach::Unary); break;
    case isa::SlotKind::Surface: ok = surface(out); break;
    case isa::SlotKind::Sampler: ok = sampler(out); break;
    case isa::SlotKind::Raw: ok = raw(out, true); break;
    case isa::SlotKind::Vector: ok = vector_operand(slot, out); break;
    case isa::SlotKind::Label: {
      name_uses_.push_back({static_cast<std::size_t>(&out - work_.data()), {}, {}, {}});
      ok = label_name(name_uses_.back().view);
      out.kind = OperandKind::Label;
      if (ok) name_uses_.back().span = in_.span_from(start);
      break;
    }
    case isa::SlotKind::String: {
      if (in_.peek() != '"') return expected("a string");
      name_uses_.push_back({static_cast<std::size_t>(&out - work_.data()), {}, {}, {}});
      ok = string(name_uses_.back().text);
      name_uses_.back().own = true;
      out.kind = OperandKind::String;
      if (ok && name_uses_.back().text.find('\0') != std::string::npos)
        return error("visa-text-string", in_.span_from(start), "a string in the container cannot hold a zero byte");
      break;
    }
    case isa::SlotKind::Variable: {
      const std::string_view name = in_.name();
      if (name.empty()) return expected("a variable");
      const Symbol* symbol = names_.find(name);
      if (symbol == nullptr) return undeclared(name, in_.span_from(start), "a variable", SymbolKind::None);
      const OperandKind kind = symbol->kind == SymbolKind::General   ? OperandKind::General
                               : symbol->kind == SymbolKind::Address ? OperandKind::Address
                               : symbol->kind == SymbolKind::Predicate ? OperandKind::Predicate
                                                                       : OperandKind::Absent;
      if (!slot.kinds.has(kind)) return wrong_kind(name, *symbol, in_.span_from(start), "another kind of variable");
      out.kind = kind;
      out.id = symbol->index;
      ok = true;
      break;
    }
  }
  if (ok) place_operand(out, start);
  return ok;
}

/// V40.0  V40.(intexp)  %null.0; with `offset_required` false also V40 = V40.0.
bool Parser::raw(Operand& out, bool offset_required) {
  const Symbol* symbol = variable(SymbolKind::General, "a raw operand like V40.0");
  if (symbol == nullptr) return false;
  out.kind = OperandKind::Raw;
  out.id = symbol->index;
  if (in_.peek() != '.') {
    const auto& elements = attempt_form_->text;
    const bool lsc = std::any_of(elements.begin(), elements.end(), [](const isa::TextElement& e) { return e.kind >= isa::TextKind::LscData; });
    return !offset_required || lsc || expected("'.' and the byte offset of a raw operand like V40.0");
  }
  in_.skip();
  const Scanner::Mark start = in_.mark();
  std::int64_t offset = 0;
  if (in_.peek() == '(') {
    if (!integer(offset, Reach::Unary, 0, 0xffff, "byte offset")) return false;
  } else {
    Number n;  // read by hand: "V40.0" must not become a real number of what follows
    if (!is_digit(in_.peek())) return expected("the byte offset of a raw operand like V40.0");
    for (; is_digit(in_.peek()); in_.skip()) offset = std::min<std::int64_t>(offset * 10 + (in_.peek() - '0'), 1 << 20);
    if (offset == 0 && (in_.peek() == 'x' || in_.peek() == 'X')) {
      in_.rewind(start);
      if (!literal(n)) return false;
      offset = n.value;
    }
    if (offset < 0 || offset > 0xffff)
      return error("visa-text-number", in_.span_from(start), "byte offset of a raw operand is not between 0 and 65535");
  }
  out.offset = static_cast<std::int32_t>(offset);
  return true;
}

/// A name, or the newer form (T6, 0).
bool Parser::state_index(Operand& out, OperandKind kind) {
  const bool surfaces = kind == OperandKind::Surface;
  const std::string_view wanted = surfaces ? "a surface like T6" : "a sampler like S0";
  const bool pair = in_.peek() == '(';
  if (pair && !attempt_form_->text_has_exec && in_.peek(1) == 'M')
    return error("visa-text-syntax", in_.here(), silent() ? "" : fmt::format("{} takes no execution size", attempt_form_->mnemonic));
  if (pair) {
    in_.skip();
    in_.space();
  }
  const Scanner::Mark start = in_.mark();
  const std::string_view name = in_.name();
  if (name.empty()) return expected(wanted);
  const Symbol* symbol = names_.find(name);
  if (symbol == nullptr) return undeclared(name, in_.span_from(start), wanted, surfaces ? SymbolKind::Surface : SymbolKind::Sampler);
  if (symbol->kind == SymbolKind::General) {  // row 35 of visa 6
    wrong_kind(name, *symbol, in_.span_from(start), wanted);
    if (!quiet_) problems_.back().id = "visa-surface-kind";
    note("surfaces and samplers given by a general variable belong to newer tools and cannot be encoded");
    return false;
  }
  if (symbol->kind != (surfaces ? SymbolKind::Surface : SymbolKind::Sampler)) return wrong_kind(name, *symbol, in_.span_from(start), wanted);
  if (pair) {
    std::int64_t element = 0;
    if (!in_.accept(',')) return expected("',' and an element number");
    if (!integer(element, Reach::Full, 0, 0, "element of a surface or sampler")) return false;
    if (!in_.accept(')')) return expected("')'");
  }
  if (symbol->index > 255) return error("visa-decl-state", in_.span_from(start), "only the first 256 surfaces and samplers can be used");
  out.kind = kind;
  out.id = symbol->index;
  return true;
}

bool Parser::surface(Operand& out) { return state_index(out, OperandKind::Surface); }
bool Parser::sampler(Operand& out) { return state_index(out, OperandKind::Sampler); }

bool Parser::label_name(std::string_view& out) {
  in_.space();
  if (in_.peek() == '"') {
    const std::size_t offset = in_.offset();
    std::string text;
    const Scanner::Mark start = in_.mark();
    if (!string(text)) return false;
    const std::string_view raw_text = source_.substr(offset + 1, in_.offset() - offset - 2);
    if (text == raw_text) {
      out = raw_text;
    } else {  // escapes: the name needs a home
      string_store_.push_back(std::make_unique<std::string>(std::move(text)));
      out = *string_store_.back();
    }
    if (out.empty() || out.find('\0') != std::string_view::npos)
      return error("visa-text-string", in_.span_from(start), "a name must not be empty or hold a zero byte");
    return true;
  }
  out = in_.name();
  if (out.empty()) return expected("a label");
  return true;
}

bool Parser::vector_operand(const Slot& slot, Operand& out) {
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
      if (!quiet_) problems_.back().id = "visa-imm-place";
      return false;
    }
    if (out.modifier != isa::Modifier::None) return error("visa-modifier", in_.here(0), "an immediate takes no modifier");
    return immediate(out);
  }
  return expected(slot_wish(slot));
}

bool Parser::named_vector(const Slot& slot, Operand& out) {
  const Scanner::Mark start = in_.mark();
  const std::string_view name = in_.name();
  const Symbol* symbol = names_.find(name);
  if (symbol == nullptr) return undeclared(name, in_.span_from(start), "", SymbolKind::None);
  const auto needs = [&](OperandKind kind) {
    return slot.kinds.has(kind) || wrong_kind(name, *symbol, in_.span_from(start), silent() ? "" : slot_wish(slot));
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
    case SymbolKind::Address: {
      if (!needs(OperandKind::Address)) return false;
      out.kind = OperandKind::Address;
      std::int64_t element = 0, width = 0;
      if (!in_.accept('(') || !integer(element, Reach::Full, 0, 255, "address element")) return failed_ ? false : expected("(element)<width> like A0(0)<8>");
      if (!in_.accept(')')) return expected("')'");
      if (!in_.accept('<')) return expected("<width> like A0(0)<8>");
      const Scanner::Mark at = in_.mark();
      if (!integer(width, Reach::NoCompare, 0, 0xffffffff, "address width")) return false;
      if (width < 1 || width > 32 || !std::has_single_bit(static_cast<unsigned>(width)))
        return error("visa-region-param", in_.span_from(at), fmt::format("address width {} is not 1, 2, 4, 8, 16 or 32", width));
      if (!in_.accept('>')) return expected("'>'");
      out.row = static_cast<std::uint8_t>(element);
      out.col = static_cast<std::uint8_t>(std::countr_zero(static_cast<unsigned>(width)));
      return true;
    }
    case SymbolKind::Sampler:
    case SymbolKind::Surface: {
      if (!needs(OperandKind::State)) return false;
      out.kind = OperandKind::State;
      out.state = symbol->kind == SymbolKind::Sampler ? isa::StateClass::Sampler : isa::StateClass::Surface;
      std::int64_t element = 0;
      if (!in_.accept('(')) return expected("(element) like T6(0)");
      if (!integer(element, Reach::Full, 0, 255, "element")) return false;
      out.row = 0;
      out.offset = static_cast<std::int32_t>(element);
      return in_.accept(')') || expected("')'");
    }
    case SymbolKind::None: break;
  }
  return expected(slot_wish(slot));
}

/// (r,c) and region of a general variable; a destination may leave (r,c) out.
bool Parser::general_region(const Slot& slot, Operand& out) {
  const bool write = slot.access == isa::Access::Write;
  in_.space();
  if (in_.peek() == '.')
    return expected(silent() ? "" : fmt::format("{}; a byte offset belongs to raw operands", slot_wish(slot)));
  if (in_.peek() == '(') {
    in_.skip();
    std::int64_t row = 0, col = 0;
    if (!integer(row, Reach::Full, 0, 255, "row")) return false;
    if (!in_.accept(',')) return expected("',' between row and column");
    if (!integer(col, Reach::Full, 0, 255, "column")) return false;
    if (!in_.accept(')')) return expected("')' after row and column");
    out.row = static_cast<std::uint8_t>(row);
    out.col = static_cast<std::uint8_t>(col);
  } else if (!write) {
    return expected("(row,column) of a source like V40(0,0)<8;8,1>");
  }
  return write ? destination_region(out) : source_region(out, false);
}

/// r[A0(k),imm]<region>:type
bool Parser::indirect(const Slot& slot, Operand& out) {
  const Scanner::Mark start = in_.mark();
  if (!slot.kinds.has(OperandKind::Indirect)) return expected(slot_wish(slot));
  in_.skip(2);
  const Symbol* symbol = variable(SymbolKind::Address, "an address variable");
  if (symbol == nullptr) return false;
  std::int64_t element = 0, imm = 0;
  if (!in_.accept('(')) return expected("(element) of the address variable");
  if (!integer(element, Reach::Full, 0, 255, "address element")) return false;
  if (!in_.accept(')')) return expected("')'");
  if (in_.accept(',') && !integer(imm, Reach::Full, -32768, 32767, "address immediate")) return false;
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
  if (!type) return error("visa-text-syntax", in_.span_from(at), silent() ? "" : fmt::format("{} is not a type", shown(name)));
  out.type = *type;
  if (slot.access != isa::Access::Write && out.region.w() < 0 && out.region.v() < 0) {
    // lenient: the tool's parser takes a destination-style region here and encodes it so
    judge("visa-text-region", in_.span_from(start), "destination-style region on an indirect source");
    note("a source region is <v;w,h>, or <w,h> with one address for each row");
  }
  return true;
}

bool Parser::region_part(std::int64_t& out) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  if (!integer(out, Reach::NoCompare, -0x7fffffff, 0x7fffffff, "region part")) return false;
  if (out >= 0 && isa::Region::encode(static_cast<unsigned>(out)) != 15) return true;
  return error("visa-region-param", in_.span_from(start), fmt::format("region part {} is not 0, 1, 2, 4, 8, 16 or 32", out));
}

bool Parser::destination_region(Operand& out) {
  std::int64_t h = 0;
  if (!in_.accept('<')) {
    expected("a destination region like <1>");
    if (!quiet_) problems_.back().id = "visa-text-region";
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
  out.region = isa::Region::destination(static_cast<unsigned>(h));
  return true;
}

bool Parser::source_region(Operand& out, bool is_indirect) {
  std::int64_t a = 0, b = 0, c = 0;
  const auto bad = [&](std::string_view wanted) {
    expected(wanted);
    if (!quiet_) problems_.back().id = "visa-text-region";
    return false;
  };
  if (!in_.accept('<')) return bad("a source region like <8;8,1>");
  const Scanner::Mark start = in_.mark();
  if (!region_part(a)) return false;
  if (in_.accept(';')) {
    if (!region_part(b)) return false;
    if (!in_.accept(',')) return bad("',' and the horizontal stride of the region <v;w,h>");
    if (!region_part(c)) return false;
    out.region = isa::Region::source(static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(c));
  } else if (in_.accept(',')) {
    if (!region_part(b)) return false;
    if (!is_indirect) return error("visa-text-region", in_.span_from(start), "a region <w,h> without v belongs to indirect operands; write <v;w,h>");
    out.region = isa::Region{static_cast<std::uint16_t>(isa::Region::encode(static_cast<unsigned>(a)) << 4 |
                                                        isa::Region::encode(static_cast<unsigned>(b)) << 8)};
  } else {
    if (!is_indirect)
      return error("visa-text-region", in_.span_from(start), "destination-style region on a source; write <v;w,h> like <8;8,1>");
    out.region = isa::Region::destination(static_cast<unsigned>(a));
  }
  return in_.accept('>') || expected("'>' after the region");
}

/// &V32  &V32[byteoffset]  &T6
bool Parser::address_of(Operand& out) {
  in_.skip();
  in_.space();
  const Scanner::Mark start = in_.mark();
  const std::string_view name = in_.name();
  if (name.empty()) return expected("a variable after '&'");
  const Symbol* symbol = names_.find(name);
  if (symbol == nullptr) return undeclared(name, in_.span_from(start), "a variable", SymbolKind::None);
  out.id = symbol->index;
  switch (symbol->kind) {
    case SymbolKind::General: {
      out.kind = OperandKind::AddressOf;
      std::int64_t offset = 0;
      if (!in_.accept('[')) return true;
      if (!integer(offset, Reach::Full, 0, 0x3fff, "byte offset")) return false;
      out.offset = static_cast<std::int32_t>(offset);
      return in_.accept(']') || expected("']'");
    }
    case SymbolKind::Surface:
    case SymbolKind::Sampler:
      out.kind = OperandKind::State;
      out.state = symbol->kind == SymbolKind::Sampler ? isa::StateClass::Sampler : isa::StateClass::Surface;
      return true;
    default: return wrong_kind(name, *symbol, in_.span_from(start), "a general variable or a surface");
  }
}

bool Parser::immediate(Operand& out) {
  const Scanner::Mark start = in_.mark();
  Number n;
  if (!number(n, Reach::Full)) return false;
  const Span digits = in_.span_from(start);
  if (!in_.accept(':')) return expected("':' and the type of the immediate, like 0x1:ud");
  in_.space();
  const Scanner::Mark at = in_.mark();
  const std::string_view name = in_.word();
  const auto type = isa::find_type(name);
  if (!type) {
    error("visa-text-syntax", in_.span_from(at), silent() ? "" : fmt::format("{} is not a type", shown(name)));
    suggest(name, {"ud", "d", "uw", "w", "ub", "b", "df", "f", "v", "vf", "bool", "uq", "uv", "q", "hf", "bf"});
    return false;
  }
  out.kind = OperandKind::Immediate;
  out.type = *type;
  return n.is_real ? real_immediate(n, out, digits) : integer_immediate(n, out, digits);
}

bool Parser::real_immediate(const Number& n, Operand& out, Span span) {
  switch (out.type) {
    case Type::F: out.value = base::bits_of(static_cast<float>(n.real)); break;
    case Type::DF: out.value = base::bits_of(n.real); return true;
    case Type::HF: out.value = base::double_to_half(n.real); break;
    case Type::BF: out.value = base::float_to_bfloat16(static_cast<float>(n.real)); break;
    default:
      error("visa-text-number", span, silent() ? "" : fmt::format("a floating-point number cannot have type {}", isa::type_name(out.type)));
      note("floating-point types are f, df, hf and bf");
      return false;
  }
  if (!std::isinf(n.real) && (out.type == Type::F ? (out.value & 0x7fffffffu) == 0x7f800000u
                              : out.type == Type::HF ? (out.value & 0x7fffu) == 0x7c00u : (out.value & 0x7fffu) == 0x7f80u))
    warn("visa-text-number", span, silent() ? "" : fmt::format("number is too large for type {} and becomes infinity", isa::type_name(out.type)));
  return true;
}

/// Stored truncated to the type; w and b sign-extended to 32 bits. A hexadecimal literal is a bit pattern.
bool Parser::integer_immediate(const Number& n, Operand& out, Span span) {
  const auto bits = static_cast<std::uint64_t>(n.value);
  const unsigned width = isa::type_bytes(out.type) * 8;
  if (width == 64) out.value = bits;
  else if (out.type == Type::W) out.value = static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int16_t>(bits)));
  else if (out.type == Type::B) out.value = static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int8_t>(bits)));
  else out.value = bits & (~std::uint64_t{0} >> (64 - width));

  const bool real = out.type == Type::F || out.type == Type::DF || out.type == Type::HF || out.type == Type::BF;
  bool fits = true;
  if (width == 64) {
    fits = !n.cut;  // 3000000000:q is -1294967296
  } else if (n.cut) {
    fits = width == 32 && !isa::is_signed(out.type);
  } else {
    const std::int64_t high = std::int64_t{1} << width;
    const bool extended = n.hex && isa::is_signed(out.type) && n.value <= 0xffffffff && n.value >= 0xffffffff - (high >> 1) + 1;
    const bool negative = isa::is_signed(out.type) && !real;
    if (n.hex || real) fits = (n.value >= 0 && n.value < high) || extended || (real && !n.hex && n.value < 0 && n.value >= -(high >> 1));
    else fits = negative ? n.value >= -(high >> 1) && n.value < (high >> 1) : n.value >= 0 && n.value < high;
    // visa 1.4: packed vectors and bool are patterns of their width
    if (out.type == Type::V || out.type == Type::VF) fits = n.value >= -(high >> 1) && n.value < high;
  }
  if (!fits)
    warn("visa-text-number", span, silent() ? "" : fmt::format("value does not fit type {} and wraps to 0x{:x}", isa::type_name(out.type), out.value));
  if (real && !n.hex && n.literal) {
    remark("visa-text-float-bits", span, silent() ? "" : fmt::format("a decimal integer with type {} is a bit pattern", isa::type_name(out.type)));
    note(out.type == Type::HF ? "write 1.0:hf for the number" : "write 1.0:f for the number");
  }
  return true;
}

}  // namespace heddle::text
