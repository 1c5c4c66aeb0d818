// SPDX-License-Identifier: MIT
#pragma once
// Shader objects (VK_EXT_shader_object): stages that commands bind one by one, without a pipeline.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "isa/shader_stage.hpp"
#include "vulkan/api/handles.hpp"
#include "vulkan/pipelines/pipeline.hpp"

namespace heddle::vulkan {

struct Device;
struct LoadedStage;

struct ShaderObject {
  isa::ShaderStage stage{};
  std::uint64_t number = 0;  ///< of all objects that ever were
  std::shared_ptr<const LoadedStage> loaded;
  std::vector<std::uint32_t> module;  ///< its SPIR-V words, where draws are captured
  std::unique_ptr<Pipeline> compute;  ///< of a compute shader
};

HEDDLE_HANDLE(ShaderObject, VkShaderEXT)

/// What is bound, by stage; null: no shader.
using BoundShaders = isa::PerStage<const ShaderObject*>;

/// The pipelines that bound shaders become when they are drawn with: one for each set of objects, all of whose states
/// commands set. It goes with the first of its objects.
class ShaderLinks {
 public:
  /// Null where they can't be together; the device's messages say why.
  [[nodiscard]] Pipeline* find(Device& device, const BoundShaders& shaders);
  void forget(const ShaderObject& object);

 private:
  std::mutex mutex_;
  std::map<std::vector<std::uint64_t>, std::unique_ptr<Pipeline>> pipelines_;  ///< by the objects' numbers
};

}  // namespace heddle::vulkan
