// SPDX-License-Identifier: MIT
// JSON as a tree of nodes. simdjson reads what is right; what it refuses nlohmann-json reads again, whose word decides
// and whose messages say where and why.

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "base/base64.hpp"
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

// What stands for a text that was cut out, and as it is read. Nothing is cut of a text that has the character itself.
constexpr std::string_view kCut = "\\u0001", kReadCut = "\u0001";

/// What is packed of one text.
struct Packing {
  const JsonPacking* wanted = nullptr;
  std::vector<std::vector<std::uint8_t>> cut;  ///< bytes of the texts that were cut out, in their order
  std::size_t next_cut = 0;

  /// Where an object stands: the text's own, the one whose members are arrays, any other.
  enum class Place : std::uint8_t { Root, Arrays, Other };
  [[nodiscard]] Place inside(Place place, std::string_view key) const {
    return wanted != nullptr && place == Place::Root && key == wanted->table ? Place::Arrays : Place::Other;
  }
  [[nodiscard]] bool takes(Place place, std::string_view key) const {
    if (wanted == nullptr || place == Place::Other) return false;
    return place == Place::Arrays || std::ranges::find(wanted->arrays, key) != wanted->arrays.end();
  }
};

/// Adds a number; false where it is none.
bool add_number(const dom::element& element, PackedValues& values) {
  switch (element.type()) {
    case dom::element_type::INT64:
      values.numbers.push_back(static_cast<double>(element.get_int64().value_unsafe()));
      return true;
    case dom::element_type::UINT64:
      values.numbers.push_back(static_cast<double>(element.get_uint64().value_unsafe()));
      return true;
    case dom::element_type::DOUBLE:
      values.integers = false;
      values.numbers.push_back(element.get_double().value_unsafe());
      return true;
    default:
      return false;
  }
}

/// The numbers of a long array; nullptr where it is short, or has other items.
std::shared_ptr<const PackedValues> pack_numbers(const dom::array& array) {
  auto values = std::make_shared<PackedValues>();
  const std::size_t count = std::min<std::size_t>(array.size(), 0xfffffe);
  if (count < JsonPacking::kLongNumbers) return nullptr;
  dom::array inner;
  const bool nested = (*array.begin()).get_array().get(inner) == simdjson::SUCCESS;
  if (nested) {
    values->each = inner.size();
    // Space is taken only for numbers that are there.
    for (const dom::element item : array)
      if (item.get_array().get(inner) != simdjson::SUCCESS || inner.size() != values->each) return nullptr;
    if (values->each == 0) return nullptr;
  }
  values->numbers.reserve(count * std::max<std::size_t>(1, values->each));
  for (const dom::element item : array) {
    if (!nested) {
      if (!add_number(item, *values)) return nullptr;
      continue;
    }
    inner = item.get_array().value_unsafe();  // a loop over a part of a temporary would outlive it
    for (const dom::element number : inner)
      if (!add_number(number, *values)) return nullptr;
  }
  return values;
}

bool build(const dom::element& element, Node& node, Packing& packing, Packing::Place place);

// NOLINTNEXTLINE(misc-no-recursion)
bool build_member(std::string_view key, const dom::element& value, Node& node, Packing& packing, Packing::Place place) {
  if (value.type() == dom::element_type::ARRAY && packing.takes(place, key)) {
    node.packed = pack_numbers(value.get_array().value_unsafe());
    if (node.packed) {
      node.kind = Node::Kind::Array;
      return true;
    }
  }
  if (!build(value, node, packing, packing.inside(place, key))) return false;
  if (node.text != kReadCut || packing.next_cut == packing.cut.size()) return true;
  auto bytes = std::make_shared<PackedValues>();
  bytes->bytes = std::move(packing.cut[packing.next_cut++]);
  node.packed = std::move(bytes);
  node.text.clear();
  return true;
}

/// False for what the slow way has to judge. As deep as the reader's limit of nesting.
// NOLINTNEXTLINE(misc-no-recursion)
bool build(const dom::element& element, Node& node, Packing& packing, Packing::Place place) {
  switch (element.type()) {
    case dom::element_type::ARRAY: {
      const dom::array array = element.get_array().value_unsafe();
      node.kind = Node::Kind::Array;
      node.items.reserve(std::min<std::size_t>(array.size(), 0xfffffe));  // beyond, simdjson does not count
      for (const dom::element item : array)
        if (!build(item, node.items.emplace_back(), packing, Packing::Place::Other)) return false;
      return true;
    }
    case dom::element_type::OBJECT: {
      const dom::object object = element.get_object().value_unsafe();
      node.kind = Node::Kind::Table;
      node.keys.reserve(std::min<std::size_t>(object.size(), 0xfffffe));
      node.items.reserve(node.keys.capacity());
      for (const dom::key_value_pair member : object) {
        node.keys.emplace_back(member.key);
        if (!build_member(member.key, member.value, node.items.emplace_back(), packing, place)) return false;
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

/// Where the text of the next member "base64" begins and ends; npos where there is none. The key's quotes can't be
/// those of a text that holds the word: there the first one has a backslash before it.
std::pair<std::size_t, std::size_t> next_base64(std::string_view text, std::size_t from) {
  constexpr std::string_view kKey = "\"base64\"", kSpace = " \t\r\n";
  for (;;) {
    const std::size_t at = text.find(kKey, from);
    if (at == std::string_view::npos) return {at, at};
    from = at + kKey.size();
    const std::size_t colon = text.find_first_not_of(kSpace, from);
    if ((at != 0 && text[at - 1] == '\\') || colon == std::string_view::npos || text[colon] != ':') continue;
    const std::size_t quote = text.find_first_not_of(kSpace, colon + 1);
    if (quote == std::string_view::npos || text[quote] != '"') continue;
    return {quote + 1, text.find('"', quote + 1)};
  }
}

/// What one thread reads with; it keeps its memory from one text to the next, unless that is large.
struct QuickReader {
  dom::parser parser;
  std::vector<char> padded;
  std::size_t size = 0;  ///< of the text in `padded`

  void append(std::string_view text) {
    if (!text.empty()) std::memcpy(padded.data() + size, text.data(), text.size());
    size += text.size();
  }

  /// The text into `padded`, but for what is long and in base64.
  void copy(std::string_view text, Packing& packing) {
    size = 0;
    std::size_t from = 0;
    if (packing.wanted != nullptr && text.size() > JsonPacking::kLongText) {
      for (auto [at, end] = next_base64(text, 0); end != std::string_view::npos;
           std::tie(at, end) = next_base64(text, end)) {
        if (end - at < JsonPacking::kLongText) continue;
        auto bytes = parse_base64(text.substr(at, end - at));
        if (!bytes) continue;
        packing.cut.push_back(std::move(*bytes));
        append(text.substr(from, at - from));
        append(kCut);
        from = end;
      }
    }
    append(text.substr(from));
    if (packing.cut.empty() || !has_cut_itself(packing.cut.size())) return;
    packing.cut.clear();
    size = 0;
    append(text);
  }

  bool read(std::string_view text, std::size_t nesting, const JsonPacking* wanted, Node& root) {
    constexpr std::size_t kKept = std::size_t{1} << 24, kMaxNesting = 1024;
    if (nesting > kMaxNesting || text.size() > simdjson::SIMDJSON_MAXSIZE_BYTES - simdjson::SIMDJSON_PADDING)
      return false;
    if (parser.max_depth() != nesting && parser.allocate(parser.capacity(), nesting) != simdjson::SUCCESS) return false;
    if (padded.size() < text.size() + simdjson::SIMDJSON_PADDING)
      padded.resize(text.size() + simdjson::SIMDJSON_PADDING);
    Packing packing{wanted, {}, 0};
    copy(text, packing);
    dom::element element;
    const bool good = parser.parse(padded.data(), size, false).get(element) == simdjson::SUCCESS &&
                      build(element, root, packing, Packing::Place::Root);
    if (text.size() > kKept) *this = QuickReader();
    return good;
  }

 private:
  /// Whether the text had the character before anything was cut out.
  [[nodiscard]] bool has_cut_itself(std::size_t cuts) const {
    const std::string_view text(padded.data(), size);
    std::size_t found = 0;
    for (std::size_t at = text.find(kCut); at != std::string_view::npos; at = text.find(kCut, at + 1)) ++found;
    return found != cuts;
  }
};

Place place_of(std::string_view text, std::size_t offset, const std::string& file) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return Place::text(file, static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(before.size() - start + 1));
}

}  // namespace

Result<Node> parse_json(std::string_view text, const std::string& file, const Limits& limits,
                        const JsonPacking* packing) {
  Node root;
  static thread_local QuickReader quick;
  if (quick.read(text, limits.nesting, packing, root)) return root;
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
