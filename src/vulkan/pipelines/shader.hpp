// SPDX-License-Identifier: MIT
#pragma once
// A shader on its way from SPIR-V words to a program that runs.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "isa/platform.hpp"
#include "isa/program.hpp"
#include "spirv/compile/compile.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/pipelines/pipeline.hpp"
#include "vulkan/pipelines/stage_table.hpp"

namespace heddle::vulkan {

struct Device;
class PipelineCache;

/// What shaders are compiled for.
inline constexpr isa::Platform kPlatform = isa::Platform::SKL;

/// A shader as an application gives it, with what its pipeline says about it.
struct StageSource {
  std::span<const std::uint32_t> words;
  std::string entry;
  ShaderStage stage = ShaderStage::Compute;
  unsigned simd = kSubgroupSize;
  /// Elements of descriptor arrays without a length, by set and binding.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> array_lengths;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<spirv::SampledPlanes>> planes;  ///< of samplers
  const VkSpecializationInfo* specialization = nullptr;
  bool sample_shading = false;  ///< fragments run once for each sample
  bool alpha_to_coverage = false;
  std::uint32_t targets = ~0u;  ///< color attachments that there are, a bit for each location
};

/// Names what a stage is compiled to: words and options.
[[nodiscard]] std::string key_of(const StageSource& stage);

/// The stage as the application gives it: code, entry point, constants.
[[nodiscard]] StageSource source_of(const VkPipelineShaderStageCreateInfo& info);

/// A compiled stage, whatever pipeline it is for.
struct LoadedStage {
  std::shared_ptr<const std::string> visa;
  std::shared_ptr<const pipeline::Program> program;
  shader_interface::ShaderInterface interface;
};
/// From `cache` where it has the stage, else compiled and read (and stored there; null: nowhere). `key`: its key_of.
/// Ids: those of spirv::compile and read_binary, visa-*, shader-interface, run-*.
[[nodiscard]] base::Result<std::shared_ptr<const LoadedStage>> load_stage(const StageSource& stage,
                                                                          const std::string& key, PipelineCache* cache);

/// The same from vISA that was compiled before. Ids: read_binary's, visa-*, shader-interface, run-*.
[[nodiscard]] base::Result<std::shared_ptr<const LoadedStage>> read_stage(std::shared_ptr<const std::string> text);

/// Gives `shader` the stage's name and slots, which are bound to nothing yet.
void set_shader(Device& device, const LoadedStage& stage, Shader& shader);

/// How the parts of a group's payload lie (docs/spirv-interface.md): r0, local ids, the header, the rest.
[[nodiscard]] pipeline::ComputePlan group_plan(const isa::Object& kernel, std::uint32_t& payload_bytes);

/// How programs of a device's shader make machine code.
[[nodiscard]] pipeline::CodeOptions code_options(Device& device, const Shader& shader);
/// For a shader of a pipeline with these flags: where its machine code will be found; null: nobody wants to read it.
[[nodiscard]] std::shared_ptr<pipeline::ListedCode> listed_code(VkPipelineCreateFlags2 flags);

/// A pipeline of a compute stage that is loaded, its slots bound to nothing yet.
[[nodiscard]] std::unique_ptr<Pipeline> make_compute_pipeline(Device& device, const LoadedStage& stage,
                                                              VkPipelineCreateFlags2 flags = 0);
/// A pipeline of a compute stage, its slots bound to nothing yet, by way of `cache` as load_stage. Ids: as load_stage.
[[nodiscard]] base::Result<std::unique_ptr<Pipeline>> make_pipeline(Device& device, const StageSource& stage,
                                                                    VkPipelineCreateFlags2 flags,
                                                                    const std::string& key, PipelineCache* cache);

}  // namespace heddle::vulkan
