// SPDX-License-Identifier: MIT
#include "text/lexical/symbols.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "text/vocabulary.hpp"

namespace heddle::text {
namespace {

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

void Symbols::begin_object() {
  c_.names = Scopes();
  undeclared_.clear();
  std::uint32_t index = 0;
  for (const isa::Predefined& p : isa::predefined_variables())
    c_.names.declare(p.name, {SymbolKind::General, true, index++, 0});
  index = 0;
  for (const std::string_view name : isa::predefined_surfaces())
    c_.names.declare(name, {SymbolKind::Surface, true, index++, 0});
  c_.names.declare("S31", {SymbolKind::Sampler, true, isa::kBindlessSampler, 0});
}

bool Symbols::check_new_name(std::string_view name, Span span) {
  if (is_keyword(name)) {
    error("visa-text-declared", span,
          silent() ? "" : fmt::format("{} is a keyword and cannot name a variable", shown(name)));
    return false;
  }
  return true;
}

bool Symbols::declare(std::string_view name, Span span, Symbol symbol) {
  const Symbol* known = c_.names.find(name);
  if (known != nullptr && known->predefined)
    return error("visa-text-declared", span, silent() ? "" : fmt::format("{} is predefined", shown(name)));
  const Symbol before = known == nullptr ? Symbol{} : *known;
  if (c_.names.declare(name, symbol)) return true;
  if (silent()) return error("visa-text-declared", span, {});
  error("visa-text-declared", span, fmt::format("{} is declared twice", shown(name)));
  const isa::Position at = position_of(before);
  note("first declared here", {at.line, at.column, static_cast<std::uint32_t>(name.size())});
  return false;
}

isa::Position Symbols::position_of(const Symbol& symbol) const {
  switch (symbol.kind) {
    case SymbolKind::General:
      return c_.object->variables[symbol.index - isa::kFirstVariable].position;
    case SymbolKind::Address:
      return c_.object->addresses[symbol.index].position;
    case SymbolKind::Predicate:
      return c_.object->predicates[symbol.index - 1].position;
    case SymbolKind::Sampler:
      return c_.object->samplers[symbol.index].position;
    case SymbolKind::Surface:
      return c_.object->surfaces[symbol.index - isa::kFirstSurface].position;
    case SymbolKind::None:
      break;
  }
  return {};
}

const Symbol* Symbols::variable(SymbolKind wanted, std::string_view wanted_text) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  const std::string_view name = in_.name();
  if (name.empty()) {
    expected(wanted_text);
    return nullptr;
  }
  const Symbol* symbol = c_.names.find(name);
  if (symbol == nullptr) {
    undeclared(name, in_.span_from(start), wanted_text, wanted);
    return nullptr;
  }
  if (symbol->kind == wanted) return symbol;
  wrong_kind(name, *symbol, in_.span_from(start), wanted_text);
  return nullptr;
}

bool Symbols::wrong_kind(std::string_view name, const Symbol& symbol, Span span, std::string_view wanted) {
  problems_.set_understood(true);
  if (silent()) return error("visa-text-declared", span, {});
  error("visa-text-declared", span, fmt::format("{} is {}; expected {}", shown(name), kind_name(symbol.kind), wanted));
  if (symbol.predefined || c_.object == nullptr) return false;
  const isa::Position at = position_of(symbol);
  note("declared here", {at.line, at.column, static_cast<std::uint32_t>(name.size())});
  return false;
}

bool Symbols::undeclared(std::string_view name, Span span, std::string_view wanted, SymbolKind kind) {
  problems_.set_understood(true);
  if (silent()) return error("visa-text-declared", span, {});
  if (!undeclared_.insert(name).second) {  // one declaration is missing: one error
    problems_.set_failed(true);
    return false;
  }
  error("visa-text-declared", span,
        wanted.empty() ? fmt::format("{} is not declared", shown(name))
                       : fmt::format("{} is not declared; expected {}", shown(name), wanted));
  suggest_names(name, kind);
  return false;
}

void Symbols::suggest_names(std::string_view name, SymbolKind kind) {
  std::vector<std::string_view> known;
  bool own = false;  // the file declares some of that kind
  if (c_.names.entries().size() <= 5000 && problems_.suggests())
    for (const bool predefined : {false, true})
      for (const auto& e : c_.names.entries())
        if (e.value.predefined == predefined && e.value.kind != SymbolKind::None &&
            (kind == SymbolKind::None || e.value.kind == kind)) {
          own = own || !predefined;
          known.push_back(e.name);
        }
  if (!own && (kind == SymbolKind::Surface || kind == SymbolKind::Sampler) && problems_.suggests())
    note(fmt::format("'.decl {} v_type={} num_elts=1' declares it", name, kind == SymbolKind::Surface ? 'T' : 'S'));
  else
    suggest(name, known);
}

bool Symbols::label_name(std::string_view& out) {
  in_.space();
  if (in_.peek() == '"') {
    const std::size_t offset = in_.offset();
    std::string text;
    const Scanner::Mark start = in_.mark();
    if (!literals_.string(text)) return false;
    const std::string_view raw_text = c_.source.substr(offset + 1, in_.offset() - offset - 2);
    if (text == raw_text) {
      out = raw_text;
    } else {  // escapes: the name needs memory of its own
      c_.string_store.push_back(std::make_unique<std::string>(std::move(text)));
      out = *c_.string_store.back();
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
