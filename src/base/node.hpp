// SPDX-License-Identifier: MIT
#pragma once
// A tree of values with source positions: what TOML jobs and JSON requests are read into, so that one reader of an
// object (surface, sampler, target state) serves both. Strict: every member must be asked for, or it is reported as
// unknown.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/limits.hpp"
#include "base/result.hpp"

namespace heddle::base {

/// What a reader takes in one piece rather than as nodes (JsonPacking).
struct PackedValues {
  std::vector<double> numbers;      ///< an array's, those of its arrays one after another
  std::size_t each = 0;             ///< 0: the array has numbers, no arrays; else the numbers of each of its arrays
  bool integers = true;             ///< all are written as integers
  std::vector<std::uint8_t> bytes;  ///< of a text in base64
};

struct Node {
  enum class Kind : std::uint8_t { Null, Boolean, Integer, Real, Text, Array, Table };
  Kind kind = Kind::Null;
  bool boolean = false;
  std::int64_t integer = 0;  ///< Integer; values above INT64_MAX are kept as their two's complement with `big`
  bool big = false;          ///< Integer: the value is uint64_t(integer), above INT64_MAX
  double real = 0;
  std::string text;
  std::vector<std::string> keys;  ///< Table: one for each item, in file order
  std::vector<Node> items;        ///< Array, Table
  std::shared_ptr<const PackedValues>
      packed;  ///< where there is one: an array's numbers, in place of items; a text's bytes
  static constexpr std::uint32_t kCommandLine = UINT32_MAX;
  std::uint32_t line = 0, column = 0, length = 0;  ///< of the value; line 0 = unknown, kCommandLine = a flag
  std::string_view flag;  ///< with kCommandLine: "--threads" or the like, a literal; empty where it is the argument
  std::vector<std::pair<std::uint32_t, std::uint32_t>> key_places;  ///< Table, where known: line and column of each key

  [[nodiscard]] bool is_number() const { return kind == Kind::Integer || kind == Kind::Real; }
  [[nodiscard]] double as_real() const {
    return kind == Kind::Real ? real
           : big              ? static_cast<double>(static_cast<std::uint64_t>(integer))
                              : static_cast<double>(integer);
  }
  [[nodiscard]] const Node* find(std::string_view key) const;  ///< Table; nullptr when absent
  static Node make_table();
  static Node make_text(std::string value);
  Node& add(std::string key, Node value);  ///< Table
  Node* find(std::string_view key);
  /// Tables: members of `other` replace those of the same name, tables member by member.
  void merge(Node other);
};

/// "a number", "a table" ...: for messages about values of the wrong type.
[[nodiscard]] std::string_view kind_name(Node::Kind kind);

/// Which values of a JSON object are left in one piece where they are long (kLongNumbers, kLongText): no node is made
/// for a number, and texts are not copied. Their readers look at Node::packed first.
struct JsonPacking {
  std::span<const std::string_view> arrays;  ///< members of the object that are arrays of numbers, or of arrays of them
  std::string_view table;                    ///< the member whose own members are such arrays
  static constexpr std::size_t kLongNumbers = 64, kLongText = 1024;
};

/// Reads JSON (RFC 8259, numbers as 64-bit integers where they are written so). `file` names the input in diagnostics.
/// With `packing` long arrays of numbers, and texts in base64 that are members "base64", are packed.
/// Ids: json-syntax, limit-nesting.
[[nodiscard]] Result<Node> parse_json(std::string_view text, const std::string& file, const Limits& limits = {},
                                      const JsonPacking* packing = nullptr);

/// Where diagnostics about nodes point and how their ids begin.
struct NodeContext {
  std::string file;
  std::string id = "job";  ///< ids are "<id>-key", "<id>-type", "<id>-value", "<id>-missing"
  Diagnostics* diagnostics = nullptr;

  [[nodiscard]] Place place(const Node& node) const;
  void error(std::string_view kind, std::string message, const Node& at, std::string note = {}) const;
};

/// Reads the members of one table. Each getter names the member it knows; a member of the wrong type is reported and
/// counts as absent. finish() reports the members that nobody asked for, with the nearest known word.
class TableReader {
 public:
  /// `what` names the table in messages: "[images.src]". A node that is no table is reported here.
  TableReader(const Node& table, const NodeContext& context, std::string what);

  const Node* any(std::string_view key);
  const Node* table(std::string_view key);
  const Node* array(std::string_view key);
  std::optional<std::string> text(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  std::optional<double> number(std::string_view key);
  std::optional<std::int64_t> integer(std::string_view key, std::int64_t low, std::int64_t high);
  /// Words that are known here although nobody reads them now.
  void know(std::string_view key) { known_.push_back(key); }
  void finish();

  [[nodiscard]] bool has(std::string_view key) const { return table_ != nullptr && table_->find(key) != nullptr; }
  [[nodiscard]] const std::string& what() const { return what_; }
  [[nodiscard]] const NodeContext& context() const { return context_; }
  void wrong_type(std::string_view key, const Node& value, std::string_view expected) const;
  void wrong_value(std::string_view key, const Node& value, std::string message, std::string note = {}) const;

  /// A word of a closed set: `find` returns optional<E>, `words` are offered when it fails.
  template <typename Find>
  auto word(std::string_view key, Find find, const std::vector<std::string_view>& words)
      -> decltype(find(std::string_view{})) {
    const Node* node = any(key);
    if (node == nullptr) return {};
    if (node->kind != Node::Kind::Text) {
      wrong_type(key, *node, "a text");
      return {};
    }
    auto result = find(std::string_view(node->text));
    if (!result) unknown_word(key, *node, words);
    return result;
  }

 private:
  void unknown_word(std::string_view key, const Node& value, const std::vector<std::string_view>& words) const;
  const Node* table_ = nullptr;
  const NodeContext& context_;
  std::string what_;
  std::vector<std::string_view> known_;
};

/// Bits of a number written as "0x..." (at most `digits` hexadecimal digits).
[[nodiscard]] std::optional<std::uint64_t> parse_hex(std::string_view text, unsigned digits = 16);
/// Bytes of a hexadecimal string, lowest address first; nullopt when it has an odd length or another character.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> parse_bytes(std::string_view text);

}  // namespace heddle::base
