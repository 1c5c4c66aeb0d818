// Declarations, attributes and inputs (visa 1.2).
// Rules: ENC-14, TXT-11 to TXT-15, TXT-35.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "text/comments.hpp"
#include "text/parser.hpp"
#include "text/vocabulary.hpp"

namespace heddle::text {
namespace {

using isa::Attribute;

isa::Position position(Span span, std::size_t offset) { return {span.line, span.column, offset}; }

}  // namespace

bool Parser::check_new_name(std::string_view name, Span span) {
  if (is_keyword(name)) {
    error("visa-text-declared", span,
          silent() ? "" : fmt::format("{} is a keyword and cannot name a variable", shown(name)));
    return false;
  }
  return true;
}

/// The pool name that a trailing comment // v_name="..." carries for a name that the line itself cannot show.
std::string Parser::display_name(std::string_view name) {
  const std::string_view given = comment_field(in_.comment(), "v_name");
  if (!given.starts_with('"')) return std::string(name);
  Scanner outer = in_;
  in_ = Scanner(given);
  std::string text;
  quiet_ = true;
  const bool failed = failed_, ok = string(text);
  quiet_ = false;
  failed_ = failed;
  in_ = outer;
  return ok && !text.empty() && text.find('\0') == std::string::npos ? text : std::string(name);
}

bool Parser::declaration(Span span) {
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
  const std::uint64_t total = object_->variables.size() + object_->addresses.size() + object_->predicates.size() +
                              object_->samplers.size() + object_->surfaces.size();
  if (total >= options_.limits.variables) {
    error("limit-variables", span,
          fmt::format("more than {} declarations in one object; --max-variables raises the limit",
                      options_.limits.variables));
    problems_.back().limit = true;
    stopped_ = true;
    return false;
  }
  if (kind == "G" ? general_declaration(name, name_span) : plain_declaration(kind[0], name, name_span)) return true;
  if (names_.find(name) == nullptr) stand_in(kind[0], name, name_span);
  return false;
}

/// Behind `num_elts=`.
bool Parser::element_count(std::uint32_t& elements) {
  const Scanner::Mark at = in_.mark();
  std::int64_t count = 0;
  if (!integer(count, Operators::All, INT64_MIN, INT64_MAX, "number of elements")) return false;
  if (count < 0 || count > 0xffff)
    return error("visa-decl-count", in_.span_from(at),
                 fmt::format("{} elements do not fit the container's 16 bits", count));
  elements = static_cast<std::uint32_t>(count);
  return true;
}

bool Parser::general_declaration(std::string_view name, Span name_span) {
  isa::GeneralVariable v;
  v.position = position(name_span, 0);
  std::string_view given_name;
  bool typed = false, counted = false, aligned = false;
  while (!in_.line_over()) {
    const Scanner::Mark start = in_.mark();
    if (!typed && equals("type")) {
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
      if (!attribute_list(v.attributes, false)) return false;
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
  if (!check_new_name(name, name_span)) return false;
  resize_attributes(v.attributes);
  v.name = given_name.empty() ? display_name(name) : std::string(given_name);
  const auto index = static_cast<std::uint32_t>(object_->variables.size()) + isa::kFirstVariable;
  if (!declare(name, name_span, {SymbolKind::General, false, index, 0})) return false;
  object_->variables.push_back(std::move(v));
  return true;
}

bool Parser::declare(std::string_view name, Span span, Symbol symbol) {
  const Symbol* known = names_.find(name);
  if (known != nullptr && known->predefined)
    return error("visa-text-declared", span, silent() ? "" : fmt::format("{} is predefined", shown(name)));
  const Symbol before = known == nullptr ? Symbol{} : *known;
  if (names_.declare(name, symbol)) return true;
  if (silent()) return error("visa-text-declared", span, {});
  error("visa-text-declared", span, fmt::format("{} is declared twice", shown(name)));
  const isa::Position at = position_of(before);
  note("first declared here", {at.line, at.column, static_cast<std::uint32_t>(name.size())});
  return false;
}

isa::Position Parser::position_of(const Symbol& symbol) const {
  switch (symbol.kind) {
    case SymbolKind::General:
      return object_->variables[symbol.index - isa::kFirstVariable].position;
    case SymbolKind::Address:
      return object_->addresses[symbol.index].position;
    case SymbolKind::Predicate:
      return object_->predicates[symbol.index - 1].position;
    case SymbolKind::Sampler:
      return object_->samplers[symbol.index].position;
    case SymbolKind::Surface:
      return object_->surfaces[symbol.index - isa::kFirstSurface].position;
    case SymbolKind::None:
      break;
  }
  return {};
}

bool Parser::plain_declaration(char kind, std::string_view name, Span name_span) {
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
      if (!attribute_list(v.attributes, false)) return false;
    } else {
      in_.rewind(start);
      return expected(counted ? "v_name=, attrs= or the end of the line" : "num_elts=");
    }
  }
  if (!counted) return expected("num_elts=");
  if (!check_new_name(name, name_span)) return false;
  resize_attributes(v.attributes);
  v.name = given_name.empty() ? display_name(name) : std::string(given_name);
  const auto add = [&](std::vector<isa::PlainVariable>& list, SymbolKind symbol, std::uint32_t first,
                       std::size_t most) {
    if (list.size() >= most)
      return error("visa-decl-state", name_span,
                   fmt::format("the container holds at most {} variables of this kind", most));
    if (!declare(name, name_span, {symbol, false, static_cast<std::uint32_t>(list.size()) + first, 0})) return false;
    list.push_back(std::move(v));
    return true;
  };
  switch (kind) {
    case 'A':
      return add(object_->addresses, SymbolKind::Address, 0, 0xffff);
    case 'P':
      return add(object_->predicates, SymbolKind::Predicate, 1, 0xffff);
    case 'S':
      return add(object_->samplers, SymbolKind::Sampler, 0, 0xff);
    default:
      return add(object_->surfaces, SymbolKind::Surface, isa::kFirstSurface, 0xff);
  }
}

/// After an error in a declaration: the name is known all the same, so that its uses are not reported too.
void Parser::stand_in(char kind, std::string_view name, Span span) {
  isa::PlainVariable plain;
  plain.position = position(span, 0);
  const auto add = [&](std::vector<isa::PlainVariable>& list, SymbolKind symbol, std::uint32_t first) {
    if (list.size() >= 0xff) return;
    names_.declare(name, {symbol, false, static_cast<std::uint32_t>(list.size()) + first, 0});
    list.push_back(plain);
  };
  switch (kind) {
    case 'A':
      add(object_->addresses, SymbolKind::Address, 0);
      return;
    case 'P':
      add(object_->predicates, SymbolKind::Predicate, 1);
      return;
    case 'S':
      add(object_->samplers, SymbolKind::Sampler, 0);
      return;
    case 'T':
      add(object_->surfaces, SymbolKind::Surface, isa::kFirstSurface);
      return;
    default:
      break;
  }
  isa::GeneralVariable general;
  general.position = plain.position;
  names_.declare(name, {SymbolKind::General, false,
                        static_cast<std::uint32_t>(object_->variables.size()) + isa::kFirstVariable, 0});
  object_->variables.push_back(general);
}

/// byte word dword qword oword GRF GRFx2 2GRF hword wordx32 32word wordx64 64word, or 1, 2, 4 ... 128 bytes
bool Parser::alignment(isa::GeneralVariable& v) {
  const Scanner::Mark start = in_.mark();
  const std::string_view word = in_.word();
  if (const auto code = find_alignment(word)) {
    v.align = *code;
    return true;
  }
  in_.rewind(start);
  if (is_name_start(in_.peek()) || in_.peek() == '\n' ||
      (is_digit(in_.peek()) && is_name_start(in_.peek(1)) && in_.peek(1) != 'x')) {
    error("visa-decl-align", in_.span_from(start), {});
    problems_.back().message = fmt::format("unknown alignment {}", shown(word));
    problems_.back().span.length = static_cast<std::uint32_t>(std::min<std::size_t>(word.size(), 200));
    suggest(word, {"byte", "word", "dword", "qword", "oword", "GRF", "GRFx2", "hword", "wordx32", "wordx64"});
    return false;
  }
  std::int64_t bytes = 0;
  if (!integer(bytes, Operators::All, 1, 128, "alignment")) return false;
  if (!std::has_single_bit(static_cast<std::uint64_t>(bytes)))
    return error("visa-decl-align", in_.span_from(start), fmt::format("alignment {} is not a power of two", bytes));
  constexpr isa::Align kByLog[] = {isa::Align::Byte,  isa::Align::Word,  isa::Align::Dword,  isa::Align::Qword,
                                   isa::Align::Oword, isa::Align::Hword, isa::Align::Word32, isa::Align::Word64};
  v.align = kByLog[std::countr_zero(static_cast<std::uint64_t>(bytes))];
  return true;
}

/// <W,offset>; the document's (W,offset) is read too (TXT-13).
bool Parser::alias(isa::GeneralVariable& v) {
  const Scanner::Mark start = in_.mark();
  const bool document = in_.peek() == '(';
  if (!document && in_.peek() != '<') return expected("<variable, byte offset>");
  in_.skip();
  const Symbol* target = variable(SymbolKind::General, "a general variable");
  if (target == nullptr) return false;
  std::int64_t offset = 0;
  if (!in_.accept(',')) return expected("',' and the byte offset of the alias");
  if (!integer(offset, document ? Operators::All : Operators::NoComparison, 0, 0xffff, "alias offset")) return false;
  if (!in_.accept(document ? ')' : '>')) return expected(document ? "')'" : "'>'");
  if (target->index == 0)
    return error("visa-alias-target", in_.span_from(start), "nothing can be an alias of %null: index 0 means no alias");
  v.alias = target->index;
  v.alias_offset = static_cast<std::uint32_t>(offset);
  if (document)
    remark("visa-text-dialect", in_.span_from(start), "alias in the document's form; the tool writes alias=<V,offset>");
  return true;
}

bool Parser::attribute_list(std::vector<Attribute>& attributes, bool object_level) {
  if (!in_.accept('{')) return expected("'{' and a list of attributes");
  do {
    if (attributes.size() >= 255) return error("visa-attr-value", in_.here(0), "a variable has at most 255 attributes");
    if (!attribute(attributes, object_level)) return false;
  } while (in_.accept(','));
  return in_.accept('}') || expected("',' or '}'");
}

/// Name [= value]; known names decide how the value is stored (TXT-15, ENC-14).
bool Parser::attribute(std::vector<Attribute>& attributes, bool object_level) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  Attribute a;
  std::string_view name;
  if (in_.peek() == '"' || is_name_start(in_.peek())) {
    if (!label_name(name)) return false;
  } else {
    return expected("an attribute name");
  }
  const Span span = in_.span_from(start);
  const AttributeRule* rule = find_attribute(name);
  if (rule == nullptr || rule->object != object_level) {
    if (rule == nullptr) {
      warn("visa-attr-unknown", span, silent() ? "" : fmt::format("unknown attribute {}; it is kept", shown(name)));
      if (!silent()) suggest(name, attribute_names());
    } else {
      warn("visa-attr-unknown", span,
           silent() ? ""
                    : fmt::format("attribute {} belongs to {}", shown(name),
                                  rule->object ? "kernels and functions" : "variables"));
    }
  }
  a.name = std::string(name);
  a.position = position(span, in_.offset());
  if (in_.accept('=')) {
    in_.space();
    const Scanner::Mark at = in_.mark();
    if (in_.peek() == '"') {
      std::string text;
      if (!string(text)) return false;
      if (text.size() > 255)
        return error("visa-attr-value", in_.span_from(at), "an attribute value has at most 255 bytes");
      if (rule != nullptr && rule->value == AttributeValue::TargetName) {
        if (text != "cm" && text != "3d")
          return error("visa-attr-value", in_.span_from(at),
                       silent() ? "" : fmt::format("Target is {}; it must be \"cm\" or \"3d\"", shown(text)));
        a.value = {static_cast<std::uint8_t>(text == "3d")};
      } else {
        if (rule != nullptr && rule->value != AttributeValue::String)
          judge("visa-attr-value", in_.span_from(at),
                silent() ? ""
                         : fmt::format("attribute {} takes {}", a.name,
                                       rule->value == AttributeValue::Bool ? "no value" : "an integer"));
        a.value.assign(text.begin(), text.end());
        a.is_string = true;
      }
    } else {
      Number n;
      if (!number(n, Operators::All)) return false;
      const std::int64_t value = n.cut ? static_cast<std::int64_t>(static_cast<std::uint32_t>(n.value)) : n.value;
      if (n.is_real || value < INT32_MIN || value > 0xffffffff)
        return error("visa-text-number", in_.span_from(at), "attribute value does not fit 32 bits");
      if (rule != nullptr && rule->value == AttributeValue::String)
        judge("visa-attr-value", in_.span_from(at), silent() ? "" : fmt::format("attribute {} takes a string", a.name));
      if (rule != nullptr && rule->value == AttributeValue::TargetName) {
        if (value != 0 && value != 1) judge("visa-attr-value", in_.span_from(at), "Target must be \"cm\" or \"3d\"");
        if (value < 0 || value > 255) return error("visa-text-number", in_.span_from(at), "Target is one byte");
        a.value = {static_cast<std::uint8_t>(value)};
      } else if (rule == nullptr || rule->value != AttributeValue::Bool) {
        for (int i = 0; i < 4; ++i)
          a.value.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i)));
      } else if (value == 0) {
        return true;  // a boolean that is off has no entry
      }
    }
  }
  attributes.push_back(std::move(a));
  return true;
}

bool Parser::kernel_attribute() {
  if (object_->attributes.size() >= 0xffff)
    return error("visa-attr-value", in_.here(0), "an object has at most 65535 attributes");
  const std::size_t before = object_->attributes.size();
  if (!attribute(object_->attributes, true)) return false;
  if (in_.line_over()) resize_attributes(std::span(object_->attributes).subspan(before));
  return true;
}

/// "// bytes=NAME:1,NAME:2": integers that other tools stored in fewer bytes (TXT-35).
void Parser::resize_attributes(std::span<Attribute> attributes) {
  std::string_view sizes = comment_field(in_.comment(), "bytes");
  while (!sizes.empty()) {
    const std::size_t end = std::min(sizes.find(','), sizes.size()), colon = sizes.rfind(':', end);
    if (colon == std::string_view::npos || colon + 2 != end || !is_digit(sizes[colon + 1])) return;
    const std::size_t bytes = static_cast<std::size_t>(sizes[colon + 1] - '0');
    for (Attribute& a : attributes)
      if (a.name == sizes.substr(0, colon) && !a.is_string && bytes <= 4) a.value.resize(bytes);
    sizes.remove_prefix(std::min(end + 1, sizes.size()));
  }
}

/// .input V [offset=] [size=]   .implicit_KIND V [offset=] size=   .parameter V size=
bool Parser::input(std::string_view word, Span span) {
  isa::Input in;
  unsigned implicit = 0;
  if (word.starts_with("implicit_")) {
    const std::string_view kind = word.substr(9);
    if (const auto number = find_implicit(kind)) {
      implicit = *number;
    } else {
      error("visa-text-syntax", span, silent() ? "" : fmt::format("unknown implicit input {}", shown(kind)));
      suggest(kind, {"LOCAL_SIZE", "GROUP_COUNT", "LOCAL_ID", "PSEUDO_INPUT", "UNDEFINED_5"});
      return false;
    }
  }
  in_.space();
  const Scanner::Mark start = in_.mark();
  const std::string_view name = in_.name();
  if (name.empty()) return expected("a variable");
  const Symbol* symbol = names_.find(name);
  const Span name_span = in_.span_from(start);
  if (symbol == nullptr) return undeclared(name, name_span, "a variable", SymbolKind::None);
  std::uint32_t size = 0;
  isa::InputKind kind = isa::InputKind::General;
  switch (symbol->kind) {
    case SymbolKind::General: {
      const auto info = isa::variable_info(*object_, symbol->index, grf_bytes_);
      size = info ? info->bytes : 0;
      break;
    }
    case SymbolKind::Sampler:
      kind = isa::InputKind::Sampler;
      size = symbol->predefined ? 4 : 4 * object_->samplers[symbol->index].elements;
      break;
    case SymbolKind::Surface:
      kind = isa::InputKind::Surface;
      size = symbol->predefined ? 4 : 4 * object_->surfaces[symbol->index - isa::kFirstSurface].elements;
      break;
    default:
      return wrong_kind(name, *symbol, name_span, "a general variable, a sampler or a surface");
  }
  bool sized = false, placed = false;
  while (!in_.line_over()) {
    const Scanner::Mark at = in_.mark();
    std::int64_t value = 0;
    if (!placed && word != "parameter" && equals("offset")) {
      if (!integer(value, Operators::All, 0, 0xffff, "offset")) return false;
      in.offset = static_cast<std::uint32_t>(value);
      placed = true;
    } else if (!sized && equals("size")) {
      if (!integer(value, Operators::All, 0, 0xffff, "size")) return false;
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
  in.kind_bits = static_cast<std::uint8_t>(static_cast<unsigned>(kind) | implicit << 3);
  in.id = symbol->index;
  in.size = size;
  in.position = position(name_span, 0);
  object_->inputs.push_back(in);
  return true;
}

}  // namespace heddle::text
