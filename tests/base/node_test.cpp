// SPDX-License-Identifier: MIT
#include "base/node.hpp"

#include <gtest/gtest.h>

using namespace heddle::base;

namespace {

TEST(Node, JsonKeepsIntegersExact) {
  const auto node =
      parse_json(R"({"a": 18446744073709551615, "b": -9223372036854775808, "c": [1.5, true, null, "x"]})", "t.json");
  ASSERT_TRUE(node.ok());
  EXPECT_TRUE(node->find("a")->big);
  EXPECT_EQ(static_cast<std::uint64_t>(node->find("a")->integer), UINT64_MAX);
  EXPECT_EQ(node->find("b")->integer, INT64_MIN);
  EXPECT_EQ(node->find("c")->items.size(), 4u);
}

TEST(Node, JsonErrorsHavePlaces) {
  const auto node = parse_json("{\n  \"a\": 1,,\n}", "t.json");
  ASSERT_FALSE(node.ok());
  EXPECT_EQ(node.diagnostics()[0].id, "json-syntax");
  EXPECT_EQ(node.diagnostics()[0].place.line, 2u);
  EXPECT_EQ(node.diagnostics()[0].place.column, 10u);
  EXPECT_FALSE(parse_json("{\"a\":1,\"a\":2}", "t.json").ok());
}

TEST(Node, DeepJsonHitsTheLimit) {
  const auto node = parse_json(std::string(1000000, '['), "t.json");
  ASSERT_FALSE(node.ok());
  EXPECT_TRUE(node.diagnostics()[0].is_limit);
}

TEST(TableReader, ReportsUnknownKeysWithTheNearestWord) {
  const auto node = parse_json(R"({"formt": "x", "size": "big", "count": 3})", "t.json");
  ASSERT_TRUE(node.ok());
  Diagnostics diagnostics;
  const NodeContext context{"t.json", "job", &diagnostics};
  TableReader reader(*node, context, "[images.a]");
  reader.text("format");
  EXPECT_FALSE(reader.number("size"));
  EXPECT_EQ(reader.integer("count", 0, 10), 3);
  reader.finish();
  ASSERT_EQ(diagnostics.errors(), 2u);
  EXPECT_EQ(diagnostics.all()[0].id, "job-type");
  EXPECT_EQ(diagnostics.all()[1].id, "job-key");
  EXPECT_EQ(diagnostics.all()[1].notes[0].message, "did you mean 'format'?");
}

TEST(TableReader, RangesAndWords) {
  const auto node = parse_json(R"({"n": 11, "e": 1e3, "f": 1.5})", "t.json");
  Diagnostics diagnostics;
  const NodeContext context{"t.json", "job", &diagnostics};
  TableReader reader(*node, context, "x");
  EXPECT_FALSE(reader.integer("n", 0, 10));
  EXPECT_EQ(reader.integer("e", 0, 1000), 1000);
  EXPECT_FALSE(reader.integer("f", 0, 10));
  EXPECT_EQ(diagnostics.errors(), 2u);
}

TEST(Node, HexAndBytes) {
  EXPECT_EQ(parse_hex("0x7fc00000", 8), 0x7fc00000u);
  EXPECT_FALSE(parse_hex("0x123456789", 8));
  EXPECT_FALSE(parse_hex("7f"));
  EXPECT_EQ(parse_bytes("0000803F"), (std::vector<std::uint8_t>{0, 0, 0x80, 0x3f}));
  EXPECT_FALSE(parse_bytes("123"));
}

}  // namespace
