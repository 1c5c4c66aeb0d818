// SPDX-License-Identifier: MIT
// What producers are known to write against the rules passes in lenient mode alone. Rules: SPV-51.
#include <gtest/gtest.h>

#include <string>

#include "spirv/module.hpp"
#include "spirv/validate.hpp"

using namespace heddle;

namespace {

/// What validation says of a module.
std::string findings(const std::string& text, bool lenient) {
  const auto module = spirv::assemble(text, "test.spvasm", "vulkan1.3");
  if (!module.ok()) return base::render(module.diagnostics()[0], {}, false);
  base::Diagnostics found;
  spirv::validate(*module, {"vulkan1.3", lenient}, found);
  return base::render(found, {}, false);
}

/// A tessellation control shader with an output of vertices at location 0, and one of patches.
std::string patch_at(const std::string& location, const std::string& second = "OpDecorate %other Location 3\n") {
  return "OpCapability Tessellation\nOpMemoryModel Logical GLSL450\n"
         "OpEntryPoint TessellationControl %main \"main\" %vertices %patch %other\n"
         "OpExecutionMode %main OutputVertices 3\nOpDecorate %vertices Location 0\nOpDecorate %patch Patch\n"
         "OpDecorate %patch Location " +
         location + "\n" + second +
         "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%three = OpConstant %uint 3\n"
         "%float = OpTypeFloat 32\n%all = OpTypeArray %float %three\n%to_all = OpTypePointer Output %all\n"
         "%to_float = OpTypePointer Output %float\n%vertices = OpVariable %to_all Output\n"
         "%patch = OpVariable %to_float Output\n%other = OpVariable %to_all Output\n"
         "%main = OpFunction %void None %function\n%label = OpLabel\nOpReturn\nOpFunctionEnd\n";
}

TEST(LenientWords, PatchesMayHaveLocationsOfVertices_SPV51) {
  EXPECT_EQ(findings(patch_at("1"), false), "");
  EXPECT_EQ(findings(patch_at("1"), true), "");
  EXPECT_NE(findings(patch_at("0"), false).find("conflicting output location"), std::string::npos);
  EXPECT_EQ(findings(patch_at("0"), true), "");
  // Two outputs of vertices at one location never pass.
  EXPECT_NE(findings(patch_at("1", "OpDecorate %other Location 0\n"), true).find("conflicting"), std::string::npos);
}

/// An atomic operation on a number, through a pointer to `pointee`.
std::string atomic_through(const std::string& pointee) {
  return "OpCapability Shader\nOpCapability AtomicFloat32AddEXT\nOpCapability Int64\n"
         "OpExtension \"SPV_EXT_shader_atomic_float_add\"\nOpMemoryModel Logical GLSL450\n"
         "OpEntryPoint GLCompute %main \"main\" %shared\nOpExecutionMode %main LocalSize 1 1 1\n"
         "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n"
         "%float = OpTypeFloat 32\n%to = OpTypePointer Workgroup %" +
         pointee +
         "\n%shared = OpVariable %to Workgroup\n%two = OpConstant %uint 2\n%none = OpConstant %uint 0\n"
         "%one = OpConstant %float 1\n%main = OpFunction %void None %function\n%label = OpLabel\n"
         "%sum = OpAtomicFAddEXT %float %shared %two %none %one\nOpReturn\nOpFunctionEnd\n";
}

TEST(LenientWords, AtomicsOnNumbersMayGoThroughPointersToIntegers_SPV51) {
  for (const bool lenient : {false, true}) {
    EXPECT_EQ(findings(atomic_through("float"), lenient), "");
    EXPECT_NE(findings(atomic_through("ulong"), lenient), "");
    EXPECT_EQ(findings(atomic_through("uint"), lenient).empty(), lenient);
  }
}

}  // namespace
