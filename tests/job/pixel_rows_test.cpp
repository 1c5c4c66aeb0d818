// SPDX-License-Identifier: MIT
// Whole threads of the full-screen triangle run side by side in one call of compiled code: the same pixels, threads and
// steps as one after the other in the reference engine.
// Rules: PIX-14, PIX-15.
#include <gtest/gtest.h>

#include "engine/jit/codegen/compile.hpp"
#include "job/run/run.hpp"
#include "opencl_support.hpp"

namespace heddle::job {
namespace {

using kernels::messages;
using kernels::output;
using kernels::run_text;

struct Body {
  const char* name;
  std::string text;  ///< N: lanes of the thread
};

/// What a thread of `lanes` does before it writes a, b, c, d.
std::vector<Body> bodies() {
  return {
      {"nothing", ""},
      {"arithmetic",
       "    mul (M1, N) b(0,0)<1> a(0,0)<1;1,0> 0.25:f\n    add (M1, N) c(0,0)<1> c(0,0)<1;1,0> "
       "b(0,0)<1;1,0>\n"},
      // Lanes that loop as often as their column says.
      {"a loop",
       "    mov (M1, N) n(0,0)<1> a(0,0)<1;1,0>\n    and (M1, N) n(0,0)<1> n(0,0)<1;1,0> 7:ud\nagain:\n    add "
       "(M1, N) d(0,0)<1> d(0,0)<1;1,0> 0.5:f\n    add (M1, N) n(0,0)<1> n(0,0)<1;1,0> -1:d\n    cmp.gt (M1, "
       "N) P1 n(0,0)<1;1,0> 0:d\n    (P1) goto (M1, N) again\n"},
      // A variable begins with zeros in each thread.
      {"what the last thread left",
       "    add (M1, N) kept(0,0)<1> kept(0,0)<1;1,0> a(0,0)<1;1,0>\n    add (M1, N) "
       "d(0,0)<1> d(0,0)<1;1,0> kept(0,0)<1;1,0>\n"},
      // The reference function of an instruction that is not compiled: the thread is looked at from outside.
      {"a call",
       "    setp (M1, N) P1 0xAAAAAAAA:ud\n    (P1) mov (M1, N) n(0,0)<1> 3:d\n    fbh (M1, N) n(0,0)<1> "
       "n(0,0)<1;1,0>\n    mov (M1, N) b(0,0)<1> n(0,0)<1;1,0>\n"},
      // ... by some threads of a row only: those on the left, one in its middle, its last one.
      {"a call on the left",
       "    cmp.lt (M1, N) P1 a(0,0)<1;1,0> 9.0:f\n    (!P1) goto (M1, N) over\n    fbh (M1, N) "
       "n(0,0)<1> n(0,0)<1;1,0>\n    mov (M1, N) b(0,0)<1> n(0,0)<1;1,0>\nover:\n"},
      {"a call in the middle",
       "    cmp.eq (M1, N) P1 a(0,0)<1;1,0> 34.5:f\n    (!P1) goto (M1, N) over\n    fbh (M1, N) n(0,0)<1> "
       "n(0,0)<1;1,0>\n    mov (M1, N) b(0,0)<1> n(0,0)<1;1,0>\nover:\n"},
      {"a call on the right",
       "    cmp.ge (M1, N) P1 a(0,0)<1;1,0> 60.0:f\n    (!P1) goto (M1, N) over\n    fbh (M1, "
       "N) n(0,0)<1> n(0,0)<1;1,0>\n    mov (M1, N) b(0,0)<1> n(0,0)<1;1,0>\nover:\n"},
      // The steps of a thread are its own.
      {"the counter", "    mov (M1_NM, 1) n(0,0)<1> %tsc(0,0)<0;1,0>\n    mov (M1, N) b(0,0)<1> n(0,0)<0;1,0>\n"},
  };
}

/// `behind`: what a thread does last.
std::string kernel_of(unsigned simd, const Body& body, bool predicated, const std::string& behind = {}) {
  const std::string n = std::to_string(simd);
  std::string text = ".version 4.1\n.kernel \"p\"\n", inputs;
  unsigned offset = 96;
  for (const char* name : {"a", "b", "c", "d"}) {
    text += std::string(".decl ") + name + " v_type=G type=f num_elts=" + n + " align=GRF\n";
    inputs += std::string(".input ") + name + " offset=" + std::to_string(offset) +
              " size=" + std::to_string(simd * 4) + "\n";
    offset += simd * 4;
  }
  text += ".decl n v_type=G type=d num_elts=" + n + " align=GRF\n.decl kept v_type=G type=f num_elts=" + n +
          " align=GRF\n.decl P1 v_type=P num_elts=" + n + "\n.decl P2 v_type=P num_elts=" + n +
          "\n.decl T6 v_type=T num_elts=1 v_name=target\n" + inputs +
          ".kernel_attr Target=\"3d\"\n.kernel_attr SimdSize=" + n + "\n.function \"p_main\"\np_main:\n";
  const auto of_lanes = [&](std::string work) {
    for (std::size_t at = 0; (at = work.find(", N)", at)) != std::string::npos;) work.replace(at, 4, ", " + n + ")");
    return work;
  };
  text += of_lanes(body.text);
  if (predicated) text += "    cmp.gt (M1, " + n + ") P2 a(0,0)<1;1,0> 11.0:f\n";
  const std::string p = predicated ? "    (P2) " : "    ";
  if (simd == 32)
    text += p + "rt_write_3d.<LRTW> (M1, 16) T6 %null.0 a.0 b.0 c.0 d.0\n" + p +
            "rt_write_3d.<LRTW> (M5, 16) T6 %null.0 a.64 b.64 c.64 d.64\n";
  else
    text += p + "rt_write_3d.<LRTW> (M1, " + n + ") T6 %null.0 a.0 b.0 c.0 d.0\n";
  return text + of_lanes(behind) + "    ret (M1, 1)\n";
}

void expect_same(const std::string& kernel, const std::string& job, bool compiled,
                 const std::vector<std::string>& saved = {"t"}) {
  const RunResult slow = run_text(kernel, "engine = \"reference\"\n" + job);
  ASSERT_TRUE(slow.succeeded) << messages(slow.diagnostics) << kernel;
  for (const char* threads : {"1", "3"}) {
    const RunResult fast = run_text(kernel, std::string("engine = \"fast\"\nthreads = ") + threads + "\n" + job);
    ASSERT_TRUE(fast.succeeded) << messages(fast.diagnostics);
    if (compiled && engine::jit::has_compiler()) EXPECT_EQ(fast.summary.engine, "fast");
    for (const std::string& name : saved)
      EXPECT_EQ(output<std::uint32_t>(fast, name), output<std::uint32_t>(slow, name)) << kernel << job;
    EXPECT_EQ(fast.summary.threads_run, slow.summary.threads_run) << job;
    EXPECT_EQ(fast.summary.instructions, slow.summary.instructions) << job;
  }
}

std::string job_of(unsigned width, unsigned height, const std::string& format, const std::string& more = {},
                   const std::string& pixels = {}) {
  return "[images.T6]\nformat = \"" + format + "\"\nsize = [" + std::to_string(width) + ", " + std::to_string(height) +
         "]\nsave = \"t.bin\"\nfill = [1, 1, 1, 1]\n" + more + "[pixels]\ntargets = [\"T6\"]\n" + pixels +
         "[pixels.inputs]\na = \"position.x\"\nb = \"position.y\"\nc = [10, 30, 50]\nd = \"uv.y\"\n";
}

TEST(PixelRows, ThreadsSideBySideAreTheReferencesThreads) {
  constexpr unsigned kSizes[][2] = {{64, 34}, {37, 21}, {130, 6}, {16, 2}, {3, 40}};
  for (const unsigned simd : {8u, 16u, 32u})
    for (const Body& body : bodies()) {
      const auto& size = kSizes[(simd + body.text.size()) % std::size(kSizes)];
      SCOPED_TRACE(std::string(body.name) + ", simd " + std::to_string(simd));
      expect_same(kernel_of(simd, body, false), job_of(size[0], size[1], "R32G32B32A32_FLOAT"), true);
      expect_same(kernel_of(simd, body, false), job_of(64, 34, "R32G32B32A32_FLOAT"), true);
    }
}

/// The last instruction of a thread is the reference's, of all threads of a row or of its last ones: what the row has
/// left to do is looked at in between.
TEST(PixelRows, RowsEndBehindACall) {
  const std::string call = "    fbh (M1, N) n(0,0)<1> n(0,0)<1;1,0>\n";
  for (const unsigned simd : {8u, 16u, 32u})
    for (const std::string& behind :
         {call, "    cmp.ge (M1, N) P1 a(0,0)<1;1,0> 47.0:f\n    (!P1) goto (M1, N) over\n" + call + "over:\n"}) {
      SCOPED_TRACE("simd " + std::to_string(simd) + "\n" + behind);
      const std::string kernel = kernel_of(simd, bodies()[1], false, behind);
      for (const unsigned width : {16u, 48u, 64u, 61u})
        expect_same(kernel, job_of(width, 10, "R32G32B32A32_FLOAT"), true);
    }
}

TEST(PixelRows, TargetsOfEveryKind) {
  const Body body = bodies()[1];
  const char* formats[] = {"R8G8B8A8_UNORM", "R16G16B16A16_FLOAT", "R8_UNORM", "R32_FLOAT"};
  for (const unsigned simd : {8u, 16u, 32u})
    for (const bool predicated : {false, true})
      for (unsigned k = 0; k < 2; ++k) {  // each format with each width somewhere
        const char* format = formats[(simd / 8 + 2 * k + (predicated ? 1 : 0)) % std::size(formats)];
        SCOPED_TRACE(std::string(format) + ", simd " + std::to_string(simd));
        const std::string kernel = kernel_of(simd, body, predicated);
        expect_same(kernel, job_of(66, 34, format), true);
        expect_same(kernel, job_of(64, 32, format, "samples = 4\n"), true);
        expect_same(kernel,
                    job_of(64, 32, format, {},
                           "state = { blend = [{ enable = true, src_color = \"SRC_ALPHA\", dst_color = "
                           "\"INV_SRC_ALPHA\" }] }\n"),
                    true);
        expect_same(kernel,
                    job_of(96, 20, format, "[images.z]\nformat = \"R32_FLOAT\"\nsize = [96, 20]\nfill = [0.5]\n",
                           "depth = \"z\"\nstate = { depth_test = true, depth_write = true, depth_func = "
                           "\"LESS_OR_EQUAL\" }\n"),
                    true);
      }
}

/// Messages with a header: the thread's own R1, as it comes or changed.
TEST(PixelRows, HeadersAreTheThreadsOwn) {
  const struct {
    const char* name;
    const char* change;
  } cases[] = {
      {"as it comes", ""},
      {"two subspans change places",
       "    mov (M1_NM, 1) n(0,0)<1> subspans(0,2)<0;1,0>\n    mov (M1_NM, 1) subspans(0,2)<1> "
       "subspans(0,3)<0;1,0>\n    mov (M1_NM, 1) subspans(0,3)<1> n(0,0)<0;1,0>\n"},
      {"a subspan is not enabled", "    and (M1_NM, 1) subspans(0,7)<1> subspans(0,7)<0;1,0> 0xff0f:ud\n"},
      {"all of them in one place", "    mov (M1_NM, 1) subspans(0,3)<1> subspans(0,2)<0;1,0>\n"},
  };
  for (const unsigned simd : {8u, 16u})
    for (const auto& c : cases)
      for (const char* samples : {"", "samples = 4\n"}) {
        SCOPED_TRACE(std::string(c.name) + ", simd " + std::to_string(simd) + " " + samples);
        const std::string n = std::to_string(simd), bytes = std::to_string(simd * 4);
        std::string text =
            ".version 4.1\n.kernel \"main\"\n.decl subspans v_type=G type=ud num_elts=8 align=GRF\n.decl n "
            "v_type=G type=ud num_elts=8 align=GRF\n";
        for (const char* name : {"x", "y", "z"})
          text += std::string(".decl ") + name + " v_type=G type=f num_elts=" + n + " align=GRF\n";
        text +=
            ".decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n.input subspans offset=32 size=32\n.input x "
            "offset=64 size=" +
            bytes + "\n.input y offset=" + std::to_string(64 + simd * 4) + " size=" + bytes +
            "\n.kernel_attr Target=\"3d\"\n.kernel_attr SimdSize=" + n +
            "\n.function \"main_body\"\n\nmain_body:\n    FILE \"heddle: interface 1\"\n    FILE \"heddle: stage "
            "fragment\"\n    FILE \"heddle: value x position.x\"\n    FILE \"heddle: value y position.y\"\n    FILE "
            "\"heddle: surface T6 target 0 c0\"\n    FILE \"heddle: surface T7 target 1 c1\"\n";
        text += c.change;
        text += "    mul (M1, " + n + ") z(0,0)<1> x(0,0)<1;1,0> y(0,0)<1;1,0>\n    rt_write_3d.<RTI> (M1, " + n +
                ") T6 subspans.0 0x0:ub x.0 y.0 z.0 x.0\n    rt_write_3d.<RTI><LRTW> (M1, " + n +
                ") T7 subspans.0 0x1:ub z.0 y.0 x.0 z.0\n    ret (M1_NM, 1)\n";
        for (const auto& [width, height] : {std::pair{64, 20}, std::pair{38, 7}}) {
          std::string job;
          for (const char* target : {"0", "1"})
            job += std::string("[images.\"out.") + target + "\"]\nformat = \"R32G32B32A32_FLOAT\"\nsize = [" +
                   std::to_string(width) + ", " + std::to_string(height) + "]\nfill = [1, 1, 1, 1]\nsave = \"" +
                   (*target == '0' ? "t" : "u") + ".bin\"\n" + samples;
          job += "[pixels]\nsize = [" + std::to_string(width) + ", " + std::to_string(height) + "]\n";
          expect_same(text, job, true, {"t", "u"});
        }
      }
}

TEST(PixelRows, LimitsHoldBetweenThreads) {
  for (const unsigned simd : {8u, 16u, 32u})
    for (const char* threads : {"1", "3"}) {
      const RunResult o = run_text(kernel_of(simd, bodies()[2], false), std::string("engine = \"fast\"\nthreads = ") +
                                                                            threads + "\nlimits = { steps = 70000 }\n" +
                                                                            job_of(1024, 512, "R8G8B8A8_UNORM"));
      EXPECT_FALSE(o.succeeded);
      EXPECT_LE(o.summary.instructions, 70000u + 1000);
    }
}

}  // namespace
}  // namespace heddle::job
