#pragma once
// Shader modules, pipelines and pipeline caches.

#include <vulkan/vulkan.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "pipeline/compute/compute.hpp"
#include "shader_interface/interface.hpp"
#include "spirv/compile/compile.hpp"
#include "vulkan/api/handles.hpp"
#include "vulkan/device/limits.hpp"

namespace heddle::vulkan {

struct Device;
struct PipelineLayout;

struct ShaderModule {
  std::vector<std::uint32_t> words;
};

struct GraphicsPipeline;

/// One stage: which descriptor stands in which slot of its program.
struct Shader {
  struct Slot {
    std::uint32_t index = 0;  ///< of the binding table; bindless: the handle
    bool bindless = false;
    shader_interface::ResourceKind kind{};  ///< surfaces
    std::uint32_t set = 0, binding = 0, element = 0;
    std::uint32_t count = 1;  ///< bindless: elements, whose handles follow each other
    bool array = false;       ///< of a binding that the shader declares as an array
    std::string name{};       ///< in the shader
    // The last dynamic offset, and the surface that it made.
    std::uint64_t of = 0;
    std::uint32_t offset = 0;
    machine::SurfaceResource moved;
  };
  std::string name;  ///< the entry point's
  std::vector<Slot> surfaces, samplers;
  std::shared_ptr<image::Memory> push;      ///< what push constants are read from; null where there are none
  std::uint64_t push_bytes = 0;             ///< that the shader's block has
  std::shared_ptr<image::Memory> messages;  ///< what the shader prints is written there; null where it prints nothing
  std::vector<shader_interface::PrintLine> prints;
  std::shared_ptr<const std::string> visa;
  std::vector<std::uint32_t> module;  ///< its SPIR-V words, where dispatches are captured
  pipeline::Bound bound;              ///< changed by the queue's thread only
  /// What stands in the slots: descriptors of these sets after so many changes, at these dynamic offsets.
  struct Standing {
    std::uint64_t set = 0, changes = 0;
    std::vector<std::uint32_t> offsets;
    friend bool operator==(const Standing&, const Standing&) = default;
  };
  std::array<Standing, kMaxSets> standing;
};

/// A compute pipeline, or one that draws.
struct Pipeline : Shader {
  Pipeline();
  ~Pipeline();
  std::shared_ptr<const pipeline::ComputeProgram> program;
  std::array<std::uint32_t, 3> local{1, 1, 1};
  std::unique_ptr<GraphicsPipeline> graphics;  ///< null: it computes
};

/// How many descriptors the bindings of a layout have that are arrays, by set and binding.
[[nodiscard]] std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> array_lengths(
    const PipelineLayout* layout);
/// How the immutable samplers of a layout sample, by set and binding, where any has a conversion.
[[nodiscard]] std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<spirv::SampledPlanes>> planes_of(
    const PipelineLayout* layout);
/// What is wrong with a shader, in one line.
[[nodiscard]] std::string text_of(const std::vector<base::Diagnostic>& list);
/// Fills what the application asks to know of how a pipeline was made.
void give_feedback(const void* chain, bool hit, std::chrono::steady_clock::time_point begin);

struct LoadedStage;

/// What was made of a shader. Never changed: pipelines share it.
struct CachedStage {
  std::shared_ptr<const std::string> text;    ///< vISA
  std::shared_ptr<const LoadedStage> loaded;  ///< the text's program; null before a pipeline needed it
  std::shared_ptr<const Pipeline> pipeline;   ///< compute stages: bound to nothing
};

/// Shaders by the words and options that they were compiled from.
class PipelineCache {
 public:
  [[nodiscard]] std::optional<CachedStage> find(const std::string& key);
  /// Adds what is not there yet.
  void store(const std::string& key, const CachedStage& stage);
  /// What vkGetPipelineCacheData gives.
  [[nodiscard]] std::vector<std::uint8_t> data();
  /// Takes what such data has; damaged data, and data of another build, are left alone.
  void take(std::span<const std::uint8_t> data);
  void merge(PipelineCache& other);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, CachedStage> entries_;
};

HEDDLE_HANDLE(ShaderModule, VkShaderModule)
HEDDLE_HANDLE(Pipeline, VkPipeline)
HEDDLE_HANDLE(PipelineCache, VkPipelineCache)

}  // namespace heddle::vulkan
