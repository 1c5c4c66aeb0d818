#pragma once
// A shader on its way from SPIR-V words to a program that runs.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "isa/program.hpp"
#include "spirv/compile/compile.hpp"
#include "vulkan/objects/pipeline.hpp"

namespace heddle::vulkan {

struct ShaderStage {
  std::span<const std::uint32_t> words;
  std::string entry;
  unsigned simd = 16;
  /// Elements of descriptor arrays without a length, by set and binding.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> array_lengths;
  const VkSpecializationInfo* specialization = nullptr;
  bool sample_shading = false;  ///< fragments run once for each sample
};

/// Names what a stage is compiled to: words and options.
[[nodiscard]] std::string key_of(const ShaderStage& stage);

/// The stage's vISA, from `cache` where it has it, else compiled (and stored there; null: nowhere). Ids: those of
/// spirv::compile and read_binary.
[[nodiscard]] base::Result<std::string> compile_stage(const ShaderStage& stage, PipelineCache* cache);

/// The stage as the application gives it: code, entry point, constants.
[[nodiscard]] ShaderStage stage_of(const VkPipelineShaderStageCreateInfo& info);

struct LoadedStage {
  std::shared_ptr<const pipeline::Program> program;
  shader_interface::ShaderInterface interface;
};
/// Reads a stage's vISA and gives `shader` its name and slots, which are bound to nothing yet. Ids: as make_pipeline.
[[nodiscard]] base::Result<LoadedStage> load_stage(Device& device, std::string visa, Shader& shader);

/// How programs of this device make machine code.
[[nodiscard]] pipeline::CodeOptions code_options(Device& device);

/// A pipeline of a compute stage's vISA, its slots bound to nothing yet. Ids: visa-*, shader-interface, run-*.
[[nodiscard]] base::Result<std::unique_ptr<Pipeline>> make_pipeline(Device& device, std::string visa);

}  // namespace heddle::vulkan
