// SPDX-License-Identifier: MIT
#pragma once
// Names of SPIR-V's enumerants, for messages: what these headers do not know is "number 12345".

#include <cstdint>
#include <string>

namespace heddle::spirv {

[[nodiscard]] std::string built_in_name(std::uint32_t value);          ///< "FragCoord"
[[nodiscard]] std::string capability_name(std::uint32_t value);        ///< "RayQueryKHR"
[[nodiscard]] std::string execution_model_name(std::uint32_t value);   ///< "GLCompute"
[[nodiscard]] std::string storage_class_name(std::uint32_t value);     ///< "StorageBuffer"
[[nodiscard]] std::string glsl_instruction_name(std::uint32_t value);  ///< of GLSL.std.450: "InverseSqrt"
[[nodiscard]] std::string image_operand_names(std::uint32_t mask);     ///< "Bias|MinLod"

}  // namespace heddle::spirv
