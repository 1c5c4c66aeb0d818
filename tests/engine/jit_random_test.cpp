// SPDX-License-Identifier: MIT
// Seeded random programs on both engines: all types, regions, modifiers, saturation, predicates, masks, modes, memory,
// images, indirect regions, control flow. A failure names its seed; HEDDLE_JIT_SEED=N repeats it alone.
#include "engine/jit_harness.hpp"
#include "engine/random_bindings.hpp"
#include "engine/random_program.hpp"
#include "support/number_variable.hpp"

namespace heddle::engine::testing {
namespace {

void run_seed(unsigned seed) {
  const Gathers gathers(seed / 2 % 2 != 0);
  const bool wide = seed % 4 == 3;
  const unsigned simd = seed % 3 == 0 ? 8 : seed % 3 == 1 ? 16 : 32;
  Programs programs(RandomSource(seed), wide ? 64 : 32, simd);
  const isa::Platform platform = wide ? isa::Platform::PVC : isa::Platform::SKL;
  const std::string text = readable(programs.make(), platform);
  if (std::getenv("HEDDLE_JIT_SEED") != nullptr) std::fprintf(stderr, "%s", text.c_str());
  BothEngines both(text, platform);
  both.limits.steps = 100000;
  both.payload = payload_of(seed, programs.payload);
  bind_random(both.bindings, seed);
  const std::uint32_t all = simd == 32 ? 0xffffffffu : (1u << simd) - 1;
  EXPECT_TRUE(both.agree(simd, all)) << "HEDDLE_JIT_SEED=" << seed << " test_engine --gtest_filter=RandomPrograms.*";
  EXPECT_TRUE(both.agree(simd, std::max(1u, seed * 2654435761u & all))) << "HEDDLE_JIT_SEED=" << seed << " (few lanes)";
  if (std::getenv("HEDDLE_JIT_SEED") == nullptr) return;
  std::fprintf(stderr, "%u instructions compiled, %u left to the reference engine:", both.counts.emitted,
               both.counts.called);
  for (const std::string& mnemonic : both.counts.called_mnemonics) std::fprintf(stderr, " %s", mnemonic.c_str());
  std::fprintf(stderr, "\n");
}

TEST(RandomPrograms, BothEnginesLeaveTheSame) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  if (const auto seed = heddle::test::number_variable<unsigned>("HEDDLE_JIT_SEED")) return run_seed(*seed);
  const unsigned count = std::getenv("HEDDLE_TEST_ALL") != nullptr ? 3000 : 25;
  const unsigned first = heddle::test::number_variable<unsigned>("HEDDLE_JIT_FIRST").value_or(1);
  for (unsigned seed = first; seed < first + count && !::testing::Test::HasFailure(); ++seed) run_seed(seed);
}

}  // namespace
}  // namespace heddle::engine::testing
