// SPDX-License-Identifier: MIT
#pragma once
// Differences inside quads, lanes 0 1 / 2 3 of each group of four. Helper lanes are active lanes like the others.

#include <cstdint>
#include <string_view>

#include "spirv/compile/writer/visa_writer.hpp"

namespace heddle::spirv::compiler {

enum class Axis : std::uint8_t { X, Y };

/// Fine differences are taken by rows and columns, coarse ones are one for each quad.
[[nodiscard]] Part derivative_of(VisaWriter& b, const Part& value, Axis axis, bool coarse, std::string_view hint);

}  // namespace heddle::spirv::compiler
