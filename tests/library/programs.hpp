// SPDX-License-Identifier: MIT
#pragma once
// Programs that tests of runs share.

#include <string>

#include "heddle/run.hpp"
#include "heddle/shader.hpp"

namespace heddle::test {

/// Samples T6 with S0 at the pixel inputs u and v, stores the negative in T7.
inline const std::string kNegative = R"(.version 4.1
.kernel "negative"
.decl u v_type=G type=f num_elts=16 align=GRF
.decl v v_type=G type=f num_elts=16 align=GRF
.decl c v_type=G type=f num_elts=64 align=GRF
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.input u offset=64 size=64
.input v offset=128 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "negative_main"
negative_main:
    sample_lz.RGBA (M1, 16) 0x0:uw S0 T6 c.0 u.0 v.0
    add (M1, 16) c(0,0)<1> (-)c(0,0)<1;1,0> 1.0:f
    add (M1, 16) c(2,0)<1> (-)c(2,0)<1;1,0> 1.0:f
    add (M1, 16) c(4,0)<1> (-)c(4,0)<1;1,0> 1.0:f
    rt_write_3d.<LRTW> (M1, 16) T7 %null.0 c.0 c.64 c.128 c.192
    ret (M1_NM, 1)
)";

/// Doubles the float of each invocation in the buffer `data` (set 0, binding 3).
inline const std::string kDouble = R"(
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
               OpDecorate %data Binding 3
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

/// The program of a shader's assembly.
inline Result<Program> compile(const std::string& assembly) {
  const auto shader = Shader::assemble(assembly, "test.spvasm", "vulkan1.0");
  if (!shader.ok()) return shader.diagnostics();
  CompileOptions options;
  options.target_environment = "vulkan1.0";
  return shader->compile(options);
}

}  // namespace heddle::test
