// SPDX-License-Identifier: MIT
#pragma once
// What a shader calls the variables of the program that it was compiled to.

#include <string>
#include <vector>

#include "isa/program.hpp"

namespace heddle::isa {

/// By general variable: "vec3 tint, x", "float depth"; empty for what has no name of its own, and for kernels that no
/// shader became. Types in the words of GLSL, or of HLSL where a source says that it is that.
[[nodiscard]] std::vector<std::string> shader_names(const Object& object);

}  // namespace heddle::isa
