// SPDX-License-Identifier: MIT
// Compute groups on both engines: whole ones and smaller ones at the ends of all dimensions, lanes and threads that are
// left over, shared memory, several barriers, what a thread sees of itself; with one worker and with several. What
// threads keep while they wait is part of the job's memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "engine/jit/codegen/compile.hpp"
#include "job/run/run.hpp"
#include "opencl_support.hpp"

namespace heddle::job {
namespace {

constexpr const char* kHead = R"(.version 4.1
.kernel "k"
.decl X v_type=G type=uw num_elts=16 align=GRF
.decl Y v_type=G type=uw num_elts=16 align=GRF
.decl size v_type=G type=ud num_elts=8 align=GRF
.decl at v_type=G type=ud num_elts=16 align=GRF
.decl slot v_type=G type=ud num_elts=16 align=GRF
.decl value v_type=G type=ud num_elts=16 align=GRF
.decl other v_type=G type=ud num_elts=16 align=GRF
.decl zero v_type=G type=ud num_elts=16 align=GRF
.decl one v_type=G type=ud num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1 v_name=out
.input X offset=32 size=32
.input Y offset=64 size=32
.input size offset=128 size=32
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    // value = local id and group, at = byte of this item: ((gz * 8 + gy) * 64 + gx) * 64 + y * 8 + x, four bytes each
    mov (M1, 16) value(0,0)<1> X(0,0)<1;1,0>
    mov (M1, 16) slot(0,0)<1> Y(0,0)<1;1,0>
    shl (M1, 16) slot(0,0)<1> slot(0,0)<1;1,0> 3:ud
    add (M1, 16) slot(0,0)<1> slot(0,0)<1;1,0> value(0,0)<1;1,0>
    mov (M1, 16) at(0,0)<1> %r0(0,7)<0;1,0>
    shl (M1, 16) at(0,0)<1> at(0,0)<1;1,0> 3:ud
    add (M1, 16) at(0,0)<1> at(0,0)<1;1,0> %r0(0,6)<0;1,0>
    shl (M1, 16) at(0,0)<1> at(0,0)<1;1,0> 6:ud
    add (M1, 16) at(0,0)<1> at(0,0)<1;1,0> %r0(0,1)<0;1,0>
    shl (M1, 16) at(0,0)<1> at(0,0)<1;1,0> 6:ud
    add (M1, 16) value(0,0)<1> at(0,0)<1;1,0> slot(0,0)<1;1,0>
    shl (M1, 16) slot(0,0)<1> slot(0,0)<1;1,0> 2:ud
    shl (M1, 16) at(0,0)<1> value(0,0)<1;1,0> 2:ud
)";
constexpr const char* kTail = R"(
    scatter4_scaled.R (M1, 16) T6 0x0:ud at.0 value.0
    ret (M1, 1)
)";

struct Case {
  const char* name;
  const char* body;
};
constexpr Case kCases[] = {
    {"nothing shared", ""},
    {"size of the group", "add (M1, 16) value(0,0)<1> value(0,0)<1;1,0> size(0,3)<0;1,0>\n"},
    {"thread and dispatch mask",
     "add (M1, 16) value(0,0)<1> value(0,0)<1;1,0> %sr0(0,2)<0;1,0>\n"
     "shl (M1, 16) other(0,0)<1> %r0(0,2)<0;1,0> 24:ud\n"
     "add (M1, 16) value(0,0)<1> value(0,0)<1;1,0> other(0,0)<1;1,0>\n"},
    {"time", "add (M1, 16) value(0,0)<1> value(0,0)<1;1,0> %tsc(0,0)<0;1,0>\n"},
    {"shared memory starts as zeros",
     "gather4_scaled.R (M1, 16) %slm 0x0:ud slot.0 other.0\n"
     "scatter4_scaled.R (M1, 16) %slm 0x0:ud slot.0 value.0\n"
     "add (M1, 16) value(0,0)<1> value(0,0)<1;1,0> other(0,0)<1;1,0>\n"},
    {"three barriers",
     "scatter4_scaled.R (M1, 16) %slm 0x0:ud slot.0 value.0\nbarrier\n"
     "xor (M1, 16) slot(0,0)<1> slot(0,0)<1;1,0> 0x24:ud\n"
     "gather4_scaled.R (M1, 16) %slm 0x0:ud slot.0 other.0\nbarrier\n"
     "add (M1, 16) value(0,0)<1> value(0,0)<1;1,0> other(0,0)<1;1,0>\n"
     "scatter4_scaled.R (M1, 16) %slm 0x0:ud slot.0 value.0\nbarrier\n"
     "gather4_scaled.R (M1, 16) %slm 0x4:ud slot.0 other.0\n"
     "add (M1, 16) value(0,0)<1> value(0,0)<1;1,0> other(0,0)<1;1,0>\n"},
    {"a barrier in a loop, lanes waiting around it",
     "cmp.lt (M1, 16) P1 X(0,0)<1;1,0> 2:uw\n(P1) goto (M1, 16) later\n"
     "add (M1, 16) value(0,0)<1> value(0,0)<1;1,0> 1000000:ud\nlater:\n"
     "mov (M1_NM, 1) other(0,0)<1> 0:ud\nagain:\n"
     "scatter4_scaled.R (M1, 16) %slm 0x0:ud slot.0 value.0\nbarrier\n"
     "xor (M1, 16) slot(0,0)<1> slot(0,0)<1;1,0> 0x20:ud\n"
     "gather4_scaled.R (M1, 16) %slm 0x0:ud slot.0 value.0\nbarrier\n"
     "add (M1_NM, 1) other(0,0)<1> other(0,0)<0;1,0> 1:ud\n"
     "cmp.lt (M1_NM, 1) P1 other(0,0)<0;1,0> 5:ud\n(P1) jmp (M1, 1) again\n"},
    {"the first thread ends before the others wait",
     "and (M1_NM, 1) other(0,0)<1> %r0(0,2)<0;1,0> 0xff:ud\ncmp.eq (M1_NM, 1) P1 other(0,0)<0;1,0> 0:ud\n"
     "barrier\n(P1) jmp (M1, 1) over\nadd (M1, 16) value(0,0)<1> value(0,0)<1;1,0> 7:ud\nover:\n"},
};

// What a group's threads did before one of them is in the result: both engines take turns in the same order.
constexpr const char* kAtomics = "mov (M1, 16) zero(0,0)<1> 0:ud\nmov (M1, 16) one(0,0)<1> 1:ud\n";
constexpr const char* kTake =  // value = 8 * value + how many items came before
    "dword_atomic.add (M1, 16) %slm zero.0 one.0 %null.0 other.0\n"
    "shl (M1, 16) value(0,0)<1> value(0,0)<1;1,0> 3:ud\n"
    "add (M1, 16) value(0,0)<1> value(0,0)<1;1,0> other(0,0)<1;1,0>\n";
std::vector<std::pair<std::string, std::string>> orders() {
  const std::string first = std::string(kAtomics) + kTake,
                    number = "and (M1_NM, 1) slot(0,0)<1> %r0(0,2)<0;1,0> 0xff:ud\n";
  const auto only = [&](unsigned thread, const std::string& body) {
    return number + fmt::format("cmp.ne (M1_NM, 1) P1 slot(0,0)<0;1,0> {}:ud\n(P1) jmp (M1, 1) over{}\n{}over{}:\n",
                                thread, thread, body, thread);
  };
  return {
      {"one barrier", first + "barrier\n" + kTake},
      {"four barriers", first + "barrier\n" + kTake + "barrier\n" + kTake + "barrier\n" + kTake + "barrier\n" + kTake},
      {"a signal and a wait", first + "sbarrier.signal\n" + kTake + "sbarrier.wait\n" + kTake + "barrier\n" + kTake},
      {"a signal and a barrier before the wait", first + "sbarrier.signal\nbarrier\nsbarrier.wait\n" + kTake},
      {"a barrier, then one thread ends",
       first + "barrier\n" + kTake + only(0, "jmp (M1, 1) end\n") + kTake + "end:\n"},
      {"named barriers", first + "barrier\n" + kTake + "nbarrier.signal 1:ud 4:ud\n" + kTake + "nbarrier.wait 1:ud\n" +
                             kTake + "barrier\n" + kTake},
  };
}

constexpr const char* kSizes[] = {
    "global = [64]\nlocal = [16]\n",       "global = [61]\nlocal = [8]\n",
    "global = [19, 11]\nlocal = [8, 4]\n", "global = [9, 5, 3]\nlocal = [4, 2, 2]\n",
    "global = [16, 16]\nlocal = [8, 8]\n", "global = [3]\nlocal = [8]\n",
};

RunResult run_case(const Case& c, const char* sizes, const char* engine, const char* threads) {
  return kernels::run_text(std::string(kHead) + c.body + kTail,
                           fmt::format("engine = \"{}\"\nthreads = {}\n{}{}[buffers.T6]\ntype = \"u32\"\ncount = "
                                       "131072\nsave = \"out.bin\"\n",
                                       engine, threads, "check = \"off\"\n", sizes));
}

TEST(ComputeGroups, BothEnginesLeaveTheSame) {
  if (!engine::jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  for (const Case& c : kCases)
    for (const char* sizes : kSizes) {
      SCOPED_TRACE(std::string(c.name) + "\n" + sizes);
      const RunResult expected = run_case(c, sizes, "reference", "1");
      ASSERT_TRUE(expected.succeeded) << kernels::messages(expected.diagnostics);
      for (const char* threads : {"1", "3"}) {
        const RunResult fast = run_case(c, sizes, "fast", threads);
        ASSERT_TRUE(fast.succeeded) << kernels::messages(fast.diagnostics);
        EXPECT_EQ(fast.summary.engine, "fast");
        EXPECT_TRUE(kernels::same_outputs(expected, fast)) << threads;
        EXPECT_EQ(fast.summary.instructions, expected.summary.instructions);
        EXPECT_EQ(fast.summary.threads_run, expected.summary.threads_run);
        EXPECT_EQ(fast.summary.groups, expected.summary.groups);
      }
    }
}

TEST(ComputeGroups, ThreadsTakeTurnsInOneOrder) {
  if (!engine::jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  constexpr const char* kWhole = "global = [192]\nlocal = [64]\n";
  for (const auto& [name, body] : orders()) {
    SCOPED_TRACE(name);
    const Case c{name.c_str(), body.c_str()};
    const RunResult expected = run_case(c, kWhole, "reference", "1");
    ASSERT_TRUE(expected.succeeded) << kernels::messages(expected.diagnostics);
    for (const char* threads : {"1", "3"}) {
      const RunResult fast = run_case(c, kWhole, "fast", threads);
      ASSERT_TRUE(fast.succeeded) << kernels::messages(fast.diagnostics);
      EXPECT_EQ(fast.summary.engine, "fast");
      EXPECT_TRUE(kernels::same_outputs(expected, fast)) << threads;
    }
  }
}

// The thread that completes a barrier does not wait: the order of four threads behind one is 3, 0, 1, 2.
TEST(ComputeGroups, TheLastToArriveRunsOn) {
  const std::string body = std::string(kAtomics) + "mov (M1, 16) value(0,0)<1> 0:ud\nbarrier\n" + kTake;
  for (const char* engine : {"fast", "reference"}) {
    if (*engine == 'f' && !engine::jit::has_compiler()) continue;
    const RunResult outcome = run_case({"last", body.c_str()}, "global = [64]\nlocal = [64]\n", engine, "1");
    ASSERT_TRUE(outcome.succeeded) << kernels::messages(outcome.diagnostics);
    const auto before = kernels::output<std::uint32_t>(outcome, "out");
    ASSERT_GE(before.size(), 64u);
    for (std::uint32_t item = 0; item < 64; ++item)
      EXPECT_EQ(before[item], (item + 16) % 64) << engine << " item " << item;
  }
}

// One buffer of shared memory for each worker, however many sizes of group there are.
TEST(ComputeGroups, SharedMemoryIsHeldOnce) {
  std::string text = std::string(kHead) + kCases[4].body + kTail;
  text.insert(text.find(".kernel_attr SimdSize"), ".kernel_attr SLMSize=16777216\n");
  const auto run_all = [&](const char* engine) {
    return kernels::run_text(text, fmt::format("engine = \"{}\"\nthreads = 1\ncheck = \"off\"\nglobal = [9, 5, 3]\n"
                                               "local = [4, 2, 2]\nlimits = {{ memory = \"20MB\" }}\n[buffers.T6]\n"
                                               "type = \"u32\"\ncount = 131072\nsave = \"out.bin\"\n",
                                               engine));
  };
  const RunResult expected = run_all("reference");
  ASSERT_TRUE(expected.succeeded) << kernels::messages(expected.diagnostics);
  if (!engine::jit::has_compiler()) return;
  struct rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const RunResult fast = run_all("fast");
  getrusage(RUSAGE_SELF, &after);
  ASSERT_TRUE(fast.succeeded) << kernels::messages(fast.diagnostics);
  EXPECT_TRUE(kernels::same_outputs(expected, fast));
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100 << 10) << "KiB";  // eight sizes would be 128 MiB and more
}

TEST(ComputeGroups, MoreGroupsThanCanBeCounted) {
  for (const char* engine : {"fast", "reference"}) {
    if (*engine == 'f' && !engine::jit::has_compiler()) continue;
    for (const char* sizes : {"groups = [2147483648, 2147483648, 4]\nlocal = [1]\n",
                              "global = [4294967295, 4294967295, 4294967295]\nlocal = [8]\n"}) {
      const RunResult outcome = run_case(kCases[0], sizes, engine, "1");
      EXPECT_FALSE(outcome.succeeded);
      ASSERT_FALSE(outcome.diagnostics.all().empty());
      EXPECT_EQ(outcome.diagnostics.all().front().id, "job-value") << kernels::messages(outcome.diagnostics);
    }
  }
}

TEST(ComputeGroups, WhatIsNotExecutedIsRefusedWithItsReason) {
  const Case refused{"refused", "vme_idm T6 other.0 other.0 other.0\n"};
  std::vector<std::string> said;
  for (const char* engine : {"fast", "reference"}) {
    if (*engine == 'f' && !engine::jit::has_compiler()) continue;
    const RunResult outcome = run_case(refused, kSizes[0], engine, "1");
    ASSERT_FALSE(outcome.diagnostics.all().empty());
    EXPECT_EQ(outcome.diagnostics.all().front().id, "run-instruction-missing");
    said.push_back(outcome.diagnostics.all().front().message);
    EXPECT_NE(said.back().find("publicly"), std::string::npos) << said.back();
    EXPECT_EQ(said.back(), said.front());
  }
}

TEST(ComputeGroups, ABarrierThatNotAllReach) {
  const Case missing{"missing",
                     "and (M1_NM, 1) other(0,0)<1> %r0(0,2)<0;1,0> 0xff:ud\n"
                     "cmp.eq (M1_NM, 1) P1 other(0,0)<0;1,0> 1:ud\nbarrier\n(P1) jmp (M1, 1) over\nbarrier\nover:\n"};
  for (const char* engine : {"fast", "reference"}) {
    if (*engine == 'f' && !engine::jit::has_compiler()) continue;  // warns of that first
    const RunResult outcome = run_case(missing, "global = [128]\nlocal = [64]\n", engine, "1");
    EXPECT_FALSE(outcome.succeeded);
    ASSERT_FALSE(outcome.diagnostics.all().empty());
    EXPECT_EQ(outcome.diagnostics.all().front().id, "run-barrier-unreached") << engine;
    EXPECT_NE(outcome.diagnostics.all().front().message.find("not all 4 threads"), std::string::npos) << engine;
  }
}

TEST(ComputeGroups, TheLimitOfStepsIsExact) {
  const RunResult all = run_case(kCases[0], kSizes[0], "reference", "1");
  ASSERT_TRUE(all.succeeded);
  for (const char* engine : {"fast", "reference"})
    for (const std::uint64_t less : {0u, 1u}) {
      const std::string sizes = fmt::format("{}[limits]\nsteps = {}\n", kSizes[0], all.summary.instructions - less);
      const RunResult outcome = run_case(kCases[0], sizes.c_str(), engine, "1");
      EXPECT_EQ(outcome.succeeded, less == 0) << engine << ' ' << kernels::messages(outcome.diagnostics);
    }
}

/// `kept` registers of each thread are read before a barrier and used behind it, by so many threads that their first
/// code keeps them in machine registers, and so in a frame while it waits.
RunResult run_waiting(unsigned kept, unsigned local, const char* engine, const char* threads, std::uint64_t memory) {
  std::string text =
      ".version 4.1\n.kernel \"k\"\n.decl X v_type=G type=uw num_elts=16 align=GRF\n"
      ".decl at v_type=G type=ud num_elts=16 align=GRF\n.decl T6 v_type=T num_elts=1 v_name=out\n";
  std::string before, behind;
  for (unsigned k = 0; k < kept; ++k) {
    text += fmt::format(".decl V{} v_type=G type=ud num_elts=16 align=GRF\n", k);
    before += fmt::format("gather4_scaled.R (M1, 16) T6 {}:ud at.0 V{}.0\n", 4 * k, k);
    if (k != 0) behind += fmt::format("add (M1, 16) V0(0,0)<1> V0(0,0)<1;1,0> V{}(0,0)<1;1,0>\n", k);
  }
  text +=
      ".input X offset=32 size=32\n.kernel_attr Target=\"3d\"\n.kernel_attr SimdSize=16\n.function \"main\"\nmain:\n"
      "mov (M1, 16) at(0,0)<1> X(0,0)<1;1,0>\nshl (M1, 16) at(0,0)<1> at(0,0)<1;1,0> 2:ud\n" +
      before + "barrier\n" + behind + "scatter4_scaled.R (M1, 16) T6 0x0:ud at.0 V0.0\nret (M1, 1)\n";
  return kernels::run_text(
      text, fmt::format("engine = \"{}\"\nthreads = {}\ncheck = \"off\"\nglobal = [262144]\nlocal = [{}]\n"
                        "limits = {{ memory = {} }}\n[buffers.T6]\ntype = \"u32\"\ncount = {}\nsave = \"out.bin\"\n",
                        engine, threads, local, memory, 1024 + kept));
}

TEST(ComputeGroups, WhatThreadsKeepAtABarrierIsCounted) {
  if (!engine::jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  constexpr unsigned kKept = 60;
  for (const unsigned local : {1024u, 16u}) {
    // A little more than the registers of a group's threads.
    const RunResult least = run_waiting(kKept, local, "fast", "1", 8000);
    ASSERT_TRUE(least.diagnostics.hit_limit());
    const std::string& needed = least.diagnostics.all().front().message;
    const std::uint64_t registers = std::stoull(needed.substr(needed.find(" need ") + 6)), little = registers / 32;
    const RunResult expected = run_waiting(kKept, local, "reference", "1", registers + little);
    ASSERT_TRUE(expected.succeeded) << kernels::messages(expected.diagnostics);
    for (const char* threads : {"1", "3"}) {
      const RunResult hit = run_waiting(kKept, local, "fast", threads, registers + little);
      EXPECT_FALSE(hit.succeeded);
      EXPECT_TRUE(hit.diagnostics.hit_limit());
      ASSERT_EQ(hit.diagnostics.all().size(), 1u) << kernels::messages(hit.diagnostics);
      EXPECT_EQ(hit.diagnostics.all().front().id, "limit-memory");
      EXPECT_NE(hit.diagnostics.all().front().message.find("wait at barriers"), std::string::npos);
      // Where one worker has enough, several don't ask for more.
      for (const unsigned times : {2u, 3u, 4u, 7u}) {
        const RunResult enough = run_waiting(kKept, local, "fast", threads, times * registers);
        EXPECT_TRUE(enough.succeeded) << times << kernels::messages(enough.diagnostics);
        EXPECT_TRUE(kernels::same_outputs(expected, enough)) << times;
      }
    }
  }
}

}  // namespace
}  // namespace heddle::job
