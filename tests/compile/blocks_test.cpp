// SPDX-License-Identifier: MIT
// Values of many scalars: what they are, whatever happens to the memory that they come from, and that a program does
// not grow with them.
// Rules: SPV-50.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "shader.hpp"
#include "shader_interface/interface.hpp"
#include "text/text.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

/// Buffers of u32: 0.0 is read, 0.1 written. `types`: more types and constants; `variables` and `code` of the function,
/// in which %x is the invocation's number. %uint_N: constants up to 16; %in and %out: pointers to element %x.
std::string shader(const std::string& types, const std::string& variables, const std::string& code) {
  std::string text = R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %source %result
OpExecutionMode %main LocalSize 16 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpDecorate %Words Block
OpMemberDecorate %Words 0 Offset 0
OpDecorate %source DescriptorSet 0
OpDecorate %source Binding 0
OpDecorate %result DescriptorSet 0
OpDecorate %result Binding 1
OpDecorate %laid ArrayStride 8
OpMemberDecorate %Laid 0 Offset 0
OpMemberDecorate %Laid 1 Offset 512
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uint3 = OpTypeVector %uint 3
%words = OpTypeRuntimeArray %uint
%Words = OpTypeStruct %words
%to_words = OpTypePointer StorageBuffer %Words
%to_word = OpTypePointer StorageBuffer %uint
%to_id = OpTypePointer Input %uint3
%to_local = OpTypePointer Function %uint
%id = OpVariable %to_id Input
%source = OpVariable %to_words StorageBuffer
%result = OpVariable %to_words StorageBuffer
)";
  for (int k = 0; k <= 16; ++k)
    text += "%uint_" + std::to_string(k) + " = OpConstant %uint " + std::to_string(k) + "\n";
  text +=
      "%uint_48 = OpConstant %uint 48\n%array = OpTypeArray %uint %uint_48\n%to_array = OpTypePointer Function "
      "%array\n";
  text += "%laid = OpTypeArray %uint %uint_48\n%Laid = OpTypeStruct %laid %uint\n%Plain = OpTypeStruct %array %uint\n";
  text += "%to_plain = OpTypePointer Function %Plain\n";
  return text + types + "%main = OpFunction %void None %function\n%start = OpLabel\n" + variables +
         R"(%ids = OpLoad %uint3 %id
%x = OpCompositeExtract %uint %ids 0
%in = OpAccessChain %to_word %source %uint_0 %x
%out = OpAccessChain %to_word %result %uint_0 %x
%given = OpLoad %uint %in
)" + code +
         "OpReturn\nOpFunctionEnd\n";
}

class Blocks : public ::testing::TestWithParam<unsigned> {
 protected:
  spirv::CompileOptions options() const {
    spirv::CompileOptions o;
    o.simd = GetParam();
    return o;
  }
  /// What the shader writes for 0 to 255 at the input; `lines`: of its program, at most.
  std::vector<std::uint32_t> run(const std::string& text, std::ptrdiff_t lines) const {
    const spirv::Module module = assemble_shader(text);
    const CompiledShader compiled = compile_shader(module, options());
    EXPECT_TRUE(compiled.ok) << compiled.messages;
    EXPECT_LE(std::ranges::count(compiled.text, '\n'), lines) << compiled.text;
    std::string data;
    for (int k = 0; k < 256; ++k) data += (k == 0 ? "" : ", ") + std::to_string(k);
    const job::RunResult outcome =
        run_shader(module,
                   "groups = [4]\n[buffers.\"0.0\"]\ntype = \"u32\"\ndata = [" + data +
                       "]\n[buffers.\"0.1\"]\ntype = \"u32\"\ncount = 64\nsave = \"out.bin\"\n",
                   options());
    EXPECT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
    return output_as<std::uint32_t>(outcome, "out.bin");
  }
  template <typename F>
  static std::vector<std::uint32_t> each(F value) {
    std::vector<std::uint32_t> list;
    for (std::uint32_t k = 0; k < 64; ++k) list.push_back(value(k));
    return list;
  }
};
INSTANTIATE_TEST_SUITE_P(Simd, Blocks, ::testing::Values(8u, 16u, 32u));

std::string constant_table(const std::string& type, const std::string& name, std::uint32_t count, std::uint32_t factor,
                           std::uint32_t add) {
  std::string text, list;
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::string id = "%" + name + std::to_string(k);
    text += id + " = OpConstant %uint " + std::to_string(k * factor + add) + "\n";
    list += " " + id;
  }
  return text + "%" + name + " = OpConstantComposite %" + type + list + "\n";
}

TEST_P(Blocks, AConstantTableLiesBesideTheProgram) {
  const std::string types =
      "%uint_2000 = OpConstant %uint 2000\n%table_type = OpTypeArray %uint %uint_2000\n"
      "%to_table = OpTypePointer Function %table_type\n%uint_31 = OpConstant %uint 31\n" +
      constant_table("table_type", "table", 2000, 2654435761u, 77);
  const std::string code = R"(OpStore %t %table
%index = OpIMul %uint %given %uint_31
%at = OpAccessChain %to_local %t %index
%value = OpLoad %uint %at
OpStore %out %value
)";
  const auto expected = each([](std::uint32_t x) { return 31 * x * 2654435761u + 77; });
  EXPECT_EQ(run(shader(types, "%t = OpVariable %to_table Function\n", code), 250), expected);
  EXPECT_EQ(run(shader(types, "%t = OpVariable %to_table Function %table\n", code.substr(code.find('\n') + 1)), 250),
            expected);
}

/// Once something else is stored, the table is a variable.
TEST_P(Blocks, AConstantThatChangesIsCopied) {
  const std::string types = constant_table("array", "table", 48, 3, 1);
  const std::string code = R"(%into = OpAccessChain %to_local %t %given5
OpStore %into %uint_16
%at = OpAccessChain %to_local %t %given7
%value = OpLoad %uint %at
OpStore %out %value
)";
  const std::string modulo = "%given5 = OpUMod %uint %given %uint_5\n%given7 = OpUMod %uint %given %uint_7\n";
  const auto expected = each([](std::uint32_t x) { return x % 7 == x % 5 ? 16 : 3 * (x % 7) + 1; });
  EXPECT_EQ(run(shader(types, "%t = OpVariable %to_array Function %table\n", modulo + code), 250), expected);
}

/// Zeros and elements that are all the same, of any size.
TEST_P(Blocks, EqualElementsAreALoop) {
  const std::string types = R"(%uint_9000 = OpConstant %uint 9000
%huge = OpTypeArray %uint %uint_9000
%to_huge = OpTypePointer Function %huge
%zeros = OpConstantNull %huge
)";
  const std::string code = R"(%into = OpAccessChain %to_local %t %given
OpStore %into %uint_16
%at = OpAccessChain %to_local %t %uint_7
%value = OpLoad %uint %at
OpStore %out %value
)";
  EXPECT_EQ(run(shader(types, "%t = OpVariable %to_huge Function %zeros\n", code), 250),
            each([](std::uint32_t x) { return x == 7 ? 16 : 0; }));
}

/// A value is what the memory held when it was loaded.
TEST_P(Blocks, AValueDoesNotChangeWithItsMemory) {
  const std::string types = constant_table("array", "table", 48, 3, 1);
  const std::string code = R"(%index = OpUMod %uint %given %uint_16
%first = OpAccessChain %to_local %a %index
OpStore %first %given
%value = OpLoad %array %a
OpStore %first %uint_5
OpStore %b %value
%changed = OpCompositeInsert %array %uint_9 %value 3
OpStore %c %changed
%of_a = OpLoad %uint %first
%at_b = OpAccessChain %to_local %b %index
%of_b = OpLoad %uint %at_b
%at_c = OpAccessChain %to_local %c %uint_3
%of_c = OpLoad %uint %at_c
%next = OpIAdd %uint %index %uint_1
%at_next = OpAccessChain %to_local %c %next
%of_next = OpLoad %uint %at_next
%b1 = OpIMul %uint %of_b %hundred
%c1 = OpIMul %uint %of_c %hundreds
%n1 = OpIMul %uint %of_next %million
%s1 = OpIAdd %uint %of_a %b1
%s2 = OpIAdd %uint %s1 %c1
%s3 = OpIAdd %uint %s2 %n1
OpStore %out %s3
)";
  const std::string numbers =
      "%hundred = OpConstant %uint 100\n%hundreds = OpConstant %uint 10000\n%million = OpConstant %uint 1000000\n";
  const std::string variables =
      "%a = OpVariable %to_array Function %table\n%b = OpVariable %to_array Function\n%c = OpVariable %to_array "
      "Function\n";
  EXPECT_EQ(run(shader(numbers + types, variables, code), 500), each([](std::uint32_t x) {
              const std::uint32_t k = x % 16, next = k + 1 == 3 ? 9 : 3 * (k + 1) + 1;
              return 5 + 100 * x + 10000 * 9 + 1000000 * next;
            }));
}

/// Copies between two layouts, as compilers write them: by CopyLogical, by all parts put together again, and by a
/// row of stores; and one that leaves a part out.
TEST_P(Blocks, CopiesBetweenLayouts) {
  const std::string types = R"(%to_laid = OpTypePointer StorageBuffer %Laid
%items = OpTypeRuntimeArray %Laid
%Items = OpTypeStruct %items
%to_items = OpTypePointer StorageBuffer %Items
%inputs = OpVariable %to_items StorageBuffer
)";
  const std::string decorations =
      "OpDecorate %items ArrayStride 1024\nOpDecorate %Items Block\nOpMemberDecorate %Items 0 Offset 0\n"
      "OpDecorate %inputs DescriptorSet 0\nOpDecorate %inputs Binding 0\n";
  std::string parts, list, stores, fewer;
  for (int k = 0; k < 48; ++k) {
    const std::string n = std::to_string(k);
    parts += "%e" + n + " = OpCompositeExtract %uint %elements " + n + "\n";
    list += " %e" + n;
    const std::string store = "%f" + n + " = OpCompositeExtract %uint %elements " + n + "\n%p" + n +
                              " = OpAccessChain %to_local %v %uint_0 " + (k <= 16 ? "%uint_" : "%more_") + n +
                              "\nOpStore %p" + n + " %f" + n + "\n";
    stores += store;
    if (k != 20) fewer += store;
  }
  std::string more;
  for (int k = 17; k < 48; ++k)
    more += "%more_" + std::to_string(k) + " = OpConstant %uint " + std::to_string(k) + "\n";
  const std::string load = "%from = OpAccessChain %to_laid %inputs %uint_0 %uint_0\n%value = OpLoad %Laid %from\n";
  const std::string take = "%elements = OpCompositeExtract %laid %value 0\n%last = OpCompositeExtract %uint %value 1\n";
  const std::string read = R"(%index = OpUMod %uint %given %uint_48
%at = OpAccessChain %to_local %v %uint_0 %index
%of = OpLoad %uint %at
%at_last = OpAccessChain %to_local %v %uint_1
%of_last = OpLoad %uint %at_last
%sum = OpIAdd %uint %of %of_last
OpStore %out %sum
)";
  const std::string variable = "%v = OpVariable %to_plain Function %nothing\n";
  const auto text = [&](const std::string& copy) {
    std::string whole = shader(more + types + "%nothing = OpConstantNull %Plain\n", variable, load + copy + read);
    whole.replace(whole.find("%id %source"), 11, "%id %inputs %source");
    whole.insert(whole.find("%void ="), decorations);
    return whole;
  };
  // Dword 2k of the buffer is element k, dword 128 the member behind them.
  const auto expected = each([](std::uint32_t x) { return 2 * (x % 48) + 128; });
  EXPECT_EQ(run(text("%made = OpCopyLogical %Plain %value\nOpStore %v %made\n"), 450), expected);
  EXPECT_EQ(run(text(take + parts + "%a = OpCompositeConstruct %array" + list +
                     "\n%made = OpCompositeConstruct %Plain %a %last\nOpStore %v %made\n"),
                450),
            expected);
  EXPECT_EQ(run(text(take + stores + "%pl = OpAccessChain %to_local %v %uint_1\nOpStore %pl %last\n"), 450), expected);
  EXPECT_EQ(run(text(take + fewer), 3000), each([](std::uint32_t x) { return x % 48 == 20 ? 0 : 2 * (x % 48); }));
}

/// The lines of constants must be whole.
TEST(Blocks, DataLinesThatSayNonsenseAreReported) {
  const std::string types = constant_table("array", "table", 48, 3, 1);
  const std::string code = "%at = OpAccessChain %to_local %t %given\n%value = OpLoad %uint %at\nOpStore %out %value\n";
  const CompiledShader good =
      compile_shader(assemble_shader(shader(types, "%t = OpVariable %to_array Function %table\n", code)));
  ASSERT_TRUE(good.ok) << good.messages;
  const std::size_t line = good.text.find("heddle: data T"), digits = good.text.find(' ', line + 13) + 1;
  ASSERT_NE(line, std::string::npos);
  const auto read = [](const std::string& text) {
    base::Diagnostics diagnostics;
    const auto program = text::parse(text, "test.visaasm", {}, diagnostics);
    if (program) (void)shader_interface::read_interface(*program, program->objects[0], diagnostics);
    return messages(diagnostics);
  };
  EXPECT_EQ(read(good.text), "");
  const auto replaced = [&](std::size_t count, const std::string& by) {
    std::string text = good.text;
    return text.replace(digits, count, by);
  };
  for (const std::string& text : {replaced(2, ""), replaced(1, ""), replaced(2, "0g"), replaced(2, "0000")})
    EXPECT_THAT(read(text), ::testing::HasSubstr("shader-interface"));
}

}  // namespace
