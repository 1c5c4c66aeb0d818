// SPDX-License-Identifier: MIT
// What people who know only the help tried first: one message for one mistake, in words that can be typed again.

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

namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

class FirstUse : public ::testing::Test {
 protected:
  heddle::test::TemporaryFolder folder;

  void SetUp() override {
    if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  }
  Outcome heddle(std::vector<std::string> words, const std::string& input = {}) const {
    words.insert(words.begin(), kProgram);
    return heddle::test::run(words, input, folder.path());
  }
};

TEST_F(FirstUse, AFlagTakesOneValueWhereverItStands) {
  write_text(folder / "a.frag",
             "#version 450\nlayout(location = 0) out vec4 c;\nlayout(constant_id = 3) const int COUNT = 4;\n"
             "void main() { c = vec4(FOO + COUNT); }\n");
  const std::string target = "c=o.pfm:r32f:2x2";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "-q", "-DFOO=1", "a.frag", "--target", target},
        {"run", "-q", "-D", "FOO=1", "--spec", "COUNT=2", "--target", target, "a.frag"},
        {"run", "-q", "-I.", "--target", target, "-D", "FOO=2", "a.frag"}}) {
    const Outcome o = heddle(words);
    EXPECT_EQ(o.exit_code, 0) << o.err;
  }
  write_text(folder / "a.pfm", std::string("Pf\n1 1\n-1.0\n\0\0\0\0", 16));
  EXPECT_EQ(heddle({"footprint", "--uv", "0.5,0.5", "a.pfm"}).exit_code, 0);
}

constexpr const char* kBlock = R"(#version 450
layout(location = 0) out vec4 c;
struct Light { vec3 direction; float power; };
layout(binding = 0) uniform Scene { mat4 world; Light lights[2]; float exposure; } scene;
void main() { c = vec4(scene.lights[1].power * scene.exposure * scene.world[1][2]); }
)";

TEST_F(FirstUse, ABlockIsShownOnceAsItIsGiven) {
  write_text(folder / "b.frag", kBlock);
  const auto with = [&](const std::string& value) {
    return heddle({"run", "-q", "b.frag", "--target", "c=o.pfm:r32f:2x2", "--arg", "scene=" + value});
  };
  const std::string shown = "{ world = f32x4x4, lights = [{ direction = f32x3, power = f32 } x 2], exposure = f32 }";
  Outcome o = heddle({"run", "-q", "b.frag", "--target", "c=o.pfm:r32f:2x2"});
  EXPECT_THAT(o.err, HasSubstr("--arg scene=" + shown));
  o = with("{expsure=1.5}");
  EXPECT_EQ(count(o.err, "error: "), 2u) << o.err;
  EXPECT_EQ(count(o.err, "the block is " + shown), 1u) << o.err;
  EXPECT_THAT(o.err, HasSubstr("did you mean 'exposure'?"));
  EXPECT_THAT(o.err, HasSubstr("members 'world' (f32x4x4), 'lights.direction' (f32x3[2]), 'lights.power' (f32[2]) are "
                               "missing"));
  const std::string world = "world=[1,0,0,0,0,1,2,0,0,0,1,0,0,0,0,1]";
  o = with("{" + world + ",exposure=3,lights=[{direction=[0,0,1],power=1},{direction=[0,0,1],power=2}]}");
  EXPECT_EQ(o.exit_code, 0) << o.err;
}

TEST_F(FirstUse, AnOutputThatIsNotBoundIsSaidOnce) {
  write_text(folder / "two.frag",
             "#version 450\nlayout(location = 0) out vec4 color;\nlayout(location = 1) out vec4 normal;\n"
             "void main() { color = vec4(1); normal = vec4(0.5); }\n");
  Outcome o = heddle({"run", "-q", "two.frag", "--target", "color=o.pfm:r32f:4x2"});
  EXPECT_EQ(count(o.err, "error: "), 1u) << o.err;
  EXPECT_THAT(o.err, HasSubstr("--target normal=FILE:FORMAT:WxH"));
  // A target without a size has that of the first one that has it.
  o = heddle({"run", "-q", "two.frag", "--target", "normal=n.png:rgba8", "--target", "color=o.pfm:r32f:4x2"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_THAT(heddle({"info", "n.png"}).out, HasSubstr("4 x 2"));
  o = heddle({"run", "-q", "two.frag", "--target", "color=-", "--target", "normal=n.png:rgba8"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, HasSubstr("such as color=-:rgba8:640x480"));
  EXPECT_THAT(o.err, HasSubstr("--size 640x480"));
  o = heddle({"run", "-q", "two.frag", "--target", "color=o.jpg:rgba8:4x2", "--target", "normal=n.png:rgba8"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("o.jpg: error: JPEG files are read, not written"));
  o = heddle({"run", "-q", "two.frag", "--target", "color=o.png:rgba8:4x2", "--depth", "z=d33"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, HasSubstr("'d33' is no format and no file"));
}

TEST_F(FirstUse, SamplersOfArraysNamesThatAreNearlyRightAndComparisons) {
  write_text(folder / "s.frag",
             "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 c;\n"
             "layout(binding = 0) uniform sampler2D many[2];\nlayout(binding = 2) uniform sampler2DShadow shadow;\n"
             "void main() { c = texture(many[0], uv) + texture(many[1], uv) + texture(shadow, vec3(uv, 0.5)); }\n");
  const auto with = [&](const std::string& image, const std::string& sampler, const std::string& shadow) {
    return heddle({"run", "s.frag", "--target", "c=o.pfm:r32f:2x2", "--image", image, "--image", "many[1]=r32f:4x4",
                   "--image", "shadow=d32:4x4:fill=0.5", "--sampler", sampler, "--sampler", "shadow=" + shadow});
  };
  const std::string compares = "linear,compare_op=less_or_equal";
  Outcome o = with("many[0]=r32f:4x4", "many=linear", compares);
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_THAT(o.err, Not(HasSubstr("bind-compare")));
  o = with("many[0]=r32f:4x4", "many=linear", "linear");
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("sampler 'shadow' compares, and no comparison is given: all have the same answer "
                               "[bind-compare]"));
  o = with("mny[0]=r32f:4x4", "many=linear", compares);
  EXPECT_EQ(count(o.err, "error: "), 1u) << o.err;
  EXPECT_THAT(o.err, HasSubstr("'mny[0]' of the job is bound to nothing: is it meant?"));
  o = with("other=r32f:4x4", "many=linear", compares);
  EXPECT_THAT(o.err, HasSubstr("it has: c many many[0] many[1] shadow"));
}

TEST_F(FirstUse, VertexInputsGoByTheirUsualNames) {
  write_text(folder / "q.obj", "v -1 -1 0\nv 3 -1 0\nv -1 3 0\nvt 0.25 0.75\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1\n");
  // The order of glTF and of most programs, which is not that of OBJ files.
  write_text(folder / "m.vert",
             "#version 450\nlayout(location = 0) in vec3 aPosition;\nlayout(location = 1) in vec3 inNormal;\n"
             "layout(location = 2) in vec2 a_texCoord;\nlayout(location = 0) out vec4 v;\n"
             "void main() { gl_Position = vec4(aPosition, 1); v = vec4(inNormal.z, a_texCoord, 1); }\n");
  write_text(
      folder / "m.frag",
      "#version 450\nlayout(location = 0) in vec4 v;\nlayout(location = 0) out vec4 c;\nvoid main() { c = v; }\n");
  const Outcome o =
      heddle({"run", "-q", "m.frag", "--vertex", "m.vert", "--geometry", "q.obj", "--target", "c=-:rgba8:1x1"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, std::string("\xff\x40\xbf\xff"));
  // Without a vertex shader, too.
  write_text(folder / "uv.frag",
             "#version 450\nlayout(location = 0) in vec2 v_uv;\nlayout(location = 0) out vec4 c;\n"
             "void main() { c = vec4(v_uv, 0, 1); }\n");
  EXPECT_EQ(heddle({"run", "-q", "uv.frag", "--target", "c=-:rgba8:1x1"}).out, std::string("\x80\x80\0\xff", 4));
  const Outcome alone = heddle({"run", "-q", "m.vert"});
  EXPECT_EQ(alone.exit_code, 1);
  EXPECT_THAT(alone.err, HasSubstr("--vertex FILE"));
}

TEST_F(FirstUse, AGeometryShaderStandsBetween_PRM9) {
  write_text(folder / "m.vert",
             "#version 450\nlayout(location = 0) flat out int v;\n"
             "void main() { v = gl_VertexIndex; gl_Position = vec4(0, 0, 0, 1); }\n");
  // Of each triangle a square that covers a column of pixels.
  write_text(folder / "m.geom",
             "#version 450\nlayout(triangles) in; layout(triangle_strip, max_vertices = 4) out;\n"
             "layout(location = 0) flat in int v[]; layout(location = 0) flat out float c;\n"
             "void main() { for (int k = 0; k < 4; ++k) { c = v[2] * 0.2;\n"
             "  gl_Position = vec4(gl_PrimitiveIDIn - 1 + (k & 1), -1 + (k >> 1) * 2, 0, 1); EmitVertex(); } }\n");
  write_text(folder / "m.frag",
             "#version 450\nlayout(location = 0) flat in float v;\nlayout(location = 0) out float c;\n"
             "void main() { c = v; }\n");
  for (const char* engine : {"fast", "reference"}) {
    const Outcome o = heddle({"run", "-q", "m.frag", "--vertex", "m.vert", "--geometry-shader", "m.geom", "--vertices",
                              "6", "--target", "c=-:r8:2x1", "--engine", engine});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_EQ(o.out, "\x66\xff") << engine;
  }
  EXPECT_THAT(heddle({"compile", "m.geom"}).out, HasSubstr("stage geometry triangles triangle_strip 4 1"));
  EXPECT_EQ(heddle({"val", "m.geom"}).exit_code, 0);
  const Outcome alone = heddle({"run", "-q", "m.frag", "--geometry-shader", "m.geom", "--target", "c=-:r8:2x1"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("there is no 'vertex' shader that it belongs to"));
}

TEST_F(FirstUse, ComponentsThatAreReadKeepTheirPlaces) {
  // Of each input only one component is read, and not the first.
  write_text(folder / "q.obj", "v -1 -1 0\nv 3 -1 0\nv -1 3 0\nvt 0.25 0.75\nvn 0.5 0 1\nf 1/1/1 2/1/1 3/1/1\n");
  write_text(folder / "y.vert",
             "#version 450\nlayout(location = 0) in vec3 position;\nlayout(location = 1) in vec2 uv;\n"
             "layout(location = 2) in vec3 normal;\nlayout(location = 0) out vec4 v;\n"
             "void main() { gl_Position = vec4(position, 1); v = vec4(0.1, uv.y, normal.z, 1); }\n");
  write_text(folder / "y.frag",
             "#version 450\nlayout(location = 0) in vec4 v;\nlayout(location = 0) out vec4 c;\n"
             "void main() { c = vec4(v.y, v.z, 0, 1); }\n");
  write_text(folder / "uv.frag",
             "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 c;\n"
             "void main() { c = vec4(uv.y, 0, 0, 1); }\n");
  for (const char* engine : {"fast", "reference"}) {
    Outcome o = heddle({"run", "-q", "y.frag", "--vertex", "y.vert", "--geometry", "q.obj", "--target", "c=-:rgba8:1x1",
                        "--engine", engine});
    EXPECT_EQ(o.out, std::string("\xbf\xff\0\xff", 4)) << o.err;
    o = heddle({"run", "-q", "uv.frag", "--target", "c=-:r8:1x2", "--engine", engine});
    EXPECT_EQ(o.out, "\x40\xbf") << o.err;
    // A value with components, too.
    o = heddle({"run", "-q", "uv.frag", "--target", "c=-:r8:1x1", "--input", "uv=[[0.25, 0.75]]", "--engine", engine});
    EXPECT_EQ(o.out, "\xbf") << o.err;
  }
}

TEST_F(FirstUse, TheEntryOfHlslSaysItsStage) {
  write_text(folder / "s.hlsl",
             "RWStructuredBuffer<float> result : register(u0);\n"
             "struct Out { float4 place : SV_Position; float2 uv : TEXCOORD0; };\n"
             "[numthreads(8, 1, 1)]\nvoid Fill(uint3 id : SV_DispatchThreadID) { result[id.x] = id.x; }\n"
             "Out Corner(uint id : SV_VertexID) { Out o; o.place = float4(id, 0, 0, 1); o.uv = 0; return o; }\n"
             "float4 Shade(Out i) : SV_Target { return float4(i.uv, 0, 1); }\n");
  for (const auto& [entry, stage] : {std::pair{"Fill", "GLCompute"}, {"Corner", "Vertex"}, {"Shade", "Fragment"}}) {
    const Outcome o = heddle({"dump", "s.hlsl", "--entry", entry});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr(std::string("\"") + entry + "\": " + stage));
  }
}

TEST_F(FirstUse, WhatIsNoProgramIsSaidInAWord) {
  std::string noise("J{_*p^");
  for (int i = 0; i < 200; ++i) noise += static_cast<char>(i * 37 + 1);
  write_text(folder / "r.isa", noise);
  for (const char* command : {"val", "dis", "run", "dump"}) {
    const Outcome o = heddle({command, "r.isa"});
    EXPECT_EQ(o.exit_code, 1) << command;
    EXPECT_THAT(o.err, HasSubstr("r.isa: error: this is neither text nor a vISA container")) << command;
    EXPECT_LT(o.err.size(), 300u);
  }
  write_text(folder / "k.spvasm",
             "OpCapability Kernel\nOpCapability Addresses\nOpMemoryModel Physical64 OpenCL\n"
             "OpEntryPoint Kernel %f \"f\"\n%v = OpTypeVoid\n%t = OpTypeFunction %v\n%f = OpFunction %v None %t\n"
             "%l = OpLabel\nOpReturn\nOpFunctionEnd\n");
  EXPECT_THAT(heddle({"val", "k.spvasm"}).err, HasSubstr("a module of OpenCL kernels, not of shaders; ocloc makes"));
  EXPECT_THAT(heddle({"explain", "qqqqqqqqqq"}).err, HasSubstr("note: without a word it lists the rules"));
  write_text(folder / "one.visaasm", ".version 4.1\n.kernel \"one\"\nret (M1_NM, 1)\n");
  EXPECT_THAT(heddle({"dump", "one.visaasm"}).out, HasSubstr("1 object\n"));
  const Outcome o = heddle({"run", "one.visaasm", "--groups", "1", "--dump-registers", "77"});
  EXPECT_THAT(o.err, HasSubstr("no thread that the --trace flags choose executed line 77"));
}

TEST_F(FirstUse, TwoShadersAreNamedByTheirFlags) {
  for (const char* command : {"run", "explore"}) {
    const Outcome o = heddle({command, "a.vert", "b.frag"});
    EXPECT_EQ(o.exit_code, 2) << command;
    EXPECT_THAT(o.err, HasSubstr("a vertex shader goes to --vertex beside the fragment shader")) << command;
  }
  EXPECT_THAT(heddle({"dump", "a.visaasm", "b.visaasm"}).err, Not(HasSubstr("--vertex")));
  const Outcome o = heddle({"run", "a.comp", "--trace", "3,4"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, HasSubstr("'--trace' takes no value"));
  EXPECT_THAT(o.err, Not(HasSubstr("--vertex")));
  // A shader that is too much is that, whatever flag stands before it; a flag may have its value already.
  for (const char* flag : {"-q", "--image=sky.png"}) {
    const Outcome second = heddle({"run", "a.vert", flag, "b.frag"});
    EXPECT_EQ(second.exit_code, 2) << flag;
    EXPECT_THAT(second.err, HasSubstr("a vertex shader goes to --vertex beside the fragment shader")) << flag;
    EXPECT_THAT(second.err, Not(HasSubstr("takes no value"))) << flag;
  }
  for (const auto& words : {std::vector<std::string>{"sample", "i.png", "--uv", "-0.3,0.4", "x"},
                            std::vector<std::string>{"sample", "i.png", "--uv=0.3,0.4", "x"}}) {
    const Outcome extra = heddle(words);
    EXPECT_EQ(extra.exit_code, 2);
    EXPECT_THAT(extra.err, Not(HasSubstr("takes no value")));
  }
}

TEST_F(FirstUse, BatchSaysTheWayOut) {
  const Outcome o = heddle({"batch"},
                           "{\"op\":\"sample\",\"surface\":{\"type\":\"null\"},\"result\":3}\n"
                           "{\"op\":\"hologram\"}\n"
                           "{\"op\":\"resinfo\",\"surface\":{\"type\":\"null\"},\"zzz\":{}}\n");
  EXPECT_THAT(o.out, HasSubstr("unknown key 'result' in request; did you mean 'results'?"));
  EXPECT_THAT(o.out, HasSubstr("unknown operation 'hologram'; heddle batch --help lists them"));
  EXPECT_THAT(o.out, HasSubstr("unknown key 'zzz' in request; request knows: "));
}

}  // namespace
