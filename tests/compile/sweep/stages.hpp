// SPDX-License-Identifier: MIT
#pragma once
// Vertex and fragment shaders of the sweep: what they draw on 8 x 8 pixels.

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "compile/sweep/sweep.hpp"

namespace heddle::test {

struct StageShader {
  std::string name;
  std::string vertex, fragment;  ///< SPIR-V assembly; `vertex` may be empty: the full-screen triangle
  std::string state;             ///< lines of [pixels]
  std::string tables;            ///< further tables of the job, in front
  std::string format = "R32G32B32A32_FLOAT";
  std::string engine = "reference";
  std::string more;  ///< lines of the target's table
  spirv::CompileOptions options;
  /// Color of the pixel (x, y), four components; compared exactly or within `tolerance`.
  std::function<std::array<double, 4>(unsigned x, unsigned y)> color;
  double tolerance = 0;
  /// An output of the job in place of the colors: its file and dwords.
  std::string file;
  std::vector<std::uint32_t> words;
};
std::ostream& operator<<(std::ostream& out, const StageShader& shader);

[[nodiscard]] std::string problem_of(const StageShader& shader);

[[nodiscard]] std::vector<StageShader> varying_shaders();   ///< types that travel between the stages
[[nodiscard]] std::vector<StageShader> built_in_shaders();  ///< barycentrics, distances, numbers of the pipeline
[[nodiscard]] std::vector<StageShader> output_shaders();    ///< narrow colors, dual source, interlock

[[nodiscard]] std::vector<StageShader> image_shaders();  ///< samples, rectangles, many descriptors

/// A vertex shader for three vertices around the target (`w`: of the middle one); `body` may use %number (u32), the
/// vertex's.
[[nodiscard]] ModuleText vertex_module(double w = 1);
/// A fragment shader with the output %color (v4f32).
[[nodiscard]] ModuleText fragment_module();
/// A user variable of a stage: "%name" at a location.
void add_variable(ModuleText& m, const std::string& name, const std::string& storage, const std::string& type,
                  unsigned location, const std::string& decorations = "");
/// Code that makes "%to" (v4f32) of "%from".
[[nodiscard]] std::string to_v4f32(const std::string& from, const std::string& type, const std::string& to);

}  // namespace heddle::test
