#include <fmt/format.h>

#include <algorithm>
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

}  // namespace

Result<Node> parse_json(std::string_view text, const std::string& file, const Limits& limits) {
  Node root;
  Builder builder(limits.nesting, root);
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return root;
  if (builder.too_deep)
    return limit_error("limit-nesting",
                       fmt::format("JSON nested deeper than {} levels; --max-nesting raises the limit", limits.nesting),
                       Place::in_file(file));
  const std::string_view before = text.substr(0, builder.offset == 0 ? 0 : builder.offset - 1);
  const std::size_t line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return error(
      "json-syntax", builder.message,
      Place::text(file, static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(before.size() - start + 1)));
}

}  // namespace heddle::base
