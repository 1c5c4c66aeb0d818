// SPDX-License-Identifier: MIT
// heddle/shader.hpp and heddle/run.hpp: a compute shader doubles the numbers of a buffer.
#include <heddle/run.hpp>
#include <heddle/shader.hpp>
#include <iostream>

const char* const kDouble = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %id
               OpExecutionMode %main LocalSize 16 1 1
               OpName %data "data"
               OpDecorate %id BuiltIn GlobalInvocationId
               OpDecorate %array ArrayStride 4
               OpDecorate %block BufferBlock
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %data DescriptorSet 0
               OpDecorate %data Binding 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %uint = OpTypeInt 32 0
      %float = OpTypeFloat 32
      %uvec3 = OpTypeVector %uint 3
      %array = OpTypeRuntimeArray %float
      %block = OpTypeStruct %array
   %p_uvec3 = OpTypePointer Input %uvec3
    %p_uint = OpTypePointer Input %uint
   %p_block = OpTypePointer Uniform %block
   %p_float = OpTypePointer Uniform %float
         %id = OpVariable %p_uvec3 Input
       %data = OpVariable %p_block Uniform
       %zero = OpConstant %uint 0
       %main = OpFunction %void None %fn
      %entry = OpLabel
         %ix = OpAccessChain %p_uint %id %zero
          %i = OpLoad %uint %ix
         %at = OpAccessChain %p_float %data %zero %i
          %x = OpLoad %float %at
          %y = OpFAdd %float %x %x
               OpStore %at %y
               OpReturn
               OpFunctionEnd
)";

int main() {
  const auto shader = heddle::Shader::assemble(kDouble, "double.spvasm", "vulkan1.0");
  if (!shader.ok()) return std::cerr << heddle::to_text(shader.diagnostics(), kDouble), 1;
  heddle::CompileOptions options;
  options.target_environment = "vulkan1.0";
  const auto program = shader->compile(options);
  if (!program.ok()) return std::cerr << heddle::to_text(program.diagnostics(), kDouble), 1;

  const auto data = heddle::Buffer::of<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  heddle::Run run(*program);
  run.bind("data", data);
  for (int i = 0; i < 2; ++i)
    if (const auto report = run.dispatch({16}); !report.ok())
      return std::cerr << heddle::to_text(report.diagnostics()), 1;
  std::cout << "1 and 16, doubled twice: " << data.as<float>()[0] << " and " << data.as<float>()[15] << "\n";
  return data.as<float>()[0] == 4 && data.as<float>()[15] == 64 ? 0 : 1;
}
