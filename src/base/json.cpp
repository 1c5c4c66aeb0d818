// JSON as a tree of nodes. simdjson reads what is right; what it refuses nlohmann-json reads again, whose word decides
// and whose messages say where and why.

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/node.hpp"

namespace heddle::base {
namespace {

// Receives nlohmann's events and builds the tree without recursion; `stack_` holds the open arrays and tables.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::size_t nesting, Node& root) : nesting_(nesting), root_(root) {}

  bool null() override { return put(Node{}); }
  bool boolean(bool value) override {
    Node node;
    node.kind = Node::Kind::Boolean;
    node.boolean = value;
    return put(std::move(node));
  }
  bool number_integer(std::int64_t value) override { return put_integer(value, false); }
  bool number_unsigned(std::uint64_t value) override {
    return put_integer(static_cast<std::int64_t>(value), value > INT64_MAX);
  }
  bool number_float(double value, const std::string&) override {
    Node node;
    node.kind = Node::Kind::Real;
    node.real = value;
    return put(std::move(node));
  }
  bool string(std::string& value) override { return put(Node::make_text(std::move(value))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Node::Kind::Table); }
  bool key(std::string& value) override {
    stack_.back().keys.push_back(std::move(value));
    return true;
  }
  bool end_object() override {
    std::vector<std::string_view> sorted(stack_.back().keys.begin(), stack_.back().keys.end());
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
      message = fmt::format("the member '{}' occurs twice", *twice);
      return false;
    }
    return close();
  }
  bool start_array(std::size_t) override { return open(Node::Kind::Array); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& why) override {
    offset = position;
    message = why.what();
    // nlohmann's text: "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error while ..."
    if (const std::size_t colon = message.find(": "); colon != std::string::npos) message = message.substr(colon + 2);
    return false;
  }

  std::size_t offset = 0;
  std::string message;
  bool too_deep = false;

 private:
  bool put_integer(std::int64_t value, bool big) {
    Node node;
    node.kind = Node::Kind::Integer;
    node.integer = value;
    node.big = big;
    return put(std::move(node));
  }
  bool put(Node&& node) {
    if (stack_.empty())
      root_ = std::move(node);
    else
      stack_.back().items.push_back(std::move(node));
    return true;
  }
  bool open(Node::Kind kind) {
    if (stack_.size() >= nesting_) {
      too_deep = true;
      return false;
    }
    stack_.emplace_back().kind = kind;
    return true;
  }
  bool close() {
    Node node = std::move(stack_.back());
    stack_.pop_back();
    return put(std::move(node));
  }
  std::size_t nesting_;
  Node& root_;
  std::vector<Node> stack_;
};

// --- the quick way ---

namespace dom = simdjson::dom;

/// Few members: every pair is compared; many: sorted.
bool has_twice(const std::vector<std::string>& keys) {
  constexpr std::size_t kFew = 16;
  if (keys.size() <= kFew) {
    for (std::size_t i = 1; i < keys.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (keys[i] == keys[j]) return true;
    return false;
  }
  std::vector<std::string_view> sorted(keys.begin(), keys.end());
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

/// False for what the slow way has to judge. As deep as the reader's limit of nesting.
bool build(const dom::element& element, Node& node) {  // NOLINT(misc-no-recursion)
  switch (element.type()) {
    case dom::element_type::ARRAY: {
      const dom::array array = element.get_array().value_unsafe();
      node.kind = Node::Kind::Array;
      node.items.reserve(std::min<std::size_t>(array.size(), 0xfffffe));  // beyond, simdjson does not count
      for (const dom::element item : array)
        if (!build(item, node.items.emplace_back())) return false;
      return true;
    }
    case dom::element_type::OBJECT: {
      const dom::object object = element.get_object().value_unsafe();
      node.kind = Node::Kind::Table;
      node.keys.reserve(std::min<std::size_t>(object.size(), 0xfffffe));
      node.items.reserve(node.keys.capacity());
      for (const dom::key_value_pair member : object) {
        node.keys.emplace_back(member.key);
        if (!build(member.value, node.items.emplace_back())) return false;
      }
      return !has_twice(node.keys);
    }
    case dom::element_type::INT64:
      node.kind = Node::Kind::Integer;
      node.integer = element.get_int64().value_unsafe();
      return true;
    case dom::element_type::UINT64: {
      const std::uint64_t value = element.get_uint64().value_unsafe();
      node.kind = Node::Kind::Integer;
      node.integer = static_cast<std::int64_t>(value);
      node.big = value > INT64_MAX;
      return true;
    }
    case dom::element_type::DOUBLE:
      node.kind = Node::Kind::Real;
      node.real = element.get_double().value_unsafe();
      return true;
    case dom::element_type::STRING:
      node.kind = Node::Kind::Text;
      node.text = element.get_string().value_unsafe();
      return true;
    case dom::element_type::BOOL:
      node.kind = Node::Kind::Boolean;
      node.boolean = element.get_bool().value_unsafe();
      return true;
    case dom::element_type::NULL_VALUE:
      return true;
  }
  return false;
}

/// What one thread reads with; it keeps its memory from one text to the next, unless that is large.
struct QuickReader {
  dom::parser parser;
  std::vector<char> padded;

  bool read(std::string_view text, std::size_t nesting, Node& root) {
    constexpr std::size_t kKept = std::size_t{1} << 24, kMostNesting = 1024;
    if (nesting > kMostNesting || text.size() > simdjson::SIMDJSON_MAXSIZE_BYTES - simdjson::SIMDJSON_PADDING)
      return false;
    if (parser.max_depth() != nesting && parser.allocate(parser.capacity(), nesting) != simdjson::SUCCESS) return false;
    if (padded.size() < text.size() + simdjson::SIMDJSON_PADDING)
      padded.resize(text.size() + simdjson::SIMDJSON_PADDING);
    if (!text.empty()) std::memcpy(padded.data(), text.data(), text.size());
    dom::element element;
    const bool good =
        parser.parse(padded.data(), text.size(), false).get(element) == simdjson::SUCCESS && build(element, root);
    if (text.size() > kKept) *this = QuickReader();
    return good;
  }
};

Place place_of(std::string_view text, std::size_t offset, const std::string& file) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return Place::text(file, static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(before.size() - start + 1));
}

}  // namespace

Result<Node> parse_json(std::string_view text, const std::string& file, const Limits& limits) {
  Node root;
  static thread_local QuickReader quick;
  if (quick.read(text, limits.nesting, root)) return root;
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)  // nlohmann takes it for the end
    return error("json-syntax", "a NUL byte", place_of(text, nul, file));
  root = Node();
  Builder builder(limits.nesting, root);
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return root;
  if (builder.too_deep)
    return limit_error("limit-nesting",
                       fmt::format("JSON nested deeper than {} levels; --max-nesting raises the limit", limits.nesting),
                       Place::in_file(file));
  return error("json-syntax", builder.message,
               place_of(text, builder.offset == 0 ? 0 : std::min(builder.offset - 1, text.size()), file));
}

}  // namespace heddle::base
