// SPDX-License-Identifier: MIT
#include "base/node.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::base {

const Node* Node::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i] == key) return &items[i];
  return nullptr;
}

Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

void Node::merge(Node other) {
  for (std::size_t i = 0; i < other.keys.size(); ++i) {
    Node* mine = find(other.keys[i]);
    if (mine == nullptr) {
      key_places.resize(keys.size());
      add(std::move(other.keys[i]), std::move(other.items[i]));
      key_places.push_back(i < other.key_places.size() ? other.key_places[i]
                                                       : std::pair{items.back().line, items.back().column});
    } else if (mine->kind == Kind::Table && other.items[i].kind == Kind::Table) {
      mine->merge(std::move(other.items[i]));
    } else {
      *mine = std::move(other.items[i]);
    }
  }
}

Node Node::make_table() {
  Node node;
  node.kind = Kind::Table;
  return node;
}

Node Node::make_text(std::string value) {
  Node node;
  node.kind = Kind::Text;
  node.text = std::move(value);
  return node;
}

Node& Node::add(std::string key, Node value) {
  keys.push_back(std::move(key));
  items.push_back(std::move(value));
  return items.back();
}

std::string_view kind_name(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::Null:
      return "null";
    case Node::Kind::Boolean:
      return "true or false";
    case Node::Kind::Integer:
      return "an integer";
    case Node::Kind::Real:
      return "a number with a fraction";
    case Node::Kind::Text:
      return "a text";
    case Node::Kind::Array:
      return "an array";
    case Node::Kind::Table:
      return "a table";
  }
  return "a value";
}

Place NodeContext::place(const Node& node) const {
  if (node.line == Node::kCommandLine) return Place::command_line(node.flag);
  return node.line == 0 ? (file.empty() ? Place{} : Place::in_file(file))
                        : Place::text(file, node.line, node.column, node.length);
}

void NodeContext::error(std::string_view kind, std::string message, const Node& at, std::string note) const {
  Diagnostic d = base::error(fmt::format("{}-{}", id, kind), std::move(message), place(at));
  if (!note.empty()) d.note(std::move(note));
  diagnostics->add(std::move(d));
}

TableReader::TableReader(const Node& table, const NodeContext& context, std::string what)
    : table_(&table), context_(context), what_(std::move(what)) {
  if (table.kind == Node::Kind::Table) return;
  context_.error("type", fmt::format("{} must be a table, not {}", what_, kind_name(table.kind)), table);
  table_ = nullptr;
}

const Node* TableReader::any(std::string_view key) {
  known_.push_back(key);
  return table_ == nullptr ? nullptr : table_->find(key);
}

void TableReader::wrong_type(std::string_view key, const Node& value, std::string_view expected) const {
  context_.error("type", fmt::format("'{}' of {} must be {}, not {}", key, what_, expected, kind_name(value.kind)),
                 value);
}

void TableReader::wrong_value(std::string_view key, const Node& value, std::string message, std::string note) const {
  context_.error("value", fmt::format("'{}' of {}: {}", key, what_, message), value, std::move(note));
}

void TableReader::unknown_word(std::string_view key, const Node& value,
                               const std::vector<std::string_view>& words) const {
  const std::string_view near = nearest(value.text, words);
  std::string note;
  if (!near.empty())
    note = fmt::format("did you mean '{}'?", near);
  else if (!words.empty() && words.size() <= 24)
    note = fmt::format("one of: {}", fmt::join(words, " "));
  wrong_value(key, value, fmt::format("unknown word '{}'", value.text), std::move(note));
}

const Node* TableReader::table(std::string_view key) {
  const Node* node = any(key);
  if (node == nullptr || node->kind == Node::Kind::Table) return node;
  wrong_type(key, *node, "a table");
  return nullptr;
}

const Node* TableReader::array(std::string_view key) {
  const Node* node = any(key);
  if (node == nullptr || node->kind == Node::Kind::Array) return node;
  wrong_type(key, *node, "an array");
  return nullptr;
}

std::optional<std::string> TableReader::text(std::string_view key) {
  const Node* node = any(key);
  if (node == nullptr) return std::nullopt;
  if (node->kind == Node::Kind::Text) return node->text;
  wrong_type(key, *node, "a text");
  return std::nullopt;
}

std::optional<bool> TableReader::boolean(std::string_view key) {
  const Node* node = any(key);
  if (node == nullptr) return std::nullopt;
  if (node->kind == Node::Kind::Boolean) return node->boolean;
  wrong_type(key, *node, "true or false");
  return std::nullopt;
}

std::optional<double> TableReader::number(std::string_view key) {
  const Node* node = any(key);
  if (node == nullptr) return std::nullopt;
  if (node->is_number()) return node->as_real();
  wrong_type(key, *node, "a number");
  return std::nullopt;
}

std::optional<std::int64_t> TableReader::integer(std::string_view key, std::int64_t low, std::int64_t high) {
  const Node* node = any(key);
  if (node == nullptr) return std::nullopt;
  std::int64_t value = node->integer;
  if (node->kind == Node::Kind::Real &&
      node->real == static_cast<double>(static_cast<std::int64_t>(std::clamp(node->real, -9e18, 9e18))))
    value = static_cast<std::int64_t>(node->real);  // 1e9 is an integer here
  else if (node->kind != Node::Kind::Integer) {
    wrong_type(key, *node, "an integer");
    return std::nullopt;
  }
  if (node->big || value < low || value > high) {
    wrong_value(key, *node, fmt::format("the number must lie between {} and {}", low, high));
    return std::nullopt;
  }
  return value;
}

void TableReader::finish() {
  if (table_ == nullptr) return;
  for (std::size_t i = 0; i < table_->keys.size(); ++i) {
    const std::string& key = table_->keys[i];
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    Node at;
    if (i < table_->key_places.size()) {
      at.line = table_->key_places[i].first;
      at.column = table_->key_places[i].second;
      at.length = static_cast<std::uint32_t>(key.size());
    } else {
      at.line = table_->items[i].line;
      at.column = table_->items[i].column;
    }
    const std::string_view near = nearest(key, known_);
    std::string note;
    if (!near.empty())
      note = fmt::format("did you mean '{}'?", near);
    else {
      std::vector<std::string_view> words = known_;
      std::sort(words.begin(), words.end());
      words.erase(std::unique(words.begin(), words.end()), words.end());
      if (!words.empty()) note = fmt::format("{} knows: {}", what_, fmt::join(words, " "));
    }
    context_.error("key", fmt::format("unknown key '{}' in {}", key, what_), at, std::move(note));
  }
}

std::optional<std::uint64_t> parse_hex(std::string_view text, unsigned digits) {
  if (text.size() < 3 || text[0] != '0' || (text[1] != 'x' && text[1] != 'X') || text.size() - 2 > digits)
    return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text.substr(2)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<unsigned>(digit);
  }
  return value;
}

std::optional<std::vector<std::uint8_t>> parse_bytes(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::vector<std::uint8_t> bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return bytes;
}

}  // namespace heddle::base
