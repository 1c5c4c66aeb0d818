// SPDX-License-Identifier: MIT
// Base64 (RFC 4648, section 4): the vectors' way and the way of the last groups give the same.

#include "base/base64.hpp"

#include <gtest/gtest.h>

#include <random>

namespace {

using heddle::base::append_base64;
using heddle::base::parse_base64;

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string as_text(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  append_base64(text, bytes);
  return text;
}

/// Six bits at a time.
std::string slowly(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size() * 8; i += 6) {
    unsigned bits = 0;
    for (std::size_t k = i; k < i + 6; ++k)
      bits = bits << 1 | (k / 8 < bytes.size() ? bytes[k / 8] >> (7 - k % 8) & 1u : 0);
    text += kAlphabet[bits];
  }
  while (text.size() % 4 != 0) text += '=';
  return text;
}

TEST(Base64, TheStandardsExamples) {
  const std::string foobar = "foobar";
  const std::string expected[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
  for (std::size_t n = 0; n <= foobar.size(); ++n)
    EXPECT_EQ(as_text({foobar.begin(), foobar.begin() + static_cast<std::ptrdiff_t>(n)}), expected[n]);
  std::string text = "before:";
  append_base64(text, std::vector<std::uint8_t>{0xfb, 0xff});
  EXPECT_EQ(text, "before:+/8=");
}

TEST(Base64, EveryLengthThereAndBack) {
  std::mt19937 random(1);
  for (std::size_t length = 0; length < 500; ++length) {
    std::vector<std::uint8_t> bytes(length);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    const std::string text = as_text(bytes);
    ASSERT_EQ(text, slowly(bytes)) << length;
    ASSERT_EQ(parse_base64(text), bytes) << length;
  }
  std::vector<std::uint8_t> many(100001);  // more than the encoder takes at a time
  for (std::uint8_t& byte : many) byte = static_cast<std::uint8_t>(random());
  EXPECT_EQ(as_text(many), slowly(many));
  EXPECT_EQ(parse_base64(as_text(many)), many);
}

// Each of the 256 characters at each place: read where the alphabet has it, refused where not.
TEST(Base64, EveryCharacterAtEveryPlace) {
  for (std::size_t place = 0; place < 96; ++place)
    for (int c = 0; c < 256; ++c) {
      std::string text(96, 'A');
      text[place] = static_cast<char>(c);
      const std::size_t bits = kAlphabet.find(text[place]);
      const auto bytes = parse_base64(text);
      ASSERT_EQ(bytes.has_value(), bits != std::string_view::npos || (c == '=' && place == 95)) << place << " " << c;
      if (bits == std::string_view::npos) continue;
      ASSERT_EQ(as_text(*bytes), text) << place << " " << c;
    }
}

TEST(Base64, WhatIsRefused) {
  for (const std::string_view text :
       {"A", "AA", "AAA", "AAAAA", "====", "A===", "AA=A", "AAA=AAAA", "AB==", "AAB=", "AA==\n"})
    EXPECT_FALSE(parse_base64(text)) << text;
}

}  // namespace
