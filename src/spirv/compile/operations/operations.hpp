// SPDX-License-Identifier: MIT
#pragma once
// The tables of this folder, and the handlers that stand in a table of another file.

#include <span>

#include "spirv/compile/core/handler.hpp"

namespace heddle::spirv::compiler {

[[nodiscard]] std::span<const Op> arithmetic_ops();  // arithmetic, logic, comparison, bit fields, matrices
[[nodiscard]] std::span<const Op> conversion_ops();
[[nodiscard]] std::span<const Op> composite_ops();  // composites, vectors, copies
[[nodiscard]] std::span<const Op> memory_ops();     // memory_ops.cpp: variables, access chains, load, store, copy
[[nodiscard]] std::span<const Op> pointer_ops();    // pointers as numbers, comparisons of pointers
[[nodiscard]] std::span<const Op> barrier_ops();    // atomic.cpp: barriers, interlocks
[[nodiscard]] std::span<const Op> derivative_ops();
[[nodiscard]] std::span<const Op> subgroup_ops();
[[nodiscard]] std::span<const Op> cooperative_matrix_ops();
[[nodiscard]] std::span<const Op> emission_ops();  // emission.cpp: what geometry and mesh shaders give

// --- of logic.cpp, bits.cpp and matrix.cpp, listed in arithmetic.cpp ---
void translate_comparison(ShaderContext& t);
void translate_logic(ShaderContext& t);
void translate_select(ShaderContext& t);
void translate_bits(ShaderContext& t);
void translate_shift(ShaderContext& t);
void translate_matrix(ShaderContext& t);
void translate_integer_dot(ShaderContext& t);

/// An atomic of buffers and shared memory (atomic.cpp); those of texels are listed and told apart in
/// images/image_atomic.cpp.
void translate_memory_atomic(ShaderContext& t);

/// What comes next takes differences inside quads: those who check a run see whether the quads are whole there. Not in
/// shaders with OpKill, behind which lanes that have ended are no mistake.
void mark_quads(ShaderContext& t);

}  // namespace heddle::spirv::compiler
