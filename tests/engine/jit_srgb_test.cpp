// SPDX-License-Identifier: MIT
// sRGB texels, compiled for processors that look them up in different ways (NUM-21).
#include <random>
#include <utility>

#include <fmt/format.h>

#include "engine/bindings.hpp"
#include "engine/jit_harness.hpp"

namespace heddle::engine::testing {
namespace {

constexpr std::uint32_t kWidth = 512;

void check(image::Filter filter) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  std::string text = decl("O", "ud", 16) + decl("X", "f", 16) + decl("Y", "f", 16) + decl("B", "f", 64) +
                     decl("A", "f", 16) +
                     ".input O offset=32 size=64\n.input X offset=96 size=64\n.input Y offset=160 size=64\n"
                     ".decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n.decl S0 v_type=S num_elts=1\n"
                     "sample_lz.RGBA (M1, 16) 0x0:uw S0 T7 B.0 X.0 Y.0\n";
  for (unsigned c = 0; c < 4; ++c)
    text += fmt::format(
        "mov (M1, 16) A(0,0)<1> B({},0)<1;1,0>\nscatter4_scaled.R (M1, 16) T6 0x0:ud O.0 A.0\n"
        "add (M1, 16) O(0,0)<1> O(0,0)<1;1,0> 64:ud\n",
        2 * c);
  for (const auto& [cpu, slow] : {std::pair{"", false},
                                  {"", true},
                                  {"x86-64-v3", false},
                                  {"x86-64-v3", true},
                                  {"x86-64-v4", false},
                                  {"x86-64-v4", true}}) {
    if (*cpu != 0 && !jit::processor_problem(cpu).empty()) continue;
    const Gathers gathers(slow);
    BothEngines both(text + "ret (M1, 1)\n");
    std::mt19937 random(21);
    auto sampler = std::make_shared<image::Sampler>();
    sampler->min_filter = sampler->mag_filter = filter;
    sampler->tcx = sampler->tcy = image::AddressMode::Wrap;
    bind(both.bindings, buffer_of(1024), texture_of("R8G8B8A8_UNORM_SRGB", kWidth, 8, random), sampler);
    both.cpu = cpu;
    for (std::uint32_t turn = 0; turn < 40; ++turn) {
      for (std::uint32_t k = 0; k < 16; ++k) {
        const std::uint32_t offset = 4 * k, step = turn % 2 == 0 ? 1 : 3;  // a run of texels, or none
        const float x = (static_cast<float>(turn * 16 + k * step) + 0.7f) / static_cast<float>(kWidth);
        const float y = static_cast<float>(turn) / 40.0f;
        std::memcpy(both.payload.data() + 32 + 4 * k, &offset, 4);
        std::memcpy(both.payload.data() + 96 + 4 * k, &x, 4);
        std::memcpy(both.payload.data() + 160 + 4 * k, &y, 4);
      }
      ASSERT_TRUE(both.agree(16, 0xffff)) << "turn " << turn << " cpu " << cpu << " slow gathers " << slow;
    }
    EXPECT_EQ(both.counts.called, 0u);
  }
}

TEST(JitSrgb, Linear) { check(image::Filter::Linear); }
TEST(JitSrgb, Nearest) { check(image::Filter::Nearest); }

}  // namespace
}  // namespace heddle::engine::testing
