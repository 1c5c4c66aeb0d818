// SPDX-License-Identifier: MIT
// Variables with run-time indices, buffers with every layout, specialization, push constants.
// Rules: SPV-13 to SPV-16.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "shader.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

class Memory : public ::testing::TestWithParam<unsigned> {
 protected:
  spirv::CompileOptions options() const {
    spirv::CompileOptions o;
    o.simd = GetParam();
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(Simd, Memory, ::testing::Values(8u, 16u, 32u));

template <typename T>
std::string list_of(const std::vector<T>& values) {
  std::string text;
  for (const T v : values) text += (text.empty() ? "" : ", ") + std::to_string(v);
  return text;
}

/// Arrays indexed at run time in scratch (48 elements) and in registers (structures, matrices, constant tables),
/// through inout parameters.
TEST_P(Memory, RunTimeIndices) {
  std::vector<std::uint32_t> in, expected;
  for (std::uint32_t i = 0; i < 64; ++i) in.push_back(3 + i * 5 % 61);
  for (const std::uint32_t x : in) {
    std::array<std::uint32_t, 48> table{};
    for (std::uint32_t k = 0; k < 48; ++k) table[k] = k * x;
    table[x % 48] = 5;
    std::uint32_t sum = 0;
    for (std::uint32_t k = 0; k < 48; k += 5) sum += table[(k + x) % 48];
    struct Item {
      std::uint32_t key, pair[2], list[3];
    };
    std::array<Item, 4> items{};
    for (std::uint32_t k = 0; k < 4; ++k) {
      items[k] = {0, {0, 0}, {1, 2, 3}};
      const std::uint32_t n = k + x;
      items[k].key = n;
      items[k].pair[n & 1] = 7 * n;
      items[k].list[n % 3] = n + 1;
    }
    const Item copy = items[x & 3];
    items[1].key += 100;
    float m[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    m[x % 3][x / 3 % 3] = 40;
    const float* column = m[(x + 1) % 3];
    constexpr std::uint32_t kFixed[] = {3, 1, 4, 1, 5};
    expected.insert(expected.end(), {sum, copy.key, copy.pair[0] + 1000 * copy.pair[1], copy.list[x % 3],
                                     static_cast<std::uint32_t>(column[0] + 10 * column[1] + 100 * column[2]),
                                     kFixed[x % 5], items[1].key, table[47]});
  }
  for (const char* file : {"flow/arrays.spvasm", "flow/arrays_optimized.spvasm"}) {
    const job::RunResult outcome =
        run_shader(load_shader(file),
                   "groups = [4]\n[buffers.\"0.0\"]\ntype = \"u32\"\ndata = [" + list_of(in) +
                       "]\n[buffers.\"0.1\"]\ntype = \"u32\"\ncount = 512\nsave = \"out.bin\"\n",
                   options());
    ASSERT_TRUE(outcome.succeeded) << file << messages(outcome.diagnostics);
    EXPECT_EQ(output_as<std::uint32_t>(outcome, "out.bin"), expected) << file;
  }
}

/// std140 with row-major matrices, std430 with a runtime array, arrays of buffers with a run-time index, push
/// constants, 8- and 16-bit elements, specialization of numbers, of a boolean and of the group's size.
TEST_P(Memory, BlockLayouts) {
  // The uniform block, std140: mat3x2 row major (2 rows of 16 bytes), mat2x3 (2 columns of 16), float[3] (16 each),
  // Inner[2] of 16 bytes.
  const float block[36] = {1,    2,  3,  0, 4,    5,  6,  0,                 // rows
                           10,   11, 12, 0, 20,   21, 22, 0,                 // columns
                           0.5f, 0,  0,  0, 1.5f, 0,  0,  0, 2.5f, 0, 0, 0,  // list
                           1,    2,  3,  4, 5,    6,  7,  8};                // inner
  std::vector<float> block_values(block, block + 36);
  const std::string toml =
      "groups = [4, 3]\n[args]\npush = { bytes = \"0000000000000000000000410000104101000000\" }\n"
      "[buffers.block]\ntype = \"f32\"\ndata = [" +
      list_of(block_values) +
      "]\n"
      "[buffers.\"0.1[0]\"]\ntype = \"u32\"\ncount = 40\nsave = \"o0.bin\"\n[buffers.\"0.1[1]\"]\ntype = "
      "\"u32\"\ncount = 136\nsave = \"o1.bin\"\n"
      "[buffers.small]\ntype = \"u8\"\ndata = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 250, 1, 0, 2, 0, 3, "
      "0, 4, 0, 5, 0, 6, 0, 7, 0, 255, 255]\n"
      "save = \"small.bin\"\n";
  spirv::CompileOptions o = options();
  o.specialization = {{1, 3.0}, {2, std::int64_t{6}}, {3, std::int64_t{5}}, {5, true}};
  for (const char* file : {"flow/layouts.spvasm", "flow/layouts_optimized.spvasm"}) {
    const job::RunResult outcome = run_shader(load_shader(file), toml, o);
    ASSERT_TRUE(outcome.succeeded) << file << messages(outcome.diagnostics);
    // rows: column k is (block[k], block[4 + k]); rows * (1, 2, 3) = (1 + 4 + 9, 4 + 10 + 18); columns * (1, 10).
    const float r[2] = {14, 32}, c[3] = {210, 221, 232};
    for (unsigned k = 0; k < 2; ++k) {
      const std::vector<float> out = output_as<float>(outcome, k == 0 ? "o0.bin" : "o1.bin");
      const float* inner = block + 28 + 4 * k;
      const float expected[16] = {c[0] + inner[0] * inner[3],
                                  c[1] + inner[1] * inner[3],
                                  c[2] + inner[2] * inner[3],
                                  block[16 + 4 * k] + r[0] * 3,
                                  r[0],
                                  r[1],
                                  1,
                                  0,
                                  8,
                                  9,
                                  2,
                                  0,
                                  c[0],
                                  c[1],
                                  c[2],
                                  0};
      for (unsigned n = 0; n < 15; ++n)
        if (n != 7 && n != 11)
          EXPECT_EQ(out[n], expected[n] + (n == 8 + k ? 0.5f : 0.0f)) << file << " buffer " << k << " word " << n;
    }
    // n[i] of buffer 1: twice = 13, length = (544 - 64) / 4 = 120, r.y = 32.
    const std::vector<std::uint32_t> n = output_as<std::uint32_t>(outcome, "o1.bin");
    for (unsigned i = 0; i < 120; ++i) EXPECT_EQ(n[16 + i], 13u + 120000u + 32u) << file << i;
    const std::vector<std::uint8_t> small = output_as<std::uint8_t>(outcome, "small.bin");
    for (unsigned i = 0; i < 15; ++i) EXPECT_EQ(small[i], 1 + 2 * i) << file;
    EXPECT_EQ(small[15], (250 + 15) & 255);
    for (unsigned i = 0; i < 7; ++i) EXPECT_EQ(small[16 + 2 * i], 3 * (i + 1)) << file;
    EXPECT_EQ(small[30] | small[31] << 8, (65535 * 3) & 65535);
  }
}

/// out[k] = b[in[k]].x of an array of so many uniform buffers.
std::string chosen_buffer(unsigned count) {
  return "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
         "OpEntryPoint GLCompute %main \"main\" %id %out %in %b\nOpExecutionMode %main LocalSize 32 1 1\n"
         "OpName %b \"b\"\nOpDecorate %id BuiltIn GlobalInvocationId\nOpDecorate %words ArrayStride 4\n"
         "OpMemberDecorate %List 0 Offset 0\nOpDecorate %List Block\nOpMemberDecorate %B 0 Offset 0\n"
         "OpDecorate %B Block\nOpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 0\n"
         "OpDecorate %in DescriptorSet 0\nOpDecorate %in Binding 1\nOpDecorate %b DescriptorSet 0\n"
         "OpDecorate %b Binding 2\n%void = OpTypeVoid\n%f = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n"
         "%v3 = OpTypeVector %uint 3\n%p_id = OpTypePointer Input %v3\n%id = OpVariable %p_id Input\n"
         "%words = OpTypeRuntimeArray %uint\n%List = OpTypeStruct %words\n%p_List = OpTypePointer StorageBuffer %List\n"
         "%out = OpVariable %p_List StorageBuffer\n%in = OpVariable %p_List StorageBuffer\n%B = OpTypeStruct %uint\n"
         "%count = OpConstant %uint " +
         std::to_string(count) +
         "\n%Bs = OpTypeArray %B %count\n%p_Bs = OpTypePointer Uniform %Bs\n%b = OpVariable %p_Bs Uniform\n"
         "%p_word = OpTypePointer StorageBuffer %uint\n%p_u = OpTypePointer Uniform %uint\n%zero = OpConstant %uint 0\n"
         "%main = OpFunction %void None %f\n%entry = OpLabel\n%ids = OpLoad %v3 %id\n"
         "%k = OpCompositeExtract %uint %ids 0\n%at = OpAccessChain %p_word %in %zero %k\n%n = OpLoad %uint %at\n"
         "%from = OpAccessChain %p_u %b %n %zero\n%x = OpLoad %uint %from\n%to = OpAccessChain %p_word %out %zero %k\n"
         "OpStore %to %x\nOpReturn\nOpFunctionEnd\n";
}

/// Up to four elements have names, and more have handles: each lane reads what it chose either way (SPV-16).
TEST_P(Memory, BuffersChosenAtRunTime) {
  for (const unsigned count : {2u, 4u, 5u, 16u}) {
    SCOPED_TRACE(count);
    const spirv::Module module = assemble_shader(chosen_buffer(count));
    const CompiledShader compiled = compile_shader(module, options());
    ASSERT_TRUE(compiled.ok) << compiled.messages;
    EXPECT_EQ(compiled.text.find("movs (M1_NM, 1) %bss") != std::string::npos, count > 4) << compiled.text;
    std::vector<std::uint32_t> in, expected;
    std::string buffers;
    for (std::uint32_t k = 0; k < 64; ++k) {
      in.push_back(k * 7 % count);
      expected.push_back(1000 + 3 * in.back());
    }
    for (unsigned k = 0; k < count; ++k)
      buffers += "[buffers.\"0.2[" + std::to_string(k) + "]\"]\ntype = \"u32\"\ndata = [" +
                 std::to_string(1000 + 3 * k) + "]\n";
    const job::RunResult outcome =
        run_shader(module,
                   "groups = [2]\n[buffers.\"0.1\"]\ntype = \"u32\"\ndata = [" + list_of(in) +
                       "]\n[buffers.\"0.0\"]\ntype = \"u32\"\ncount = 64\nsave = \"out.bin\"\n" + buffers,
                   options());
    ASSERT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
    EXPECT_EQ(output_as<std::uint32_t>(outcome, "out.bin"), expected);
  }
}

/// b[n].x = b[(3 * n + 1) % count].y in one instruction, with n = in[k], of an array of so many storage buffers.
std::string copied_buffers(unsigned count) {
  std::string text = chosen_buffer(count);
  const auto change = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  change("Pointer Uniform ", "Pointer StorageBuffer ");
  change("%p_Bs Uniform", "%p_Bs StorageBuffer");
  change("%B = OpTypeStruct %uint\n",
         "%B = OpTypeStruct %uint %uint\n%one = OpConstant %uint 1\n%three = OpConstant %uint 3\n");
  change("OpMemberDecorate %B 0 Offset 0\n", "OpMemberDecorate %B 0 Offset 0\nOpMemberDecorate %B 1 Offset 4\n");
  change("%p_u = OpTypePointer StorageBuffer %uint\n", "");
  change(
      "%from = OpAccessChain %p_u %b %n %zero\n%x = OpLoad %uint %from\n%to = OpAccessChain %p_word %out %zero "
      "%k\nOpStore %to %x\n",
      "%n3 = OpIMul %uint %n %three\n%n1 = OpIAdd %uint %n3 %one\n%j = OpUMod %uint %n1 %count\n"
      "%from = OpAccessChain %p_word %b %j %one\n%to = OpAccessChain %p_word %b %n %zero\nOpCopyMemory %to %from\n");
  return text;
}

/// Two elements of one array in one instruction.
TEST_P(Memory, BuffersAreCopiedToEachOther) {
  for (const unsigned count : {2u, 5u, 16u}) {
    SCOPED_TRACE(count);
    const spirv::Module module = assemble_shader(copied_buffers(count));
    std::vector<std::uint32_t> in;
    for (std::uint32_t k = 0; k < 64; ++k) in.push_back(k * 7 % count);
    std::string buffers;
    for (unsigned k = 0; k < count; ++k)
      buffers += fmt::format("[buffers.\"0.2[{0}]\"]\ntype = \"u32\"\ndata = [{1}, {2}]\nsave = \"b{0}.bin\"\n", k,
                             2000 + k, 1000 + 3 * k);
    const job::RunResult outcome = run_shader(
        module, "groups = [2]\n[buffers.\"0.1\"]\ntype = \"u32\"\ndata = [" + list_of(in) + "]\n" + buffers, options());
    ASSERT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
    for (unsigned k = 0; k < count; ++k)
      EXPECT_EQ(output_as<std::uint32_t>(outcome, fmt::format("b{}.bin", k)),
                (std::vector<std::uint32_t>{1000 + 3 * ((3 * k + 1) % count), 1000 + 3 * k}))
          << k;
  }
}

}  // namespace
