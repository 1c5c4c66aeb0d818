// SPDX-License-Identifier: MIT
// OpExtInst: GLSL.std.450, and instruction sets without a meaning for the result.

#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp>
#include <string>

#include "spirv/compile/glsl/glsl.hpp"
#include "spirv/compile/operations/print.hpp"
#include "spirv/compile/operations/subgroup.hpp"
#include "spirv/names.hpp"
#include "spirv/newer_opcodes.hpp"

namespace heddle::spirv::compiler {
namespace {

void extended(ShaderContext& t) {
  const Instruction* import = t.module.find(t.operand(0));
  const std::string set = import == nullptr ? std::string{} : Module::string_at(import->operands, 0);
  if (set == "NonSemantic.DebugPrintf") return translate_print(t);
  // Debug information and the like: nothing uses their results.
  if (set.starts_with("NonSemantic.") || set.starts_with("OpenCL.DebugInfo.") || set == "DebugInfo") return;
  if (translate_amd(t, set)) return;
  if (set != "GLSL.std.450") {
    t.refuse(fmt::format("the instruction set \"{}\"", set));
    return;
  }
  if (glsl_elementwise(t) || glsl_integer(t) || glsl_pack(t) || glsl_vector(t) || glsl_interpolate(t)) return;
  t.refuse(fmt::format("{} of GLSL.std.450", glsl_instruction_name(extended_number(t))));
}

}  // namespace

std::span<const Op> glsl_ops() {
  static constexpr Op kOps[] = {{spv::OpExtInst, extended}, {kExtInstWithForwardRefs, extended}};
  return kOps;
}

}  // namespace heddle::spirv::compiler
