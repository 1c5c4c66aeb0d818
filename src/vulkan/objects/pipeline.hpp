#pragma once
// Shader modules, compute pipelines and pipeline caches.

#include <vulkan/vulkan.h>

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "pipeline/compute.hpp"
#include "shader_interface/interface.hpp"
#include "vulkan/handles.hpp"

namespace heddle::vulkan {

struct Device;

struct ShaderModule {
  std::vector<std::uint32_t> words;
};

/// A compute pipeline: a program made ready, and which descriptor stands in which of its slots.
struct Pipeline {
  struct Slot {
    std::uint32_t index = 0;  ///< of the binding table; bindless: the handle
    bool bindless = false;
    shader_interface::ResourceKind kind{};  ///< surfaces
    std::uint32_t set = 0, binding = 0, element = 0;
    std::string name{};  ///< in the shader
    // The last dynamic offset, and the surface that it made.
    std::uint64_t of = 0;
    std::uint32_t offset = 0;
    machine::SurfaceResource moved;
  };
  std::string name;  ///< the entry point's
  std::shared_ptr<const pipeline::ComputeProgram> program;
  std::array<std::uint32_t, 3> local{1, 1, 1};
  std::vector<Slot> surfaces, samplers;
  std::shared_ptr<image::Memory> push;  ///< what push constants are read from; null where there are none
  pipeline::Bound bound;                ///< changed by the queue's thread only
};

/// vISA of shaders by the words and options that they were compiled from.
class PipelineCache {
 public:
  [[nodiscard]] std::optional<std::string> find(const std::string& key);
  void store(const std::string& key, const std::string& text);
  /// What vkGetPipelineCacheData gives.
  [[nodiscard]] std::vector<std::uint8_t> data();
  /// Takes what such data has; damaged data, and data of another build, are left alone.
  void take(std::span<const std::uint8_t> data);
  void merge(PipelineCache& other);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::string> entries_;
};

HEDDLE_HANDLE(ShaderModule, VkShaderModule)
HEDDLE_HANDLE(Pipeline, VkPipeline)
HEDDLE_HANDLE(PipelineCache, VkPipelineCache)

}  // namespace heddle::vulkan
