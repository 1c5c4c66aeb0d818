// SPDX-License-Identifier: MIT
#pragma once
// Operations that the SPIR-V headers of Debian 12 do not have.

#include <cstdint>

namespace heddle::spirv {

/// OpExtInstWithForwardRefsKHR: OpExtInst in debug information.
inline constexpr std::uint16_t kExtInstWithForwardRefs = 4433;

}  // namespace heddle::spirv
