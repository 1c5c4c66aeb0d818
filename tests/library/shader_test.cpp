// SPDX-License-Identifier: MIT
// heddle/shader.hpp: modules are read, checked and compiled; wrong arguments.
#include "heddle/shader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/check.hpp"
#include "library/ids.hpp"
#include "support/process.hpp"

namespace heddle {
namespace {

using test::id_of;
using testing::HasSubstr;

/// Two entry points, one specialization constant.
const std::string kModule = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %one "one" %data
               OpEntryPoint GLCompute %two "two" %data
               OpExecutionMode %one LocalSize 16 1 1
               OpExecutionMode %two LocalSize 16 1 1
               OpDecorate %count SpecId 7
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %data DescriptorSet 0
               OpDecorate %data Binding 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
        %int = OpTypeInt 32 1
      %count = OpSpecConstant %int 5
       %zero = OpConstant %int 0
      %block = OpTypeStruct %int
    %p_block = OpTypePointer StorageBuffer %block
      %p_int = OpTypePointer StorageBuffer %int
       %data = OpVariable %p_block StorageBuffer
        %one = OpFunction %void None %fn
         %l1 = OpLabel
         %at = OpAccessChain %p_int %data %zero
               OpStore %at %count
               OpReturn
               OpFunctionEnd
        %two = OpFunction %void None %fn
         %l2 = OpLabel
               OpReturn
               OpFunctionEnd
)";

TEST(LibraryShader, TheStageChoosesAmongEntryPointsOfOneName) {
  const auto shader = Shader::load("tests/data/spirv/samename.spvasm");
  ASSERT_TRUE(shader.ok()) << to_text(shader.diagnostics());
  CompileOptions o;
  o.entry = "main";
  EXPECT_EQ(id_of(shader->compile(o)), "compile-entry");
  const std::pair<Stage, const char*> stages[] = {
      {Stage::Compute, "stage compute"}, {Stage::Vertex, "stage vertex"}, {Stage::Fragment, "stage fragment"}};
  for (const auto& [stage, line] : stages) {
    o.stage = stage;
    const auto program = shader->compile(o);
    ASSERT_TRUE(program.ok()) << to_text(program.diagnostics());
    EXPECT_THAT(std::string(program->source()), HasSubstr(line));
  }
  o.stage = Stage::Other;
  EXPECT_EQ(id_of(shader->compile(o)), "usage-argument");
}

TEST(LibraryShader, AStageIsFoundByItsWord) {
  EXPECT_EQ(stage_name(Stage::Vertex), "vertex");
  EXPECT_EQ(stage_name(Stage::Other), "other");
  EXPECT_EQ(find_stage("frag"), Stage::Fragment);
  EXPECT_EQ(find_stage("rgen"), std::nullopt);
  const auto shader = Shader::load("tests/data/spirv/samename.spvasm");
  ASSERT_TRUE(shader.ok()) << to_text(shader.diagnostics());
  CompileOptions o;
  o.entry = "main";
  for (const std::string_view word : stage_words()) {
    o.stage = find_stage(word);
    ASSERT_TRUE(o.stage.has_value()) << word;
    EXPECT_NE(*o.stage, Stage::Other) << word;
    EXPECT_NE(id_of(shader->compile(o)), "usage-argument") << word;
  }
}

TEST(LibraryShader, AModuleTellsItsEntryPointsAndConstants) {
  const auto shader = Shader::assemble(kModule, "m.spvasm");
  ASSERT_TRUE(shader.ok()) << to_text(shader.diagnostics());
  const auto entries = shader->entry_points();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[1].name, "two");
  EXPECT_EQ(entries[1].stage, Stage::Compute);
  EXPECT_EQ(shader->specialization_ids(), std::vector<std::uint32_t>{7});
  EXPECT_FALSE(has_errors(shader->check())) << to_text(shader->check());
  EXPECT_THAT(*shader->disassemble(), HasSubstr("OpEntryPoint GLCompute"));
}

TEST(LibraryShader, CompilesTheEntryThatIsNamed) {
  const auto shader = Shader::assemble(kModule, "m.spvasm");
  ASSERT_TRUE(shader.ok());
  CompileOptions options;
  EXPECT_EQ(id_of(shader->compile(options)), "compile-entry");
  options.entry = "three";
  EXPECT_EQ(id_of(shader->compile(options)), "compile-entry");
  options.entry = "one";
  for (const unsigned simd : {8u, 16u, 32u}) {
    options.simd = simd;
    const auto program = shader->compile(options);
    ASSERT_TRUE(program.ok()) << to_text(program.diagnostics());
    EXPECT_EQ(program->kernels(), std::vector<std::string>{"one"});
    EXPECT_THAT(program->source(), HasSubstr("SimdSize=" + std::to_string(simd)));
    EXPECT_TRUE(check(*program, {.platform = "SKL"})->ok());
  }
}

TEST(LibraryShader, SpecializationConstantsTakeValues) {
  const auto shader = Shader::assemble(kModule, "m.spvasm");
  ASSERT_TRUE(shader.ok());
  CompileOptions options;
  options.entry = "one";
  const std::string usual(shader->compile(options)->source());
  options.specialization = {{7, std::int64_t{4711}}};
  const std::string special(shader->compile(options)->source());
  EXPECT_NE(usual, special);
  EXPECT_THAT(special, testing::AnyOf(HasSubstr("4711"), HasSubstr("1267")));
  options.specialization = {{8, std::int64_t{1}}};
  EXPECT_EQ(id_of(shader->compile(options)), "compile-specialization");
  options.specialization = {{7, 3.5}};
  EXPECT_EQ(id_of(shader->compile(options)), "compile-specialization");
  options.specialization = {{7, std::int64_t{99999999999}}};
  EXPECT_EQ(id_of(shader->compile(options)), "compile-specialization");
}

TEST(LibraryShader, BinariesAndFiles) {
  const test::TemporaryFolder folder;
  const std::vector<std::uint32_t> words{0x07230203, 0x00010300, 0, 1, 0};
  EXPECT_TRUE(Shader::read(words, "m.spv").ok());
  EXPECT_TRUE(Shader::read(words, "m.spv")->entry_points().empty());
  test::write_text(folder / "m.spvasm", kModule);
  const auto loaded = Shader::load((folder / "m.spvasm").string());
  ASSERT_TRUE(loaded.ok()) << to_text(loaded.diagnostics());
  EXPECT_EQ(loaded->entry_points().size(), 2u);
  EXPECT_EQ(id_of(Shader::load((folder / "none.spv").string())), "file-open");
}

TEST(LibraryShader, FindingsShowTheAssembly) {
  const auto wrong = Shader::assemble("OpCapability Shader\nOpNonsense\n", "m.spvasm");
  EXPECT_EQ(id_of(wrong), "spirv-assembly");
  EXPECT_THAT(to_text(wrong.diagnostics()), HasSubstr("OpNonsense\n"));
  const auto invalid = Shader::assemble("OpCapability Shader\n", "m.spvasm");
  ASSERT_TRUE(invalid.ok());
  EXPECT_TRUE(has_errors(invalid->check()));
  EXPECT_EQ(id_of(invalid->compile()), "spirv-val");
}

TEST(LibraryShader, WrongArguments) {
  EXPECT_EQ(id_of(Shader::read(std::vector<std::uint32_t>{1, 2, 3, 4, 5}, "m.spv")), "spirv-magic");
  EXPECT_EQ(id_of(Shader::read(std::vector<std::uint8_t>{3, 2}, "m.spv")), "spirv-truncated");
  EXPECT_EQ(id_of(Shader::assemble(kModule, "m", "vulkan9")), "usage-argument");
  const auto shader = Shader::assemble(kModule, "m.spvasm");
  EXPECT_EQ(shader->check({.target_environment = "vulkan9"}).at(0).id, "usage-argument");
  CompileOptions options;
  options.entry = "one";
  options.simd = 4;
  EXPECT_EQ(id_of(shader->compile(options)), "usage-argument");
  options.simd = 16;
  options.platform = "none";
  EXPECT_EQ(id_of(shader->compile(options)), "usage-argument");
  options.platform = "SKL";
  options.target_environment = "vulkan9";
  EXPECT_EQ(id_of(shader->compile(options)), "usage-argument");
}

TEST(LibraryShader, TheRulesOfFootprintsAreListed) {
  const auto rules = footprint_rules();
  ASSERT_FALSE(rules.empty());
  for (const FootprintRule& rule : rules) {
    EXPECT_TRUE(rule.id.starts_with("spirv-footprint-")) << rule.id;
    EXPECT_TRUE(rule.rule.starts_with("R"));
    EXPECT_FALSE(rule.statement.empty() || rule.source.empty());
  }
}

}  // namespace
}  // namespace heddle
