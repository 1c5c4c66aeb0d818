// SPDX-License-Identifier: MIT
#include "vulkan/object_kit.hpp"

namespace heddle::test {

ShaderObjects::ShaderObjects(VulkanDevice& device, std::vector<VkDescriptorSetLayout> layouts)
    : v_(device),
      layouts_(std::move(layouts)),
      create_(device.proc<PFN_vkCreateShadersEXT>("vkCreateShadersEXT")),
      destroy_(device.proc<PFN_vkDestroyShaderEXT>("vkDestroyShaderEXT")),
      data_(device.proc<PFN_vkGetShaderBinaryDataEXT>("vkGetShaderBinaryDataEXT")),
      bind_(device.proc<PFN_vkCmdBindShadersEXT>("vkCmdBindShadersEXT")) {}

VkResult ShaderObjects::create(VkShaderStageFlagBits stage, VkShaderCodeTypeEXT type, const void* code,
                               std::size_t bytes, VkShaderEXT& made) const {
  VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
  info.stage = stage;
  info.codeType = type;
  info.codeSize = bytes;
  info.pCode = code;
  info.pName = "main";
  info.setLayoutCount = static_cast<std::uint32_t>(layouts_.size());
  info.pSetLayouts = layouts_.data();
  return create_(v_.device, 1, &info, nullptr, &made);
}

VkShaderEXT ShaderObjects::make(VkShaderStageFlagBits stage, const std::string& glsl) {
  const char* const name = stage == VK_SHADER_STAGE_VERTEX_BIT                    ? "vert"
                           : stage == VK_SHADER_STAGE_FRAGMENT_BIT                ? "frag"
                           : stage == VK_SHADER_STAGE_GEOMETRY_BIT                ? "geom"
                           : stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT    ? "tesc"
                           : stage == VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT ? "tese"
                                                                                  : "comp";
  const std::vector<std::uint32_t> words = compile_shader(glsl, name);
  VkShaderEXT made = VK_NULL_HANDLE;
  EXPECT_EQ(create(stage, VK_SHADER_CODE_TYPE_SPIRV_EXT, words.data(), words.size() * 4, made), VK_SUCCESS);
  v_.later([destroy = destroy_, device = v_.device, made] { destroy(device, made, nullptr); });
  return made;
}

std::vector<std::uint8_t> ShaderObjects::binary(VkShaderEXT shader) const {
  std::size_t size = 0;
  EXPECT_EQ(data_(v_.device, shader, &size, nullptr), VK_SUCCESS);
  std::vector<std::uint8_t> bytes(size);
  std::size_t less = size - 1;
  EXPECT_EQ(data_(v_.device, shader, &less, bytes.data()), VK_INCOMPLETE);
  EXPECT_EQ(less, 0u);
  EXPECT_EQ(data_(v_.device, shader, &size, bytes.data()), VK_SUCCESS);
  return bytes;
}

void ShaderObjects::bind_all(VkCommandBuffer commands, const PipelineState& state) {
  const auto bind_one = [&](VkShaderStageFlagBits stage, const std::string& glsl) {
    bind(commands, stage, glsl.empty() ? VK_NULL_HANDLE : make(stage, glsl));
  };
  bind_one(VK_SHADER_STAGE_VERTEX_BIT, state.vertex);
  bind_one(VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, state.control);
  bind_one(VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, state.evaluation);
  bind_one(VK_SHADER_STAGE_GEOMETRY_BIT, state.geometry);
  bind_one(VK_SHADER_STAGE_FRAGMENT_BIT, state.fragment);
}

}  // namespace heddle::test
