// SPDX-License-Identifier: MIT
// Programs that never end stop at a limit (the program's exit code is then 4), on both engines, with one worker and
// with several.
#include <gtest/gtest.h>

#include "engine/jit/codegen/compile.hpp"
#include "job/run/run.hpp"
#include "opencl_support.hpp"
#include "support/processor_time.hpp"

namespace heddle::job {
namespace {

struct Endless {
  const char* name;
  const char* body;         ///< of a kernel with a variable N (ud, 16), a predicate P1, a buffer T6
  const char* behind = "";  ///< routines
  const char* job = "global = [64]\nlocal = [32]\n";
};

constexpr Endless kPrograms[] = {
    {"one instruction", "again:\n goto (M1, 16) again\n"},
    {"all lanes together",
     "again:\n add (M1_NM, 16) N(0,0)<1> N(0,0)<1;1,0> 1:ud\n cmp.ge (M1_NM, 16) P1 N(0,0)<1;1,0> 0:ud\n (P1) goto "
     "(M1_NM, 1) again\n"},
    {"lanes that leave at different times, but for one",
     "again:\n add (M1, 16) N(0,0)<1> N(0,0)<1;1,0> 1:ud\n cmp.ne (M1, 16) P1 ids(0,0)<1;1,0> N(0,0)<1;1,0>\n (P1) "
     "goto "
     "(M1, 16) again\n"},
    {"a loop in a loop",
     "outer:\n mov (M1, 16) N(0,0)<1> 0:ud\ninner:\n add (M1, 16) N(0,0)<1> N(0,0)<1;1,0> 1:ud\n cmp.lt (M1, 16) P1 "
     "N(0,0)<1;1,0> ids(0,0)<1;1,0>\n (P1) goto (M1, 16) inner\n goto (M1, 16) outer\n"},
    {"a barrier in the loop", "again:\n barrier\n jmp (M1, 1) again\n"},
    {"a thread loops while the other waits",
     "cmp.eq (M1_NM, 1) P1 ids(0,0)<0;1,0> 0:ud\n (!P1) jmp (M1, 1) wait\nagain:\n goto (M1, 16) again\nwait:\n "
     "barrier\n"},
    {"a subroutine in the loop", "again:\n call (M1, 16) work\n goto (M1, 16) again\n",
     ".function \"work\"\nwork:\n add (M1, 16) N(0,0)<1> N(0,0)<1;1,0> 1:ud\n ret (M1, 16)\n"},
    {"a loop in a subroutine", "call (M1, 16) work\n",
     ".function \"work\"\nwork:\n goto (M1, 16) work\n ret (M1, 16)\n"},
    {"atomics until a value that nobody writes",
     "again:\n dword_atomic.add (M1, 8) T6 N.0 N.0 %null.0 D.0\n cmp.ne (M1, 8) P1 D(0,0)<1;1,0> 77:ud\n (P1) goto "
     "(M1, 8) "
     "again\n"},
};

RunResult run_program(const Endless& program, const std::string& more) {
  const std::string text = R"(.version 4.1
.kernel "spin"
.decl ids v_type=G type=uw num_elts=16 align=GRF
.decl N v_type=G type=ud num_elts=16 align=GRF
.decl D v_type=G type=ud num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1 v_name=out
.input ids offset=32 size=32
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "spin_main"
spin_main:
)" + std::string(program.body) +
                           "    ret (M1, 1)\n" + program.behind;
  return kernels::run_text(text, more + program.job + "[buffers.T6]\ncount = 64\n");
}

bool has(const RunResult& outcome, std::string_view id) {
  for (const base::Diagnostic& d : outcome.diagnostics.all())
    if (d.id == id) return true;
  return false;
}

TEST(Endless, StepsAreCounted) {
  for (const Endless& program : kPrograms)
    for (const char* engine : {"fast", "reference"})
      for (const char* threads : {"1", "3"}) {
        SCOPED_TRACE(std::string(program.name) + ", " + engine + ", threads " + threads);
        const RunResult o = run_program(program, std::string("engine = \"") + engine + "\"\nthreads = " + threads +
                                                     "\nlimits = { steps = 300000, seconds = 3600 }\n");
        // Routines may make a program one for the reference engine.
        if (engine::jit::has_compiler() && *program.behind == 0) EXPECT_EQ(o.summary.engine, engine);
        EXPECT_FALSE(o.succeeded);
        EXPECT_TRUE(o.diagnostics.hit_limit()) << kernels::messages(o.diagnostics);
        EXPECT_TRUE(has(o, "limit-steps")) << kernels::messages(o.diagnostics);
      }
}

TEST(Endless, TimeIsLimited) {
  for (const Endless& program : kPrograms) {
    SCOPED_TRACE(program.name);
    const double start = test::processor_seconds();
    const RunResult o = run_program(program, "engine = \"fast\"\nthreads = 2\nlimits = { seconds = 0.1 }\n");
    EXPECT_TRUE(has(o, "limit-seconds")) << kernels::messages(o.diagnostics);
    EXPECT_LT(test::processor_seconds() - start, 20 * test::kSlowness);
  }
}

TEST(Endless, PixelsToo) {
  const std::string text = R"(.version 4.1
.kernel "p"
.decl a v_type=G type=f num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1 v_name=target
.input a offset=96 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "p_main"
p_main:
again:
    add (M1, 16) a(0,0)<1> a(0,0)<1;1,0> 0x0:f
    cmp.lt (M1, 16) P1 a(0,0)<1;1,0> 0x40000000:f
    (P1) goto (M1, 16) again
    rt_write_3d.<LRTW> (M1, 16) T6 %null.0 a.0 a.0 a.0 a.0
    ret (M1, 1)
)";
  for (const char* engine : {"fast", "reference"})
    for (const char* threads : {"1", "2"}) {
      SCOPED_TRACE(std::string(engine) + ", threads " + threads);
      const RunResult o = kernels::run_text(
          text, std::string("engine = \"") + engine + "\"\nthreads = " + threads +
                    "\nlimits = { steps = 300000 }\n[images.T6]\nformat = \"R32G32B32A32_FLOAT\"\nsize = [40, 40]\n"
                    "[pixels]\ntargets = [\"T6\"]\n[pixels.inputs]\na = \"uv.x\"\n");
      EXPECT_TRUE(has(o, "limit-steps")) << kernels::messages(o.diagnostics);
    }
}

}  // namespace
}  // namespace heddle::job
