// SPDX-License-Identifier: MIT
// SPV-51: modules that lack the capabilities and extensions which their instructions need. Mesa's zink writes such
// ones.

#include <gtest/gtest.h>

#include <cstdlib>
#include <spirv/unified1/spirv.hpp>

#include "vulkan/canvas.hpp"
#include "vulkan/feature_kit.hpp"

namespace heddle::test {
namespace {

/// The module without any declaration of an optional capability, and without its extensions.
std::vector<std::uint32_t> stripped(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint32_t> left(words.begin(), words.begin() + 5);
  for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const std::uint32_t opcode = words[at] & 0xffffu;
    if (opcode == spv::OpExtension || (opcode == spv::OpCapability && words[at + 1] != spv::CapabilityShader)) continue;
    const auto from = words.begin() + static_cast<std::ptrdiff_t>(at);
    left.insert(left.end(), from, from + static_cast<std::ptrdiff_t>(words[at] >> 16));
  }
  return left;
}

struct Missing {
  const char* what;
  const char* extension;  ///< of GLSL; may be empty
  const char* statements;
  std::uint32_t first, second;  ///< the pixels in the left and in the right half
};

TEST(VulkanMissingWords, AreAdded_SPV51) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "breaks the rules on purpose";
  const Missing cases[] = {
      {"Layer", "", "o.x = (1 + gl_Layer) / 255.0;", 0xff000001, 0xff000001},
      {"ViewportIndex", "", "o.x = (2 + gl_ViewportIndex) / 255.0;", 0xff000002, 0xff000002},
      {"PrimitiveId", "", "o.x = (3 + gl_PrimitiveID) / 255.0;", 0xff000003, 0xff000003},
      {"SampleId", "", "o.x = (4 + gl_SampleID) / 255.0;", 0xff000004, 0xff000004},
      {"SamplePosition", "", "o.xy = gl_SamplePosition * 10 / 255.0;", 0xff000505, 0xff000505},
      {"demote", "#extension GL_EXT_demote_to_helper_invocation : require\n",
       "o.x = 6 / 255.0; if (gl_FragCoord.x < 1) demote; if (helperInvocationEXT()) o.x = 1;", 0, 0xff000006},
  };
  Canvas c(2, 1);
  for (const Missing& each : cases) {
    PipelineState s;
    s.vertex = covering_vertices();
    const auto words = compile_shader(std::string("#version 450\n") + each.extension +
                                          "layout(location = 0) out vec4 o;\nvoid main() { o = vec4(0, 0, 0, 1); " +
                                          each.statements + " }\n",
                                      "frag");
    s.fragment_words = stripped(words);
    ASSERT_LT(s.fragment_words.size(), words.size()) << each.what;
    const VkPipeline pipeline = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(b, 3, 1, 0, 0);
    });
    EXPECT_EQ(c.pixels(), (std::vector<std::uint32_t>{each.first, each.second})) << each.what;
  }
}

/// Sixteen invocations add, take the least and the greatest of 1 to 16, through pointers to integers.
constexpr const char* kAtomicsOnBits = R"(
OpCapability Shader
OpCapability AtomicFloat32AddEXT
OpCapability AtomicFloat32MinMaxEXT
OpExtension "SPV_EXT_shader_atomic_float_add"
OpExtension "SPV_EXT_shader_atomic_float_min_max"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize 16 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%to_index = OpTypePointer Input %uint
%index = OpVariable %to_index Input
%out = OpVariable %to_block StorageBuffer
%0 = OpConstant %uint 0
%1 = OpConstant %uint 1
%2 = OpConstant %uint 2
%main = OpFunction %void None %function
%label = OpLabel
%n = OpLoad %uint %index
%n1 = OpIAdd %uint %n %1
%value = OpConvertUToF %float %n1
%minus = OpFNegate %float %value
%a = OpAccessChain %to_uint %out %0 %0
%b = OpAccessChain %to_uint %out %0 %1
%c = OpAccessChain %to_uint %out %0 %2
%sum = OpAtomicFAddEXT %float %a %1 %0 %value
%least = OpAtomicFMinEXT %float %b %1 %0 %minus
%most = OpAtomicFMaxEXT %float %c %1 %0 %value
OpReturn
OpFunctionEnd
)";

TEST(VulkanMissingWords, AtomicsOnNumbersMayGoThroughPointersToIntegers_SPV51) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "breaks the rules on purpose";
  VulkanDevice v({VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME});
  const auto words = assemble(kAtomicsOnBits);
  if (words.empty()) GTEST_SKIP() << "spirv-as is not installed";
  const auto o = FeatureRun(v).run("", words);
  ASSERT_GE(o.size(), 3u);
  EXPECT_EQ(o[0], 0x43080000u) << "136";
  EXPECT_EQ(o[1], 0xc1800000u) << "-16";
  EXPECT_EQ(o[2], 0x41800000u) << "16";
}

}  // namespace
}  // namespace heddle::test
