#pragma once
#include <cstdint>
#include <string_view>

#include "spirv/compile/core/builder.hpp"

namespace heddle::spirv::compiler {

enum class Axis : std::uint8_t { X, Y };

/// Difference inside each quad (lanes 0 1 / 2 3 of each group of four): fine ones by rows and columns, coarse ones one
/// for each quad.
[[nodiscard]] Part derivative_of(VisaWriter& b, const Part& value, Axis axis, bool coarse, std::string_view hint);

}  // namespace heddle::spirv::compiler
