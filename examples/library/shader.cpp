// SPDX-License-Identifier: MIT
// heddle/shader.hpp: a SPIR-V compute shader is checked and compiled to a vISA program.
#include <heddle/shader.hpp>
#include <iostream>

int main() {
  const auto shader = heddle::Shader::assemble(R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 16 1 1
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %main = OpFunction %void None %fn
      %entry = OpLabel
               OpReturn
               OpFunctionEnd
)",
                                               "empty.spvasm");
  if (!shader.ok()) return std::cerr << heddle::to_text(shader.diagnostics()), 1;
  if (const auto findings = shader->check(); heddle::has_errors(findings))
    return std::cerr << heddle::to_text(findings), 1;
  heddle::CompileOptions options;
  options.entry = shader->entry_points().at(0).name;
  options.simd = 16;
  const auto program = shader->compile(options);
  if (!program.ok()) return std::cerr << heddle::to_text(program.diagnostics()), 1;
  std::cout << program->source();
  return program->kernels().size() == 1 ? 0 : 1;
}
