// SPDX-License-Identifier: MIT
// Formats of messages that programs print, and the buffers they come in. Rules: SPV-37.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "shader_interface/messages.hpp"

namespace heddle::shader_interface {
namespace {

using ::testing::ElementsAre;

PrintArgument real(std::initializer_list<float> values) {
  PrintArgument a{ElementType::F32, {}, {}};
  for (const float v : values) a.values.push_back(std::bit_cast<std::uint32_t>(v));
  return a;
}
PrintArgument twice(double value) { return {ElementType::F64, {std::bit_cast<std::uint64_t>(value)}, {}}; }
PrintArgument whole(ElementType type, std::initializer_list<std::uint64_t> values) { return {type, values, {}}; }
PrintArgument text(std::string value) { return {ElementType::U64, {0}, std::move(value)}; }

std::string with(std::string_view format, std::vector<PrintArgument> arguments) {
  return format_message(format, arguments);
}

TEST(Messages, ConversionsAreThoseOfC) {
  const std::uint32_t minus = static_cast<std::uint32_t>(-5);
  EXPECT_EQ(with("%d %i|%5d|%-5d|%05d|%+d", {6, whole(ElementType::I32, {minus})}), "-5 -5|   -5|-5   |-0005|-5");
  EXPECT_EQ(with("%u %x %X %#o", {4, whole(ElementType::U32, {255})}), "255 ff FF 0377");
  EXPECT_EQ(with("%u %x", {2, whole(ElementType::I32, {minus})}), "4294967291 fffffffb");
  EXPECT_EQ(with("%d", {whole(ElementType::U32, {minus})}), "-5");
  EXPECT_EQ(with("%f %1.2f %e %g %.3a", {5, real({1.5f})}), "1.500000 1.50 1.500000e+00 1.5 0x1.800p+0");
  EXPECT_EQ(with("%F %G", {2, real({-INFINITY})}), "-INF -INF");
  EXPECT_EQ(with("%lf", {twice(0.1)}), "0.100000");
  EXPECT_EQ(with("100%% of %c%c", {2, whole(ElementType::I32, {'x'})}), "100% of xx");
  EXPECT_EQ(with("%s|%6s|%-6s|%.2s", {4, text("word")}), "word|  word|word  |wo");
}

TEST(Messages, SixtyFourBits) {
  const std::uint64_t big = 0x123456789abcdef0;
  EXPECT_EQ(with("%ul %lu %lx %llx", {4, whole(ElementType::U64, {big})}),
            "1311768467463790320 1311768467463790320 123456789abcdef0 123456789abcdef0");
  EXPECT_EQ(with("%ld", {whole(ElementType::I64, {~0ull})}), "-1");
  EXPECT_EQ(with("%ulna", {whole(ElementType::U32, {1})}), "1lna");
  EXPECT_EQ(with("%p", {whole(ElementType::U64, {0x10})}), "0x10");
}

TEST(Messages, Vectors) {
  EXPECT_EQ(with("%v2f", {real({1, 2})}), "1.000000, 2.000000");
  EXPECT_EQ(with("%1.2v3f|", {real({1, 2, 3})}), "1.00, 2.00, 3.00|");
  EXPECT_EQ(with("%v4u %v2d", {whole(ElementType::U32, {1, 2, 3, 4}), whole(ElementType::I32, {~0u, 7})}),
            "1, 2, 3, 4 -1, 7");
  EXPECT_EQ(with("%f", {real({1, 2})}), "1.000000, 2.000000");
  EXPECT_EQ(with("%v2f", {real({1, 2, 3})}), "1.000000, 2.000000");
  EXPECT_EQ(with("%v4hhx %v2hld", {whole(ElementType::I8, {1, 2, 0xff, 4}), whole(ElementType::I32, {5, 6})}),
            "1, 2, ff, 4 5, 6");
}

TEST(Messages, NumbersAreConverted) {
  EXPECT_EQ(with("%d %u", {2, real({-2.75f})}), "-2 -2");
  EXPECT_EQ(with("%f", {whole(ElementType::I32, {static_cast<std::uint32_t>(-3)})}), "-3.000000");
  EXPECT_EQ(with("%x", {real({1.0f})}), "3f800000");
}

TEST(Messages, WhatCannotBePrintedStays) {
  EXPECT_EQ(with("%d and %d", {whole(ElementType::I32, {1})}), "1 and %d");
  EXPECT_EQ(with("%y %", {whole(ElementType::I32, {1})}), "%y %");
  EXPECT_EQ(with("%s", {whole(ElementType::I32, {1})}), "%s");
  EXPECT_EQ(with("%n%*d", {whole(ElementType::I32, {1})}), "%n%*d");
  EXPECT_EQ(with("%99999d", {whole(ElementType::I32, {1})}).size(), 1024u);
  EXPECT_EQ(with("%.99999f", {real({1})}).size(), 1026u);
}

TEST(Messages, NoCharacterEndsAText) {
  EXPECT_EQ(with("a%cb%c|", {whole(ElementType::I32, {0}), whole(ElementType::I32, {'x'})}), "abx|");
}

TEST(Messages, AllTextOfARunIsBound) {
  const std::vector<PrintLine> lines{*parse_print_line("- " + std::string(100'000, 'x'))};
  std::vector<std::uint8_t> buffer((1000 + 1) * 4);
  for (std::uint32_t k = 0; k <= 1000; ++k) {
    const std::uint32_t word = k == 0 ? 1000 : 1;
    std::memcpy(&buffer[4 * k], &word, 4);
  }
  const Messages m = take_messages(lines, buffer);
  EXPECT_TRUE(m.full);
  EXPECT_EQ(m.texts.size(), kMaxText / 100'064);
}

TEST(Messages, LinesOfTheInterface) {
  const auto line = parse_print_line("f32x3,u64 a %v3f %ul");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->words(), 5u);
  EXPECT_EQ(line->format, "a %v3f %ul");
  EXPECT_EQ(parse_print_line("- text")->words(), 0u);
  for (const char* wrong : {"", "f32x0 a", "f32x17 a", "f33 a", "u16 a", "f32x a"})
    EXPECT_FALSE(parse_print_line(wrong)) << wrong;
}

std::vector<std::uint8_t> buffer_of(std::initializer_list<std::uint32_t> words) {
  std::vector<std::uint8_t> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.begin(), bytes.size());
  return bytes;
}

TEST(Messages, ABufferIsReadAndEmptied) {
  const std::vector<PrintLine> lines{*parse_print_line("u32 n %u"), *parse_print_line("- end")};
  auto buffer = buffer_of({5, 1, 7, 2, 1, 9, 0, 0});
  Messages m = take_messages(lines, buffer);
  EXPECT_THAT(m.texts, ElementsAre("n 7", "end", "n 9"));
  EXPECT_FALSE(m.full);
  EXPECT_EQ(buffer, std::vector<std::uint8_t>(32));
  auto full = buffer_of({9, 1, 7, 2, 0});  // the fourth record did not fit
  m = take_messages(lines, full);
  EXPECT_THAT(m.texts, ElementsAre("n 7", "end"));
  EXPECT_TRUE(m.full);
  for (auto damaged : {buffer_of({4, 3, 1, 1, 1}), buffer_of({1, 1}), buffer_of({~0u}), buffer_of({})})
    EXPECT_TRUE(take_messages(lines, damaged).texts.empty());
}

}  // namespace
}  // namespace heddle::shader_interface
