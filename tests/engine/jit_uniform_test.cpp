// SPDX-License-Identifier: MIT
// Values that are the same in every lane, and results of image messages that nobody reads.
#include <fmt/format.h>

#include <cstdlib>

#include "engine/bindings.hpp"
#include "engine/jit_harness.hpp"
#include "engine/tiered_kernel.hpp"

namespace heddle::engine::testing {
namespace {

constexpr const char* kHead =
    ".input O offset=32 size=64\n.input X offset=96 size=64\n.input Y offset=160 size=64\n"
    ".decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n.decl S0 v_type=S num_elts=1\n"
    ".decl P1 v_type=P num_elts=16\n.decl P2 v_type=P num_elts=16\n";

void check(const std::string& code, std::uint32_t size = 64) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  const std::string text = decl("O", "ud", 16) + decl("X", "f", 16) + decl("Y", "f", 16) + decl("N", "d", 16) +
                           decl("M", "d", 16) + decl("A", "f", 16) + decl("B", "f", 64) + kHead + code +
                           "scatter4_scaled.R (M1, 16) T6 0x0:ud O.0 A.0\nret (M1, 1)\n";
  for (const bool keep : {false, true})
    for (const char* cpu : kProcessors) {
      BothEngines both(text);  // compiled once for all masks
      std::mt19937 random(7);
      bind(both.bindings, buffer_of(4096), texture_of("R8G8B8A8_UNORM", size, size, random),
           std::make_shared<image::Sampler>());
      both.keep_registers = keep;
      both.cpu = cpu;
      for (unsigned k = 0; k < 16; ++k) {
        const std::uint32_t offset = 4 * k;
        const float x = static_cast<float>(k * 5 % 16) / 13.0f - 0.2f, y = 1.1f - static_cast<float>(k) / 11.0f;
        std::memcpy(both.payload.data() + 32 + 4 * k, &offset, 4);
        std::memcpy(both.payload.data() + 96 + 4 * k, &x, 4);
        std::memcpy(both.payload.data() + 160 + 4 * k, &y, 4);
      }
      for (const std::uint32_t mask : {0xffffu, 0x8001u, 0x00f0u})
        ASSERT_TRUE(both.agree(16, mask)) << code << "mask " << mask << " cpu " << cpu << " keep " << keep;
      EXPECT_EQ(both.counts.called, 0u) << code;
    }
}

TEST(JitUniform, LoopsWithOneCounter) {
  check(
      "mov (M1, 16) N(0,0)<1> 0x0:d\nmov (M1, 16) A(0,0)<1> 0x0:f\nL:\n"
      "mov (M1, 16) B(0,0)<1> N(0,0)<1;1,0>\nmad (M1, 16) A(0,0)<1> B(0,0)<1;1,0> X(0,0)<1;1,0> A(0,0)<1;1,0>\n"
      "add (M1, 16) N(0,0)<1> N(0,0)<1;1,0> 0x1:d\ncmp.lt (M1, 16) P1 N(0,0)<1;1,0> 0x7:d\n(P1) goto (M1, 16) L\n");
}

TEST(JitUniform, LoopsThatLanesLeave) {
  check(
      "mov (M1, 16) N(0,0)<1> 0x0:d\nmov (M1, 16) A(0,0)<1> 0x0:f\nL:\n"
      "cmp.gt (M1, 16) P1 A(0,0)<1;1,0> Y(0,0)<1;1,0>\n(P1) goto (M1, 16) E\n"
      "add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> X(0,0)<1;1,0>\nadd (M1, 16) N(0,0)<1> N(0,0)<1;1,0> 0x1:d\n"
      "cmp.lt (M1, 16) P2 N(0,0)<1;1,0> 0x9:d\n(P2) goto (M1, 16) L\nE:\n"
      "mov (M1, 16) B(0,0)<1> N(0,0)<1;1,0>\nadd (M1, 16) A(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>\n");
}

TEST(JitUniform, LoopsInLoops) {
  check(
      "mov (M1, 16) N(0,0)<1> 0x0:d\nmov (M1, 16) A(0,0)<1> 0x0:f\nL:\nmov (M1, 16) M(0,0)<1> N(0,0)<1;1,0>\nI:\n"
      "mad (M1, 16) A(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0> A(0,0)<1;1,0>\n"
      "add (M1, 16) M(0,0)<1> M(0,0)<1;1,0> 0x2:d\ncmp.lt (M1, 16) P1 M(0,0)<1;1,0> 0x5:d\n(P1) goto (M1, 16) I\n"
      "add (M1, 16) N(0,0)<1> N(0,0)<1;1,0> 0x1:d\ncmp.ne (M1, 16) P2 N(0,0)<1;1,0> 0x4:d\n(P2) goto (M1, 16) L\n");
}

/// A counter that only the lanes in a branch advance is no longer uniform behind it.
TEST(JitUniform, CountersInBranches) {
  check(
      "mov (M1, 16) N(0,0)<1> 0x3:d\nmov (M1, 16) M(0,0)<1> 0x0:d\ncmp.gt (M1, 16) P1 X(0,0)<1;1,0> Y(0,0)<1;1,0>\n"
      "(P1) goto (M1, 16) E\nadd (M1, 16) N(0,0)<1> N(0,0)<1;1,0> 0x4:d\n"
      "cmp.gt (M1, 16) P2 N(0,0)<1;1,0> 0x6:d\n(P2) mov (M1, 16) M(0,0)<1> 0x7:d\nE:\n"
      "(P2.any) add (M1, 16) M(0,0)<1> M(0,0)<1;1,0> N(0,0)<1;1,0>\nmov (M1, 16) A(0,0)<1> M(0,0)<1;1,0>\n");
}

/// The mask of a uniform condition as a number, which goes on as a uniform vector.
TEST(JitUniform, MasksAsNumbers) {
  check(
      "mov (M1, 16) N(0,0)<1> 0x0:d\nmov (M1, 16) A(0,0)<1> 0x0:f\nL:\ncmp.lt (M1, 16) P1 N(0,0)<1;1,0> 0x3:d\n"
      "mov (M1, 1) M(0,0)<1> P1\nadd (M1, 16) M(0,0)<1> M(0,0)<0;1,0> N(0,0)<1;1,0>\n"
      "mov (M1, 16) B(0,0)<1> M(0,0)<1;1,0>\nmad (M1, 16) A(0,0)<1> B(0,0)<1;1,0> X(0,0)<1;1,0> A(0,0)<1;1,0>\n"
      "add (M1, 16) N(0,0)<1> N(0,0)<1;1,0> 0x1:d\ncmp.lt (M1, 16) P2 N(0,0)<1;1,0> 0x7:d\n(P2) goto (M1, 16) L\n");
}

TEST(JitUniform, ImagesAtOnePoint) {
  check(
      "mov (M1, 16) N(0,0)<1> 0x0:d\nmov (M1, 16) A(0,0)<1> 0x0:f\nL:\nmov (M1, 16) Y(0,0)<1> N(0,0)<1;1,0>\n"
      "mul (M1, 16) Y(0,0)<1> Y(0,0)<1;1,0> 0x3e99999a:f\nsample4.R (M1, 16) 0x0:uw S0 T7 B.0 Y.0 X.0\n"
      "add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> B(2,0)<1;1,0>\nadd (M1, 16) N(0,0)<1> N(0,0)<1;1,0> 0x1:d\n"
      "cmp.lt (M1, 16) P1 N(0,0)<1;1,0> 0x5:d\n(P1) goto (M1, 16) L\n");
}

/// What all lanes read from one place of a buffer of 4096 bytes, which may be at its end or behind it: by all lanes, by
/// some, and from round to round.
TEST(JitUniform, BuffersAtOnePlace) {
  const std::string add =
      "add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>\nadd (M1, 16) A(0,0)<1> A(0,0)<1;1,0> "
      "B(6,0)<1;1,0>\n";
  for (const char* place : {"0x0:d", "0x10:d", "0xff4:d", "0xff8:d", "0xffc:d", "0x1000:d", "0x7fffff00:d"})
    check(
        fmt::format("mov (M1, 16) N(0,0)<1> {}\nmov (M1, 16) A(0,0)<1> 0x0:f\n"
                    "gather4_scaled.RGBA (M1, 16) T6 0x0:ud N.0 B.0\n{}"
                    "cmp.gt (M1, 16) P1 X(0,0)<1;1,0> Y(0,0)<1;1,0>\n(P1) goto (M1, 16) E\n"
                    "gather4_scaled.RGBA (M1, 16) T6 0x4:ud N.0 B.0\n{}E:\n",
                    place, add, add));
  check(
      "mov (M1, 16) N(0,0)<1> 0xfe0:d\nmov (M1, 16) A(0,0)<1> 0x0:f\nL:\n"
      "gather4_scaled.RGBA (M1, 16) T6 0x0:ud N.0 B.0\n" +
      add +
      "add (M1, 16) N(0,0)<1> N(0,0)<1;1,0> 0x4:d\ncmp.lt (M1, 16) P1 N(0,0)<1;1,0> 0x1010:d\n(P1) goto (M1, 16) L\n");
  check(
      "mov (M1, 16) N(0,0)<1> 0x7:d\nmov (M1, 16) B(0,0)<1> 0x0:f\n"
      "gather_scaled.1 (M1, 16) T6 0x0:ud N.0 M.0\nand (M1, 16) M(0,0)<1> M(0,0)<1;1,0> 0xff:d\n"
      "mov (M1, 16) A(0,0)<1> M(0,0)<1;1,0>\n");
}

/// Such a read is one of a number: none of lanes.
#if defined(__x86_64__)  // others have no instructions that gather
TEST(JitUniform, BuffersAtOnePlaceAreReadOnce) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  const auto code = [](const char* place) {
    Tiered kernel(
        decl("O", "ud", 16) + decl("N", "ud", 16) + decl("B", "f", 64) + ".input O offset=32 size=64\n" +
            ".decl T6 v_type=T num_elts=1\n" + fmt::format("mov (M1, 16) N(0,0)<1> {}\n", place) +
            "gather4_scaled.RGBA (M1, 16) T6 0x0:ud N.0 B.0\nmul (M1, 16) B(0,0)<1> B(0,0)<1;1,0> B(6,0)<1;1,0>\n"
            "scatter4_scaled.R (M1, 16) T6 0x0:ud O.0 B.0\nret (M1, 1)\n",
        jit::Tiers::Second, nullptr, true);
    EXPECT_NE(kernel.kernel, nullptr) << kernel.why;
    return kernel.kernel != nullptr ? kernel.kernel->assembly() : std::string();
  };
  const auto gathers = [](const std::string& text) { return text.find("gather") != std::string::npos; };
  EXPECT_FALSE(gathers(code("0x10:ud")));
  EXPECT_TRUE(gathers(code("O(0,0)<1;1,0>")));  // as lanes read by themselves: the test can tell
}
#endif

/// Messages that differ in offset, channel or operation only, on one surface and sampler.
TEST(JitUnread, MessagesOfOneState) {
  for (const std::uint32_t size : {3u, 600u})
    check(
        "mov (M1, 16) A(0,0)<1> 0x0:f\nsample4.R (M1, 16) 0x0:uw S0 T7 B.0 X.0 Y.0\n"
        "add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> B(6,0)<1;1,0>\nsample4.R (M1, 16) 0x210:uw S0 T7 B.0 X.0 Y.0\n"
        "add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> B(4,0)<1;1,0>\nsample4.B (M1, 16) 0x210:uw S0 T7 B.0 X.0 Y.0\n"
        "add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> B(2,0)<1;1,0>\nsample4.R (M1, 16) 0xff0:uw S0 T7 B.0 Y.0 X.0\n"
        "add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>\nsample_lz.RGBA (M1, 16) 0x0:uw S0 T7 B.0 X.0 Y.0\n"
        "add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> B(4,0)<1;1,0>\nsample_lz.RGBA (M1, 16) 0x120:uw S0 T7 B.0 X.0 Y.0\n"
        "add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> B(2,0)<1;1,0>\n",
        size);
}

/// One channel of four is read, or two; the others are not made. Short rows of texels are fetched in another way.
TEST(JitUnread, ChannelsOfGathersAndSamples) {
  const bool all = std::getenv("HEDDLE_TEST_ALL") != nullptr;
  for (const std::uint32_t size : {2u, 1000u})
    for (const char* message :
         {"sample4.R (M1, 16) 0x0:uw S0 T7 B.0 X.0 Y.0", "sample4.A (M1, 16) 0x0:uw S0 T7 B.0 Y.0 X.0",
          "sample_lz.RGBA (M1, 16) 0x0:uw S0 T7 B.0 X.0 Y.0"})
      for (unsigned c = all || size == 2 ? 0 : 1; c < 4; c += all ? 1 : 2) {  // two with either size, or all
        check(fmt::format("{}\nmov (M1, 16) A(0,0)<1> B({},0)<1;1,0>\n", message, 2 * c), size);
        if (::testing::Test::HasFailure()) return;
      }
  check(
      "sample4.G (M1, 16) 0x0:uw S0 T7 B.0 X.0 Y.0\nadd (M1, 16) A(0,0)<1> B(2,0)<1;1,0> B(6,0)<1;1,0>\n"
      "sample4.G (M1, 16) 0x0:uw S0 T7 B.0 X.0 Y.0\nadd (M1, 8) A(0,0)<1> A(0,0)<1;1,0> B(1,0)<0;1,0>\n");
}

}  // namespace
}  // namespace heddle::engine::testing
