// SPDX-License-Identifier: MIT
// Seeded random structured programs: each lane must end with what it would compute alone.
#include <random>

#include "engine/harness.hpp"

namespace heddle::engine::testing {
namespace {

/// Statements over one variable x of each lane; control flow by predicates on x.
struct Statement {
  enum Kind { Add, If, Loop, Call, Return } kind = Add;
  unsigned value = 0;  ///< Add: addend; If, Loop: bit of x that is tested; Loop: at most 3 rounds
  unsigned callee = 0;
  std::vector<Statement> then, otherwise;
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::vector<Statement> block(unsigned depth, unsigned subroutines, bool may_return) {
    std::vector<Statement> out;
    const unsigned count = 1 + random_() % 3;
    for (unsigned i = 0; i < count; ++i) {
      Statement s;
      const unsigned pick = random_() % 10;
      s.value = random_() % 1000 + 1;
      if (depth > 0 && pick < 3) {
        s.kind = Statement::If;
        s.value %= 5;
        s.then = block(depth - 1, subroutines, may_return);
        if (random_() % 2 == 0) s.otherwise = block(depth - 1, subroutines, may_return);
      } else if (depth > 0 && pick < 5) {
        s.kind = Statement::Loop;
        s.value %= 5;
        s.then = block(depth - 1, subroutines, false);
      } else if (subroutines > 0 && pick < 7) {
        s.kind = Statement::Call;
        s.callee = random_() % subroutines;
      } else if (may_return && pick == 9 && random_() % 2 == 0) {
        s.kind = Statement::Return;
      }
      out.push_back(s);
      if (s.kind == Statement::Return) break;
    }
    return out;
  }

 private:
  std::mt19937 random_;
};

/// A lane by itself. False: it has returned.
bool run_lane(const std::vector<Statement>& statements, std::uint32_t& x,
              const std::vector<std::vector<Statement>>& subroutines) {
  for (const Statement& s : statements) {
    switch (s.kind) {
      case Statement::Add:
        x = x * 5 + s.value;
        break;
      case Statement::If:
        if (!run_lane((x >> s.value & 1u) != 0 ? s.then : s.otherwise, x, subroutines)) return false;
        break;
      case Statement::Loop:
        for (unsigned round = 0;; ++round) {
          if (!run_lane(s.then, x, subroutines)) return false;
          if (round == 3 || (x >> s.value & 1u) == 0) break;
        }
        break;
      case Statement::Call:
        (void)run_lane(subroutines[s.callee], x, subroutines);
        break;
      case Statement::Return:
        return false;
    }
  }
  return true;
}

class Writer {
 public:
  std::string text;
  void block(const std::vector<Statement>& statements, unsigned level) {
    for (const Statement& s : statements) {
      switch (s.kind) {
        case Statement::Add:
          text += "mad (M1, 16) X(0,0)<1> X(0,0)<1;1,0> 5:ud " + std::to_string(s.value) + ":ud\n";
          break;
        case Statement::If: {
          const std::string end = label(), other = label();
          test(s.value);
          text += "(P1) goto (M1, 16) " + other + "\n";  // P1: the bit is 0
          block(s.then, level + 1);
          text += "goto (M1, 16) " + end + "\n" + other + ":\n";
          block(s.otherwise, level + 1);
          text += end + ":\n";
          break;
        }
        case Statement::Loop: {
          // The counter of this nesting level counts rounds for each lane.
          const std::string counter = "N" + std::to_string(counters++), again = label();
          declarations += decl(counter, "ud", 16);
          text += "mov (M1, 16) " + counter + "(0,0)<1> 0:ud\n" + again + ":\n";
          block(s.then, level + 1);
          text += "add (M1, 16) " + counter + "(0,0)<1> " + counter + "(0,0)<1;1,0> 1:ud\n";
          test(s.value);
          text += "cmp.ge (M1, 16) P2 " + counter + "(0,0)<1;1,0> 4:ud\nor (M1, 16) P1 P1 P2\n(!P1) goto (M1, 16) " +
                  again + "\n";
          break;
        }
        case Statement::Call:
          text += "call (M1, 16) sub" + std::to_string(s.callee) + "\n";
          break;
        case Statement::Return:
          text += "ret (M1, 16)\n";
          break;
      }
    }
  }
  std::string declarations;

 private:
  void test(unsigned bit) {
    text += "and (M1, 16) Y(0,0)<1> X(0,0)<1;1,0> " + std::to_string(1u << bit) +
            ":ud\ncmp.eq (M1, 16) P1 Y(0,0)<1;1,0> 0:ud\n";
  }
  std::string label() { return "L" + std::to_string(labels++); }
  unsigned labels = 0, counters = 0;
};

TEST(RandomFlow, LanesComputeWhatTheyWouldAlone) {
  const bool all = std::getenv("HEDDLE_TEST_ALL") != nullptr;
  for (unsigned seed = 1; seed <= (all ? 5000u : 300u); ++seed) {
    Generator generator(seed);
    std::vector<std::vector<Statement>> subroutines = {generator.block(2, 0, true)};
    subroutines.push_back(generator.block(2, 1, true));  // calls only the first
    const std::vector<Statement> main = generator.block(3, 2, true);
    Writer writer;
    writer.block(main, 0);
    writer.text += "ret (M1, 1)\n";
    for (unsigned i = 0; i < subroutines.size(); ++i) {
      writer.text += ".function \"sub" + std::to_string(i) + "\"\nsub" + std::to_string(i) + ":\n";
      writer.block(subroutines[i], 0);
      writer.text += "ret (M1, 16)\n";
    }
    KernelRun run(decl("X", "ud", 16) + decl("Y", "ud", 16) +
                  ".decl P1 v_type=P num_elts=16\n.decl P2 v_type=P num_elts=16\n" + writer.declarations + writer.text);
    ASSERT_TRUE(run.ready()) << "seed " << seed;
    std::mt19937 random(seed);
    std::vector<std::uint32_t> in(16);
    for (auto& x : in) x = static_cast<std::uint32_t>(random());
    const std::uint32_t mask = seed % 3 == 0 ? static_cast<std::uint32_t>(random()) & 0xffffu : 0xffffu;
    run.limits.steps = 10'000'000;
    run.start(mask == 0 ? 1 : mask).set("X", in);
    ASSERT_EQ(run.go(), reference::Outcome::Finished) << "seed " << seed;
    const auto out = run.get<std::uint32_t>("X", 16);
    for (unsigned k = 0; k < 16; ++k) {
      std::uint32_t expected = in[k];
      if (((mask == 0 ? 1u : mask) >> k & 1u) != 0) (void)run_lane(main, expected, subroutines);
      ASSERT_EQ(out[k], expected) << "seed " << seed << " lane " << k;
    }
    EXPECT_TRUE(run.diagnostics.empty()) << "seed " << seed << ' ' << run.ids().front();
  }
}

TEST(ScalarFlow, UniformGotoAndJmp) {
  KernelRun run(decl("X", "ud", 8) +
                ".decl P1 v_type=P num_elts=8\nmov (M1, 8) X(0,0)<1> 0:ud\nsetp (M1_NM, 8) P1 0x01:ud\n(P1) goto (M1, "
                "1) L0\nmov (M1, 8) X(0,0)<1> 9:ud\nL0:\n"
                "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 1:ud\n(!P1) jmp (M1, 1) L1\nadd (M1, 8) X(0,0)<1> X(0,0)<1;1,0> "
                "2:ud\njmp (M1, 1) L1\nmov (M1, 8) X(0,0)<1> 9:ud\nL1:\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.start(0xff).go();
  EXPECT_EQ(run.get<std::uint32_t>("X", 8), std::vector<std::uint32_t>(8, 3));
}

TEST(ScalarFlow, SwitchjmpTakesTheIndexedLabel) {
  for (unsigned i = 0; i < 4; ++i) {
    KernelRun run(
        decl("X", "ud", 1) + decl("I", "ud", 1) +
        "switchjmp (M1, 1) I(0,0)<0;1,0> (L0, L1, L2)\nmov (M1_NM, 1) X(0,0)<1> 100:ud\nret (M1, 1)\nL0:\nmov (M1_NM, "
        "1) X(0,0)<1> 10:ud\nret (M1, 1)\n"
        "L1:\nmov (M1_NM, 1) X(0,0)<1> 11:ud\nret (M1, 1)\nL2:\nmov (M1_NM, 1) X(0,0)<1> 12:ud\nret (M1, 1)\n");
    ASSERT_TRUE(run.ready());
    run.set<std::uint32_t>("I", {i}).go();
    EXPECT_EQ(run.get<std::uint32_t>("X", 1)[0], i < 3 ? 10 + i : 100);
    if (i == 3) {
      EXPECT_EQ(run.ids(), std::vector<std::string>{"run-switch-index"});
    }
  }
}

TEST(Functions, FcallCopiesArgumentsAndRecurses) {
  // f(n) = n == 0 ? 0 : n + f(n - 1), by %arg and %retval.
  KernelRun run(
      decl("X", "ud", 1) + decl("A", "ud", 8, " alias=<%arg,0>") + decl("R", "ud", 8, " alias=<%retval,0>") +
      "mov (M1_NM, 1) A(0,0)<1> 10:ud\nfcall (M1, 8) f 1 1\nmov (M1_NM, 1) X(0,0)<1> R(0,0)<0;1,0>\nret (M1, 1)\n"
      ".global_function \"f\"\n.kernel_attr ArgSize=1\n.kernel_attr RetValSize=1\n" +
      decl("A", "ud", 8, " alias=<%arg,0>") + decl("R", "ud", 8, " alias=<%retval,0>") + decl("N", "ud", 1) +
      ".decl P1 v_type=P num_elts=1\n" +
      "mov (M1_NM, 1) N(0,0)<1> A(0,0)<0;1,0>\nmov (M1_NM, 1) R(0,0)<1> 0:ud\ncmp.eq (M1_NM, 1) P1 N(0,0)<0;1,0> "
      "0:ud\n(P1) goto (M1, 1) L0\nadd (M1_NM, 1) A(0,0)<1> N(0,0)<0;1,0> 0xffffffff:ud\n"
      "fcall (M1, 8) f 1 1\nadd (M1_NM, 1) R(0,0)<1> R(0,0)<0;1,0> N(0,0)<0;1,0>\nL0:\nfret (M1, 8)\n");
  ASSERT_TRUE(run.ready());
  run.start(0xff);
  EXPECT_EQ(run.go(), reference::Outcome::Finished);
  EXPECT_EQ(run.get<std::uint32_t>("X", 1)[0], 55u);
  EXPECT_TRUE(run.diagnostics.empty()) << run.ids().front();
}

TEST(Functions, EndlessRecursionHitsALimit) {
  KernelRun run(
      "fcall (M1, 8) f 0 0\nret (M1, 1)\n.global_function \"f\"\n.kernel_attr ArgSize=0\n.kernel_attr "
      "RetValSize=0\nfcall (M1, 8) f 0 0\nfret (M1, 8)\n");
  ASSERT_TRUE(run.ready());
  EXPECT_EQ(run.go(), reference::Outcome::Failed);
  EXPECT_EQ(run.ids(), std::vector<std::string>{"limit-calls"});
  EXPECT_TRUE(run.diagnostics.hit_limit());
}

}  // namespace
}  // namespace heddle::engine::testing
