// SPDX-License-Identifier: MIT
// heddle compile and heddle run of shaders from outside: SPIR-V, its assembly, GLSL; names, entries, constants, stages.
// Rules: SPV-4.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "support/process.hpp"

namespace fs = std::filesystem;
using heddle::test::have_program;
using heddle::test::Outcome;
using heddle::test::write_text;
using ::testing::HasSubstr;

namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();

// result.v[i] = (i * push.scale) * constant 3 in groups of four items.
const char* kCompute = R"(               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %gid %result %push
               OpEntryPoint GLCompute %main "other" %gid %result %push
               OpExecutionMode %main LocalSize 4 1 1
               OpName %result "result"
               OpName %push "push"
               OpName %Push "Push"
               OpMemberName %Push 0 "scale"
               OpDecorate %gid BuiltIn GlobalInvocationId
               OpDecorate %factor SpecId 3
               OpDecorate %array ArrayStride 4
               OpDecorate %Result Block
               OpMemberDecorate %Result 0 Offset 0
               OpDecorate %result DescriptorSet 1
               OpDecorate %result Binding 2
               OpDecorate %Push Block
               OpMemberDecorate %Push 0 Offset 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %uint = OpTypeInt 32 0
     %uvec3 = OpTypeVector %uint 3
  %ptr_uvec3 = OpTypePointer Input %uvec3
        %gid = OpVariable %ptr_uvec3 Input
     %factor = OpSpecConstant %uint 1
      %array = OpTypeRuntimeArray %uint
     %Result = OpTypeStruct %array
 %ptr_Result = OpTypePointer StorageBuffer %Result
     %result = OpVariable %ptr_Result StorageBuffer
       %Push = OpTypeStruct %uint
   %ptr_Push = OpTypePointer PushConstant %Push
       %push = OpVariable %ptr_Push PushConstant
        %int = OpTypeInt 32 1
       %zero = OpConstant %int 0
   %ptr_uint = OpTypePointer StorageBuffer %uint
  %ptr_puint = OpTypePointer PushConstant %uint
       %main = OpFunction %void None %fn
      %label = OpLabel
         %id = OpLoad %uvec3 %gid
          %x = OpCompositeExtract %uint %id 0
         %sp = OpAccessChain %ptr_puint %push %zero
      %scale = OpLoad %uint %sp
          %a = OpIMul %uint %x %scale
          %b = OpIMul %uint %a %factor
         %rp = OpAccessChain %ptr_uint %result %zero %x
               OpStore %rp %b
               OpReturn
               OpFunctionEnd
)";

class Shader : public ::testing::Test {
 protected:
  heddle::test::TemporaryFolder folder;
  std::string path(const std::string& name) const { return (folder / name).string(); }

  static Outcome run(std::vector<std::string> words, const fs::path& in = {}) {
    words.insert(words.begin(), kProgram);
    return heddle::test::run(words, {}, in);
  }
};

TEST_F(Shader, CompiledTextAndContainerRunAsTheModuleItselfDoes) {
  write_text(folder / "mul.spvasm", kCompute);
  const std::vector<std::string> bindings{
      "--groups", "2", "--arg", "push={ scale = 5 }", "--buffer", "result=u32:10:save=-", "-q"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), bindings.begin(), bindings.end());
    return run(words);
  };
  const std::string expected = "[0, 5, 10, 15, 20, 25, 30, 35, 0, 0]\n";
  for (const char* simd : {"8", "16", "32"})
    for (const char* kind : {"visaasm", "isa"}) {
      const std::string out = path(std::string("mul.") + kind);
      const Outcome c = run({"compile", path("mul.spvasm"), "-o", out, "--entry", "main", "--simd", simd});
      EXPECT_EQ(c.exit_code, 0) << c.err;
      const Outcome o = with({"run", out});
      EXPECT_EQ(o.exit_code, 0) << o.err;
      EXPECT_EQ(o.out, expected) << simd << kind;
    }
  const Outcome o = with({"run", path("mul.spvasm"), "--entry", "other"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, expected);
  const Outcome text = run({"compile", path("mul.spvasm"), "--entry", "main"});
  EXPECT_THAT(text.out, HasSubstr(" storage_buffer 1.2 result\""));
}

TEST_F(Shader, MembersOfStructuresArraysAndMatricesByName) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  write_text(folder / "b.comp", R"(#version 450
layout(local_size_x = 1) in;
struct Light { vec3 colour; float power; };
layout(push_constant) uniform P { Light light; layout(row_major) mat2x3 m; Light more[2]; float grid[2][3]; } p;
layout(binding = 0) buffer B { float v[]; } b;
layout(binding = 1) buffer L { uint n; Light list[]; } l;
layout(binding = 2) buffer N { uint n; float list[]; } n;
void main() {
  b.v[0] = p.light.colour.y; b.v[1] = p.m[1][2]; b.v[2] = p.more[1].power; b.v[3] = p.more[0].colour.z;
  b.v[4] = l.list[2].power; b.v[5] = p.m[0][1]; b.v[6] = p.grid[1][0]; b.v[7] = n.list[3];
}
)");
  const std::string lists = "{n=3,list=[{colour=[0,0,0],power=1},{colour=[0,0,0],power=2},{colour=[0,0,0],power=33}]}";
  const auto with = [&](const std::string& p) {
    return run({"run", path("b.comp"), "--groups", "1", "-q", "--buffer", "b=f32:8:save=-", "--arg", "p=" + p, "--arg",
                "l=" + lists, "--arg", "n={n=4,list=[5,6,7,8]}"});
  };
  const std::string rest = "grid=[[1,2,3],[4,5,6]]}";
  Outcome o = with(
      "{light={colour=[1,2,3],power=4},m=[[1,2,3],[4,5,6]],more=[{colour=[7,8,9],power=10},{colour=[11,12,13],"
      "power=14}]," +
      rest);
  EXPECT_EQ(o.out, "[2.0, 6.0, 14.0, 9.0, 33.0, 2.0, 4.0, 8.0]\n") << o.err;
  o = with("{light={color=[1,2,3],power=4},m=[1,2,3,4,5],more=[{colour=[7,8,9],power=10}]," + rest);
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("the block has no member 'light.color'; did you mean 'light.colour'?"));
  EXPECT_THAT(o.err, HasSubstr("member 'm' takes 6 values (f32x3x2), 5 given"));
  EXPECT_THAT(o.err, HasSubstr("member 'more' takes 2 tables, 1 given"));
  o = with("{light={colour=[1,2,3]},m=[1,2,3,4,5,6],more=[{colour=[7,8,9],power=10},{power=14}]," + rest);
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("member 'light.power' (f32) is missing"));
  EXPECT_THAT(o.err, HasSubstr("member 'more[1].colour' (f32x3) is missing"));
  EXPECT_THAT(o.err, Not(HasSubstr("more[0]")));
  // The same from the compiled text: its lines say all of it.
  const Outcome c = run({"compile", path("b.comp")});
  for (const char* line : {"member T6 0 f32x3 light.colour", "f32x3x2/8r m", "f32[2]/16 more.power",
                           "f32[2]/12[3]/4 grid", "f32x3[]/16 list.colour", "f32[]/4 v"})
    EXPECT_THAT(c.out, HasSubstr(line));
}

TEST_F(Shader, SpecializationConstantsInJobsAndFlags) {
  write_text(folder / "mul.spvasm", kCompute);
  write_text(folder / "job.toml",
             "program = \"mul.spvasm\"\nentry = \"main\"\nglobal = [6]\n[args]\npush = { bytes = \"02000000\" "
             "}\n\"spec.3\" = 7\n"
             "[buffers.\"1.2\"]\ntype = \"u32\"\ncount = 8\nsave = \"-\"\n");
  Outcome o = run({"run", path("job.toml"), "-q"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, "[0, 14, 28, 42, 56, 70, 84, 98]\n");
  o = run({"run", path("job.toml"), "-q", "--spec", "3=10"});
  EXPECT_EQ(o.out, "[0, 20, 40, 60, 80, 100, 120, 140]\n") << o.err;
  o = run({"run", path("job.toml"), "-q", "--spec", "4=10"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("the shader has no specialization constant '4'"));
  const Outcome c = run({"compile", path("mul.spvasm"), "--entry", "main", "--spec", "4=1"});
  EXPECT_EQ(c.exit_code, 1);
  EXPECT_THAT(c.err, HasSubstr("compile-specialization"));
}

// compile-specialization: a value is never cut to a constant's type, on whatever way it comes.
TEST_F(Shader, SpecializationConstantsTakeWhatTheirTypesHold) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  write_text(folder / "s.comp", R"(#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(constant_id = 0) const int RADIUS = 1;
layout(constant_id = 1) const uint COUNT = 1;
layout(constant_id = 2) const float SCALE = 1;
layout(constant_id = 3) const bool ON = false;
layout(constant_id = 4) const int64_t LONG = 1;
layout(constant_id = 5) const double WIDE = 1;
layout(constant_id = 6) const float16_t HALF = 1.0hf;
layout(binding = 0) buffer O { int o[8]; };
void main() { o[0] = RADIUS + int(COUNT) + int(SCALE) + int(ON) + int(LONG) + int(WIDE) + int(HALF); }
)");
  const auto outcome = [&](const std::string& flag, const std::string& text) {
    return run({"run", path("s.comp"), flag, text, "--buffer", "0.0=i32:8", "--groups", "1", "-q"});
  };
  const std::pair<const char*, const char*> wrong[] = {
      {"RADIUS=3.5", "'RADIUS' (constant 0) is an integer of 32 bits, which takes a whole number: 3.5"},
      {"RADIUS=99999999999", "which holds -2147483648 to 2147483647: 99999999999"},
      {"RADIUS=-2147483649", "which holds -2147483648"},
      {"RADIUS=true", "which takes a number: true"},
      {"0=nan", "which takes a whole number"},
      {"COUNT=-1", "an unsigned integer of 32 bits, which holds 0 to 4294967295: -1"},
      {"COUNT=4294967296", "which holds 0 to 4294967295"},
      {"SCALE=1e39", "is a float of 32 bits, which holds no number that large"},
      {"SCALE=false", "which takes a number"},
      {"ON=2", "is a boolean, which takes true or false: 2"},
      {"ON=0.5", "which takes true or false"},
      {"LONG=1e19", "which cannot hold it"},
      {"HALF=65536", "is a float of 16 bits, which holds no number that large"}};
  for (const auto& [text, message] : wrong) {
    const std::string given = text;
    const std::size_t equals = given.find('=');
    for (const Outcome& o : {outcome("--spec", given), outcome("--arg", "spec." + given)}) {
      EXPECT_EQ(o.exit_code, 1) << given;
      EXPECT_THAT(o.err, HasSubstr("compile-specialization")) << given;
      EXPECT_THAT(o.err, HasSubstr(message)) << given;
    }
    write_text(folder / "s.toml", "program = \"s.comp\"\ngroups = [1]\n[args]\n\"spec." + given.substr(0, equals) +
                                      "\" = " + given.substr(equals + 1) +
                                      "\n[buffers.\"0.0\"]\ntype = \"i32\"\ncount = 8\n");
    const Outcome job = run({"run", path("s.toml"), "-q"});
    EXPECT_EQ(job.exit_code, 1) << given << job.err;
    const Outcome compiled = run({"compile", path("s.comp"), "--spec", given, "-o", path("s.visaasm")});
    EXPECT_EQ(compiled.exit_code, 1) << given << compiled.err;
  }
  for (const char* right : {"RADIUS=3", "RADIUS=3.0", "RADIUS=-2147483648", "COUNT=4294967295", "SCALE=16777217",
                            "SCALE=inf", "ON=true", "ON=1", "LONG=-9223372036854775808", "WIDE=1e300", "HALF=65504"})
    EXPECT_EQ(outcome("--spec", right).exit_code, 0) << right << outcome("--spec", right).err;
}

// compile-specialization: bits are those of the constant's type, and numbers go to 2^64 - 1.
TEST_F(Shader, SpecializationConstantsTakeBits) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  write_text(folder / "s.comp", R"(#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(constant_id = 0) const float SCALE = 1;
layout(constant_id = 1) const double WIDE = 1;
layout(constant_id = 2) const float16_t HALF = 1.0hf;
layout(constant_id = 3) const uint64_t LONG = 1;
layout(constant_id = 4) const bool ON = false;
layout(constant_id = 5) const int64_t SIGNED = 1;
layout(binding = 0) buffer O { uint o[6]; };
void main() {
  o[0] = uint(SCALE); o[1] = uint(WIDE); o[2] = uint(HALF); o[3] = uint(LONG >> 32); o[4] = uint(ON);
  o[5] = uint(SIGNED >> 32);
}
)");
  const auto run_with = [&](const std::string& text) {
    return run({"run", path("s.comp"), "--spec", text, "--buffer", "0.0=u32:6:save=-", "--groups", "1", "-q"});
  };
  for (const auto& [text, values] : {std::pair("SCALE=\"0x40400000\"", "[3, 1, 1, 0, 0, 0]"),
                                     std::pair("WIDE=\"0x4014000000000000\"", "[1, 5, 1, 0, 0, 0]"),
                                     std::pair("HALF=\"0x4700\"", "[1, 1, 7, 0, 0, 0]"),
                                     std::pair("LONG=\"0x8000000100000000\"", "[1, 1, 1, 2147483649, 0, 0]"),
                                     std::pair("LONG=18446744073709551615", "[1, 1, 1, 4294967295, 0, 0]"),
                                     std::pair("SIGNED=\"0xffffffff00000000\"", "[1, 1, 1, 0, 0, 4294967295]"),
                                     std::pair("ON=\"0x1\"", "[1, 1, 1, 0, 1, 0]")})
    EXPECT_EQ(run_with(text).out, std::string(values) + "\n") << text << run_with(text).err;
  for (const auto& [text, message] :
       {std::pair("HALF=\"0x10000\"", "has 16 bits, and 0x10000 more"),
        std::pair("ON=\"0x2\"", "has 1 bit, and 0x2 more"),
        std::pair("SIGNED=18446744073709551615", "is an integer of 64 bits, which cannot hold it"),
        std::pair("LONG=18446744073709551616", "must be a number")}) {
    EXPECT_NE(run_with(text).exit_code, 0) << text;
    EXPECT_THAT(run_with(text).err, HasSubstr(message)) << text;
  }
  EXPECT_EQ(run({"compile", path("s.comp"), "--spec", "SCALE=\"0x40400000\"", "-o", path("o.visaasm")}).exit_code, 2);
}

TEST_F(Shader, AtomicsReachWhatStandsBehindOthers) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  write_text(folder / "a.comp", R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer Counts { uint first; uint second; uint list[4]; } counts;
shared uint one[4];
shared uint two[4];
void main() {
  if (gl_LocalInvocationIndex < 4) { one[gl_LocalInvocationIndex] = 0; two[gl_LocalInvocationIndex] = 0; }
  barrier();
  atomicAdd(counts.second, 2u);
  atomicAdd(counts.list[gl_LocalInvocationIndex % 4], 3u);
  atomicAdd(two[gl_LocalInvocationIndex % 2], 5u);
  barrier();
  if (gl_LocalInvocationIndex == 0) counts.first = one[0] * 1000u + two[0] * 10u + two[1];
}
)");
  const Outcome o = run({"run", path("a.comp"), "--groups", "1", "--buffer", "counts=u32:6:fill=0:save=-", "-q"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, "[220, 16, 6, 6, 6, 6]\n");
}

/// A vector of three behind a float, in an array without gaps: scalar layout, which the module cannot ask for.
TEST_F(Shader, LayoutsThatAModuleCannotAskForHaveFlags) {
  write_text(folder / "scalar.spvasm", R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %data
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %array ArrayStride 12
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 4
OpDecorate %block Block
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v3 = OpTypeVector %float 3
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%array = OpTypeArray %v3 %two
%block = OpTypeStruct %float %array
%to_block = OpTypePointer StorageBuffer %block
%to_v3 = OpTypePointer StorageBuffer %v3
%data = OpVariable %to_block StorageBuffer
%main = OpFunction %void None %fn
%start = OpLabel
%from = OpAccessChain %to_v3 %data %one %one
%value = OpLoad %v3 %from
%to = OpAccessChain %to_v3 %data %one %zero
OpStore %to %value
OpReturn
OpFunctionEnd
)");
  for (const char* command : {"val", "compile"}) {
    const Outcome refused = run({command, path("scalar.spvasm")});
    EXPECT_EQ(refused.exit_code, 1) << command;
    EXPECT_THAT(refused.err, HasSubstr("[spirv-val]")) << command;
    EXPECT_EQ(run({command, path("scalar.spvasm"), "--scalar-layout"}).exit_code, 0) << command;
  }
  const Outcome o = run(
      {"run", path("scalar.spvasm"), "--scalar-layout", "--groups", "1", "-q", "--buffer", "0.0=f32:7:fill=0:save=-"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, "[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]\n");
}

TEST_F(Shader, ErrorsSayWhatIsMissing) {
  write_text(folder / "mul.spvasm", kCompute);
  Outcome o = run({"run", path("mul.spvasm"), "--groups", "1"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("other"));  // several entry points
  o = run({"run", path("mul.spvasm"), "--entry", "main", "--groups", "1", "--buffer", "resul=u32:4"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("expected: --arg push={ scale = u32 }"));
  EXPECT_THAT(o.err, HasSubstr("expected: --buffer result=..."));
  EXPECT_THAT(o.err, HasSubstr("set 1, binding 2"));
  EXPECT_THAT(o.err, HasSubstr("'resul' of the job is bound to nothing: is it meant?"));
  o = run({"compile", path("none.spv")});
  EXPECT_EQ(o.exit_code, 3);
  o = run({"compile", path("mul.spvasm"), "--target-env", "vulkan9"});
  EXPECT_EQ(o.exit_code, 2);
  write_text(folder / "bad.spvasm", "OpCapability\n");
  o = run({"compile", path("bad.spvasm")});
  EXPECT_EQ(o.exit_code, 1);
  o = run({"run", path("bad.spvasm"), "--groups", "1"});
  EXPECT_EQ(o.exit_code, 1);
}

TEST_F(Shader, TraceAndCoverageSpeakOfTheKeptText) {
  write_text(folder / "mul.spvasm", kCompute);
  const Outcome o = run({"run", path("mul.spvasm"), "--entry", "main", "--groups", "1", "--arg", "push=[2]", "--buffer",
                         "result=u32:4", "--keep", path("kept.visaasm"), "--trace-file", "-", "--coverage",
                         path("cover.txt"), "--check", "error", "-q"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  const std::string text = heddle::test::read_text(folder / "kept.visaasm");
  EXPECT_THAT(text, HasSubstr("heddle: stage compute 4 1 1"));
  EXPECT_THAT(o.out, HasSubstr("mul"));
  EXPECT_THAT(heddle::test::read_text(folder / "cover.txt"), HasSubstr("heddle: interface 1"));
}

TEST_F(Shader, GlslWithoutItsCompilerIsRefusedClearly) {
  write_text(folder / "a.frag", "#version 450\nvoid main() {}\n");
  const char* before = std::getenv("PATH");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("PATH", folder.path().c_str(), 1);
  const Outcome o = run({"compile", path("a.frag")});
  ::setenv("PATH", kept.c_str(), 1);
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("glslangValidator, which is not installed"));
}

TEST_F(Shader, GlslVertexAndFragmentShadersDrawAMesh) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  write_text(folder / "a.frag", R"(#version 450
layout(location = 0) in vec2 place;
layout(location = 1) flat in int number;
layout(location = 0) out vec4 color;
layout(push_constant) uniform Push { float blue; } push;
void main() { color = vec4(place, number == 2 ? push.blue * 2.0 : 0.0, 1); }
)");
  write_text(folder / "a.vert", R"(#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec2 uv;
layout(location = 0) out vec2 v;
layout(location = 1) flat out int number;
layout(set = 0, binding = 0) uniform Shift { vec4 by; } shift;
void main() { gl_Position = position + shift.by; v = uv; number = gl_InstanceIndex + 1; }
)");
  write_text(folder / "job.toml", R"(program = "a.frag"
[args]
push = { blue = 0.25 }
shift = { by = [0, 0, 0, 0] }
[images.color]
format = "R32G32B32A32_FLOAT"
size = [8, 4]
save = "out.bin"
[pixels]
vertex = "a.vert"
instances = 2
)");
  const Outcome o = run({"run", path("job.toml"), "-q"});
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const auto bytes = heddle::test::read_bytes(folder / "out.bin");
  ASSERT_EQ(bytes.size(), 8u * 4 * 16);
  float texel[4];
  std::memcpy(texel, bytes.data() + (2 * 8 + 3) * 16, 16);
  EXPECT_NEAR(texel[0], 3.5 / 8, 1e-6);
  EXPECT_NEAR(texel[1], 2.5 / 4, 1e-6);
  EXPECT_EQ(texel[2], 0.5f);  // the second instance is on top
  EXPECT_EQ(texel[3], 1.0f);
  // A clip distance leaves the right half, a cull distance that is never below 0 changes nothing.
  write_text(folder / "a.vert", R"(#version 450
layout(location = 0) in vec4 position;
layout(location = 0) out vec2 v;
layout(location = 1) flat out int number;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; float gl_CullDistance[1]; };
layout(set = 0, binding = 0) uniform Shift { vec4 by; } shift;
void main() {
  gl_Position = position + shift.by;
  gl_ClipDistance[0] = position.x;
  gl_CullDistance[0] = position.x - 2.0;
  v = vec2(1);
  number = gl_InstanceIndex;
}
)");
  ASSERT_EQ(run({"run", path("job.toml"), "-q"}).exit_code, 0);
  const auto clipped = heddle::test::read_bytes(folder / "out.bin");
  for (std::size_t x = 0; x < 8; ++x) {
    std::memcpy(texel, clipped.data() + x * 16, 16);
    EXPECT_EQ(texel[3], x < 4 ? 0.0f : 1.0f) << x;
  }
  // Errors of GLSL have their line.
  write_text(folder / "b.frag", "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(x); }\n");
  const Outcome bad = run({"compile", path("b.frag")});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.err, HasSubstr("b.frag:3:1: error: 'x' : undeclared identifier [glsl-error]"));
  // Those of the shader as a whole have none, and are one message each.
  const std::pair<const char*, const char*> whole[] = {{"", "c.comp: error: the shader is empty [glsl-error]\n"},
                                                       {" \n", "c.comp: error: the shader is empty [glsl-error]\n"},
                                                       {"#version 450\nvoid mian() {}\n", "Missing entry point"},
                                                       {"void main() {}\n", "c.comp: error: #version: "}};
  for (const auto& [text, message] : whole) {
    write_text(folder / "c.comp", text);
    const Outcome said = run({"compile", path("c.comp")});
    EXPECT_EQ(said.exit_code, 1) << text;
    EXPECT_THAT(said.err, HasSubstr(message)) << text;
    EXPECT_THAT(said.err, Not(HasSubstr("No code generated"))) << text;
    EXPECT_THAT(said.err, Not(HasSubstr("\n\n"))) << text;
  }
}

}  // namespace
