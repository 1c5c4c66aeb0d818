// SPDX-License-Identifier: MIT
// Modules that are valid but unusual: layouts, indices and aliases that front ends seldom write, and modules that ask
// for more than a program can have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "shader.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

class HardModules : public ::testing::TestWithParam<unsigned> {
 protected:
  spirv::CompileOptions options() const {
    spirv::CompileOptions o;
    o.simd = GetParam();
    return o;
  }
  std::vector<std::uint32_t> run(const char* file, std::size_t count) const {
    const job::RunResult outcome = run_shader(
        load_shader(file),
        "groups = [1]\n[buffers.\"0.0\"]\ntype = \"u32\"\ncount = " + std::to_string(count) + "\nsave = \"out.bin\"\n",
        options());
    EXPECT_TRUE(outcome.succeeded) << file << messages(outcome.diagnostics);
    return output_as<std::uint32_t>(outcome, "out.bin");
  }
};
INSTANTIATE_TEST_SUITE_P(Simd, HardModules, ::testing::Values(8u, 16u, 32u));

/// Nested run-time indices into registers whose steps do not divide each other: 7 scalars, then 3.
TEST_P(HardModules, NestedIndicesOfUnevenSteps) {
  std::vector<std::uint32_t> expected;
  for (std::uint32_t g = 0; g < 32; ++g) {
    const std::uint32_t i = g % 4, b = i * 100 + g / 4 % 2 * 10;
    std::array<std::uint32_t, 3> v{b, b + 1, b + 2};
    expected.insert(expected.end(), {v[0], v[2]});
    v[g % 3] = 7;
    expected.insert(expected.end(), {v[0] + v[1] + v[2], i});
  }
  EXPECT_EQ(run("flow/uneven_steps.spvasm", 128), expected);
}

/// Structures of bytes, words and booleans, nested in arrays, in registers and in shared memory; calls that take
/// elements by reference.
TEST_P(HardModules, MembersOfManyTypes) {
  std::vector<std::uint32_t> expected;
  for (std::uint32_t g = 0; g < 32; ++g) {
    const std::uint32_t k = g % 3, i = g % 5;
    const auto byte = [&](std::uint32_t lane) { return k == 2 ? lane : 2 * k + 1; };
    const auto flag = [&](std::uint32_t lane) { return k == 0 ? lane > 3 : k == 1 ? lane % 2 == 0 : true; };
    std::array<std::uint32_t, 5> list{1, 2, 3, 4, 5};
    list[i] = list[i] * 2 + 1;
    std::swap(list[0], list[i]);
    std::uint32_t sum = 0;
    for (const std::uint32_t x : list) sum = sum * 16 + x;
    const std::uint32_t s = g & 1;
    expected.insert(expected.end(), {flag(g) ? byte(g) : 100u, g + k * 1000, sum,
                                     byte(s) + (flag(s) ? 100u : 0u) + s * 2000 + 50000 + (g % 4 == 2 ? 100000u : 0u)});
  }
  EXPECT_EQ(run("flow/mixed_members.spvasm", 128), expected);
}

/// Blocks of Workgroup memory (WorkgroupMemoryExplicitLayoutKHR) are views of the same bytes.
TEST_P(HardModules, BlocksOfSharedMemoryOverlap) {
  std::vector<std::uint32_t> expected;
  for (std::uint32_t g = 0; g < 32; ++g) expected.push_back(3 * g);
  EXPECT_EQ(run("flow/shared_blocks.spvasm", 32), expected);
}

/// A local variable in scratch whose type has a buffer's layout (row-major, strides in bytes); modf into a pointer that
/// is a parameter, beside the old value.
TEST_P(HardModules, LocalsWithALayoutOfBuffers) {
  std::vector<std::uint32_t> expected;
  for (std::uint32_t g = 0; g < 32; ++g) {
    const std::uint32_t j = g / 4 % 4;
    const double row[4] = {double(g), j == 2 ? 7.75 : 1, 5, double(g)};
    expected.push_back(static_cast<std::uint32_t>((row[j] + 5 + 8.5) * 100));
  }
  EXPECT_EQ(run("flow/laid_out_locals.spvasm", 32), expected);
}

/// Selectors of 16 and 64 bits with negative cases, a case that falls through into a phi.
TEST_P(HardModules, SwitchesOfOtherWidths) {
  std::vector<std::uint32_t> expected;
  for (int x = -16; x < 16; ++x)
    expected.push_back((x == -2 ? 1u : x == -16 ? 2u : 10u) * 16 + (x == -1 ? 1u : x == -16 ? 10u : x == 5 ? 3u : 4u));
  EXPECT_EQ(run("flow/narrow_switch.spvasm", 32), expected);
}

/// A lane that OpKill ended goes on as a helper, without what it would have computed: a loop that would never end for
/// it ends with the others. Scratch of a fragment shader.
TEST_P(HardModules, KilledLanesLeaveLoops) {
  const job::RunResult outcome =
      run_shader(load_shader("fragment/discard_then_loop.spvasm"),
                 "[images.c]\nformat = \"R32G32B32A32_FLOAT\"\nsize = [8, 8]\n"
                 "save = \"c.bin\"\n[pixels]\ntargets = [\"c\"]\n[limits]\nsteps = 1000000\n",
                 options());
  ASSERT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
  const std::vector<float> c = output_as<float>(outcome, "c.bin");
  ASSERT_EQ(c.size(), 256u);
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) {
      const bool kept = x + y + 1 > 6;
      const int k = y * 3 + x;
      const float* got = &c[static_cast<std::size_t>(y * 8 + x) * 4];
      EXPECT_EQ(got[0], kept ? 4.0f : 0.0f);
      EXPECT_EQ(got[1], kept ? static_cast<float>(k) * (static_cast<float>(x) + 0.5f) : 0.0f);
      EXPECT_EQ(got[2], kept ? static_cast<float>(k) : 0.0f);
    }
}

std::string module_of(const std::string& types, const std::string& interface_ids, const std::string& body,
                      const std::string& functions = {}) {
  return "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" " + interface_ids +
         "\nOpExecutionMode %main LocalSize 8 1 1\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
         "%u = OpTypeInt 32 0\n%c0 = OpConstant %u 0\n%c1 = OpConstant %u 1\n%c2 = OpConstant %u 2\n" +
         types + functions + "%main = OpFunction %void None %fn\n%l = OpLabel\n" + body + "OpReturn\nOpFunctionEnd\n";
}

TEST(HugeModules, AreRefusedSoon) {
  // A constant of 2^28 scalars made of 28 instructions.
  std::string types = "%a0 = OpTypeArray %u %c2\n%k0 = OpConstantComposite %a0 %c2 %c2\n", indices = " %c0";
  for (int i = 1; i < 28; ++i) {
    const std::string n = std::to_string(i), m = std::to_string(i - 1);
    types += "%a" + n + " = OpTypeArray %a" + m + " %c2\n%k" + n + " = OpConstantComposite %a" + n + " %k" + m + " %k" +
             m + "\n";
    indices += " %c0";
  }
  types += "%p = OpTypePointer Private %a27\n%pu = OpTypePointer Private %u\n%v = OpVariable %p Private %k27\n";
  CompiledShader c = compile_shader(
      assemble_shader(module_of(types, "%v", "%e = OpAccessChain %pu %v" + indices + "\n%x = OpLoad %u %e\n")));
  EXPECT_FALSE(c.ok);
  EXPECT_THAT(c.messages, ::testing::HasSubstr("private memory"));

  // An initializer of many scalars that is stored as a whole; zeros are a loop (SPV-50).
  const auto initialized = [](const std::string& constant) {
    return compile_shader(assemble_shader(module_of(
        "%n = OpConstant %u 5000\n%a = OpTypeArray %u %n\n" + constant +
            "\n%p = OpTypePointer Private %a\n%pu = OpTypePointer Private %u\n%v = OpVariable %p Private %k\n",
        "%v", "%e = OpAccessChain %pu %v %c1\nOpStore %e %c2\n%x = OpLoad %u %e\n")));
  };
  c = initialized("%k = OpConstantNull %a");
  EXPECT_TRUE(c.ok) << c.messages;
  std::string list;
  for (int i = 0; i < 5000; ++i) list += " %c2";
  c = initialized("%k = OpConstantComposite %a" + list);
  EXPECT_FALSE(c.ok);
  EXPECT_THAT(c.messages, ::testing::HasSubstr("more than 4096 scalars"));

  // Types that nest.
  types = "%a0 = OpTypeArray %u %c1\n";
  for (int i = 1; i < 400; ++i)
    types += "%a" + std::to_string(i) + " = OpTypeArray %a" + std::to_string(i - 1) + " %c1\n";
  c = compile_shader(assemble_shader(module_of(types, "", "")));
  EXPECT_THAT(c.messages, ::testing::HasSubstr("types nest more than 255 deep"));

  // Calls that double, of a function that does nothing.
  std::string functions = "%f0 = OpFunction %void None %fn\n%l0 = OpLabel\nOpReturn\nOpFunctionEnd\n";
  for (int i = 1; i < 40; ++i) {
    const std::string n = std::to_string(i), f = " = OpFunctionCall %void %f" + std::to_string(i - 1) + "\n";
    functions += "%f" + n + " = OpFunction %void None %fn\n%l" + n + " = OpLabel\n%x" + n + f + "%y" + n + f +
                 "OpReturn\nOpFunctionEnd\n";
  }
  c = compile_shader(assemble_shader(module_of("", "", "%x = OpFunctionCall %void %f39\n", functions)));
  EXPECT_THAT(c.messages, ::testing::HasSubstr("compile-limit"));
}

/// Arrays of descriptors without a length: what the job leaves out reads 0; an array without any element
/// is reported.
TEST(OpenArrays, NeedNotBeFilled) {
  const spirv::Module module = load_shader("flow/open_arrays.spvasm");
  spirv::CompileOptions options;
  options.runtime_array = 4;
  options.lenient = true;  // reads of what is not bound are reported, as warnings
  const std::string out = "groups = [1]\n[buffers.\"0.0\"]\ntype = \"u32\"\ncount = 8\nsave = \"out.bin\"\n";
  const job::RunResult some =
      run_shader(module, out + "[buffers.\"0.1[2]\"]\ntype = \"u32\"\ndata = [7, 8]\n", options);
  ASSERT_TRUE(some.succeeded) << messages(some.diagnostics);
  EXPECT_EQ(output_as<std::uint32_t>(some, "out.bin"), (std::vector<std::uint32_t>{0, 0, 7, 0, 0, 0, 7, 0}));
  const job::RunResult none = run_shader(module, out, options);
  EXPECT_FALSE(none.succeeded);
  EXPECT_THAT(messages(none.diagnostics), ::testing::HasSubstr("is not bound"));
}

/// A compute shader whose 32 invocations put %r into a buffer of words.
std::string stores(const std::string& types, const std::string& body, const std::string& entries = {}) {
  return "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %id\n" + entries +
         "OpExecutionMode %main LocalSize 32 1 1\nOpDecorate %id BuiltIn GlobalInvocationId\n"
         "OpDecorate %words ArrayStride 4\nOpMemberDecorate %block 0 Offset 0\nOpMemberDecorate %block 1 Offset 0\n"
         "OpDecorate %block BufferBlock\nOpDecorate %buffer DescriptorSet 0\nOpDecorate %buffer Binding 0\n"
         "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%float = OpTypeFloat 32\n"
         "%uint3 = OpTypeVector %uint 3\n%zero = OpConstant %uint 0\n%one = OpConstant %uint 1\n"
         "%nothing = OpTypeStruct\n%words = OpTypeRuntimeArray %uint\n%block = OpTypeStruct %nothing %words\n"
         "%of_block = OpTypePointer Uniform %block\n%of_uint = OpTypePointer Uniform %uint\n"
         "%of_id = OpTypePointer Input %uint3\n%buffer = OpVariable %of_block Uniform\n"
         "%id = OpVariable %of_id Input\n" +
         types +
         "%main = OpFunction %void None %function\n%label = OpLabel\n%all = OpLoad %uint3 %id\n"
         "%x = OpCompositeExtract %uint %all 0\n" +
         body + "%to = OpAccessChain %of_uint %buffer %one %x\nOpStore %to %r\nOpReturn\nOpFunctionEnd\n";
}

std::vector<std::uint32_t> stored(const std::string& text, const spirv::CompileOptions& options = {}) {
  const job::RunResult outcome =
      run_shader(assemble_shader(text),
                 "groups = [1]\n[buffers.\"0.0\"]\ntype = \"u32\"\ncount = 32\nsave = \"out.bin\"\n", options);
  EXPECT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
  return output_as<std::uint32_t>(outcome, "out.bin");
}

/// A block's member without any bytes has no line in the interface.
TEST(EmptyStructures, TakeNoPlaceInABlock) {
  EXPECT_EQ(stored(stores("", "%r = OpCopyObject %uint %one\n")), std::vector<std::uint32_t>(32, 1));
}

/// As the instruction does where the value is no constant.
TEST(Quantize, ConstantsFlushWhatHalvesCannotHold) {
  for (const auto& [value, bits] : {std::pair("-0x1.8p-15", 0x80000000u), std::pair("0x1p-14", 0x38800000u),
                                    std::pair("0x1.003p+0", 0x3f802000u)}) {
    const std::string types = std::string("%small = OpSpecConstant %float ") + value +
                              "\n%half = OpSpecConstantOp %float QuantizeToF16 %small\n";
    EXPECT_EQ(stored(stores(types, "%r = OpBitcast %uint %half\n")), std::vector<std::uint32_t>(32, bits)) << value;
  }
}

/// Entry points of several stages may have one name: the driver says which stage is meant (SPV-1).
TEST(EntryPoints, OfOneNameAreToldApartByTheirStage) {
  std::string text = stores("", "%r = OpCopyObject %uint %one\n", "OpEntryPoint Vertex %other \"main\"\n");
  text += "%other = OpFunction %void None %function\n%more = OpLabel\nOpReturn\nOpFunctionEnd\n";
  spirv::CompileOptions options;
  options.entry = "main";
  EXPECT_THAT(compile_shader(assemble_shader(text), options).messages,
              ::testing::HasSubstr("several entry points are called 'main'"));
  for (const std::uint32_t model : {0u, 5u}) {
    options.stage = isa::stage_of_model(model);
    const CompiledShader compiled = compile_shader(assemble_shader(text), options);
    EXPECT_TRUE(compiled.ok) << compiled.messages;
    EXPECT_THAT(compiled.text, ::testing::HasSubstr(model == 0 ? "stage vertex" : "stage compute"));
  }
}

}  // namespace
