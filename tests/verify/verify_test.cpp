// SPDX-License-Identifier: MIT
// What holds for all rules together: platforms, places, notes, order, time.

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "support/process.hpp"
#include "support/processor_time.hpp"
#include "text/text.hpp"
#include "verify/harness.hpp"

namespace heddle {
namespace {

TEST(Verify, AllFindingsComeInTheOrderOfTheirPlacesWithTheRulesSource) {
  const test::Verdict verdict = test::judge_text(test::program_of("mov (M2, 8) V32(0,0)<1> V33(0,0)<8;8,1>\n"
                                                                  "resinfo.RGBA (M1, 1) T6 V38.0 V32.0\n"
                                                                  "mov (M1, 16) V34(1,0)<1> V35(0,0)<1;1,0>"),
                                                 isa::Platform::SKL);
  EXPECT_EQ(verdict.diagnostics.errors(), 5u) << test::list(verdict.diagnostics);
  std::pair<std::uint32_t, std::uint32_t> last{0, 0};
  for (const base::Diagnostic& d : verdict.diagnostics.all()) {
    const std::pair at{d.place.line, d.place.column};
    EXPECT_LE(last, at);
    last = at;
    if (d.severity == base::Severity::Note) continue;
    ASSERT_FALSE(d.notes.empty()) << d.id;
    EXPECT_TRUE(d.notes.back().message.starts_with("rule: ")) << d.notes.back().message;
  }
}

TEST(Verify, ErrorsAreKeptWhenTheListIsFull) {
  std::string source = test::prologue();
  for (int i = 0; i < 50; ++i) source += "shr (M1, 8) V38(0,0)<1> V38(0,0)<1;1,0> 0x3:ud\n";
  source += "mov (M2, 8) V32(0,0)<1> 0x0:f\nret (M1, 1)\n";
  base::Diagnostics diagnostics(10);
  const auto program = text::parse(source, "many", {}, diagnostics);
  ASSERT_TRUE(program);
  verify::Options options;
  options.platform = isa::Platform::SKL;
  options.kept = 10;
  verify::check(*program, options, diagnostics);
  EXPECT_EQ(test::count(diagnostics, "visa-mask-align"), 1u);
  EXPECT_EQ(diagnostics.all().size(), 10u);
  EXPECT_GT(diagnostics.suppressed(), 40u);
}

/// What Intel's tool takes and kernels of media drivers hold is no error (tests/peers/genx asks the tool for the same).
TEST(Verify, FormsOfRealKernels) {
  const std::string declarations = R"(.version 4.1
.kernel "k"
.decl B v_type=G type=b num_elts=64 align=GRF
.decl UB v_type=G type=ub num_elts=64 align=GRF
.decl W v_type=G type=w num_elts=64 align=GRF
.decl D v_type=G type=d num_elts=64 align=GRF
.decl UD v_type=G type=ud num_elts=64 align=GRF
.decl A0 v_type=A num_elts=16
.decl T6 v_type=T num_elts=4
.decl S0 v_type=S num_elts=4
)";
  struct Form {
    isa::Platform platform;
    std::string_view text;
  };
  constexpr Form kForms[] = {
#include "verify/forms_of_kernels.inc"
  };
  for (const Form& form : kForms) {
    const test::Verdict verdict =
        test::judge_text(declarations + std::string(form.text) + "\nret (M1, 1)\n", form.platform);
    EXPECT_FALSE(verdict.diagnostics.has_errors()) << form.text << "\n" << test::list(verdict.diagnostics);
  }
}

/// Kernels of old compilers begin with labels and a .function for their own code, and end in a label that nothing
/// names.
TEST(Verify, KernelThatBeginsWithASubroutine) {
  const test::Verdict verdict = test::judge_text(
      ".version 4.1\n.kernel k\nBB_0:\nBB_1:\n.function \"k_BB_1\"\nLOC 7\nret (M1, 1)\nBB_2:\n", isa::Platform::SKL);
  EXPECT_EQ(test::count(verdict.diagnostics, "visa-flow-end"), 0u) << test::list(verdict.diagnostics);
}

TEST(Verify, WithoutAPlatformOnlyWhatHoldsEverywhereIsAnError) {
  const std::string source = test::program_of("rol (M1, 8) V40(0,0)<1> V41(0,0)<1;1,0> 0x3:ud");
  EXPECT_TRUE(test::judge_text(source, isa::Platform::SKL).diagnostics.has_errors());
  EXPECT_FALSE(test::judge_text(source, isa::Platform::ICLLP).diagnostics.has_errors());
  const test::Verdict verdict = test::judge_text(source, std::nullopt);
  EXPECT_FALSE(verdict.diagnostics.has_errors()) << test::list(verdict.diagnostics);
  EXPECT_EQ(verdict.fit.platforms, isa::PlatformSet::from(isa::Platform::ICLLP));
  ASSERT_EQ(verdict.fit.mismatches.size(), 4u);
  EXPECT_EQ(verdict.fit.mismatches[0].platform, isa::Platform::BDW);
  ASSERT_EQ(verdict.fit.mismatches[0].reasons.size(), 1u);
  EXPECT_EQ(verdict.fit.mismatches[0].reasons[0].id, "visa-platform");
}

TEST(Verify, AProgramThatFitsNoPlatformIsAnError) {
  // lrp ends before ICLLP, rol starts there
  const test::Verdict verdict =
      test::judge_text(test::program_of("lrp (M1, 8) V34(0,0)<1> V35(0,0)<1;1,0> V36(0,0)<1;1,0> V37(0,0)<1;1,0>\n"
                                        "rol (M1, 8) V40(0,0)<1> V41(0,0)<1;1,0> 0x3:ud"),
                       std::nullopt);
  EXPECT_TRUE(verdict.fit.platforms.empty());
  EXPECT_EQ(verdict.diagnostics.errors(), 1u);
  EXPECT_EQ(test::count(verdict.diagnostics, "visa-platform"), 1u);
}

TEST(Verify, RegisterSizeDecidesByPlatform) {
  // Row 8 of a variable of 512 bytes exists with registers of 32 bytes only.
  const std::string source = test::program_of("mov (M1, 8) V32(8,0)<1> V33(0,0)<8;8,1>");
  EXPECT_FALSE(test::judge_text(source, isa::Platform::SKL).diagnostics.has_errors());
  EXPECT_EQ(test::count(test::judge_text(source, isa::Platform::PVC).diagnostics, "visa-region-bounds"), 1u);
  const test::Verdict verdict = test::judge_text(source, std::nullopt);
  EXPECT_FALSE(verdict.diagnostics.has_errors());
  EXPECT_FALSE(verdict.fit.platforms.has(isa::Platform::PVC));
  EXPECT_TRUE(verdict.fit.platforms.has(isa::Platform::DG2));
}

TEST(Verify, AliasesReachToTheEndOfTheirRoot) {
  const std::string declared = ".decl N v_type=G type=ud num_elts=8 alias=<V40,32>\n";
  EXPECT_FALSE(test::judge_text(test::program_of(declared + "mov (M1, 16) N(0,0)<1> 0x0:ud"), isa::Platform::SKL)
                   .diagnostics.has_errors());
  EXPECT_EQ(
      test::count(test::judge_text(test::program_of(declared + "mov (M1, 8) N(15,0)<1> 0x0:ud"), isa::Platform::SKL)
                      .diagnostics,
                  "visa-region-bounds"),
      1u);
}

TEST(Verify, WritesInSubroutinesAndLoopsCountForUninitializedReads) {
  const auto uninitialized = [](const std::string& body) {
    return test::count(test::judge_text(test::program_of(body), isa::Platform::SKL).diagnostics, "visa-uninitialized");
  };
  EXPECT_EQ(uninitialized("call (M1_NM, 1) f\nmov (M1, 8) V32(0,0)<1> V33(0,0)<8;8,1>\nret (M1, 1)\n.function "
                          "\"f\"\nmov (M1, 8) V33(0,0)<1> 0x0:f\nret (M1_NM, 1)"),
            0u);
  EXPECT_EQ(uninitialized("L0:\nmov (M1, 8) V32(0,0)<1> V33(0,0)<8;8,1>\nmov (M1, 8) V33(0,0)<1> 0x0:f\n"
                          "cmp.eq (M1, 16) P1 0x0:d 0x0:d\n(P1) goto (M1, 8) L0\nret (M1, 1)"),
            0u);
  EXPECT_EQ(uninitialized("goto (M1, 8) L1\nL0:\nmov (M1, 8) V33(0,0)<1> 0x0:f\nret (M1, 1)\nL1:\nmov (M1, 8) "
                          "V32(0,0)<1> V33(0,0)<8;8,1>\nret (M1, 1)"),
            1u);
  EXPECT_EQ(uninitialized("addr_add (M1_NM, 1) A0(0)<1> &V33 0x0:uw\nmov (M1, 8) V32(0,0)<1> V33(0,0)<8;8,1>"), 0u);
}

TEST(Verify, UniformJumpsDoNotMakeABarrierDivergent) {
  const auto divergent = [](const std::string& body) {
    return test::count(test::judge_text(test::program_of(body), isa::Platform::SKL).diagnostics,
                       "visa-barrier-divergent");
  };
  EXPECT_EQ(divergent("cmp.eq (M1, 16) P1 V38(0,0)<0;1,0> 0x0:d\n(P1) goto (M1, 16) L0\nbarrier\nL0:\nret (M1, 1)"),
            0u);
  EXPECT_EQ(
      divergent("cmp.eq (M1, 16) P1 V38(0,0)<1;1,0> 0x0:d\n(P1) goto (M1, 16) L0\ncall (M1_NM, 1) f\nL0:\nret (M1, 1)\n"
                ".function \"f\"\nbarrier\nret (M1_NM, 1)"),
      1u);
  EXPECT_EQ(divergent("L0:\nbarrier\ncmp.eq (M1, 16) P1 V38(0,0)<1;1,0> 0x0:d\n(P1) goto (M1, 16) L0\nret (M1, 1)"),
            1u);
}

// 100,000 instructions over 5,000 variables with jumps in every direction.
TEST(Verify, TimeIsLinear) {
  std::mt19937 random(7);
  const auto program = [&](unsigned count) {
    std::string source = ".version 4.1\n.kernel \"k\"\n.decl P1 v_type=P num_elts=16\n";
    const unsigned variables = count / 20;
    for (unsigned v = 0; v < variables; ++v)
      source += ".decl V" + std::to_string(v + 32) + " v_type=G type=d num_elts=8 align=GRF\n";
    for (unsigned i = 0; i < count; ++i) {
      if (i % 10 == 0)
        source +=
            "L" + std::to_string(i) + ":\n(P1) goto (M1, 8) L" + std::to_string(random() % (count / 10) * 10) + "\n";
      source += "mov (M1, 8) V" + std::to_string(random() % variables + 32) + "(0,0)<1> V" +
                std::to_string(random() % variables + 32) + "(0,0)<8;8,1>\n";
    }
    return source + "ret (M1, 1)\n";
  };
  base::Diagnostics diagnostics;
  const auto parsed = text::parse(program(100'000), "big", {}, diagnostics);
  ASSERT_TRUE(parsed);
  const double start = test::processor_seconds();
  verify::Options options;
  options.platform = isa::Platform::SKL;
  base::Diagnostics found;
  verify::check(*parsed, options, found);
  const double seconds = test::processor_seconds() - start;
  EXPECT_LT(seconds, 10 * test::kSlowness);  // well under one second on an idle machine
}

// A mutant of a program may be anything: the rules look at it without harm.
TEST(Verify, MutantsOfProgramsAreJudgedWithoutHarm) {
  base::Diagnostics diagnostics;
  std::string source = test::prologue();
  for (const char* name : {"arithmetic.txt", "sample4.txt", "memory.txt", "flow.txt", "lsc.txt"}) {
    std::ifstream in(std::string(HEDDLE_TEST_DIR "/data/golden/") + name);
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line[0] == '#' || line.find("\\n") != std::string::npos) continue;
      const std::size_t tab = line.find('\t');
      source += line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1) + "\n";
    }
  }
  source += "goto (M1, 8) L0\nL0:\nret (M1, 1)\n";
  const auto program = text::parse(source, "all", {}, diagnostics);
  ASSERT_TRUE(program) << test::list(diagnostics);
  constexpr unsigned kSeed = 11;
  std::mt19937 random(kSeed);
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  for (int round = 0; round < 1500; ++round) {
    isa::Program mutant = *program;
    isa::Object& object = mutant.objects[0];
    for (int change = 0; change < 3; ++change) {
      isa::Operand& o = object.operands[random() % object.operands.size()];
      isa::Instruction& i = object.instructions[random() % object.instructions.size()];
      switch (random() % 12) {
        case 0:
          o.id = random() % 128;
          break;
        case 1:
          o.id = random();
          break;
        case 2:
          o.kind = static_cast<isa::OperandKind>(random() % 14);
          break;
        case 3:
          o.region.bits = static_cast<std::uint16_t>(random());
          break;
        case 4:
          o.offset = static_cast<std::int32_t>(random());
          break;
        case 5:
          o.row = static_cast<std::uint8_t>(random()), o.col = static_cast<std::uint8_t>(random());
          break;
        case 6:
          o.value = random();
          break;
        case 7:
          o.modifier = static_cast<isa::Modifier>(random() % 8);
          break;
        case 8:
          i.exec.bits = static_cast<std::uint8_t>(random());
          break;
        case 9:
          i.predicate.bits = static_cast<std::uint16_t>(random());
          break;
        case 10:
          object.variables[random() % object.variables.size()].alias = random() % 64;
          break;
        case 11:
          object.variables[random() % object.variables.size()].elements = random();
          break;
      }
    }
    base::Diagnostics found;
    verify::check(mutant, {}, found);
  }
}

}  // namespace
}  // namespace heddle
