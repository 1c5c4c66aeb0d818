// SPDX-License-Identifier: MIT
// Modules that ask for more than a program can have, strange names, and what messages call things.
// Rules: compile-limit, compile-unsupported, compile-internal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/internal_error.hpp"
#include "job/shader/interface.hpp"
#include "shader.hpp"
#include "spirv/compile/output_check.hpp"
#include "spirv/names.hpp"
#include "support/processor_time.hpp"
#include "text/text.hpp"

using namespace heddle;
using namespace heddle::test;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

/// A fragment shader; `interface` names variables, `declarations` has them and decorations stand in `decorations`.
std::string fragment(const std::string& interface, const std::string& decorations, const std::string& declarations,
                     const std::string& body, const std::string& names = {}) {
  return "OpCapability Shader\nOpCapability SampleRateShading\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment "
         "%main \"main\" " +
         interface + "\nOpExecutionMode %main OriginUpperLeft\n" + names + decorations +
         "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%int = OpTypeInt 32 1\n%uint = OpTypeInt 32 0\n"
         "%float = OpTypeFloat 32\n%v4 = OpTypeVector %float 4\n%zero = OpConstant %int 0\n%one = OpConstant %int 1\n"
         "%half = OpConstant %float 0.5\n%gray = OpConstantComposite %v4 %half %half %half %half\n" +
         declarations + "%main = OpFunction %void None %function\n%label = OpLabel\n" + body +
         "OpReturn\nOpFunctionEnd\n";
}

std::string sample_mask(std::uint32_t length) {
  return fragment(
      "%mask %color", "OpDecorate %mask BuiltIn SampleMask\nOpDecorate %color Location 0\n",
      "%length = OpConstant %uint " + std::to_string(length) +
          "\n%array = OpTypeArray %int %length\n%to_array = OpTypePointer Output %array\n"
          "%mask = OpVariable %to_array Output\n%to_int = OpTypePointer Output %int\n"
          "%to_v4 = OpTypePointer Output %v4\n%color = OpVariable %to_v4 Output\n"
          "%seven = OpConstant %int 7\n",
      std::string("%first = OpAccessChain %to_int %mask %zero\nOpStore %first %seven\n") +
          (length == 1 ? std::string() : "%second = OpAccessChain %to_int %mask %one\nOpStore %second %one\n") +
          "OpStore %color %gray\n");
}

TEST(Limits, SampleMasksOfSeveralWords) {
  for (const unsigned simd : {8u, 16u, 32u}) {
    spirv::CompileOptions options;
    options.simd = simd;
    const CompiledShader two = compile_shader(assemble_shader(sample_mask(2)), options);
    ASSERT_TRUE(two.ok) << two.messages;
    EXPECT_THAT(two.text, Not(HasSubstr(" subspans(0,0)<1>")));
    const CompiledShader many = compile_shader(assemble_shader(sample_mask(8192)), options);
    EXPECT_FALSE(many.ok);
    EXPECT_THAT(many.messages, HasSubstr("more than 4096 scalars [compile-limit]"));
  }
}

TEST(Limits, NineColorTargets) {
  const auto targets = [](unsigned count) {
    std::string interface, decorations, variables, body;
    for (unsigned k = 0; k < count; ++k) {
      const std::string name = "%color" + std::to_string(k);
      interface += name + " ";
      decorations += "OpDecorate " + name + " Location " + std::to_string(k) + "\n";
      variables += name + " = OpVariable %to_v4 Output\n";
      body += "OpStore " + name + " %gray\n";
    }
    return compile_shader(
        assemble_shader(fragment(interface, decorations, "%to_v4 = OpTypePointer Output %v4\n" + variables, body)));
  };
  EXPECT_TRUE(targets(8).ok) << targets(8).messages;
  EXPECT_FALSE(targets(9).ok);
  EXPECT_THAT(targets(9).messages,
              HasSubstr("a fragment shader writes to at most 8 color targets [compile-unsupported]"));
}

/// An array of arrays of vectors; `storage` is Input or Output.
std::string large_array(const std::string& storage, const std::string& model, std::uint32_t outer,
                        std::uint32_t inner) {
  const bool fragment_stage = model == "Fragment";
  return "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint " + model + " %main \"main\" %many\n" +
         (fragment_stage ? "OpExecutionMode %main OriginUpperLeft\n" : "") +
         "OpName %many \"many\"\nOpDecorate %many Location 0\n%void = OpTypeVoid\n%function = OpTypeFunction %void\n"
         "%uint = OpTypeInt 32 0\n%float = OpTypeFloat 32\n%zero = OpConstant %uint 0\n%half = OpConstant %float 0.5\n"
         "%inner_length = OpConstant %uint " +
         std::to_string(inner) + "\n%outer_length = OpConstant %uint " + std::to_string(outer) +
         "\n%inner = OpTypeArray %float %inner_length\n%outer = OpTypeArray %inner %outer_length\n"
         "%to_outer = OpTypePointer " +
         storage + " %outer\n%to_float = OpTypePointer " + storage +
         " %float\n"
         "%many = OpVariable %to_outer " +
         storage +
         "\n%main = OpFunction %void None %function\n%label = OpLabel\n"
         "%one = OpAccessChain %to_float %many %zero %zero\n" +
         (storage == "Input" ? "%loaded = OpLoad %float %one\n" : "OpStore %one %half\n") + "OpReturn\nOpFunctionEnd\n";
}

TEST(Limits, MoreInputsAndOutputsThanScalars) {
  for (const char* storage : {"Input", "Output"})
    for (const char* model : {"Fragment", "Vertex"}) {
      const CompiledShader shader = compile_shader(assemble_shader(large_array(storage, model, 60, 100)));
      EXPECT_FALSE(shader.ok) << storage << model;
      EXPECT_THAT(shader.messages, HasSubstr("more than 4096 scalars [compile-limit]"));
    }
}

/// Every element of an array has its place, those behind the 64th too.
TEST(Limits, OutputsOfLongArraysAreKept) {
  const CompiledShader shader = compile_shader(assemble_shader(large_array("Output", "Vertex", 2, 100)));
  ASSERT_TRUE(shader.ok) << shader.messages;
  EXPECT_THAT(shader.text, HasSubstr("output 796 199 0 f32 smooth many"));
}

TEST(Limits, TimeDoesNotGrowWithADeclaredLength) {
  const double start = test::processor_seconds();
  for (const char* storage : {"Input", "Output"}) {
    const CompiledShader shader = compile_shader(assemble_shader(large_array(storage, "Vertex", 4000, 5000)));
    EXPECT_THAT(shader.messages, HasSubstr("[compile-limit]"));
  }
  EXPECT_LT(test::processor_seconds() - start, 5 * test::kSlowness);
}

/// No width gives a program that fits no platform.
TEST(Limits, FragmentShadersForRegistersOf64Bytes) {
  const spirv::Module module = assemble_shader(sample_mask(1));
  for (const unsigned simd : {8u, 16u, 32u})
    for (const isa::Platform platform : {isa::Platform::SKL, isa::Platform::PVC, isa::Platform::XE2}) {
      spirv::CompileOptions options;
      options.simd = simd;
      options.platform = platform;
      const CompiledShader shader = compile_shader(module, options);
      EXPECT_EQ(shader.ok, platform == isa::Platform::SKL) << shader.messages;
      if (!shader.ok) EXPECT_THAT(shader.messages, HasSubstr("fragment shaders are not compiled for "));
    }
}

TEST(Limits, LocationsThatNoStageHas) {
  const CompiledShader shader = compile_shader(assemble_shader(
      fragment("%color", "OpDecorate %color Location 5000\n",
               "%to_v4 = OpTypePointer Output %v4\n%color = OpVariable %to_v4 Output\n", "OpStore %color %gray\n")));
  EXPECT_FALSE(shader.ok);
  EXPECT_THAT(shader.messages, HasSubstr("has location 5000: locations lie below 1024"));
}

TEST(Names, QuotesBackslashesAndLineEnds) {
  for (const std::string name : {"a\\\"b", "back\\\\slash", "two\nlines", "end\\\\", "tab\tand\rreturn", " spaces  ",
                                 "\x01\x7f", "\xff\xfe bytes"}) {
    std::string plain;  // as the module has it
    for (std::size_t k = 0; k < name.size(); ++k) plain += name[k] == '\\' ? name[++k] : name[k];
    const spirv::Module module = assemble_shader(
        fragment("%color", "OpDecorate %color Location 0\n",
                 "%to_v4 = OpTypePointer Output %v4\n%color = OpVariable %to_v4 Output\n", "OpStore %color %gray\n",
                 "OpName %color \"" + name + "\"\nOpName %main \"" + name + "\"\n"));
    const CompiledShader shader = compile_shader(module);
    ASSERT_TRUE(shader.ok) << name << shader.messages;
    base::Diagnostics found;
    const auto program = text::parse(shader.text, "t.visaasm", {}, found);
    ASSERT_TRUE(program && !found.has_errors()) << base::render(found, {}, false) << shader.text;
    const auto shown = job::read_interface(*program, program->objects[0], found);
    ASSERT_TRUE(shown) << base::render(found, {}, false);
    ASSERT_EQ(shown->surfaces.size(), 1u);
    EXPECT_EQ(shown->surfaces[0].name, plain);
    // Printed and read again, the name is the same.
    const auto again = text::parse(text::print(*program), "t.visaasm", {}, found);
    ASSERT_TRUE(again);
    EXPECT_EQ(job::read_interface(*again, again->objects[0], found)->surfaces[0].name, plain);
  }
}

// What is read of binaries, caches and files may be made up: a stage without the surfaces of its own is refused, so
// that nobody looks for them in vain.
TEST(Names, StagesHaveTheirOwnSurfaces_SPV31) {
  const std::map<std::string, std::vector<std::string>> stages = {
      {"geometry/squares.vert", {"vertex_outputs"}},
      {"geometry/fins", {"vertex_inputs", "primitive_vertices", "vertex_outputs", "emitted_counts"}},
      {"tessellation/control", {"vertex_inputs", "primitive_vertices", "vertex_outputs", "patch_outputs"}},
      {"tessellation/evaluation", {"vertex_inputs", "patch_inputs", "vertex_outputs"}},
      {"mesh/meshlet", {"work_groups", "group_counts", "vertex_outputs", "primitive_outputs"}},
      {"mesh/tasks", {"work_groups", "group_counts"}}};
  for (const auto& [name, kinds] : stages) {
    const CompiledShader shader = compile_shader(load_shader(name + ".spvasm"));
    ASSERT_TRUE(shader.ok) << name << shader.messages;
    for (const std::string& kind : kinds) {
      std::string text = shader.text;
      const std::size_t at = text.find(" " + kind);
      ASSERT_NE(at, std::string::npos) << name << kind;
      const std::size_t begin = text.rfind('\n', at), end = text.find('\n', at);
      EXPECT_THAT(text.substr(begin, end - begin), HasSubstr("surface T"));
      text.erase(begin, end - begin);
      base::Diagnostics found;
      const auto program = text::parse(text, "t.visaasm", {}, found);
      ASSERT_TRUE(program && !found.has_errors()) << base::render(found, {}, false);
      (void)job::read_interface(*program, program->objects[0], found);
      EXPECT_THAT(base::render(found, {}, false), HasSubstr("[shader-interface]")) << name << kind;
    }
  }
}

TEST(Names, OfEntryPointsAndFilesStayInTheirComment) {
  std::string text = fragment("", "", "", "");
  text.replace(text.find("\"main\""), 6, "\"x\nret (M1, 1)\\\\\"");
  auto module = spirv::assemble(text, "a\n.kernel \"b\".spvasm", "vulkan1.3");
  ASSERT_TRUE(module.ok());
  const CompiledShader shader = compile_shader(*module);
  ASSERT_TRUE(shader.ok) << shader.messages;
  EXPECT_THAT(shader.text, Not(HasSubstr("\nret (M1, 1)")));
  EXPECT_THAT(shader.text, Not(HasSubstr("\n.kernel \"b\"")));
}

TEST(Messages, NameBuiltIns) {
  const CompiledShader shader = compile_shader(assemble_shader(
      "OpCapability Shader\nOpCapability FragmentDensityEXT\nOpExtension \"SPV_EXT_fragment_invocation_density\"\n"
      "OpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %main \"main\" %size\nOpExecutionMode %main "
      "OriginUpperLeft\n"
      "OpDecorate %size BuiltIn FragSizeEXT\nOpDecorate %size Flat\n%void = OpTypeVoid\n%function = OpTypeFunction "
      "%void\n"
      "%int = OpTypeInt 32 1\n%v2 = OpTypeVector %int 2\n%to_v2 = OpTypePointer Input %v2\n%size = OpVariable %to_v2 "
      "Input\n"
      "%main = OpFunction %void None %function\n%label = OpLabel\nOpReturn\nOpFunctionEnd\n"));
  EXPECT_FALSE(shader.ok);
  EXPECT_THAT(shader.messages, HasSubstr("built-in input FragSizeEXT"));
  EXPECT_EQ(spirv::built_in_name(0), "Position");
  EXPECT_EQ(spirv::capability_name(4472), "RayQueryKHR");
  EXPECT_EQ(spirv::storage_class_name(12), "StorageBuffer");
  EXPECT_EQ(spirv::execution_model_name(3), "Geometry");
  EXPECT_EQ(spirv::glsl_instruction_name(31), "Sqrt");
  EXPECT_EQ(spirv::image_operand_names(3), "Bias|Lod");
  EXPECT_EQ(spirv::built_in_name(77777), "number 77777");
}

TEST(Messages, RayQueriesAreRefusedOnce) {
  std::string body;
  for (int k = 0; k < 5; ++k) body += "%go" + std::to_string(k) + " = OpRayQueryProceedKHR %bool %query\n";
  const CompiledShader shader = compile_shader(assemble_shader(
      "OpCapability Shader\nOpCapability RayQueryKHR\nOpExtension \"SPV_KHR_ray_query\"\nOpMemoryModel Logical "
      "GLSL450\n"
      "OpEntryPoint GLCompute %main \"main\" %world\nOpExecutionMode %main LocalSize 1 1 1\nOpDecorate %world "
      "DescriptorSet 0\n"
      "OpDecorate %world Binding 0\n%void = OpTypeVoid\n%function = OpTypeFunction %void\n%bool = OpTypeBool\n"
      "%uint = OpTypeInt 32 0\n%float = OpTypeFloat 32\n%v3 = OpTypeVector %float 3\n%zero = OpConstant %uint 0\n"
      "%none = OpConstant %float 0\n%origin = OpConstantComposite %v3 %none %none %none\n"
      "%structure = OpTypeAccelerationStructureKHR\n%to_structure = OpTypePointer UniformConstant %structure\n"
      "%world = OpVariable %to_structure UniformConstant\n%query_type = OpTypeRayQueryKHR\n"
      "%to_query = OpTypePointer Function %query_type\n%main = OpFunction %void None %function\n%label = OpLabel\n"
      "%query = OpVariable %to_query Function\n%loaded = OpLoad %structure %world\n"
      "OpRayQueryInitializeKHR %query %loaded %zero %zero %origin %none %origin %none\n" +
      body + "OpReturn\nOpFunctionEnd\n"));
  EXPECT_FALSE(shader.ok);
  EXPECT_THAT(shader.messages, HasSubstr("OpRayQueryInitializeKHR: ray queries are not supported"));
  EXPECT_EQ(std::count(shader.messages.begin(), shader.messages.end(), '\n'), 1) << shader.messages;
}

/// OpExtInstWithForwardRefsKHR of debug information, which the headers do not know: nothing uses its result.
TEST(Messages, ForwardReferencesInDebugInformationAreLeftOut) {
  const spirv::Module known = assemble_shader(
      "OpCapability Shader\nOpExtension \"SPV_KHR_non_semantic_info\"\n%set = OpExtInstImport \"NonSemantic.New\"\n"
      "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n"
      "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%main = OpFunction %void None %function\n"
      "%label = OpLabel\n%debug = OpExtInst %void %set 1 %void\nOpReturn\nOpFunctionEnd\n");
  std::vector<std::uint32_t> words = known.words;
  for (const spirv::Instruction& i : known.instructions)
    if (i.opcode == 12) words[i.offset] = (words[i.offset] & 0xffff0000u) | 4433;
  const auto module =
      spirv::read_binary({reinterpret_cast<const std::uint8_t*>(words.data()), words.size() * 4}, "t.spv");
  ASSERT_TRUE(module.ok());
  const CompiledShader shader = compile_shader(*module);
  EXPECT_TRUE(shader.ok && shader.messages.empty()) << shader.messages;
  EXPECT_EQ(spirv::opcode_name(4433), "OpExtInstWithForwardRefsKHR");
}

TEST(OutputCheck, FindsProgramsThatBreakRules) {
  base::Diagnostics found;
  EXPECT_TRUE(spirv::compiler::check_output(".version 4.1\n.kernel \"k\"\n.function \"f\"\nf:\n    ret (M1, 1)\n",
                                            "m.spv", isa::Platform::SKL, found));
  EXPECT_TRUE(found.empty());
  for (const char* wrong :
       {"this is no program\n",
        ".version 4.1\n.kernel \"k\"\n.decl x v_type=G type=f num_elts=4 align=GRF\n.function \"f\"\nf:\n"
        "    mov (M1, 16) x(0,0)<1> 0:f\n    ret (M1, 1)\n"}) {
    base::Diagnostics faults;
    EXPECT_FALSE(spirv::compiler::check_output(wrong, "m.spv", isa::Platform::SKL, faults));
    ASSERT_EQ(faults.all().size(), 1u);
    EXPECT_EQ(faults.all()[0].id, "compile-internal");
    EXPECT_TRUE(base::is_internal_error(faults.all()[0]));
    EXPECT_EQ(faults.exit_code(), base::ExitCode::Internal);
  }
}

}  // namespace
