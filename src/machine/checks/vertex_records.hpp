// SPDX-License-Identifier: MIT
#pragma once
// The records of vertices, which a compiled vertex shader writes and the stage behind it reads. While a run is checked,
// as many bytes follow them: those of dwords that the shader did not write are not 0.

#include <cstdint>
#include <string_view>

namespace heddle::machine {

/// The name of their surface.
inline constexpr std::string_view kVertexRecords = "vertex outputs";

}  // namespace heddle::machine
