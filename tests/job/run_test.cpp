// SPDX-License-Identifier: MIT
// Jobs from end to end in the library: binding errors, pixels, payloads, limits.
// Rules: PIX-10, PIX-12 to PIX-16, PIX-18, PIX-19, PIX-21, PIX-22.

#include "job/run/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/half.hpp"
#include "image/files/files.hpp"
#include "opencl_support.hpp"
#include "support/process.hpp"

using namespace heddle;
using namespace heddle::job;
using heddle::job::kernels::messages;
using heddle::job::kernels::output;
using heddle::job::kernels::run_text;

namespace {

std::string ids(const base::Diagnostics& diagnostics) {
  std::string text;
  for (const base::Diagnostic& d : diagnostics.all()) text += (text.empty() ? "" : " ") + d.id;
  return text;
}

// --- compute ---

const std::string kAddKernel = R"(.version 4.1
.kernel "add"
.decl ids v_type=G type=uw num_elts=16 align=GRF
.decl header v_type=G type=d num_elts=8 align=GRF
.decl scale v_type=G type=d num_elts=1 align=dword
.decl step v_type=G type=f num_elts=2 align=dword
.decl at v_type=G type=ud num_elts=16 align=GRF
.decl value v_type=G type=d num_elts=16 align=GRF
.decl id v_type=G type=d num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1 v_name=out
.input ids offset=32 size=32
.input header offset=128 size=32
.input scale offset=160 size=4
.input step offset=168 size=8
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "add_main"
add_main:
    mul (M1_NM, 1) at(0,0)<1> %r0(0,1)<0;1,0> 16:d
    add (M1_NM, 1) at(0,0)<1> at(0,0)<0;1,0> header(0,0)<0;1,0>
    mov (M1_NM, 1) value(0,0)<1> at(0,0)<0;1,0>
    add (M1, 16) id(0,0)<1> ids(0,0)<1;1,0> value(0,0)<0;1,0>
    mul (M1, 16) value(0,0)<1> id(0,0)<1;1,0> scale(0,0)<0;1,0>
    shl (M1, 16) at(0,0)<1> id(0,0)<1;1,0> 2:d
    scatter4_scaled.R (M1, 16) T6 0x0:ud at.0 value.0
    ret (M1, 1)
)";

TEST(Session, BareKernelTakesVariablesByNameAndPosition) {
  for (const char* args : {"scale = 3\nstep = [1.0, 2.0]", "V34 = 3\nV35 = [1.0, 2.0]", "0 = 3\n1 = [1.0, 2.0]"}) {
    for (const char* key : {"T6", "out"}) {
      const RunResult o =
          run_text(kAddKernel, std::string("global = [40]\nlocal = [16]\n[args]\n") + args + "\n[buffers." + key +
                                   "]\ntype = \"i32\"\ncount = 48\nfill = -1\nsave = \"o.bin\"\n");
      ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
      const auto values = output<std::int32_t>(o, "o");
      for (int i = 0; i < 48; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i < 40 ? 3 * i : -1);
      EXPECT_EQ(o.summary.groups, 3u);
      EXPECT_EQ(o.summary.threads_run, 3u);
      EXPECT_EQ(o.summary.simd, 16u);
    }
  }
}

/// Threads of Target "cm" are scalar to the dispatch, but start with every lane on.
TEST(Session, CmThreadsHaveAllLanes) {
  const std::string kernel = R"(.version 4.1
.kernel "lanes"
.decl at v_type=G type=ud num_elts=16 align=GRF
.decl value v_type=G type=d num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1 v_name=out
.kernel_attr Target="cm"
    mov (M1, 8) at(0,0)<1> 0x76543210:v
    mov (M1, 8) at(1,0)<1> 0x76543210:v
    add (M1, 8) at(1,0)<1> at(1,0)<8;8,1> 0x8:ud
    mul (M1, 16) at(0,0)<1> at(0,0)<8;8,1> 0x4:ud
    mov (M1, 16) value(0,0)<1> 5:d
    mov (M5, 16) value(0,0)<1> 6:d
    scatter4_scaled.R (M1, 16) T6 0x0:ud at.0 value.0
    ret (M1, 1)
)";
  const RunResult o =
      run_text(kernel, "global = [1]\n[buffers.T6]\ntype = \"i32\"\ncount = 16\nfill = -1\nsave = \"o.bin\"\n");
  ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
  EXPECT_THAT(output<std::int32_t>(o, "o"), ::testing::Each(6));
}

TEST(Session, BindingErrorsNameWhatIsMissingAndWhatWasMeant) {
  struct Case {
    const char* toml;
    const char* id;
    const char* message;
    const char* note;
  };
  const Case cases[] = {
      {"global=[16]\n[args]\nscal=3\nstep=[1.0,2.0]\n[buffers.T6]\ncount=64\n", "bind-missing",
       "input 'scale' of kernel 'add' is not bound", "'scal' of the job is bound to nothing: is it meant?"},
      {"global=[16]\n[args]\nscale=3\nstep=[1.0,2.0]\n[buffers.T7]\ncount=64\n", "bind-missing",
       "surface 'out' of kernel 'add' is not bound", "expected: [images.out], [buffers.out] or --surface out=..."},
      {"global=[16]\n[args]\nscale=3.5\nstep=[1.0,2.0]\n[buffers.T6]\ncount=64\n", "bind-type",
       "argument 'scale': 3.5 is no integer, i32 is expected", nullptr},
      {"global=[16]\n[args]\nscale=3\nstep=1.0\n[buffers.T6]\ncount=64\n", "bind-type",
       "argument 'step': 1 value is given, 2 expected (2 values of type f)", nullptr},
      {"global=[16]\n[args]\nscale=3\nstep={bytes=\"00\"}\n[buffers.T6]\ncount=64\n", "bind-type",
       "argument 'step': 1 bytes are given, 8 are expected (2 values of type f)", nullptr},
      {"global=[16]\n[args]\nscale=3\nstep=[1.0,2.0]\nstop=1\n[buffers.T6]\ncount=64\n", "bind-unknown",
       "kernel 'add' has nothing named 'stop'", "did you mean 'step'?"},
      {"[args]\nscale=3\nstep=[1.0,2.0]\n[buffers.T6]\ncount=64\n", "job-missing", "the job says no size", nullptr},
      {"global=[16]\nsimd=8\n[args]\nscale=3\nstep=[1.0,2.0]\n[buffers.T6]\ncount=64\n", "job-value",
       "'simd' is 8, kernel 'add' is compiled for 16", nullptr},
      {"global=[16]\nentry=\"ad\"\n[args]\nscale=3\nstep=[1.0,2.0]\n[buffers.T6]\ncount=64\n", "job-value",
       "the program has no kernel 'ad'", "did you mean 'add'?"},
      {"global=[16]\n[args]\nscale=3\nstep=[1.0,2.0]\n[buffers.T6]\nsame_as=\"x\"\n", "job-value",
       "'same_as' of 'T6' names nothing: 'x'", nullptr},
      {"global=[16]\n[args]\nscale=3\nstep=[1.0,2.0]\n[buffers.T6]\ncount=99999999999\n", "limit-memory", nullptr,
       nullptr},
  };
  for (const Case& c : cases) {
    const RunResult o = run_text(kAddKernel, c.toml);
    EXPECT_FALSE(o.succeeded) << c.toml;
    EXPECT_TRUE(o.outputs.empty());
    bool found = false;
    for (const base::Diagnostic& d : o.diagnostics.all()) {
      if (d.id != c.id || (c.message != nullptr && d.message != c.message)) continue;
      bool noted = c.note == nullptr;
      for (const base::Note& n : d.notes) noted = noted || n.message == c.note;
      found = found || noted;
    }
    EXPECT_TRUE(found) << c.toml << messages(o.diagnostics);
  }
}

TEST(Session, ResultsDoNotDependOnTheNumberOfThreads) {
  std::vector<std::int32_t> first;
  for (const int threads : {1, 2, 5}) {
    const RunResult o =
        run_text(kAddKernel, "threads = " + std::to_string(threads) +
                                 "\nglobal = [5000]\nlocal = [16]\n[args]\nscale = 7\nstep = [0.0, "
                                 "0.0]\n[buffers.T6]\ntype = \"i32\"\ncount = 5000\nsave = \"o.bin\"\n");
    ASSERT_TRUE(o.succeeded);
    const auto values = output<std::int32_t>(o, "o");
    if (first.empty()) first = values;
    EXPECT_EQ(values, first);
  }
}

TEST(Session, EndlessKernelsHitALimit) {
  const std::string program = R"(.version 4.1
.kernel "spin"
.kernel_attr Target="3d"
.kernel_attr SimdSize=8
.function "spin_main"
spin_main:
again:
    goto (M1, 8) again
    ret (M1, 1)
)";
  const RunResult o = run_text(program, "global = [8]\nlimits = { steps = 10000 }\n");
  EXPECT_FALSE(o.succeeded);
  EXPECT_TRUE(o.diagnostics.hit_limit());
  EXPECT_THAT(ids(o.diagnostics), ::testing::HasSubstr("limit-steps"));
  const RunResult slow = run_text(program, "global = [8]\nlimits = { seconds = 0.2 }\n");
  EXPECT_THAT(ids(slow.diagnostics), ::testing::HasSubstr("limit-seconds"));
}

TEST(Session, SummaryIsOneObject) {
  const RunResult o =
      run_text(kAddKernel, "global = [16]\n[args]\nscale = 3\nstep = [0.0, 0.0]\n[buffers.T6]\ncount = 64\n");
  const auto json = base::parse_json(o.summary.json(), "summary");
  ASSERT_TRUE(json.ok());
  for (const char* member :
       {"program", "engine", "platform", "simd", "threads", "groups", "threads_run", "instructions", "texels_read",
        "texels_written", "compile_seconds", "run_seconds", "reports"})
    EXPECT_NE(json->find(member), nullptr) << member;
  EXPECT_EQ(json->find("instructions")->integer, 8);
}

// --- pixels ---

/// A kernel that writes four of its inputs (one F a lane) to the target.
std::string pixel_kernel(unsigned simd, const std::string& extra = {}, const std::string& flags = ".<LRTW>",
                         const std::string& body = {}) {
  const std::string n = std::to_string(simd);
  std::string text = ".version 4.1\n.kernel \"p\"\n";
  unsigned offset = 96;
  std::string inputs;
  for (const char* name : {"a", "b", "c", "d"}) {
    text += std::string(".decl ") + name + " v_type=G type=f num_elts=" + n + " align=GRF\n";
    inputs += std::string(".input ") + name + " offset=" + std::to_string(offset) +
              " size=" + std::to_string(simd * 4) + "\n";
    offset += std::max(32u, simd * 4);
  }
  text += extra + ".decl T6 v_type=T num_elts=1 v_name=target\n" + inputs +
          ".kernel_attr Target=\"3d\"\n.kernel_attr SimdSize=" + n + "\n.function \"p_main\"\np_main:\n" + body;
  if (simd == 32) {
    text += "    rt_write_3d" + flags + " (M1, 16) T6 %null.0 a.0 b.0 c.0 d.0\n    rt_write_3d" + flags +
            " (M5, 16) T6 %null.0 a.64 b.64 c.64 d.64\n";
  } else {
    text += "    rt_write_3d" + flags + " (M1, " + n + ") T6 %null.0 a.0 b.0 c.0 d.0\n";
  }
  return text + "    ret (M1, 1)\n";
}

constexpr const char* kTarget = "[images.T6]\nformat = \"R32G32B32A32_FLOAT\"\nsize = [W, H]\nsave = \"t.bin\"\n";

std::string target(unsigned w, unsigned h) {
  std::string text = kTarget;
  text.replace(text.find('W'), 1, std::to_string(w));
  text.replace(text.find('H'), 1, std::to_string(h));
  return text;
}

TEST(Pixels, EveryPixelOfTheTargetGetsItsInputs) {
  for (const unsigned simd : {8u, 16u, 32u}) {
    SCOPED_TRACE(simd);
    constexpr unsigned w = 37, h = 21;
    const RunResult o =
        run_text(pixel_kernel(simd), target(w, h) +
                                         "[pixels]\ntargets = [\"T6\"]\n[pixels.inputs]\na = \"uv.x\"\nb "
                                         "= \"uv.y\"\nc = [10, 30, 50]\nd = \"position.x\"\n");
    ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
    const auto t = output<float>(o, "t");
    ASSERT_EQ(t.size(), w * h * 4u);
    for (unsigned y = 0; y < h; ++y)
      for (unsigned x = 0; x < w; ++x) {
        const float* p = &t[(y * w + x) * 4];
        EXPECT_NEAR(p[0], (x + 0.5) / w, 1e-6);
        EXPECT_NEAR(p[1], (y + 0.5) / h, 1e-6);
        EXPECT_NEAR(p[2], 10 + 20 * (x + 0.5) / w + 40 * (y + 0.5) / h, 1e-4);
        EXPECT_EQ(p[3], static_cast<float>(x) + 0.5f);
      }
    if (o.summary.counts_texels) {
      EXPECT_EQ(o.summary.texels_written, std::uint64_t{w} * h);
    }
  }
}

TEST(Pixels, FlatInputsTakeTheVariablesType) {
  const RunResult o = run_text(
      pixel_kernel(16),
      target(8, 8) +
          "[pixels]\ntargets = [\"T6\"]\n[pixels.inputs]\na = 5\nb = 0.25\nc = \"position.z\"\nd = \"position.w\"\n");
  ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
  const auto t = output<float>(o, "t");
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(t[4 * i], 5.0f);
    EXPECT_EQ(t[4 * i + 1], 0.25f);
    EXPECT_EQ(t[4 * i + 2], 0.0f);
    EXPECT_EQ(t[4 * i + 3], 1.0f);
  }
}

TEST(Pixels, BindingErrors) {
  const std::string inputs = "[pixels]\ntargets = [\"T6\"]\n[pixels.inputs]\na = 1\nb = 1\nc = 1\n";
  EXPECT_THAT(messages(run_text(pixel_kernel(16), target(8, 8) + inputs).diagnostics),
              ::testing::HasSubstr("input 'd' of kernel 'p' is not bound"));
  EXPECT_THAT(messages(run_text(pixel_kernel(16), target(8, 8) + inputs + "d = \"uv.z\"\n").diagnostics),
              ::testing::HasSubstr("there is no 'uv.z'"));
  EXPECT_THAT(messages(run_text(pixel_kernel(16), target(8, 8) + inputs + "d = \"ub.x\"\n").diagnostics),
              ::testing::HasSubstr("did you mean 'uv'?"));
  EXPECT_THAT(messages(run_text(pixel_kernel(16), target(8, 8) + inputs + "d = 1\ne = 2\n").diagnostics),
              ::testing::HasSubstr("has no general .input 'e'"));
  EXPECT_THAT(messages(run_text(pixel_kernel(16), target(8, 8) + inputs + "d = [[1, 2]]\n").diagnostics),
              ::testing::HasSubstr("needs 128 bytes"));
  EXPECT_THAT(messages(run_text(pixel_kernel(16),
                                target(8, 8) + "[pixels]\ntargets = [\"T7\"]\n[pixels.inputs]\na=1\nb=1\nc=1\nd=1\n")
                           .diagnostics),
              ::testing::HasSubstr("target 'T7' of [pixels] is no image of the job"));
}

TEST(Pixels, MultisampleCoverageFollowsTheTriangle) {
  // A triangle over the lower left half: samples below the diagonal are written, the others keep the fill.
  const test::TemporaryFolder folder;
  const std::string mesh = (folder / "half.json").string();
  {
    std::ofstream file(mesh);
    file << R"({"position": [[-1,-1,0],[-1,1,0],[1,1,0]], "triangles": [[0,1,2]]})";
  }
  for (const bool per_sample : {false, true}) {
    for (const unsigned samples : {2u, 4u, 8u, 16u}) {
      for (const unsigned simd : {8u, 16u}) {
        SCOPED_TRACE(std::to_string(samples) + (per_sample ? " per sample " : " per pixel ") + std::to_string(simd));
        std::string image = target(16, 16);
        image += "samples = " + std::to_string(samples) + "\nfill = [9, 9, 9, 9]\n";
        const RunResult o =
            run_text(pixel_kernel(simd, {}, per_sample ? ".<LRTW><PS>" : ".<LRTW>"),
                     image + "[pixels]\ntargets = [\"T6\"]\nper_sample = " + (per_sample ? "true" : "false") +
                         "\ngeometry = \"" + mesh + "\"\n[pixels.inputs]\na = 1\nb = 2\nc = 3\nd = 4\n");
        ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
        const auto t = output<float>(o, "t");
        const auto positions = heddle::pipeline::sample_positions(samples);
        for (unsigned s = 0; s < samples; ++s)
          for (unsigned y = 0; y < 16; ++y)
            for (unsigned x = 0; x < 16; ++x) {
              const double px = x + positions[s].x / 16.0, py = y + positions[s].y / 16.0;
              if (px == py) continue;
              ASSERT_EQ(t[((s * 16 + y) * 16 + x) * 4], px < py ? 1.0f : 9.0f) << s << ' ' << x << ' ' << y;
            }
      }
    }
  }
}

TEST(Pixels, TrianglesWriteInOrderWhateverTheThreads) {
  const test::TemporaryFolder folder;
  const std::string mesh = (folder / "stack.json").string();
  {
    std::ofstream file(mesh);
    file << R"({"position": [)";
    for (int i = 0; i < 20; ++i) file << (i ? "," : "") << "[-1,-1,0],[3,-1,0],[-1,3,0]";
    file << R"(], "attributes": {"id": [)";
    for (int i = 0; i < 60; ++i) file << (i ? "," : "") << i / 3;
    file << R"(]}, "flat": ["id"], "triangles": [)";
    for (int i = 0; i < 20; ++i) file << (i ? "," : "") << "[" << 3 * i << "," << 3 * i + 1 << "," << 3 * i + 2 << "]";
    file << "]}";
  }
  const RunResult o =
      run_text(pixel_kernel(8), "threads = 4\n" + target(33, 33) + "[pixels]\ntargets = [\"T6\"]\ngeometry = \"" +
                                    mesh + "\"\n[pixels.inputs]\na = \"id\"\nb = 0\nc = 0\nd = 0\n");
  ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
  const auto t = output<float>(o, "t");
  for (std::size_t i = 0; i < 33 * 33; ++i) ASSERT_EQ(t[4 * i], 19.0f);
  EXPECT_EQ(o.summary.groups, 20u);
}

TEST(Pixels, DepthTestKeepsTheNearest) {
  const test::TemporaryFolder folder;
  const std::string mesh = (folder / "depth.json").string();
  {
    std::ofstream file(mesh);  // far, near, middle
    file
        << R"({"position": [[-1,-1,0.9],[3,-1,0.9],[-1,3,0.9],[-1,-1,0.1],[3,-1,0.1],[-1,3,0.1],[-1,-1,0.5],[3,-1,0.5],[-1,3,0.5]],
      "attributes": {"id": [1,1,1,2,2,2,3,3,3]}, "triangles": [[0,1,2],[3,4,5],[6,7,8]]})";
  }
  const RunResult o = run_text(
      pixel_kernel(16), target(9, 9) +
                            "[images.z]\nformat = \"d32_sfloat\"\nsize = [9, 9]\nfill = 1.0\nsave = "
                            "\"z.bin\"\n[pixels]\ntargets = [\"T6\"]\ndepth = \"z\"\n"
                            "state = { depth_test = true, depth_write = true, depth_func = \"LESS\" }\ngeometry = \"" +
                            mesh + "\"\n[pixels.inputs]\na = \"id\"\nb = 0\nc = 0\nd = 0\n");
  ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
  const auto t = output<float>(o, "t");
  const auto z = output<float>(o, "z");
  for (std::size_t i = 0; i < 81; ++i) {
    EXPECT_EQ(t[4 * i], 2.0f);
    EXPECT_EQ(z[i], 0.1f);
  }
}

TEST(Pixels, SeveralTargetsWithTheirOwnBlendState) {
  // T7 gets target index 1: its blend entry adds to what is there.
  const std::string extra = ".decl T7 v_type=T num_elts=1 v_name=second\n";
  std::string program = pixel_kernel(16, {}, ".<RTI>");
  const std::string one = "rt_write_3d.<RTI> (M1, 16) T6 %null.0 a.0 b.0 c.0 d.0\n";
  program.replace(program.find(one), one.size(),
                  "rt_write_3d.<RTI> (M1, 16) T6 %null.0 0x0:ub a.0 b.0 c.0 d.0\n    rt_write_3d.<RTI><LRTW> (M1, 16) "
                  "T7 %null.0 0x1:ub a.0 b.0 c.0 d.0\n");
  program.replace(program.find(".input a"), 0, extra);
  const RunResult o =
      run_text(program, target(11, 5) +
                            "[images.second]\nformat = \"R32G32B32A32_FLOAT\"\nsize = [11, 5]\nfill = [10, 20, 30, "
                            "40]\nsave = \"u.bin\"\n[pixels]\ntargets = [\"T6\", \"second\"]\n"
                            "state = { blend = [{}, { enable = true, src_color = \"ONE\", dst_color = \"ONE\" }] "
                            "}\n[pixels.inputs]\na = 1\nb = 2\nc = 3\nd = 4\n");
  ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
  const auto t = output<float>(o, "t"), u = output<float>(o, "u");
  for (std::size_t i = 0; i < 55; ++i) {
    EXPECT_EQ(t[4 * i], 1.0f);
    EXPECT_EQ(u[4 * i], 11.0f);
    EXPECT_EQ(u[4 * i + 2], 33.0f);
  }
}

TEST(Pixels, HardwarePayloadIsWhatPlaneTakes) {
  // SIMD16: R0, R1, perspective barycentrics R2-R5, depth R6-R7, push constant R8, attribute setup R9 (two components).
  const std::string program = R"(.version 4.1
.kernel "h"
.decl bary v_type=G type=f num_elts=32 align=GRF
.decl depth v_type=G type=f num_elts=16 align=GRF
.decl push v_type=G type=f num_elts=1 align=dword
.decl setup v_type=G type=f num_elts=8 align=GRF
.decl r v_type=G type=f num_elts=16 align=GRF
.decl g v_type=G type=f num_elts=16 align=GRF
.decl b v_type=G type=f num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1 v_name=target
.input bary offset=64 size=128
.input depth offset=192 size=64
.input push offset=256 size=4
.input setup offset=288 size=32
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "h_main"
h_main:
    mov (M1, 16) r(0,0)<1> setup(0,3)<0;1,0>
    mov (M1, 16) g(0,0)<1> setup(0,7)<0;1,0>
    mad (M1, 8) r(0,0)<1> bary(0,0)<1;1,0> setup(0,0)<0;1,0> r(0,0)<1;1,0>
    mad (M1, 8) r(0,0)<1> bary(1,0)<1;1,0> setup(0,1)<0;1,0> r(0,0)<1;1,0>
    mad (M3, 8) r(1,0)<1> bary(2,0)<1;1,0> setup(0,0)<0;1,0> r(1,0)<1;1,0>
    mad (M3, 8) r(1,0)<1> bary(3,0)<1;1,0> setup(0,1)<0;1,0> r(1,0)<1;1,0>
    mad (M1, 8) g(0,0)<1> bary(0,0)<1;1,0> setup(0,4)<0;1,0> g(0,0)<1;1,0>
    mad (M1, 8) g(0,0)<1> bary(1,0)<1;1,0> setup(0,5)<0;1,0> g(0,0)<1;1,0>
    mad (M3, 8) g(1,0)<1> bary(2,0)<1;1,0> setup(0,4)<0;1,0> g(1,0)<1;1,0>
    mad (M3, 8) g(1,0)<1> bary(3,0)<1;1,0> setup(0,5)<0;1,0> g(1,0)<1;1,0>
    mov (M1, 16) b(0,0)<1> push(0,0)<0;1,0>
    rt_write_3d.<LRTW> (M1, 16) T6 %null.0 r.0 g.0 b.0 depth.0
    ret (M1, 1)
)";
  const RunResult o = run_text(program, target(20, 12) +
                                            "[args]\npush = 0.75\n[pixels]\ntargets = [\"T6\"]\npayload = [\"depth\", "
                                            "\"perspective_pixel\"]\n[pixels.inputs]\nuv = \"uv\"\n");
  ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
  const auto t = output<float>(o, "t");
  for (unsigned y = 0; y < 12; ++y)
    for (unsigned x = 0; x < 20; ++x) {
      const float* p = &t[(y * 20 + x) * 4];
      EXPECT_NEAR(p[0], (x + 0.5) / 20, 1e-6);
      EXPECT_NEAR(p[1], (y + 0.5) / 12, 1e-6);
      EXPECT_EQ(p[2], 0.75f);
      EXPECT_EQ(p[3], 0.0f);
    }
}

TEST(Examples, FirstDrawsItsPicture) {
  const auto toml = kernels::slurp("examples/first.toml");
  auto job = read_job(toml, "examples/first.toml");
  ASSERT_TRUE(job.ok());
  // A texture of the same size as the example's, smooth enough to be compared.
  image::Surface drawn;
  drawn.width = drawn.height = 512;
  ASSERT_TRUE(image::allocate(drawn).ok());
  for (std::size_t i = 0; i < drawn.memory->size(); ++i) {
    const std::size_t x = i / 4 % 512, y = i / 2048, c = i % 4;
    (*drawn.memory)[i] = c == 3
                             ? 255
                             : static_cast<std::uint8_t>(128 + 100 * std::sin(static_cast<double>((c + 2) * x) / 40) *
                                                                   std::cos(static_cast<double>((4 - c) * y) / 30));
  }
  const test::TemporaryFolder folder;
  const std::string texture = (folder / "first_wall.png").string();
  ASSERT_TRUE(image::save_image(texture, drawn).ok());
  for (ImageBinding& image : job->images) {
    if (image.key.text == "T7") image.size = {96, 96};
    if (image.key.text == "T6") image.file = texture;
  }
  base::Diagnostics diagnostics;
  const auto program = text::parse(kernels::slurp("examples/first.visaasm"), "examples/first.visaasm", {}, diagnostics);
  ASSERT_TRUE(program) << messages(diagnostics);
  const RunResult o = run(*job, *program);
  ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
  EXPECT_TRUE(o.summary.reports.empty());
  ASSERT_EQ(o.outputs.size(), 1u);
  const auto picture = image::decode_image(o.outputs[0].bytes, "first.png");
  const auto wall = image::load_image(texture);
  ASSERT_TRUE(picture.ok() && wall.ok());
  // Independent of the kernel: the same lens over the texture in double precision.
  for (unsigned y = 3; y < 96; y += 7)
    for (unsigned x = 2; x < 96; x += 5) {
      const double u = (x + 0.5) / 96 - 0.5, v = (y + 0.5) / 96 - 0.5, r2 = u * u + v * v, bend = 0.55 + 1.9 * r2,
                   light = 1.15 - 2 * r2;
      const double tx = (u * bend + 0.5) * 512 - 0.5, ty = (v * bend + 0.5) * 512 - 0.5, fx = tx - std::floor(tx),
                   fy = ty - std::floor(ty);
      const auto at = [&](int dx, int dy, int c) {
        const auto wrap = [](double t, int d) {
          return static_cast<std::uint32_t>((static_cast<int>(std::floor(t)) + d + 512) % 512);
        };
        return static_cast<double>(image::fetch(*wall, 0, 0, wrap(tx, dx), wrap(ty, dy)).texel.f(c));
      };
      for (int c = 0; c < 3; ++c) {
        const double upper = at(0, 0, c) * (1 - fx) + at(1, 0, c) * fx,
                     lower = at(0, 1, c) * (1 - fx) + at(1, 1, c) * fx;
        const double want = std::clamp((upper * (1 - fy) + lower * fy) * light, 0.0, 1.0);
        EXPECT_NEAR(image::fetch(*picture, 0, 0, x, y).texel.f(c), want, 1.5 / 255) << x << ' ' << y;
      }
    }
}

}  // namespace
