// SPDX-License-Identifier: MIT
// The bytes of every golden line decode and encode again to themselves.
// Rules: ENC-24 to ENC-35.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "binary/decode.hpp"
#include "binary/writer.hpp"

namespace heddle {
namespace {

std::string data(const std::string& name) { return std::string(HEDDLE_SOURCE_DIR) + "/tests/data/" + name; }

/// The declarations of prologue.visaasm, with labels and strings as the line needs them.
isa::Object prologue() {
  isa::Object object;
  object.name = "k";
  std::ifstream in(data("golden/prologue.visaasm"));
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string directive, name, kind;
    words >> directive >> name >> kind;
    if (directive != ".decl") continue;
    const auto value = [&](const std::string& key) {
      const std::size_t at = line.find(key + "=");
      return at == std::string::npos ? std::string()
                                     : line.substr(at + key.size() + 1, line.find(' ', at) - at - key.size() - 1);
    };
    const auto elements = static_cast<std::uint32_t>(std::stoul(value("num_elts")));
    if (kind == "v_type=G") {
      isa::GeneralVariable v;
      v.name = name;
      v.type = *isa::find_type(value(" type"));
      v.elements = elements;
      object.variables.push_back(v);
      continue;
    }
    isa::PlainVariable v;
    v.name = name;
    v.elements = elements;
    (kind == "v_type=A"   ? object.addresses
     : kind == "v_type=P" ? object.predicates
     : kind == "v_type=S" ? object.samplers
                          : object.surfaces)
        .push_back(v);
  }
  return object;
}

struct Token {
  std::size_t at;  ///< byte position
  char kind;       ///< 'L', '4', '2'
  std::string name;
};

/// Bytes with zeros for the tokens; the tokens aside.
std::vector<std::uint8_t> parse_bytes(const std::string& text, std::vector<Token>& tokens) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ') {
      ++i;
    } else if (text[i] == '{') {
      const std::size_t colon = text.find(':', i), end = text.find('}', i);
      const std::string tag = text.substr(i + 1, colon - i - 1);
      const char kind = tag == "L" ? 'L' : tag == "S4" ? '4' : '2';
      tokens.push_back({bytes.size(), kind, text.substr(colon + 1, end - colon - 1)});
      bytes.insert(bytes.end(), kind == '4' ? 4 : 2, 0);
      i = end + 1;
    } else {
      bytes.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
      i += 2;
    }
  }
  return bytes;
}

void put(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint32_t value, unsigned count) {
  for (unsigned i = 0; i < count; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

class GoldenFile : public testing::TestWithParam<const char*> {};

TEST_P(GoldenFile, BytesSurviveDecodingAndEncoding) {
  std::ifstream in(data(std::string("golden/") + GetParam() + ".txt"));
  ASSERT_TRUE(in.good());
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> columns;
    std::istringstream split(line);
    for (std::string column; std::getline(split, column, '\t');) columns.push_back(column);
    const std::size_t bytes_column = std::string(GetParam()).find("dialect") != std::string::npos ? 3 : 2;
    ASSERT_GT(columns.size(), bytes_column) << line;
    SCOPED_TRACE(columns[1]);
    std::vector<Token> tokens;
    std::vector<std::uint8_t> bytes = parse_bytes(columns[bytes_column], tokens);
    isa::Object object = prologue();
    std::vector<std::string_view> pool;
    std::map<std::string, std::uint32_t> labels, strings;
    for (const Token& token : tokens) {
      if (token.kind == 'L') {
        if (labels.try_emplace(token.name, static_cast<std::uint32_t>(object.labels.size())).second)
          object.labels.push_back({.name = token.name});
        put(bytes, token.at, labels[token.name], 2);
      } else {
        if (strings.try_emplace(token.name, static_cast<std::uint32_t>(pool.size())).second) pool.push_back(token.name);
        put(bytes, token.at, strings[token.name], token.kind == '4' ? 4 : 2);
      }
    }
    isa::Program program;
    base::Diagnostics diagnostics;
    const std::string file = "golden";
    binary::CodeContext context{file};
    context.instruction_limit = 1000;
    const auto platform = isa::find_platform(columns[0]);
    ASSERT_TRUE(platform);
    context.grf_bytes = isa::platform_info(*platform).grf_bytes;
    binary::StringUse use{pool, {}};
    const binary::CodeResult result = binary::decode_code(bytes, 0, context, object, use, diagnostics);
    EXPECT_TRUE(result.complete && !diagnostics.has_errors()) << base::render(diagnostics, {}, false);
    binary::ObjectEncoder encoder(program, object, {.platform = platform});
    for (const Token& token : tokens)
      if (token.kind != 'L') put(bytes, token.at, encoder.pool_index(token.name), token.kind == '4' ? 4 : 2);
    base::ByteWriter out;
    for (const isa::Instruction& instruction : object.instructions) {
      std::vector<binary::FieldSpan> spans;
      const std::size_t start = out.size();
      encoder.encode(instruction, out, diagnostics, &spans);
      std::size_t at = 0;  // the spans cover the instruction without gaps
      for (const binary::FieldSpan& span : spans) {
        EXPECT_EQ(span.offset, at) << span.name;
        at += span.length;
      }
      EXPECT_EQ(at, out.size() - start);
      EXPECT_EQ(instruction.length, out.size() - start);
    }
    EXPECT_FALSE(diagnostics.has_errors()) << base::render(diagnostics, {}, false);
    EXPECT_EQ(out.data(), bytes);
    ++lines;
  }
  EXPECT_GT(lines, 2u);
}

INSTANTIATE_TEST_SUITE_P(Lines, GoldenFile,
                         testing::Values("info", "sample_unorm", "sample4", "rt_write", "sample_load", "arithmetic",
                                         "logic", "move", "flow", "memory", "lsc", "misc", "lenient", "seed-dialect",
                                         "footprint"));

}  // namespace
}  // namespace heddle
