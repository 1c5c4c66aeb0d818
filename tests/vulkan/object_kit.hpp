// SPDX-License-Identifier: MIT
#pragma once
// Shader objects of a test.

#include <string>
#include <vector>

#include "vulkan/canvas.hpp"

namespace heddle::test {

class ShaderObjects {
 public:
  /// `layouts`: of the sets that all shaders read.
  explicit ShaderObjects(VulkanDevice& device, std::vector<VkDescriptorSetLayout> layouts = {});

  /// What creation of a shader answers.
  VkResult create(VkShaderStageFlagBits stage, VkShaderCodeTypeEXT type, const void* code, std::size_t bytes,
                  VkShaderEXT& made) const;
  /// Of GLSL; goes with the device.
  VkShaderEXT make(VkShaderStageFlagBits stage, const std::string& glsl);
  void destroy(VkShaderEXT shader) const { destroy_(v_.device, shader, nullptr); }
  [[nodiscard]] std::vector<std::uint8_t> binary(VkShaderEXT shader) const;
  /// Null: no shader of the stage.
  void bind(VkCommandBuffer commands, VkShaderStageFlagBits stage, VkShaderEXT shader) const {
    bind_(commands, 1, &stage, shader != VK_NULL_HANDLE ? &shader : nullptr);
  }
  /// Makes and binds all shaders of the state, and no others.
  void bind_all(VkCommandBuffer commands, const PipelineState& state);

 private:
  VulkanDevice& v_;
  std::vector<VkDescriptorSetLayout> layouts_;
  PFN_vkCreateShadersEXT create_;
  PFN_vkDestroyShaderEXT destroy_;
  PFN_vkGetShaderBinaryDataEXT data_;
  PFN_vkCmdBindShadersEXT bind_;
};

}  // namespace heddle::test
