// SPDX-License-Identifier: MIT
// Integers of 32 bits whose exact results need more: all pairs of awkward numbers, and whether the code widens every
// lane for them.
#include <fmt/format.h>

#include <regex>

#include "engine/bindings.hpp"
#include "engine/jit_harness.hpp"

namespace heddle::engine::testing {
namespace {

/// `code` makes R of X and Y, all of 32 bits; P1 is free.
void check(const std::string& code, const char* type, bool narrow = true) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  const std::string text = decl("O", "ud", 16) + decl("X", type, 16) + decl("Y", type, 16) + decl("R", type, 16) +
                           ".input O offset=32 size=64\n.input X offset=96 size=64\n.input Y offset=160 size=64\n"
                           ".decl T6 v_type=T num_elts=1\n.decl P1 v_type=P num_elts=16\n" +
                           code + "scatter4_scaled.R (M1, 16) T6 0x0:ud O.0 R.0\nret (M1, 1)\n";
  for (const char* cpu : kProcessors) {
    BothEngines both(text);
    std::mt19937 random(9);
    bind(both.bindings, buffer_of(64), texture_of("R8G8B8A8_UNORM", 4, 4, random), std::make_shared<image::Sampler>());
    both.keep_registers = false;
    both.cpu = cpu;
    both.list = true;
    constexpr std::uint32_t kAwkward[] = {0,           1,           2,           0x7fffffffu, 0x80000000u, 0x80000001u,
                                          0xffffffffu, 0xfffffffeu, 0xcccccccdu, 0x55555556u, 0x10000u,    0xffff0000u};
    constexpr std::uint32_t kCount = std::size(kAwkward);
    for (std::uint32_t round = 0; round < kCount * kCount + 40; ++round) {
      for (std::uint32_t k = 0; k < 16; ++k) {
        const std::uint32_t offset = 4 * k, pair = round * 16 + k;
        const bool any = round >= kCount * kCount / 16 + 1;
        const std::uint32_t x = any ? random() : kAwkward[pair / kCount % kCount],
                            y = any ? (k % 4 == 0 ? 0 - x : random()) : kAwkward[pair % kCount];
        std::memcpy(both.payload.data() + 32 + 4 * k, &offset, 4);
        std::memcpy(both.payload.data() + 96 + 4 * k, &x, 4);
        std::memcpy(both.payload.data() + 160 + 4 * k, &y, 4);
      }
      ASSERT_TRUE(both.agree(16, round % 3 == 0 ? 0xffffu : 0x7bdeu)) << code << " cpu " << cpu << " round " << round;
    }
    EXPECT_EQ(both.counts.called, 0u) << code;
    const std::string made = both.listing.substr(both.listing.rfind("define i32 @heddle_kernel"));
    if (narrow) EXPECT_FALSE(std::regex_search(made, std::regex("(mul|icmp) [a-z ]*<16 x i64>"))) << code;
  }
}

TEST(JitInteger, HighWordsOfProducts) {
  for (const char* type : {"ud", "d"}) {
    check("mulh (M1, 16) R(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>\n", type);
    check("mulh (M1, 16) R(0,0)<1> X(0,0)<1;1,0> 0xcccccccd:ud\n", type, *type == 'u');
    check("mulh (M1, 16) R(0,0)<1> Y(0,3)<0;1,0> X(0,0)<1;1,0>\n", type);
    check("mulh (M1, 16) R(0,0)<1> X(0,0)<1;1,0> (-)Y(0,0)<1;1,0>\n", type, false);
    check(
        "mov (M1, 16) R(0,0)<1> 0x7:ud\nmulh (M1, 4) R(0,4)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>\n"
        "mulh (M1_NM, 1) R(0,2)<1> X(0,5)<0;1,0> Y(0,7)<0;1,0>\n",
        type, false);
  }
}

TEST(JitInteger, DividedByPowersOfTwo) {
  for (const char* operation : {"div", "mod"})
    for (const char* type : {"d", "ud"})
      for (const char* divisor : {"1:d", "2:ud", "64:d", "0x40000000:d", "0x80000000:ud"})
        check(fmt::format("{} (M1, 16) R(0,0)<1> X(0,0)<1;1,0> {}\n", operation, divisor), type);
  for (const char* divisor : {"0:ud", "3:ud", "0x80000000:d", "-4:d"})
    check(fmt::format("mod (M1, 16) R(0,0)<1> X(0,0)<1;1,0> {}\n", divisor), "d", false);
  for (const char* packed : {"div (M1, 8) R(0,0)<1> X(0,0)<1;1,0> 0x11111114:v\n",
                             "mod (M1, 8) R(0,0)<1> X(0,0)<1;1,0> 0x33333310:uv\n"})  // a number for each lane
    check(packed, "d", false);
}

TEST(JitInteger, EqualToANegatedNumber) {
  for (const char* relation : {"eq", "ne", "lt", "ge"})
    for (const auto& [x, y] : {std::pair{"", "(-)"}, std::pair{"(-)", ""}, std::pair{"(-)", "(-)"}})
      for (const char* type : {"d", "ud"})
        check(fmt::format("cmp.{} (M1, 16) P1 {}X(0,0)<1;1,0> {}Y(0,0)<1;1,0>\nmov (M1, 16) R(0,0)<1> 0x5:ud\n"
                          "(P1) mov (M1, 16) R(0,0)<1> 0x9:ud\n",
                          relation, x, y),
              type,
              std::string(relation) != "lt" && std::string(relation) != "ge" && *type == 'd' && (*x == 0 || *y == 0));
}

}  // namespace
}  // namespace heddle::engine::testing
