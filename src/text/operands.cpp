// Operands (visa 1.4): each is read into the form that the container encodes.
// Rules: TXT-19, TXT-20, TXT-24.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "text/parser.hpp"

namespace heddle::text {
namespace {

using isa::Operand;
using isa::OperandKind;
using isa::Slot;

std::string_view kind_name(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::None:
      return "nothing";
    case SymbolKind::General:
      return "a general variable";
    case SymbolKind::Address:
      return "an address variable";
    case SymbolKind::Predicate:
      return "a predicate";
    case SymbolKind::Sampler:
      return "a sampler";
    case SymbolKind::Surface:
      return "a surface";
  }
  return "nothing";
}

}  // namespace

void Parser::place_operand(Operand& operand, Scanner::Mark start) {
  const Span span = in_.span_from(start);
  constexpr std::uint32_t kMax = std::numeric_limits<std::uint16_t>::max();
  operand.at = static_cast<std::uint16_t>(std::min(span.column, kMax));
  operand.length = static_cast<std::uint16_t>(std::min(span.length, kMax));
}

bool Parser::undeclared(std::string_view name, Span span, std::string_view wanted, SymbolKind kind) {
  understood_ = true;
  if (silent()) return error("visa-text-declared", span, {});
  if (!undeclared_.insert(name).second) {  // one declaration is missing: one error
    failed_ = true;
    return false;
  }
  error("visa-text-declared", span,
        wanted.empty() ? fmt::format("{} is not declared", shown(name))
                       : fmt::format("{} is not declared; expected {}", shown(name), wanted));
  std::vector<std::string_view> known;
  bool own = false;  // the file declares some of that kind
  if (names_.entries().size() <= 5000 && diagnostics_.errors() <= kMaxSuggestions)
    for (const bool predefined : {false, true})
      for (const auto& e : names_.entries())
        if (e.value.predefined == predefined && e.value.kind != SymbolKind::None &&
            (kind == SymbolKind::None || e.value.kind == kind)) {
          own = own || !predefined;
          known.push_back(e.name);
        }
  if (!own && (kind == SymbolKind::Surface || kind == SymbolKind::Sampler) && diagnostics_.errors() <= kMaxSuggestions)
    note(fmt::format("'.decl {} v_type={} num_elts=1' declares it", name, kind == SymbolKind::Surface ? 'T' : 'S'));
  else
    suggest(name, known);
  return false;
}

bool Parser::wrong_kind(std::string_view name, const Symbol& symbol, Span span, std::string_view wanted) {
  understood_ = true;
  if (silent()) return error("visa-text-declared", span, {});
  error("visa-text-declared", span, fmt::format("{} is {}; expected {}", shown(name), kind_name(symbol.kind), wanted));
  if (symbol.predefined || object_ == nullptr) return false;
  const isa::Position at = position_of(symbol);
  note("declared here", {at.line, at.column, static_cast<std::uint32_t>(name.size())});
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
  if (!integer(size, Operators::All, 0, 0xffffffff, "execution size")) return false;
  if (size < 1 || size > 32 || !std::has_single_bit(static_cast<unsigned>(size)))
    return error("visa-exec-size", in_.span_from(start),
                 fmt::format("execution size {} is not 1, 2, 4, 8, 16 or 32", size));
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
    if (combine == 0)
      return error("visa-text-syntax", in_.span_from(start), fmt::format("expected any or all, found {}", shown(word)));
  }
  if (!in_.accept(')')) return expected("')' after the predicate");
  if (symbol->index > 0xfff)
    return error("visa-text-number", in_.here(), "only predicates 1 to 4095 can guard an instruction");
  out.bits = static_cast<std::uint16_t>(symbol->index | combine << 13 | (inverse ? 0x8000u : 0u));
  return true;
}

bool Parser::operand(const Slot& slot, Operand& out) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  understood_ = false;
  bool ok = false;
  switch (slot.kind) {
    case isa::SlotKind::Integer:
    case isa::SlotKind::ChannelMask:
      ok = integer_slot(slot, out, Operators::Unary);
      break;
    case isa::SlotKind::Surface:
      ok = surface(out);
      break;
    case isa::SlotKind::Sampler:
      ok = sampler(out);
      break;
    case isa::SlotKind::Raw:
      ok = raw(out, true);
      break;
    case isa::SlotKind::Vector:
      ok = vector_operand(slot, out);
      break;
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
      const OperandKind kind = symbol->kind == SymbolKind::General     ? OperandKind::General
                               : symbol->kind == SymbolKind::Address   ? OperandKind::Address
                               : symbol->kind == SymbolKind::Predicate ? OperandKind::Predicate
                                                                       : OperandKind::Absent;
      if (!slot.kinds.has(kind)) return wrong_kind(name, *symbol, in_.span_from(start), "another kind of variable");
      out.kind = kind;
      out.id = symbol->index;
      ok = true;
      break;
    }
  }
  if (!ok && understood_ && !quiet_) {  // reported; the rest of the line may have more to report
    in_.rewind(start);
    skip_operand();
    out = {};
    out.kind = slot.kind == isa::SlotKind::Raw ? OperandKind::Raw : OperandKind::General;
    ok = true;
  }
  if (ok) place_operand(out, start);
  return ok;
}

/// To the blank behind an operand whose text is sound but whose meaning is not.
void Parser::skip_operand() {
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
bool Parser::raw(Operand& out, bool offset_required) {
  const Symbol* symbol = variable(SymbolKind::General, "a raw operand like V40.0");
  if (symbol == nullptr) return false;
  out.kind = OperandKind::Raw;
  out.id = symbol->index;
  if (in_.peek() != '.') {
    const auto& elements = attempt_description_->text;
    const bool lsc = std::any_of(elements.begin(), elements.end(),
                                 [](const isa::TextElement& e) { return e.kind >= isa::TextKind::LscData; });
    return !offset_required || lsc || expected("'.' and the byte offset of a raw operand like V40.0");
  }
  in_.skip();
  const Scanner::Mark start = in_.mark();
  std::int64_t offset = 0;
  if (in_.peek() == '(') {
    if (!integer(offset, Operators::Unary, 0, 0xffff, "byte offset")) return false;
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
  if (pair && !attempt_description_->text_has_exec && in_.peek(1) == 'M')
    return error("visa-text-syntax", in_.here(),
                 silent() ? "" : fmt::format("{} takes no execution size", attempt_description_->mnemonic));
  if (pair) {
    in_.skip();
    in_.space();
  }
  const Scanner::Mark start = in_.mark();
  const std::string_view name = in_.name();
  if (name.empty()) return expected(wanted);
  const Symbol* symbol = names_.find(name);
  if (symbol == nullptr)
    return undeclared(name, in_.span_from(start), wanted, surfaces ? SymbolKind::Surface : SymbolKind::Sampler);
  if (symbol->kind == SymbolKind::General) {  // visa-surface-kind
    wrong_kind(name, *symbol, in_.span_from(start), wanted);
    if (!quiet_) problems_.back().id = "visa-surface-kind";
    note("surfaces and samplers given by a general variable belong to newer tools and cannot be encoded");
    return false;
  }
  if (symbol->kind != (surfaces ? SymbolKind::Surface : SymbolKind::Sampler))
    return wrong_kind(name, *symbol, in_.span_from(start), wanted);
  if (pair) {
    std::int64_t element = 0;
    if (!in_.accept(',')) return expected("',' and an element number");
    in_.space();
    const Scanner::Mark at = in_.mark();
    if (!integer(element, Operators::All, 0, 255, "index beside a surface or sampler")) return false;
    if (element != 0) {
      understood_ = true;
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
    } else {  // escapes: the name needs memory of its own
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

}  // namespace heddle::text
