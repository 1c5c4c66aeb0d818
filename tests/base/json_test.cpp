// SPDX-License-Identifier: MIT
// The quick reader of JSON against nlohmann-json: the same texts are accepted, and mean the same.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "base/node.hpp"

namespace {

using heddle::base::Node;
using heddle::base::parse_json;
using nlohmann::json;

/// The same value, to the bit; members in the order of the text.
bool same(const Node& node, const nlohmann::ordered_json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return node.kind == Node::Kind::Null;
    case json::value_t::boolean:
      return node.kind == Node::Kind::Boolean && node.boolean == value.get<bool>();
    case json::value_t::number_integer:
      return node.kind == Node::Kind::Integer && !node.big && node.integer == value.get<std::int64_t>();
    case json::value_t::number_unsigned:
      return node.kind == Node::Kind::Integer &&
             static_cast<std::uint64_t>(node.integer) == value.get<std::uint64_t>() &&
             node.big == (value.get<std::uint64_t>() > INT64_MAX);
    case json::value_t::number_float:
      return node.kind == Node::Kind::Real &&
             std::bit_cast<std::uint64_t>(node.real) == std::bit_cast<std::uint64_t>(value.get<double>());
    case json::value_t::string:
      return node.kind == Node::Kind::Text && node.text == value.get<std::string>();
    case json::value_t::array: {
      if (node.kind != Node::Kind::Array || node.items.size() != value.size()) return false;
      for (std::size_t i = 0; i < value.size(); ++i)
        if (!same(node.items[i], value[i])) return false;
      return true;
    }
    case json::value_t::object: {
      if (node.kind != Node::Kind::Table || node.items.size() != value.size()) return false;
      std::size_t i = 0;
      for (const auto& [key, member] : value.items()) {
        if (node.keys[i] != key || !same(node.items[i], member)) return false;
        ++i;
      }
      return true;
    }
    default:
      return false;
  }
}

void expect_same(const std::string& text) {
  const auto mine = parse_json(text, "");
  const bool accepted = json::accept(text) && text.find('\0') == std::string::npos;
  if (!mine.ok()) {
    const std::string message = mine.diagnostics().front().message;
    if (message.ends_with("occurs twice")) return;  // a rule of ours
    EXPECT_FALSE(accepted) << text << "\n" << message;
  } else {
    ASSERT_TRUE(accepted) << text;
    EXPECT_TRUE(same(*mine, nlohmann::ordered_json::parse(text))) << text;
  }
}

struct Writer {
  std::mt19937_64 random;
  std::size_t below(std::size_t n) { return random() % n; }

  std::string number() {
    static const std::vector<std::string> kSpecial = {"-0",
                                                      "0",
                                                      "-0.0",
                                                      "1e999",
                                                      "-1e999",
                                                      "1e-400",
                                                      "5e-324",
                                                      "2.2250738585072011e-308",
                                                      "18446744073709551615",
                                                      "18446744073709551616",
                                                      "9223372036854775807",
                                                      "9223372036854775808",
                                                      "-9223372036854775808",
                                                      "-9223372036854775809",
                                                      "1.7976931348623157e308",
                                                      "1.7976931348623159e308",
                                                      "0.1e1",
                                                      "1E+2",
                                                      "01",
                                                      "1.",
                                                      ".5",
                                                      "+1",
                                                      "0x10",
                                                      "NaN",
                                                      "Infinity",
                                                      "-",
                                                      "1e",
                                                      "123456789012345678901234567890",
                                                      "0.30000000000000004",
                                                      "9007199254740993",
                                                      "9007199254740992.5",
                                                      "1.00000000000000011102230246251565404236316680908203125"};
    switch (below(4)) {
      case 0:
        return kSpecial[below(kSpecial.size())];
      case 1:
        return std::to_string(static_cast<std::int64_t>(random()) >> below(64));
      default: {
        const double value = std::bit_cast<double>(random());
        return json(std::isfinite(value) ? value : 0.5).dump();
      }
    }
  }
  std::string text() {
    static const std::vector<std::string> kParts = {"a",
                                                    "define",
                                                    "\\n",
                                                    "\\u0041",
                                                    "\\u0000",
                                                    "\\ud83d\\ude00",
                                                    "\\ud83d",
                                                    "\\ude00",
                                                    "\\ude00\\ud83d",
                                                    "\xc3\xa9",
                                                    "\xc3",
                                                    "\xed\xa0\x80",
                                                    "\xf4\x90\x80\x80",
                                                    "\xf0\x9f\x98\x80",
                                                    "\xc0\x80",
                                                    "\x7f",
                                                    "\t",
                                                    "\\/",
                                                    "\\x",
                                                    "\\u12",
                                                    " ",
                                                    "\xef\xbf\xbf"};
    std::string s = "\"";
    for (std::size_t n = below(4); n > 0; --n) s += kParts[below(kParts.size())];
    return s + "\"";
  }
  std::string value(unsigned depth) {
    switch (below(depth == 0 ? 5 : 8)) {
      case 0:
        return "null";
      case 1:
        return below(2) != 0 ? "true" : "false";
      case 2:
      case 3:
        return number();
      case 4:
        return text();
      default:
        break;
    }
    const bool object = below(2) != 0;
    std::string s = object ? "{" : "[";
    for (std::size_t i = 0, n = below(5); i < n; ++i) {
      if (i != 0) s += below(40) == 0 ? " " : ",";
      if (object) s += text() + (below(8) == 0 ? " : " : ":");
      s += value(depth - 1);
    }
    return s + (object ? "}" : "]");
  }
};

TEST(Json, RandomTextsReadAsNlohmannReadsThem) {
  for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
    Writer writer{std::mt19937_64(seed)};
    std::string text = writer.value(4);
    expect_same(text);
    // Damaged: a byte removed, doubled or replaced, or an end cut off.
    for (unsigned i = 0; i < 3 && !text.empty(); ++i) {
      static constexpr char kBytes[] = "\0\1 \t\r\n\"\\{}[],:0e.-+tfnu\x80\xef\xbb\xff";
      const std::size_t at = writer.below(text.size());
      switch (writer.below(4)) {
        case 0:
          text.erase(at, 1);
          break;
        case 1:
          text.insert(at, 1, text[at]);
          break;
        case 2:
          text[at] = kBytes[writer.below(sizeof kBytes - 1)];
          break;
        default:
          text.resize(at);
          break;
      }
      expect_same(text);
    }
    if (HasFatalFailure() || HasNonfatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(Json, EdgesReadAsNlohmannReadsThem) {
  for (const std::string text : {"",
                                 " ",
                                 "\xef\xbb\xbf{}",
                                 "\xef\xbb\xbf",
                                 "\xef\xbb",
                                 "1",
                                 "\"x\"",
                                 "[1] ",
                                 "[1]x",
                                 "{\"a\":1}{",
                                 "[[]]",
                                 "[,]",
                                 "[1,]",
                                 "{\"a\"}",
                                 "{,}",
                                 "nul",
                                 "truex",
                                 "\"\\ud800\"",
                                 "\"\\udc00\"",
                                 "\"\\ud800\\u0041\"",
                                 "\"\\udc00\\ud800\"",
                                 "\"\\uDBFF\\uDFFF\"",
                                 "[\"\x01\"]",
                                 "/**/1",
                                 "[1]//",
                                 "'a'",
                                 "[1e5,1E5,1e+05]",
                                 "\f1",
                                 "\xa0"})
    expect_same(text);
  std::string wide = "[";
  for (int i = 0; i < 70000; ++i) wide += std::to_string(i) + ",";
  expect_same(wide + "0]");
}

// A NUL byte is an error wherever it stands, with its place; nlohmann takes it for the end of the text.
TEST(Json, NulBytes) {
  const auto node = parse_json(std::string("{\"a\":\n1}\0 junk", 14), "t.json");
  ASSERT_FALSE(node.ok());
  EXPECT_EQ(node.diagnostics().front().message, "a NUL byte");
  EXPECT_EQ(node.diagnostics().front().place.line, 2u);
  EXPECT_EQ(node.diagnostics().front().place.column, 3u);
}

// The same duplicates and the same nesting as before, whoever read the text.
TEST(Json, DuplicatesAndNesting) {
  std::string many = "{";
  for (int i = 0; i < 40; ++i) many += "\"m" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  for (const std::string& text :
       std::vector<std::string>{R"({"a":1,"b":{"x":1,"y":2,"x":3}})", R"({"a":1,"\u0061":2})", many + "\"m7\":1}"}) {
    const auto node = parse_json(text, "");
    ASSERT_FALSE(node.ok()) << text;
    EXPECT_TRUE(node.diagnostics().front().message.ends_with("occurs twice")) << node.diagnostics().front().message;
  }
  EXPECT_TRUE(parse_json(many + "\"m\":1}", "").ok());
  heddle::base::Limits limits;
  limits.nesting = 10;
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_json(nested(10), "", limits).ok());
  const auto deep = parse_json(nested(11), "", limits);
  ASSERT_FALSE(deep.ok());
  EXPECT_EQ(deep.diagnostics().front().id, "limit-nesting");
  limits.nesting = 100000;  // deeper than the quick reader goes
  EXPECT_TRUE(parse_json(nested(5000), "", limits).ok());
  EXPECT_TRUE(parse_json(nested(200), "").ok());
  EXPECT_FALSE(parse_json(nested(257), "").ok());
}

constexpr std::string_view kPackedArrays[] = {"uv", "active"};
constexpr heddle::base::JsonPacking kPacking{kPackedArrays, "params"};

std::string repeated(const std::string& item, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + item;
  return text;
}

Node packed(const std::string& text) {
  const auto node = parse_json(text, "", {}, &kPacking);
  EXPECT_TRUE(node.ok()) << text.substr(0, 200);
  return node.ok() ? *node : Node();
}

// Long arrays of numbers where they were asked for come in one piece, with the values that their nodes would have.
// Space is taken for numbers that are there, not for as many as the first item promises.
TEST(JsonPacking, RowsOfOtherLengthsTakeNoSpace) {
  const Node node = packed("{\"uv\":[[" + repeated("0", 20000) + "]," + repeated("[]", 100000) + "]}");
  ASSERT_EQ(node.keys.size(), 1u);
  EXPECT_FALSE(node.items[0].packed);
  EXPECT_EQ(node.items[0].items.size(), 100001u);
}

TEST(JsonPacking, Numbers) {
  const Node flat = packed("{\"active\":[0,-7,18446744073709551615," + repeated("1", 61) + "]}");
  const Node& active = *flat.find("active");
  ASSERT_TRUE(active.packed);
  EXPECT_EQ(active.kind, Node::Kind::Array);
  EXPECT_TRUE(active.items.empty());
  EXPECT_EQ(active.packed->numbers.size(), 64u);
  EXPECT_EQ(active.packed->numbers[1], -7.0);
  EXPECT_EQ(active.packed->numbers[2], 18446744073709551615.0);
  EXPECT_EQ(active.packed->each, 0u);
  EXPECT_TRUE(active.packed->integers);
  const Node nested = packed("{\"params\":{\"u\":[" + repeated("[1,2.5,1e-3]", 64) + "]}}");
  const Node& u = *nested.find("params")->find("u");
  ASSERT_TRUE(u.packed);
  EXPECT_EQ(u.packed->each, 3u);
  EXPECT_FALSE(u.packed->integers);
  ASSERT_EQ(u.packed->numbers.size(), 192u);
  EXPECT_EQ(u.packed->numbers[190], 2.5);
  EXPECT_EQ(u.packed->numbers[191], 1e-3);
}

// What is short, mixed or elsewhere has nodes, as without packing.
TEST(JsonPacking, WhatIsNotPacked) {
  const std::string many = repeated("1", 63);
  for (const std::string& text : {"{\"uv\":[" + many + "]}",                           // short
                                  "{\"data\":[" + many + ",1]}",                       // another member
                                  "{\"surface\":{\"uv\":[" + many + ",1]}}",           // of another object
                                  "{\"params\":{\"u\":{\"v\":[" + many + ",1]}}}",     // too deep
                                  "[[" + many + ",1]]",                                // no object
                                  "{\"uv\":[" + many + ",\"0x1\"]}",                   // a text among them
                                  "{\"uv\":[" + repeated("[1,2]", 63) + ",[1]]}",      // of two lengths
                                  "{\"uv\":[" + repeated("[1,2]", 63) + ",[1,[2]]]}",  // deeper
                                  "{\"uv\":[" + repeated("[]", 64) + "]}",             // nothing in them
                                  "{\"uv\":[" + repeated("[1,2]", 63) + ",3]}"}) {
    const Node node = packed(text);
    EXPECT_TRUE(same(node, nlohmann::ordered_json::parse(text))) << text.substr(0, 60);
  }
  EXPECT_FALSE(parse_json("{\"uv\":[" + many + ",01]}", "", {}, &kPacking).ok());
}

// Long texts in base64 come as bytes, wherever they stand; everything else is a text as it was.
TEST(JsonPacking, Base64) {
  const std::string text = "AAEC", good = std::string(1024, 'A') + "AQID", odd = std::string(1027, 'A');
  const Node node = packed("{\"uv\": {\"base64\" :\t\"" + good + "\"}, \"params\":{\"u\":{\"base64\":\"" + text +
                           "\"},\"v\":{\"base64\":\"" + good + "\"}},\"id\":\"" + good + "\"}");
  for (const Node* member : {node.find("uv"), node.find("params")->find("v")}) {
    const Node& bytes = *member->find("base64");
    ASSERT_TRUE(bytes.packed);
    EXPECT_EQ(bytes.kind, Node::Kind::Text);
    ASSERT_EQ(bytes.packed->bytes.size(), 771u);
    EXPECT_EQ(bytes.packed->bytes[770], 3);
  }
  EXPECT_EQ(node.find("params")->find("u")->find("base64")->text, text);
  EXPECT_EQ(node.find("id")->text, good);
  for (const std::string& whole :
       {"{\"base64\":\"" + odd + "\"}", "{\"base64\":\"" + std::string(1024, '!') + "\"}",         // no base64
        "{\"a\\\"base64\":\"" + good + "\"}", "{\"id\":\"\\\"base64\\\":\\\"" + good + "\\\"\"}",  // within a text
        "{\"base64\":[\"" + good + "\"]}",                                                         // no text
        "{\"id\":\"\\u0001\",\"uv\":{\"base64\":\"" + good + "\"}}",                               // the mark itself
        "{\"b\\u0061se64\":\"" + good + "\"}"})
    EXPECT_TRUE(same(packed(whole), nlohmann::ordered_json::parse(whole))) << whole.substr(0, 60);
  EXPECT_FALSE(parse_json("{\"base64\":\"" + good, "", {}, &kPacking).ok());
  EXPECT_FALSE(parse_json("{\"base64\":\"" + good + "\"", "", {}, &kPacking).ok());
  EXPECT_FALSE(parse_json("{\"a\":\"base64\":\"" + good + "\"}", "", {}, &kPacking).ok());
}

}  // namespace
