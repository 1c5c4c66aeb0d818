// SPDX-License-Identifier: MIT
// Random scripts on every driver that is there, by threads and processes side by side, and where memory is short.

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "support/lavapipe.hpp"
#include "support/number_variable.hpp"
#include "support/process.hpp"
#include "vulkan/stress/count.hpp"
#include "vulkan/stress/player.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kSeed = 20261123;

/// Repeats a failure: HEDDLE_STRESS_SEED=... with HEDDLE_STRESS=1.
std::uint32_t first_seed() { return number_variable<std::uint32_t>("HEDDLE_STRESS_SEED").value_or(kSeed); }

/// Where two buffers differ, and how often; empty where they do not.
std::string difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  if (a.size() != b.size()) return "sizes";
  std::string text;
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (++count <= 8)
      text += "byte " + std::to_string(i) + ": " + std::to_string(a[i]) + " and " + std::to_string(b[i]) + ", ";
  }
  return count == 0 ? text : text + std::to_string(count) + " bytes differ";
}

/// The commands of a script on which two players differ, without those that it takes none of.
std::string shortest(Player& one, Player& other, Script script) {
  const auto differ = [&](const Script& tried) { return one.play(tried) != other.play(tried); };
  for (std::size_t i = script.commands.size(); i-- > 0;) {
    Script tried = script;
    tried.commands.erase(tried.commands.begin() + static_cast<std::ptrdiff_t>(i));
    if (differ(tried)) script = std::move(tried);
  }
  std::string text;
  for (const StressCommand& c : script.commands) text += "\n  " + describe(c);
  return text;
}

TEST(VulkanStress, DriversAgree) {
  HEDDLE_NEED_SHADERS();
  std::vector<std::string> others;
  if (const char* given = std::getenv("HEDDLE_STRESS_PEER"))
    others.emplace_back(given);
  else if (const std::string lavapipe = kLavapipeManifest; std::filesystem::exists(lavapipe))
    others.push_back(lavapipe);
  if (others.empty()) GTEST_SKIP() << "no other driver is installed";
  Player heddle, other(others.front());
  const std::uint32_t count = count_of(250);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t seed = first_seed() + i;
    Script script = make_script(seed);
    // lavapipe 22.3.6 draws other triangles where the numbers of an indexed draw come from a buffer.
    for (StressCommand& command : script.commands) command.direct = true;
    const auto ours = heddle.play(script), theirs = other.play(script);
    ASSERT_TRUE(ours && theirs) << seed;
    for (std::size_t k = 0; k < ours->size(); ++k)
      ASSERT_EQ(difference((*ours)[k], (*theirs)[k]), "")
          << "seed " << seed << ", "
          << (k < kStressBuffers                          ? "buffer "
              : k < kStressBuffers + script.images.size() ? "image "
                                                          : "attachment ")
          << (k < kStressBuffers ? k : (k - kStressBuffers) % script.images.size()) << shortest(heddle, other, script);
  }
  EXPECT_TRUE(heddle.v.messages.empty()) << heddle.v.messages.front();
}

// Render pass objects and dynamic rendering give the same bytes, and so do indexed draws of both kinds.
// (HEDDLE_STRESS_PEER: on that driver.)
TEST(VulkanStress, PassesOfBothKindsAgree) {
  HEDDLE_NEED_SHADERS();
  const char* peer = std::getenv("HEDDLE_STRESS_PEER");
  Player player(peer == nullptr ? std::string() : std::string(peer));
  const std::uint32_t count = count_of(100);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t seed = first_seed() + i;
    std::array<std::optional<std::vector<std::vector<std::uint8_t>>>, 2> results;
    for (const bool dynamic : {false, true}) {
      Script script = make_script(seed);
      for (StressCommand& command : script.commands) command.dynamic = command.direct = dynamic;
      results[dynamic ? 1 : 0] = player.play(script);
    }
    ASSERT_TRUE(results[0] && results[0] == results[1]) << "seed " << seed;
  }
}

TEST(VulkanStress, EightDevicesAtOnce) {
  HEDDLE_NEED_SHADERS();
  constexpr std::size_t kThreads = 8;
  std::vector<std::unique_ptr<Player>> players;
  for (std::size_t t = 0; t < kThreads; ++t) players.push_back(std::make_unique<Player>());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < count_of(20); ++i) {
        const Script script = make_script(first_seed() + i / 2);  // every script twice
        static thread_local std::optional<std::vector<std::vector<std::uint8_t>>> before;
        const auto now = players[t]->play(script);
        if (!now || (i % 2 == 1 && now != before)) ++wrong;
        before = now;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(VulkanStress, TwoProcessesAtOnce) {
  HEDDLE_NEED_SHADERS();
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  std::array<Outcome, 2> outcomes;
  std::vector<std::thread> threads;
  for (Outcome& outcome : outcomes)
    threads.emplace_back([&] {
      outcome = run({self, "--gtest_filter=VulkanStress.RandomSequencesGiveWhatTheModelGives"}, {}, {}, 3000);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

// Allocations fail now and then; what was made before and comes after works.
TEST(VulkanStress, MemoryRunsOut) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "the layer counts memory as well";
  Player plenty;
  setenv("HEDDLE_DEVICE_MEMORY", "750000", 1);
  {
    Player little;
    std::uint32_t failed = 0;
    for (std::uint32_t i = 0; i < count_of(60); ++i) {
      const Script script = make_script(first_seed() + 500000 + i);
      const auto result = little.play(script);
      if (!result)
        ++failed;
      else
        ASSERT_EQ(*result, *plenty.play(script)) << i;
    }
    EXPECT_GT(failed, 0u);
    EXPECT_LT(failed, count_of(60));
  }
  unsetenv("HEDDLE_DEVICE_MEMORY");
}

}  // namespace
}  // namespace heddle::test
