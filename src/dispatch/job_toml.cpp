// The parser's own assertions can be reached by damaged files (a key that starts with a stray character), and in builds
// without assertions they become assumptions: they stop the parse instead.
#undef NDEBUG
namespace heddle::dispatch {
struct TomlStopped {};
constexpr void toml_check(bool holds) {
  if (!holds) throw TomlStopped{};
}
}  // namespace heddle::dispatch
#define TOML_ASSERT(expr) ::heddle::dispatch::toml_check(static_cast<bool>(expr))
#define TOML_EXCEPTIONS 1
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
  if (source.end.line == source.begin.line && source.end.column > source.begin.column)
    node.length = source.end.column - source.begin.column;
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

// Dotted keys nest tables without end in this parser, and deep tables are destroyed by recursion: a line with more dots
// than this, those of floats not counted, is refused before it is parsed.
constexpr unsigned kMaxDots = 512;

/// First line with too many dots, or 0.
std::uint32_t line_with_dots(std::string_view text) {
  std::uint32_t line = 1;
  unsigned dots = 0, in_word = 0;
  bool digits = true;  // of the current word: digits around its only dot
  const auto end_word = [&] {
    if (in_word > 1 || (in_word == 1 && !digits)) dots += in_word;
    in_word = 0;
    digits = true;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto is_digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    if (c == '.') {
      ++in_word;
      digits = digits && i != 0 && is_digit(i - 1) && is_digit(i + 1);
    } else if (!(is_digit(i) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '+')) {
      end_word();
      if (c == '\n') {
        ++line;
        dots = 0;
      }
    }
    if (dots + (in_word > 1 ? in_word : 0) > kMaxDots) return line;
  }
  return 0;
}

}  // namespace

base::Result<base::Node> parse_toml(std::string_view text, const std::string& file) {
  if (const std::uint32_t line = line_with_dots(text); line != 0)
    return base::limit_error("limit-nesting", "a line with so many dots is not read as a job",
                             base::Place::text(file, line, 1));
  try {
    return convert(toml::parse(text, file));
  } catch (const toml::parse_error& why) {
    return base::error("job-syntax", std::string(why.description()),
                       base::Place::text(file, why.source().begin.line, why.source().begin.column));
  } catch (const TomlStopped&) {
    return base::error("job-syntax", "the file is no TOML", base::Place::in_file(file));
  }
}

base::Node parse_toml_value(std::string_view text) {
  const auto table = parse_toml("value = " + std::string(text) + "\n", "value");
  if (!table.ok() || table->items.size() != 1) return Node::make_text(std::string(text));
  return table->items[0];
}

}  // namespace heddle::dispatch
