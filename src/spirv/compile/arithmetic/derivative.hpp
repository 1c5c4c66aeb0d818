#pragma once
#include <cstdint>
#include <string_view>

#include "spirv/compile/core/context.hpp"
#include "spirv/compile/writer/visa_writer.hpp"

namespace heddle::spirv::compiler {

enum class Axis : std::uint8_t { X, Y };

/// Difference inside each quad (lanes 0 1 / 2 3 of each group of four): fine ones by rows and columns, coarse ones one
/// for each quad.
[[nodiscard]] Part derivative_of(VisaWriter& b, const Part& value, Axis axis, bool coarse, std::string_view hint);

/// R22: whether the entry point has implicit derivatives.
[[nodiscard]] bool has_derivatives(const ShaderTranslator& t);

/// What comes next takes differences inside quads: those who check a run see whether the quads are whole there. Not in
/// shaders with OpKill, behind which lanes that have ended are no mistake.
void mark_quads(ShaderTranslator& t);

}  // namespace heddle::spirv::compiler
