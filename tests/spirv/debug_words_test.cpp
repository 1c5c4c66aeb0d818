// SPDX-License-Identifier: MIT
// What newer tools write for debuggers stops nothing; text is assembled for the version that it needs; findings point
// to the instruction that they are about. Rules: spirv-val.
#include <gtest/gtest.h>

#include <string>

#include "spirv/module.hpp"
#include "spirv/validate.hpp"

using namespace heddle;

namespace {

const std::string kTop = "OpCapability Shader\n";
const std::string kEntry =
    "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n";
const std::string kBody =
    "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%one = OpConstant %uint 1\n"
    "%main = OpFunction %void None %function\n%label = OpLabel\n";
const std::string kEnd = "OpReturn\nOpFunctionEnd\n";

spirv::Module assembled(const std::string& text, const char* env = "vulkan1.3") {
  auto module = spirv::assemble(text, "test.spvasm", env);
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : base::render(module.diagnostics()[0], {}, false));
  return module.ok() ? std::move(*module) : spirv::Module();
}

/// The module as a tool writes it: with a word changed.
spirv::Module with_word(const spirv::Module& module, std::uint16_t opcode, std::size_t index, std::uint32_t word) {
  std::vector<std::uint32_t> words = module.words;
  for (const spirv::Instruction& i : module.instructions)
    if (i.opcode == opcode) words[i.offset + index] = word;
  auto read = spirv::read_binary({reinterpret_cast<const std::uint8_t*>(words.data()), words.size() * 4}, "test.spv");
  EXPECT_TRUE(read.ok());
  return std::move(*read);
}

base::Diagnostics findings(const spirv::Module& module, const char* env = "vulkan1.3") {
  base::Diagnostics found;
  spirv::validate(module, {env, false}, found);
  return found;
}

std::string text_of(const base::Diagnostics& found) { return base::render(found, {}, false); }

TEST(DebugWords, UnknownSourceLanguages) {
  const spirv::Module module = assembled(kTop + kEntry + "OpSource GLSL 450\n" + kBody + kEnd);
  for (const std::uint32_t language : {11u, 12u, 4711u})
    EXPECT_TRUE(findings(with_word(module, 3, 1, language)).empty())
        << text_of(findings(with_word(module, 3, 1, language)));
  // In text too, by a word that the assembler does not have.
  EXPECT_TRUE(findings(assembled(kTop + kEntry + "OpSource Slang 1\n" + kBody + kEnd)).empty());
}

// A module in which nothing was found is not looked at again, but against other rules and with other words it is.
TEST(DebugWords, SoundModulesAreKnownByTheirWordsAndRules) {
  const std::string block =
      "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\nOpDecorate %array ArrayStride 4\n"
      "OpDecorate %data DescriptorSet 0\nOpDecorate %data Binding 0\n";
  const std::string types =
      "%array = OpTypeArray %uint %one\n%block = OpTypeStruct %array\n"
      "%pointer = OpTypePointer Uniform %block\n%data = OpVariable %pointer Uniform\n";
  std::string body = kBody;
  body.insert(body.find("%main ="), types);
  const spirv::Module module = assembled(kTop + kEntry + block + body + kEnd);
  const auto found = [&](const spirv::Module& m, bool scalar, const char* env = "vulkan1.3") {
    base::Diagnostics all;
    spirv::ValidateOptions options;
    options.target_env = env;
    options.layout.scalar = scalar;
    spirv::validate(m, options, all);
    return !all.empty();
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(found(module, true));
    EXPECT_TRUE(found(module, false));                           // elements of a uniform block are 16 bytes apart
    EXPECT_TRUE(found(with_word(module, 71, 2, 0x7fff), true));  // a decoration that there is not
  }
}

TEST(DebugWords, UnknownGenerators) {
  const spirv::Module module = assembled(kTop + kEntry + kBody + kEnd);
  std::vector<std::uint32_t> words = module.words;
  words[2] = 0xfffe0123;
  const auto read =
      spirv::read_binary({reinterpret_cast<const std::uint8_t*>(words.data()), words.size() * 4}, "t.spv");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(findings(*read).empty());
}

TEST(DebugWords, UnknownNonSemanticSets) {
  const std::string extension = "OpExtension \"SPV_KHR_non_semantic_info\"\n";
  const auto with = [&](const std::string& extensions, const std::string& set, const std::string& number) {
    return assembled(kTop + extensions + "%set = OpExtInstImport \"" + set + "\"\n" + kEntry + kBody +
                     "%debug = OpExtInst %void %set " + number + " %one\n" + kEnd);
  };
  EXPECT_TRUE(findings(with(extension, "NonSemantic.FromTheFuture", "1234")).empty());
  // An instruction that a known set does not have, as a newer tool writes it: said, but no error.
  const spirv::Module known = with(extension, "NonSemantic.Shader.DebugInfo.100", "DebugOperation");
  const base::Diagnostics found = findings(with_word(known, 12, 4, 4000));
  EXPECT_FALSE(found.has_errors()) << text_of(found);
  EXPECT_EQ(found.warnings(), 1u);
  // What is wrong beside it is still found.
  const base::Diagnostics both = findings(with_word(with_word(known, 12, 4, 4000), 17, 1, 4));
  EXPECT_TRUE(both.has_errors());
}

TEST(DebugWords, ForwardReferencesInDebugInformation) {
  const spirv::Module known =
      assembled(kTop + "OpExtension \"SPV_KHR_non_semantic_info\"\n%set = OpExtInstImport \"NonSemantic.New\"\n" +
                kEntry + kBody + "%debug = OpExtInst %void %set 1 %one\n" + kEnd);
  std::vector<std::uint32_t> words = known.words;
  for (const spirv::Instruction& i : known.instructions)
    if (i.opcode == 12) words[i.offset] = (words[i.offset] & 0xffff0000u) | 4433;  // OpExtInstWithForwardRefsKHR
  const auto read =
      spirv::read_binary({reinterpret_cast<const std::uint8_t*>(words.data()), words.size() * 4}, "t.spv");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(findings(*read).empty()) << text_of(findings(*read));
}

/// The interface of 1.4 names all variables, that of 1.0 only inputs and outputs: each text is valid in its own
/// versions.
TEST(TextVersions, TheVersionThatTheTextNeeds) {
  const std::string variable = "%pointer = OpTypePointer Private %uint\n%global = OpVariable %pointer Private\n";
  const auto text = [&](const std::string& interface) {
    std::string body = kBody;
    body.insert(body.find("%main ="), variable);
    return kTop + "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"" + interface +
           "\nOpExecutionMode %main LocalSize 1 1 1\n" + body + "%loaded = OpLoad %uint %global\n" + kEnd;
  };
  const spirv::Module old = assembled(text(""));
  EXPECT_EQ(old.version, 0x00010300u);
  EXPECT_EQ(old.words[1], old.version);
  EXPECT_TRUE(findings(old).empty()) << text_of(findings(old));
  const spirv::Module now = assembled(text(" %global"));
  EXPECT_EQ(now.version, 0x00010600u);
  EXPECT_TRUE(findings(now).empty());
  EXPECT_EQ(assembled(text(" %global"), "vulkan1.2").version, 0x00010500u);
}

TEST(TextVersions, ADeclaredVersionIsKept) {
  const std::string module = kTop + kEntry + kBody + kEnd;
  EXPECT_EQ(assembled("; SPIR-V\n; Version: 1.2\n; Generator: x\n" + module).version, 0x00010200u);
  EXPECT_EQ(assembled(module).version, 0x00010600u);
  EXPECT_EQ(assembled("; Version: 1.6\n" + module, "vulkan1.0").version, 0x00010000u);
}

TEST(Findings, PointToTheInstruction) {
  // The store's object has the wrong type: line 13 of the text.
  const std::string text =
      kTop + kEntry +
      "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%float = OpTypeFloat 32\n"
      "%one = OpConstant %uint 1\n%pointer = OpTypePointer Function %float\n%main = OpFunction %void None %function\n"
      "%label = OpLabel\n%v = OpVariable %pointer Function\n  OpStore %v %one\n" +
      kEnd;
  const spirv::Module module = assembled(text);
  const base::Diagnostics found = findings(module);
  ASSERT_EQ(found.all().size(), 1u);
  EXPECT_EQ(found.all()[0].place.line, 14u) << text_of(found);
  EXPECT_EQ(found.all()[0].place.column, 3u);
  // Of a binary: the byte where the instruction begins.
  const auto read = spirv::read_binary(
      {reinterpret_cast<const std::uint8_t*>(module.words.data()), module.words.size() * 4}, "t.spv");
  ASSERT_TRUE(read.ok());
  std::uint64_t store = 0;
  for (const spirv::Instruction& i : read->instructions)
    if (i.opcode == 62) store = i.offset * 4;
  EXPECT_EQ(findings(*read).all().at(0).place.offset, store);
}

}  // namespace
