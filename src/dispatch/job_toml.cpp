#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <numeric>

#include "dispatch/job.hpp"

namespace heddle::dispatch {
namespace {

using base::Node;

Node convert(const toml::node& value) {
  Node node;
  const toml::source_region& source = value.source();
  node.line = source.begin.line;
  node.column = source.begin.column;
  if (source.end.line == source.begin.line && source.end.column > source.begin.column) node.length = source.end.column - source.begin.column;
  if (const auto* table = value.as_table()) {
    node.kind = Node::Kind::Table;
    // toml++ keeps a table sorted by name; the file's order is the order of the keys' places.
    std::vector<std::pair<const toml::key*, const toml::node*>> entries;
    for (const auto& [key, item] : *table) entries.emplace_back(&key, &item);
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      const toml::source_position x = a.first->source().begin, y = b.first->source().begin;
      return x.line != y.line ? x.line < y.line : x.column < y.column;
    });
    for (const auto& [key, item] : entries) {
      node.key_places.emplace_back(key->source().begin.line, key->source().begin.column);
      node.add(std::string(key->str()), convert(*item));
    }
  } else if (const auto* array = value.as_array()) {
    node.kind = Node::Kind::Array;
    for (const toml::node& item : *array) node.items.push_back(convert(item));
  } else if (const auto* text = value.as_string()) {
    node.kind = Node::Kind::Text;
    node.text = text->get();
  } else if (const auto* integer = value.as_integer()) {
    node.kind = Node::Kind::Integer;
    node.integer = integer->get();
  } else if (const auto* real = value.as_floating_point()) {
    node.kind = Node::Kind::Real;
    node.real = real->get();
  } else if (const auto* boolean = value.as_boolean()) {
    node.kind = Node::Kind::Boolean;
    node.boolean = boolean->get();
  }  // dates and times stay Null: no job word takes one
  return node;
}

}  // namespace

base::Result<base::Node> parse_toml(std::string_view text, const std::string& file) {
  const toml::parse_result result = toml::parse(text, file);
  if (result) return convert(result.table());
  const toml::parse_error& why = result.error();
  return base::error("job-syntax", std::string(why.description()), base::Place::text(file, why.source().begin.line, why.source().begin.column));
}

base::Node parse_toml_value(std::string_view text) {
  const std::string document = "value = " + std::string(text) + "\n";
  const toml::parse_result result = toml::parse(document);
  if (!result || result.table().size() != 1) return Node::make_text(std::string(text));
  return convert(*result.table().get("value"));
}

}  // namespace heddle::dispatch
