// SPDX-License-Identifier: MIT
// The two tiers of compiled code: the second takes the place of the first while threads run, and is made on a thread of
// its own.
#include <fmt/format.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

#include "base/disk_cache.hpp"
#include "engine/jit/runtime/image_functions.hpp"
#include "engine/jit/runtime/unfinished.hpp"
#include "engine/tiered_kernel.hpp"
#include "support/process.hpp"

namespace heddle::engine::testing {
namespace {

/// Each of 16 lanes: t, told by the payload, through some rounds and into its place of T6, with a barrier in each
/// round.
std::string body_of(bool barriers) {
  return fmt::format(
      ".decl at v_type=G type=ud num_elts=16 align=GRF\n.decl x v_type=G type=ud num_elts=16 align=GRF\n"
      ".decl T6 v_type=T num_elts=1\n.decl n v_type=G type=ud num_elts=1\n.decl P1 v_type=P num_elts=1\n.decl f "
      "v_type=G type=f num_elts=16\n"
      ".input x offset=32 size=64\n"
      "and (M1, 16) at(0,0)<1> x(0,0)<1;1,0> 0xff:ud\nmov (M1_NM, 1) n(0,0)<1> 0:ud\nmov (M1, 16) f(0,0)<1> 1.5:f\n"
      "again:\nmul (M1, 16) x(0,0)<1> x(0,0)<1;1,0> 1664525:ud\nadd (M1, 16) x(0,0)<1> x(0,0)<1;1,0> n(0,0)<0;1,0>\n"
      "mad (M1, 16) f(0,0)<1> f(0,0)<1;1,0> 0.5:f 3.0:f\n{}"
      "add (M1_NM, 1) n(0,0)<1> n(0,0)<0;1,0> 1:ud\ncmp.lt (M1_NM, 1) P1 n(0,0)<0;1,0> 20:ud\n"
      "(P1) jmp (M1, 1) again\n"
      "xor (M1, 16) x(0,0)<1> x(0,0)<1;1,0> f(0,0)<1;1,0>\n"
      "scatter4_scaled.R (M1, 16) T6 0x0:ud at.0 x.0\nret (M1, 1)\n",
      barriers ? "barrier\n" : "");
}

/// Each lane gathers four texels of T7 before and behind a barrier.
constexpr const char* kGathers =
    ".decl at v_type=G type=ud num_elts=16 align=GRF\n.decl x v_type=G type=ud num_elts=16 align=GRF\n"
    ".decl u v_type=G type=f num_elts=16 align=GRF\n.decl a v_type=G type=ud num_elts=64 align=GRF\n"
    ".decl b v_type=G type=ud num_elts=64 align=GRF\n.decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n"
    ".decl S0 v_type=S num_elts=1\n.input x offset=32 size=64\n"
    "and (M1, 16) at(0,0)<1> x(0,0)<1;1,0> 0xff:ud\nmov (M1, 16) u(0,0)<1> x(0,0)<1;1,0>\n"
    "mul (M1, 16) u(0,0)<1> u(0,0)<1;1,0> 0.0037:f\n"
    "sample4.R (M1, 16) 0x0:uw S0 T7 a.0 u.0 u.0\nbarrier\n"
    "mul (M1, 16) u(0,0)<1> u(0,0)<1;1,0> 3.0:f\nsample4.G (M1, 16) 0x0:uw S0 T7 b.0 u.0 u.0\n"
    "add (M1, 16) x(0,0)<1> a(4,0)<1;1,0> b(2,0)<1;1,0>\nadd (M1, 16) x(0,0)<1> x(0,0)<1;1,0> b(6,0)<1;1,0>\n"
    "scatter4_scaled.R (M1, 16) T6 0x0:ud at.0 x.0\nret (M1, 1)\n";

/// The loop above.
class Rounds : public Tiered {
 public:
  explicit Rounds(bool barriers, jit::Tiers tiers = jit::Tiers::Both, jit::MemoryCache* memory = nullptr)
      : Tiered(body_of(barriers), tiers, memory) {}
};

class Tier : public ::testing::TestWithParam<bool> {
  void SetUp() override {
    if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  }
};

TEST_P(Tier, ChangesInTheMiddleOfARun) {
  const std::uint32_t group = GetParam() ? 4 : 1;
  Rounds second(GetParam(), jit::Tiers::Second);
  ASSERT_NE(second.kernel, nullptr) << second.why;
  const std::vector<std::uint8_t> wanted = second.result(99, group);
  EXPECT_NE(std::ranges::count(wanted, 0), static_cast<std::ptrdiff_t>(wanted.size()));
  for (const std::uint32_t before : {0u, 4u, 8u, 99u}) {
    Rounds both(GetParam());
    ASSERT_NE(both.kernel, nullptr) << both.why;
    EXPECT_EQ(both.result(before, group), wanted) << before;
  }
}

TEST_P(Tier, SecondIsAskedForByWhatRanOften) {
  Rounds both(GetParam());
  ASSERT_NE(both.kernel, nullptr) << both.why;
  const jit::Function first = both.kernel->function(0xffff, *std::make_unique<reference::Budget>(both.limits));
  const std::uint64_t worth = both.kernel->worth_second_tier();
  EXPECT_GE(worth, 1'000'000u);
  both.kernel->ran(worth - 1);
  EXPECT_FALSE(both.kernel->asked_second_tier());
  both.kernel->ran(1);
  EXPECT_TRUE(both.kernel->asked_second_tier());
  ASSERT_TRUE(both.kernel->finish_second_tier());
  EXPECT_NE(both.kernel->function(0xffff, *std::make_unique<reference::Budget>(both.limits)), first);
}

// What is known of a run: half of its instructions may be left out. There may be more of them than 64 bits count.
TEST_P(Tier, SecondIsAskedForSoonerInLongRuns) {
  for (const std::uint64_t threads : {std::uint64_t{1}, std::uint64_t{0}, ~std::uint64_t{0}}) {
    Rounds both(GetParam());
    ASSERT_NE(both.kernel, nullptr) << both.why;
    const std::uint64_t worth = both.kernel->worth_second_tier(), steps = both.kernel->prepared()->expected_steps();
    ASSERT_GT(steps, 1u);
    const bool is_long = threads != 1;
    both.kernel->expect(threads == 0 ? 2 * worth : threads == 1 ? 1 : threads / steps + 2);
    (void)both.kernel->function(0xffff, *std::make_unique<reference::Budget>(both.limits));
    both.kernel->ran(worth / 8 - 1);
    EXPECT_FALSE(both.kernel->asked_second_tier());
    both.kernel->ran(1);
    EXPECT_EQ(both.kernel->asked_second_tier(), is_long);
  }
}

// The function of full threads and that of others are made again each for what it ran itself.
TEST_P(Tier, SecondIsAskedForByFunction) {
  for (const bool of_partial : {false, true}) {
    Rounds both(GetParam());
    ASSERT_NE(both.kernel, nullptr) << both.why;
    const auto function = [&](std::uint32_t mask) {
      return both.kernel->function(mask, *std::make_unique<reference::Budget>(both.limits));
    };
    const std::array first{function(0xffff), function(0x00ff)};
    const std::uint64_t worth = both.kernel->worth_second_tier();
    both.kernel->ran(of_partial ? worth - 1 : worth, of_partial ? worth : worth - 1);
    EXPECT_TRUE(both.kernel->asked_second_tier());
    EXPECT_EQ(both.kernel->executed(), 2 * worth - 1);
    while (jit::has_unfinished_code()) std::this_thread::yield();
    EXPECT_EQ(function(0xffff) == first[0], of_partial);
    EXPECT_EQ(function(0x00ff) == first[1], !of_partial);
  }
}

// Nor is it asked for while a run is known to end before it could pay: what runs next does.
TEST_P(Tier, SecondIsAskedForBehindAShortRun) {
  for (const bool is_short : {false, true}) {
    Rounds both(GetParam());
    ASSERT_NE(both.kernel, nullptr) << both.why;
    (void)both.kernel->function(0xffff, *std::make_unique<reference::Budget>(both.limits));
    const std::uint64_t worth = both.kernel->worth_second_tier();
    // Less than twice what is worth it by what each thread is expected to take, which is not more than it took.
    const std::uint64_t threads = worth * 3 / 2 / both.kernel->prepared()->expected_steps();
    both.kernel->expect(is_short ? threads : 0);
    both.kernel->ran(worth);
    EXPECT_EQ(both.kernel->asked_second_tier(), !is_short);
    both.kernel->run_ended();
    both.kernel->ran(0);
    EXPECT_TRUE(both.kernel->asked_second_tier());
  }
}

// What is told of a run again and again says nothing of its end: primitives of a long draw, runs that do not end.
TEST_P(Tier, SecondIsAskedForWithinLongDraws) {
  for (const bool of_parts : {false, true}) {
    Rounds both(GetParam());
    ASSERT_NE(both.kernel, nullptr) << both.why;
    (void)both.kernel->function(0xffff, *std::make_unique<reference::Budget>(both.limits));
    const std::uint64_t worth = both.kernel->worth_second_tier(), most = of_parts ? worth : 2 * worth;
    const std::uint64_t threads = worth / 2 / both.kernel->prepared()->expected_steps();
    for (std::uint64_t ran = 0; ran + worth / 10 < most; ran += worth / 10) {
      of_parts ? both.kernel->expect_at_least(threads) : both.kernel->expect(threads);
      both.kernel->ran(worth / 10);
      EXPECT_FALSE(both.kernel->asked_second_tier()) << ran;
    }
    of_parts ? both.kernel->expect_at_least(threads) : both.kernel->expect(threads);
    both.kernel->ran(worth / 10 + 10);
    EXPECT_TRUE(both.kernel->asked_second_tier());
  }
}

TEST_P(Tier, TheCodeThatRunsIsListed) {
  const std::string body = GetParam() ? kGathers : body_of(false);
  Tiered both(body, jit::Tiers::Both), kept(body, jit::Tiers::Second, nullptr, true);
  ASSERT_NE(both.kernel, nullptr) << both.why;
  ASSERT_NE(kept.kernel, nullptr) << kept.why;
  const jit::CodeListing unbound = jit::CompiledKernel::list_unbound(both.kernel->prepared());
  EXPECT_EQ(unbound.problem, "");
  EXPECT_FALSE(unbound.bound);
  const jit::CodeListing first = both.kernel->list();
  EXPECT_TRUE(first.bound);
  EXPECT_EQ(first.tier, jit::Tier::First);
  EXPECT_EQ(first.assembly, unbound.assembly);  // of the same forms
  EXPECT_NE(first.assembly.find("heddle_kernel:"), std::string::npos) << first.assembly;
  EXPECT_EQ(both.kernel->executed(), 0u);
  both.kernel->ran(1'000'000);
  EXPECT_EQ(both.kernel->executed(), 1'000'000u);
  ASSERT_TRUE(both.kernel->finish_second_tier());
  const jit::CodeListing second = both.kernel->list();
  EXPECT_EQ(second.tier, jit::Tier::Second);
  EXPECT_EQ(second.assembly, kept.kernel->assembly());
}

TEST_P(Tier, FirstAloneStaysFirst) {
  Rounds one(GetParam(), jit::Tiers::First);
  ASSERT_NE(one.kernel, nullptr) << one.why;
  reference::Budget budget(one.limits);
  const jit::Function first = one.kernel->function(0xffff, budget);
  one.kernel->ran(10'000'000);
  EXPECT_EQ(one.kernel->function(0xffff, budget), first);
}

// Threads that run while the tier changes under them, on several workers.
TEST_P(Tier, ChangesUnderRunningThreads) {
  const std::uint32_t group = GetParam() ? 4 : 1;
  Rounds second(GetParam(), jit::Tiers::Second), both(GetParam());
  ASSERT_NE(both.kernel, nullptr) << both.why;
  const std::vector<std::uint8_t> wanted = second.result(99, group);
  machine::Reports reports(*both.program, machine::CheckMode::Off);
  reference::Budget budget(both.limits);
  std::vector<std::thread> workers;
  for (std::uint32_t w = 0; w < 4; ++w)
    workers.emplace_back([&, w] {
      jit::Runner runner(*both.kernel, both.bindings, reports, budget);
      for (int round = 0; round < 40; ++round) {
        for (std::uint32_t first = w * 4; first < w * 4 + 4; first += group)
          EXPECT_EQ(both.run(runner, first, group), reference::Outcome::Finished);
        if (round == 3 && w == 0) both.kernel->ran(both.kernel->worth_second_tier());
        if (round == 20 && w == 1) EXPECT_TRUE(both.kernel->finish_second_tier());
      }
    });
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(*both.bindings.surfaces[0]->memory, std::vector<std::uint8_t>(wanted));
}

INSTANTIATE_TEST_SUITE_P(Both, Tier, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "WithBarriers" : "Straight"; });

// What gathers leave on the stack is looked at on both sides of a wait (examples/glow has the same with loops).
TEST(FirstTier, ImagesBeforeAndBehindABarrier) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  Tiered first(kGathers, jit::Tiers::First), second(kGathers, jit::Tiers::Second);
  ASSERT_NE(first.kernel, nullptr) << first.why;
  ASSERT_NE(second.kernel, nullptr) << second.why;
  const std::vector<std::uint8_t> wanted = second.result(99, 4);
  EXPECT_NE(std::ranges::count(wanted, 0), static_cast<std::ptrdiff_t>(wanted.size()));
  EXPECT_EQ(first.result(99, 4), wanted);
}

/// Rounds of arithmetic in 64 and 32 bits, comparisons and memory, each with numbers and variables of its own.
std::string long_body(unsigned rounds, bool barriers) {
  std::string declared =
      ".decl at v_type=G type=ud num_elts=16 align=GRF\n.decl x v_type=G type=ud num_elts=16 align=GRF\n"
      ".decl T6 v_type=T num_elts=1\n.decl P1 v_type=P num_elts=16\n.decl q v_type=G type=uq num_elts=16 align=GRF\n"
      ".decl q_ud v_type=G type=ud num_elts=32 align=GRF alias=<q,0>\n.input x offset=32 size=64\n";
  std::string code =
      "and (M1, 16) at(0,0)<1> x(0,0)<1;1,0> 0xff:ud\n"
      "mov (M1, 8) q(0,0)<1> x(0,0)<1;1,0>\nmov (M3, 8) q(2,0)<1> x(1,0)<1;1,0>\n";
  for (unsigned k = 0; k < rounds; ++k) {
    declared += fmt::format(".decl t{} v_type=G type=uq num_elts=16 align=GRF\n", k);
    code += fmt::format(
        "add (M1, 8) t{0}(0,0)<1> q(0,0)<1;1,0> 0x{1:x}:uq\nadd (M3, 8) t{0}(2,0)<1> q(2,0)<1;1,0> 0x{1:x}:uq\n"
        "mul (M1, 8) q_ud(0,0)<2> q_ud(0,1)<2;1,0> {1}:ud\nmul (M3, 8) q_ud(2,0)<2> q_ud(2,1)<2;1,0> {1}:ud\n"
        "xor (M1, 8) q(0,0)<1> q(0,0)<1;1,0> t{0}(0,0)<1;1,0>\nxor (M3, 8) q(2,0)<1> q(2,0)<1;1,0> t{0}(2,0)<1;1,0>\n"
        "add (M1, 16) x(0,0)<1> x(0,0)<1;1,0> {1}:ud\n"
        "cmp.lt (M1, 16) P1 x(0,0)<1;1,0> 0x{2:x}:ud\n(P1) goto (M1, 16) over{0}\n"
        "add (M1, 16) x(0,0)<1> x(0,0)<1;1,0> q_ud({3},0)<1;1,0>\n{4}over{0}:\n{5}",
        k, 2 * k + 3, 0x1000003u * (k + 1), k % 3, k % 4 == 0 ? "scatter4_scaled.R (M1, 16) T6 0x0:ud at.0 x.0\n" : "",
        barriers && k % 8 == 7 ? "barrier\n" : "");
  }
  return declared + code + "scatter4_scaled.R (M1, 16) T6 0x0:ud at.0 x.0\nret (M1, 1)\n";
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// Twice as many instructions that do the same are twice as many calls, of no more functions.
TEST(FirstTier, LongKernelsShareFunctionsOfInstructions) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  for (const bool barriers : {false, true}) {
    std::size_t functions[2] = {}, calls[2] = {};
    for (const unsigned twice : {0u, 1u}) {
      const unsigned rounds = 64u << twice;
      Tiered first(long_body(rounds, barriers), jit::Tiers::First, nullptr, true);
      Tiered second(long_body(rounds, barriers), jit::Tiers::Second);
      ASSERT_NE(first.kernel, nullptr) << first.why;
      ASSERT_NE(second.kernel, nullptr) << second.why;
      functions[twice] = count_of(first.kernel->assembly(), "\nheddle_step");
      // As x86-64 and arm64 call.
      calls[twice] = count_of(first.kernel->assembly(), "callq\theddle_step") +
                     count_of(first.kernel->assembly(), "bl\theddle_step");
      const std::vector<std::uint8_t> wanted = second.result(99, 4);
      EXPECT_NE(std::ranges::count(wanted, 0), static_cast<std::ptrdiff_t>(wanted.size()));
      EXPECT_EQ(first.result(99, 4), wanted) << rounds;
    }
    EXPECT_LE(functions[1], functions[0] + 4);
    EXPECT_GE(calls[0], 64u * 10);
    EXPECT_GE(calls[1], 2 * calls[0] - 64);
  }
}

/// Bytes that the code of `kernel` keeps while a thread waits.
std::uint64_t kept_bytes(const jit::CompiledKernel& kernel) {
  const std::string& text = kernel.listing();
  const std::string call = "call ptr @heddle_jit_frame(ptr ";
  std::size_t at = text.rfind(call);
  if (at == std::string::npos) return 0;
  at = text.find("i64 ", at);
  return std::strtoull(&text[at + 4], nullptr, 10);
}

// Addresses and limits of buffers are found again behind a wait: what is kept are the thread's own values.
TEST(SecondTier, KeepsOnlyWhatCostsToMakeAgain) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  std::string body =
      ".decl at v_type=G type=ud num_elts=16 align=GRF\n.decl x v_type=G type=ud num_elts=16 align=GRF\n"
      ".decl y v_type=G type=ud num_elts=16 align=GRF\n.decl T6 v_type=T num_elts=1\n"
      ".input x offset=32 size=64\nand (M1, 16) at(0,0)<1> x(0,0)<1;1,0> 0xff:ud\n";
  for (int k = 0; k < 4; ++k)
    body +=
        "scatter4_scaled.R (M1, 16) T6 0x0:ud at.0 x.0\nbarrier\n"
        "gather4_scaled.R (M1, 16) T6 0x0:ud at.0 y.0\nmul (M1, 16) x(0,0)<1> y(0,0)<1;1,0> 1664525:ud\n";
  body += "scatter4_scaled.R (M1, 16) T6 0x0:ud at.0 x.0\nret (M1, 1)\n";
  Tiered first(body, jit::Tiers::First), second(body, jit::Tiers::Second, nullptr, true);
  ASSERT_NE(first.kernel, nullptr) << first.why;
  ASSERT_NE(second.kernel, nullptr) << second.why;
  const std::vector<std::uint8_t> wanted = second.result(99, 4);
  EXPECT_NE(std::ranges::count(wanted, 0), static_cast<std::ptrdiff_t>(wanted.size()));
  EXPECT_EQ(first.result(99, 4), wanted);
  const std::uint64_t bytes = kept_bytes(*second.kernel);
  EXPECT_GE(bytes, 64u);  // `at`
  EXPECT_LE(bytes, 320u);
}

// Whatever has become of the second tier when a kernel goes away.
TEST(SecondTier, OfKernelsThatGoAway) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  for (int k = 0; k < 20; ++k) {
    Rounds one(k % 2 == 0);
    ASSERT_NE(one.kernel, nullptr) << one.why;
    one.kernel->ran(one.kernel->worth_second_tier());
    std::this_thread::sleep_for(std::chrono::milliseconds(k % 5));
  }
}

// An image function is made for the first kernel that meets its static state; what other kernels find leaves the same.
TEST(SecondTier, SharesImageFunctions) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  std::string other = kGathers;
  other.replace(other.find("3.0:f"), 5, "5.0:f");
  const std::string gathers = kGathers;
  Tiered first(gathers, jit::Tiers::Second);
  const std::uint64_t before = jit::ImageFunctions::found();
  Tiered second(other, jit::Tiers::Second), plain(other, jit::Tiers::First);
  ASSERT_NE(second.kernel, nullptr) << second.why;
  EXPECT_EQ(jit::ImageFunctions::found() - before, 2u);  // a gather of red, and one of green
  EXPECT_EQ(second.result(99, 4), plain.result(99, 4));
  std::string wrapped = other;
  wrapped.replace(wrapped.find("sample4.G"), 9, "sample4.B");
  Tiered third(wrapped, jit::Tiers::Second);
  EXPECT_EQ(jit::ImageFunctions::found() - before, 3u);
}

// Another process finds them in the cache folder.
TEST(SecondTier, KeepsImageFunctionsOnDisk) {
  const test::TemporaryFolder folder;
  const char* before = std::getenv("HEDDLE_CACHE_DIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("HEDDLE_CACHE_DIR", folder.path().c_str(), 1);
  const jit::KeptFunctions::Code code{1, 2, 3};
  const pid_t child = ::fork();
  if (child == 0) {
    jit::ImageFunctions(true).keep("a test's function, on disk", code);
    jit::ImageFunctions(false).keep("a test's function, in memory", code);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  const auto found = jit::ImageFunctions(true).find("a test's function, on disk");
  EXPECT_TRUE(found != nullptr && *found == code);
  EXPECT_EQ(jit::ImageFunctions(true).find("a test's function, in memory"), nullptr);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    if (entry.path().extension() == ".image") files.push_back(entry.path());
  ASSERT_EQ(files.size(), 1u);
  const base::DiskCache disk("image");
  EXPECT_EQ(disk.find(files[0].stem().string()), code);
  before != nullptr ? ::setenv("HEDDLE_CACHE_DIR", kept.c_str(), 1) : ::unsetenv("HEDDLE_CACHE_DIR");
  EXPECT_EQ(jit::ImageFunctions(true).find("nobody's function"), nullptr);
}

// Code that is not what the compiler made is as if nobody had made it.
TEST(SecondTier, MakesImageFunctionsAgainThatCannotBeRead) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  struct Damaged final : jit::KeptFunctions {
    std::shared_ptr<const Code> find(const std::string& what) override {
      const auto known = codes.find(what);
      if (known == codes.end()) return nullptr;
      ++asked;
      return std::make_shared<const Code>(damage == 0 ? known->second
                                                      : Code(known->second.begin(), known->second.end() - damage));
    }
    void keep(const std::string& what, Code code) override { ++made, codes[what] = std::move(code); }
    std::map<std::string, Code> codes;
    std::ptrdiff_t damage = 0;
    int asked = 0, made = 0;
  } functions;
  const Tiered one(std::string(kGathers), jit::Tiers::Second);
  ASSERT_NE(one.kernel, nullptr) << one.why;
  jit::CompileOptions options;
  options.functions = &functions;
  const auto object = [&] {
    const jit::PreparedKernel& prepared = *one.kernel->prepared();
    const jit::KernelVariant special{16,
                                     true,
                                     prepared.options().own_bytes,
                                     prepared.options().keep_registers,
                                     &prepared.known(),
                                     &one.kernel->images(),
                                     nullptr};
    const jit::CompileOutput output = jit::compile(one.kernel->code(), prepared.graph(), special, options);
    EXPECT_TRUE(output.error.empty()) << output.error;
    return output.object;
  };
  const std::vector<std::uint8_t> made = object();
  EXPECT_EQ(functions.made, 2);
  EXPECT_FALSE(made.empty());
  EXPECT_EQ(object(), made);
  EXPECT_EQ(functions.made, 2);
  EXPECT_EQ(functions.asked, 2);
  for (const std::ptrdiff_t damage : {4, 400}) {
    functions.damage = damage;
    EXPECT_EQ(object(), made);
  }
  EXPECT_EQ(functions.made, 6);
}

// Of the tier that was asked for, the second where both may run; code for fewer lanes has none, and changes nothing.
TEST(Tiers, ListingsAreOfTheBestOneAskedFor) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  const auto made = [](jit::Tiers tiers) { return std::make_unique<Tiered>(kGathers, tiers, nullptr, true); };
  const auto first = made(jit::Tiers::First), second = made(jit::Tiers::Second), both = made(jit::Tiers::Both);
  for (const auto* one : {&first, &second, &both}) {
    ASSERT_NE((*one)->kernel, nullptr) << (*one)->why;
    const std::string listed = (*one)->kernel->assembly();
    EXPECT_FALSE(listed.empty());
    reference::Budget budget((*one)->limits);
    EXPECT_NE((*one)->kernel->function(0x7, budget), nullptr);
    EXPECT_EQ((*one)->kernel->assembly(), listed);
  }
  EXPECT_EQ(both->kernel->assembly(), second->kernel->assembly());
  EXPECT_NE(first->kernel->assembly(), second->kernel->assembly());
}

TEST(SecondTier, IsFoundInMemory) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  jit::MemoryCache memory;
  {
    Rounds one(false, jit::Tiers::Both, &memory);
    ASSERT_NE(one.kernel, nullptr) << one.why;
    ASSERT_TRUE(one.kernel->finish_second_tier());
  }
  Rounds again(false, jit::Tiers::Second, &memory);
  ASSERT_NE(again.kernel, nullptr);
  EXPECT_EQ(again.kernel->origin(), jit::CompiledKernel::Origin::Memory);
}

}  // namespace
}  // namespace heddle::engine::testing
