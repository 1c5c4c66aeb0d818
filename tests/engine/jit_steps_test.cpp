// SPDX-License-Identifier: MIT
// Messages whose offsets are made of one vector: which of them ask whether their lanes go up in steps.
#include <fmt/format.h>

#include "engine/bindings.hpp"
#include "engine/jit_harness.hpp"

namespace heddle::engine::testing {
namespace {

constexpr unsigned kBytes = 4096;

/// How many places of the code made compare with lane 0 and multiples of `step`.
unsigned questions(const std::string& listing, unsigned step) {
  const std::string steps = fmt::format("<i32 0, i32 {}, i32 {}, i32 {}, i32 {},", step, 2 * step, 3 * step, 4 * step);
  unsigned count = 0;
  for (std::size_t at = listing.rfind("define i32 @heddle_kernel"); (at = listing.find(steps, at)) != std::string::npos;
       ++at)
    ++count;
  return count;
}

/// Rows, rows that are none, and rows of products only, which wrap.
std::uint32_t lane_of(unsigned pattern, unsigned k) {
  switch (pattern) {
    case 0:
    case 1:
    case 2:
    case 3:
      return 20 + pattern * k;
    case 4:
      return 20 + k + (k % 4 << 30);
    case 5:
      return k == 9 ? 1 : 20 + k;
    case 6:
      return kBytes / 4 - 8 + k;
    default:
      return 0xfffffff8u + k;
  }
}

/// `code` makes the offsets P and Q of X, which is each pattern in turn, and the scalar S, which is 192. What LLVM made
/// of it for two processors.
std::vector<std::string> run(const std::string& code) {
  std::vector<std::string> listings;
  const std::string text =
      decl("X", "ud", 16) + decl("S", "ud", 1) + decl("P", "ud", 16) + decl("Q", "ud", 16) + decl("A", "ud", 16) +
      decl("B", "ud", 16) + ".input X offset=32 size=64\n.input S offset=96 size=4\n.decl T6 v_type=T num_elts=1\n" +
      code +
      "gather4_scaled.R (M1, 16) T6 0x0:ud P.0 A.0\ngather4_scaled.R (M1, 16) T6 0x0:ud Q.0 B.0\n"
      "mul (M1, 16) B(0,0)<1> B(0,0)<1;1,0> 0x3:ud\nxor (M1, 16) A(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>\n"
      "scatter4_scaled.R (M1, 16) T6 0x0:ud P.0 A.0\nret (M1, 1)\n";
  for (const char* cpu : kProcessors) {
    BothEngines both(text);
    std::mt19937 random(5);
    bind(both.bindings, buffer_of(kBytes), texture_of("R8G8B8A8_UNORM", 4, 4, random),
         std::make_shared<image::Sampler>());
    for (std::uint8_t& byte : *both.bindings.surfaces[0]->memory) byte = static_cast<std::uint8_t>(random());
    both.keep_registers = false;
    both.cpu = cpu;
    both.list = true;
    for (unsigned pattern = 0; pattern < 8; ++pattern)
      for (const std::uint32_t mask : {0xffffu, 0xfffeu, 0x8001u}) {
        for (unsigned k = 0; k < 16; ++k) {
          const std::uint32_t word = lane_of(pattern, k);
          std::memcpy(both.payload.data() + 32 + 4 * k, &word, 4);
        }
        const std::uint32_t scalar = 192;
        std::memcpy(both.payload.data() + 96, &scalar, 4);
        EXPECT_TRUE(both.agree(16, mask)) << code << "pattern " << pattern << " mask " << mask << " cpu " << cpu;
      }
    EXPECT_EQ(both.counts.called, 0u);
    listings.push_back(both.listing);
  }
  return listings;
}

TEST(JitSteps, AreAskedForOnce) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  for (const std::string& listing :
       run("shl (M1, 16) P(0,0)<1> X(0,0)<1;1,0> 0x2:ud\nadd (M1, 16) Q(0,0)<1> P(0,0)<1;1,0> S(0,0)<0;1,0>\n"
           "add (M1, 16) P(0,0)<1> 0x40:ud P(0,0)<1;1,0>\n")) {
    EXPECT_EQ(questions(listing, 1), 1u);
    EXPECT_EQ(questions(listing, 4), 0u);
  }
}

TEST(JitSteps, OfProducts) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  for (const std::string& listing :
       run("mul (M1, 16) P(0,0)<1> X(0,0)<1;1,0> 0x4:ud\nmul (M1, 16) Q(0,0)<1> X(0,0)<1;1,0> 0x2:ud\n"
           "add (M1, 16) Q(0,0)<1> Q(0,0)<1;1,0> S(0,0)<0;1,0>\n")) {
    EXPECT_EQ(questions(listing, 1), 1u);
    EXPECT_NE(questions(listing, 2), 0u);  // on each way from the first message
    EXPECT_EQ(questions(listing, 4), 0u);
  }
}

// Lanes that go down, and factors that are no part of the step.
TEST(JitSteps, OfOtherOperations) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  for (const std::string& listing :
       run("add (M1, 16) P(0,0)<1> S(0,0)<0;1,0> (-)X(0,0)<1;1,0>\nmul (M1, 16) Q(0,0)<1> X(0,0)<1;1,0> 0x6:ud\n"))
    EXPECT_GE(questions(listing, 4), 2u);
  (void)run("shl (M1, 16) P(0,0)<1> X(0,0)<1;1,0> 0x3:ud\nmul (M1, 16) Q(0,0)<1> X(0,0)<1;1,0> 0x0:ud\n");
  (void)run("shl (M1, 16) P(0,0)<1> S(0,0)<0;1,0> X(0,0)<1;1,0>\nshl (M1, 16) Q(0,0)<1> X(0,0)<1;1,0> S(0,0)<0;1,0>\n");
}

// A program that compares as messages do gets the answer to its own question.
TEST(JitSteps, OfTheProgramAreItsOwn) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  const std::string code =
      ".decl P1 v_type=P num_elts=16\nshl (M1, 16) P(0,0)<1> X(0,0)<1;1,0> 0x2:ud\n"
      "mov (M1, 16) Q(0,0)<1> 0x76543210:uv\n"
      "mov (M1, 8) Q(1,0)<1> 0xfedcba98:uv\nshl (M1, 16) Q(0,0)<1> Q(0,0)<1;1,0> 0x2:ud\n"
      "add (M1, 16) Q(0,0)<1> P(0,0)<0;1,0> Q(0,0)<1;1,0>\ncmp.eq (M1, 16) P1 P(0,0)<1;1,0> Q(0,0)<1;1,0>\n"
      "mov (M1, 16) Q(0,0)<1> 0x10:ud\n(P1) mov (M1, 16) Q(0,0)<1> 0x20:ud\n";
  (void)run(code);
}

}  // namespace
}  // namespace heddle::engine::testing
