// SPDX-License-Identifier: MIT
// A module's own assembly as its source. Rules: SPV-36.
#include "spirv/assembly_lines.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace heddle::spirv {
namespace {

Module module_of(const std::string& text) {
  const auto assembled = assemble(text, "a.spvasm", "vulkan1.3");
  EXPECT_TRUE(assembled.ok());
  std::vector<std::uint8_t> bytes(assembled->words.size() * 4);
  std::memcpy(bytes.data(), assembled->words.data(), bytes.size());
  auto read = read_binary(bytes, "a.spv");
  EXPECT_TRUE(read.ok());
  return std::move(*read);
}

// Strings may have line feeds, quotes and backslashes: an instruction is where its own words are.
TEST(AssemblyLines, AreThoseOfTheInstructions_SPV36) {
  Module module = module_of(
      "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n"
      "OpExecutionMode %main LocalSize 1 1 1\n%s = OpString \"one\n\\\"two\\\\\nthree\"\nOpName %main \"a\nb\"\n"
      "%void = OpTypeVoid\n%f = OpTypeFunction %void\n%main = OpFunction %void None %f\n%l = OpLabel\nOpReturn\n"
      "OpFunctionEnd\n");
  ASSERT_TRUE(take_assembly_lines(module));
  EXPECT_EQ(module.file, "a.spv.spvasm");
  std::vector<std::string> lines;
  std::istringstream text(module.text);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  const std::vector<std::string> words{"OpCapability", "OpMemoryModel", "OpEntryPoint", "OpExecutionMode",
                                       "OpString",     "OpName",        "OpTypeVoid",   "OpTypeFunction",
                                       "OpFunction",   "OpLabel",       "OpReturn",     "OpFunctionEnd"};
  ASSERT_EQ(module.instructions.size(), words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t line = module.instructions[i].line;
    ASSERT_LE(line, lines.size());
    EXPECT_NE(lines[line - 1].find(words[i] == "OpFunction" ? "OpFunction %" : words[i]), std::string::npos)
        << line << ": " << lines[line - 1];
  }
  EXPECT_FALSE(take_assembly_lines(module)) << "it has a text now";
}

TEST(AssemblyLines, CarriedSourcesAreFound) {
  const Module module = module_of(
      "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%file = OpString \"x.frag\"\n"
      "OpSource GLSL 450 %file \"void \"\nOpSourceContinued \"main\"\n");
  const std::vector<ModuleSource> sources = carried_sources(module);
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources[0].name, "x.frag");
  EXPECT_EQ(sources[0].text, "void main");
}

}  // namespace
}  // namespace heddle::spirv
