// SPDX-License-Identifier: MIT
// Random valid straight-line programs run without a report; the same program with one seeded fault gets the right one.
#include <algorithm>
#include <random>

#include "engine/harness.hpp"

namespace heddle::engine::testing {
namespace {

constexpr unsigned kVariables = 6;

struct Program {
  std::string declarations;
  std::vector<std::string> lines;
  [[nodiscard]] std::string text() const {
    std::string out = declarations;
    for (const auto& line : lines) out += line + "\n";
    return out + "ret (M1, 1)\n";
  }
};

Program random_program(std::mt19937& random) {
  const char* types[] = {"ud", "d", "uw", "w", "f", "f"};
  const char* integer_ops[] = {"add", "and", "or", "xor", "min", "max", "shl", "mov"};
  const char* float_ops[] = {"add", "mul", "min", "max", "mov"};
  Program p;
  p.declarations =
      ".decl P1 v_type=P num_elts=16\n.decl A0 v_type=A num_elts=1\n" + decl("Z", "ud", 16) + decl("Y", "ud", 16);
  for (unsigned v = 0; v < kVariables; ++v) {
    p.declarations += decl("X" + std::to_string(v), types[v], 16);
    p.lines.push_back("mov (M1, 16) X" + std::to_string(v) + "(0,0)<1> " + std::to_string(random() % 100) + ":w");
  }
  p.lines.push_back("cmp.lt (M1, 16) P1 X0(0,0)<1;1,0> 50:ud");
  for (unsigned i = 0; i < 12; ++i) {
    const bool floating = random() % 2 == 0;
    const auto pick = [&] { return "X" + std::to_string(floating ? 4 + random() % 2 : random() % 4); };
    const std::string op = floating ? float_ops[random() % 5] : integer_ops[random() % 8];
    const std::string to = pick();
    std::string line = (op == "min" || op == "max" || random() % 3 != 0 ? "" : "(P1) ") + op + " (M1, 16) " + to +
                       "(0,0)<1> " + pick() + "(0,0)<1;1,0>";
    if (op != "mov") line += " " + pick() + "(0,0)<1;1,0>";
    p.lines.push_back(line);
  }
  return p;
}

TEST(SeededFaults, RightReportInTheRightLine) {
  struct Fault {
    const char* line;
    const char* id;
  };
  const Fault faults[] = {{"add (M1, 16) X0(0,0)<1> Z(0,0)<1;1,0> 1:ud", "run-undefined-register"},
                          {"add (M1, 16) X0(0,0)<1> X1(0,4)<1;1,0> 1:ud", "run-region-bounds"},
                          {"mov (M1, 16) X2(0,0)<2> X0(0,0)<1;1,0>", "run-region-bounds"},
                          {"mov (M1, 16) X0(0,0)<1> r[A0(0),0]<0;1,0>:ud", "run-undefined-register"}};
  for (unsigned seed = 1; seed <= 100; ++seed) {
    std::mt19937 random(seed);
    Program program = random_program(random);
    KernelRun clean(program.text());
    ASSERT_TRUE(clean.ready()) << "seed " << seed;
    EXPECT_EQ(clean.go(), reference::Outcome::Finished);
    EXPECT_TRUE(clean.diagnostics.empty()) << "seed " << seed << ' ' << clean.ids().front();

    const Fault& fault = faults[random() % std::size(faults)];
    const std::size_t at = kVariables + 1 + random() % (program.lines.size() - kVariables - 1);
    program.lines.insert(program.lines.begin() + static_cast<std::ptrdiff_t>(at), fault.line);
    KernelRun broken(program.text());
    ASSERT_TRUE(broken.ready()) << "seed " << seed;
    EXPECT_EQ(broken.go(), reference::Outcome::Finished);
    ASSERT_FALSE(broken.diagnostics.empty()) << "seed " << seed << ' ' << fault.line;
    EXPECT_EQ(broken.ids().front(), fault.id) << "seed " << seed;
    const auto lines_before =
        static_cast<std::uint32_t>(std::count(program.declarations.begin(), program.declarations.end(), '\n'));
    EXPECT_EQ(broken.diagnostics.all().front().place.line, 2 + lines_before + at + 1) << "seed " << seed;
  }
}

}  // namespace
}  // namespace heddle::engine::testing
