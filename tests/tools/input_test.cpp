// SPDX-License-Identifier: MIT
// What inputs are: GLSL, HLSL, SPIR-V, vISA and jobs by their content and by their names, from files and standard
// input.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/process.hpp"

namespace fs = std::filesystem;
using heddle::test::have_program;
using heddle::test::Outcome;
using heddle::test::write_text;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();

constexpr const char* kGlsl = R"(// doubles
#version 450
layout(local_size_x = 4) in;
layout(constant_id = 3) const float bias = 1.0;
layout(binding = 0) buffer Values { float v[]; } values;
void main() { values.v[gl_GlobalInvocationID.x] = float(gl_GlobalInvocationID.x) * 2.0 + bias; }
)";

// Two stages and a compute shader in one text; the entry is not called main; a macro has the number.
constexpr const char* kHlsl = R"(// doubles
#ifndef FACTOR
#define FACTOR 2
#endif
RWStructuredBuffer<float> values : register(u0);
cbuffer Params : register(b0) { float bias; };
[numthreads(4, 1, 1)]
void Double(uint3 id : SV_DispatchThreadID) { values[id.x] = id.x * FACTOR + bias; }
float4 Color(float4 at : SV_Position) : SV_Target { return float4(at.xy, 0, 1); }
)";

constexpr const char* kVisa =
    ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=ud num_elts=16 align=GRF\nmov (M1, 16) V32(0,0)<1> 0x1:ud\n"
    "ret (M1_NM, 1)\n";

class Input : public ::testing::Test {
 protected:
  heddle::test::TemporaryFolder folder;
  Outcome run(std::vector<std::string> words, const std::string& in = {}) const {
    words.insert(words.begin(), kProgram);
    return heddle::test::run(words, in, folder.path());
  }
  void SetUp() override {
    if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  }
};

const std::vector<std::string> kRun{"--groups", "1", "--buffer", "values=f32:4:save=-", "-q"};
std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(Input, GlslByNameByContentAndFromStandardInput) {
  for (const char* name : {"a.comp", "a.glsl", "a.txt", "a.visaasm"}) {
    write_text(folder / name, kGlsl);
    const Outcome o = run(with({"run", name}, kRun));
    EXPECT_EQ(o.out, "[1.0, 3.0, 5.0, 7.0]\n") << name << o.err;
  }
  EXPECT_EQ(run(with({"run", "-"}, kRun), kGlsl).out, "[1.0, 3.0, 5.0, 7.0]\n");
  EXPECT_EQ(run({"val", "-"}, kGlsl).out, "<stdin>: valid for vulkan1.3\n");
  EXPECT_THAT(run({"compile", "-"}, kGlsl).out, HasSubstr("heddle: stage compute 4 1 1"));
  const Outcome dump = run({"dump", "-"}, kGlsl);
  EXPECT_THAT(dump.out, StartsWith("<stdin>: SPIR-V 1.6, ")) << dump.err;
  EXPECT_THAT(dump.out, HasSubstr("entry point \"main\": GLCompute\nspecialization constant 3 bias\n"));
  // What is wrong is said in the words of the text that was given.
  const std::string wrong = std::string(kGlsl).replace(std::string(kGlsl).find("2.0"), 3, "two");
  const Outcome o = run({"val", "-"}, wrong);
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, StartsWith("<stdin>:6:1: error: 'two' : undeclared identifier [glsl-error]"));
  EXPECT_THAT(run({"run", "-", "-Dtwo=2.0", "--groups", "1", "--buffer", "values=f32:4:save=-", "-q"}, wrong).out,
              HasSubstr("[1.0, 3.0, 5.0, 7.0]"));
}

TEST_F(Input, HlslWithItsEntryFound) {
  write_text(folder / "s.hlsl", kHlsl);
  const std::vector<std::string> flags = with(kRun, {"--arg", "Params={bias=1}"});
  Outcome o = run(with({"run", "s.hlsl"}, flags));
  EXPECT_EQ(o.out, "[1.0, 3.0, 5.0, 7.0]\n") << o.err;
  o = run(with({"run", "-", "-D", "FACTOR=3"}, flags), kHlsl);
  EXPECT_EQ(o.out, "[1.0, 4.0, 7.0, 10.0]\n") << o.err;
  EXPECT_THAT(run({"compile", "s.hlsl"}).out, HasSubstr("stage compute 4 1 1"));
  EXPECT_THAT(run({"compile", "s.hlsl", "--stage", "frag"}).out, HasSubstr(".kernel \"Color\""));
  EXPECT_THAT(run({"compile", "s.hlsl", "--entry", "Double"}).out, HasSubstr(".kernel \"Double\""));
  o = run({"val", "s.hlsl", "--entry", "Missing"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("there is no function 'Missing'"));
  fs::create_directory(folder / "inc");
  write_text(folder / "inc/factor.h", "#define FACTOR 5\n");
  o = run(with({"run", "-", "--language", "hlsl", "-I", "inc"}, flags), std::string("#include \"factor.h\"\n") + kHlsl);
  EXPECT_EQ(o.out, "[1.0, 6.0, 11.0, 16.0]\n") << o.err;
}

/// A hull and a domain shader in one text.
constexpr const char* kPatches =
    "struct V { float4 p : SV_Position; float2 uv : TEXCOORD0; };\n"
    "struct C { float4 p : POSITION; float2 uv : TEXCOORD0; };\n"
    "struct K { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; float bias : BIAS; };\n"
    "K constants(InputPatch<V, 3> patch, uint id : SV_PrimitiveID) {\n"
    "  K k; k.e[0] = k.e[1] = k.e[2] = 3; k.i = 3; k.bias = patch[0].uv.x + id; return k;\n"
    "}\n"
    "[domain(\"tri\")]\n"
    "[partitioning(\"fractional_odd\")]\n"
    "[outputtopology(\"triangle_cw\")]\n"
    "[outputcontrolpoints(3)]\n"
    "[patchconstantfunc(\"constants\")]\n"
    "C Hull(InputPatch<V, 3> patch, uint i : SV_OutputControlPointID) {\n"
    "  C c; c.p = patch[i].p; c.uv = patch[i].uv; return c;\n"
    "}\n"
    "[domain(\"tri\")]\n"
    "V Domain(K k, float3 b : SV_DomainLocation, const OutputPatch<C, 3> patch) {\n"
    "  V v; v.p = patch[0].p * b.x + patch[1].p * b.y + patch[2].p * b.z + k.bias; v.uv = patch[0].uv; return v;\n"
    "}\n";

// Shaders of patches: by the name of the file, by what only they say, by their attributes.
TEST_F(Input, ShadersOfPatches) {
  const std::string head = "#version 450\n";
  const std::string control = head + "layout(vertices = 3) out;\nvoid main() { gl_TessLevelOuter[0] = 1; }\n",
                    evaluation = head + "layout(quads) in;\nvoid main() { gl_Position = vec4(gl_TessCoord, 1); }\n";
  write_text(folder / "a.tesc", control);
  write_text(folder / "a.tese.glsl", evaluation);
  for (const Outcome& o : {run({"compile", "a.tesc"}), run({"compile", "-"}, control)})
    EXPECT_THAT(o.out, HasSubstr("stage tessellation control 3")) << o.err;
  for (const Outcome& o : {run({"compile", "a.tese.glsl"}), run({"compile", "-"}, evaluation)})
    EXPECT_THAT(o.out, HasSubstr("stage tessellation evaluation")) << o.err;
  EXPECT_EQ(run({"val", "a.tesc"}).exit_code, 0);
  write_text(folder / "p.hlsl", kPatches);
  for (const std::vector<std::string>& flags : {std::vector<std::string>{"--stage", "tesc"}, {"--entry", "Hull"}}) {
    const Outcome o = run(with({"compile", "p.hlsl"}, flags));
    EXPECT_THAT(o.out, HasSubstr("tessellation triangles fractional_odd cw")) << o.err;
  }
  for (const std::vector<std::string>& flags : {std::vector<std::string>{"--stage", "tese"}, {"--entry", "Domain"}}) {
    const Outcome o = run(with({"compile", "p.hlsl"}, flags));
    EXPECT_THAT(o.out, HasSubstr("value tess_coord_x tess_coord.x")) << o.err;
    EXPECT_THAT(o.out, HasSubstr("k.bias")) << o.err;
  }
}

TEST_F(Input, SpirvTextAndBinaryWithoutNames) {
  write_text(folder / "a.comp", kGlsl);
  ASSERT_EQ(
      heddle::test::run({"glslangValidator", "-V", "-o", (folder / "a.bin").string(), (folder / "a.comp").string()})
          .exit_code,
      0);
  EXPECT_EQ(run(with({"run", "a.bin"}, kRun)).out, "[1.0, 3.0, 5.0, 7.0]\n");
  if (!have_program("spirv-dis")) GTEST_SKIP() << "spirv-dis is not installed";
  const Outcome text = heddle::test::run({"spirv-dis", (folder / "a.bin").string()});
  for (const char* command : {"val", "compile", "dump"})
    EXPECT_EQ(run({command, "-"}, text.out).exit_code, 0) << command;
  EXPECT_EQ(run(with({"run", "-"}, kRun), text.out).out, "[1.0, 3.0, 5.0, 7.0]\n");
}

TEST_F(Input, JobsByContentForEveryCommand) {
  write_text(folder / "a.comp", kGlsl);
  const std::string job =
      "# a job\nprogram = \"a.comp\"\ngroups = [1]\n[args]\n\"spec.bias\" = 5\n[buffers.values]\ntype = \"f32\"\n"
      "count = 4\nsave = \"-\"\n";
  EXPECT_EQ(run({"run", "-", "-q"}, job).out, "[5.0, 7.0, 9.0, 11.0]\n");
  write_text(folder / "job", job);
  EXPECT_EQ(run({"run", "job", "-q"}).out, "[5.0, 7.0, 9.0, 11.0]\n");
  EXPECT_EQ(run({"val", "job"}).out, "a.comp: valid for vulkan1.3\n");
  EXPECT_THAT(run({"compile", "job"}).out, HasSubstr("stage compute 4 1 1"));
  EXPECT_THAT(run({"dump", "-"}, job).out, StartsWith("a.comp: SPIR-V"));
  const Outcome wrong = run({"val", "-"}, "program = \"a.comp\"\ngruops = [1]\n");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.err, StartsWith("<stdin>:2:1: error: "));
}

TEST_F(Input, CommandsOfVisaAloneSayWhatAFileIs) {
  write_text(folder / "a.comp", kGlsl);
  write_text(folder / "k.cl", "__kernel void k(__global int* p) { p[0] = 1; }\n");
  write_text(folder / "k.bin", std::string("\x7f"
                                           "ELF\2\1\1\0\0",
                                           9));
  write_text(folder / "k.spv", std::string("\x03\x02\x23\x07\0\0\1\0", 8));
  write_text(folder / "j.toml", "program = \"a.comp\"\n");
  for (const char* command : {"as", "dis"}) {
    const std::pair<const char*, const char*> cases[] = {{"a.comp", "this is GLSL, no vISA"},
                                                         {"k.cl", "this is OpenCL C"},
                                                         {"k.bin", "this is an ELF file"},
                                                         {"k.spv", "this is SPIR-V, no vISA"},
                                                         {"j.toml", "this is a job, no vISA"}};
    for (const auto& [file, said] : cases) {
      const Outcome o = run({command, file, "-o", "o"});
      EXPECT_EQ(o.exit_code, 1) << command << file;
      EXPECT_THAT(o.err, HasSubstr(said)) << command;
      EXPECT_EQ(o.err.find("error: "), o.err.rfind("error: ")) << o.err;
    }
    const Outcome o = run({command, "-", "-o", "o"}, "mov (M1, 8) V32(0,0)<1> 0x0:ud\n");  // vISA with an error
    EXPECT_THAT(o.err, HasSubstr("'.version' must be the first statement"));
  }
  EXPECT_THAT(run({"val", "k.cl"}).err, HasSubstr("ocloc compile"));
}

TEST_F(Input, ConstantsByNameAndWhatThereIs) {
  write_text(folder / "a.comp", kGlsl);
  EXPECT_EQ(run(with({"run", "a.comp", "--spec", "bias=9"}, kRun)).out, "[9.0, 11.0, 13.0, 15.0]\n");
  EXPECT_EQ(run(with({"run", "a.comp", "--spec", "3=9"}, kRun)).out, "[9.0, 11.0, 13.0, 15.0]\n");
  Outcome o = run(with({"run", "a.comp", "--spec", "bios=9"}, kRun));
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("no specialization constant 'bios'"));
  EXPECT_THAT(o.err, HasSubstr("it has: 3 (bias)"));
  // Of a vertex and a fragment shader: those of both.
  write_text(
      folder / "v.vert",
      "#version 450\nlayout(constant_id = 7) const float size = 1;\nvoid main() { gl_Position = vec4(size); }\n");
  write_text(folder / "f.frag",
             "#version 450\nlayout(constant_id = 3) const float gain = 1;\nlayout(location = 0) out vec4 c;\n"
             "void main() { c = vec4(gain); }\n");
  o = run(
      {"run", "f.frag", "--vertex", "v.vert", "--vertices", "3", "--target", "c=o.png:rgba8:4x4", "--spec", "gian=2"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("it has: 3 (gain), 7 (size)"));
  o = run({"compile", "a.comp", "--spec", "bios=9"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("it has: 3 (bias)"));
}

/// One channel of 2 x 2 floats.
std::string pfm(float value) {
  std::string file = "Pf\n2 2\n-1.0\n";
  for (int i = 0; i < 4; ++i) file.append(reinterpret_cast<const char*>(&value), 4);
  return file;
}

TEST_F(Input, CubesAndArraysFromSeveralFiles) {
  const char* faces[] = {"px", "nx", "py", "ny", "pz", "nz"};
  for (int i = 0; i < 6; ++i) write_text(folder / (std::string(faces[i]) + ".pfm"), pfm(static_cast<float>(i + 1)));
  write_text(folder / "cube.comp", R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform samplerCube sky;
layout(binding = 1) uniform sampler2DArray list;
layout(binding = 2) buffer B { float v[]; } b;
void main() {
  b.v[0] = textureLod(sky, vec3(1, 0, 0), 0).r; b.v[1] = textureLod(sky, vec3(-1, 0, 0), 0).r;
  b.v[2] = textureLod(sky, vec3(0, 1, 0), 0).r; b.v[3] = textureLod(sky, vec3(0, 0, -1), 1).r;
  b.v[4] = textureLod(list, vec3(0, 0, 1), 0).r; b.v[5] = float(textureSize(list, 0).z);
}
)");
  const std::string cube = "px.pfm,nx.pfm,py.pfm,ny.pfm,pz.pfm,nz.pfm";
  Outcome o = run({"run", "cube.comp", "--groups", "1", "-q", "--image", "sky=" + cube + ":mips", "--image",
                   "list=pz.pfm,nz.pfm", "--sampler", "sky=nearest,mip=nearest", "--sampler", "list=nearest",
                   "--buffer", "b=f32:6:save=-"});
  EXPECT_EQ(o.out, "[1.0, 2.0, 3.0, 6.0, 6.0, 2.0]\n") << o.err;
  write_text(
      folder / "job.toml",
      "program = \"cube.comp\"\ngroups = [1]\n[images.sky]\nfiles = [\"px.pfm\", \"nx.pfm\", \"py.pfm\", "
      "\"ny.pfm\", \"pz.pfm\", \"nz.pfm\"]\nmips = \"generate\"\n[images.list]\nfiles = [\"px.pfm\", "
      "\"nx.pfm\"]\n[samplers.sky]\nfilter = \"nearest\"\nmip = \"nearest\"\n[samplers.list]\nfilter = \"nearest\"\n"
      "[buffers.b]\ntype = \"f32\"\ncount = 6\nsave = \"-\"\n");
  EXPECT_EQ(run({"run", "job.toml", "-q"}).out, "[1.0, 2.0, 3.0, 6.0, 2.0, 2.0]\n");
  write_text(folder / "big.pfm", "Pf\n4 2\n-1.0\n" + std::string(32, '\0'));
  o = run({"run", "cube.comp", "--groups", "1", "--image", "sky=px.pfm,big.pfm"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("'big.pfm' has 4 x 2 texels"));
  o = run({"run", "cube.comp", "--groups", "1", "--image", "sky=px.pfm,nx.pfm:type=cube"});
  EXPECT_THAT(o.err, HasSubstr("2 files of 2 x 2 texels make no cube"));
}

TEST_F(Input, DepthAndSamplesFitThePixels) {
  write_text(folder / "d.frag",
             "#version 450\nlayout(location = 0) out vec4 color;\nvoid main() { gl_FragDepth = gl_FragCoord.x / 8.0; "
             "color = vec4(1); }\n");
  Outcome o = run({"run", "d.frag", "-q", "--target", "color=rgba8:4x1:save=c.bin", "--depth", "z=d32:save=-",
                   "--state", "depth_test=true", "--state", "depth_write=true", "--state", "depth_func=\"LESS\""});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  ASSERT_EQ(o.out.size(), 16u);  // four floats below the 1.0 that was there
  const auto* z = reinterpret_cast<const float*>(o.out.data());
  EXPECT_EQ(z[0], 0.0625f);
  EXPECT_EQ(z[3], 0.4375f);
  EXPECT_EQ(heddle::test::read_text(folder / "c.bin"), std::string(16, '\xff'));
  o = run({"run", "d.frag", "-q", "--samples", "4", "--target", "color=m.bin:rgba8:4x1", "--depth", "z=d32", "--state",
           "depth_test=true"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(heddle::test::read_text(folder / "m.bin").size(), 64u);
  o = run({"run", "d.frag", "--depth", "z=d33", "--target", "color=c.png:rgba8:4x1"});
  EXPECT_NE(o.exit_code, 0);
  EXPECT_THAT(o.err, HasSubstr("d33"));
}

TEST_F(Input, WhatIsNotReadIsSaidInOneMessage) {
  for (const auto& [bytes, word] :
       {std::pair{std::string("\x89PNG\r\n\x1a\n"), "a PNG picture"},
        std::pair{std::string("\x7f"
                              "ELF\x02\x01"),
                  "ocloc"},
        std::pair{std::string("DXBC1234"), "-spirv"}, std::pair{std::string("what is this\n"), "--language"},
        std::pair{std::string(), "empty"}})
    for (const char* command : {"val", "compile", "dump", "run"}) {
      const Outcome o = run({command, "-"}, bytes);
      EXPECT_EQ(o.exit_code, 1) << command << word;
      EXPECT_THAT(o.err, HasSubstr("[input-unknown]")) << command;
      EXPECT_THAT(o.err, HasSubstr(word)) << command;
      EXPECT_EQ(o.err.find("error:"), o.err.rfind("error:")) << o.err;
    }
}

TEST_F(Input, VisaIsStillVisa) {
  EXPECT_THAT(run({"val", "-"}, kVisa).out, HasSubstr("fits all platforms"));
  EXPECT_THAT(run({"val", "-"}, std::string("/* a\nb */ // c\n\n") + kVisa).out, HasSubstr("fits all platforms"));
  const Outcome o = run({"compile", "-"}, kVisa);
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, HasSubstr("vISA already"));
}

}  // namespace
