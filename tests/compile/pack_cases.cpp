// SPDX-License-Identifier: MIT
// GLSL.std.450's packing and bit searches, integer dot products.

#include "operation_cases.hpp"

namespace heddle::test {

std::vector<Operation> pack_operations() {
  const auto call = [](const std::string& name, const std::string& result, const std::string& operand) {
    return Operation{name, result, {operand}, "%r = OpExtInst %" + result + " %std " + name + " %a", ""};
  };
  const auto dot = [](const std::string& name, bool sum) {
    Operation o{name,
                "u32",
                {"u32", "u32"},
                "%r = Op" + name + " %u32 %a %b" + (sum ? " %c" : "") + " PackedVectorFormat4x8Bit",
                ""};
    if (sum) o.inputs.push_back("u32");
    return o;
  };
  return {call("PackSnorm4x8", "u32", "v4f32"),
          call("PackUnorm4x8", "u32", "v4f32"),
          call("PackSnorm2x16", "u32", "v2f32"),
          call("PackUnorm2x16", "u32", "v2f32"),
          call("PackHalf2x16", "u32", "v2f32"),
          call("UnpackSnorm4x8", "v4f32", "u32"),
          call("UnpackUnorm4x8", "v4f32", "u32"),
          call("UnpackSnorm2x16", "v2f32", "u32"),
          call("UnpackUnorm2x16", "v2f32", "u32"),
          call("UnpackHalf2x16", "v2f32", "u32"),
          call("FindILsb", "u32", "u32"),
          call("FindUMsb", "u32", "u32"),
          call("FindSMsb", "u32", "u32"),
          dot("SDot", false),
          dot("UDot", false),
          dot("SUDot", false),
          dot("SDotAccSat", true),
          dot("UDotAccSat", true)};
}

}  // namespace heddle::test
