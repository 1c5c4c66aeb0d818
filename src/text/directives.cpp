// Directives, declarations, name scopes and labels (visa 1.2).
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "instructions/registry.hpp"
#include "text/parser.hpp"
#include "text/vocabulary.hpp"

namespace heddle::text {
namespace {

using isa::Attribute;

isa::Position position(Span span, std::size_t offset) { return {span.line, span.column, offset}; }

}  // namespace

bool Parser::end_of_statement() {
  if (in_.line_over()) return true;
  return expected("the end of the line");
}

bool Parser::equals(std::string_view key) {
  in_.space();
  if (!in_.looking_at(key) || is_name_char(in_.peek(key.size()))) return false;
  const Scanner::Mark start = in_.mark();
  in_.skip(key.size());
  if (in_.accept('=')) {
    in_.space();
    return true;
  }
  in_.rewind(start);
  return false;
}

bool Parser::need_object(Span span) {
  if (object_ != nullptr) return true;
  error("visa-text-order", span, "statement before .kernel");
  note("the first statements of a file are .version and .kernel");
  begin_object(isa::ObjectKind::Kernel, span);  // so that the rest is still checked
  return false;
}

bool Parser::version(Span span) {
  if (version_seen_) return error("visa-text-order", span, "a second .version");
  if (object_ != nullptr) error("visa-text-order", span, "'.version' must be the first statement of the file");
  version_seen_ = true;
  // visa 1.2: spaces may stand around the point; every value is accepted and 4.1 is written.
  std::int64_t part = 0;
  for (int n = 0; n < 2; ++n) {
    in_.space();
    const Scanner::Mark start = in_.mark();
    if (!is_digit(in_.peek())) return expected("a version like 4.1");
    for (part = 0; is_digit(in_.peek()); in_.skip()) part = std::min<std::int64_t>(part * 10 + (in_.peek() - '0'), 1 << 20);
    if (part > 255) return error("visa-text-number", in_.span_from(start), "version number is larger than 255");
    if (n == 0 && !in_.accept('.')) return expected("'.' of a version like 4.1");
  }
  return true;
}

bool Parser::begin_object(isa::ObjectKind kind, Span span) {
  end_object();
  program_.objects.emplace_back();
  object_ = &program_.objects.back();
  object_->kind = kind;
  object_->position = position(span, in_.offset());
  if (program_.objects.size() == 1) {  // most files have one object; pages that stay unused cost nothing
    const auto lines = static_cast<std::size_t>(std::count(source_.begin(), source_.end(), '\n')) + 1;
    object_->instructions.reserve(lines);
    object_->operands.reserve(std::min(lines * 8, source_.size() / 4));
  }
  names_ = Scopes();
  labels_ = NameMap<LabelState>();
  strings_ = NameMap<std::uint32_t>();
  uses_.clear();
  first_mention_.clear();
  label_subroutine_.clear();
  scope_spans_.clear();
  subroutine_ = 0;
  absorb_ = {};
  std::uint32_t index = 0;
  for (const isa::Predefined& p : isa::predefined_variables()) names_.declare(p.name, {SymbolKind::General, true, index++, 0});
  index = 0;
  for (const std::string_view name : isa::predefined_surfaces()) names_.declare(name, {SymbolKind::Surface, true, index++, 0});
  names_.declare("S31", {SymbolKind::Sampler, true, isa::kBindlessSampler, 0});
  return true;
}

void Parser::end_object() {
  if (object_ == nullptr) return;
  if (stopped_) {  // the rest was not read
    object_ = nullptr;
    return;
  }
  for (const Span& open : scope_spans_) error("visa-text-syntax", open, "name scope is not closed");
  // visa-text-label: what was mentioned must be defined, and in the same subroutine (calls excepted)
  std::vector<std::string_view> defined;
  for (const isa::Label& l : object_->labels)
    if (l.instruction && defined.size() < 5000) defined.push_back(l.name);
  for (std::size_t n = 0; n < object_->labels.size(); ++n) {
    const isa::Label& l = object_->labels[n];
    if (l.instruction || l.kind == isa::LabelKind::FcCall) continue;
    error("visa-text-label", first_mention_[n], silent() ? "" : fmt::format("label {} is not defined", shown(l.name)));
    if (!silent()) suggest(l.name, defined);
    if (problems_.size() > 64) flush();
  }
  for (const LabelUse& use : uses_) {
    const isa::Label& l = object_->labels[use.label];
    if (!l.instruction || l.kind != isa::LabelKind::Block || label_subroutine_[use.label] == use.subroutine) continue;
    error("visa-text-label", use.span, silent() ? "" : fmt::format("label {} is in another subroutine", shown(l.name)));
    if (!silent()) note("defined here", {l.position.line, l.position.column, static_cast<std::uint32_t>(l.name.size())});
    if (problems_.size() > 64) flush();
  }
  flush();
  object_ = nullptr;
}

bool Parser::directive() {
  const Span span = in_.here(0);
  const Scanner::Mark start = in_.mark();
  in_.skip();
  const std::string_view word = in_.name();
  Span whole = span;
  whole.length = static_cast<std::uint32_t>(word.size()) + 1;
  if (word == "version") return version(whole);
  if (!version_seen_ && !version_reported_) {
    version_reported_ = true;
    error("visa-text-order", whole, "'.version' must be the first statement of the file");
  }
  if (word == "kernel" || word == "global_function") {
    const bool kernel = word == "kernel";
    std::string_view name;
    if (!label_name(name)) return false;
    if (kernel && object_ != nullptr && object_->kind == isa::ObjectKind::Function)
      error("visa-text-order", whole, "kernels stand before functions");
    if (program_.objects.size() >= 0x1fffe) return error("visa-text-number", whole, "a file holds at most 65535 kernels and as many functions");
    begin_object(kernel ? isa::ObjectKind::Kernel : isa::ObjectKind::Function, whole);
    object_->name = name;
    return true;
  }
  if (word == "funcdecl") {
    std::string_view ignored;
    return label_name(ignored);
  }
  const bool file_like = word == "file" || word == "loc";
  if (word == "function" || word == "kernel_attr" || word == "decl" || word == "input" || word == "parameter" ||
      word.starts_with("implicit_") || file_like) {
    if (!need_object(whole)) return false;
    if (word == "function") return function(whole);
    if (word == "kernel_attr") return kernel_attribute();
    if (word == "decl") return declaration(whole);
    if (!file_like) return input(word, whole);
    in_.rewind(start);
    return instruction(span);  // .file and .loc are spellings of FILE and LOC
  }
  if (silent()) return error("visa-text-syntax", whole, {});
  error("visa-text-syntax", whole, fmt::format("unknown directive {}", shown("." + std::string(word))));
  suggest(word, {"version", "kernel", "global_function", "function", "funcdecl", "kernel_attr", "input", "parameter", "decl", "file", "loc",
                 "implicit_LOCAL_SIZE", "implicit_GROUP_COUNT", "implicit_LOCAL_ID", "implicit_PSEUDO_INPUT"});
  return false;
}

bool Parser::check_new_name(std::string_view name, Span span) {
  if (is_keyword(name)) {
    error("visa-text-declared", span, silent() ? "" : fmt::format("{} is a keyword and cannot name a variable", shown(name)));
    return false;
  }
  return true;
}

/// The pool name that a trailing comment // v_name="..." carries for a name that the line itself cannot show.
std::string Parser::display_name(std::string_view name) {
  std::string_view comment = in_.comment();
  while (!comment.empty() && comment.front() == ' ') comment.remove_prefix(1);
  if (!comment.starts_with("v_name=\"")) return std::string(name);
  Scanner outer = in_;
  in_ = Scanner(comment.substr(7));
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
    error("limit-variables", span, fmt::format("more than {} declarations in one object; --max-variables raises the limit", options_.limits.variables));
    problems_.back().limit = true;
    stopped_ = true;
    return false;
  }
  return kind == "G" ? general_declaration(name, name_span) : plain_declaration(kind[0], name, name_span);
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
      const Scanner::Mark at = in_.mark();
      std::int64_t count = 0;
      if (!integer(count, Reach::Full, INT64_MIN, INT64_MAX, "number of elements")) return false;
      if (count < 0 || count > 0xffff)
        return error("visa-decl-count", in_.span_from(at), fmt::format("{} elements do not fit the container's 16 bits", count));
      v.elements = static_cast<std::uint32_t>(count);
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
    case SymbolKind::General: return object_->variables[symbol.index - isa::kFirstVariable].position;
    case SymbolKind::Address: return object_->addresses[symbol.index].position;
    case SymbolKind::Predicate: return object_->predicates[symbol.index - 1].position;
    case SymbolKind::Sampler: return object_->samplers[symbol.index].position;
    case SymbolKind::Surface: return object_->surfaces[symbol.index - isa::kFirstSurface].position;
    case SymbolKind::None: break;
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
      const Scanner::Mark at = in_.mark();
      std::int64_t count = 0;
      if (!integer(count, Reach::Full, INT64_MIN, INT64_MAX, "number of elements")) return false;
      if (count < 0 || count > 0xffff)
        return error("visa-decl-count", in_.span_from(at), fmt::format("{} elements do not fit the container's 16 bits", count));
      v.elements = static_cast<std::uint32_t>(count);
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
  v.name = given_name.empty() ? display_name(name) : std::string(given_name);
  const auto add = [&](std::vector<isa::PlainVariable>& list, SymbolKind symbol, std::uint32_t first, std::size_t most) {
    if (list.size() >= most)
      return error("visa-decl-state", name_span, fmt::format("the container holds at most {} variables of this kind", most));
    if (!declare(name, name_span, {symbol, false, static_cast<std::uint32_t>(list.size()) + first, 0})) return false;
    list.push_back(std::move(v));
    return true;
  };
  switch (kind) {
    case 'A': return add(object_->addresses, SymbolKind::Address, 0, 0xffff);
    case 'P': return add(object_->predicates, SymbolKind::Predicate, 1, 0xffff);
    case 'S': return add(object_->samplers, SymbolKind::Sampler, 0, 0xff);
    default: return add(object_->surfaces, SymbolKind::Surface, isa::kFirstSurface, 0xff);
  }
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
  if (is_name_start(in_.peek()) || in_.peek() == '\n' || (is_digit(in_.peek()) && is_name_start(in_.peek(1)) && in_.peek(1) != 'x')) {
    error("visa-decl-align", in_.span_from(start), {});
    problems_.back().message = fmt::format("unknown alignment {}", shown(word));
    problems_.back().span.length = static_cast<std::uint32_t>(std::min<std::size_t>(word.size(), 200));
    suggest(word, {"byte", "word", "dword", "qword", "oword", "GRF", "GRFx2", "hword", "wordx32", "wordx64"});
    return false;
  }
  std::int64_t bytes = 0;
  if (!integer(bytes, Reach::Full, 1, 128, "alignment")) return false;
  if (!std::has_single_bit(static_cast<std::uint64_t>(bytes)))
    return error("visa-decl-align", in_.span_from(start), fmt::format("alignment {} is not a power of two", bytes));
  constexpr isa::Align kByLog[] = {isa::Align::Byte,  isa::Align::Word,  isa::Align::Dword,  isa::Align::Qword,
                                   isa::Align::Oword, isa::Align::Hword, isa::Align::Word32, isa::Align::Word64};
  v.align = kByLog[std::countr_zero(static_cast<std::uint64_t>(bytes))];
  return true;
}

/// <W,offset>; the document's (W,offset) is read too (visa 6 row 29).
bool Parser::alias(isa::GeneralVariable& v) {
  const Scanner::Mark start = in_.mark();
  const bool document = in_.peek() == '(';
  if (!document && in_.peek() != '<') return expected("<variable, byte offset>");
  in_.skip();
  const Symbol* target = variable(SymbolKind::General, "a general variable");
  if (target == nullptr) return false;
  std::int64_t offset = 0;
  if (!in_.accept(',')) return expected("',' and the byte offset of the alias");
  if (!integer(offset, document ? Reach::Full : Reach::NoCompare, 0, 0xffff, "alias offset")) return false;
  if (!in_.accept(document ? ')' : '>')) return expected(document ? "')'" : "'>'");
  if (target->index == 0)
    return error("visa-alias-target", in_.span_from(start), "nothing can be an alias of %null: index 0 means no alias");
  v.alias = target->index;
  v.alias_offset = static_cast<std::uint32_t>(offset);
  if (document) remark("visa-text-dialect", in_.span_from(start), "alias in the document's form; the tool writes alias=<V,offset>");
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

/// Name [= value]; known names decide how the value is stored (visa 1.2, 3.2).
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
      warn("visa-attr-unknown", span, silent() ? "" : fmt::format("attribute {} belongs to {}", shown(name), rule->object ? "kernels and functions" : "variables"));
    }
  }
  a.name = rule == nullptr ? std::string(name) : std::string(rule->name);
  a.position = position(span, in_.offset());
  if (in_.accept('=')) {
    in_.space();
    const Scanner::Mark at = in_.mark();
    if (in_.peek() == '"') {
      std::string text;
      if (!string(text)) return false;
      if (text.size() > 255) return error("visa-attr-value", in_.span_from(at), "an attribute value has at most 255 bytes");
      if (rule != nullptr && rule->value == AttributeValue::Target) {
        if (text != "cm" && text != "3d")
          return error("visa-attr-value", in_.span_from(at), silent() ? "" : fmt::format("Target is {}; it must be \"cm\" or \"3d\"", shown(text)));
        a.value = {static_cast<std::uint8_t>(text == "3d")};
      } else {
        if (rule != nullptr && rule->value != AttributeValue::String)
          judge("visa-attr-value", in_.span_from(at), silent() ? "" : fmt::format("attribute {} takes {}", a.name, rule->value == AttributeValue::Bool ? "no value" : "an integer"));
        a.value.assign(text.begin(), text.end());
        a.is_string = true;
      }
    } else {
      Number n;
      if (!number(n, Reach::Full)) return false;
      const std::int64_t value = n.cut ? static_cast<std::int64_t>(static_cast<std::uint32_t>(n.value)) : n.value;
      if (n.is_real || value < INT32_MIN || value > 0xffffffff) return error("visa-text-number", in_.span_from(at), "attribute value does not fit 32 bits");
      if (rule != nullptr && rule->value == AttributeValue::String)
        judge("visa-attr-value", in_.span_from(at), silent() ? "" : fmt::format("attribute {} takes a string", a.name));
      if (rule != nullptr && rule->value == AttributeValue::Target) {
        if (value != 0 && value != 1) return error("visa-attr-value", in_.span_from(at), "Target must be \"cm\" or \"3d\"");
        a.value = {static_cast<std::uint8_t>(value)};
      } else if (rule == nullptr || rule->value != AttributeValue::Bool) {
        for (int i = 0; i < 4; ++i) a.value.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i)));
      } else if (value == 0) {
        return true;  // a boolean that is off has no entry
      }
    }
  }
  attributes.push_back(std::move(a));
  return true;
}

bool Parser::kernel_attribute() {
  if (object_->attributes.size() >= 0xffff) return error("visa-attr-value", in_.here(0), "an object has at most 65535 attributes");
  return attribute(object_->attributes, true);
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
    default: return wrong_kind(name, *symbol, name_span, "a general variable, a sampler or a surface");
  }
  bool sized = false, placed = false;
  while (!in_.line_over()) {
    const Scanner::Mark at = in_.mark();
    std::int64_t value = 0;
    if (!placed && word != "parameter" && equals("offset")) {
      if (!integer(value, Reach::Full, 0, 0xffff, "offset")) return false;
      in.offset = static_cast<std::uint32_t>(value);
      placed = true;
    } else if (!sized && equals("size")) {
      if (!integer(value, Reach::Full, 0, 0xffff, "size")) return false;
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

/// .function NAME: a subroutine (opcode 30); the label of the same name right after it is absorbed.
bool Parser::function(Span span) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  std::string_view name;
  if (!label_name(name)) return false;
  const Span name_span = in_.span_from(start);
  if (!end_of_statement()) return false;
  if (!define_label(name, isa::LabelKind::Subroutine, name_span, span)) return false;
  absorb_ = name;
  absorb_fresh_ = true;
  return true;
}

/// LABEL x and SUBROUTINE x of the documents (visa 2.1).
bool Parser::document_label(bool subroutine, Span span) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  std::string_view name;
  if (!label_name(name)) return false;
  const Span name_span = in_.span_from(start);
  if (!end_of_statement()) return false;
  remark("visa-text-dialect", span, subroutine ? "SUBROUTINE is read as .function" : "LABEL is read as a label definition");
  return define_label(name, subroutine ? isa::LabelKind::Subroutine : isa::LabelKind::Block, name_span, span);
}

bool Parser::label_definition(std::string_view name, Span span) {
  if (!absorb_.empty() && absorb_ == name) {
    absorb_ = {};
    return true;
  }
  return define_label(name, isa::LabelKind::Block, span, span);
}

bool Parser::define_label(std::string_view name, isa::LabelKind kind, Span name_span, Span span) {
  LabelState& state = labels_[name];
  if (state.defined) {
    if (silent()) return error("visa-text-label", name_span, {});
    error("visa-text-label", name_span, fmt::format("label {} is defined twice", shown(name)));
    const isa::Position& at = object_->labels[state.index].position;
    note("first defined here", {at.line, at.column, static_cast<std::uint32_t>(name.size())});
    return false;
  }
  const std::uint32_t index = mention_label(name, kind, name_span);
  isa::Label& label = object_->labels[index];
  if (label.kind != isa::LabelKind::FcCall) label.kind = kind;
  label.position = position(name_span, in_.offset());
  label.instruction = static_cast<std::uint32_t>(object_->instructions.size());
  if (const std::string shown_name = display_name(name); shown_name != name) label.name = shown_name;
  labels_[name].defined = true;
  if (kind == isa::LabelKind::Subroutine) ++subroutine_;
  label_subroutine_[index] = subroutine_;
  const isa::Form* form = kind == isa::LabelKind::Subroutine ? subroutine_form_ : label_form_;
  if (!room_for_instruction(span)) return false;
  isa::Instruction i;
  i.form = form;
  i.position = position(span, in_.offset());
  i.length = static_cast<std::uint16_t>(std::min<std::uint32_t>(span.length, 0xffff));
  i.first_operand = static_cast<std::uint32_t>(object_->operands.size());
  i.operand_count = 1;
  isa::Operand operand;
  operand.kind = isa::OperandKind::Label;
  operand.id = index;
  operand.at = static_cast<std::uint16_t>(std::min<std::uint32_t>(name_span.column, 0xffff));
  operand.length = static_cast<std::uint16_t>(std::min<std::uint32_t>(name_span.length, 0xffff));
  object_->operands.push_back(operand);
  object_->instructions.push_back(i);
  return true;
}

/// The index of a label, given at its first mention (visa 3.2).
std::uint32_t Parser::mention_label(std::string_view name, isa::LabelKind kind, Span span) {
  LabelState& state = labels_[name];
  if (!state.known) {
    state.known = true;
    state.index = static_cast<std::uint32_t>(object_->labels.size());
    isa::Label label;
    label.name = name;
    label.kind = kind == isa::LabelKind::FcCall ? kind : isa::LabelKind::Block;
    object_->labels.push_back(std::move(label));
    first_mention_.push_back(span);
    label_subroutine_.push_back(0);
  } else if (kind == isa::LabelKind::FcCall) {
    object_->labels[state.index].kind = kind;
  }
  return state.index;
}

/// { and }, each on a line of its own.
bool Parser::scope(char brace) {
  const Span span = in_.here();
  in_.skip();
  if (!need_object(span)) return false;
  if (brace == '}') {
    if (names_.depth() == 0) return error("visa-text-syntax", span, "'}' without '{'");
    names_.close();
    scope_spans_.pop_back();
    return true;
  }
  if (names_.depth() >= options_.limits.nesting) {
    error("limit-nesting", span, fmt::format("name scopes nest deeper than {} levels; --max-nesting raises the limit", options_.limits.nesting));
    problems_.back().limit = true;
    stopped_ = true;
    return false;
  }
  names_.open();
  scope_spans_.push_back(span);
  return true;
}

}  // namespace heddle::text
