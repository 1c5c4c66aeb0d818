// SPDX-License-Identifier: MIT
#pragma once
// The functions of functions.glsl, put into another module.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "layer/rewriter/writer.hpp"

namespace heddle::layer {

struct LinkedFunction {
  std::uint32_t id = 0, type = 0;  ///< of the function, and of what it returns
};

/// Name without its parameters -> function.
using LinkedFunctions = std::map<std::string, LinkedFunction, std::less<>>;

/// Writes all types, constants and the functions that a name of `wanted` needs.
[[nodiscard]] LinkedFunctions link_functions(ModuleWriter& writer, std::span<const std::string_view> wanted);

}  // namespace heddle::layer
