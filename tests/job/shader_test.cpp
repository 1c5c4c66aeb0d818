// SPDX-License-Identifier: MIT
// Programs that say what they are bound to (docs/spirv-interface.md), written by hand: names, blocks, stages,
// qualifiers.
// Rules: PIX-3, PIX-17, PIX-20, SPV-31, SPV-34.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

#include "job/run/run.hpp"
#include "job/shader/interface.hpp"
#include "opencl_support.hpp"
#include "pipeline/raster/raster.hpp"
#include "support/any_shader.hpp"
#include "support/process.hpp"

using namespace heddle;
using namespace heddle::job;
using heddle::job::kernels::messages;
using heddle::job::kernels::output;
using heddle::job::kernels::run_text;
using ::testing::HasSubstr;

namespace {

std::optional<isa::Program> parsed(const std::string& text, base::Diagnostics& diagnostics) {
  return text::parse(text, "test.visaasm", {}, diagnostics);
}

std::string lines(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& line : list) text += "    FILE \"heddle: " + line + "\"\n";
  return text;
}

// out.v[id] = data.v[id] * push.scale + params.add (integers)
std::string compute_shader(const std::vector<std::string>& more = {}) {
  std::vector<std::string> all{"interface 1",
                               "stage compute 16 1 1",
                               "surface T6 storage_buffer 0.0[0] data",
                               "surface T7 storage_buffer 0.1 result",
                               "surface T8 push_constant Push",
                               "member T8 0 i32 scale",
                               "member T8 4 f32x2 unused",
                               "surface T9 uniform_buffer 1.2 Params",
                               "member T9 0 i32 add",
                               "value groups group_count"};
  all.insert(all.end(), more.begin(), more.end());
  return R"(.version 4.1
.kernel "main"
.decl ids v_type=G type=uw num_elts=16 align=GRF
.decl header v_type=G type=d num_elts=8 align=GRF
.decl groups v_type=G type=ud num_elts=3 align=GRF
.decl at v_type=G type=ud num_elts=16 align=GRF
.decl value v_type=G type=d num_elts=16 align=GRF
.decl scale v_type=G type=d num_elts=16 align=GRF
.decl id v_type=G type=d num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.decl T8 v_type=T num_elts=1
.decl T9 v_type=T num_elts=1
.input ids offset=32 size=32
.input header offset=128 size=32
.input groups offset=160 size=12
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main_body"
main_body:
)" + lines(all) +
         R"(    mul (M1_NM, 1) at(0,0)<1> %r0(0,1)<0;1,0> 16:d
    mov (M1_NM, 1) value(0,0)<1> at(0,0)<0;1,0>
    add (M1, 16) id(0,0)<1> ids(0,0)<1;1,0> value(0,0)<0;1,0>
    mov (M1, 16) at(0,0)<1> 0x0:ud
    gather4_scaled.R (M1, 16) T8 0x0:ud at.0 scale.0
    shl (M1, 16) at(0,0)<1> id(0,0)<1;1,0> 2:d
    gather4_scaled.R (M1, 16) T6 0x0:ud at.0 value.0
    mul (M1, 16) value(0,0)<1> value(0,0)<1;1,0> scale(0,0)<1;1,0>
    mov (M1, 16) id(0,0)<1> 0x0:ud
    gather4_scaled.R (M1, 16) T9 0x0:ud id.0 scale.0
    add (M1, 16) value(0,0)<1> value(0,0)<1;1,0> scale(0,0)<1;1,0>
    add (M1, 16) value(0,0)<1> value(0,0)<1;1,0> groups(0,0)<0;1,0>
    scatter4_scaled.R (M1, 16) T7 0x0:ud at.0 value.0
    ret (M1, 1)
)";
}

TEST(Shader, ComputeBindsBySpirvNamesAndSlots) {
  struct Case {
    const char* data;
    const char* result;
    const char* params;
  };
  for (const Case& c : {Case{"buffers.\"data[0]\"", "buffers.result", "[buffers.Params]\ntype=\"i32\"\ndata=[100]\n"},
                        Case{"buffers.\"0.0[0]\"", "buffers.\"0.1\"", "[buffers.\"1.2\"]\ntype=\"i32\"\ndata=[100]\n"},
                        Case{"buffers.T6", "buffers.T7", ""}}) {
    const std::string add = *c.params != 0 ? "" : "\"1.2\" = { add = 100 }\n";
    const RunResult o = run_text(compute_shader(),
                                 std::string("groups = [3]\n[args]\npush = { scale = 3, unused = [0.5, 1] }\n") + add +
                                     c.params + "[" + c.data + "]\ntype = \"i32\"\ndata = [1, 2, 3, 4]\ncount = 48\n[" +
                                     c.result + "]\ntype = \"i32\"\ncount = 48\nsave = \"o.bin\"\n");
    ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
    const auto values = output<std::int32_t>(o, "o");
    for (int i = 0; i < 48; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], (i < 4 ? 3 * (i + 1) : 0) + 100 + 3);
    EXPECT_EQ(o.summary.groups, 3u);
  }
}

TEST(Shader, PushConstantsAsBytesAndGlobalRoundsUpToWholeGroups) {
  const std::string buffers =
      "[buffers.\"data[0]\"]\ntype=\"i32\"\ncount=48\nfill=2\n[buffers.result]\ntype=\"i32\"\ncount=48\nsave=\"o."
      "bin\"\n"
      "[buffers.Params]\ntype=\"i32\"\ndata=[0]\n";
  for (const char* push : {"push = { bytes = \"050000000000000000000000\" }", "Push = [5, 0.0, 0.0]",
                           "T8 = { bytes = \"05000000000000000000000000000000\" }"}) {
    const RunResult o = run_text(compute_shader(), std::string("global = [20]\n[args]\n") + push + "\n" + buffers);
    ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
    const auto values = output<std::int32_t>(o, "o");
    EXPECT_EQ(values[31], 12);  // whole groups: items 20 to 31 run
    EXPECT_EQ(values[32], 0);
  }
}

TEST(Shader, BindingErrorsNameTheBindingAndItsType) {
  const std::string data = "[buffers.\"data[0]\"]\ncount=64\n", result = "[buffers.result]\ncount=64\n",
                    params = "[buffers.Params]\ncount=4\n", push = "[args]\npush = { scale = 1, unused = [0, 0] }\n";
  struct Case {
    std::string toml, message;
  };
  const Case cases[] = {
      {"groups=[1]\n" + push + result + params, "storage buffer 'data[0]' of kernel 'main' is not bound"},
      {"groups=[1]\n" + push + data + params + "[buffers.resul]\ncount=4\n",
       "'resul' of the job is bound to nothing: is it meant?"},
      {"groups=[1]\n" + data + result + params, "expected: [args] push = { scale = i32, unused = f32x2 }"},
      {"groups=[1]\n" + push + data + result, "[buffers.Params] or [args] Params = { add = i32 }; set 1, binding 2"},
      {"groups=[1]\n[args]\npush = { scal = 1, unused = [0, 0] }\n" + data + result + params,
       "the block has no member 'scal'; did you mean 'scale'?"},
      {"groups=[1]\n[args]\npush = { scale = 1 }\n" + data + result + params, "member 'unused' (f32x2) is missing"},
      {"groups=[1]\n[args]\npush = { scale = 1.5, unused = [0, 0] }\n" + data + result + params,
       "member 'scale': 1.5 is no integer, i32 is expected"},
      {"groups=[1]\n[args]\npush = { scale = 1, unused = [0, 0, 0] }\n" + data + result + params,
       "member 'unused' takes 2 values (f32x2), 3 given"},
      {"groups=[1]\n[args]\npush = { bytes = \"00\" }\n" + data + result + params,
       "1 bytes are given, the block has 12"},
      {"groups=[1]\n" + push + result + params + "[images.\"0.0[0]\"]\nformat=\"R8_UNORM\"\nsize=[4,4]\n",
       "'0.0[0]' is a storage buffer of the shader, not an image"},
      {"groups=[1]\nlocal=[8]\n" + push + data + result + params,
       "'local' is 8 x 1 x 1, the kernel requires 16 x 1 x 1"},
      {"groups=[1]\n" + push + data + result + params + "[buffers.other]\ncount=1\n",
       "kernel 'main' has nothing named 'other'"},
      {push + data + result + params + "[pixels]\nsize=[4,4]\n",
       "the program is a compute shader; [pixels] needs a fragment shader"},
  };
  for (const Case& c : cases) {
    const RunResult o = run_text(compute_shader(), c.toml);
    EXPECT_FALSE(o.succeeded) << c.toml;
    EXPECT_THAT(messages(o.diagnostics), HasSubstr(c.message)) << c.toml;
  }
}

TEST(Shader, LinesThatSayNonsenseAreReported) {
  const char* bad[] = {"nothing",
                       "interface 7",
                       "stage pixel",
                       "stage compute 0 1 1",
                       "surface T99 image 0.0 x",
                       "surface T6 image 0.0 twice",
                       "surface T5 image 0.0",
                       "surface S0 image 0.0",
                       "sampler S3 0.0 s",
                       "member T7 x f32 m",
                       "member T7 0 g32 m",
                       "member T7 0 f32x m",
                       "member T7 0 f32[0]/4 m",
                       "member T7 0 f32x4x4 m",
                       "member T3 0 f32 m",
                       "input id 0 0 f32 smooth a",
                       "input none 0 0 f32 smooth a",
                       "unread 999999 0 a",
                       "unread 0 4 a",
                       "unread uv",
                       "value groups view",
                       "value ids tea",
                       "value",
                       "",
                       " ",
                       "surface B9. image 0.0[0] x",
                       "surface B9..B8 image 0.0[0] x",
                       "surface B0.B8 image 0.0[0] x",
                       "surface B0..T8 image 0.0[0] x",
                       "surface B0..B1048576 image 0.0[0] x",
                       "sampler B0..B99999999999 0.0[0] x",
                       "member B0..B1 0 f32 m",
                       "surface T6",
                       "surface T6 image/4d 0.0 x",
                       "surface T6 image/ 0.0 x",
                       "surface T6 uniform_buffer/2d 0.0 x",
                       "surface T6 image 0.",
                       "output 0 0 0 f32 smooth a",
                       "member T7 0 f32[268435456]/268435456[268435456]/268435456 m"};
  for (const char* line : bad) {
    base::Diagnostics diagnostics;
    const auto program = parsed(compute_shader({line}), diagnostics);
    ASSERT_TRUE(program) << line;
    (void)read_interface(*program, program->objects[0], diagnostics);
    EXPECT_THAT(messages(diagnostics), HasSubstr("shader-interface")) << line;
  }
}

TEST(Shader, ArraysOfHandlesAreExpanded) {
  base::Diagnostics diagnostics;
  const auto program = parsed(
      compute_shader({"surface B10..B13 storage_buffer 2.0[0]? list", "member B10 4 u32 m", "sampler B0..B2 2.1[0] s"}),
      diagnostics);
  ASSERT_TRUE(program);
  auto shader = read_interface(*program, program->objects[0], diagnostics);
  ASSERT_TRUE(shader && !diagnostics.has_errors()) << messages(diagnostics);
  const std::size_t before = shader->surfaces.size();
  EXPECT_EQ(shader->surfaces.back().count, 4u);
  expand_arrays(*shader, diagnostics);
  ASSERT_EQ(shader->surfaces.size(), before + 3);
  for (std::uint32_t k = 0; k < 4; ++k) {
    const auto& line = shader->surfaces[before - 1 + k];
    EXPECT_EQ(line.variable, shader_interface::kFirstHandle + 10 + k);
    EXPECT_EQ(line.element, k);
    EXPECT_TRUE(line.open && line.count == 1 && line.members.size() == 1);
  }
  ASSERT_EQ(shader->samplers.size(), 3u);
  EXPECT_EQ(shader->samplers[2].element, 2u);
  shader->surfaces.back().count = 1 << 20;
  expand_arrays(*shader, diagnostics);
  EXPECT_THAT(messages(diagnostics), HasSubstr("more than 65536 elements"));
}

TEST(Shader, MemberTypes) {
  const auto check = [](const char* text, std::uint64_t values, std::uint64_t bytes) {
    const auto type = parse_member_type(text);
    ASSERT_TRUE(type) << text;
    EXPECT_EQ(type->value_count(), values) << text;
    EXPECT_EQ(type->bytes(), bytes) << text;
  };
  check("f32", 1, 4);
  check("u16", 1, 2);
  check("i32x3", 3, 12);
  check("f32x4x4/16", 16, 64);
  check("f32x3x2/16", 6, 28);
  check("f32x3x2/8r", 6, 24);
  check("f32[8]/16", 8, 116);
  check("f32x4x4/16[3]/64", 48, 192);
  check("f32[2]/32[4]/8", 8, 60);
  check("f32[]/4", 1, 4);
  check("bytes/20", 0, 20);
}

// --- fragment and vertex ---

/// Writes four inputs to the target.
std::string fragment_shader(const std::vector<std::string>& inputs, const std::string& flags = ".<LRTW>",
                            const std::string& type = "f") {
  std::vector<std::string> all{"interface 1", "stage fragment", "surface T6 target 0 color"};
  std::string text = ".version 4.1\n.kernel \"main\"\n", declared;
  unsigned offset = 64;
  for (const char* name : {"a", "b", "c", "d"}) {
    text += std::string(".decl ") + name + " v_type=G type=" + type + " num_elts=16 align=GRF\n";
    declared += std::string(".input ") + name + " offset=" + std::to_string(offset) + " size=64\n";
    offset += 64;
  }
  all.insert(all.end(), inputs.begin(), inputs.end());
  return text + ".decl T6 v_type=T num_elts=1\n" + declared +
         ".kernel_attr Target=\"3d\"\n.kernel_attr SimdSize=16\n.function \"body\"\nbody:\n" + lines(all) +
         "    rt_write_3d" + flags + " (M1, 16) T6 %null.0 a.0 b.0 c.0 d.0\n    ret (M1, 1)\n";
}

std::string target(unsigned w, unsigned h, const std::string& more = {}) {
  return "[images.color]\nformat = \"R32G32B32A32_FLOAT\"\nsize = [" + std::to_string(w) + ", " + std::to_string(h) +
         "]\nsave = \"t.bin\"\n" + more;
}

TEST(Shader, FragmentInputsByNameLocationAndDefault) {
  const std::string shader = fragment_shader(
      {"input a 0 0 f32 smooth uv", "input b 0 1 f32 smooth uv", "input c 3 0 f32 smooth ", "value d position.x"});
  const RunResult o = run_text(shader, target(20, 10) + "[pixels]\n[pixels.inputs]\n\"in.3\" = [0, 20, 10]\n");
  ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
  const auto t = output<float>(o, "t");
  for (unsigned y = 0; y < 10; ++y)
    for (unsigned x = 0; x < 20; ++x) {
      const float* p = &t[(y * 20 + x) * 4];
      EXPECT_NEAR(p[0], (x + 0.5) / 20, 1e-6);
      EXPECT_NEAR(p[1], (y + 0.5) / 10, 1e-6);
      EXPECT_NEAR(p[2], x + 0.5 + y + 0.5, 1e-5);
      EXPECT_EQ(p[3], static_cast<float>(x) + 0.5f);
    }
  // The same target under other keys, and what is missing.
  EXPECT_TRUE(run_text(shader,
                       "[images.picture]\nformat=\"R32G32B32A32_FLOAT\"\nsize=[8,8]\n[pixels]\ntargets=[\"picture\"]\n["
                       "pixels.inputs]\n\"in.3\"=0.5\n")
                  .succeeded);
  EXPECT_TRUE(
      run_text(shader,
               "[images.\"out.0\"]\nformat=\"R32G32B32A32_FLOAT\"\nsize=[8,8]\n[pixels]\n[pixels.inputs]\nc=0.5\n")
          .succeeded);
  EXPECT_THAT(
      messages(run_text(shader, target(8, 8) + "[pixels]\n").diagnostics),
      HasSubstr(
          "expected: [pixels.inputs] \"in.3\" = \"ATTRIBUTE\" or values (f32, location 3); the geometry has: uv"));
  EXPECT_THAT(
      messages(run_text(shader, "[images.colr]\nformat=\"R8_UNORM\"\nsize=[8,8]\n[pixels]\n[pixels.inputs]\nc=0.5\n")
                   .diagnostics),
      HasSubstr("'colr' of the job is bound to nothing: is it meant?"));
  EXPECT_THAT(messages(run_text(shader, target(8, 8) + "[pixels]\n[pixels.inputs]\nc=0.5\nvu=1\n").diagnostics),
              HasSubstr("did you mean 'uv'?"));
  EXPECT_THAT(messages(run_text(shader, target(8, 8)).diagnostics), HasSubstr("the job needs [pixels]"));
}

/// Written into a folder that is removed when the program ends.
std::string write_mesh(const std::string& name, const std::string& text) {
  static const test::TemporaryFolder folder;
  test::write_text(folder / name, text);
  return (folder / name).string();
}

TEST(Shader, QualifiersChooseWhereAndHow) {
  // A quad's half with w = 1 and 4: perspective and linear differ; flat takes the first vertex.
  const std::string mesh = write_mesh(
      "qualifiers.json",
      R"({"position": [[-1,-1,0,1],[12,-4,0,4],[-1,3,0,1]], "attributes": {"t": [0,8,0]}, "triangles": [[0,1,2]]})");
  const std::string toml =
      target(32, 32) + "[pixels]\ngeometry=\"" + mesh + "\"\n[pixels.inputs]\np=\"t\"\nl=\"t\"\nf=\"t\"\nc=\"t\"\n";
  const RunResult o = run_text(fragment_shader({"input a 0 0 f32 smooth p", "input b 1 0 f32 linear l",
                                                "input c 2 0 f32 flat f", "input d 3 0 f32 centroid c"}),
                               toml);
  ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
  const auto t = output<float>(o, "t");
  const float* p = &t[(4 * 32 + 10) * 4];
  const double b1 = 10.5 / 64;  // vertex 1 stands at x = 3 in NDC
  EXPECT_NEAR(p[1], 8 * b1, 1e-5);
  EXPECT_NEAR(p[0], 8 * (b1 / 4) / (b1 / 4 + (1 - b1)), 1e-5);
  EXPECT_EQ(p[2], 0.0f);
  EXPECT_EQ(p[3], p[0]);
}

TEST(Shader, LinearInputsStayLinearWhenClipped) {
  // The far vertex lies behind z = w: the cut edge must keep values linear in the window.
  const std::string mesh = write_mesh(
      "clipped.json",
      R"({"position": [[-1,-1,0.5,1],[12,-4,5,4],[-1,3,0.5,1]], "attributes": {"t": [0,8,0]}, "triangles": [[0,1,2]]})");
  const RunResult o =
      run_text(fragment_shader({"input a 0 0 f32 smooth t", "input b 1 0 f32 linear l", "input c 2 0 f32 smooth p",
                                "input d 3 0 f32 smooth q"}),
               target(32, 32) + "[pixels]\ngeometry=\"" + mesh + "\"\n[pixels.inputs]\nl=\"t\"\np=1\nq=1\n");
  ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
  const auto t = output<float>(o, "t");
  const float* p = &t[(4 * 32 + 10) * 4];
  ASSERT_EQ(p[2], 1.0f);
  const double b1 = 10.5 / 64;
  EXPECT_NEAR(p[1], 8 * b1, 1e-2);  // the cut corners are snapped
  EXPECT_NEAR(p[0], 8 * (b1 / 4) / (b1 / 4 + (1 - b1)), 1e-2);
}

TEST(Shader, CentroidAndSampleUseTheirPositions) {
  const std::string mesh = write_mesh(
      "edge.json",
      R"({"position": [[-1,-1,0],[-1,1,0],[1,1,0]], "attributes": {"t": [0,0,16]}, "triangles": [[0,1,2]]})");
  const auto image = [](const char* more) {
    return target(16, 16, std::string("samples = 4\nfill=[-9,-9,-9,-9]\n") + more);
  };
  const std::string geometry = "[pixels]\ngeometry=\"" + mesh + "\"\n[pixels.inputs]\np=\"t\"\nc=\"t\"\nz=0\n";
  const auto positions = heddle::pipeline::sample_positions(4);
  {
    const RunResult o = run_text(fragment_shader({"input a 0 0 f32 smooth p", "input b 1 0 f32 centroid c",
                                                  "input c 2 0 f32 smooth z", "value d position.x"}),
                                 image("") + geometry);
    ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
    const auto t = output<float>(o, "t");
    // Pixel (5, 5) lies on the diagonal: only samples with x < y are covered.
    for (unsigned s = 0; s < 4; ++s) {
      const float* p = &t[((s * 16 + 5) * 16 + 5) * 4];
      if (positions[s].x >= positions[s].y) {
        EXPECT_EQ(p[0], -9.0f);
        continue;
      }
      EXPECT_NEAR(p[0], 5.5, 1e-4);
      EXPECT_LT(p[1], 5.5f);  // inside the triangle, left of the diagonal through the center
      EXPECT_EQ(p[3], 5.5f);
    }
  }
  {
    const RunResult o = run_text(fragment_shader({"input a 0 0 f32 sample p", "input b 1 0 f32 smooth c",
                                                  "input c 2 0 f32 smooth z", "value d position.x"},
                                                 ".<LRTW><PS>"),
                                 image("") + geometry);
    ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
    const auto t = output<float>(o, "t");
    for (unsigned s = 0; s < 4; ++s) {
      const float* p = &t[((s * 16 + 9) * 16 + 3) * 4];
      EXPECT_NEAR(p[0], 3 + positions[s].x / 16.0, 1e-4) << s;  // `sample` makes one invocation for each
      EXPECT_NEAR(p[3], 3 + positions[s].x / 16.0, 1e-4) << s;
    }
  }
}

TEST(Shader, FlatIntegersKeepTheirBits) {
  const std::string mesh = write_mesh(
      "ids.json",
      R"({"position": [[-1,-1,0],[3,-1,0],[-1,3,0]], "attributes": {"id": [4294967295,1,2], "s": [-5,0,0], "x": [0.5,0,0]}, "triangles": [[0,1,2]]})");
  const std::vector<std::string> inputs{"input a 0 0 u32 flat id", "input b 1 0 i32 flat s", "value c front",
                                        "value d primitive"};
  std::string shader = fragment_shader(inputs, ".<LRTW>", "ud");
  const auto image = std::string("[images.color]\nformat=\"R32G32B32A32_UINT\"\nsize=[4,4]\nsave=\"t.bin\"\n");
  const RunResult o = run_text(shader, image + "[pixels]\ngeometry=\"" + mesh + "\"\nfront_face=\"cw\"\n");
  ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
  const auto t = output<std::uint32_t>(o, "t");
  EXPECT_EQ(t[0], 4294967295u);
  EXPECT_EQ(t[1], static_cast<std::uint32_t>(-5));
  EXPECT_EQ(t[2], 0xffffffffu);
  EXPECT_EQ(t[3], 0u);
  EXPECT_THAT(
      messages(
          run_text(shader, image + "[pixels]\ngeometry=\"" + mesh + "\"\n[pixels.inputs]\nid=\"x\"\n").diagnostics),
      HasSubstr("attribute 'x' has the value 0.5, u32 is expected"));
  EXPECT_THAT(messages(run_text(shader, image + "[pixels]\n[pixels.inputs]\nid=[0,1,2]\ns=1\n").diagnostics),
              HasSubstr("it is u32: one value is expected"));
}

/// Position and four more dwords are copied from inputs and numbers.
std::string vertex_shader(const std::vector<std::string>& more, const std::string& body) {
  std::vector<std::string> all{"interface 1", "stage vertex", "surface T6 vertex_outputs 32"};
  for (const char* c : {"0", "1", "2", "3"})
    all.push_back(std::string("output ") + std::to_string(4 * (*c - '0')) + " position " + c +
                  " f32 smooth gl_Position");
  all.insert(all.end(), more.begin(), more.end());
  std::string text = ".version 4.1\n.kernel \"main\"\n", declared;
  unsigned offset = 32;
  for (const char* name : {"px", "py", "slot", "vertex", "instance"}) {
    text += std::string(".decl ") + name + " v_type=G type=" + (*name == 'p' ? "f" : "ud") + " num_elts=8 align=GRF\n";
    declared += std::string(".input ") + name + " offset=" + std::to_string(offset) + " size=32\n";
    offset += 32;
  }
  for (const char* name : {"at", "x", "y", "zero", "one", "u", "v", "w", "s"})
    text += std::string(".decl ") + name + " v_type=G type=" + (*name == 'a' || *name == 'u' ? "ud" : "f") +
            " num_elts=8 align=GRF\n";
  text += ".decl record v_type=G type=f num_elts=32 align=GRF alias=<px,0>\n";
  text.erase(text.rfind(".decl record"));
  return text + ".decl T6 v_type=T num_elts=1\n" + declared +
         ".kernel_attr Target=\"3d\"\n.kernel_attr SimdSize=8\n.function \"body\"\nbody:\n" + lines(all) +
         "    shl (M1, 8) at(0,0)<1> slot(0,0)<1;1,0> 5:ud\n    mov (M1, 8) zero(0,0)<1> 0x0:f\n    mov (M1, 8) "
         "one(0,0)<1> 0x3f800000:f\n" +
         body +
         "    scatter4_scaled.R (M1, 8) T6 0x0:ud at.0 x.0\n    scatter4_scaled.R (M1, 8) T6 0x4:ud at.0 y.0\n"
         "    scatter4_scaled.R (M1, 8) T6 0x8:ud at.0 zero.0\n    scatter4_scaled.R (M1, 8) T6 0xC:ud at.0 one.0\n"
         "    scatter4_scaled.R (M1, 8) T6 0x10:ud at.0 u.0\n    ret (M1, 1)\n";
}

TEST(Shader, AVertexShaderFeedsTheFragments) {
  // Numbers only: vertices 0, 1, 2 at (-1,-1), (3,-1), (-1,3); each instance squeezed into its half.
  const std::string vertex = vertex_shader(
      {"value slot slot", "value vertex vertex", "value instance instance", "output 16 2 0 u32 flat which",
       "input px 0 0 f32 smooth position", "input py 0 1 f32 smooth position"},
      "    mov (M1, 8) x(0,0)<1> px(0,0)<1;1,0>\n    mov (M1, 8) y(0,0)<1> py(0,0)<1;1,0>\n"
      "    mov (M1, 8) u(0,0)<1> instance(0,0)<1;1,0>\n");
  const std::string fragment = fragment_shader(
      {"input a 2 0 u32 flat any_name", "value b primitive", "value c front", "value d layer"}, ".<LRTW>", "ud");
  const std::string image =
      "[images.color]\nformat=\"R32G32B32A32_UINT\"\nsize=[8,8]\nfill=[7,7,7,7]\nsave=\"t.bin\"\n";
  const RunResult o =
      run_text(fragment, image + "[pixels]\nvertex=\"v.visaasm\"\ninstances=3\nfront_face=\"cw\"\n", vertex);
  ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
  const auto t = output<std::uint32_t>(o, "t");
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(t[4 * i], 2u);  // the last instance is on top
    EXPECT_EQ(t[4 * i + 1], 0u);
    EXPECT_EQ(t[4 * i + 2], 0xffffffffu);
  }
  EXPECT_EQ(o.summary.threads_run, 2u + 3 * 4u);  // 9 vertices in threads of 8; 3 triangles of 16 subspans
  EXPECT_THAT(messages(run_text(fragment, image + "[pixels]\nvertex=\"v\"\nvertices=3\n", vertex).diagnostics),
              HasSubstr("input 'position' (location 0, f32) of the vertex shader is not bound"));
  EXPECT_TRUE(run_text(fragment,
                       image + "[pixels]\nvertex=\"v\"\nvertices=4\ntopology=\"triangle_strip\"\n[pixels.vertex_inputs]"
                               "\nposition=[[0.5, 1.0]]\n",
                       vertex)
                  .succeeded);
  EXPECT_THAT(messages(run_text(fragment, image + "[pixels]\nvertices=3\n", vertex).diagnostics),
              HasSubstr("there is no 'vertex' shader that it belongs to"));
  EXPECT_THAT(messages(run_text(fragment_shader(
                                    {"input a 3 0 u32 flat b", "value b primitive", "value c front", "value d layer"},
                                    ".<LRTW>", "ud"),
                                image + "[pixels]\nvertex=\"v\"\n", vertex)
                           .diagnostics),
              HasSubstr("input 'b' (location 3, component 0) is no output of the vertex shader"));
  EXPECT_THAT(messages(run_text(fragment, image + "[pixels]\nvertex=\"v\"\n", fragment).diagnostics),
              HasSubstr("is no compiled vertex shader"));
  EXPECT_THAT(messages(run_text(vertex, image + "[pixels]\n").diagnostics),
              HasSubstr("the program is a vertex shader"));
}

/// Words of the lines are exchanged, dropped and changed; whatever is still an interface is bound and run.
TEST(Shader, DamagedLinesNeverCrashBindingOrRunning) {
  const std::string programs[] = {
      compute_shader({"sampler S0 0.5 s"}),
      fragment_shader(
          {"input a 0 0 f32 smooth uv", "input b 0 1 f32 sample uv", "value c position.x", "value d sample"}),
      vertex_shader({"value slot slot", "value vertex vertex", "output 16 2 0 u32 flat which",
                     "input px 0 0 f32 smooth position", "input py 0 1 f32 smooth position", "value instance instance"},
                    "    mov (M1, 8) x(0,0)<1> px(0,0)<1;1,0>\n    mov (M1, 8) y(0,0)<1> py(0,0)<1;1,0>\n"
                    "    mov (M1, 8) u(0,0)<1> instance(0,0)<1;1,0>\n")};
  const std::vector<std::string> words{"T6",
                                       "T7",
                                       "T8",
                                       "T9",
                                       "S0",
                                       "0",
                                       "1",
                                       "4",
                                       "65535",
                                       "1023",
                                       "f32",
                                       "i32x3",
                                       "flat",
                                       "sample",
                                       "linear",
                                       "image",
                                       "0.1",
                                       "0.0[3]",
                                       "position",
                                       "groups",
                                       "header",
                                       "ids",
                                       "a",
                                       "px",
                                       "slot",
                                       "group_count",
                                       "view",
                                       "surface",
                                       "value",
                                       "input",
                                       "output",
                                       "member",
                                       "target",
                                       "vertex_outputs",
                                       "push_constant",
                                       "f32x4x4/16",
                                       "u16[]/2",
                                       "bytes/9",
                                       "4294967295",
                                       "uniform_buffer",
                                       "texel_buffer",
                                       "",
                                       "stage",
                                       "vertex",
                                       "compute"};
  std::mt19937 random(7);
  int ran = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = programs[random() % 3];
    for (unsigned k = 0; k < 1 + random() % 3; ++k) {
      std::vector<std::size_t> starts;
      for (std::size_t at = text.find("heddle: "); at != std::string::npos; at = text.find("heddle: ", at + 1))
        starts.push_back(at + 8);
      std::size_t at = starts[random() % starts.size()];
      const std::size_t end = text.find('"', at);
      for (unsigned skip = random() % 6; skip != 0; --skip)
        if (const std::size_t blank = text.find(' ', at); blank < end) at = blank + 1;
      const std::size_t stop = std::min(end, text.find(' ', at));
      text.replace(at, stop - at, words[random() % words.size()]);
    }
    base::Diagnostics diagnostics;
    const auto program = parsed(text, diagnostics);
    if (!program) continue;
    const auto shader = read_interface(*program, program->objects[0], diagnostics);
    if (!shader) continue;
    const auto job = read_job(test::any_job(*shader), "any.toml");
    if (!job.ok()) continue;
    const RunResult o = run(*job, *program);
    ran += o.summary.instructions != 0 ? 1 : 0;
  }
  EXPECT_GT(ran, 10);
}

}  // namespace
