// SPDX-License-Identifier: MIT
// Rules: TXT-11 to TXT-14.
#include "text/statements/declarations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "text/vocabulary.hpp"

namespace heddle::text {
namespace {

isa::Position position(Span span, std::size_t offset) { return {span.line, span.column, offset}; }

}  // namespace

bool Declarations::declaration(Span span) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  const std::string_view name = in_.name();
  Span name_span = in_.span_from(start);
  if (name.empty() || name.front() == '%') {
    if (!name.empty()) return error("visa-text-declared", name_span, fmt::format("{} is predefined", shown(name)));
    return expected("a variable name");
  }
  if (!equals("v_type")) return expected("v_type=");
  const Scanner::Mark at = in_.mark();
  const std::string_view kind = in_.word();
  if (kind.size() != 1 || std::string_view("GAPST").find(kind[0]) == std::string_view::npos) {
    error("visa-text-syntax", in_.span_from(at), fmt::format("unknown v_type {}", shown(kind)));
    note("G general, A address, P predicate, S sampler, T surface");
    return false;
  }
  if (!room(span)) return false;
  if (kind == "G" ? general_declaration(name, name_span) : plain_declaration(kind[0], name, name_span)) return true;
  if (c_.names.find(name) == nullptr) stand_in(kind[0], name, name_span);
  return false;
}

bool Declarations::room(Span span) {
  const std::uint64_t total = c_.object->variables.size() + c_.object->addresses.size() + c_.object->predicates.size() +
                              c_.object->samplers.size() + c_.object->surfaces.size();
  if (total < c_.options.limits.variables) return true;
  error("limit-variables", span,
        fmt::format("more than {} declarations in one object; --max-variables raises the limit",
                    c_.options.limits.variables));
  problems_.mark_limit();
  c_.stopped = true;
  return false;
}

/// Behind `num_elts=`.
bool Declarations::element_count(std::uint32_t& elements) {
  const Scanner::Mark at = in_.mark();
  std::int64_t count = 0;
  if (!numbers_.integer(count, Operators::All, INT64_MIN, INT64_MAX, "number of elements")) return false;
  if (count < 0 || count > 0xffff)
    return error("visa-decl-count", in_.span_from(at),
                 fmt::format("{} elements do not fit the container's 16 bits", count));
  elements = static_cast<std::uint32_t>(count);
  return true;
}

bool Declarations::general_declaration(std::string_view name, Span name_span) {
  isa::GeneralVariable v;
  v.position = position(name_span, 0);
  std::string_view given_name;
  bool typed = false, counted = false, aligned = false;
  while (!in_.line_over()) {
    const Scanner::Mark start = in_.mark();
    if (!typed && equals("type")) {
      if (!general_type(v)) return false;
      typed = true;
    } else if (!counted && equals("num_elts")) {
      if (!element_count(v.elements)) return false;
      counted = true;
    } else if (!aligned && equals("align")) {
      if (!alignment(v)) return false;
      aligned = true;
    } else if (v.alias == 0 && equals("alias")) {
      if (!alias(v)) return false;
    } else if (v.attributes.empty() && equals("attrs")) {
      if (!attributes_.attribute_list(v.attributes)) return false;
    } else if (given_name.empty() && equals("v_name")) {
      given_name = in_.name();
      if (given_name.empty()) return expected("a name");
    } else {
      in_.rewind(start);
      return expected(!typed ? "type=" : !counted ? "num_elts=" : "align=, alias=, attrs= or the end of the line");
    }
  }
  if (!typed) return expected("type=");
  if (!counted) return expected("num_elts=");
  if (!symbols_.check_new_name(name, name_span)) return false;
  attributes_.resize_attributes(v.attributes);
  v.name = given_name.empty() ? literals_.display_name(name) : std::string(given_name);
  const auto index = static_cast<std::uint32_t>(c_.object->variables.size()) + isa::kFirstVariable;
  if (!symbols_.declare(name, name_span, {SymbolKind::General, false, index, 0})) return false;
  c_.object->variables.push_back(std::move(v));
  return true;
}

/// Behind `type=`.
bool Declarations::general_type(isa::GeneralVariable& v) {
  const Scanner::Mark at = in_.mark();
  const std::string_view word = in_.word();
  const auto type = isa::find_type(word);
  if (const std::string_view newer = newer_type(word); !newer.empty())
    return error("visa-text-newer", in_.span_from(at),
                 silent() ? "" : fmt::format("type {} of newer tools is not read: {}", word, newer));
  if (!type) {
    error("visa-text-syntax", in_.span_from(at), silent() ? "" : fmt::format("{} is not a type", shown(word)));
    suggest(word, {"ud", "d", "uw", "w", "ub", "b", "df", "f", "bool", "uq", "q", "hf", "bf"});
    return false;
  }
  if (*type == isa::Type::V || *type == isa::Type::VF || *type == isa::Type::UV)
    return error("visa-decl-type", in_.span_from(at), fmt::format("type {} is for immediates only", shown(word)));
  v.type = *type;
  return true;
}

bool Declarations::plain_declaration(char kind, std::string_view name, Span name_span) {
  isa::PlainVariable v;
  v.position = position(name_span, 0);
  std::string_view given_name;
  bool counted = false;
  while (!in_.line_over()) {
    const Scanner::Mark start = in_.mark();
    if (!counted && equals("num_elts")) {
      if (!element_count(v.elements)) return false;
      counted = true;
    } else if (given_name.empty() && equals("v_name")) {
      given_name = in_.name();
      if (given_name.empty()) return expected("a name");
    } else if (v.attributes.empty() && equals("attrs")) {
      if (!attributes_.attribute_list(v.attributes)) return false;
    } else {
      in_.rewind(start);
      return expected(counted ? "v_name=, attrs= or the end of the line" : "num_elts=");
    }
  }
  if (!counted) return expected("num_elts=");
  if (!symbols_.check_new_name(name, name_span)) return false;
  attributes_.resize_attributes(v.attributes);
  v.name = given_name.empty() ? literals_.display_name(name) : std::string(given_name);
  return add_plain(kind, name, name_span, std::move(v));
}

bool Declarations::add_plain(char kind, std::string_view name, Span name_span, isa::PlainVariable v) {
  const auto add = [&](std::vector<isa::PlainVariable>& list, SymbolKind symbol, std::uint32_t first,
                       std::size_t most) {
    if (list.size() >= most)
      return error("visa-decl-state", name_span,
                   fmt::format("the container holds at most {} variables of this kind", most));
    if (!symbols_.declare(name, name_span, {symbol, false, static_cast<std::uint32_t>(list.size()) + first, 0}))
      return false;
    list.push_back(std::move(v));
    return true;
  };
  switch (kind) {
    case 'A':
      return add(c_.object->addresses, SymbolKind::Address, 0, 0xffff);
    case 'P':
      return add(c_.object->predicates, SymbolKind::Predicate, 1, 0xffff);
    case 'S':
      return add(c_.object->samplers, SymbolKind::Sampler, 0, 0xff);
    default:
      return add(c_.object->surfaces, SymbolKind::Surface, isa::kFirstSurface, 0xff);
  }
}

/// After an error in a declaration: the name is known all the same, so that its uses are not reported too.
void Declarations::stand_in(char kind, std::string_view name, Span span) {
  isa::PlainVariable plain;
  plain.position = position(span, 0);
  const auto add = [&](std::vector<isa::PlainVariable>& list, SymbolKind symbol, std::uint32_t first) {
    if (list.size() >= 0xff) return;
    c_.names.declare(name, {symbol, false, static_cast<std::uint32_t>(list.size()) + first, 0});
    list.push_back(plain);
  };
  switch (kind) {
    case 'A':
      add(c_.object->addresses, SymbolKind::Address, 0);
      return;
    case 'P':
      add(c_.object->predicates, SymbolKind::Predicate, 1);
      return;
    case 'S':
      add(c_.object->samplers, SymbolKind::Sampler, 0);
      return;
    case 'T':
      add(c_.object->surfaces, SymbolKind::Surface, isa::kFirstSurface);
      return;
    default:
      break;
  }
  isa::GeneralVariable general;
  general.position = plain.position;
  c_.names.declare(name, {SymbolKind::General, false,
                          static_cast<std::uint32_t>(c_.object->variables.size()) + isa::kFirstVariable, 0});
  c_.object->variables.push_back(general);
}

/// byte word dword qword oword GRF GRFx2 2GRF hword wordx32 32word wordx64 64word, or 1, 2, 4 ... 128 bytes
bool Declarations::alignment(isa::GeneralVariable& v) {
  const Scanner::Mark start = in_.mark();
  const std::string_view word = in_.word();
  if (const auto code = find_alignment(word)) {
    v.align = *code;
    return true;
  }
  in_.rewind(start);
  if (is_name_start(in_.peek()) || in_.peek() == '\n' ||
      (is_digit(in_.peek()) && is_name_start(in_.peek(1)) && in_.peek(1) != 'x')) {
    Span span = in_.span_from(start);
    span.length = static_cast<std::uint32_t>(std::min<std::size_t>(word.size(), 200));
    error("visa-decl-align", span, fmt::format("unknown alignment {}", shown(word)));
    suggest(word, {"byte", "word", "dword", "qword", "oword", "GRF", "GRFx2", "hword", "wordx32", "wordx64"});
    return false;
  }
  std::int64_t bytes = 0;
  if (!numbers_.integer(bytes, Operators::All, 1, 128, "alignment")) return false;
  if (!std::has_single_bit(static_cast<std::uint64_t>(bytes)))
    return error("visa-decl-align", in_.span_from(start), fmt::format("alignment {} is not a power of two", bytes));
  constexpr isa::Align kByLog[] = {isa::Align::Byte,  isa::Align::Word,  isa::Align::Dword,  isa::Align::Qword,
                                   isa::Align::Oword, isa::Align::Hword, isa::Align::Word32, isa::Align::Word64};
  v.align = kByLog[std::countr_zero(static_cast<std::uint64_t>(bytes))];
  return true;
}

/// <W,offset>; the document's (W,offset) is read too (TXT-13).
bool Declarations::alias(isa::GeneralVariable& v) {
  const Scanner::Mark start = in_.mark();
  const bool document = in_.peek() == '(';
  if (!document && in_.peek() != '<') return expected("<variable, byte offset>");
  in_.skip();
  const Symbol* target = symbols_.variable(SymbolKind::General, "a general variable");
  if (target == nullptr) return false;
  std::int64_t offset = 0;
  if (!in_.accept(',')) return expected("',' and the byte offset of the alias");
  if (!numbers_.integer(offset, document ? Operators::All : Operators::NoComparison, 0, 0xffff, "alias offset"))
    return false;
  if (!in_.accept(document ? ')' : '>')) return expected(document ? "')'" : "'>'");
  if (target->index == 0)
    return error("visa-alias-target", in_.span_from(start), "nothing can be an alias of %null: index 0 means no alias");
  v.alias = target->index;
  v.alias_offset = static_cast<std::uint32_t>(offset);
  if (document)
    remark("visa-text-dialect", in_.span_from(start), "alias in the document's form; the tool writes alias=<V,offset>");
  return true;
}

bool Declarations::implicit_kind(std::string_view kind, Span span, unsigned& implicit) {
  const auto number = find_implicit(kind);
  if (number) {
    implicit = *number;
    return true;
  }
  error("visa-text-syntax", span, silent() ? "" : fmt::format("unknown implicit input {}", shown(kind)));
  suggest(kind, {"LOCAL_SIZE", "GROUP_COUNT", "LOCAL_ID", "PSEUDO_INPUT", "UNDEFINED_5"});
  return false;
}

std::optional<isa::InputKind> Declarations::input_kind(const Symbol& symbol, std::uint32_t& size) const {
  switch (symbol.kind) {
    case SymbolKind::General: {
      const auto info = isa::variable_info(*c_.object, symbol.index, c_.grf_bytes);
      size = info ? info->bytes : 0;
      return isa::InputKind::General;
    }
    case SymbolKind::Sampler:
      size = symbol.predefined ? 4 : 4 * c_.object->samplers[symbol.index].elements;
      return isa::InputKind::Sampler;
    case SymbolKind::Surface:
      size = symbol.predefined ? 4 : 4 * c_.object->surfaces[symbol.index - isa::kFirstSurface].elements;
      return isa::InputKind::Surface;
    default:
      return std::nullopt;
  }
}

bool Declarations::input(std::string_view word, Span span) {
  isa::Input in;
  unsigned implicit = 0;
  if (word.starts_with("implicit_") && !implicit_kind(word.substr(9), span, implicit)) return false;
  in_.space();
  const Scanner::Mark start = in_.mark();
  const std::string_view name = in_.name();
  if (name.empty()) return expected("a variable");
  const Symbol* symbol = c_.names.find(name);
  const Span name_span = in_.span_from(start);
  if (symbol == nullptr) return symbols_.undeclared(name, name_span, "a variable", SymbolKind::None);
  std::uint32_t size = 0;
  const std::optional<isa::InputKind> kind = input_kind(*symbol, size);
  if (!kind) return symbols_.wrong_kind(name, *symbol, name_span, "a general variable, a sampler or a surface");
  bool sized = false, placed = false;
  while (!in_.line_over()) {
    const Scanner::Mark at = in_.mark();
    std::int64_t value = 0;
    if (!placed && word != "parameter" && equals("offset")) {
      if (!numbers_.integer(value, Operators::All, 0, 0xffff, "offset")) return false;
      in.offset = static_cast<std::uint32_t>(value);
      placed = true;
    } else if (!sized && equals("size")) {
      if (!numbers_.integer(value, Operators::All, 0, 0xffff, "size")) return false;
      size = static_cast<std::uint32_t>(value);
      sized = true;
    } else {
      in_.rewind(at);
      return expected(word == "parameter" ? "size=" : "offset=, size= or the end of the line");
    }
  }
  if (word == "parameter" && !sized) return expected("size=");
  if (size > 0xffff) return error("visa-text-number", name_span, "size of the input does not fit 16 bits");
  if (implicit != 0 && !sized) {
    warn("visa-text-dialect", span, "an implicit input without size= is read as an explicit one, as the tool does");
    implicit = 0;
  }
  in.kind_bits = static_cast<std::uint8_t>(static_cast<unsigned>(*kind) | implicit << 3);
  in.id = symbol->index;
  in.size = size;
  in.position = position(name_span, 0);
  c_.object->inputs.push_back(in);
  return true;
}

}  // namespace heddle::text
