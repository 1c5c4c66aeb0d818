// SPDX-License-Identifier: MIT
#include "job/job.hpp"

namespace heddle::job {

const std::vector<std::string_view>& payload_words() {
  static const std::vector<std::string_view> kWords{"perspective_pixel",
                                                    "perspective_centroid",
                                                    "perspective_sample",
                                                    "linear_pixel",
                                                    "linear_centroid",
                                                    "linear_sample",
                                                    "depth",
                                                    "w",
                                                    "sample_position",
                                                    "coverage"};
  return kWords;
}

std::vector<StageConflict> stage_conflicts(const PixelsJob& job) {
  using isa::ShaderStage;
  std::vector<StageConflict> conflicts;
  const bool mesh = job.has(ShaderStage::Mesh), vertex = job.has(ShaderStage::Vertex);
  for (const StageKeys& keys : kStageKeys) {
    if (!job.has(keys.stage) || keys.stage == ShaderStage::Mesh) continue;
    if (keys.stage == ShaderStage::Task) {
      if (!mesh) conflicts.push_back({keys.program, "there is no 'mesh_shader' behind it"});
    } else if (mesh) {
      conflicts.push_back({keys.program, "'mesh_shader' makes the primitives, in place of all stages of vertices"});
    } else if (!vertex) {
      conflicts.push_back({keys.program, "there is no 'vertex' shader that it belongs to"});
    }
  }
  const bool control = job.has(ShaderStage::TessellationControl);
  const bool evaluation = job.has(ShaderStage::TessellationEvaluation);
  if (control && !evaluation)
    conflicts.push_back({"tessellation_control", "there is no 'tessellation_evaluation' behind it"});
  if (evaluation && !control)
    conflicts.push_back({"tessellation_evaluation", "there is no 'tessellation_control' before it"});
  return conflicts;
}

ElementType element_type(const BufferBinding& buffer) {
  if (buffer.type) return *buffer.type;
  const unsigned bytes = buffer.format ? image::format_info(*buffer.format)->bytes_per_element() : 1;
  return bytes == 2   ? ElementType::U16
         : bytes == 4 ? ElementType::U32
         : bytes == 8 ? ElementType::U64
                      : ElementType::U8;
}

ElementType fill_type(const image::FormatInfo& format) {
  return format.value_class == image::ValueClass::Float  ? ElementType::F32
         : format.value_class == image::ValueClass::Uint ? ElementType::U32
                                                         : ElementType::I32;
}

}  // namespace heddle::job
