// SPDX-License-Identifier: MIT
// Threads that are interpreted before their kernel is compiled leave what its code leaves, wherever the change comes.
#include <thread>

#include "engine/jit/analysis/interpretation.hpp"
#include "engine/jit/runtime/plain_steps.hpp"
#include "engine/tiered_kernel.hpp"

namespace heddle::engine::testing {
namespace {

constexpr const char* kDeclared =
    ".decl at v_type=G type=ud num_elts=16 align=GRF\n.decl x v_type=G type=ud num_elts=16 align=GRF\n"
    ".decl y v_type=G type=ud num_elts=16 align=GRF\n.decl n v_type=G type=ud num_elts=1\n"
    ".decl u v_type=G type=f num_elts=16 align=GRF\n.decl a v_type=G type=ud num_elts=64 align=GRF\n"
    ".decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n.decl S0 v_type=S num_elts=1\n"
    ".decl off v_type=G type=uw num_elts=1\n.decl P1 v_type=P num_elts=1\n.decl P2 v_type=P num_elts=16\n.input x "
    "offset=32 size=64\n"
    "and (M1, 16) at(0,0)<1> x(0,0)<1;1,0> 0xff:ud\n";
constexpr const char* kStore = "scatter4_scaled.R (M1, 16) T6 0x0:ud at.0 x.0\n";
constexpr const char* kEnd = "ret (M1, 1)\n";
/// Ten rounds.
constexpr const char* kAgain =
    "add (M1_NM, 1) n(0,0)<1> n(0,0)<0;1,0> 1:ud\ncmp.lt (M1_NM, 1) P1 n(0,0)<0;1,0> 10:ud\n(P1) jmp (M1, 1) again\n";
constexpr const char* kRound =
    "mul (M1, 16) x(0,0)<1> x(0,0)<1;1,0> 1664525:ud\nadd (M1, 16) x(0,0)<1> x(0,0)<1;1,0> n(0,0)<0;1,0>\n";
constexpr const char* kBegin = "mov (M1_NM, 1) n(0,0)<1> 0:ud\nagain:\n";
constexpr const char* kLoad =
    "gather4_scaled.R (M1, 16) T6 0x0:ud at.0 y.0\nadd (M1, 16) x(0,0)<1> x(0,0)<1;1,0> y(0,0)<1;1,0>\n";

struct Body {
  const char* name;
  std::string text;
  jit::Interpretation interpretation;
  std::uint32_t group = 1;  ///< threads
  bool own = false;         ///< the buffer is the threads' own memory
};

std::vector<Body> bodies() {
  using enum jit::Interpretation;
  const std::string declared = kDeclared, store = kStore, end = kEnd, again = kAgain, round = kRound, begin = kBegin;
  const std::string branch =
      "cmp.lt (M1, 16) P2 x(0,0)<1;1,0> 100:ud\n(P2) goto (M1, 16) over\nmul (M1, 16) x(0,0)<1> x(0,0)<1;1,0> "
      "3:ud\nover:\n";
  const std::string gather =
      "mov (M1, 16) u(0,0)<1> x(0,0)<1;1,0>\nmul (M1, 16) u(0,0)<1> u(0,0)<1;1,0> 0.0037:f\n"
      "sample4.R (M1, 16) 0x0:uw S0 T7 a.0 u.0 u.0\nadd (M1, 16) x(0,0)<1> a(4,0)<1;1,0> a(2,0)<1;1,0>\n";
  // Each thread gathers beside another place.
  const std::string offsets =
      "mov (M1, 16) u(0,0)<1> x(0,0)<1;1,0>\nmul (M1, 16) u(0,0)<1> u(0,0)<1;1,0> 0.0037:f\n"
      "shr (M1_NM, 1) n(0,0)<1> x(0,0)<0;1,0> 4:ud\nand (M1_NM, 1) n(0,0)<1> n(0,0)<0;1,0> 7:ud\n"
      "mov (M1_NM, 1) off(0,0)<1> n(0,0)<0;1,0>\n"
      "sample4.R (M1, 16) off(0,0)<0;1,0> S0 T7 a.0 u.0 u.0\nadd (M1, 16) x(0,0)<1> a(4,0)<1;1,0> a(2,0)<1;1,0>\n";
  // What stands before the loop is run by lanes that come back, while others loop.
  const std::string back =
      "cmp.lt (M1, 16) P2 x(0,0)<1;1,0> 100:ud\nmov (M1_NM, 1) n(0,0)<1> 0:ud\njmp (M1, 1) middle\nback:\n" + store +
      "ret (M1, 16)\nmov (M1, 16) x(0,0)<1> 1:ud\nmiddle:\n" + round +
      "add (M1_NM, 1) n(0,0)<1> n(0,0)<0;1,0> 1:ud\ncmp.lt (M1_NM, 1) P1 n(0,0)<0;1,0> 10:ud\n(P1) jmp (M1, 1) middle\n"
      "(P2) goto (M1, 16) back\n";
  // Lanes of one element go together, whatever is done with it (lets_lanes_go).
  const std::string choices =
      ".decl vote v_type=G type=d num_elts=16 align=GRF\n.decl e v_type=G type=ud num_elts=16 align=GRF\n"
      ".decl bits v_type=G type=ud num_elts=1\n.decl first v_type=G type=ud num_elts=1\n"
      ".decl bytes v_type=G type=ud num_elts=1\n.decl half v_type=G type=uw num_elts=2 alias=<bytes, 0>\n"
      ".decl value v_type=G type=ud num_elts=1\n.decl A0 v_type=A num_elts=1\n.decl P3 v_type=P num_elts=16\n"
      ".decl P4 v_type=P num_elts=16\n";
  const auto each = [](const std::string& inside) {
    return "and (M1, 16) e(0,0)<1> x(0,0)<1;1,0> 3:ud\nelement:\nmov (M1, 16) vote(0,0)<1> -1:d\n"
           "setp (M1_NM, 16) P3 0:ud\ncmp.ne (M1, 16) P3 vote(0,0)<1;1,0> 0:d\nmov (M1_NM, 1) bits(0,0)<1> P3\n"
           "fbl (M1_NM, 1) first(0,0)<1> bits(0,0)<0;1,0>\nshl (M1_NM, 1) bytes(0,0)<1> first(0,0)<0;1,0> 2:ud\n"
           "addr_add (M1_NM, 1) A0(0)<1> &e half(0,0)<0;1,0>\nmov (M1_NM, 1) value(0,0)<1> r[A0(0),0]<0;1,0>:ud\n"
           "cmp.ne (M1, 16) P4 e(0,0)<1;1,0> value(0,0)<0;1,0>\n(P4) goto (M1, 16) others\n"
           "add (M1, 16) x(0,0)<1> x(0,0)<1;1,0> value(0,0)<0;1,0>\n" +
           inside + "others:\n(P4) goto (M1, 16) element\n";
  };
  return {
      {"Straight", declared + round + store + end, ToTheEnd},
      {"Branches", declared + branch + kLoad + store + end, ToTheEnd},
      {"Gathers", declared + gather + store + end, ToTheEnd},
      {"OffsetsOfThreads", declared + offsets + store + end, ToTheEnd},
      {"Barriers", declared + store + "barrier\n" + kLoad + "barrier\n" + round + store + end, ToTheEnd, 4},
      {"LoopsThatLoad", declared + begin + round + kLoad + again + store + end, Restarting},
      {"LoopsThatStore", declared + begin + round + store + again + end, Never},
      {"LoopsThatStoreToTheirOwn", declared + begin + round + store + again + end, Restarting, 1, true},
      {"LoopsThatLoadWhatTheyStore", declared + begin + round + store + kLoad + again + end, Never, 1, true},
      {"LoopsBehindAStore", declared + store + begin + round + again + store + end, Never},
      {"StoresBeforeALoop", declared + back + store + end, Never},
      {"LoopsOverChoices", choices + declared + store + each(store) + store + end, ToTheEnd},
      {"BranchesInChoices", choices + declared + each(branch + store) + store + end, ToTheEnd},
      {"LoopsBehindChoices", choices + declared + each(store) + begin + round + again + store + end, Never},
      {"ChoicesBehindALoop", choices + declared + begin + round + again + each(store) + end, Restarting},
      {"ChoicesThatChange", choices + declared + each("shr (M1, 16) e(0,0)<1> e(0,0)<1;1,0> 1:ud\n" + store) + end,
       Never},
      {"ChoicesOfOthers",
       choices + declared + each("cmp.eq (M1, 16) P4 y(0,0)<1;1,0> y(0,0)<1;1,0>\nsetp (M1, 16) P4 0:ud\n" + store) +
           end,
       Never},
      {"LoopsWithBarriers", declared + begin + round + "barrier\n" + again + store + end, Never, 4},
  };
}

class Interpreted : public ::testing::TestWithParam<Body> {
  void SetUp() override {
    if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  }
};

std::unique_ptr<Tiered> made(const Body& body, double interpret) {
  return std::make_unique<Tiered>(body.text, jit::Tiers::Both, nullptr, false, interpret,
                                  std::make_shared<image::Sampler>(), body.own);
}

std::vector<std::uint8_t> result(Tiered& kernel, const Body& body) { return kernel.result(99, body.group); }

TEST_P(Interpreted, IsDecidedByWhatOthersSee) {
  const Body& body = GetParam();
  const auto kernel = made(body, 1);
  ASSERT_NE(kernel->kernel, nullptr) << kernel->why;
  const jit::PreparedKernel& prepared = *kernel->kernel->prepared();
  EXPECT_EQ(jit::interpretation_of(kernel->kernel->code().objects.front(), prepared.graph(), kernel->bindings,
                                   prepared.options().own_surfaces),
            body.interpretation);
  EXPECT_EQ(prepared.interpreted_steps() != 0, body.interpretation != jit::Interpretation::Never);
  EXPECT_EQ(prepared.restarts(), body.interpretation == jit::Interpretation::Restarting);
  // Whichever code the first thread needs is made then.
  EXPECT_EQ(kernel->kernel->origin(), jit::CompiledKernel::Origin::None);
}

// From "the first thread is worth compiling" to "nothing ever is".
TEST_P(Interpreted, LeavesTheSameWhereverItEnds) {
  const Body& body = GetParam();
  const auto compiled = made(body, 0);
  ASSERT_NE(compiled->kernel, nullptr) << compiled->why;
  const std::vector<std::uint8_t> wanted = result(*compiled, body);
  EXPECT_NE(std::ranges::count(wanted, 0), static_cast<std::ptrdiff_t>(wanted.size()));
  for (const double share : {0.0003, 0.001, 1e9}) {
    const auto kernel = made(body, share);
    ASSERT_NE(kernel->kernel, nullptr) << kernel->why;
    EXPECT_EQ(kernel->kernel->prepared()->interpreted_steps() != 0, body.interpretation != jit::Interpretation::Never);
    EXPECT_EQ(result(*kernel, body), wanted) << share;
    const bool stays = share > 1 && body.interpretation != jit::Interpretation::Never;
    EXPECT_EQ(kernel->kernel->origin() == jit::CompiledKernel::Origin::None, stays) << share;
  }
}

// A thread that is left behind its loop has been seen: it goes on, wherever that is.
TEST(Interpreting, RunsNothingOnceMoreThatWasSeen) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  const std::string atomic =
      "and (M1, 16) a(0,0)<1> x(0,0)<1;1,0> 0xfc:ud\nadd (M1, 16) a(0,0)<1> a(0,0)<1;1,0> 0x200:ud\n"  // no store's
      "dword_atomic.add (M1, 16) T6 a.0 x.0 %null.0 y.0\n";
  const std::string round = kRound;
  const Body body{"LoopsBeforeAnAtomic",
                  std::string(kDeclared) + kBegin + round + kAgain + atomic + round + round + round + kStore + kEnd,
                  jit::Interpretation::Restarting};
  const auto compiled = made(body, 0);
  ASSERT_NE(compiled->kernel, nullptr) << compiled->why;
  const std::vector<std::uint8_t> wanted = result(*compiled, body);
  const auto whole = made(body, 1);
  const auto worth = static_cast<double>(whole->kernel->prepared()->interpreted_steps());
  ASSERT_EQ(jit::interpretation_of(whole->kernel->code().objects.front(), whole->kernel->prepared()->graph()),
            body.interpretation);
  for (unsigned steps = 1; steps < 80; ++steps) {
    const auto kernel = made(body, (steps + 0.5) / worth);
    ASSERT_EQ(kernel->kernel->prepared()->interpreted_steps(), steps);
    EXPECT_EQ(result(*kernel, body), wanted) << steps;
  }
}

// Steps count the same, so that limits are hit by the same runs.
TEST_P(Interpreted, TakesTheSameSteps) {
  const Body& body = GetParam();
  std::uint64_t used[2];
  for (const bool interprets : {false, true}) {
    const auto kernel = made(body, interprets ? 1e9 : 0);
    ASSERT_NE(kernel->kernel, nullptr) << kernel->why;
    machine::Reports reports(*kernel->program, machine::CheckMode::Off);
    reference::Budget budget(kernel->limits);
    {
      jit::Runner runner(*kernel->kernel, kernel->bindings, reports, budget);
      EXPECT_EQ(kernel->run(runner, 0, 4), reference::Outcome::Finished);
    }
    used[interprets ? 1 : 0] = budget.used();
  }
  EXPECT_EQ(used[0], used[1]);
  for (const std::uint64_t missing : {0u, 1u}) {
    const auto kernel = made(body, 1e9);
    machine::Reports reports(*kernel->program, machine::CheckMode::Off);
    base::Limits limits;
    limits.steps = used[0] - missing;
    reference::Budget budget(limits);
    jit::Runner runner(*kernel->kernel, kernel->bindings, reports, budget);
    EXPECT_EQ(kernel->run(runner, 0, 4), missing == 0 ? reference::Outcome::Finished : reference::Outcome::Limit);
    EXPECT_EQ(budget.hit().has_value(), missing != 0);
  }
}

// Threads with some lanes are interpreted beside full ones in code, from the same steps.
TEST(Interpreting, SharesTheBudgetWithCode) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  const Body body = bodies().front();
  const auto kernel = made(body, 1e9);
  ASSERT_NE(kernel->kernel, nullptr) << kernel->why;
  ASSERT_TRUE(kernel->kernel->finish_second_tier());
  machine::Reports reports(*kernel->program, machine::CheckMode::Off);
  base::Limits limits;
  limits.steps = 1000;
  reference::Budget budget(limits);
  {
    jit::Runner runner(*kernel->kernel, kernel->bindings, reports, budget);
    for (std::uint32_t thread = 0; thread < 8; ++thread)
      EXPECT_EQ(kernel->run(runner, thread, 1, thread % 2 == 0 ? 0xffff : 0xff), reference::Outcome::Finished)
          << thread;
  }
  EXPECT_TRUE(kernel->kernel->interprets(0xff, jit::CompiledKernel::Way::Threads, budget));
  EXPECT_FALSE(kernel->kernel->interprets(0xffff, jit::CompiledKernel::Way::Threads, budget));
  EXPECT_LT(budget.used(), 200u);
}

// What the texture unit refuses of a state is reported by threads without code, too.
TEST(Interpreting, RefusedStatesAreReported) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  auto sampler = std::make_shared<image::Sampler>();
  sampler->min_filter = sampler->mag_filter = image::Filter::Mono;
  std::string text[2];
  for (const bool interprets : {false, true}) {
    const std::vector<Body> all = bodies();
    const Body& body = *std::ranges::find(all, "Gathers", [](const Body& b) { return std::string_view(b.name); });
    const std::string filtered = std::string(body.text).replace(body.text.find("sample4.R"), 9, "sample_3d.R");
    Tiered kernel(filtered, jit::Tiers::Both, nullptr, false, interprets ? 1e9 : 0, sampler);
    ASSERT_NE(kernel.kernel, nullptr) << kernel.why;
    machine::Reports reports(*kernel.program, machine::CheckMode::Off);
    reference::Budget budget(kernel.limits);
    jit::Runner runner(*kernel.kernel, kernel.bindings, reports, budget);
    (void)kernel.run(runner, 0, 1);
    const base::Diagnostics said = reports.take();
    for (const base::Diagnostic& d : said.all()) text[interprets ? 1 : 0] += d.id + ": " + d.message + "\n";
  }
  EXPECT_FALSE(text[0].empty());
  EXPECT_EQ(text[0], text[1]);
}

TEST_P(Interpreted, EndsUnderRunningThreads) {
  const Body& body = GetParam();
  const auto compiled = made(body, 0), kernel = made(body, 0.002);
  ASSERT_NE(kernel->kernel, nullptr) << kernel->why;
  const int rounds = body.text.find("gather4_scaled") != std::string::npos ? 1 : 20;  // it would add up what it left
  const std::vector<std::uint8_t> wanted = result(*compiled, body);
  std::ranges::fill(*kernel->bindings.surfaces[0]->memory, std::uint8_t{0});
  machine::Reports reports(*kernel->program, machine::CheckMode::Off);
  reference::Budget budget(kernel->limits);
  std::vector<std::thread> workers;
  for (std::uint32_t w = 0; w < 4; ++w)
    workers.emplace_back([&, w] {
      jit::Runner runner(*kernel->kernel, kernel->bindings, reports, budget);
      for (int round = 0; round < rounds; ++round)
        for (std::uint32_t first = w * 4; first < w * 4 + 4; first += body.group)
          EXPECT_EQ(kernel->run(runner, first, body.group), reference::Outcome::Finished);
    });
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(*kernel->bindings.surfaces[0]->memory, std::vector<std::uint8_t>(wanted));
}

INSTANTIATE_TEST_SUITE_P(Bodies, Interpreted, ::testing::ValuesIn(bodies()),
                         [](const auto& info) { return std::string(info.param.name); });

// What is compared above is what they are: whole words and messages of whole words.
TEST(Interpreting, MostInstructionsArePlainSteps) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  for (const Body& body : bodies()) {
    const auto kernel = made(body, 1);
    ASSERT_NE(kernel->kernel, nullptr) << kernel->why;
    const jit::PlainSteps* const plain = kernel->kernel->prepared()->plain_steps();
    EXPECT_EQ(plain == nullptr, body.interpretation == jit::Interpretation::Never) << body.name;
    if (plain == nullptr) continue;
    EXPECT_GE(plain->steps(), 3u) << body.name;
    EXPECT_EQ(plain->messages(), std::string(body.name) == "Gathers" ? 1u : 0u) << body.name;
  }
}

// Where many threads are going to run, nothing is interpreted.
TEST(Interpreting, IsNothingOfLargeRuns) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  const Body body = bodies().front();
  const auto small = made(body, 1), large = made(body, 1);
  ASSERT_NE(large->kernel, nullptr) << large->why;
  reference::Budget budget(large->limits);
  small->kernel->expect(16);
  large->kernel->expect(1'000'000);
  EXPECT_TRUE(small->kernel->interprets(0xffff, jit::CompiledKernel::Way::Threads, budget));
  EXPECT_FALSE(large->kernel->interprets(0xffff, jit::CompiledKernel::Way::Threads, budget));
  EXPECT_TRUE(large->kernel->interprets(0xff, jit::CompiledKernel::Way::Threads, budget));  // which are others
  EXPECT_EQ(large->kernel->origin(), jit::CompiledKernel::Origin::Compiled);
}

// Where nothing branches, it is known how many steps the threads of a run will take; else half of them may be left out.
TEST(Interpreting, CountsTheStepsOfStraightPrograms) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  for (const Body& body : bodies()) {
    if (body.interpretation == jit::Interpretation::Never) continue;
    SCOPED_TRACE(body.name);
    const auto fewer = made(body, 1), enough = made(body, 1), more = made(body, 1);
    ASSERT_NE(enough->kernel, nullptr) << enough->why;
    const jit::PreparedKernel& prepared = *enough->kernel->prepared();
    const auto& nodes = prepared.graph().nodes;
    const auto steps = static_cast<std::uint64_t>(
        std::ranges::count_if(nodes, [](const jit::FlowNode& s) { return s.routine != 0xffffffffu; }));
    const bool branches =
        std::ranges::any_of(nodes, [](const jit::FlowNode& s) { return s.moves() && s.kind != isa::FlowKind::Return; });
    EXPECT_EQ(prepared.expected_steps(), branches ? steps / 2 : steps);
    const std::uint64_t threads = (prepared.worth_compiling() + steps - 1) / steps;
    reference::Budget budget(enough->limits);
    const auto interprets = [&](const Tiered& one, std::uint64_t count) {
      one.kernel->expect(count);
      return one.kernel->interprets(0xffff, jit::CompiledKernel::Way::Threads, budget);
    };
    EXPECT_TRUE(interprets(*fewer, threads - 1));
    EXPECT_EQ(interprets(*enough, threads), branches);
    EXPECT_FALSE(interprets(*more, 3 * threads));
  }
}

using Origins = std::vector<jit::CompiledKernel::Origin>;

// First code of runs that are known to be long keeps variables in machine registers, which takes longer to make; that
// of others leaves them in memory.
TEST(Interpreting, LargeRunsKeepVariablesInRegisters) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  std::string rounds;
  for (unsigned k = 0; k < 40; ++k) rounds += kRound;
  const Body body{"Long", std::string(kDeclared) + rounds + kStore + kEnd, jit::Interpretation::ToTheEnd};
  const auto listing = [](const Tiered& one) { return one.kernel->list().assembly; };
  const auto unexpected = made(body, 1), brief = made(body, 1), large = made(body, 1), compiled = made(body, 0);
  ASSERT_NE(large->kernel, nullptr) << large->why;
  const std::uint64_t threads = large->kernel->prepared()->worth_compiling() / 80 + 1;
  brief->kernel->expect(threads);
  large->kernel->expect(32 * threads);
  EXPECT_EQ(listing(*brief), listing(*unexpected));
  EXPECT_NE(listing(*brief), listing(*large));
  EXPECT_EQ(listing(*large), listing(*compiled));
  // What is there is taken: the second tier comes sooner than the other would be worth making.
  jit::MemoryCache memory(16);
  Origins origins;
  for (const std::uint64_t count : {threads, 32 * threads}) {
    const Tiered one(body.text, jit::Tiers::Both, &memory, false, 1);
    ASSERT_NE(one.kernel, nullptr) << one.why;
    reference::Budget budget(one.limits);
    one.kernel->expect(count);
    EXPECT_NE(one.kernel->function(0xffff, budget), nullptr);
    origins.push_back(one.kernel->origin());
  }
  EXPECT_EQ(origins, (Origins{jit::CompiledKernel::Origin::Compiled, jit::CompiledKernel::Origin::Memory}));
}

}  // namespace
}  // namespace heddle::engine::testing
