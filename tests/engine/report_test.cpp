// SPDX-License-Identifier: MIT
// Every report of the reference engine, alone, in each mode of --check; and seeded into random valid programs
// (fault_test).
#include <fmt/format.h>

#include "engine/harness.hpp"

namespace heddle::engine::testing {
namespace {

using machine::CheckMode;
using reference::Outcome;

const std::string kState =
    ".decl T6 v_type=T num_elts=1\n.decl P1 v_type=P num_elts=16\n.decl A0 v_type=A num_elts=1\n";

struct Report {
  const char* id;
  bool stops;  ///< an error in every mode: the run cannot go on
  const char* lines;
  int lane;  ///< that the message names, -1: none
};

std::shared_ptr<image::Surface> buffer_of_64_bytes() {
  auto surface = std::make_shared<image::Surface>();
  surface->type = image::SurfaceType::Buffer;
  surface->format = static_cast<image::Format>(0x1ff);
  surface->structure_size = 1;
  surface->entries = 64;
  surface->memory = std::make_shared<image::Memory>(64);
  surface->name = "buffer";
  return surface;
}

const Report kReports[] = {
    {"run-undefined-register", false, "add (M1, 8) D(0,0)<1> Z(0,0)<1;1,0> 1:ud", 0},
    {"run-undefined-register", false, "mov (M1_NM, 4) Z(0,0)<1> 1:ud\nadd (M1, 8) D(0,0)<1> Z(0,0)<1;1,0> 1:ud", 4},
    {"run-undefined-register", false, "mov (M1, 8) D(0,0)<1> Z(0,0)<1;1,0>", 0},
    {"run-undefined-register", false, "scatter4_scaled.R (M1, 8) T6 0:ud O.0 Z.0", 0},
    {"run-undefined-register", false, "mov (M1, 8) D(0,0)<1> r[A0(0),0]<1;1,0>:ud", 0},
    {"run-region-bounds", false, "mov (M1, 8) D(0,0)<1> O(0,1)<1;1,0>", 7},
    {"run-region-bounds", false, "mov (M1, 8) D(0,0)<2> O(0,0)<1;1,0>", 4},
    {"run-region-bounds", false, "addr_add (M1_NM, 1) A0(0)<1> &O 4:uw\nmov (M1, 8) D(0,0)<1> r[A0(0),0]<1;1,0>:ud", 7},
    {"run-raw-bounds", false, "gather4_scaled.RG (M1, 8) T6 0:ud O.0 D.0", 0},
    {"run-raw-bounds", false, "oword_ld (4) T6 0:ud D.0", -1},
    {"run-surface-bounds", false, "add (M1, 8) O(0,0)<1> O(0,0)<1;1,0> 36:ud\ngather4_scaled.R (M1, 8) T6 0:ud O.0 D.0",
     7},
    {"run-surface-bounds", false, "svm_gather.4.1 (M1, 8) Q.0 D.0", 0},
    {"run-misaligned", false, "gather4_scaled.R (M1, 8) T6 2:ud O.0 D.0", 0},
    {"run-undefined-predicate", false, "(P1) mov (M1, 8) D(0,0)<1> 1:ud", 0},
    {"run-undefined-predicate", false, "setp (M1_NM, 8) P1 0xff:ub\n(P1) mov (M3, 8) D(0,0)<1> 1:ud", 8},
    {"run-switch-index", false, "switchjmp (M1, 1) 2:ud (L0, L0)\nL0:", -1},
    {"run-barrier-wait", false, "sbarrier.wait", -1},
    {"run-jump-over-lanes", false,
     "setp (M1_NM, 16) P1 0xf:uw\n(P1) goto (M1, 16) L1\njmp (M1, 1) L2\nL1:\nmov (M1, 8) D(0,0)<1> 1:ud\nL2:", 0},
    {"run-symbol-missing", true, "faddr nothing Q(0,0)<1>", -1},
    {"run-function-missing", true, "mov (M1_NM, 1) Q(0,0)<1> 64:uq\nifcall (M1, 8) Q(0,0)<0;1,0> 0 0", -1},
    {"run-binding-missing", true, "gather4_scaled.R (M1, 8) T7 0:ud O.0 D.0", -1},
    {"run-media-surface", true, "media_ld.nomod (8,1) T6 O(0,0)<0;1,0> O(0,0)<0;1,0> D.0", -1},
    {"run-typed-atomic", true, "typed_atomic.inc (M1, 8) T6 O.0 %null.0 %null.0 %null.0 %null.0 %null.0 D.0", -1},
};

TEST(Reports, EachInEveryMode) {
  for (const Report& r : kReports) {
    for (const CheckMode mode : {CheckMode::Off, CheckMode::Warn, CheckMode::Error}) {
      SCOPED_TRACE(std::string(r.lines) + " mode " + std::to_string(static_cast<int>(mode)));
      KernelRun run(kState + ".decl T7 v_type=T num_elts=1\n" + decl("D", "ud", 8) + decl("Z", "ud", 8) +
                        decl("O", "ud", 8) + decl("Q", "uq", 8) + r.lines + "\nret (M1, 1)\n",
                    isa::Platform::SKL, mode);
      ASSERT_TRUE(run.ready());
      run.bindings.surfaces = {buffer_of_64_bytes()};
      run.bindings.surface_variables[6] = {0};
      run.start(0xffff)
          .set<std::uint32_t>("O", {0, 4, 8, 12, 16, 20, 24, 28})
          .set("Q", std::vector<std::uint64_t>(8, 16));
      const Outcome outcome = run.go();
      if (r.stops) {
        EXPECT_EQ(outcome, Outcome::Failed);
        ASSERT_FALSE(run.diagnostics.empty());
        EXPECT_EQ(run.ids().front(), r.id);
        continue;
      }
      if (mode == CheckMode::Off) {
        EXPECT_EQ(outcome, Outcome::Finished);
        EXPECT_TRUE(run.diagnostics.empty());
        continue;
      }
      EXPECT_EQ(outcome, mode == CheckMode::Warn ? Outcome::Finished : Outcome::Failed);
      ASSERT_FALSE(run.diagnostics.empty());
      const base::Diagnostic& d = run.diagnostics.all().front();
      EXPECT_EQ(d.id, r.id);
      EXPECT_EQ(d.severity, mode == CheckMode::Warn ? base::Severity::Warning : base::Severity::Error);
      // The line of the last instruction (a label may stand behind it).
      EXPECT_GT(d.place.line, 8u);
      if (r.lane >= 0) {
        EXPECT_NE(d.message.find("lane " + std::to_string(r.lane)), std::string::npos) << d.message;
      }
    }
  }
}

/// run-address-range: addresses have 16 bits.
TEST(Reports, VariablesBeyondTheReachOfAddresses) {
  std::string text = ".version 4.1\n.kernel \"k\"\n.decl A0 v_type=A num_elts=1\n", code;
  for (unsigned v = 0; v < 17; ++v) {
    text += fmt::format(".decl B{} v_type=G type=ud num_elts=1024 align=GRF\n", v);
    code += fmt::format("addr_add (M1_NM, 1) A0(0)<1> &B{} 0:uw\n", v);
  }
  base::Diagnostics found;
  const auto program = text::parse(text + code + "ret (M1, 1)\n", "k.visaasm", {}, found);
  ASSERT_TRUE(program) << base::render(found, {}, false);
  const auto prepared = reference::ResolvedKernel::prepare(*program, program->objects[0], isa::Platform::SKL, {});
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.diagnostics()[0].id, "run-address-range");
}

TEST(Reports, TheEndOfTheProgram) {
  KernelRun run(decl("D", "ud", 8) + "jmp (M1, 1) past\nret (M1, 1)\npast:\n", isa::Platform::SKL, CheckMode::Error);
  ASSERT_TRUE(run.ready());
  run.start(0xffff);
  EXPECT_EQ(run.go(), Outcome::Failed);
  ASSERT_FALSE(run.diagnostics.empty());
  EXPECT_EQ(run.ids().front(), "run-flow-end");
}

}  // namespace
}  // namespace heddle::engine::testing
