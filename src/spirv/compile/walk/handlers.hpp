// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "spirv/compile/core/handler.hpp"

namespace heddle::spirv::compiler {
/// The function that translates an opcode; nullptr: unsupported.
[[nodiscard]] Handler find_handler(std::uint16_t opcode);
}  // namespace heddle::spirv::compiler
