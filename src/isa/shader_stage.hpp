// SPDX-License-Identifier: MIT
#pragma once
// The stages of pipelines that shaders are written for: one row for each. Whoever lists stages, names them or reads
// their names asks this table; vulkan/pipelines/stage_table.hpp has a row for each enumerator with Vulkan's own flags.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::isa {

/// In the order in which they follow each other in a pipeline.
enum class ShaderStage : std::uint8_t {
  Vertex,
  TessellationControl,
  TessellationEvaluation,
  Geometry,
  Task,
  Mesh,
  Fragment,
  Compute
};

struct ShaderStageInfo {
  ShaderStage stage{};
  std::uint32_t execution_model = 0;  ///< as SPIR-V numbers it; of task and mesh shaders those of EXT_mesh_shader
  std::string_view name;              ///< for people, and in `heddle: stage` lines: "vertex"
  std::string_view word;              ///< of flags and file names: "vert"
  std::string_view profile;           ///< of HLSL, as in file names: "vs"
  bool compiled = false;              ///< shaders of other stages are refused
};

inline constexpr std::array kShaderStages{
    ShaderStageInfo{ShaderStage::Vertex, 0, "vertex", "vert", "vs", true},
    ShaderStageInfo{ShaderStage::TessellationControl, 1, "tessellation control", "tesc", "hs", true},
    ShaderStageInfo{ShaderStage::TessellationEvaluation, 2, "tessellation evaluation", "tese", "ds", true},
    ShaderStageInfo{ShaderStage::Geometry, 3, "geometry", "geom", "gs", true},
    ShaderStageInfo{ShaderStage::Task, 5364, "task", "task", "as", true},
    ShaderStageInfo{ShaderStage::Mesh, 5365, "mesh", "mesh", "ms", true},
    ShaderStageInfo{ShaderStage::Fragment, 4, "fragment", "frag", "ps", true},
    ShaderStageInfo{ShaderStage::Compute, 5, "compute", "comp", "cs", true},
};

/// One T for each stage.
template <typename T>
struct PerStage {
  std::array<T, kShaderStages.size()> all{};  ///< in the order of the enumeration

  [[nodiscard]] constexpr T& operator[](ShaderStage stage) { return all[static_cast<std::size_t>(stage)]; }
  [[nodiscard]] constexpr const T& operator[](ShaderStage stage) const { return all[static_cast<std::size_t>(stage)]; }
  [[nodiscard]] constexpr auto begin() { return all.begin(); }
  [[nodiscard]] constexpr auto begin() const { return all.begin(); }
  [[nodiscard]] constexpr auto end() { return all.end(); }
  [[nodiscard]] constexpr auto end() const { return all.end(); }
};

/// Whether each row of a table stands where its enumerator finds it.
template <typename Rows>
[[nodiscard]] constexpr bool in_order(const Rows& rows) {
  std::size_t at = 0;
  for (const auto& row : rows)
    if (row.stage != static_cast<ShaderStage>(at++)) return false;
  return true;
}
static_assert(in_order(kShaderStages));

[[nodiscard]] constexpr const ShaderStageInfo& stage_info(ShaderStage stage) {
  return kShaderStages[static_cast<std::size_t>(stage)];
}

/// The stage of an execution model; nothing for models without a row (kernels, rays).
[[nodiscard]] std::optional<ShaderStage> stage_of_model(std::uint32_t execution_model);
/// Of stages that are compiled, by the words of flags and file names: "vert", "vs".
[[nodiscard]] std::optional<ShaderStage> stage_of_word(std::string_view word);

/// The stages that are compiled, for messages: "vertex, fragment and compute", and "vert, frag or comp".
[[nodiscard]] std::string compiled_stage_names(std::string_view conjunction);
[[nodiscard]] std::string compiled_stage_words(std::string_view conjunction);

}  // namespace heddle::isa
