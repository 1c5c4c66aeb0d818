// SPDX-License-Identifier: MIT
#pragma once
// Vertex shaders of bench_vulkan and bench_quick, which need no buffers.

namespace heddle::bench {

/// 2000 columns and 500 rows of cells, each with a right-angled triangle over its upper left half.
inline constexpr const char* kSmall =
    "#version 450\nvoid main() { uint cell = uint(gl_VertexIndex) / 3u, corner = uint(gl_VertexIndex) % 3u;\n"
    "  vec2 p = vec2(float(cell % 2000u) + (corner == 1u ? 1.0 : 0.0), float(cell / 2000u) + (corner == 2u ? 1.0 : "
    "0.0));\n  gl_Position = vec4(p * vec2(2.0 / 2000.0, 2.0 / 500.0) - 1.0, 0.0, 1.0); }\n";
/// The same with colors, in perspective.
inline constexpr const char* kShaded =
    "#version 450\nlayout(location = 0) out vec3 color;\nvoid main() {\n"
    "  uint cell = uint(gl_VertexIndex) / 3u, corner = uint(gl_VertexIndex) % 3u;\n"
    "  vec2 p = vec2(float(cell % 2000u) + (corner == 1u ? 1.0 : 0.0), float(cell / 2000u) + (corner == 2u ? 1.0 : "
    "0.0));\n  p = p * vec2(2.0 / 2000.0, 2.0 / 500.0) - 1.0; color = vec3(p, float(corner));\n"
    "  float w = 1.0 + 0.5 * float(corner); gl_Position = vec4(p * w, 0.3 * w, w); }\n";
/// Draw n is a triangle of half of 16 x 9 pixels.
inline constexpr const char* kOne =
    "#version 450\nvoid main() { uint cell = uint(gl_VertexIndex) / 3u, corner = uint(gl_VertexIndex) % 3u;\n"
    "  vec2 p = vec2(float(cell % 100u) + (corner == 1u ? 1.0 : 0.0), float(cell / 100u) + (corner == 2u ? 1.0 : "
    "0.0));\n  gl_Position = vec4(p * 0.02 - 1.0, 0.0, 1.0); }\n";

}  // namespace heddle::bench
